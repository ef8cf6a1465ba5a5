#include "weights/byte_search.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/loops.h"
#include "base/register.h"
#include "weights/block_match.h"
#include "weights/sample.h"

namespace packed {
namespace {

using Halves = uint16_t __attribute__((vector_size(kRegister)));

// A key, and where in it the two bytes are by which places are picked: those that `bytes` hold
// least often. The top bytes of floats are nearly all the same few, and a place that is picked in
// vain costs as much as a hundred that are passed over.
class Needle {
 public:
  Needle(Bytes key, Bytes bytes) : key_(key) {
    std::array<uint16_t, 256> seen{};
    const uint64_t samples = std::min<uint64_t>(bytes.size(), kMostSamples);
    for (uint64_t i = 0; i < samples; ++i) ++seen[bytes[sampleAt(i, bytes.size())]];
    const auto rarest = [&](std::size_t except) {
      std::size_t best = except == 0 ? key.size() - 1 : 0;
      for (std::size_t i = 0; i < key.size(); ++i) {
        if (i != except && seen[key[i]] < seen[key[best]]) best = i;
      }
      return best;
    };
    first_ = rarest(key.size());
    second_ = rarest(first_);
  }

  std::size_t size() const { return key_.size(); }

  // As findBytes. Too long to be repeated.
  [[gnu::noinline]] uint64_t find(Bytes bytes, uint64_t from) const {
    if (key_.size() > bytes.size()) return bytes.size();
    const uint64_t end = bytes.size() - key_.size() + 1;
    for (uint64_t next; from < end; from = next) {
      const uint8_t* places = bytes.data() + from;
      next = std::min(end, from + kAtOnce * kRegister);
      if (next - from == kAtOnce * kRegister && !mayStand<kAtOnce>(places)) continue;
      next = std::min(end, from + kRegister);
      if (next - from == kRegister && !mayStand<1>(places)) continue;
      for (uint64_t at = from; at < next; ++at) {
        if (standsAt(bytes.data() + at)) return at;
      }
    }
    return bytes.size();
  }

 private:
  static constexpr std::size_t kAtOnce = 4;  // registers of places

  template <std::size_t registers>
  bool mayStand(const uint8_t* from) const {
    const Register first = Register{} + key_[first_];
    const Register second = Register{} + key_[second_];
    Register picked = {};
    for (std::size_t i = 0; i < registers; ++i, from += kRegister) {
      picked |= reinterpret_cast<Register>((loadRegister(from + first_) == first) &
                                           (loadRegister(from + second_) == second));
    }
    return !isZero(picked);
  }
  bool standsAt(const uint8_t* at) const {
    return at[first_] == key_[first_] && sameBytes(at, key_.data(), key_.size());
  }

  Bytes key_;
  std::size_t first_ = 0;
  std::size_t second_ = 0;
};

uint64_t sumOf(Bytes bytes) {
  constexpr std::size_t kRegisters = 128;  // whose sums fit sixteen bits
  uint64_t sum = 0;
  std::size_t at = 0;
  while (at + kRegister <= bytes.size()) {
    const std::size_t end = std::min(bytes.size(), at + kRegisters * kRegister);
    Halves sums = {};
    for (; at + kRegister <= end; at += kRegister) {
      const auto pairs = reinterpret_cast<Halves>(loadRegister(bytes.data() + at));
      sums += (pairs & 0xff) + (pairs >> 8);
    }
    for (std::size_t lane = 0; lane < kRegister / 2; ++lane) sum += sums[lane];
  }
  PACKED_ONE_BY_ONE
  for (; at < bytes.size(); ++at) sum += bytes[at];
  return sum;
}

uint64_t sumOfSquares(Bytes bytes) {
  constexpr std::size_t kChunk = 1 << 14;  // whose sum fits 32 bits
  uint64_t sum = 0;
  for (std::size_t start = 0; start < bytes.size(); start += kChunk) {
    uint32_t squares = 0;
    for (const uint8_t byte : bytes.subspan(start, std::min(kChunk, bytes.size() - start))) {
      squares += static_cast<uint32_t>(byte) * byte;
    }
    sum += squares;
  }
  return sum;
}

}  // namespace

bool isUniform(Bytes bytes) { return sameBytes(bytes.data(), bytes.data() + 1, bytes.size() - 1); }

void Pieces::keep(Bytes piece) {
  if (isFiller(piece)) return;
  const bool uniform = isUniform(piece);
  std::vector<Bytes>& like = uniform ? uniform_ : varied_;
  const bool known = uniform && std::any_of(like.begin(), like.end(),
                                            [&](Bytes other) { return other[0] == piece[0]; });
  if (!known && like.size() < most_) like.push_back(piece);
}

uint64_t findBytes(Bytes key, Bytes bytes, uint64_t from) {
  return Needle(key, bytes).find(bytes, from);
}

std::size_t countStanding(std::span<const Bytes> keys, Bytes bytes, std::size_t enough) {
  constexpr std::size_t kStretch = 1 << 17;  // stays in a cache for the next key
  std::vector<Needle> left;
  for (const Bytes key : keys) left.emplace_back(key, bytes);
  for (std::size_t start = 0; start < bytes.size(); start += kStretch) {
    const Bytes from = bytes.subspan(start);
    std::erase_if(left, [&](const Needle& needle) {
      const Bytes within = from.first(std::min(from.size(), kStretch + needle.size() - 1));
      return needle.find(within, 0) < within.size();
    });
    if (left.empty() || keys.size() - left.size() >= enough) break;
  }
  return keys.size() - left.size();
}

bool sameByteSums(Bytes one, Bytes other) {
  return sumOf(one) == sumOf(other) && sumOfSquares(one) == sumOfSquares(other);
}

}  // namespace packed
