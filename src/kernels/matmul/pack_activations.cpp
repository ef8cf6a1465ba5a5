#include "kernels/matmul/pack_activations.h"

#include "base/assert.h"
#include "kernels/matmul/dots.h"

#if defined(PACKED_SIMD)

#include <algorithm>
#include <cstring>

namespace packed {
namespace {

// 1.5 * 2^23: adding it leaves a float's nearest integer, ties to even, in the low bits.
constexpr float kRounder = 12582912.0f;

// Four values divided by d, within -127..127 and rounded, as integers.
PACKED_INLINE Vector roundFour(const float* x, Vector d, Vector limit, Vector rounder) {
  Vector v = wasm_f32x4_div(load(x), d);
  v = wasm_f32x4_pmax(wasm_f32x4_neg(limit), wasm_f32x4_pmin(limit, v));
  return wasm_i32x4_sub(wasm_f32x4_add(v, rounder), rounder);
}

float quantizeBlock(const float* x, uint32_t elements, int8_t* codes) {
  Vector most = wasm_f32x4_splat(0);
  for (uint32_t i = 0; i < elements; i += 4) {
    most = wasm_f32x4_pmax(most, wasm_f32x4_abs(load(x + i)));
  }
  const float absmax =
      std::max(std::max(wasm_f32x4_extract_lane(most, 0), wasm_f32x4_extract_lane(most, 1)),
               std::max(wasm_f32x4_extract_lane(most, 2), wasm_f32x4_extract_lane(most, 3)));
  const float d = absmax / 127.0f;
  if (d == 0) {
    std::fill_n(codes, elements, int8_t{0});
    return 0;
  }
  const Vector divisor = wasm_f32x4_splat(d);
  const Vector limit = wasm_f32x4_splat(127.0f);
  const Vector rounder = wasm_f32x4_splat(kRounder);
  for (uint32_t i = 0; i < elements; i += 16) {
    const Vector a = roundFour(x + i, divisor, limit, rounder);
    const Vector b = roundFour(x + i + 4, divisor, limit, rounder);
    const Vector c = roundFour(x + i + 8, divisor, limit, rounder);
    const Vector e = roundFour(x + i + 12, divisor, limit, rounder);
    store(codes + i,
          wasm_i8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4(a, b), wasm_i16x8_narrow_i32x4(c, e)));
  }
  return d;
}

// Even and odd bytes as signed 16-bit lanes; the even ones 256-fold.
PACKED_INLINE Vector even256(Vector bytes) { return wasm_i16x8_shl(bytes, 8); }
PACKED_INLINE Vector odd(Vector bytes) { return wasm_i16x8_shr(bytes, 8); }

int16_t sumOf(const int8_t* codes, uint32_t count, bool evenOnly) {
  Vector sum = zero();
  for (uint32_t i = 0; i < count; i += 16) {
    const Vector bytes = load(codes + i);
    const Vector even = wasm_i16x8_shr(even256(bytes), 8);
    const Vector lanes = evenOnly ? even : wasm_i16x8_add(even, odd(bytes));
    sum = add32(sum, wasm_i32x4_extadd_pairwise_i16x8(lanes));
  }
  return static_cast<int16_t>(wasm_i32x4_extract_lane(sum, 0) + wasm_i32x4_extract_lane(sum, 1) +
                              wasm_i32x4_extract_lane(sum, 2) + wasm_i32x4_extract_lane(sum, 3));
}

// The sums of one block, all groups, `stride` int16 apart in pairs.
void sumGroups(const ActivationNeeds& needs, const int8_t* codes, int16_t* to,
               uint32_t pairStride) {
  const uint32_t group = needs.elements / needs.groups;
  for (uint32_t g = 0; g < needs.groups; ++g) {
    to[g / 2 * pairStride + g % 2] = sumOf(codes + g * group, group, needs.evenOnly);
  }
}

// The sum of a group times needs.sumFactor: 2^15 times 2^7 at most.
void storeStart(const ActivationNeeds& needs, const int8_t* codes, void* to) {
  const int32_t start = sumOf(codes, needs.elements / needs.groups, false) * needs.sumFactor;
  std::memcpy(to, &start, sizeof start);
}

// The same of all groups, four columns apart.
void storeStarts(const ActivationNeeds& needs, const int8_t* codes, int16_t* to) {
  const uint32_t group = needs.elements / needs.groups;
  for (uint32_t g = 0; g < needs.groups; ++g) storeStart(needs, codes + g * group, to + 8 * g);
}

// x of four columns of a block, from `column` on. Padding is zeros.
uint8_t* packTile(const ActivationPlan& plan, const int8_t* codes, uint64_t column, uint8_t* x) {
  const uint64_t values = plan.blocks * plan.needs.elements;
  for (uint32_t i = 0; i < plan.needs.elements; i += 16) {
    Vector quads[4];
    for (uint64_t k = 0; k < 4; ++k) {
      const bool padding = column + k >= plan.columns;
      quads[k] = padding ? zero() : load(codes + (column + k) * values + i);
    }
    exchangeLanes(quads);
    for (const Vector& quad : quads) {
      if (plan.needs.form == ActivationForm::SPLIT) {
        store(x, wasm_i16x8_shr(even256(quad), 8));
        store(x + 16, odd(quad));
        x += 32;
      } else {
        store(x, quad);
        x += 16;
      }
    }
  }
  return x;
}

// x of all columns of a block, where padding stays as it is.
void packSixteens(const ActivationPlan& plan, const int8_t* codes, uint8_t* x) {
  const ActivationNeeds& needs = plan.needs;
  const uint64_t values = plan.blocks * needs.elements;
  constexpr uint64_t kBytes = sixteenBytes(ActivationForm::SIXTEENS);
  for (uint32_t i = 0; i < needs.elements; i += 16) {
    for (uint64_t c = 0; c < plan.columns; ++c) {
      const int8_t* ofColumn = codes + c * values + i;
      if (i % (needs.elements / needs.groups) == 0) storeStart(needs, ofColumn, x + c * kBytes);
      store(x + c * kBytes + kStartBytes, load(ofColumn));
    }
    x += plan.paddedColumns * kBytes;
  }
}

}  // namespace

ActivationPlan ActivationPlan::of(const ActivationNeeds& needs, const MatmulShape& shape,
                                  bool gemm) {
  ActivationPlan plan;
  plan.needs = needs;
  plan.gemm = gemm;
  plan.columns = shape.columns;
  plan.paddedColumns = (shape.columns + 3) / 4 * 4;
  plan.blocks = shape.inputDim / needs.elements;
  plan.paddedRows = (shape.out + 3) / 4 * 4;
  const auto take = [&](uint64_t bytes) {
    const uint64_t at = plan.bytes;
    plan.bytes += (bytes + 15) / 16 * 16;
    return at;
  };
  const uint64_t xBytes = shape.inputDim / 16 * sixteenBytes(needs.form);
  plan.codes = take(plan.columns * shape.inputDim);
  plan.scales = take(plan.columns * plan.blocks * sizeof(float));
  if (gemm) {
    plan.x = take(plan.paddedColumns * xBytes);
    plan.columnScales = take(plan.paddedColumns * plan.blocks * sizeof(float));
    plan.sums = take(plan.paddedColumns * plan.blocks * plan.sumWidth() * sizeof(int16_t));
    plan.y = take(gemmRows(plan.paddedColumns) * plan.paddedColumns * sizeof(float));
  } else {
    PACKED_ASSERT(needs.form != ActivationForm::SIXTEENS);
    plan.x = needs.form == ActivationForm::NATURAL ? plan.codes : take(plan.columns * xBytes);
    plan.sums = take(plan.columns * plan.blocks * needs.groups * sizeof(int16_t));
    plan.y = take(plan.columns * plan.paddedRows * sizeof(float));
  }
  return plan;
}

void quantizeColumns(const ActivationPlan& plan, const MatmulCall& call) {
  const uint32_t elements = plan.needs.elements;
  auto* codes = reinterpret_cast<int8_t*>(call.workspace + plan.codes);
  auto* scales = reinterpret_cast<float*>(call.workspace + plan.scales);
  for (uint64_t i = 0; i < plan.columns * plan.blocks; ++i) {
    scales[i] = quantizeBlock(call.x + i * elements, elements, codes + i * elements);
  }
}

void packColumn(const ActivationPlan& plan, uint8_t* scratch, uint64_t column) {
  const ActivationNeeds& needs = plan.needs;
  const uint64_t values = plan.blocks * needs.elements;
  const auto* codes = reinterpret_cast<const int8_t*>(scratch + plan.codes) + column * values;
  auto* x = reinterpret_cast<int16_t*>(scratch + plan.x) + column * values;
  if (needs.arrange) {
    for (uint64_t i = 0; i < values; i += needs.elements) {
      needs.arrange(codes + i, x + i, needs.elements);
    }
  } else if (needs.form == ActivationForm::SPLIT) {
    for (uint64_t i = 0; i < values; i += 16) storeSplit(x + i, load(codes + i));
  }
  auto* sums =
      reinterpret_cast<int16_t*>(scratch + plan.sums) + column * plan.blocks * needs.groups;
  for (uint64_t b = 0; b < plan.blocks; ++b) {
    sumGroups(needs, codes + b * needs.elements, sums + b * needs.groups, 2);
  }
}

void packColumns(const ActivationPlan& plan, uint8_t* scratch) {
  const ActivationNeeds& needs = plan.needs;
  const uint64_t values = plan.blocks * needs.elements;
  const bool sixteens = needs.form == ActivationForm::SIXTEENS;
  const auto* codes = reinterpret_cast<const int8_t*>(scratch + plan.codes);
  const auto* scales = reinterpret_cast<const float*>(scratch + plan.scales);
  uint8_t* x = scratch + plan.x;
  auto* d = reinterpret_cast<float*>(scratch + plan.columnScales);
  auto* sums = reinterpret_cast<int16_t*>(scratch + plan.sums);
  const uint64_t xBytes = plan.paddedColumns * (needs.elements / 16) * sixteenBytes(needs.form);
  std::fill_n(sums, plan.paddedColumns * plan.blocks * plan.sumWidth(), int16_t{0});
  if (sixteens) std::fill_n(x, plan.blocks * xBytes, uint8_t{0});
  for (uint64_t b = 0; b < plan.blocks; ++b) {
    const int8_t* ofBlock = codes + b * needs.elements;
    if (sixteens) {
      packSixteens(plan, ofBlock, x);
      x += xBytes;
    }
    for (uint64_t c = 0; c < plan.paddedColumns; c += 4) {
      if (!sixteens) x = packTile(plan, ofBlock, c, x);
      for (uint64_t k = 0; k < 4; ++k, ++d) {
        const bool padding = c + k >= plan.columns;
        *d = padding ? 0 : scales[(c + k) * plan.blocks + b];
        if (padding || plan.sumWidth() == 0) continue;
        const int8_t* ofColumn = ofBlock + (c + k) * values;
        if (needs.sumFactor != 0) {
          storeStarts(needs, ofColumn, sums + 2 * k);
        } else {
          sumGroups(needs, ofColumn, sums + 2 * k, 8);
        }
      }
      sums += 4 * plan.sumWidth();
    }
  }
}

}  // namespace packed

#endif  // PACKED_SIMD
