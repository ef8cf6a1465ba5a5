// KernelInfo: what one kernel is, what it promises and how to call it. Every kernel stands in
// exactly one list (matmul/kernels.inc, ...), from which it is declared, registered, tested,
// benched and documented.
#pragma once

#include <span>
#include <string_view>

#include "encoding/encoding.h"
#include "kernels/isa.h"
#include "kernels/matmul/matmul.h"

namespace packed {

struct KernelInfo {
  std::string_view name;  // op_activation_encoding_order_isa
  Encoding encoding;
  BlockOrder order;  // the order of blocks that it is written for
  Activation activation;
  Isa isa;
  bool bitExactWithScalar;  // gives the scalar specification's bits; a test runs every kernel that
                            // says so
  bool readsStrides;        // takes any strides; otherwise the grid must be gap-free in `order`

  uint64_t (*workspaceBytes)(const MatmulShape& shape);
  void (*run)(const MatmulCall& call);
};

// Every kernel of this binary, in the order of the lists: a later one is preferred.
std::span<const KernelInfo> allMatmulKernels();

// Decodes block after block: for encodings and layouts that no kernel takes. Same bits as
// Activation::F32.
void referenceMatmul(Encoding encoding, const MatmulCall& call);

// GEMVs of two and three columns and panels looked up in codebooks may arrive in a later part of the
// module. Until this is called with true, columns run one at a time and panels are decoded row by
// row. The numbers are the same.
void useAccelerators(bool theyHaveCome);
bool acceleratorsAreUsed();

}  // namespace packed
