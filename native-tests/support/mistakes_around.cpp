#include <algorithm>
#include <cstring>

#include "base/half.h"
#include "encoding/block_anatomy.h"
#include "support/mistakes.h"

namespace packed::mistakes {
namespace {

using Buffer = std::vector<uint8_t>;
using Kind = DiagnosisKind;

// Calls visit(field) for the fields that are floats, or for the others.
template <class Visit>
void forFields(Encoding encoding, bool floats, Visit visit) {
  for (const BlockField& field : anatomyOf(encoding)) {
    if (isFloat(field.type) == floats) visit(field);
  }
}

// The scales of so many blocks, then their codes; or the other way round.
Buffer apart(const Weight& w, BlockOrder order, uint64_t together, bool scalesFirst) {
  const Buffer right = inOrder(w, order);
  const uint64_t blocks = right.size() / w.blockBytes();
  Buffer to;
  for (uint64_t first = 0; first < blocks; first += together) {
    for (const bool floats : {scalesFirst, !scalesFirst}) {
      for (uint64_t f = first; f < std::min(blocks, first + together); ++f) {
        forFields(w.encoding, floats, [&](const BlockField& field) {
          const uint8_t* from = right.data() + f * w.blockBytes() + field.offset;
          to.insert(to.end(), from, from + field.bytes());
        });
      }
    }
  }
  return to;
}

bool hasBoth(Encoding encoding) {
  int floats = 0;
  int others = 0;
  forFields(encoding, true, [&](const BlockField&) { ++floats; });
  forFields(encoding, false, [&](const BlockField&) { ++others; });
  return floats > 0 && others > 0;
}

// All that is the same field of every block must stand together for `apart` to be what GPUs read.
bool standTogether(Encoding encoding, bool floats) {
  uint32_t end = 0;
  bool together = true;
  forFields(encoding, floats, [&](const BlockField& field) {
    together &= end == 0 || end == field.offset;
    end = field.offset + field.bytes();
  });
  return together;
}

void addFieldPlacements(std::vector<Mistake>& to) {
  for (const bool scalesFirst : {true, false}) {
    for (const bool all : {true, false}) {
      const std::string what = scalesFirst ? "scales, then codes" : "codes, then scales";
      to.push_back({joined(what, all ? " of the weight" : " of each block"), Kind::SCALES_ONLY,
                    [=](const Weight& w, BlockOrder order) {
                      if (!hasBoth(w.encoding) || !standTogether(w.encoding, true) ||
                          !standTogether(w.encoding, false)) {
                        return Buffer();
                      }
                      const uint64_t blocks = w.grid.out * w.grid.blocksPerRow;
                      return apart(w, order, all ? blocks : 1, scalesFirst);
                    }});
    }
  }
  to.push_back({"d and the minimum's scale exchanged", Kind::SCALES_ONLY,
                [](const Weight& w, BlockOrder order) {
                  const auto fields = anatomyOf(w.encoding);
                  std::vector<BlockField> halves;
                  for (const auto& field : fields) {
                    if (field.type == FieldType::F16) halves.push_back(field);
                  }
                  if (halves.size() != 2) return Buffer();
                  Buffer bytes = inOrder(w, order);
                  for (uint64_t at = 0; at < bytes.size(); at += w.blockBytes()) {
                    std::swap_ranges(bytes.data() + at + halves[0].offset,
                                     bytes.data() + at + halves[0].offset + 2,
                                     bytes.data() + at + halves[1].offset);
                  }
                  return bytes;
                }});
}

void addEnds(std::vector<Mistake>& to) {
  to.push_back(
      {"the second half never written", Kind::TRUNCATED, [](const Weight& w, BlockOrder order) {
         Buffer bytes = inOrder(w, order);
         const uint64_t blocks = bytes.size() / w.blockBytes();
         if (blocks < 5) return Buffer();
         std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2), bytes.end(),
                   uint8_t{0});
         return bytes;
       }});
  to.push_back({"more bytes left over than the weight has", Kind::FOREIGN,
                [](const Weight& w, BlockOrder order) {
                  Buffer bytes = inOrder(w, order);
                  const uint64_t size = bytes.size();
                  for (uint64_t i = 0; i < 3 * size; ++i) {
                    bytes.push_back(static_cast<uint8_t>(i * i * 7 + i / 3));
                  }
                  return bytes;
                }});
  to.push_back({"a header longer than the weight, and more behind it", Kind::SHIFTED,
                [](const Weight& w, BlockOrder order) {
                  const Buffer right = inOrder(w, order);
                  Buffer bytes;
                  for (uint64_t i = 0; i < 2 * right.size() + 5; ++i) {
                    bytes.push_back(static_cast<uint8_t>(i * i * 7 + i / 3));
                  }
                  bytes.insert(bytes.end(), right.begin(), right.end());
                  bytes.insert(bytes.end(), {9, 8, 7, 6, 5});
                  return bytes;
                }});
  to.push_back({"blocks rounded up by two bytes", Kind::PADDED_STRIDE,
                [](const Weight& w, BlockOrder order) {
                  const Buffer right = inOrder(w, order);
                  Buffer bytes;
                  for (uint64_t at = 0; at < right.size(); at += w.blockBytes()) {
                    const auto from = right.begin() + static_cast<std::ptrdiff_t>(at);
                    bytes.insert(bytes.end(), from,
                                 from + static_cast<std::ptrdiff_t>(w.blockBytes()));
                    bytes.insert(bytes.end(), 2, 0);
                  }
                  return bytes;
                }});
  to.push_back({"scales as BF16", Kind::FOREIGN, [](const Weight& w, BlockOrder order) {
                  Buffer bytes = inOrder(w, order);
                  bool any = false;
                  for (uint64_t at = 0; at < bytes.size(); at += w.blockBytes()) {
                    forFields(w.encoding, true, [&](const BlockField& field) {
                      if (field.type != FieldType::F16) return;
                      any = true;
                      uint8_t* scale = bytes.data() + at + field.offset;
                      const float value = loadHalf(scale);
                      uint32_t bits = 0;
                      std::memcpy(&bits, &value, 4);
                      bits += 0x8000;
                      std::memcpy(scale, reinterpret_cast<const uint8_t*>(&bits) + 2, 2);
                    });
                  }
                  return any ? bytes : Buffer();
                }});
}

}  // namespace

std::vector<Mistake> aroundBlocks() {
  std::vector<Mistake> made;
  addFieldPlacements(made);
  addEnds(made);
  return made;
}

}  // namespace packed::mistakes
