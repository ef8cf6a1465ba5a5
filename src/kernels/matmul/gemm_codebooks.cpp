#include "kernels/matmul/gemm_codebooks.h"

#include "encoding/iq_blocks.h"
#include "kernels/matmul/panel_kinds.h"
#include "kernels/relaxed_probe.h"

#if defined(PACKED_RELAXED_SIMD)

namespace packed {
namespace {

template <Encoding encoding>
PACKED_INLINE void storeScales(const uint8_t* const rows[4], int half, Panel& panel) {
  using Block = IqBlock<encoding>;
  panel.d[0][half] =
      wasm_f32x4_make(Block::d(rows[0]), Block::d(rows[1]), Block::d(rows[2]), Block::d(rows[3]));
  alignas(16) int16_t scales[4][16];
  Vector vectors[4][2], twice[16];
  PACKED_ROLLED
  for (int r = 0; r < 4; ++r) Block::scales(rows[r], scales[r]);
  PACKED_UNROLL
  for (int r = 0; r < 4; ++r) {
    for (int part = 0; part < Block::kGroups / 8; ++part) {
      vectors[r][part] = load(scales[r] + 8 * part);
    }
  }
  groupsInLanes<Block::kGroups>(vectors, twice);
  PACKED_ROLLED
  for (int g = 0; g < Block::kGroups; ++g) panel.scales[g][half] = wasm_i32x4_shr(twice[g], 16);
}

// Which byte of four rows' sign bytes each of two rows' values has its sign in, and which bit of it.
alignas(16) constexpr uint8_t kSignBytes[2][16] = {
    {0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 4},
    {8, 8, 8, 8, 8, 8, 8, 8, 12, 12, 12, 12, 12, 12, 12, 12}};
constexpr uint64_t kSignBits = 0x8040201008040201;

// Rows 0 and 1, and rows 2 and 3, in a vector each.
struct Eights {
  Vector first[kIqEights], second[kIqEights];
};

// The four eights of a part. Unrolled, so that places and shifts are constants.
template <Encoding encoding>
PACKED_INLINE Eights eightsOf(const SpreadCodebooks& books, int p, const uint8_t* const rows[4]) {
  using Block = IqBlock<encoding>;
  Eights eights;
  if constexpr (Block::kSigns != 0) {
    // Bits become masks in fewer instructions than it takes to look these up.
    const Vector bits = wasm_i64x2_splat(static_cast<int64_t>(*held(&kSignBits)));
    const Vector bytes[2] = {load(held(kSignBytes[0])), load(held(kSignBytes[1]))};
    const int at = Block::kSigns + 4 * p;
    const Vector signs =
        wasm_i32x4_make(loadLE<int32_t>(rows[0] + at), loadLE<int32_t>(rows[1] + at),
                        loadLE<int32_t>(rows[2] + at), loadLE<int32_t>(rows[3] + at));
    const auto signedOf = [&](int a, int l) {
      const Vector spread = bytesAt(wasm_u32x4_shr(signs, 8 * l), bytes[a / 2]);
      const Vector masks = wasm_i8x16_eq(bitAnd(spread, bits), bits);
      const auto levels =
          reinterpret_cast<Vector>(iqLevels<encoding>(books, p, rows[a], l, rows[a + 1], l));
      // Saturating, which never happens: of a plain difference clang would make a selection.
      return wasm_i8x16_sub_sat(bitXor(levels, masks), masks);
    };
    PACKED_UNROLL
    for (int l = 0; l < kIqEights; ++l) eights.first[l] = signedOf(0, l);
    PACKED_UNROLL
    for (int l = 0; l < kIqEights; ++l) eights.second[l] = signedOf(2, l);
  } else {
    const auto codesOf = [&](int a, int l) {
      return reinterpret_cast<Vector>(iqCodes<encoding>(books, p, rows[a], l, rows[a + 1], l));
    };
    PACKED_UNROLL
    for (int l = 0; l < kIqEights; ++l) eights.first[l] = codesOf(0, l);
    PACKED_UNROLL
    for (int l = 0; l < kIqEights; ++l) eights.second[l] = codesOf(2, l);
  }
  return eights;
}

}  // namespace

template <Encoding encoding>
PACKED_NOINLINE void decodeCodebooks(const GemmFormat&, const uint8_t* const allRows[8],
                                     Panel& panel) {
  const SpreadCodebooks& books = spreadCodebooks();
  const Vector flip = splat8(excessOfSigned());
  PACKED_ROLLED
  for (int half = 0; half < 2; ++half) {
    const uint8_t* rows[4];
    PACKED_UNROLL
    for (int r = 0; r < 4; ++r) rows[r] = allRows[4 * half + r];
    storeScales<encoding>(rows, half, panel);
    Vector* codes = panel.codes + half;
    PACKED_ROLLED
    for (int p = 0; p < kIqParts; ++p) {
      // Or clang would step a pointer for each place in each row, more than V8 has registers.
      const Eights eights = eightsOf<encoding>(books, asOneSum(p), rows);
      PACKED_UNROLL
      for (int l = 0; l < kIqEights; ++l) {
        const Vector first = eights.first[l], second = eights.second[l];
        codes[4 * l] = bitXor(wasm_i32x4_shuffle(first, second, 0, 2, 4, 6), flip);
        codes[4 * l + 2] = bitXor(wasm_i32x4_shuffle(first, second, 1, 3, 5, 7), flip);
      }
      codes += 4 * kIqEights;
    }
  }
}

DecodePanel* codebookDecoderOf(Encoding encoding) {
  switch (encoding) {
#define CODEBOOK(name) \
  case Encoding::name: \
    return &decodeCodebooks<Encoding::name>;
    CODEBOOK(IQ1_S)
    CODEBOOK(IQ1_M)
    CODEBOOK(IQ2_XXS)
    CODEBOOK(IQ2_XS)
    CODEBOOK(IQ2_S)
    CODEBOOK(IQ3_XXS)
    CODEBOOK(IQ3_S)
#undef CODEBOOK
    default:
      return nullptr;
  }
}

}  // namespace packed

#endif  // PACKED_RELAXED_SIMD
