#include "weights/near_mistake.h"

#include <array>
#include <cmath>

#include "encoding/block_anatomy.h"
#include "encoding/codec.h"
#include "weights/block_match.h"
#include "weights/distance.h"
#include "weights/mending.h"
#include "weights/sample.h"
#include "weights/unexplained.h"

namespace packed {
namespace {

constexpr uint64_t kLeast = 8;  // stretches: fewer may be near by chance

uint64_t unitsOf(const Observation& seen) { return seen.plain() ? kValuesTogether : 1; }

// What a stretch that begins at a flat place says of a hypothesis, or, with none, of itself.
class Stretch {
 public:
  explicit Stretch(const Observation& seen) : seen_(seen), elements_(elementsOf(seen)) {}

  Distance of(uint64_t flat, const Hypothesis* hypothesis) {
    const uint64_t units = std::min(unitsOf(seen_), seen_.blocks - flat);
    for (uint64_t i = 0; i < units; ++i) {
      const uint64_t at = flat + i;
      const uint8_t* found = seen_.observed.data() + at * seen_.blockBytes;
      const uint8_t* right = seen_.right.data() + at * seen_.blockBytes;
      uint8_t undone[kMaxBlockBytes];
      if (hypothesis && hypothesis->undo) {
        hypothesis->undo(found, undone);
        found = undone;
      }
      if (hypothesis && hypothesis->block) right = seen_.referenceAt(hypothesis->block(at));
      decodeBlocks(seen_.expected.encoding, found, 1, found_.data() + i * elements_);
      decodeBlocks(seen_.expected.encoding, right, 1, right_.data() + i * elements_);
    }
    return distanceOf(found_.data(), right_.data(), units * elements_);
  }

 private:
  static uint32_t elementsOf(const Observation& seen) {
    return specOf(seen.expected.encoding).elements;
  }
  const Observation& seen_;
  uint32_t elements_;
  std::array<float, kMaxBlockElements> found_, right_;
};

// Half of what the values differ by: nothing that does not belong there comes so near. What is the
// same everywhere says nothing: so is memory that was never written.
bool isNear(const Distance& distance) {
  return distance.signal > 0 && distance.off * 4 <= distance.signal;
}
bool saysNothing(const Distance& distance) { return distance.signal == 0 && distance.off == 0; }

struct Sample {
  uint64_t flat = 0;
  bool wrong = false;  // not near as it stands
};

std::vector<Sample> samplesOf(const Observation& seen) {
  std::vector<Sample> samples;
  Stretch stretch(seen);
  const uint64_t all = seen.blocks / unitsOf(seen);
  for (uint64_t i = 0; i < std::min(all, kMostSamples); ++i) {
    const uint64_t flat = sampleAt(i, all) * unitsOf(seen);
    const Distance distance = stretch.of(flat, nullptr);
    // Of what is the same everywhere, or no number, any mistake makes the same.
    if (std::isfinite(distance.signal) && distance.signal > 0) {
      samples.push_back({flat, !isNear(distance)});
    }
  }
  return samples;
}

// Whether the float scales of a block are those that belong there, while the hypothesis says that
// the block is another one: what has moved its codes has left them behind.
bool scalesStayed(const Observation& seen, const Hypothesis& hypothesis, uint64_t flat) {
  if (seen.plain() || !hypothesis.block) return false;
  const uint8_t* foretold = seen.referenceAt(hypothesis.block(flat));
  bool moved = false;
  for (const BlockField& field : anatomyOf(seen.expected.encoding)) {
    if (!isFloat(field.type)) continue;
    const uint8_t* found = seen.seenAt(flat) + field.offset;
    if (!sameBytes(found, seen.rightAt(flat) + field.offset, field.bytes())) return false;
    moved |= !sameBytes(found, foretold + field.offset, field.bytes());
  }
  return moved;
}

struct Near {
  const Hypothesis* hypothesis = nullptr;
  uint64_t near = 0;
  uint64_t wrongNear = 0;  // of those that are not as they stand
  uint64_t open = 0;       // of which the hypothesis says nothing
  uint64_t wrongOpen = 0;
  Distance all{};

  double relativeRms() const { return std::sqrt(all.off / all.signal); }
};

Near nearnessOf(const Observation& seen, const Hypothesis& hypothesis,
                const std::vector<Sample>& samples, uint64_t wrong) {
  Near result{&hypothesis};
  Stretch stretch(seen);
  uint64_t far = 0;
  uint64_t stayed = 0;
  for (const Sample& sample : samples) {
    stayed += sample.wrong && scalesStayed(seen, hypothesis, sample.flat);
    if (stayed * 2 > wrong) return {&hypothesis};
    const Distance distance = stretch.of(sample.flat, &hypothesis);
    if (saysNothing(distance)) {
      ++result.open;
      result.wrongOpen += sample.wrong;
    } else if (isNear(distance)) {
      ++result.near;
      result.wrongNear += sample.wrong;
      result.all.off += distance.off;
      result.all.signal += distance.signal;
    } else if (sample.wrong && ++far * 2 > wrong) {
      break;
    }
  }
  return result;
}

bool most(uint64_t part, uint64_t whole) { return part * 16 >= whole * 15; }

std::string named(const Hypothesis& hypothesis) {
  return joined(nameOf(hypothesis.kind), " (", hypothesis.variant, ")");
}

}  // namespace

std::optional<Diagnosis> namedByValues(const Observation& seen, const Hypotheses& hypotheses,
                                       std::string_view counts) {
  if (!seen.sameSize() || !decodable(seen.expected.encoding)) return std::nullopt;
  const std::vector<Sample> samples = samplesOf(seen);
  const auto wrong = static_cast<uint64_t>(std::count_if(
      samples.begin(), samples.end(), [](const Sample& sample) { return sample.wrong; }));
  if (wrong == 0) return std::nullopt;
  // The nearest form of every kind.
  std::vector<Near> kinds;
  for (const Hypothesis& hypothesis : hypotheses) {
    if (!hypothesis.block && !hypothesis.undo) continue;
    const Near near = nearnessOf(seen, hypothesis, samples, wrong);
    if (near.wrongNear * 2 <= wrong) continue;
    const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const Near& other) {
      return other.hypothesis->kind == hypothesis.kind;
    });
    if (same == kinds.end()) {
      kinds.push_back(near);
    } else if (near.near > same->near ||
               (near.near == same->near && near.relativeRms() < same->relativeRms())) {
      *same = near;
    }
  }
  const auto whole = std::find_if(kinds.begin(), kinds.end(), [&](const Near& near) {
    return most(near.wrongNear + near.wrongOpen, wrong) &&
           most(near.near + near.open, samples.size());
  });
  if (whole == kinds.end()) return std::nullopt;
  const std::string_view otherwise =
      seen.plain() ? "rounded or computed in another way" : "quantized in another way";
  if (kinds.size() > 1 || wrong < kLeast) {
    std::string list;
    for (const Near& near : kinds) {
      list += joined(list.empty() ? "" : " or ", named(*near.hypothesis));
    }
    Diagnosis result =
        undetermined(seen, joined(counts, "; decoded, they are nearly what is left by ", list, ", ",
                                  otherwise, " besides"));
    for (const Near& near : kinds) result.candidates.push_back(near.hypothesis->kind);
    if (kinds.size() == 1) result.fix = whole->hypothesis->fix;
    return result;
  }
  const Hypothesis& mistake = *whole->hypothesis;
  const std::string_view what = seen.plain() ? "runs of values" : "blocks";
  Diagnosis result;
  result.kind = mistake.kind;
  result.variant = mistake.variant;
  result.fix = mistake.fix;
  result.explained = whole->near * unitsOf(seen);
  result.total = seen.count();
  result.message =
      joined(introduction(seen), meaningOf(mistake.kind), " (", mistake.variant, "), and ",
             otherwise, " besides: ", counts, "; decoded with that undone, ", whole->near, " of ",
             samples.size(), " ", what, " looked at are nearly the reference's (relative RMS ",
             whole->relativeRms(), "), ", samples.size() - wrong, " as they stand");
  return result;
}

}  // namespace packed
