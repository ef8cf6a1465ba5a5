// A grid of any size of any blocks: out of place, in place and in windows the relayout puts block
// (o, b) where the two formulas say, and there and back is the same bytes.
#include <algorithm>
#include <cstring>

#include "fuzz/fuzz_input.h"
#include "layout/permutation.h"
#include "tensor/prepack.h"
#include "tensor/prepack_stream.h"
#include "weights/packed_weights.h"

using namespace packed;
using packed::fuzz::FuzzInput;

namespace {

constexpr BlockOrder kRows = BlockOrder::ROW_MAJOR;
constexpr BlockOrder kKernel = BlockOrder::INPUT_BLOCK_MAJOR;

// As somebody would write it down who knows only the picture of the grid.
std::vector<uint8_t> expected(Bytes rows, BlockGrid grid, uint64_t slices, uint32_t blockBytes) {
  std::vector<uint8_t> made;
  for (uint64_t slice = 0; slice < slices; ++slice) {
    for (uint64_t b = 0; b < grid.blocksPerRow; ++b) {
      for (uint64_t o = 0; o < grid.out; ++o) {
        const uint64_t at = (slice * grid.out + o) * grid.blocksPerRow + b;
        const Bytes block = rows.subspan(at * blockBytes, blockBytes);
        made.insert(made.end(), block.begin(), block.end());
      }
    }
  }
  return made;
}

bool equal(Bytes a, Bytes b) { return std::ranges::equal(a, b); }

void ofOneGrid(Encoding encoding, BlockGrid grid, const std::vector<uint8_t>& rows,
               const std::vector<uint8_t>& kernel, uint64_t window) {
  const uint32_t blockBytes = specOf(encoding).bytes;
  std::vector<uint8_t> to(rows.size());
  FUZZ_CLAIM(relayout(encoding, grid, kRows, rows, kKernel, to).ok());
  FUZZ_CLAIM(equal(to, kernel));
  FUZZ_CLAIM(relayout(encoding, grid, kKernel, to, kRows, to).ok());  // in place
  FUZZ_CLAIM(equal(to, rows));

  std::ranges::fill(to, uint8_t{0xee});
  auto stream = StreamingPermutation::start(grid, blockBytes, kKernel, to);
  FUZZ_CLAIM(stream.ok());
  for (uint64_t at = 0; at < rows.size(); at += window) {
    FUZZ_CLAIM(!stream->finish().ok());
    const Bytes part = Bytes(rows).subspan(at, std::min(window, rows.size() - at));
    FUZZ_CLAIM(stream->accept(std::vector<uint8_t>(part.begin(), part.end())).ok());
  }
  FUZZ_CLAIM(stream->finish().ok() && equal(to, kernel));
  FUZZ_CLAIM(!stream->accept(Bytes(rows).first(1)).ok());

  const auto packed = PackedBytes::of(rows, encoding, grid.out,
                                      grid.blocksPerRow * specOf(encoding).elements, kRows);
  if (!packed) return;  // labels that only make sense the other way round
  const auto once = toKernelOrder(*packed);
  FUZZ_CLAIM(once.ok() && equal(once->bytes(), kernel));
  const auto twice = toKernelOrder(*once);
  FUZZ_CLAIM(twice.ok() && twice->bytes().data() == once->bytes().data());
  const auto back = toCanonicalOrder(*twice);
  FUZZ_CLAIM(back.ok() && equal(back->bytes(), rows));
}

void ofStack(Encoding encoding, BlockGrid grid, uint64_t slices, const std::vector<uint8_t>& rows,
             const std::vector<uint8_t>& kernel, uint64_t window) {
  std::vector<uint8_t> bytes = rows;
  const uint32_t blockBytes = specOf(encoding).bytes;
  FUZZ_CLAIM(permuteBlocksInPlace(grid, blockBytes, bytes, kRows, kKernel, slices).ok());
  FUZZ_CLAIM(equal(bytes, kernel));

  Scope scope("fuzz");
  const uint64_t shape[] = {slices, grid.out, grid.blocksPerRow * specOf(encoding).elements};
  auto stream = PrepackStream::start(encoding, shape, kKernel, scope, nullptr);
  FUZZ_CLAIM(stream.ok() && stream->size() == rows.size());
  for (uint64_t at = 0; at < rows.size(); at += window) {
    FUZZ_CLAIM(stream->accept(Bytes(rows).subspan(at, std::min(window, rows.size() - at))).ok());
  }
  const auto view = stream->finish();
  FUZZ_CLAIM(view.ok() && equal(*view->storageBytes(), kernel));
  const auto canonical = prepack(*view, kRows, scope, nullptr);
  FUZZ_CLAIM(canonical.ok() && equal(*canonical->storageBytes(), rows));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  FuzzInput input(data, size);
  const Encoding encoding = input.blockedEncoding();
  const BlockGrid grid = {input.between(1, 70), input.between(1, 20)};
  const uint64_t slices = input.between(1, 3);
  const uint64_t chosen = 1 + input.below(256) * input.below(256);
  const uint32_t blockBytes = specOf(encoding).bytes;
  const auto rows = input.content(slices * grid.out * grid.blocksPerRow * blockBytes);
  const auto kernel = expected(rows, grid, slices, blockBytes);
  const uint64_t window =
      std::max(chosen, rows.size() / 1000 + 1);  // a grid has a thousand at most
  if (slices == 1) ofOneGrid(encoding, grid, rows, kernel, window);
  ofStack(encoding, grid, slices, rows, kernel, window);
  return 0;
}
