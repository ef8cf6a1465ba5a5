#include "encoding/codec.h"

#include "base/half.h"
#include "base/loops.h"
#include "encoding/formats.h"
#include "encoding/lanes.h"

namespace packed {
namespace {

template <Encoding encoding>
constexpr UnpackBlock unpackerIfAny() {
  if constexpr (requires { &BlockCodec<encoding>::unpack; }) {
    return &BlockCodec<encoding>::unpack;
  } else {
    return nullptr;
  }
}

constexpr UnpackBlock kUnpackers[] = {
#define X(name, ggmlType, elements, bytes, group, kind) unpackerIfAny<Encoding::name>(),
#include "encoding/encodings.inc"
#undef X
};

template <class Stored, class Convert>
void convertEach(const uint8_t* from, uint64_t count, float* to, Convert convert) {
  for (uint64_t i = 0; i < count; ++i) to[i] = convert(loadLE<Stored>(from + i * sizeof(Stored)));
}
// Of types that weights do not come in.
template <class Stored>
void roundEach(const uint8_t* from, uint64_t count, float* to) {
  PACKED_ONE_BY_ONE
  for (uint64_t i = 0; i < count; ++i)
    to[i] = static_cast<float>(loadLE<Stored>(from + i * sizeof(Stored)));
}

void decodePlain(Encoding encoding, const uint8_t* from, uint64_t count, float* to) {
  switch (encoding) {
    case Encoding::F32:
      return convertEach<float>(from, count, to, [](float value) { return value; });
    case Encoding::F16:
      return convertEach<uint16_t>(from, count, to, halfToFloat);
    case Encoding::BF16:
      return convertEach<uint16_t>(from, count, to, bf16ToFloat);
    case Encoding::F64:
      return roundEach<double>(from, count, to);
    case Encoding::I8:
      return roundEach<int8_t>(from, count, to);
    case Encoding::I16:
      return roundEach<int16_t>(from, count, to);
    case Encoding::I32:
      return roundEach<int32_t>(from, count, to);
    case Encoding::I64:
      return roundEach<int64_t>(from, count, to);
    default:
      PACKED_ASSERT(!"a PLAIN encoding without a conversion");
  }
}

}  // namespace

UnpackBlock unpackerOf(Encoding encoding) { return kUnpackers[static_cast<std::size_t>(encoding)]; }

bool decodable(Encoding encoding) {
  return !specOf(encoding).blocked() || unpackerOf(encoding) != nullptr;
}

Status requireDecodable(Encoding encoding) {
  if (decodable(encoding)) return Done{};
  return refuse(ErrorCode::UNSUPPORTED_ENCODING, "no decoder for ", nameOf(encoding));
}

void decodeParts(const EncodingSpec& spec, const BlockParts& parts, float* to) {
  const bool floatPerGroup = hasFloatScalePerGroup(spec.encoding);
  const int8_t* codes = parts.codes;
  const float* const end = to + spec.elements;
  for (uint32_t g = 0; to < end; ++g) {
    const float scale = parts.d[floatPerGroup ? g : 0] * static_cast<float>(parts.scales[g]);
    const float minimum = parts.dmin * static_cast<float>(parts.mins[g]);
    for (const float* const rest = to + spec.group; to < rest; to += 8, codes += 8) {
      const EightLanes eight = loadIntegers(codes);
      storeLanes(to, scale * eight.low - minimum);
      storeLanes(to + 4, scale * eight.high - minimum);
    }
  }
}

void decodeBlocks(Encoding encoding, const uint8_t* blocks, uint64_t count, float* to) {
  const EncodingSpec& spec = specOf(encoding);
  if (!spec.blocked()) return decodePlain(encoding, blocks, count, to);
  const UnpackBlock unpack = unpackerOf(encoding);
  BlockParts parts;
  for (uint64_t i = 0; i < count; ++i) {
    unpack(blocks + i * spec.bytes, parts);
    decodeParts(spec, parts, to + i * spec.elements);
  }
}

Status decode(Encoding encoding, Bytes bytes, std::span<float> to) {
  PACKED_CHECK(requireDecodable(encoding));
  const EncodingSpec& spec = specOf(encoding);
  const uint64_t blocks = bytes.size() / spec.bytes;
  if (bytes.size() % spec.bytes != 0) {
    return refuse(ErrorCode::SIZE_MISMATCH, bytes.size(), " bytes are not whole ", spec.name,
                  " blocks of ", spec.bytes, " bytes; ", bytes.size() % spec.bytes,
                  " are left over")
        .at(blocks * spec.bytes);
  }
  if (to.size() != blocks * spec.elements) {
    return refuse(ErrorCode::SIZE_MISMATCH, blocks, " ", spec.name, " blocks hold ",
                  blocks * spec.elements, " values, not ", to.size())
        .wanted(joined(blocks * spec.elements), joined(to.size()));
  }
  decodeBlocks(encoding, bytes.data(), blocks, to.data());
  return Done{};
}

}  // namespace packed
