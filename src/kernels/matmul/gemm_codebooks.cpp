#include "kernels/matmul/gemm_codebooks.h"

#include <type_traits>

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

// Of four rows' bits the lowest byte of each row, for the eight values of each of two rows; and which
// bit of it is whose sign.
alignas(16) constexpr uint8_t kLowestBytes[2][16] = {
    {0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 4},
    {8, 8, 8, 8, 8, 8, 8, 8, 12, 12, 12, 12, 12, 12, 12, 12}};
constexpr uint64_t kSignBits = 0x8040201008040201;

// What changes the levels of a part of four rows, from the bits that say so: fewer instructions than
// it takes to look it up.
template <Encoding encoding>
class ChangesInBits {
  using Block = IqBlock<encoding>;
  static constexpr bool kSigned = std::is_base_of_v<SignedLevels, Block>;

  static PACKED_INLINE int32_t bitsOf(const uint8_t* block, int p) {
    return static_cast<int32_t>(Block::bits(block, p));
  }

 public:
  PACKED_INLINE ChangesInBits(const uint8_t* const rows[4], int p)
      : bits_(wasm_i32x4_make(bitsOf(rows[0], p), bitsOf(rows[1], p), bitsOf(rows[2], p),
                              bitsOf(rows[3], p))),
        bytes_{load(held(kLowestBytes[0])), load(held(kLowestBytes[1]))},
        which_(kSigned ? wasm_i64x2_splat(static_cast<int64_t>(*held(&kSignBits))) : splat8(2)) {}

  // Values of eight l of rows a and a + 1.
  PACKED_INLINE Vector applyTo(Vector levels, int a, int l) const {
    const Vector spread = bytesAt(wasm_u32x4_shr(bits_, Block::bitAt(l)), bytes_[a / 2]);
    const Vector chosen = bitAnd(spread, which_);
    if constexpr (kSigned) {
      const Vector masks = wasm_i8x16_eq(chosen, which_);
      // Saturating, which never happens: of a plain difference clang would make a selection.
      return wasm_i8x16_sub_sat(bitXor(levels, masks), masks);
    } else {
      static_assert(kIq1Shifts[0] - kIq1Shifts[1] == 0x0202020202020202);
      return wasm_i8x16_sub(wasm_i8x16_add(levels, splat8(static_cast<int8_t>(kIq1Shifts[0]))),
                            chosen);
    }
  }

 private:
  Vector bits_, bytes_[2], which_;
};

// Rows 0 and 1, and rows 2 and 3, in a vector each.
struct Eights {
  Vector first[kIqEights], second[kIqEights];
};

// The four eights of a part. Unrolled, so that places and shifts are constants.
template <Encoding encoding>
PACKED_INLINE Eights eightsOf(const SpreadCodebooks& books, int p, const uint8_t* const rows[4]) {
  Eights eights;
  const auto fill = [&](const auto& valuesOf) {
    PACKED_UNROLL
    for (int l = 0; l < kIqEights; ++l) eights.first[l] = valuesOf(0, l);
    PACKED_UNROLL
    for (int l = 0; l < kIqEights; ++l) eights.second[l] = valuesOf(2, l);
  };
  if constexpr (IqBlock<encoding>::kInBits) {
    const ChangesInBits<encoding> changes(rows, p);
    fill([&](int a, int l) {
      const auto levels = iqLevels<encoding>(books, p, rows[a], l, rows[a + 1], l);
      return changes.applyTo(reinterpret_cast<Vector>(levels), a, l);
    });
  } else {
    fill([&](int a, int l) {
      return reinterpret_cast<Vector>(iqCodes<encoding>(books, p, rows[a], l, rows[a + 1], l));
    });
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
