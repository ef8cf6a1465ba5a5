#include "support/mistakes.h"

#include <algorithm>
#include <cstring>

#include "base/half.h"
#include "encoding/block_anatomy.h"

namespace packed::mistakes {
namespace {

using Buffer = std::vector<uint8_t>;
using Kind = DiagnosisKind;

uint8_t noise(uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<uint8_t>(state >> 56);
}

void fillBlock(Encoding encoding, uint8_t* block, uint64_t& state) {
  const EncodingSpec& spec = specOf(encoding);
  for (uint32_t i = 0; i < spec.bytes; ++i) block[i] = noise(state);
  for (const BlockField& field : anatomyOf(encoding)) {
    for (uint32_t i = 0; i < field.count; ++i) {
      uint8_t* at = block + field.offset + i * sizeOf(field.type);
      const float scale = static_cast<float>(noise(state) * 256 + noise(state) + 1) / 65536;
      if (field.type == FieldType::F16) storeHalf(at, scale);
      if (field.type == FieldType::F32) storeLE<float>(at, scale);
      if (field.type == FieldType::E8M0) *at = static_cast<uint8_t>(100 + noise(state) % 40);
      if (field.type == FieldType::UE4M3) *at = static_cast<uint8_t>(1 + noise(state) % 120);
    }
  }
}

// Blocks placed by a function: the block for (o, b) of the weight goes to place(o, b).
template <class Place>
Buffer placed(const Weight& w, Place place) {
  Buffer to(w.bytes.size());
  for (uint64_t o = 0; o < w.grid.out; ++o) {
    for (uint64_t b = 0; b < w.grid.blocksPerRow; ++b) {
      std::memcpy(to.data() + place(o, b) * w.blockBytes(), w.block(o, b), w.blockBytes());
    }
  }
  return to;
}

// The relayout as it is meant, for any grid that has as many blocks.
Buffer relaid(const Weight& w, const Buffer& bytes, uint64_t rows, uint64_t columns) {
  Weight turned{w.encoding, {rows, columns}, bytes};
  return placed(turned, [=](uint64_t o, uint64_t b) { return b * rows + o; });
}

Buffer cut(Buffer bytes, uint64_t from, uint64_t size) {
  Buffer part(bytes.begin() + static_cast<std::ptrdiff_t>(std::min<uint64_t>(from, bytes.size())),
              bytes.end());
  part.resize(std::min<uint64_t>(part.size(), size));
  return part;
}

Buffer dropped(const Weight& w, BlockOrder order, uint64_t bytes, bool keepSize) {
  Buffer right = inOrder(w, order);
  if (bytes * 2 > right.size() || bytes == 0) return {};
  Buffer part = cut(right, bytes, right.size());
  if (keepSize) part.resize(right.size(), 0xEE);
  return part;
}

Buffer withHeader(const Weight& w, BlockOrder order, uint64_t size, bool keepSize) {
  const Buffer right = inOrder(w, order);
  if (size * 2 > right.size()) return {};
  Buffer longer(size);
  uint64_t state = 99;
  for (uint8_t& byte : longer) byte = noise(state);
  longer.insert(longer.end(), right.begin(), right.end());
  if (keepSize) longer.resize(right.size());
  return longer;
}

Buffer rotated(const Weight& w, BlockOrder order, uint64_t bytes) {
  Buffer right = inOrder(w, order);
  if (bytes == 0 || bytes >= right.size()) return {};
  std::rotate(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(bytes), right.end());
  return right;
}

Buffer strided(const Weight& w, BlockOrder order, int64_t padding, bool keepSize) {
  const Buffer right = inOrder(w, order);
  const bool rows = order == BlockOrder::ROW_MAJOR;
  const uint64_t lines = rows ? w.grid.out : w.grid.blocksPerRow;
  const auto length = static_cast<int64_t>(right.size() / lines);
  if (length + padding <= 0 || (keepSize && lines < 2)) return {};
  Buffer to;
  for (uint64_t line = 0; line < lines; ++line) {
    const auto start = right.begin() + static_cast<std::ptrdiff_t>(line) * length;
    to.insert(to.end(), start, start + std::min(length, length + padding));
    if (padding > 0) to.insert(to.end(), static_cast<std::size_t>(padding), 0);
  }
  if (keepSize) to.resize(right.size());
  return to;
}

template <class From>
Buffer rowsFrom(const Weight& w, BlockOrder order, From from) {
  Weight moved = w;
  for (uint64_t o = 0; o < w.grid.out; ++o) {
    std::memcpy(moved.bytes.data() + o * w.grid.blocksPerRow * w.blockBytes(), w.block(from(o), 0),
                w.grid.blocksPerRow * w.blockBytes());
  }
  return inOrder(moved, order);
}

void addArrangements(std::vector<Mistake>& to) {
  to.push_back({"the other order", Kind::OTHER_ORDER, [](const Weight& w, BlockOrder order) {
                  return inOrder(w, order == BlockOrder::ROW_MAJOR ? BlockOrder::INPUT_BLOCK_MAJOR
                                                                   : BlockOrder::ROW_MAJOR);
                }});
  to.push_back({"prepacked twice", Kind::PREPACKED_TWICE, [](const Weight& w, BlockOrder) {
                  const Buffer once = relaid(w, w.bytes, w.grid.out, w.grid.blocksPerRow);
                  return relaid(w, once, w.grid.out, w.grid.blocksPerRow);
                }});
  to.push_back({"label swapped in blocks", Kind::SWAPPED_LABEL, [](const Weight& w, BlockOrder) {
                  return relaid(w, w.bytes, w.grid.blocksPerRow, w.grid.out);
                }});
  to.push_back({"label swapped in values", Kind::SWAPPED_LABEL, [](const Weight& w, BlockOrder) {
                  const uint64_t elements = specOf(w.encoding).elements;
                  const bool square = w.grid.out == w.grid.blocksPerRow * elements;
                  if (w.grid.out % elements != 0 || square) return Buffer();
                  return relaid(w, w.bytes, w.grid.blocksPerRow * elements, w.grid.out / elements);
                }});
}

void addDisplacements(std::vector<Mistake>& to) {
  for (const bool keepSize : {false, true}) {
    const std::string note = keepSize ? ", same size" : "";
    for (const uint64_t bytes : {1, 7}) {
      to.push_back(
          {joined(bytes, " bytes lost in front", note), Kind::SHIFTED,
           [=](const Weight& w, BlockOrder order) { return dropped(w, order, bytes, keepSize); }});
    }
    to.push_back({joined("a block lost in front", note), Kind::SHIFTED,
                  [=](const Weight& w, BlockOrder order) {
                    return dropped(w, order, w.blockBytes(), keepSize);
                  }});
    to.push_back({joined("a row lost in front", note), Kind::SHIFTED,
                  [=](const Weight& w, BlockOrder order) {
                    return dropped(w, order, w.grid.blocksPerRow * w.blockBytes(), keepSize);
                  }});
    to.push_back(
        {joined("a header of 24 bytes not skipped", note), Kind::SHIFTED,
         [=](const Weight& w, BlockOrder order) { return withHeader(w, order, 24, keepSize); }});
    to.push_back({joined("lines padded by a block", note), Kind::PADDED_STRIDE,
                  [=](const Weight& w, BlockOrder order) {
                    return strided(w, order, static_cast<int64_t>(w.blockBytes()), keepSize);
                  }});
    to.push_back(
        {joined("lines padded by 3 bytes", note), Kind::PADDED_STRIDE,
         [=](const Weight& w, BlockOrder order) { return strided(w, order, 3, keepSize); }});
  }
  to.push_back(
      {"lines a block too short", Kind::PADDED_STRIDE, [](const Weight& w, BlockOrder order) {
         return w.grid.out < 3 || w.grid.blocksPerRow < 3
                    ? Buffer()
                    : strided(w, order, -static_cast<int64_t>(w.blockBytes()), false);
       }});
  to.push_back({"rotated by a block", Kind::SHIFTED, [](const Weight& w, BlockOrder order) {
                  return rotated(w, order, w.blockBytes());
                }});
  to.push_back({"rotated by 5 bytes", Kind::SHIFTED,
                [](const Weight& w, BlockOrder order) { return rotated(w, order, 5); }});
  to.push_back({"rows rotated", Kind::SHIFTED, [](const Weight& w, BlockOrder order) {
                  return rowsFrom(w, order, [&](uint64_t o) { return (o + 1) % w.grid.out; });
                }});
  to.push_back({"the last byte cut", Kind::TRUNCATED, [](const Weight& w, BlockOrder order) {
                  return cut(inOrder(w, order), 0, w.bytes.size() - 1);
                }});
  to.push_back({"the second half cut", Kind::TRUNCATED, [](const Weight& w, BlockOrder order) {
                  return cut(inOrder(w, order), 0, w.bytes.size() / 2);
                }});
}

void addRowsAndForeign(std::vector<Mistake>& to) {
  to.push_back({"rows half-split", Kind::ROW_PERMUTATION, [](const Weight& w, BlockOrder order) {
                  const uint64_t half = w.grid.out / 2;
                  if (w.grid.out % 2 != 0) return Buffer();
                  return rowsFrom(
                      w, order, [=](uint64_t o) { return o < half ? 2 * o : 2 * (o - half) + 1; });
                }});
  to.push_back({"rows interleaved within heads of 4", Kind::ROW_PERMUTATION,
                [](const Weight& w, BlockOrder order) {
                  if (w.grid.out % 4 != 0) return Buffer();
                  return rowsFrom(w, order,
                                  [](uint64_t o) { return o - o % 4 + o % 2 * 2 + o % 4 / 2; });
                }});
  to.push_back({"rows in reverse", Kind::ROW_PERMUTATION, [](const Weight& w, BlockOrder order) {
                  return rowsFrom(w, order, [&](uint64_t o) { return w.grid.out - 1 - o; });
                }});
  to.push_back({"the first two rows exchanged", Kind::ROW_PERMUTATION,
                [](const Weight& w, BlockOrder order) {
                  if (w.grid.out < 2) return Buffer();
                  return rowsFrom(w, order, [](uint64_t o) { return o < 2 ? 1 - o : o; });
                }});
  to.push_back({"other bytes altogether", Kind::FOREIGN, [](const Weight& w, BlockOrder) {
                  Buffer bytes(w.bytes.size());
                  uint64_t state = 4242;
                  for (uint8_t& byte : bytes) byte = noise(state);
                  return bytes;
                }});
  to.push_back({"one block of other bytes", Kind::FOREIGN, [](const Weight& w, BlockOrder order) {
                  Buffer bytes = inOrder(w, order);
                  uint64_t state = 77;
                  const uint64_t at = w.grid.out * w.grid.blocksPerRow / 2 * w.blockBytes();
                  for (uint64_t i = 0; i < w.blockBytes(); ++i) bytes[at + i] = noise(state);
                  return bytes;
                }});
  to.push_back({"bytes left over", Kind::FOREIGN, [](const Weight& w, BlockOrder order) {
                  Buffer bytes = inOrder(w, order);
                  bytes.insert(bytes.end(), {1, 2, 3});
                  return bytes;
                }});
}

}  // namespace

Weight distinct(Encoding encoding, BlockGrid grid) {
  Weight weight{encoding, grid, Buffer(grid.out * grid.blocksPerRow * specOf(encoding).bytes)};
  uint64_t state = 1;
  for (uint64_t at = 0; at < weight.bytes.size(); at += weight.blockBytes()) {
    fillBlock(encoding, weight.bytes.data() + at, state);
  }
  return weight;
}

Weight constant(Encoding encoding, BlockGrid grid) {
  Weight weight = distinct(encoding, grid);
  for (uint64_t at = 0; at < weight.bytes.size(); at += weight.blockBytes()) {
    std::copy_n(weight.bytes.begin(), weight.blockBytes(),
                weight.bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return weight;
}

Weight equalRows(Encoding encoding, BlockGrid grid) {
  Weight weight = distinct(encoding, grid);
  const uint64_t row = grid.blocksPerRow * weight.blockBytes();
  for (uint64_t o = 1; o < grid.out; ++o) {
    std::copy_n(weight.bytes.begin(), row,
                weight.bytes.begin() + static_cast<std::ptrdiff_t>(o * row));
  }
  return weight;
}

std::vector<Weight> monotonous(Encoding encoding, BlockGrid grid) {
  const Weight any = distinct(encoding, grid);
  const uint64_t blocks = grid.out * grid.blocksPerRow;
  // Block f of the weight is block from(f) of the distinct one.
  const auto made = [&](auto from) {
    Weight weight = any;
    for (uint64_t f = 0; f < blocks; ++f) {
      std::copy_n(any.bytes.data() + from(f) * any.blockBytes(), any.blockBytes(),
                  weight.bytes.data() + f * any.blockBytes());
    }
    return weight;
  };
  std::vector<Weight> weights;
  weights.push_back(made([](uint64_t f) { return f * 7 / 3 % 2; }));
  weights.push_back(made([](uint64_t f) { return f * 7 / 3 % 3; }));
  weights.push_back(made([=](uint64_t f) { return f == blocks * 2 / 3 ? blocks - 1 : 0; }));
  weights.push_back(made([=](uint64_t f) { return f - f % grid.blocksPerRow; }));
  weights.push_back(
      made([=](uint64_t f) { return f / grid.blocksPerRow % 2 == 1 ? f - grid.blocksPerRow : f; }));
  weights.push_back(made([=](uint64_t f) {
    const uint64_t o = f / grid.blocksPerRow;
    return std::min(o, grid.out - 1 - o) * grid.blocksPerRow + f % grid.blocksPerRow;
  }));
  weights.push_back(any);
  for (uint8_t& byte : weights.back().bytes) byte = 0xFF;
  weights.push_back(any);
  for (uint8_t& byte : weights.back().bytes) byte &= 1;
  return weights;
}

std::vector<uint8_t> inOrder(const Weight& weight, BlockOrder order) {
  return order == BlockOrder::ROW_MAJOR
             ? weight.bytes
             : relaid(weight, weight.bytes, weight.grid.out, weight.grid.blocksPerRow);
}

const std::vector<Mistake>& all() {
  static const std::vector<Mistake> list = [] {
    std::vector<Mistake> made;
    addArrangements(made);
    addDisplacements(made);
    for (const Mistake& mistake : insideBlocks()) made.push_back(mistake);
    for (const Mistake& mistake : aroundBlocks()) made.push_back(mistake);
    addRowsAndForeign(made);
    return made;
  }();
  return list;
}

std::vector<Encoding> blockedEncodings() {
  std::vector<Encoding> encodings;
  for (const EncodingSpec& spec : allEncodings()) {
    if (spec.blocked()) encodings.push_back(spec.encoding);
  }
  return encodings;
}

Diagnosis diagnosed(const std::vector<uint8_t>& bytes, const Weight& weight, BlockOrder order) {
  const Expectation expectation{order, weight.grid, Bytes(weight.bytes), BlockOrder::ROW_MAJOR};
  return *diagnose(bytes, weight.encoding, expectation);
}

}  // namespace packed::mistakes
