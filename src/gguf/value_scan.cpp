#include "gguf/value_scan.h"

#include <algorithm>
#include <bit>

#include "gguf/byte_order.h"

namespace packed {
namespace {

// So many bytes are asked at once whether anything in them is wrong; only then they are searched.
constexpr uint64_t kChunkBytes = 16 << 10;

constexpr uint16_t kHalfExponent = 0x7c00;
constexpr uint16_t kBf16Exponent = 0x7f80;
constexpr uint32_t kFloatExponent = 0x7f800000;
constexpr uint64_t kDoubleExponent = 0x7ff0000000000000;

// Whether any of `count` numbers, `stride` bytes apart, has all bits of `exponent` set: NaN or
// infinite.
template <class Bits>
bool anyNotFinite(const uint8_t* first, uint64_t count, uint64_t stride, Bits exponent) {
  uint32_t found = 0;
#pragma GCC unroll 4
  for (uint64_t i = 0; i < count; ++i) {
    found |= static_cast<uint32_t>((loadLE<Bits>(first + i * stride) & exponent) == exponent);
  }
  return found != 0;
}

// The greatest of `count` numbers side by side under a mask: a few instructions for a vector of
// them.
template <class Bits>
Bits greatestOf(const uint8_t* values, uint64_t count, Bits mask) {
  Bits greatest = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const auto bits = static_cast<Bits>(loadLE<Bits>(values + i * sizeof(Bits)) & mask);
    greatest = std::max(greatest, bits);
  }
  return greatest;
}

// The same of numbers side by side. No masked number is greater than the mask, so the greatest says
// it. By chunks of a length that the compiler knows, which it turns into vectors without a loop.
template <class Bits>
bool anyNotFinite(const uint8_t* values, uint64_t count, Bits exponent) {
  constexpr uint64_t kChunk = 256 / sizeof(Bits);
  Bits greatest = 0;
  uint64_t i = 0;
  for (; i + kChunk <= count; i += kChunk) {
    greatest = std::max(greatest, greatestOf(values + i * sizeof(Bits), kChunk, exponent));
  }
  return std::max(greatest, greatestOf(values + i * sizeof(Bits), count - i, exponent)) == exponent;
}

// The bits of a mask where they stand in a file of the given byte order.
template <class Bits>
Bits inOrder(Bits mask, bool littleEndian) {
  return littleEndian ? mask : byteSwapped(mask);
}

bool reservedUe4m3(uint8_t code) { return code >= 0x7f; }

// IQ1_M keeps d in the top nibbles of its four scale words: its exponent is bits 12..14 of the last
// and 14..15 of the last but one.
uint16_t scaleOfIq1m(const uint8_t* block, bool littleEndian) {
  uint32_t d = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    d |= static_cast<uint32_t>(loadField<uint16_t>(block + 48 + 2 * i, littleEndian) >> 12)
         << 4 * i;
  }
  return static_cast<uint16_t>(d);
}

// Bytes that hold a bit pair 11: both bits of the pair survive the shifted and.
uint64_t pairsOfOnes(uint64_t bytes) { return bytes & bytes >> 1 & 0x5555555555555555u; }

bool anyCode3(const uint8_t* bytes, uint64_t count) {
  uint64_t found = 0;
  uint64_t i = 0;
  for (; i + 8 <= count; i += 8) found |= pairsOfOnes(loadLE<uint64_t>(bytes + i));
  for (; i < count; ++i) found |= pairsOfOnes(bytes[i]);
  return found != 0;
}

// Scales 0xFD and 0xFE are 2^126 and 2^127: finite, but not times a level of 4 or of 2.
bool overflowsMxfp4(const uint8_t* block) {
  if (block[0] < 0xfd || block[0] == 0xff) return false;
  const int least = block[0] == 0xfd ? 6 : 4;  // the first code of such a level
  return std::any_of(block + 1, block + 17,
                     [&](uint8_t pair) { return (pair & 7) >= least || (pair >> 4 & 7) >= least; });
}

class Tally {
 public:
  Tally(FaultCounts& faults, uint64_t block) : faults_(faults), block_(block) {}

  // Each kind is counted once per block, at its first byte.
  void add(ValueFault kind, uint32_t byteInBlock) {
    FaultCount& count = faults_[static_cast<std::size_t>(kind)];
    bool& here = seen_[static_cast<std::size_t>(kind)];
    if (here) return;
    here = true;
    if (count.blocks++ == 0) {
      count.firstBlock = block_;
      count.byteInBlock = byteInBlock;
    }
  }

  // `bits` of a float with `exponent` as its exponent bits and everything below as its fraction.
  template <class Bits>
  void addIfNotFinite(Bits bits, Bits exponent, uint32_t byteInBlock) {
    if ((bits & exponent) != exponent) return;
    const Bits fraction = static_cast<Bits>((exponent & (~exponent + 1)) - 1);
    add((bits & fraction) != 0 ? ValueFault::NAN_VALUE : ValueFault::INFINITE_VALUE, byteInBlock);
  }

 private:
  FaultCounts& faults_;
  uint64_t block_;
  std::array<bool, kValueFaults> seen_{};
};

}  // namespace

ValueScan::ValueScan(Encoding encoding, bool littleEndian)
    : spec_(&specOf(encoding)), fields_(anatomyOf(encoding)), littleEndian_(littleEndian) {}

ValueScan ValueScan::ofTernaryCodes() { return {}; }

void ValueScan::scan(const uint8_t* blocks, uint64_t count, uint64_t firstBlock,
                     FaultCounts& faults) const {
  const uint64_t bytes = spec_ ? spec_->bytes : 1;
  const uint64_t step = std::max<uint64_t>(1, kChunkBytes / bytes);
  for (uint64_t done = 0; done < count; done += step) {
    const uint64_t now = std::min(step, count - done);
    const uint8_t* from = blocks + done * bytes;
    if (!suspicious(from, now)) continue;
    for (uint64_t i = 0; i < now; ++i) {
      locate(from + i * bytes, firstBlock + done + i, faults);
    }
  }
}

bool ValueScan::suspicious(const uint8_t* blocks, uint64_t count) const {
  if (!spec_) return anyCode3(blocks, count);
  switch (spec_->encoding) {
    case Encoding::F32:
      return anyNotFinite(blocks, count, inOrder(kFloatExponent, littleEndian_));
    case Encoding::F16:
      return anyNotFinite(blocks, count, inOrder(kHalfExponent, littleEndian_));
    case Encoding::BF16:
      return anyNotFinite(blocks, count, inOrder(kBf16Exponent, littleEndian_));
    case Encoding::F64:
      return anyNotFinite(blocks, count, inOrder(kDoubleExponent, littleEndian_));
    case Encoding::IQ1_M: {
      uint32_t found = 0;
      for (uint64_t i = 0; i < count; ++i) {
        const uint16_t d = scaleOfIq1m(blocks + i * spec_->bytes, littleEndian_);
        found |= static_cast<uint32_t>((d & kHalfExponent) == kHalfExponent);
      }
      return found != 0;
    }
    default:
      break;
  }
  uint32_t found = 0;
  for (const BlockField& field : fields_) {
    const uint8_t* first = blocks + field.offset;
    if (field.type == FieldType::F16) {
      found |= anyNotFinite(first, count, spec_->bytes, inOrder(kHalfExponent, littleEndian_));
    } else if (field.type == FieldType::F32) {
      found |= anyNotFinite(first, count, spec_->bytes, inOrder(kFloatExponent, littleEndian_));
    } else if (field.type == FieldType::E8M0) {
      // NaN, and from 0xFC on what may be: exact enough for a first look.
      found |= anyNotFinite<uint8_t>(first, count, spec_->bytes, 0xfc);
    } else if (field.type == FieldType::UE4M3) {
      for (uint64_t i = 0; i < count; ++i) {
        const auto scales = loadLE<uint32_t>(first + i * spec_->bytes);
        found |= (scales | (scales + 0x01010101u)) & 0x80808080u;  // a byte of 0x7F or more
      }
    } else if (spec_->encoding == Encoding::TQ2_0) {
      for (uint64_t i = 0; i < count; ++i) found |= anyCode3(first + i * spec_->bytes, field.count);
    }
  }
  return found != 0;
}

void ValueScan::locate(const uint8_t* block, uint64_t number, FaultCounts& faults) const {
  Tally tally(faults, number);
  if (!spec_) {
    if (pairsOfOnes(*block) != 0) tally.add(ValueFault::INVALID_CODE, 0);
    return;
  }
  switch (spec_->encoding) {
    case Encoding::F32:
      return tally.addIfNotFinite(loadField<uint32_t>(block, littleEndian_), kFloatExponent, 0);
    case Encoding::F16:
      return tally.addIfNotFinite(loadField<uint16_t>(block, littleEndian_), kHalfExponent, 0);
    case Encoding::BF16:
      return tally.addIfNotFinite(loadField<uint16_t>(block, littleEndian_), kBf16Exponent, 0);
    case Encoding::F64:
      return tally.addIfNotFinite(loadField<uint64_t>(block, littleEndian_), kDoubleExponent, 0);
    case Encoding::IQ1_M:
      return tally.addIfNotFinite(scaleOfIq1m(block, littleEndian_), kHalfExponent, 48);
    default:
      break;
  }
  for (const BlockField& field : fields_) {
    for (uint32_t i = 0; i < field.count; ++i) {
      const uint32_t at = field.offset + i * sizeOf(field.type);
      if (field.type == FieldType::F16) {
        tally.addIfNotFinite(loadField<uint16_t>(block + at, littleEndian_), kHalfExponent, at);
      } else if (field.type == FieldType::F32) {
        tally.addIfNotFinite(loadField<uint32_t>(block + at, littleEndian_), kFloatExponent, at);
      } else if (field.type == FieldType::E8M0) {
        if (block[at] == 0xff) tally.add(ValueFault::NAN_VALUE, at);
        if (overflowsMxfp4(block)) tally.add(ValueFault::INFINITE_VALUE, at);
      } else if (field.type == FieldType::UE4M3 && reservedUe4m3(block[at])) {
        tally.add(ValueFault::RESERVED_SCALE, at);
      } else if (spec_->encoding == Encoding::TQ2_0 && field.type == FieldType::U8 &&
                 pairsOfOnes(block[at]) != 0) {
        tally.add(ValueFault::INVALID_CODE, at);
        break;  // the first of the block is enough
      }
    }
  }
}

}  // namespace packed
