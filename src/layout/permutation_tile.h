// The inner loop of the permutation: a band of a few columns, rows after rows.
//
// How many columns are walked side by side is measured. Where one side has the blocks of a row side
// by side, the others are streams of their own: few enough that their lines, 4096 bytes apart in
// large weights and so of one set of the first-level cache, stay there; enough that a line of the
// row is used up while it is there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace packed {

// From one row to the next and from one block of a row to the next, in bytes.
struct BandSteps {
  std::size_t row, block;
};

struct PermutationTile {
  uint64_t rows;     // that a band is walked at most before the next one
  uint64_t columns;  // of a band
  bool bringsRows;   // whether rows side by side are to come into the cache before a band starts
  // Copies `rows` rows of a band.
  void (*copy)(uint8_t* to, BandSteps toSteps, const uint8_t* from, BandSteps fromSteps,
               std::size_t rows, std::size_t blockBytes);
};

// The tile that suits blocks of one size between these steps.
PermutationTile permutationTile(uint32_t blockBytes, BandSteps toSteps, BandSteps fromSteps);

// Any grid, block by block: what is left at the side of the last whole band.
void copyRest(uint8_t* to, BandSteps toSteps, const uint8_t* from, BandSteps fromSteps,
              std::size_t rows, std::size_t columns, std::size_t blockBytes);

// Copies one block.
void copyBlock(uint8_t* to, const uint8_t* from, std::size_t size);

}  // namespace packed
