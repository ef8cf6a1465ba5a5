#include "layout/permutation_tile.h"

#include <cstring>
#include <iterator>

#include "base/loops.h"
#include "layout/joined_blocks.h"

namespace packed {
namespace {

constexpr std::size_t kAtOnce = 4;  // blocks that come to lie side by side

inline void copyRegister(uint8_t* to, const uint8_t* from) {
  const Register bytes = loadRegister(from);
  std::memcpy(to, &bytes, sizeof bytes);
}

template <std::size_t size, std::size_t count, std::size_t... i>
inline void join(uint8_t* to, const uint8_t* from, std::size_t step, std::index_sequence<i...>) {
  using Joined = JoinedBlocks<size, count>;
  const auto put = [to](std::size_t start, Register bytes) __attribute__((always_inline)) {
    std::memcpy(to + start, &bytes, sizeof bytes);
  };
  (put(Joined::startOf(i), Joined::template at<i>(from, step)), ...);
}

// Rows whose blocks come to lie side by side.
template <std::size_t size, std::size_t columns>
void joinRows(uint8_t* to, BandSteps toSteps, const uint8_t* from, BandSteps fromSteps,
              std::size_t rows, std::size_t) {
  for (; rows > 0; --rows, to += toSteps.row, from += fromSteps.row) {
    join<size, columns>(to, from, fromSteps.block, typename JoinedBlocks<size, columns>::Every{});
  }
}

// Columns whose blocks come to lie side by side: a few rows of each at once.
template <std::size_t size, std::size_t columns>
void joinColumns(uint8_t* to, BandSteps toSteps, const uint8_t* from, BandSteps fromSteps,
                 std::size_t rows, std::size_t blockBytes) {
  for (; rows >= kAtOnce; rows -= kAtOnce) {
    PACKED_ROLLED
    for (std::size_t c = 0; c < columns; ++c) {
      join<size, kAtOnce>(to + c * toSteps.block, from + c * fromSteps.block, fromSteps.row,
                          typename JoinedBlocks<size, kAtOnce>::Every{});
    }
    to += kAtOnce * size;
    from += kAtOnce * fromSteps.row;
  }
  copyRest(to, toSteps, from, fromSteps, rows, columns, blockBytes);
}

// Blocks of any size that takes so many moves, row by row.
template <std::size_t moves>
void moveRows(uint8_t* to, BandSteps toSteps, const uint8_t* from, BandSteps fromSteps,
              std::size_t rows, std::size_t blockBytes) {
  const std::size_t last = blockBytes - kRegister;
  for (; rows > 0; --rows, to += toSteps.row, from += fromSteps.row) {
    uint8_t* t = to;
    const uint8_t* f = from;
    PACKED_UNROLL
    for (std::size_t n = 0; n < kAtOnce; ++n, t += toSteps.block, f += fromSteps.block) {
      PACKED_UNROLL
      for (std::size_t i = 0; i + 1 < moves; ++i) {
        copyRegister(t + i * kRegister, f + i * kRegister);
      }
      copyRegister(t + last, f + last);
    }
  }
}

void copyEach(uint8_t* to, BandSteps toSteps, const uint8_t* from, BandSteps fromSteps,
              std::size_t rows, std::size_t blockBytes) {
  copyRest(to, toSteps, from, fromSteps, rows, 1, blockBytes);
}

struct Joined {
  uint32_t size;
  PermutationTile toRows, toColumns;
};

template <std::size_t size>
constexpr Joined joined() {
  // Small blocks need many columns, or each would wait for memory.
  if constexpr (size < 48) {
    return {size, {8, &joinRows<size, 8>, true}, {8, &joinColumns<size, 8>, true}};
  } else {
    static_assert(kAtOnce == 4);
    return {size,
            {4, &joinRows<size, 4>},
            {4, &joinColumns<size, 4>, false, &moveRows<registersOf(size)>}};
  }
}

// Sizes whose seams are worth code of their own.
constexpr Joined kJoined[] = {joined<17>(), joined<18>(), joined<20>(), joined<22>(),
                              joined<24>(), joined<34>(), joined<36>(), joined<210>()};

template <std::size_t moves>
constexpr BandCopy kMoves = &moveRows<moves>;
// By moves; null where no encoding has blocks of so many.
constexpr BandCopy kLargeBlocks[] = {nullptr,   nullptr,    nullptr,   nullptr, kMoves<4>,
                                     kMoves<5>, kMoves<6>,  kMoves<7>, nullptr, kMoves<9>,
                                     nullptr,   kMoves<11>, nullptr,   nullptr, kMoves<14>,
                                     nullptr,   nullptr,    nullptr,   nullptr, kMoves<19>};

// Large blocks of columns that come to lie side by side: four of each, one after the other.
void moveColumns(uint8_t* to, BandSteps toSteps, const uint8_t* from, BandSteps fromSteps,
                 std::size_t rows, std::size_t blockBytes) {
  const BandCopy move = kLargeBlocks[registersOf(blockBytes)];
  for (; rows >= kAtOnce; rows -= kAtOnce) {
    move(to, {toSteps.block, toSteps.row}, from, {fromSteps.block, fromSteps.row}, kAtOnce,
         blockBytes);
    to += kAtOnce * toSteps.row;
    from += kAtOnce * fromSteps.row;
  }
  copyRest(to, toSteps, from, fromSteps, rows, kAtOnce, blockBytes);
}

}  // namespace

// 16-byte moves, the last overlapping the one before: a call to memcpy costs more than the copy.
void copyBlock(uint8_t* to, const uint8_t* from, std::size_t size) {
  if (size < kRegister) {
    std::memcpy(to, from, size);
    return;
  }
  for (std::size_t i = 0; i + kRegister < size; i += kRegister) copyRegister(to + i, from + i);
  copyRegister(to + size - kRegister, from + size - kRegister);
}

void copyRest(uint8_t* to, BandSteps toSteps, const uint8_t* from, BandSteps fromSteps,
              std::size_t rows, std::size_t columns, std::size_t blockBytes) {
  for (std::size_t c = 0; c < columns; ++c, to += toSteps.block, from += fromSteps.block) {
    for (std::size_t r = 0; r < rows; ++r) {
      copyBlock(to + r * toSteps.row, from + r * fromSteps.row, blockBytes);
    }
  }
}

PermutationTile permutationTile(uint32_t blockBytes, BandSteps toSteps) {
  for (const Joined& joined : kJoined) {
    if (joined.size != blockBytes) continue;
    if (toSteps.block == blockBytes) return joined.toRows;
    if (toSteps.row == blockBytes) return joined.toColumns;
  }
  const std::size_t moves = registersOf(blockBytes);
  if (moves < std::size(kLargeBlocks) && kLargeBlocks[moves]) {
    if (toSteps.row != blockBytes) return {kAtOnce, kLargeBlocks[moves]};
    return {kAtOnce, &moveColumns, false, kLargeBlocks[moves]};
  }
  return {1, &copyEach};
}

}  // namespace packed
