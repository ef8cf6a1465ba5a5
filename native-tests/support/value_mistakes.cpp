#include "support/value_mistakes.h"

#include <algorithm>
#include <cstring>

#include "base/half.h"

namespace packed::mistakes {
namespace {

using Buffer = std::vector<uint8_t>;
using Kind = DiagnosisKind;

uint64_t next(uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 33;
}

template <class T>
void put(uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// Stores a number as the encoding rounds it.
void store(Encoding encoding, uint8_t* at, double value) {
  switch (encoding) {
    case Encoding::F32:
      return put(at, static_cast<float>(value));
    case Encoding::F64:
      return put(at, value);
    case Encoding::F16:
      return storeHalf(at, static_cast<float>(value));
    case Encoding::BF16: {
      uint32_t bits;
      const auto single = static_cast<float>(value);
      std::memcpy(&bits, &single, 4);
      return put(at, static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16));
    }
    case Encoding::I8:
      return put(at, static_cast<int8_t>(value));
    case Encoding::I16:
      return put(at, static_cast<int16_t>(value));
    case Encoding::I32:
      return put(at, static_cast<int32_t>(value));
    default:
      return put(at, static_cast<int64_t>(value));
  }
}

double load(Encoding encoding, const uint8_t* at) {
  const auto as = [at](auto zero) {
    std::memcpy(&zero, at, sizeof zero);
    return static_cast<double>(zero);
  };
  switch (encoding) {
    case Encoding::F32:
      return as(float{});
    case Encoding::F64:
      return as(double{});
    case Encoding::F16:
      return static_cast<double>(loadHalf(at));
    case Encoding::BF16: {
      uint16_t upper;
      std::memcpy(&upper, at, 2);
      const uint32_t bits = static_cast<uint32_t>(upper) << 16;
      float value;
      std::memcpy(&value, &bits, 4);
      return static_cast<double>(value);
    }
    case Encoding::I8:
      return as(int8_t{});
    case Encoding::I16:
      return as(int16_t{});
    case Encoding::I32:
      return as(int32_t{});
    default:
      return as(int64_t{});
  }
}

template <class From>
Buffer moved(const Weight& w, From from) {
  Buffer to(w.bytes.size());
  const uint64_t size = w.blockBytes();
  for (uint64_t i = 0; i < to.size() / size; ++i) {
    std::memcpy(to.data() + i * size, w.bytes.data() + from(i) * size, size);
  }
  return to;
}

template <class Change>
Buffer changed(const Weight& w, Change change) {
  Buffer to = w.bytes;
  const uint64_t size = w.blockBytes();
  for (uint64_t at = 0; at < to.size(); at += size) {
    store(w.encoding, to.data() + at, change(load(w.encoding, to.data() + at)));
  }
  return to;
}

Buffer rowsFrom(const Weight& w, const std::function<uint64_t(uint64_t)>& from) {
  const uint64_t in = w.grid.blocksPerRow;
  return moved(w, [&](uint64_t i) { return from(i / in) * in + i % in; });
}

// Exchanges the axes of each of `slices` stacked matrices.
Buffer transposed(const Weight& w, uint64_t slices) {
  if (w.grid.out % slices != 0) return {};
  const uint64_t rows = w.grid.out / slices;
  const uint64_t columns = w.grid.blocksPerRow;
  return moved(w, [=](uint64_t i) {
    const uint64_t slice = i / (rows * columns);
    const uint64_t to = i % (rows * columns);
    return slice * rows * columns + to % rows * columns + to / rows;
  });
}

Buffer padded(const Weight& w, std::size_t bytes) {
  Buffer to;
  const uint64_t line = w.grid.blocksPerRow * w.blockBytes();
  for (uint64_t o = 0; o < w.grid.out; ++o) {
    const auto start = w.bytes.begin() + static_cast<std::ptrdiff_t>(o * line);
    to.insert(to.end(), start, start + static_cast<std::ptrdiff_t>(line));
    to.insert(to.end(), bytes, 0);
  }
  return to;
}

bool isInteger(Encoding encoding) {
  return encoding != Encoding::F32 && encoding != Encoding::F16 && encoding != Encoding::BF16 &&
         encoding != Encoding::F64;
}

std::vector<ValueMistake> made() {
  std::vector<ValueMistake> all;
  all.push_back(
      {"transposed", Kind::OTHER_ORDER, [](const Weight& w) { return transposed(w, 1); }});
  for (const uint64_t slices : {2u, 3u}) {
    all.push_back({joined("each of ", slices, " slices transposed"), Kind::OTHER_ORDER,
                   [=](const Weight& w) { return transposed(w, slices); }});
  }
  all.push_back({"big-endian", Kind::SCALE_BYTES, [](const Weight& w) {
                   Buffer to = w.bytes;
                   const auto size = static_cast<std::ptrdiff_t>(w.blockBytes());
                   for (auto at = to.begin(); at != to.end(); at += size) {
                     std::reverse(at, at + size);
                   }
                   return to;
                 }});
  all.push_back({"one more", Kind::CONSTANT_OFFSET,
                 [](const Weight& w) { return changed(w, [](double v) { return v + 1; }); }});
  all.push_back({"three times", Kind::CONSTANT_OFFSET, [](const Weight& w) {
                   return isInteger(w.encoding) ? Buffer()
                                                : changed(w, [](double v) { return v * 3; });
                 }});
  all.push_back({"negated", Kind::CONSTANT_OFFSET,
                 [](const Weight& w) { return changed(w, [](double v) { return -v; }); }});
  all.push_back({"rows half-split", Kind::ROW_PERMUTATION, [](const Weight& w) {
                   const uint64_t half = w.grid.out / 2;
                   if (w.grid.out % 2 != 0) return Buffer();
                   return rowsFrom(
                       w, [=](uint64_t o) { return o < half ? 2 * o : 2 * o - 2 * half + 1; });
                 }});
  all.push_back(
      {"first and last row exchanged", Kind::ROW_PERMUTATION, [](const Weight& w) {
         const uint64_t last = w.grid.out - 1;
         return rowsFrom(w, [=](uint64_t o) { return o == 0 ? last : o == last ? 0 : o; });
       }});
  all.push_back({"header of 24 bytes", Kind::SHIFTED, [](const Weight& w) {
                   if (w.bytes.size() < 48) return Buffer();
                   Buffer to(24, 0x47);
                   to.insert(to.end(), w.bytes.begin(), w.bytes.end());
                   return to;
                 }});
  all.push_back({"a value late, same size", Kind::SHIFTED, [](const Weight& w) {
                   if (w.bytes.size() < 2 * w.blockBytes()) return Buffer();
                   Buffer to(w.blockBytes(), 0x33);
                   to.insert(to.end(), w.bytes.begin(), w.bytes.end());
                   to.resize(w.bytes.size());
                   return to;
                 }});
  all.push_back({"a byte early", Kind::SHIFTED, [](const Weight& w) {
                   return w.bytes.size() < 2 ? Buffer()
                                             : Buffer(w.bytes.begin() + 1, w.bytes.end());
                 }});
  all.push_back({"rows padded by 8 bytes", Kind::PADDED_STRIDE,
                 [](const Weight& w) { return w.grid.out < 2 ? Buffer() : padded(w, 8); }});
  all.push_back({"a byte missing", Kind::TRUNCATED,
                 [](const Weight& w) { return Buffer(w.bytes.begin(), w.bytes.end() - 1); }});
  all.push_back({"other values", Kind::FOREIGN, [](const Weight& w) {
                   Weight other = values(w.encoding, w.grid.out * 3, w.grid.blocksPerRow);
                   return Buffer(other.bytes.end() - static_cast<std::ptrdiff_t>(w.bytes.size()),
                                 other.bytes.end());
                 }});
  all.push_back({"one value damaged", Kind::FOREIGN, [](const Weight& w) {
                   Buffer to = w.bytes;
                   const uint64_t count = to.size() / w.blockBytes();
                   store(w.encoding, to.data() + count / 2 * w.blockBytes(), 97);
                   return to;
                 }});
  return all;
}

}  // namespace

Weight values(Encoding encoding, uint64_t out, uint64_t inputDim) {
  const uint64_t size = specOf(encoding).bytes;
  Weight weight{encoding, {out, inputDim}, Buffer(out * inputDim * size)};
  uint64_t state = 1;
  for (uint64_t at = 0; at < weight.bytes.size(); at += size) {
    const uint64_t range = size < 4 ? 2000 : 4000000;
    const auto drawn =
        static_cast<int64_t>(next(state) % (2 * range)) - static_cast<int64_t>(range);
    const double value = encoding == Encoding::I8 ? static_cast<double>(drawn % 120)
                         : isInteger(encoding)
                             ? static_cast<double>(drawn)
                             : static_cast<double>(drawn) * 3 / static_cast<double>(range);
    store(encoding, weight.bytes.data() + at, value);
  }
  return weight;
}

const std::vector<ValueMistake>& ofValues() {
  static const std::vector<ValueMistake> list = made();
  return list;
}

}  // namespace packed::mistakes
