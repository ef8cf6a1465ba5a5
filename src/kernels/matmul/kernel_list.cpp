// The list as a table: one KernelInfo per line of kernels.inc.
#include <array>

#include "kernels/kernel_info.h"
#include "kernels/matmul/scalar.h"
#include "kernels/matmul/simd.h"
#include "kernels/simd128.h"

namespace packed {
namespace {

constexpr std::string_view kNames[] = {
#define X(name, ggmlType, elements, bytes, group, kind) #name,
#include "encoding/encodings.inc"
#undef X
};

// "matmul_int8_q4_k_input_major_simd128", put together while compiling.
template <Activation activation, Encoding encoding, BlockOrder order, Isa isa>
struct KernelName {
  static constexpr std::size_t kLongest = 64;

  static constexpr auto build() {
    std::pair<std::array<char, kLongest>, std::size_t> name{};
    const auto append = [&](std::string_view part) {
      for (const char c : part) {
        name.first[name.second++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      }
    };
    append("matmul_");
    append(nameOf(activation));
    append("_");
    append(kNames[static_cast<std::size_t>(encoding)]);
    append(order == BlockOrder::ROW_MAJOR ? "_row_major_" : "_input_major_");
    append(nameOf(isa));
    return name;
  }
  static constexpr auto kBuilt = build();
  static constexpr std::string_view text{kBuilt.first.data(), kBuilt.second};
};

template <Isa isa, Activation activation, Encoding encoding, BlockOrder order, class Kernel>
constexpr KernelInfo entry() {
  return {KernelName<activation, encoding, order, isa>::text,
          encoding,
          order,
          activation,
          isa,
          Kernel::bitExactWithScalar,
          Kernel::readsStrides,
          &Kernel::workspaceBytes,
          &Kernel::run};
}

template <Isa isa, Activation activation, Encoding encoding, BlockOrder order>
struct KernelOf {
  using type = SimdKernel<isa, activation, encoding, order>;
};

template <Activation activation, Encoding encoding, BlockOrder order>
struct KernelOf<Isa::SCALAR, activation, encoding, order> {
  using type = ScalarKernel<activation, encoding, order>;
};

constexpr KernelInfo kKernels[] = {
#define KERNEL(activation, encoding, order, isa)                               \
  entry<                                                                       \
      Isa::isa, Activation::activation, Encoding::encoding, BlockOrder::order, \
      KernelOf<Isa::isa, Activation::activation, Encoding::encoding, BlockOrder::order>::type>(),
#include "kernels/matmul/kernels.inc"
};

}  // namespace

std::span<const KernelInfo> allMatmulKernels() { return kKernels; }

}  // namespace packed
