#include "encoding/block_anatomy.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "encoding/codec.h"

using namespace packed;

TEST_CASE("anatomy: the fields of every blocked encoding tile its block without gap or overlap") {
  for (const EncodingSpec& spec : allEncodings()) {
    CAPTURE(spec.name);
    uint32_t position = 0;
    for (const BlockField& field : anatomyOf(spec.encoding)) {
      CHECK(field.encoding == spec.encoding);
      CHECK(field.offset == position);
      CHECK_FALSE(field.meaning.empty());
      CHECK(fieldAt(spec.encoding, field.offset) == &field);
      CHECK(fieldAt(spec.encoding, field.offset + field.bytes() - 1) == &field);
      position += field.bytes();
    }
    CHECK(position == (spec.blocked() ? spec.bytes : 0));
    CHECK(fieldAt(spec.encoding, spec.bytes) == nullptr);
  }
}

// A block of zeros decodes to finite values. With every bit of one field set, NaN or infinity
// appears exactly when the table calls the field a float: so the table and the decoders agree where
// scales are.
TEST_CASE("anatomy: a block decodes to NaN exactly when its float fields hold one") {
  for (const EncodingSpec& spec : allEncodings()) {
    // Q8_1's s is no part of its values; UE4M3 has no NaN that decoding keeps; IQ1_M scatters d.
    if (!spec.blocked() || !decodable(spec.encoding) || spec.encoding == Encoding::Q8_1 ||
        spec.encoding == Encoding::NVFP4 || spec.encoding == Encoding::IQ1_M) {
      continue;
    }
    for (const BlockField& field : anatomyOf(spec.encoding)) {
      CAPTURE(spec.name);
      CAPTURE(field.name);
      if (field.type == FieldType::E8M0) continue;
      std::vector<uint8_t> block(spec.bytes, 0);
      std::fill_n(block.begin() + field.offset, field.bytes(), uint8_t{0xff});
      std::vector<float> values(spec.elements);
      REQUIRE(decode(spec.encoding, block, values).ok());
      bool finite = true;
      for (const float value : values) finite = finite && std::isfinite(value);
      CHECK(finite == !isFloat(field.type));
    }
  }
}
