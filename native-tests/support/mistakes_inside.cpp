#include "support/mistakes.h"

#include <algorithm>
#include <cstring>

#include "base/half.h"
#include "encoding/block_anatomy.h"

namespace packed::mistakes {
namespace {

using Buffer = std::vector<uint8_t>;
using Kind = DiagnosisKind;

bool isScale(const BlockField& field, bool integersToo) {
  return isFloat(field.type) || (integersToo && field.name.substr(0, 6) == "scales");
}

Buffer woven(const Weight& w, uint64_t rows, uint64_t chunk, uint8_t flip) {
  if (w.grid.out % rows != 0) return {};
  Buffer to;
  for (uint64_t group = 0; group < w.grid.out; group += rows) {
    for (uint64_t b = 0; b < w.grid.blocksPerRow; ++b) {
      for (const BlockField& field : anatomyOf(w.encoding)) {
        const bool codes = !isScale(field, true) && field.bytes() % chunk == 0;
        const uint64_t step = codes ? chunk : field.bytes();
        for (uint64_t at = 0; at < field.bytes(); at += step) {
          for (uint64_t row = 0; row < rows; ++row) {
            const uint8_t* from = w.block(group + row, b) + field.offset + at;
            for (uint64_t i = 0; i < step; ++i) {
              to.push_back(static_cast<uint8_t>(from[i] ^ (isScale(field, true) ? 0 : flip)));
            }
          }
        }
      }
    }
  }
  return to;
}

bool plainNibbles(Encoding encoding) {
  return encoding == Encoding::Q4_0 || encoding == Encoding::Q4_1 || encoding == Encoding::IQ4_NL ||
         encoding == Encoding::MXFP4;
}

// Parts of each block (its scales, or everything else) taken from the block at another place.
template <class From>
Buffer partsFrom(const Weight& w, BlockOrder order, bool scales, bool integersToo, From from) {
  const Buffer right = inOrder(w, order);
  Buffer to = right;
  const uint64_t blocks = w.grid.out * w.grid.blocksPerRow;
  for (uint64_t f = 0; f < blocks; ++f) {
    for (const BlockField& field : anatomyOf(w.encoding)) {
      if (isScale(field, integersToo) != scales) continue;
      std::memcpy(to.data() + f * w.blockBytes() + field.offset,
                  right.data() + from(f) * w.blockBytes() + field.offset, field.bytes());
    }
  }
  return to;
}

bool hasScaleFields(Encoding encoding) {
  const auto fields = anatomyOf(encoding);
  return std::any_of(fields.begin(), fields.end(), [](const auto& f) { return isFloat(f.type); });
}

uint64_t otherPlace(const Weight& w, BlockOrder order, uint64_t f) {
  const uint64_t inner = order == BlockOrder::ROW_MAJOR ? w.grid.blocksPerRow : w.grid.out;
  const uint64_t outer = order == BlockOrder::ROW_MAJOR ? w.grid.out : w.grid.blocksPerRow;
  // The place in `order` of the block that stands at f in the other order.
  return f % outer * inner + f / outer;
}

template <class Edit>
Buffer edited(const Weight& w, BlockOrder order, Edit edit) {
  Buffer bytes = inOrder(w, order);
  for (uint64_t at = 0; at < bytes.size(); at += w.blockBytes()) edit(bytes.data() + at);
  return bytes;
}

// 16 bytes of 32 nibbles, from split to linear.
void linearize(uint8_t* codes) {
  uint8_t linear[16] = {};
  for (int e = 0; e < 32; ++e) {
    const int code = e < 16 ? codes[e] & 15 : codes[e - 16] >> 4;
    linear[e / 2] = static_cast<uint8_t>(linear[e / 2] | code << (4 * (e % 2)));
  }
  std::memcpy(codes, linear, 16);
}

uint32_t nibblesAt(Encoding encoding) {
  switch (encoding) {
    case Encoding::Q4_0:
    case Encoding::IQ4_NL:
      return 2;
    case Encoding::Q4_1:
      return 4;
    case Encoding::Q5_0:
      return 6;
    case Encoding::Q5_1:
      return 8;
    case Encoding::MXFP4:
      return 1;
    default:
      return 0;
  }
}

void addInterleavings(std::vector<Mistake>& to) {
  const struct {
    uint64_t rows, chunk;
  } forms[] = {{4, 4}, {4, 8}, {8, 8}};
  for (const auto form : forms) {
    to.push_back(
        {joined("rows interleaved ", form.rows, "x", form.chunk), Kind::INTERLEAVED_ROWS,
         [form](const Weight& w, BlockOrder) { return woven(w, form.rows, form.chunk, 0); }});
    to.push_back({joined("rows interleaved ", form.rows, "x", form.chunk, " with XOR"),
                  Kind::INTERLEAVED_ROWS, [form](const Weight& w, BlockOrder) {
                    return plainNibbles(w.encoding) ? woven(w, form.rows, form.chunk, 0x88)
                                                    : Buffer();
                  }});
  }
}

void addInsideBlocks(std::vector<Mistake>& to) {
  for (const bool scales : {true, false}) {
    to.push_back({scales ? "scales in the other order" : "codes in the other order",
                  Kind::SCALES_ONLY, [scales](const Weight& w, BlockOrder order) {
                    if (!hasScaleFields(w.encoding)) return Buffer();
                    return partsFrom(w, order, scales, false,
                                     [&](uint64_t f) { return otherPlace(w, order, f); });
                  }});
  }
  to.push_back({"all scales, integers too, one block late", Kind::SCALES_ONLY,
                [](const Weight& w, BlockOrder order) {
                  const uint64_t blocks = w.grid.out * w.grid.blocksPerRow;
                  return partsFrom(w, order, true, true,
                                   [=](uint64_t f) { return (f + 1) % blocks; });
                }});
  to.push_back({"nibbles linear", Kind::NIBBLE_ORDER, [](const Weight& w, BlockOrder order) {
                  const uint32_t at = nibblesAt(w.encoding);
                  return at == 0
                             ? Buffer()
                             : edited(w, order, [at](uint8_t* block) { linearize(block + at); });
                }});
  to.push_back(
      {"nibbles of each byte exchanged", Kind::NIBBLE_ORDER, [](const Weight& w, BlockOrder order) {
         const uint32_t at = nibblesAt(w.encoding);
         return at == 0 ? Buffer() : edited(w, order, [at](uint8_t* block) {
           for (uint32_t i = at; i < at + 16; ++i) {
             block[i] = static_cast<uint8_t>(block[i] << 4 | block[i] >> 4);
           }
         });
       }});
  to.push_back({"high bits of i and i + 16 exchanged", Kind::NIBBLE_ORDER,
                [](const Weight& w, BlockOrder order) {
                  if (w.encoding != Encoding::Q5_0) return Buffer();
                  return edited(w, order, [](uint8_t* block) {
                    std::swap(block[2], block[4]);
                    std::swap(block[3], block[5]);
                  });
                }});
  to.push_back(
      {"codes in two's complement", Kind::CONSTANT_OFFSET, [](const Weight& w, BlockOrder order) {
         const bool bytes = w.encoding == Encoding::Q8_0;
         const uint32_t at = bytes ? 2 : nibblesAt(w.encoding);
         if (at == 0 || w.encoding == Encoding::Q5_0 || w.encoding == Encoding::Q5_1)
           return Buffer();
         return edited(w, order, [=](uint8_t* block) {
           for (uint32_t i = at; i < specOf(w.encoding).bytes; ++i) block[i] ^= bytes ? 0x80 : 0x88;
         });
       }});
  // Numbers read with an oracle's arithmetic: bit n of number i is where the byte map says.
  const auto sixBits = [](const Weight& w, BlockOrder order, bool inTurn) {
    const bool q3 = w.encoding == Encoding::Q3_K;
    if (!q3 && w.encoding != Encoding::Q4_K && w.encoding != Encoding::Q5_K) return Buffer();
    if (q3 && inTurn) return Buffer();
    const uint32_t at = q3 ? 96 : 4;
    return edited(w, order, [=](uint8_t* block) {
      uint8_t packed[12] = {};
      for (uint32_t i = 0; i < 16; ++i) {
        for (uint32_t bit = 0; bit < 6; ++bit) {
          uint32_t byte = 0, from = bit;
          if (q3) {
            byte = bit < 4 ? i % 8 : 8 + i % 4;
            from = bit < 4 ? bit + i / 8 * 4 : bit - 4 + i / 4 * 2;
          } else {
            const uint32_t j = i % 8, kind = i / 8;  // scale or minimum j
            byte = j < 4 ? 4 * kind + j : bit < 4 ? 4 + j : 4 * kind + j - 4;
            from = j < 4 ? bit : bit < 4 ? bit + 4 * kind : bit + 2;
          }
          const uint32_t place = 6 * (inTurn ? i % 8 * 2 + i / 8 : i) + bit;
          packed[place / 8] |= static_cast<uint8_t>((block[at + byte] >> from & 1) << place % 8);
        }
      }
      std::copy_n(packed, 12, block + at);
    });
  };
  to.push_back({"6-bit scales bit after bit", Kind::SCALES_ONLY,
                [=](const Weight& w, BlockOrder order) { return sixBits(w, order, false); }});
  to.push_back({"6-bit scales and minimums in turn", Kind::SCALES_ONLY,
                [=](const Weight& w, BlockOrder order) { return sixBits(w, order, true); }});
  to.push_back({"scales big-endian", Kind::SCALE_BYTES, [](const Weight& w, BlockOrder order) {
                  return edited(w, order, [&](uint8_t* block) {
                    for (const BlockField& field : anatomyOf(w.encoding)) {
                      if (field.type != FieldType::F16 && field.type != FieldType::F32) continue;
                      std::reverse(block + field.offset, block + field.offset + field.bytes());
                    }
                  });
                }});
  to.push_back(
      {"only the first scale big-endian", Kind::SCALE_BYTES, [](const Weight& w, BlockOrder order) {
         const auto fields = anatomyOf(w.encoding);
         const auto first = std::find_if(fields.begin(), fields.end(),
                                         [](const auto& f) { return f.type == FieldType::F16; });
         if (first == fields.end()) return Buffer();
         return edited(w, order, [&](uint8_t* block) {
           std::swap(block[first->offset], block[first->offset + 1]);
         });
       }});
  to.push_back({"scales doubled", Kind::CONSTANT_OFFSET, [](const Weight& w, BlockOrder order) {
                  return edited(w, order, [&](uint8_t* block) {
                    for (const BlockField& field : anatomyOf(w.encoding)) {
                      uint8_t* at = block + field.offset;
                      if (field.type == FieldType::F16) storeHalf(at, loadHalf(at) * 2);
                      if (field.type == FieldType::F32) storeLE<float>(at, loadLE<float>(at) * 2);
                    }
                  });
                }});
  to.push_back({"minimums one more", Kind::CONSTANT_OFFSET, [](const Weight& w, BlockOrder order) {
                  if (w.encoding != Encoding::Q4_1 && w.encoding != Encoding::Q5_1) return Buffer();
                  return edited(w, order, [](uint8_t* block) {
                    storeHalf(block + 2, loadHalf(block + 2) + 1);
                  });
                }});
}

}  // namespace

std::vector<Mistake> insideBlocks() {
  std::vector<Mistake> made;
  addInterleavings(made);
  addInsideBlocks(made);
  return made;
}

}  // namespace packed::mistakes
