#include "encoding/quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/half.h"
#include "encoding/codec.h"
#include "encoding/formats.h"

namespace packed {
namespace {

using QuantizeBlock = void (*)(const float* values, const Importance& importance, uint8_t* block);

template <Encoding encoding>
constexpr QuantizeBlock quantizerIfAny() {
  if constexpr (requires { &BlockCodec<encoding>::quantize; }) {
    return &BlockCodec<encoding>::quantize;
  } else {
    return nullptr;
  }
}

template <class Stored, class Convert>
void storeEach(const float* values, uint64_t count, uint8_t* to, Convert convert) {
  for (uint64_t i = 0; i < count; ++i) {
    storeLE<Stored>(to + i * sizeof(Stored), static_cast<Stored>(convert(values[i])));
  }
}

constexpr QuantizeBlock kQuantizers[] = {
#define X(name, ggmlType, elements, bytes, group, kind) quantizerIfAny<Encoding::name>(),
#include "encoding/encodings.inc"
#undef X
};

QuantizeBlock quantizerOf(Encoding encoding) {
  return kQuantizers[static_cast<std::size_t>(encoding)];
}

bool isFloat(Encoding encoding) {
  return encoding == Encoding::F32 || encoding == Encoding::F16 || encoding == Encoding::BF16 ||
         encoding == Encoding::F64;
}

void storeFloats(Encoding encoding, const float* values, uint64_t count, uint8_t* to) {
  const auto same = [](float value) { return value; };
  if (encoding == Encoding::F32) return storeEach<float>(values, count, to, same);
  if (encoding == Encoding::F16) return storeEach<uint16_t>(values, count, to, floatToHalf);
  if (encoding == Encoding::BF16) return storeEach<uint16_t>(values, count, to, floatToBf16);
  storeEach<double>(values, count, to, same);
}

// Magnitudes above this are refused at sight: NVFP4 would clip them (its largest scale times its
// largest level), the formats under fp16 scales have left their range long before. Those that pass
// and still overflow a scale are found when they are decoded again.
float largestValueOf(Encoding encoding) {
  if (isFloat(encoding) || encoding == Encoding::MXFP4) return std::numeric_limits<float>::max();
  return encoding == Encoding::NVFP4 ? 448.0f * 6 : 1e12f;
}

// Index of the first value that is NaN or of greater magnitude than `limit`, or the size.
uint64_t firstBeyond(std::span<const float> values, float limit) {
  // As integers, magnitudes are ordered like the floats, with infinity and NaN on top.
  const uint32_t highest = std::bit_cast<uint32_t>(limit);
  const auto magnitudeOf = [](float value) { return std::bit_cast<uint32_t>(value) & 0x7fffffffu; };
  constexpr uint64_t kStep = 1024;
  for (uint64_t from = 0; from < values.size(); from += kStep) {
    const float* step = values.data() + from;
    const uint64_t count = std::min<uint64_t>(kStep, values.size() - from);
    uint32_t largest = 0;
    for (uint64_t i = 0; i < count; ++i) largest = std::max(largest, magnitudeOf(step[i]));
    for (uint64_t i = 0; largest > highest && i < count; ++i) {
      if (magnitudeOf(step[i]) > highest) return from + i;
    }
  }
  return values.size();
}

uint64_t firstNotFinite(std::span<const float> values) {
  return firstBeyond(values, std::numeric_limits<float>::max());
}

uint64_t indexOfLargest(std::span<const float> values) {
  const auto smaller = [](float a, float b) { return std::fabs(a) < std::fabs(b); };
  return static_cast<uint64_t>(std::max_element(values.begin(), values.end(), smaller) -
                               values.begin());
}

Error tooLarge(Encoding encoding, std::span<const float> values, uint64_t inputDim, uint64_t at) {
  return refuse(ErrorCode::OUT_OF_RANGE, "element ", at, " (row ", at / inputDim, ", input ",
                at % inputDim, ") is ", double(values[at]), ", beyond what ",
                isFloat(encoding) ? "" : "a scale of ", nameOf(encoding),
                " can express; choose another encoding or rescale the weight");
}

// The weights with their largest between 1 and 2: only proportions count, and sums of them stay in
// range.
std::vector<float> normalized(std::span<const float> importance) {
  std::vector<float> weights(importance.begin(), importance.end());
  float largest = 0;
  for (const float weight : weights) largest = std::max(largest, weight);
  const int exponent = largest > 0 ? -std::ilogb(largest) : 0;
  for (float& weight : weights) weight = std::scalbn(weight, exponent);
  return weights;
}

Status checkArguments(Encoding encoding, std::span<const float> values, uint64_t inputDim,
                      std::span<const float> importance, MutableBytes to) {
  if (!quantizable(encoding)) {
    return refuse(ErrorCode::UNSUPPORTED_ENCODING, "no quantizer for ", nameOf(encoding));
  }
  if (inputDim == 0 || values.size() % inputDim != 0) {
    return refuse(ErrorCode::SIZE_MISMATCH, values.size(), " values are not whole rows of ",
                  inputDim)
        .wanted(joined("a multiple of ", inputDim), joined(values.size()));
  }
  PACKED_TRY(bytes, packedBytesOf(encoding, values.size() / inputDim, inputDim));
  if (to.size() != bytes) {
    return refuse(ErrorCode::SIZE_MISMATCH, values.size(), " values of ", nameOf(encoding),
                  " take ", bytes, " bytes, not ", to.size())
        .wanted(joined(bytes), joined(to.size()));
  }
  if (!importance.empty() && importance.size() != inputDim) {
    return refuse(ErrorCode::SIZE_MISMATCH, "importance is one weight per input: ", inputDim,
                  ", not ", importance.size())
        .wanted(joined(inputDim), joined(importance.size()));
  }
  for (std::size_t i = 0; i < importance.size(); ++i) {
    if (importance[i] >= 0 && std::isfinite(importance[i])) continue;
    return refuse(ErrorCode::INVALID_ARGUMENT, "importance[", i, "] is ", double(importance[i]),
                  "; weights are finite and not negative");
  }
  const uint64_t at = firstBeyond(values, largestValueOf(encoding));
  if (at == values.size()) return Done{};
  if (std::isfinite(values[at])) return tooLarge(encoding, values, inputDim, at);
  return refuse(ErrorCode::ELEMENT_NOT_FINITE, "element ", at, " (row ", at / inputDim, ", input ",
                at % inputDim, ") is ", double(values[at]), "; nothing was written")
      .wanted("a finite value", joined(double(values[at])));
}

float meanSquare(std::span<const float> values) {
  float sums[8] = {};
  for (std::size_t i = 0; i + 8 <= values.size(); i += 8) {
    for (std::size_t l = 0; l < 8; ++l) sums[l] += values[i + l] * values[i + l];
  }
  float sum = 0;
  for (std::size_t i = values.size() / 8 * 8; i < values.size(); ++i) sum += values[i] * values[i];
  for (const float part : sums) sum += part;
  return sum / static_cast<float>(values.size());
}

}  // namespace

bool quantizable(Encoding encoding) {
  return quantizerOf(encoding) != nullptr || isFloat(encoding);
}

Result<QuantizeReport> quantize(Encoding encoding, std::span<const float> values, uint64_t inputDim,
                                std::span<const float> importance, MutableBytes to) {
  PACKED_CHECK(checkArguments(encoding, values, inputDim, importance, to));
  const EncodingSpec& spec = specOf(encoding);
  const QuantizeBlock quantizeBlock = quantizerOf(encoding);
  const std::vector<float> weights = normalized(importance);
  const uint64_t rows = values.size() / inputDim;
  const uint64_t blocks = inputDim / spec.elements;
  // Values are decoded again a stretch at a time, while they are still in the nearest cache.
  const uint64_t stretch = spec.blocked() ? std::min<uint64_t>(blocks, 4096 / spec.elements)
                                          : std::min<uint64_t>(blocks, 4096);
  float decoded[4096];
  LossOfRows losses;
  for (uint64_t o = 0; o < rows; ++o) {
    Loss row;
    Importance block;
    block.rowMeanSquare = meanSquare(values.subspan(o * inputDim, inputDim));
    for (uint64_t b = 0; b < blocks; b += stretch) {
      const uint64_t count = std::min(stretch, blocks - b);
      const uint64_t first = o * inputDim + b * spec.elements;
      const float* from = values.data() + first;
      uint8_t* bytes = to.data() + (o * blocks + b) * spec.bytes;
      if (quantizeBlock == nullptr) storeFloats(encoding, from, count, bytes);
      for (uint64_t i = 0; quantizeBlock != nullptr && i < count; ++i) {
        block.perValue = weights.empty() ? nullptr : weights.data() + (b + i) * spec.elements;
        quantizeBlock(from + i * spec.elements, block, bytes + i * spec.bytes);
      }
      decodeBlocks(encoding, bytes, count, decoded);
      const uint64_t size = count * spec.elements;
      const Loss part = lossOf(from, decoded, size);
      row.add(part);
      if (std::isfinite(part.lost)) continue;
      // The whole block is lost; it is the largest value that no scale could hold.
      const uint64_t lost = firstNotFinite({decoded, std::size_t(size)}) / spec.elements;
      const uint64_t at = first + lost * spec.elements +
                          indexOfLargest({from + lost * spec.elements, spec.elements});
      std::fill(to.begin(), to.end(), uint8_t{0});
      return tooLarge(encoding, values, inputDim, at);
    }
    losses.add(row);
  }
  return losses.report();
}

}  // namespace packed
