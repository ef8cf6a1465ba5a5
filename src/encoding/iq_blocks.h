// What a block of an IQ encoding says, eight values at a time: an entry of a codebook, and which of
// its signs are minus (IQ2, IQ3) or how it is shifted (IQ1). Where it stands in the block is told in
// iq1.h, iq2.h and iq3.h.
//
// Said once for those who take a block apart and for those who look up several rows side by side
// (kernels/matmul/gemm_codebooks.h). Eight l of part p are values 32 * p + 8 * l and following.
#pragma once

#include "base/bytes.h"
#include "base/half.h"
#include "encoding/block_parts.h"
#include "encoding/iq_codebooks.h"

namespace packed {

inline constexpr int kIqParts = 8;
inline constexpr int kIqEights = 4;  // of a part

struct SignedLevels {
  static constexpr bool kInBits = false;
  static SixteenCodes apply(SixteenCodes levels, SixteenCodes masks) {
    return (levels ^ masks) - masks;
  }
};
struct ShiftedLevels {
  static constexpr bool kInBits = true;
  static SixteenCodes apply(SixteenCodes levels, SixteenCodes shifts) { return levels + shifts; }
};

// d(block)                         the float scale, of scales as BlockParts has them
// scales(block, to)                those of all groups
// levels(books, block, p, l)       eight of them; kFours: four(books, block, p, i), half as many
// changes(books, block, p, l)      what they are changed by
// bits(block, p) >> bitAt(l)       kInBits: the same as bits, signs in the lowest byte, of shifts bit 1
template <Encoding encoding>
struct IqBlock;

template <>
struct IqBlock<Encoding::IQ1_S> : ShiftedLevels {
  static constexpr bool kFours = false;
  static constexpr int kGroups = 8;
  static float d(const uint8_t* block) { return loadHalf(block) * 0.125f; }
  static uint32_t word(const uint8_t* block, int p) { return loadLE<uint16_t>(block + 34 + 2 * p); }
  static void scales(const uint8_t* block, int16_t* to) {
    for (int p = 0; p < kIqParts; ++p) {
      to[p] = static_cast<int16_t>(2 * (word(block, p) >> 12 & 7) + 1);
    }
  }
  static uint64_t levels(const SpreadCodebooks& books, const uint8_t* block, int p, int l) {
    return books.iq1[block[2 + 4 * p + l] | (word(block, p) >> (3 * l) & 7) << 8];
  }
  static uint32_t bits(const uint8_t* block, int p) { return word(block, p); }
  static constexpr int bitAt(int) { return 14; }
  static uint64_t changes(const SpreadCodebooks&, const uint8_t* block, int p, int) {
    return kIq1Shifts[word(block, p) >> 15];
  }
};

template <>
struct IqBlock<Encoding::IQ1_M> : ShiftedLevels {
  static constexpr bool kFours = false;
  static constexpr int kGroups = 16;
  static uint32_t word(const uint8_t* block, int w) { return loadLE<uint16_t>(block + 48 + 2 * w); }
  static float d(const uint8_t* block) {
    uint32_t d = 0;
    for (int w = 0; w < 4; ++w) d |= (word(block, w) >> 12) << (4 * w);
    return halfToFloat(static_cast<uint16_t>(d)) * 0.125f;
  }
  static void scales(const uint8_t* block, int16_t* to) {
    for (int g = 0; g < kGroups; ++g) {
      to[g] = static_cast<int16_t>(2 * (word(block, g / 4) >> (3 * (g % 4)) & 7) + 1);
    }
  }
  static uint32_t high(const uint8_t* block, int p, int l) {
    return static_cast<uint32_t>(block[32 + 2 * p + l / 2]) >> (4 * (l % 2));
  }
  static uint64_t levels(const SpreadCodebooks& books, const uint8_t* block, int p, int l) {
    return books.iq1[block[4 * p + l] | (high(block, p, l) & 7) << 8];
  }
  static uint32_t bits(const uint8_t* block, int p) { return loadLE<uint16_t>(block + 32 + 2 * p); }
  static constexpr int bitAt(int l) { return 4 * l + 2; }
  static uint64_t changes(const SpreadCodebooks&, const uint8_t* block, int p, int l) {
    return kIq1Shifts[high(block, p, l) >> 3 & 1];
  }
};

template <>
struct IqBlock<Encoding::IQ2_XXS> : SignedLevels {
  static constexpr bool kFours = false;
  static constexpr int kGroups = 8;
  static float d(const uint8_t* block) { return loadHalf(block) * 0.125f; }
  static uint32_t word(const uint8_t* block, int p) { return loadLE<uint32_t>(block + 6 + 8 * p); }
  static void scales(const uint8_t* block, int16_t* to) {
    for (int p = 0; p < kIqParts; ++p) {
      to[p] = static_cast<int16_t>(2 * (word(block, p) >> 28) + 1);
    }
  }
  static uint64_t levels(const SpreadCodebooks& books, const uint8_t* block, int p, int l) {
    return books.iq2Xxs[block[2 + 8 * p + l]];
  }
  static uint64_t changes(const SpreadCodebooks& books, const uint8_t* block, int p, int l) {
    return books.evenSigns[word(block, p) >> (7 * l) & 127];
  }
};

// A nibble for each 16 values, low first.
inline void nibbleScales(const uint8_t* nibbles, int16_t* to) {
  using EightBytes = uint8_t __attribute__((vector_size(8)));
  using EightScales = int16_t __attribute__((vector_size(16)));
  EightBytes bytes;
  std::memcpy(&bytes, nibbles, sizeof bytes);
  const auto pairs = __builtin_convertvector(bytes, EightScales);
  const EightScales low = 2 * (pairs & 15) + 1, high = 2 * (pairs >> 4) + 1;
  const EightScales inTurn[] = {__builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11),
                                __builtin_shufflevector(low, high, 4, 12, 5, 13, 6, 14, 7, 15)};
  std::memcpy(to, inTurn, sizeof inTurn);
}

template <>
struct IqBlock<Encoding::IQ2_XS> : SignedLevels {
  static constexpr bool kFours = false;
  static constexpr int kGroups = 16;
  static float d(const uint8_t* block) { return loadHalf(block) * 0.125f; }
  static void scales(const uint8_t* block, int16_t* to) { nibbleScales(block + 66, to); }
  static uint32_t word(const uint8_t* block, int p, int l) {
    return loadLE<uint16_t>(block + 2 + 8 * p + 2 * l);
  }
  static uint64_t levels(const SpreadCodebooks& books, const uint8_t* block, int p, int l) {
    return books.iq2Xs[word(block, p, l) & 511];
  }
  static uint64_t changes(const SpreadCodebooks& books, const uint8_t* block, int p, int l) {
    return books.evenSigns[word(block, p, l) >> 9];
  }
};

template <>
struct IqBlock<Encoding::IQ2_S> : SignedLevels {
  static constexpr bool kFours = false;
  static constexpr bool kInBits = true;
  static constexpr int kGroups = 16;
  static float d(const uint8_t* block) { return loadHalf(block) * 0.125f; }
  static void scales(const uint8_t* block, int16_t* to) { nibbleScales(block + 74, to); }
  static uint64_t levels(const SpreadCodebooks& books, const uint8_t* block, int p, int l) {
    return books.iq2S[block[2 + 4 * p + l] | (block[66 + p] >> (2 * l) & 3) << 8];
  }
  static uint32_t bits(const uint8_t* block, int p) { return loadLE<uint32_t>(block + 34 + 4 * p); }
  static constexpr int bitAt(int l) { return 8 * l; }
  static uint64_t changes(const SpreadCodebooks& books, const uint8_t* block, int p, int l) {
    return books.signs[block[34 + 4 * p + l]];
  }
};

template <>
struct IqBlock<Encoding::IQ3_XXS> : SignedLevels {
  static constexpr bool kFours = true;
  static constexpr int kGroups = 8;
  static float d(const uint8_t* block) { return loadHalf(block) * 0.25f; }
  static uint32_t word(const uint8_t* block, int p) { return loadLE<uint32_t>(block + 66 + 4 * p); }
  static void scales(const uint8_t* block, int16_t* to) {
    for (int p = 0; p < kIqParts; ++p) {
      to[p] = static_cast<int16_t>(2 * (word(block, p) >> 28) + 1);
    }
  }
  static uint32_t four(const SpreadCodebooks& books, const uint8_t* block, int p, int i) {
    return books.iq3Xxs[block[2 + 8 * p + i]];
  }
  static uint64_t changes(const SpreadCodebooks& books, const uint8_t* block, int p, int l) {
    return books.evenSigns[word(block, p) >> (7 * l) & 127];
  }
};

template <>
struct IqBlock<Encoding::IQ3_S> : SignedLevels {
  static constexpr bool kFours = true;
  static constexpr bool kInBits = true;
  static constexpr int kGroups = 8;
  static float d(const uint8_t* block) { return loadHalf(block); }
  static void scales(const uint8_t* block, int16_t* to) {
    for (int p = 0; p < kIqParts; ++p) {
      to[p] = static_cast<int16_t>(2 * (block[106 + p / 2] >> (4 * (p % 2)) & 15) + 1);
    }
  }
  static uint32_t four(const SpreadCodebooks& books, const uint8_t* block, int p, int i) {
    return books.iq3S[block[2 + 8 * p + i] | (block[66 + p] >> i & 1) << 8];
  }
  static uint32_t bits(const uint8_t* block, int p) { return loadLE<uint32_t>(block + 74 + 4 * p); }
  static constexpr int bitAt(int l) { return 8 * l; }
  static uint64_t changes(const SpreadCodebooks& books, const uint8_t* block, int p, int l) {
    return books.signs[block[74 + 4 * p + l]];
  }
};

// Eight levels of each of two places: eight l of block a, and eight m of block b.
template <Encoding encoding>
inline SixteenCodes iqLevels(const SpreadCodebooks& books, int p, const uint8_t* a, int l,
                             const uint8_t* b, int m) {
  using Block = IqBlock<encoding>;
  if constexpr (Block::kFours) {
    return reinterpret_cast<SixteenCodes>(
        FourWords{Block::four(books, a, p, 2 * l), Block::four(books, a, p, 2 * l + 1),
                  Block::four(books, b, p, 2 * m), Block::four(books, b, p, 2 * m + 1)});
  } else {
    return reinterpret_cast<SixteenCodes>(
        TwoWords{Block::levels(books, a, p, l), Block::levels(books, b, p, m)});
  }
}

// Their values.
template <Encoding encoding>
inline SixteenCodes iqCodes(const SpreadCodebooks& books, int p, const uint8_t* a, int l,
                            const uint8_t* b, int m) {
  using Block = IqBlock<encoding>;
  const TwoWords changes = {Block::changes(books, a, p, l), Block::changes(books, b, p, m)};
  return Block::apply(iqLevels<encoding>(books, p, a, l, b, m),
                      reinterpret_cast<SixteenCodes>(changes));
}

template <Encoding encoding>
inline void unpackIq(const uint8_t* block, BlockParts& parts) {
  const SpreadCodebooks& books = spreadCodebooks();
  parts.d[0] = IqBlock<encoding>::d(block);
  parts.dmin = 0;
  IqBlock<encoding>::scales(block, parts.scales);
  std::memset(parts.mins, 0, sizeof parts.mins);
  for (int p = 0; p < kIqParts; ++p) {
    // Stored at the end, or everything would be read again after each store.
    const SixteenCodes codes[] = {iqCodes<encoding>(books, p, block, 0, block, 1),
                                  iqCodes<encoding>(books, p, block, 2, block, 3)};
    std::memcpy(parts.codes + 32 * p, codes, sizeof codes);
  }
}

}  // namespace packed
