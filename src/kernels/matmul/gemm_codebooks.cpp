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

// The four eights of a part, of two rows. Unrolled, so that places and shifts are constants.
template <Encoding encoding>
PACKED_INLINE void eights(const SpreadCodebooks& books, int p, const uint8_t* a, const uint8_t* b,
                          Vector* to) {
  PACKED_UNROLL
  for (int l = 0; l < kIqEights; ++l) {
    const SixteenCodes codes = iqCodes<encoding>(books, p, a, l, b, l);
    to[l] = load(&codes);
  }
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
      Vector first[kIqEights], second[kIqEights];
      // Or clang would step a pointer for each place in each row, more than V8 has registers.
      const int part = asOneSum(p);
      eights<encoding>(books, part, rows[0], rows[1], first);
      eights<encoding>(books, part, rows[2], rows[3], second);
      PACKED_UNROLL
      for (int l = 0; l < kIqEights; ++l) {
        codes[4 * l] = bitXor(wasm_i32x4_shuffle(first[l], second[l], 0, 2, 4, 6), flip);
        codes[4 * l + 2] = bitXor(wasm_i32x4_shuffle(first[l], second[l], 1, 3, 5, 7), flip);
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
