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

// NVFP4: four groups of sixteen values, each under a float scale of its own, straight from four
// rows' blocks.
struct FourNvfp4 {
  using Format = CodesOfNvfp4;
  Vector scales[4];  // of each group, those of the four rows

  explicit PACKED_INLINE FourNvfp4(const uint8_t* const rows[4]) {
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) scales[r] = Format::floatScales(rows[r]);
    exchangeLanes(scales);
  }

  template <int group>
  PACKED_INLINE void multiply(const uint8_t* const rows[4], const PackedColumn* x, int columns,
                              uint64_t b, uint64_t o, float* const* y) const {
    Vector odd[4], even[4];
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) {
      const Vector codes =
          wasm_i8x16_sub(Format::template codes<group>(rows[r], 0), splat8(Format::kZero));
      odd[r] = wasm_i16x8_shr(codes, 8);
      even[r] = wasm_i16x8_shr(wasm_i16x8_shl(codes, 8), 8);
    }
    PACKED_ROLLED
    for (int c = 0; c < columns; ++c) {
      const uint8_t* at = x[c].x + 2 * (b * kElements<Format> + 16 * group);
      const Vector xOdd = load(at), xEven = load(at + 16);
      Vector sums[4];
      PACKED_UNROLL
      for (int r = 0; r < 4; ++r) sums[r] = add32(dot16(odd[r], xOdd), dot16(even[r], xEven));
      const Vector sum = sumLanes32(sums[0], sums[1], sums[2], sums[3]);
      const Vector d = wasm_f32x4_mul(scales[group], loadSplat32(x[c].d + b));
      float* to = y[c] + o;
      store(to, wasm_f32x4_add(load(to), wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sum), d)));
    }
  }
};

void gemvOfNvfp4(const WeightRows& w, const PackedColumn* x, int columns, float* const* y) {
  FourRows four(w);
  for (uint64_t b = 0; b < w.blocksPerRow; ++b) {
    uint64_t o = 0;
    for (four.startBlock(b); four.any(); o += 4) {
      const uint8_t* rows[4];
      four.next(rows);
      const FourNvfp4 blocks(rows);
      blocks.multiply<0>(rows, x, columns, b, o, y);
      blocks.multiply<1>(rows, x, columns, b, o, y);
      blocks.multiply<2>(rows, x, columns, b, o, y);
      blocks.multiply<3>(rows, x, columns, b, o, y);
    }
  }
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
  if (encoding == Encoding::NVFP4) return gemvOfNvfp4(w, x, columns, y);
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
