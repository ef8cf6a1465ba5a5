// An int8 kernel put together from its parts: a GEMV for up to two or three columns, two at a time
// where that pays, a GEMM for more.
#pragma once

#include "kernels/matmul/gemm.h"
#include "kernels/matmul/gemv.h"

#if defined(PACKED_SIMD)

namespace packed {

using GemvRows = bool (*)(const WeightRows& w, const PackedColumn* x, float* const* y);

struct Int8Kernel {
  GemmFormat gemm;
  ActivationNeeds needs;  // of the GEMV
  int zeroPoint = 0;
  // Below so many columns, decoding a block again for each costs less than filling four-column
  // tiles.
  uint64_t gemmColumns = 4;
  GemvRows rows = nullptr;   // of one column; null: GEMM always
  GemvRows pairs = nullptr;  // of two columns; null: one after the other
};

uint64_t int8Workspace(const Int8Kernel& kernel, const MatmulShape& shape);
void runInt8(const Int8Kernel& kernel, BlockOrder order, const MatmulCall& call);

// Quads whose pair sums of at most 2 * kMax * 127 each fit a 16-bit lane: 8, 4 or 2.
template <class Format>
constexpr uint32_t kQuadsPerStep = [] {
  uint32_t quads = kGroup<Format> / 4 < 8 ? kGroup<Format> / 4 : 8;
  while (quads * 2 * Format::kMax * 127 > INT16_MAX) quads /= 2;
  return quads;
}();

// Two columns at once save what taking a block apart costs. Blocks of 256 values need four times
// the code for it: those that cost most have it, in the module that has room.
template <Encoding encoding>
inline constexpr bool kTakesPairs =
#if !defined(__wasm_relaxed_simd__)
    encoding == Encoding::Q3_K || encoding == Encoding::Q5_K || encoding == Encoding::Q6_K ||
    encoding == Encoding::IQ4_XS || encoding == Encoding::TQ1_0 ||
#endif
    kElements<Codes<encoding>> <= 128;

template <Encoding encoding, class Dot>
constexpr GemvRows pairRows() {
  if constexpr (kTakesPairs<encoding>) return &gemvRows<Codes<encoding>, Dot, 2>;
  return nullptr;
}

// Three times the price of taking these apart is the tile's already.
template <Encoding encoding>
inline constexpr bool kSlowCodes = encoding == Encoding::TQ1_0 || encoding == Encoding::Q2_0;

template <Encoding encoding>
Int8Kernel wideKernel() {
  Int8Kernel kernel;
  if constexpr (HasCodes<encoding>) {
    using Format = Codes<encoding>;
    kernel.gemm.encoding = encoding;
    kernel.gemm.shape = panelShapeOf<Format>();
    kernel.gemm.needs = {kElements<Format>, kGroups<Format>, ActivationForm::SPLIT, false};
    kernel.gemm.decode = &decodePanel<Format, WidePanel>;
    kernel.gemm.multiply = &multiplyWide;
    kernel.needs = {kElements<Format>, kGroups<Format>, ActivationForm::SPLIT, Format::kSigned};
    kernel.zeroPoint = Format::kSigned ? 128 : Format::kZero;
    kernel.rows = &gemvRows<Format, Wide, 1>;
    kernel.pairs = pairRows<encoding, Wide>();
    if (kSlowCodes<encoding>) kernel.gemmColumns = 3;
  } else {
    kernel.gemm = gemmOfParts(encoding);
    if constexpr (encoding == Encoding::NVFP4) {
      kernel.gemm.decode = &decodePanel<CodesOfNvfp4, WidePanel>;
    }
  }
  return kernel;
}

#if defined(PACKED_RELAXED_SIMD)

// The kernel for the dot product that this engine has. Eight-bit codes need one that takes them;
// group scales are applied on the way from 16 to 32 bits even where there is a 32-bit dot product,
// because that is the same instruction.
template <Encoding encoding>
Int8Kernel relaxedKernel() {
  const bool narrow = relaxedDot() == RelaxedDot::NARROW;
  Int8Kernel kernel;
  if constexpr (!HasCodes<encoding>) {
    if (narrow) return wideKernel<encoding>();
    kernel.gemm = gemmOfPartsInBytes(encoding);
    return kernel;
  } else {
    using Format = Codes<encoding>;
    kernel.gemm.decode = &decodePanel<Format, BytesPanel>;
    kernel.needs = {kElements<Format>, kGroups<Format>, ActivationForm::NATURAL, false};
    kernel.gemm.encoding = encoding;
    kernel.gemm.needs = kernel.needs;
    kernel.gemm.shape = panelShapeOf<Format>();
    kernel.gemm.shape.zeroPoint = Format::kZero != 0 || Format::kSigned;
    if (kSlowCodes<encoding>) kernel.gemmColumns = 3;
    if constexpr (Format::kSigned) {
      if (narrow) return wideKernel<encoding>();
      kernel.zeroPoint = BytesPanel::zeroPoint<Format>();
      kernel.rows = &gemvRows<Format, Dot32, 1>;
    } else {
      kernel.zeroPoint = Format::kZero;
      kernel.rows = &gemvRows<Format, Dot16, 1>;
      kernel.pairs = pairRows<encoding, Dot16>();
      if constexpr (!Format::kScaled) {
        if (!narrow) kernel.rows = &gemvRows<Format, Dot32, 1>;
      }
      if (narrow) {
        kernel.gemm.shape.quadsPerStep = kQuadsPerStep<Format>;
        kernel.gemm.multiply = &multiplyBytes16;
        return kernel;
      }
    }
    kernel.gemm.multiply = Format::kScaled ? &multiplyScaledBytes32 : &multiplyBytes32;
    return kernel;
  }
}

#endif  // PACKED_RELAXED_SIMD

}  // namespace packed

#endif
