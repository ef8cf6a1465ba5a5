// An int8 kernel put together from its parts: a GEMV for up to three columns, which share the
// taking apart of a block, a GEMM for more.
#pragma once

#include "kernels/matmul/gemm.h"
#include "kernels/matmul/gemv.h"
#include "kernels/matmul/gemv_nvfp4.h"
#include "kernels/matmul/gemv_parts.h"
#include "kernels/matmul/panel.h"

#if defined(PACKED_SIMD)

namespace packed {

// Of rows as rowsInFours says.
using GemvRows = bool (*)(const WeightRows& w, const PackedColumn* x, float* const* y);

struct Int8Kernel {
  GemmFormat gemm;
  ActivationNeeds needs;  // of the GEMV
  int zeroPoint = 0;
  // Below so many columns, taking a block apart again for every three costs less than filling
  // four-column tiles.
  uint64_t gemmColumns = 4;
  // GEMVs of one, two and three columns. Instead of one that is null, those of fewer columns run; if
  // the first is null, the GEMM always does.
  GemvRows rows[3] = {};
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

// Tiles of four columns pay later where each sum is of few products only.
template <class Format>
constexpr uint64_t kGemmColumns = [] {
  constexpr int kProducts = kElements<Format>;
  return kProducts == 32 ? 12 : kProducts == 64 ? 7 : 4;
}();

template <Encoding encoding, class Dot>
void setRows(Int8Kernel& kernel) {
  using Format = Codes<encoding>;
  kernel.gemmColumns = kGemmColumns<Format>;
  kernel.rows[0] = &gemvRows<Format, Dot, 1>;
  kernel.rows[1] = &gemvRows<Format, Dot, 2>;
  kernel.rows[2] = &gemvRows<Format, Dot, 3>;
}

// Any encoding without Codes. From three columns on a panel costs no more, but where its values are
// bytes that nobody has to take apart.
template <Encoding encoding>
void setRowsOfParts(Int8Kernel& kernel) {
  kernel.gemmColumns = encoding == Encoding::Q8_K ? 4 : 3;
  kernel.needs = {specOf(encoding).elements, 1, ActivationForm::SPLIT, false, &arrangeApart};
  kernel.rows[0] = &gemvRowsOfParts<encoding, 1>;
  kernel.rows[1] = &gemvRowsOfParts<encoding, 2>;
}

template <class Dot>
void setRowsOfNvfp4(Int8Kernel& kernel) {
  using Format = CodesOfNvfp4;
  constexpr bool kSplit = Dot::kXBytes == 2;
  kernel.needs = {kElements<Format>, Format::kFloatScales,
                  kSplit ? ActivationForm::SPLIT : ActivationForm::NATURAL, false,
                  kSplit ? &arrangeForNvfp4 : nullptr};
  kernel.gemmColumns = kGemmColumns<Format>;
  kernel.rows[0] = &gemvRowsOfNvfp4<Dot, 1>;
  kernel.rows[1] = &gemvRowsOfNvfp4<Dot, 2>;
  kernel.rows[2] = &gemvRowsOfNvfp4<Dot, 3>;
}

template <Encoding encoding>
void setWideRows(Int8Kernel& kernel) {
  using Format = Codes<encoding>;
  kernel.needs = {kElements<Format>, kGroups<Format>, ActivationForm::SPLIT, Format::kSigned};
  if constexpr (Format::kDigits) kernel.needs.arrange = &Format::arrange;
  kernel.zeroPoint = Format::kSigned ? 128 : Format::kZero;
  setRows<encoding, Wide>(kernel);
}

// (Inlined, it would be there for each of a kernel's two functions.)
template <Encoding encoding>
PACKED_SMALL Int8Kernel wideKernel() {
  Int8Kernel kernel;
  if constexpr (HasCodes<encoding>) {
    using Format = Codes<encoding>;
    kernel.gemm.encoding = encoding;
    kernel.gemm.shape = panelShapeOf<Format>();
    kernel.gemm.needs = {kElements<Format>, kGroups<Format>, ActivationForm::SPLIT, false};
    kernel.gemm.decode = &decodePanel<Format, WidePanel>;
    kernel.gemm.multiply = &multiplyWide;
    setWideRows<encoding>(kernel);
    // Rows whose digits are never taken out cost less than a panel of them.
    if constexpr (Format::kDigits) kernel.gemmColumns = 8;
  } else {
    kernel.gemm = gemmOfParts(encoding);
    if constexpr (encoding == Encoding::NVFP4) {
      kernel.gemm.decode = &decodePanel<CodesOfNvfp4, WidePanel>;
      setRowsOfNvfp4<Wide>(kernel);
    } else {
      setRowsOfParts<encoding>(kernel);
    }
  }
  return kernel;
}

#if defined(PACKED_RELAXED_SIMD)

// What codes as bytes have too much: see codesFor in row_sums.h.
template <class Format>
int zeroPointOfBytes() {
  return Format::kSigned ? excessOfSigned() : Format::kZero;
}

// Scales go into the codes: with a zero point, bytes with a sign and a single scale are left.
template <class Format>
void putScalesInCodes(GemmFormat& gemm) {
  gemm.shape.scales = PanelScales::IN_CODES;
  if (Format::kZero == 0) return;
  gemm.shape.zeroPoint = excessOfSigned();
  gemm.shape.groups = gemm.needs.groups = 1;
}

template <class Format>
void multiplyByDot32(GemmFormat& gemm) {
  if constexpr (Format::kScaled && !Format::kScaledFitsByte) {
    static_assert(kGroup<Format> == 16 || kGroup<Format> == 32);
    gemm.needs.form = ActivationForm::SIXTEENS;
    gemm.multiply = Format::kMinimum ? &multiplyGroupsWithMinimum32 : &multiplyGroups32;
  } else {
    if constexpr (Format::kScaled) putScalesInCodes<Format>(gemm);
    gemm.multiply = Format::kMinimum ? &multiplyBytesWithMinimum32 : &multiplyBytes32;
  }
}

// The kernel for the dot product that this engine has. Eight-bit codes need one that takes them;
// group scales are applied on the way from 16 to 32 bits even where there is a 32-bit dot product,
// because that is the same instruction.
template <Encoding encoding>
PACKED_SMALL Int8Kernel relaxedKernel() {
  const bool narrow = relaxedDot() == RelaxedDot::NARROW;
  Int8Kernel kernel;
  if constexpr (encoding == Encoding::NVFP4) {
    using Format = CodesOfNvfp4;
    static_assert(kElements<Format> / Format::kFloatScales / 16 * 4 <= kQuadsPerStep<Format>);
    static_assert(Format::kZero != 0);  // or sums would start with something else than products
    kernel.gemm.encoding = encoding;
    kernel.gemm.shape = panelShapeOf<Format>();
    kernel.gemm.shape.zeroPoint = Format::kZero;
    kernel.gemm.needs = {kElements<Format>, Format::kFloatScales, ActivationForm::NATURAL, false};
    kernel.gemm.decode = &decodePanel<Format, BytesPanel>;
    kernel.gemm.multiply = narrow ? &multiplyFloatGroups16 : &multiplyFloatGroups32;
    narrow ? setRowsOfNvfp4<Dot16>(kernel) : setRowsOfNvfp4<Dot32>(kernel);
    return kernel;
  } else if constexpr (!HasCodes<encoding>) {
    if (narrow) return wideKernel<encoding>();
    kernel.gemm = gemmOfPartsInBytes(encoding);
    setRowsOfParts<encoding>(kernel);
    return kernel;
  } else {
    using Format = Codes<encoding>;
    kernel.gemm.decode = &decodePanel<Format, BytesPanel>;
    kernel.needs = {kElements<Format>, kGroups<Format>, ActivationForm::NATURAL, false};
    kernel.gemm.encoding = encoding;
    kernel.gemm.needs = kernel.needs;
    kernel.gemm.shape = panelShapeOf<Format>();
    kernel.gemm.shape.zeroPoint = zeroPointOfBytes<Format>();
    if constexpr (Format::kSigned) {
      if (narrow) return wideKernel<encoding>();
      kernel.zeroPoint = zeroPointOfBytes<Format>();
      setRows<encoding, Dot32>(kernel);
    } else {
      kernel.zeroPoint = Format::kZero;
      if constexpr (Format::kDigits) {
        // Powers of three take fewer steps than digits.
        if (narrow) {
          setWideRows<encoding>(kernel);
        } else {
          setRows<encoding, Dot32>(kernel);
          if (relaxedDot() == RelaxedDot::SIGNED) kernel.zeroPoint = 0;
        }
      } else {
        setRows<encoding, Dot16>(kernel);
        if constexpr (!Format::kScaled) {
          if (!narrow) setRows<encoding, Dot32>(kernel);
        }
      }
      if (narrow) {
        kernel.gemm.shape.quadsPerStep = kQuadsPerStep<Format>;
        kernel.gemm.shape.scales = PanelScales::TWICE;
        kernel.gemm.multiply = &multiplyBytes16;
        return kernel;
      }
    }
    multiplyByDot32<Format>(kernel.gemm);
    return kernel;
  }
}

#endif  // PACKED_RELAXED_SIMD

}  // namespace packed

#endif
