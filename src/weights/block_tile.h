// The inner loop of comparing weights in different orders: a few columns of blocks, rows after
// rows. Of small blocks, the side whose rows have their blocks side by side is read as it lies, the
// other joined to it (layout/joined_blocks.h): it is loads that machines run out of.
#pragma once

#include <cstddef>
#include <cstdint>

namespace packed {

// Bytes from one row to the next and from one block of a row to the next.
struct TileSide {
  const uint8_t* at;
  std::size_t row, block;
};

// Whether rows x blocks pairs of blocks are equal; blocks are side by side in the rows of `along`.
using SameTile = bool (*)(TileSide along, TileSide other, std::size_t rows, std::size_t blocks);

// For one size of block: null where no encoding has it or it is shorter than a register.
SameTile sameTileFor(uint32_t blockBytes);

}  // namespace packed
