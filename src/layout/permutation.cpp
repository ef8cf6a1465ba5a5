#include "layout/permutation.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "base/cache.h"
#include "base/checked.h"
#include "layout/permutation_tile.h"

namespace packed {
namespace {

constexpr uint64_t kCachedRows = 256 << 10;  // bytes of them, beside those they become

Error wrongSize(BlockGrid grid, uint32_t blockBytes, uint64_t slices, uint64_t actual) {
  const auto size = checkedProduct(grid.out, grid.blocksPerRow, blockBytes, slices);
  return refuse(ErrorCode::SIZE_MISMATCH, slices == 1 ? "a grid of " : joined(slices, " grids of "),
                grid.out, " x ", grid.blocksPerRow, " blocks of ", blockBytes,
                " bytes does not take ", actual, " bytes")
      .wanted(size ? joined(*size, " bytes") : "more than 64 bits", joined(actual, " bytes"));
}

bool fits(BlockGrid grid, uint32_t blockBytes, uint64_t slices, uint64_t size) {
  const auto wanted = checkedProduct(grid.out, grid.blocksPerRow, blockBytes, slices);
  return wanted && *wanted == size;
}

// Reorders one grid. Each cycle of the permutation is walked once: the block that belongs at
// `place` is fetched there, which frees its own place for the next one. `moved` has a zero bit per
// block, `held` room for one.
void walkCycles(BlockGrid grid, uint32_t blockBytes, uint8_t* bytes, BlockOrder from, BlockOrder to,
                uint8_t* moved, uint8_t* held) {
  // The grid is in memory, so its indices fit a machine word, whose division is several times as
  // fast. Along a line of `to` the source goes by the other order's step.
  const bool rows = to == BlockOrder::ROW_MAJOR;
  const auto line = static_cast<std::size_t>(rows ? grid.blocksPerRow : grid.out);
  const GridStrides source = stridesOf(from, grid);
  const auto alongLine = static_cast<std::size_t>(rows ? source.block : source.row);
  const auto toNextLine = static_cast<std::size_t>(rows ? source.row : source.block);
  const auto blocks = static_cast<std::size_t>(grid.out * grid.blocksPerRow);
  for (std::size_t start = 0; start < blocks; ++start) {
    if (moved[start / 8] >> (start % 8) & 1) continue;
    std::memcpy(held, bytes + start * blockBytes, blockBytes);
    std::size_t place = start;
    for (;;) {
      moved[place / 8] = static_cast<uint8_t>(moved[place / 8] | 1u << (place % 8));
      const std::size_t next = place / line * toNextLine + place % line * alongLine;
      if (next == start) break;
      copyBlock(bytes + place * blockBytes, bytes + next * blockBytes, blockBytes);
      place = next;
    }
    std::memcpy(bytes + place * blockBytes, held, blockBytes);
  }
}

// Rows whose blocks move together in place. They are brought into the order's small picture first,
// a few rows at a time; what is left are longer and so fewer moves across the whole grid, whose
// price is the caches that they miss.
uint64_t rowsTogether(BlockGrid grid) {
  for (uint64_t rows = std::min<uint64_t>(32, grid.out / 128); rows > 1; --rows) {
    if (grid.out % rows == 0) return rows;
  }
  return 1;
}

// Reorders each band of `rows` rows by itself, through `held`.
void permuteBands(BlockGrid grid, uint64_t rows, uint32_t blockBytes, uint8_t* bytes,
                  BlockOrder from, BlockOrder to, uint8_t* held) {
  const BlockGrid band = {rows, grid.blocksPerRow};
  const uint64_t size = rows * grid.blocksPerRow * blockBytes;
  for (uint64_t at = 0; rows > 1 && at < grid.out; at += rows, bytes += size) {
    std::memcpy(held, bytes, size);
    permuteBlocks(band, blockBytes, held, stridesOf(from, band), bytes, stridesOf(to, band));
  }
}

}  // namespace

uint64_t inPlaceScratchBytes(BlockGrid grid, uint32_t blockBytes) {
  const uint64_t rows = rowsTogether(grid);
  return grid.out / rows * grid.blocksPerRow / 8 + 1 +
         (rows > 1 ? rows * grid.blocksPerRow : 1) * blockBytes;
}

void permuteBlocks(BlockGrid grid, uint32_t blockBytes, const uint8_t* from,
                   GridStrides fromStrides, uint8_t* to, GridStrides toStrides) {
  // Tiles like one side to have the blocks of a row side by side; of a column will do as well.
  if (fromStrides.block != 1 && toStrides.block != 1) {
    std::swap(grid.out, grid.blocksPerRow);
    std::swap(fromStrides.row, fromStrides.block);
    std::swap(toStrides.row, toStrides.block);
  }
  const auto bytes = [&](uint64_t blocks) { return static_cast<std::size_t>(blocks * blockBytes); };
  const BandSteps fromSteps = {bytes(fromStrides.row), bytes(fromStrides.block)};
  const BandSteps toSteps = {bytes(toStrides.row), bytes(toStrides.block)};
  const PermutationTile tile = permutationTile(blockBytes, toSteps);
  const uint64_t rest = grid.blocksPerRow % tile.columns;
  const uint64_t rowBytes = bytes(grid.blocksPerRow);
  const bool bring = tile.bringsRows && !rowsAreNear(rowBytes);
  const uint64_t step = bring ? rowsInCache(kCachedRows, rowBytes, tile.rows) : tile.rows;
  for (uint64_t o = 0; o < grid.out; o += step) {
    const auto rows = static_cast<std::size_t>(std::min(step, grid.out - o));
    for (uint64_t r = o; bring && r < o + rows; ++r) {
      bringIntoCache(fromStrides.block == 1 ? from + bytes(fromStrides.at(r, 0))
                                            : to + bytes(toStrides.at(r, 0)),
                     rowBytes);
    }
    uint64_t b = 0;
    for (; b + rest < grid.blocksPerRow; b += tile.columns) {
      tile.copy(to + bytes(toStrides.at(o, b)), toSteps, from + bytes(fromStrides.at(o, b)),
                fromSteps, rows, blockBytes);
    }
    copyRest(to + bytes(toStrides.at(o, b)), toSteps, from + bytes(fromStrides.at(o, b)), fromSteps,
             rows, static_cast<std::size_t>(rest), blockBytes);
  }
}

Status permuteBlocksInPlace(BlockGrid grid, uint32_t blockBytes, MutableBytes bytes,
                            BlockOrder from, BlockOrder to, uint64_t slices) {
  if (!fits(grid, blockBytes, slices, bytes.size())) {
    return wrongSize(grid, blockBytes, slices, bytes.size());
  }
  if (from == to || ordersCoincide(grid)) return Done{};
  const uint64_t rows = rowsTogether(grid);
  const BlockGrid bands = {grid.out / rows, grid.blocksPerRow};
  const uint64_t scratchBytes = inPlaceScratchBytes(grid, blockBytes);
  const std::unique_ptr<uint8_t[]> scratch(new (std::nothrow)
                                               uint8_t[static_cast<std::size_t>(scratchBytes)]);
  if (!scratch) {
    return refuse(ErrorCode::OUT_OF_MEMORY, "no memory for the ", scratchBytes,
                  " bytes that an in-place relayout works in");
  }
  uint8_t* moved = scratch.get();
  const uint64_t bits = bands.out * bands.blocksPerRow / 8 + 1;
  const auto together = static_cast<uint32_t>(rows * blockBytes);
  const uint64_t size = grid.out * grid.blocksPerRow * blockBytes;
  for (uint64_t s = 0; s < slices; ++s) {
    uint8_t* slice = bytes.data() + s * size;
    std::memset(moved, 0, bits);
    if (to == BlockOrder::INPUT_BLOCK_MAJOR) {
      permuteBands(grid, rows, blockBytes, slice, from, to, moved + bits);
    }
    walkCycles(bands, together, slice, from, to, moved, moved + bits);
    if (to == BlockOrder::ROW_MAJOR) {
      permuteBands(grid, rows, blockBytes, slice, from, to, moved + bits);
    }
  }
  return Done{};
}

Result<StreamingPermutation> StreamingPermutation::start(BlockGrid grid, uint32_t blockBytes,
                                                         BlockOrder order, MutableBytes to) {
  if (!fits(grid, blockBytes, 1, to.size())) return wrongSize(grid, blockBytes, 1, to.size());
  if (blockBytes > sizeof(StreamingPermutation::partial_)) {
    return refuse(ErrorCode::INVALID_ARGUMENT, "blocks of ", blockBytes,
                  " bytes; no encoding has more than ", sizeof(StreamingPermutation::partial_));
  }
  StreamingPermutation stream;
  stream.grid_ = grid;
  stream.blockBytes_ = blockBytes;
  stream.order_ = order;
  stream.to_ = to;
  return stream;
}

void StreamingPermutation::place(uint64_t flat, uint64_t count, const uint8_t* blocks) {
  const GridStrides target = stridesOf(order_, grid_);
  const GridStrides source = stridesOf(BlockOrder::ROW_MAJOR, grid_);
  while (count > 0) {
    const BlockAt at = blockAt(BlockOrder::ROW_MAJOR, grid_, flat);
    // Whole rows go through the tiles together; the rest of a begun row goes alone.
    const bool rowStart = at.b == 0 && count >= grid_.blocksPerRow;
    const BlockGrid part = rowStart ? BlockGrid{count / grid_.blocksPerRow, grid_.blocksPerRow}
                                    : BlockGrid{1, std::min(count, grid_.blocksPerRow - at.b)};
    permuteBlocks(part, blockBytes_, blocks, source,
                  to_.data() + target.at(at.o, at.b) * blockBytes_, target);
    const uint64_t done = part.out * part.blocksPerRow;
    flat += done;
    count -= done;
    blocks += done * blockBytes_;
  }
}

Status StreamingPermutation::accept(Bytes window) {
  if (window.size() > to_.size() - received_) {
    return wrongSize(grid_, blockBytes_, 1, received_ + window.size());
  }
  if (window.empty()) return Done{};
  const uint64_t pending = received_ % blockBytes_;
  if (pending != 0) {
    const uint64_t missing = std::min<uint64_t>(blockBytes_ - pending, window.size());
    std::memcpy(partial_ + pending, window.data(), missing);
    received_ += missing;
    window = window.subspan(missing);
    if (received_ % blockBytes_ != 0) return Done{};
    place(received_ / blockBytes_ - 1, 1, partial_);
  }
  const uint64_t whole = window.size() / blockBytes_;
  place(received_ / blockBytes_, whole, window.data());
  const Bytes rest = window.subspan(whole * blockBytes_);
  if (!rest.empty()) std::memcpy(partial_, rest.data(), rest.size());
  received_ += window.size();
  return Done{};
}

Status StreamingPermutation::finish() const {
  if (received_ == to_.size()) return Done{};
  return refuse(ErrorCode::SIZE_MISMATCH, "the rows end ", to_.size() - received_,
                " bytes early: ", received_, " of ", to_.size(), " bytes arrived")
      .wanted(joined(to_.size(), " bytes"), joined(received_, " bytes"));
}

}  // namespace packed
