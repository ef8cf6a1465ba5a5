// The inner loop of the permutation: a band of a few columns, rows after rows.
//
// Wherever blocks come to lie side by side, in rows or in columns, they are written in whole
// registers (joined_blocks.h). How many columns a band has is measured: few enough that their
// lines, 4096 bytes apart in large weights and so of one set of the first-level cache, stay there;
// enough that a line of the row is used up while it is there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace packed {

// From one row to the next and from one block of a row to the next, in bytes.
struct BandSteps {
  std::size_t row, block;
};

// Copies `rows` rows of a band.
using BandCopy = void (*)(uint8_t* to, BandSteps toSteps, const uint8_t* from, BandSteps fromSteps,
                          std::size_t rows, std::size_t blockBytes);

struct PermutationTile {
  uint64_t columns;  // of a band
  BandCopy copy;
  // Another way that is the faster one on some machines: rows side by side come into the caches
  // before a band; or a copy of a band that takes another way through it.
  bool mayBringRows = false;
  BandCopy otherCopy = nullptr;
};

// The tile that suits blocks of one size, by where they go.
PermutationTile permutationTile(uint32_t blockBytes, BandSteps toSteps);

// Any grid, block by block: what is left at the side of the last whole band.
[[gnu::noinline]] void copyRest(uint8_t* to, BandSteps toSteps, const uint8_t* from,
                                BandSteps fromSteps, std::size_t rows, std::size_t columns,
                                std::size_t blockBytes);

// Copies one block.
void copyBlock(uint8_t* to, const uint8_t* from, std::size_t size);

}  // namespace packed
