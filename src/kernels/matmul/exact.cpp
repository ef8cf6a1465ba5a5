#include "kernels/matmul/exact.h"

#if defined(PACKED_SIMD)

#include <algorithm>
#include <cstring>

#include "encoding/codec.h"
#include "kernels/matmul/exact_rows.h"

namespace packed {
namespace {

// Rows of a row-major weight that pass by one block of x: few enough to stay in the second-level
// cache from one block to the next.
constexpr uint64_t kTileRows = RowCodes::kRows;

// More in kernel order, as long as y stays in the first-level cache: their blocks lie side by side,
// while the next block of a row is often whole pages away.
uint64_t tileRows(uint64_t columns) {
  constexpr uint64_t kResults = 4096;
  return std::max(kTileRows, kResults / std::max<uint64_t>(1, columns) / 8 * 8);
}

// Blocks first..first + count - 1 of one row.
void decodeRow(const MatmulCall& call, const EncodingSpec& spec, uint64_t o, uint64_t first,
               uint64_t count, float* to) {
  if (call.strides.block == 1) {
    return decodeBlocks(spec.encoding, call.blocks + call.strides.at(o, first) * spec.bytes, count,
                        to);
  }
  for (uint64_t i = 0; i < count; ++i) {
    const uint8_t* block = call.blocks + call.strides.at(o, first + i) * spec.bytes;
    decodeBlocks(spec.encoding, block, 1, to + i * spec.elements);
  }
}

// One block of some rows, or a chunk of plain values, times all columns.
struct Part {
  uint64_t o, rows, first, count;  // rows; blocks of each
  const float* x;
  float* y;
  std::size_t yStride;
};

void multiplyCodes(const CodesFormat& format, const MatmulCall& call, const Part& part,
                   RowCodes& codes, float* w) {
  const EncodingSpec& spec = specOf(format.encoding);
  const uint64_t together = format.rowsTogether();
  for (uint64_t r = 0, rows = 0; r < part.rows; r += rows) {
    rows = rowsInFours(part.rows - r, together);
    const uint8_t* blocks = call.blocks + call.strides.at(part.o + r, part.first) * spec.bytes;
    format.decode({blocks, rows, 1, call.strides.row * spec.bytes, 0}, 0, codes);
    float* y = part.y + r;
    if (call.columns == 1) {
      const auto multiply = format.minimum ? &multiplySingle<true> : &multiplySingle<false>;
      multiply(format, codes, rows, part.x, y);
      continue;
    }
    const auto expand = format.minimum ? &expandFour<true> : &expandFour<false>;
    for (uint64_t row = 0; row < rows; row += 4) {
      expand(format, codes, row, w);
      multiplyColumns<true>(w, format.elements, part.x, static_cast<std::size_t>(call.inputDim),
                            call.columns, y + row, part.yStride);
    }
  }
}

void multiplyDecoded(Encoding encoding, const MatmulCall& call, const Part& part, float* w) {
  const EncodingSpec& spec = specOf(encoding);
  const uint64_t values = part.count * spec.elements;
  const auto multiply = values % 4 == 0 ? &multiplyColumns<false> : &multiplyShort;
  for (uint64_t r = 0; r < part.rows; r += 4) {
    for (uint64_t i = 0; i < 4; ++i) {
      const uint64_t o = part.o + std::min(r + i, part.rows - 1);
      decodeRow(call, spec, o, part.first, part.count, w + i * values);
    }
    multiply(w, static_cast<std::size_t>(values), part.x, static_cast<std::size_t>(call.inputDim),
             call.columns, part.y + r, part.yStride);
  }
}

PACKED_SMALL void multiplyDecodedSideBySide(Encoding encoding, const MatmulCall& call,
                                            const Part& part, float* w) {
  constexpr uint64_t kRows = 4 * kMaxBlockElements / kPlainChunk;
  const uint64_t bytes = specOf(encoding).bytes;
  for (uint64_t r = 0; r < part.rows; r += kRows) {
    const uint64_t rows = std::min(kRows, part.rows - r);
    for (uint64_t i = 0; i < part.count; ++i) {
      float* to = w + i * kRows;
      const uint64_t place = call.strides.at(part.o + r, part.first + i);
      decodeBlocks(encoding, call.blocks + place * bytes, rows, to);
      std::fill(to + rows, to + (rows + 7) / 8 * 8, 0.0f);
    }
    for (uint64_t c = 0; c < call.columns; ++c) {
      multiplySideBySide(w, kRows, rows, static_cast<std::size_t>(part.count),
                         part.x + c * call.inputDim, part.y + c * part.yStride + r);
    }
  }
}

}  // namespace

uint64_t exactWorkspace(const MatmulShape& shape) {
  return shape.columns * tileRows(shape.columns) * sizeof(float);
}

void runExact(const CodesFormat& format, const MatmulCall& call) {
  const EncodingSpec& spec = specOf(format.encoding);
  const uint64_t out = call.grid.out;
  const uint64_t blocks = call.grid.blocksPerRow;
  if (out == 0 || call.columns == 0) return;
  const uint64_t chunk = spec.blocked() ? 1 : kPlainChunk / spec.elements;
  const bool sideBySide = call.strides.row < call.strides.block;
  const bool plainSideBySide = sideBySide && !spec.blocked() && call.strides.row == 1;
  const uint64_t tile = sideBySide ? tileRows(call.columns) : kTileRows;
  auto* y = reinterpret_cast<float*>(call.workspace);
  alignas(16) float w[4 * kMaxBlockElements];
  alignas(16) RowCodes codes;
  for (uint64_t o = 0; o < out; o += tile) {
    const uint64_t rows = std::min(tile, out - o);
    std::fill_n(y, call.columns * tile, 0.0f);
    if (!sideBySide && call.strides.block == 1 && format.decode) {
      bringRows({call.blocks + call.strides.at(o, 0) * spec.bytes, rows, blocks,
                 call.strides.row * spec.bytes, call.strides.block * spec.bytes});
    }
    for (uint64_t first = 0; first < blocks; first += chunk) {
      const Part part = {o,
                         rows,
                         first,
                         std::min(chunk, blocks - first),
                         call.x + first * spec.elements,
                         y,
                         static_cast<std::size_t>(tile)};
      if (format.decode) {
        multiplyCodes(format, call, part, codes, w);
      } else if (plainSideBySide) {
        multiplyDecodedSideBySide(format.encoding, call, part, w);
      } else {
        multiplyDecoded(format.encoding, call, part, w);
      }
    }
    for (uint64_t c = 0; c < call.columns; ++c) {
      std::memcpy(call.y + c * out + o, y + c * tile,
                  static_cast<std::size_t>(rows * sizeof(float)));
    }
  }
}

}  // namespace packed

#endif  // PACKED_SIMD
