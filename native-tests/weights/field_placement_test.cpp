// diagnose where the fields of each block were written in another sequence, as by the author of a
// struct.
#include <doctest/doctest.h>

#include <algorithm>

#include "encoding/block_anatomy.h"
#include "support/mistakes.h"

using namespace packed;
using mistakes::kOrders;
using mistakes::Weight;

namespace {

using Buffer = std::vector<uint8_t>;
using Fields = std::vector<BlockField>;

Fields fieldsOf(Encoding encoding) {
  const auto fields = anatomyOf(encoding);
  return {fields.begin(), fields.end()};
}

std::string namesOf(const Fields& fields) {
  std::string names;
  for (const BlockField& field : fields) {
    names += (names.empty() ? "" : ", ") + std::string(field.name);
  }
  return names;
}

Buffer inSequence(const Buffer& bytes, uint64_t blockBytes, const Fields& fields) {
  Buffer to;
  for (std::size_t block = 0; block < bytes.size(); block += blockBytes) {
    for (const BlockField& field : fields) {
      const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(block + field.offset);
      to.insert(to.end(), from, from + field.bytes());
    }
  }
  return to;
}

// The fields of an encoding by the names that a sentence gives, from where `before` ends.
Fields readIn(const std::string& text, const std::string& before, Encoding encoding) {
  Fields fields;
  std::size_t at = text.find(before) + before.size();
  while (true) {
    const std::size_t end = text.find_first_of(", )", at);
    const std::string name = text.substr(at, end - at);
    for (const BlockField& field : anatomyOf(encoding)) {
      if (field.name == name) fields.push_back(field);
    }
    if (end == std::string::npos || text[end] != ',' || text.substr(end, 6) == ", then") break;
    at = end + 2;
  }
  return fields;
}

}  // namespace

TEST_CASE("diagnosis: fields in any other sequence are named, and what it says puts them back") {
  int named = 0;
  for (const Encoding encoding : mistakes::blockedEncodings()) {
    const Weight weight = mistakes::distinct(encoding, {6, 5});
    const Fields right = fieldsOf(encoding);
    Fields fields = right;
    const auto before = [](const BlockField& a, const BlockField& b) {
      return a.offset < b.offset;
    };
    while (std::next_permutation(fields.begin(), fields.end(), before)) {
      for (const BlockOrder order : kOrders) {
        const Buffer wanted = mistakes::inOrder(weight, order);
        const Buffer bytes = inSequence(wanted, weight.blockBytes(), fields);
        const Diagnosis result = mistakes::diagnosed(bytes, weight, order);
        REQUIRE_MESSAGE(result.kind == DiagnosisKind::SCALES_ONLY, result.message);
        const std::string says =
            "each block holds " + namesOf(fields) + " instead of " + namesOf(right);
        REQUIRE_MESSAGE(result.variant == says, result.variant);
        CHECK(result.explained == 30);
        const std::string fix = "write the fields of each block in the sequence ";
        REQUIRE_MESSAGE(result.fix.starts_with(fix + namesOf(right) + ", then pw.pack("),
                        result.fix);
        // Where they stand now, and in which sequence they are to be written.
        Fields found = readIn(result.variant, "each block holds ", encoding);
        uint32_t at = 0;
        for (BlockField& field : found) {
          field.offset = at;
          at += field.bytes();
        }
        Fields mended;
        for (const BlockField& field : readIn(result.fix, fix, encoding)) {
          mended.push_back(*std::find_if(found.begin(), found.end(), [&](const BlockField& one) {
            return one.name == field.name;
          }));
        }
        CHECK(inSequence(bytes, weight.blockBytes(), mended) == wanted);
        ++named;
      }
    }
  }
  CHECK(named > 800);
}
