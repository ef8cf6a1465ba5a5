#include "kernels/matmul/gemv_parts.h"

#if defined(PACKED_SIMD)

#include "encoding/codec.h"

namespace packed {
namespace {

struct PartsShape {
  uint32_t group = 32;  // values under one integer scale
  uint32_t groups = 1;  // per block

  explicit PartsShape(const EncodingSpec& spec)
      : group(spec.group), groups(spec.elements / spec.group) {}
};

// One group of four rows times x: at most 256 products of 128 * 127.
PACKED_INLINE void sumGroup(const BlockParts* parts, uint32_t from, uint32_t count,
                            const uint8_t* x, Vector sums[4]) {
  PACKED_UNROLL
  for (int r = 0; r < 4; ++r) sums[r] = zero();
  PACKED_ROLLED
  for (uint32_t i = from; i < from + count; i += 16) {
    const Vector odd = load(x + 2 * i), even = load(x + 2 * i + 16);
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) {
      const Vector codes = load(parts[r].codes + i);
      const Vector evenCodes = wasm_i16x8_shr(wasm_i16x8_shl(codes, 8), 8);
      const Vector products = add32(dot16(wasm_i16x8_shr(codes, 8), odd), dot16(evenCodes, even));
      sums[r] = add32(sums[r], products);
    }
  }
}

// One block of four rows times one column.
PACKED_NOINLINE void multiplyParts(const PartsShape& shape, const BlockParts* parts,
                                   const uint8_t* x, const float* dx, float* y) {
  Vector total[4] = {zero(), zero(), zero(), zero()};
  for (uint32_t g = 0; g < shape.groups; ++g) {
    Vector sums[4];
    sumGroup(parts, g * shape.group, shape.group, x, sums);
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) {
      total[r] = add32(total[r], wasm_i32x4_mul(sums[r], wasm_i32x4_splat(parts[r].scales[g])));
    }
  }
  const Vector sum = sumLanes32(total[0], total[1], total[2], total[3]);
  const Vector d = wasm_f32x4_mul(
      wasm_f32x4_make(parts[0].d[0], parts[1].d[0], parts[2].d[0], parts[3].d[0]), loadSplat32(dx));
  store(y, wasm_f32x4_add(load(y), wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sum), d)));
}

}  // namespace

void arrangeApart(const int8_t* codes, int16_t* to, uint32_t elements) {
  for (uint32_t i = 0; i < elements; i += 16) {
    const Vector bytes = load(codes + i);
    store(to + i, wasm_i16x8_shr(bytes, 8));
    store(to + i + 8, wasm_i16x8_shr(wasm_i16x8_shl(bytes, 8), 8));
  }
}

void gemvOfParts(Encoding encoding, const WeightRows& w, const PackedColumn* x, int columns,
                 float* const* y) {
  const EncodingSpec& spec = specOf(encoding);
  const PartsShape shape(spec);
  const UnpackBlock unpack = unpackerOf(encoding);
  BlockParts parts[4];
  FourRows four(w);
  for (uint64_t b = 0; b < w.blocksPerRow; ++b) {
    uint64_t o = 0;
    for (four.startBlock(b); four.any(); o += 4) {
      const uint8_t* rows[4];
      four.next(rows);
      for (int r = 0; r < 4; ++r) unpack(rows[r], parts[r]);
      for (int c = 0; c < columns; ++c) {
        multiplyParts(shape, parts, x[c].x + 2 * b * spec.elements, x[c].d + b, y[c] + o);
      }
    }
  }
}

}  // namespace packed

#endif  // PACKED_SIMD
