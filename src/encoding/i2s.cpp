#include "encoding/i2s.h"

#include <algorithm>
#include <cmath>

#include "base/half.h"
#include "encoding/bitnet_codes.h"
#include "encoding/codec.h"
#include "encoding/quantize.h"

namespace packed {
namespace {

constexpr uint64_t kTrailer = 32;  // what BitNet.cpp reserves for the scale

Encoding blockEncodingOf(TernaryEncoding encoding) {
  return encoding == TernaryEncoding::TQ1_0 ? Encoding::TQ1_0 : Encoding::TQ2_0;
}

Status checkSize(std::string_view what, uint64_t expected, uint64_t actual) {
  if (expected == actual) return Done{};
  return refuse(ErrorCode::SIZE_MISMATCH, what, " takes ", expected, " bytes, not ", actual)
      .wanted(joined(expected), joined(actual));
}

Status checkScale(std::string_view what, float scale, uint64_t at) {
  if (std::isfinite(scale)) return Done{};
  return refuse(ErrorCode::ELEMENT_NOT_FINITE, "a scale of this ", what, " tensor is ",
                double(scale))
      .at(at)
      .wanted("a finite scale", joined(double(scale)));
}

// s, after every value has been found to be -s, 0 or +s; 0 when all are zero.
Result<float> ternaryScale(std::span<const float> values) {
  float scale = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float size = std::fabs(values[i]);
    if (size == 0 || size == scale) continue;
    if (!std::isfinite(size)) {
      return refuse(ErrorCode::ELEMENT_NOT_FINITE, "element ", i, " is ", double(values[i]),
                    "; nothing was written");
    }
    if (scale != 0) {
      return refuse(ErrorCode::INVALID_ARGUMENT, "element ", i, " is ", double(values[i]),
                    ", none of 0 and +-", double(scale),
                    ": the values are not ternary; use quantize to round them");
    }
    scale = size;
  }
  return scale;
}

Error invalidCode(uint64_t element, uint64_t byte) {
  return refuse(
             ErrorCode::INVALID_CODE, "element ", element,
             " has code 3; ternary codes are 0, 1, 2 for -1, 0, +1. The order stated may be wrong")
      .at(byte)
      .wanted("0, 1 or 2", "3");
}

// One group of 4 * stride values: bytes of four consecutive values from bytes of values `stride`
// apart.
void sequentialFromGroup(const uint8_t* group, int stride, uint8_t* to) {
  for (int lane = 0; lane < 4; ++lane) {
    const int shift = 6 - 2 * lane;
    for (int j = 0; j < stride; j += 4) {
      const uint32_t codes = loadLE<uint32_t>(group + j) >> shift & 0x03030303u;
      *to++ = static_cast<uint8_t>(codes | codes >> 6 | codes >> 12 | codes >> 18);
    }
  }
}

void fillPadding(uint8_t* codes, uint64_t count) {
  if (count % 4 == 0) return;
  const int used = 2 * static_cast<int>(count % 4);
  uint8_t& last = codes[count / 4];
  last = static_cast<uint8_t>((last & ((1 << used) - 1)) | (0x55 & ~((1 << used) - 1)));
}

}  // namespace

std::string_view nameOf(TernaryEncoding encoding) {
  switch (encoding) {
    case TernaryEncoding::TQ1_0:
      return "TQ1_0";
    case TernaryEncoding::TQ2_0:
      return "TQ2_0";
    case TernaryEncoding::BITNET_B1_58:
      return "BITNET_B1_58";
  }
  return "";
}

Result<TernaryEncoding> ternaryEncodingByName(std::string_view name) {
  for (const auto encoding :
       {TernaryEncoding::TQ1_0, TernaryEncoding::TQ2_0, TernaryEncoding::BITNET_B1_58}) {
    if (nameOf(encoding) == name) return encoding;
  }
  return refuse(ErrorCode::UNKNOWN_ENCODING, "no ternary encoding is called \"", name,
                "\"; there are TQ1_0, TQ2_0 and BITNET_B1_58");
}

Result<uint64_t> ternaryBytesOf(TernaryEncoding encoding, uint64_t count) {
  if (encoding != TernaryEncoding::BITNET_B1_58) {
    return packedBytesOf(blockEncodingOf(encoding), 1, count);
  }
  return bitnetCodeBytes(count) + sizeof(float);
}

Result<float> encodeTernary(TernaryEncoding encoding, std::span<const float> values,
                            MutableBytes to) {
  PACKED_TRY(bytes, ternaryBytesOf(encoding, values.size()));
  PACKED_CHECK(checkSize(nameOf(encoding), bytes, to.size()));
  PACKED_TRY(scale, ternaryScale(values));
  if (encoding != TernaryEncoding::BITNET_B1_58) {
    if (halfToFloat(floatToHalf(scale)) != scale) {
      return refuse(ErrorCode::INVALID_ARGUMENT, nameOf(encoding),
                    " stores its scale in fp16, which rounds ", double(scale),
                    "; BITNET_B1_58 keeps it in f32");
    }
    if (values.empty()) return scale;
    PACKED_CHECK(quantize(blockEncodingOf(encoding), values, values.size(), {}, to));
    return scale;
  }
  uint8_t* codes = to.data();
  std::fill(to.begin(), to.end(), uint8_t{0});
  for (uint64_t i = 0; i < values.size(); ++i) {
    const int code = values[i] > 0 ? 2 : values[i] < 0 ? 0 : 1;
    codes[i / 4] = static_cast<uint8_t>(codes[i / 4] | code << (2 * (i % 4)));
  }
  fillPadding(codes, values.size());
  storeLE<float>(codes + bitnetCodeBytes(values.size()), scale);
  return scale;
}

Status decodeTernary(TernaryEncoding encoding, Bytes bytes, std::span<float> to) {
  PACKED_TRY(size, ternaryBytesOf(encoding, to.size()));
  PACKED_CHECK(checkSize(nameOf(encoding), size, bytes.size()));
  if (encoding != TernaryEncoding::BITNET_B1_58) {
    const Encoding blocks = blockEncodingOf(encoding);
    const EncodingSpec& spec = specOf(blocks);
    BlockParts parts;
    for (uint64_t b = 0; b < to.size() / spec.elements; ++b) {
      unpackerOf(blocks)(bytes.data() + b * spec.bytes, parts);
      PACKED_CHECK(checkScale(spec.name, parts.d[0], (b + 1) * spec.bytes - sizeof(uint16_t)));
      for (uint32_t i = 0; i < spec.elements; ++i) {
        if (parts.codes[i] == 2)
          return invalidCode(b * spec.elements + i, b * spec.bytes + i / 128 * 32 + i % 32);
      }
      decodeParts(spec, parts, to.data() + b * spec.elements);
    }
    return Done{};
  }
  const uint64_t invalid = firstInvalidCode(bytes.data(), to.size());
  if (invalid < to.size()) return invalidCode(invalid, invalid / 4);
  const uint64_t scaleAt = bitnetCodeBytes(to.size());
  const float scale = loadLE<float>(bytes.data() + scaleAt);
  PACKED_CHECK(checkScale(nameOf(encoding), scale, scaleAt));
  for (uint64_t i = 0; i < to.size(); ++i) {
    to[i] = static_cast<float>((bytes[i / 4] >> (2 * (i % 4)) & 3) - 1) * scale;
  }
  return Done{};
}

Result<I2sOrder> i2sOrderByName(std::string_view name) {
  if (name == "group128") return I2sOrder::GROUP_128;
  if (name == "group64") return I2sOrder::GROUP_64;
  if (name == "sequential") return I2sOrder::SEQUENTIAL;
  return refuse(
             ErrorCode::ORDER_REQUIRED,
             "the element order of I2_S cannot be seen in its bytes: state group128 (BitNet.cpp on "
             "x86), group64 (BitNet.cpp on ARM) or sequential")
      .wanted("group128, group64 or sequential", name);
}

Result<float> importI2S(Bytes stored, uint64_t count, std::optional<I2sOrder> order,
                        MutableBytes to) {
  if (!order) return i2sOrderByName("").error();
  const int stride = order == I2sOrder::GROUP_128 ? 32 : order == I2sOrder::GROUP_64 ? 16 : 1;
  const uint64_t group = 4 * static_cast<uint64_t>(stride);
  if (stride > 1 && count % group != 0) {
    return refuse(ErrorCode::NOT_BLOCK_DIVISIBLE, count, " values are not whole groups of ", group)
        .wanted(joined("a multiple of ", group), joined(count));
  }
  const uint64_t codeBytes = bitnetCodeBytes(count);
  if (stored.size() < codeBytes + sizeof(float) || stored.size() > codeBytes + kTrailer) {
    return refuse(ErrorCode::SIZE_MISMATCH, count, " values of I2_S take ", codeBytes,
                  " bytes and a scale in the 4 to 32 bytes behind them, not ", stored.size())
        .wanted(joined(codeBytes + sizeof(float), " to ", codeBytes + kTrailer),
                joined(stored.size()));
  }
  PACKED_CHECK(checkSize("BITNET_B1_58", codeBytes + sizeof(float), to.size()));
  const float scale = loadLE<float>(stored.data() + codeBytes);
  PACKED_CHECK(checkScale("I2_S", scale, codeBytes));
  if (stride == 1) {
    std::copy_n(stored.begin(), codeBytes, to.begin());
  } else {
    for (uint64_t g = 0; g < count / group; ++g) {
      const uint64_t at = g * static_cast<uint64_t>(stride);
      sequentialFromGroup(stored.data() + at, stride, to.data() + at);
    }
  }
  if (const uint64_t invalid = firstInvalidCode(to.data(), count); invalid < count) {
    std::fill(to.begin(), to.end(), uint8_t{0});
    const uint64_t inGroup = invalid % group;
    const uint64_t byte = stride == 1 ? invalid / 4
                                      : invalid / group * static_cast<uint64_t>(stride) +
                                            inGroup % static_cast<uint64_t>(stride);
    return invalidCode(invalid, byte);
  }
  fillPadding(to.data(), count);
  storeLE<float>(to.data() + codeBytes, scale);
  return scale;
}

}  // namespace packed
