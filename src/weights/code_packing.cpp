// The right codes, packed into the bytes of their block in another sequence (nibbles linear instead
// of split, high nibble first, ..), or all off by the same number (two's complement instead of
// excess-8).
#include <algorithm>
#include <cstring>
#include <memory>

#include "encoding/block_anatomy.h"
#include "encoding/block_parts.h"
#include "weights/block_match.h"
#include "weights/hypothesis.h"
#include "weights/mending.h"

namespace packed {
namespace {

struct Packing {
  Encoding encoding;
  uint32_t offset;
  uint32_t bytes;
  uint32_t group;
  uint32_t bits;

  uint32_t perByte() const { return 8 / bits; }
  uint32_t count() const { return bytes * perByte(); }
};

constexpr Packing kPackings[] = {
#define X(encoding, offset, bytes, group, bits) {Encoding::encoding, offset, bytes, group, bits},
#include "weights/code_packing.inc"
#undef X
};

// A code's place: byte of the field, bit in the byte.
struct Slot {
  uint16_t byte = 0;
  uint8_t shift = 0;
};

// Element e of the field, packed in groups of `group` bytes; `highFirst` counts the parts of a byte
// from the top.
Slot slotOf(const Packing& packing, uint32_t e, uint32_t group, bool highFirst) {
  const uint32_t perGroup = group * packing.perByte();
  const uint32_t inGroup = e % perGroup;
  const uint32_t part = inGroup / group;
  const uint32_t byte = e / perGroup * group + inGroup % group;
  return {static_cast<uint16_t>(byte),
          static_cast<uint8_t>(packing.bits * (highFirst ? packing.perByte() - 1 - part : part))};
}

struct Move {
  Slot from;
  Slot to;
};
using Moves = std::vector<Move>;

uint32_t codeAt(const Packing& packing, const uint8_t* field, Slot slot) {
  return field[slot.byte] >> slot.shift & ((1u << packing.bits) - 1);
}

bool sameOutside(const Observation& seen, const Packing& packing, const uint8_t* a,
                 const uint8_t* b) {
  const uint32_t end = packing.offset + packing.bytes;
  return sameBytes(a, b, packing.offset) && sameBytes(a + end, b + end, seen.blockBytes - end);
}

// A mistake that writes the codes of every block in another way and nothing else:
// write(right codes, to, false), and write(found codes, to, true) undoes it.
template <class Write>
void propose(const Observation& seen, Hypotheses& to, const Packing& packing, DiagnosisKind kind,
             std::string variant, std::string fix, Write write) {
  to.push_back({kind, std::move(variant), std::move(fix),
                [&seen, packing, write](uint64_t window) {
                  const uint8_t* found = seen.seenAt(window);
                  const uint8_t* right = seen.rightAt(window);
                  if (!sameOutside(seen, packing, found, right)) return Fit::MISFIT;
                  uint8_t packed[kMaxBlockElements];
                  write(right + packing.offset, packed, false);
                  return sameBytes(found + packing.offset, packed, packing.bytes) ? Fit::FITS
                                                                                  : Fit::MISFIT;
                },
                0, nullptr,
                [&seen, packing, write](const uint8_t* found, uint8_t* block) {
                  std::memcpy(block, found, seen.blockBytes);
                  write(found + packing.offset, block + packing.offset, true);
                }});
}

void proposeMoves(const Observation& seen, Hypotheses& to, const Packing& packing, Moves moves,
                  std::string variant) {
  const auto elsewhere = std::count_if(moves.begin(), moves.end(), [](const Move& move) {
    return move.from.byte != move.to.byte || move.from.shift != move.to.shift;
  });
  variant += joined("; ", elsewhere, " of ", moves.size(), " elements stand elsewhere");
  const auto kept = std::make_shared<const Moves>(std::move(moves));
  propose(seen, to, packing, DiagnosisKind::NIBBLE_ORDER, std::move(variant),
          "pack the codes of each block as its format says (spec of the encoding, or pw.quantize); "
          "moving blocks cannot mend this",
          [packing, kept](const uint8_t* from, uint8_t* field, bool back) {
            std::memset(field, 0, packing.bytes);
            for (const Move& move : *kept) {
              const Slot at = back ? move.from : move.to;
              const uint32_t code = codeAt(packing, from, back ? move.to : move.from);
              field[at.byte] = static_cast<uint8_t>(field[at.byte] | code << at.shift);
            }
          });
}

std::string nameOfPacking(const Packing& packing, uint32_t group, bool highFirst) {
  const char* unit = packing.bits == 4 ? "nibbles" : packing.bits == 2 ? "bit pairs" : "bits";
  std::string name =
      group == 1 ? joined(unit, " in sequence") : joined(unit, " split over ", group, " bytes");
  if (highFirst) name += ", high part first";
  return name;
}

void proposePackings(const Observation& seen, Hypotheses& to, const Packing& packing) {
  const std::string right = nameOfPacking(packing, packing.group, false);
  for (const uint32_t group : {1u, 4u, 8u, 16u, 32u, 64u}) {
    if (packing.bytes % group != 0) continue;
    for (const bool highFirst : {false, true}) {
      if (group == packing.group && !highFirst) continue;
      Moves written;
      Moves misread;
      for (uint32_t e = 0; e < packing.count(); ++e) {
        const Slot own = slotOf(packing, e, packing.group, false);
        const Slot other = slotOf(packing, e, group, highFirst);
        written.push_back({own, other});
        misread.push_back({other, own});
      }
      const std::string name = nameOfPacking(packing, group, highFirst);
      proposeMoves(seen, to, packing, std::move(written), joined(name, " instead of ", right));
      proposeMoves(seen, to, packing, std::move(misread),
                   joined(right, " read as ", name, " and packed again"));
    }
  }
  Moves exchanged;
  for (uint32_t e = 0; e < packing.count(); ++e) {
    const uint32_t half = packing.count() / 2;
    exchanged.push_back({slotOf(packing, e, packing.group, false),
                         slotOf(packing, (e + half) % packing.count(), packing.group, false)});
  }
  proposeMoves(seen, to, packing, std::move(exchanged),
               joined(packing.bits == 1 ? "high bits" : "codes", " of both halves exchanged"));
}

// By how much the codes of the field are more, modulo their range: half of it where scales differ
// as well, for that is what excess against two's complement leaves.
uint32_t offsetOf(const Observation& seen, const Packing& packing) {
  const uint32_t range = 1u << packing.bits;
  if (!sameOutside(seen, packing, seen.seenAt(0), seen.rightAt(0))) return range / 2;
  return (codeAt(packing, seen.seenAt(0) + packing.offset, {}) -
          codeAt(packing, seen.rightAt(0) + packing.offset, {})) &
         (range - 1);
}

// Codes that count from the middle of their range, all in one field.
bool isExcess(Encoding encoding) {
  return encoding == Encoding::Q4_0 || encoding == Encoding::Q8_0 || encoding == Encoding::Q8_1 ||
         encoding == Encoding::Q8_K;
}

// Every code of the field is `by` more, modulo its range.
void proposeOffset(const Observation& seen, Hypotheses& to, const Packing& packing, uint32_t by) {
  const uint32_t range = 1u << packing.bits;
  const std::string_view name = fieldAt(packing.encoding, packing.offset)->name;
  propose(
      seen, to, packing, DiagnosisKind::CONSTANT_OFFSET,
      joined("every code of ", name, " is ", by, " more, modulo ", range,
             by != range / 2 ? ""
             : isExcess(packing.encoding)
                 ? ": two's complement instead of excess, or the other way round"
                 : ": its highest bit is flipped"),
      joined("take ", by, " off every ", packing.bits, "-bit code of ", name, ", modulo ", range),
      [packing, range, by](const uint8_t* from, uint8_t* field, bool back) {
        for (uint32_t i = 0; i < packing.bytes; ++i) {
          uint32_t byte = 0;
          for (uint32_t shift = 0; shift < 8; shift += packing.bits) {
            const uint32_t code = (from[i] >> shift) + (back ? range - by : by);
            byte |= (code & (range - 1)) << shift;
          }
          field[i] = static_cast<uint8_t>(byte);
        }
      });
}

}  // namespace

void proposeCodePackings(const Observation& seen, Hypotheses& to) {
  if (!seen.sameSize() || seen.blocks == 0) return;
  for (const Packing& packing : kPackings) {
    if (packing.encoding != seen.expected.encoding) continue;
    if (packing.bits < 8) proposePackings(seen, to, packing);
    if (const uint32_t by = offsetOf(seen, packing)) proposeOffset(seen, to, packing, by);
  }
}

}  // namespace packed
