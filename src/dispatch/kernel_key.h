// KernelKey: what a call needs, or what a kernel takes, in words that can be compared and printed:
//
//   matmul(F32 contiguous x F32/Q4_K blocked_input_major) @simd128
//
// A kernel declares the order it reads in its key; no kernel may assume, no caller may guess.
#pragma once

#include <string>
#include <vector>

#include "encoding/encoding.h"
#include "kernels/kernel_info.h"
#include "tensor/tensor_view.h"

namespace packed {

enum class LayoutClass : uint8_t {
  CONTIGUOUS,         // plain values, dense, last axis fastest
  STRIDED,            // anything with holes or turned axes: only for who reads strides
  BLOCKED_ROW_MAJOR,  // blocks fill their grid without gaps in this order
  BLOCKED_INPUT_MAJOR,
};
std::string_view nameOf(LayoutClass layoutClass);  // "blocked_input_major"

// A blocked view is BLOCKED_* only if it covers its grid without gaps.
LayoutClass layoutClassOf(const TensorView& view);

struct OperandKey {
  Encoding encoding = Encoding::F32;
  LayoutClass layoutClass = LayoutClass::CONTIGUOUS;

  std::string text() const;  // "F32/Q4_K blocked_input_major"
  friend bool operator==(const OperandKey&, const OperandKey&) = default;
};

struct KernelKey {
  std::string_view op = "matmul";
  OperandKey x;
  OperandKey w;
  Activation activation = Activation::F32;
  Isa isa = Isa::SCALAR;  // of a kernel: what it is written for; of a call: the widest it may use

  std::string text() const;
  friend bool operator==(const KernelKey&, const KernelKey&) = default;
};

KernelKey keyOf(const KernelInfo& kernel);

}  // namespace packed
