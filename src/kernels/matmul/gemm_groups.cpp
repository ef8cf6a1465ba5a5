// Panels of bytes whose groups of sixteen or 32 values have a scale each, by 32-bit dot products.
// Sixteen values of eight rows are as many vectors as stay in registers beside two sums: all columns
// pass by them, one after the other, and no code is loaded twice. V8 makes 30 instructions of sixteen
// values of a column, of a tile of four columns four times 36.
#include <algorithm>

#include "base/assert.h"
#include "kernels/matmul/gemm.h"
#include "kernels/relaxed_simd.h"

#if defined(PACKED_RELAXED_SIMD)

namespace packed {
namespace {

// Columns whose sums are kept at a time.
constexpr uint64_t kColumns = 32;
constexpr uint64_t kSixteenBytes = sixteenBytes(ActivationForm::SIXTEENS);

// Sums of eight rows, int32.
struct RowSums {
  Vector low, high;
};

// Sixteen codes of eight rows.
class Sixteen {
 public:
  explicit PACKED_INLINE Sixteen(const Vector* codes)
      : a_{codes[0], codes[2], codes[4], codes[6]}, b_{codes[1], codes[3], codes[5], codes[7]} {}

  // x is SIXTEENS.
  PACKED_INLINE void addTo(RowSums& sums, const uint8_t* x) const {
    PACKED_UNROLL
    for (int q = 0; q < 4; ++q) {
      const Vector quad = loadSplat32(x + kStartBytes + 4 * q);
      sums.low = relaxedDot32(a_[q], quad, sums.low);
      sums.high = relaxedDot32(b_[q], quad, sums.high);
    }
  }

 private:
  Vector a_[4], b_[4];
};

PACKED_INLINE RowSums startOf(const uint8_t* x) {
  const Vector start = loadSplat32(x);
  return {start, start};
}

// The first half of groups of 32.
PACKED_INLINE void beginGroup(const Vector* codes, const uint8_t* x, uint32_t columns,
                              RowSums* parts) {
  const Sixteen sixteen(codes);
  RowSums* const end = parts + columns;
  PACKED_ROLLED
  do {
    RowSums sums = startOf(x);
    sixteen.addTo(sums, x);
    *parts++ = sums;
    x += kSixteenBytes;
  } while (parts != end);
}

// totals += scale * sums of a group, or of what is left of one that was begun.
template <bool begun>
PACKED_INLINE void endGroup(const Vector* codes, const Vector scale[2], const uint8_t* x,
                            const RowSums* parts, uint32_t columns, RowSums* totals) {
  const Sixteen sixteen(codes);
  const Vector low = scale[0], high = scale[1];
  RowSums* const end = totals + columns;
  PACKED_ROLLED
  do {
    RowSums sums;
    if constexpr (begun) {
      sums = *parts++;
    } else {
      sums = startOf(x);
    }
    sixteen.addTo(sums, x);
    totals->low = add32(totals->low, wasm_i32x4_mul(sums.low, low));
    totals->high = add32(totals->high, wasm_i32x4_mul(sums.high, high));
    x += kSixteenBytes;
  } while (++totals != end);
}

// y[8 rows] += float(sums) * (d * dx)
PACKED_INLINE void addScaled(float* y, const RowSums& sums, Vector low, Vector high,
                             const float* dx) {
  const Vector factor = loadSplat32(dx);
  low = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sums.low), wasm_f32x4_mul(low, factor));
  high = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sums.high), wasm_f32x4_mul(high, factor));
  store(y, wasm_f32x4_add(load(y), low));
  store(y + 4, wasm_f32x4_add(load(y + 4), high));
}

// For at most kColumns columns; `stride` to their next sixteen values.
PACKED_INLINE void multiplyGroups(const PanelShape& shape, const Panel& panel, const uint8_t* x,
                                  uint64_t stride, const float* d, uint32_t columns, float* y) {
  const bool halved = shape.quads / shape.groups == 8;
  PACKED_ASSERT(halved || shape.quads / shape.groups == 4);
  RowSums totals[kColumns], parts[kColumns];
  // Held, or clang would call memset.
  const Vector nothing = wasm_i32x4_splat(held(0));
  for (uint32_t c = 0; c < columns; ++c) totals[c] = {nothing, nothing};
  const Vector* codes = panel.codes;
  for (uint32_t g = 0; g < shape.groups; ++g) {
    if (halved) {
      beginGroup(codes, x, columns, parts);
      endGroup<true>(codes + 8, panel.scales[g], x + stride, parts, columns, totals);
    } else {
      endGroup<false>(codes, panel.scales[g], x, parts, columns, totals);
    }
    codes += halved ? 16 : 8;
    x += halved ? 2 * stride : stride;
  }
  const Vector low = panel.d[0][0], high = panel.d[0][1];
  for (uint32_t c = 0; c < columns; ++c) addScaled(y + 8 * c, totals[c], low, high, d + c);
}

}  // namespace

void multiplyGroups32(const PanelShape& shape, const Panel& panel, const uint8_t* x, const float* d,
                      const int16_t*, uint64_t columns, float* y) {
  for (uint64_t first = 0; first < columns; first += kColumns) {
    multiplyGroups(shape, panel, x + kSixteenBytes * first, kSixteenBytes * columns, d + first,
                   static_cast<uint32_t>(std::min(columns - first, kColumns)), y + 8 * first);
  }
}
void multiplyGroupsWithMinimum32(const PanelShape& shape, const Panel& panel, const uint8_t* x,
                                 const float* d, const int16_t* sums, uint64_t columns, float* y) {
  PACKED_ASSERT(shape.minimum && shape.zeroPoint == 0);
  multiplyGroups32(shape, panel, x, d, sums, columns, y);
  subtractMinimums(shape, panel, d, sums, columns, y);
}

}  // namespace packed

#endif  // PACKED_RELAXED_SIMD
