#include "layout/permutation_tile.h"

#include <cstring>
#include <type_traits>

#include "base/bits.h"

#if defined(__clang__)
#define PACKED_LOOP_UNROLLED _Pragma("clang loop unroll(full)")
#else
#define PACKED_LOOP_UNROLLED
#endif

namespace packed {
namespace {

#if defined(__GNUC__)
// Sixteen bytes as one vector; std::memcpy alone may become two moves of eight.
using Sixteen = uint8_t __attribute__((vector_size(16)));
#else
struct Sixteen {
  uint8_t at[16];
};
#endif

template <class Word>
inline void copyWord(uint8_t* to, const uint8_t* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  std::memcpy(to, &word, sizeof word);
}

// Blocks are 17 to 292 bytes, and a call to memcpy for each costs more than the copy: 16-byte
// moves, the last move overlapping the one before.
struct AnySize {
  static constexpr std::size_t kBytes = 0;
  static void copy(uint8_t* to, const uint8_t* from, std::size_t size) {
    if (size < 16) {
      std::memcpy(to, from, size);
      return;
    }
    for (std::size_t i = 0; i + 16 < size; i += 16) copyWord<Sixteen>(to + i, from + i);
    copyWord<Sixteen>(to + size - 16, from + size - 16);
  }
};

template <std::size_t moves>
struct Moves {
  static constexpr std::size_t kBytes = 0;
  static void copy(uint8_t* to, const uint8_t* from, std::size_t size) {
    PACKED_LOOP_UNROLLED
    for (std::size_t i = 0; i + 1 < moves; ++i) copyWord<Sixteen>(to + 16 * i, from + 16 * i);
    copyWord<Sixteen>(to + size - 16, from + size - 16);
  }
};

// A size that is a constant saves short blocks a third of the time.
template <std::size_t bytes>
struct Exactly {
  static constexpr std::size_t kBytes = bytes;
  static void copy(uint8_t* to, const uint8_t* from, std::size_t) {
    using Tail = std::conditional_t<(bytes % 16 <= 8), WordFor<bytes % 16>, Sixteen>;
    PACKED_LOOP_UNROLLED
    for (std::size_t i = 0; i + 16 <= bytes; i += 16) copyWord<Sixteen>(to + i, from + i);
    if constexpr (bytes % 16 > 0) {
      copyWord<Tail>(to + bytes - sizeof(Tail), from + bytes - sizeof(Tail));
    }
  }
};

// Which side of a band is known to have the blocks of a row side by side: one pointer does there.
enum class SideBySide { NEITHER, FROM, TO };

template <class Block, std::size_t columns, SideBySide beside>
void copyBand(uint8_t* to, BandSteps toSteps, const uint8_t* from, BandSteps fromSteps,
              std::size_t rows, std::size_t blockBytes) {
  constexpr std::size_t kTo = beside == SideBySide::TO ? 1 : columns;
  constexpr std::size_t kFrom = beside == SideBySide::FROM ? 1 : columns;
  const std::size_t size = Block::kBytes > 0 ? Block::kBytes : blockBytes;
  uint8_t* toColumn[kTo];
  const uint8_t* fromColumn[kFrom];
  for (std::size_t c = 0; c < kTo; ++c) toColumn[c] = to + c * toSteps.block;
  for (std::size_t c = 0; c < kFrom; ++c) fromColumn[c] = from + c * fromSteps.block;
  for (; rows > 0; --rows) {
    PACKED_LOOP_UNROLLED
    for (std::size_t c = 0; c < columns; ++c) {
      Block::copy(kTo == 1 ? toColumn[0] + c * size : toColumn[c],
                  kFrom == 1 ? fromColumn[0] + c * size : fromColumn[c], size);
      if (c < kTo) toColumn[c] += kTo == 1 ? 0 : toSteps.row;
      if (c < kFrom) fromColumn[c] += kFrom == 1 ? 0 : fromSteps.row;
    }
    if (kTo == 1) toColumn[0] += toSteps.row;
    if (kFrom == 1) fromColumn[0] += fromSteps.row;
  }
}

constexpr uint64_t kRows = 1024;
constexpr PermutationTile kAnyTile = {kRows, 2, false, &copyBand<AnySize, 2, SideBySide::NEITHER>};

template <std::size_t bytes>
PermutationTile tileOf(SideBySide beside) {
  using Block = Exactly<bytes>;
  switch (beside) {
    case SideBySide::NEITHER:
      return kAnyTile;
    case SideBySide::TO:
      return {kRows, 8, true, &copyBand<Block, 8, SideBySide::TO>};
    case SideBySide::FROM:
      return {kRows, 8, true, &copyBand<Block, 8, SideBySide::FROM>};
  }
  return kAnyTile;
}

// Sizes and numbers of moves that encodings have, as far as they are worth code of their own.
PermutationTile tileFor(uint32_t size, SideBySide beside) {
  switch (size) {
    case 17:
      return tileOf<17>(beside);
    case 18:
      return tileOf<18>(beside);
    case 20:
      return tileOf<20>(beside);
    case 22:
      return tileOf<22>(beside);
    case 24:
      return tileOf<24>(beside);
    case 34:
      return tileOf<34>(beside);
    case 36:
      return tileOf<36>(beside);
  }
  switch ((size + 15) / 16) {
#define MOVES(moves) \
  case moves:        \
    return {kRows, 4, false, &copyBand<Moves<moves>, 4, SideBySide::NEITHER>};
    MOVES(4)
    MOVES(5)
    MOVES(6)
    MOVES(7)
    MOVES(9)
    MOVES(11)
    MOVES(14)
    MOVES(19)
#undef MOVES
  }
  return kAnyTile;
}

}  // namespace

void copyBlock(uint8_t* to, const uint8_t* from, std::size_t size) {
  AnySize::copy(to, from, size);
}

void copyRest(uint8_t* to, BandSteps toSteps, const uint8_t* from, BandSteps fromSteps,
              std::size_t rows, std::size_t columns, std::size_t blockBytes) {
  for (; columns > 0; --columns, to += toSteps.block, from += fromSteps.block) {
    copyBand<AnySize, 1, SideBySide::NEITHER>(to, toSteps, from, fromSteps, rows, blockBytes);
  }
}

PermutationTile permutationTile(uint32_t blockBytes, BandSteps toSteps, BandSteps fromSteps) {
  return tileFor(blockBytes, fromSteps.block == blockBytes ? SideBySide::FROM
                             : toSteps.block == blockBytes ? SideBySide::TO
                                                           : SideBySide::NEITHER);
}

}  // namespace packed
