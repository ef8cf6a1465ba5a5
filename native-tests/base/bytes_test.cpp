#include "base/bytes.h"

#include <doctest/doctest.h>

#include <vector>

namespace packed {

TEST_CASE("bytes: fields are little-endian wherever they stand") {
  const std::vector<uint8_t> bytes = {0xff, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08};
  CHECK(loadLE<uint16_t>(bytes.data() + 1) == 0x0201);
  CHECK(loadLE<uint32_t>(bytes.data() + 1) == 0x04030201);
  CHECK(loadLE<uint64_t>(bytes.data() + 1) == 0x0807060504030201);
  uint8_t to[5] = {};
  storeLE<uint32_t>(to + 1, 0x04030201);
  CHECK(to[1] == 1);
  CHECK(to[4] == 4);
}

TEST_CASE("bytes: a cursor reads every length up to the end and never past it") {
  for (std::size_t size = 0; size < 20; ++size) {
    const std::vector<uint8_t> exact(size, 0x11);  // its own allocation, so that a sanitizer sees
    ByteCursor cursor(exact);
    uint64_t reads = 0;
    while (cursor.remaining() >= 4) {
      CHECK(cursor.read<uint32_t>() == 0x11111111);
      ++reads;
    }
    CHECK(cursor.position() == reads * 4);
    CHECK(cursor.ok());
    CHECK(cursor.read<uint32_t>() == 0);
    CHECK(!cursor.ok());
    CHECK(cursor.wanted() == reads * 4 + 4);
    CHECK(cursor.position() == reads * 4);
  }
}

TEST_CASE("bytes: after a failed read nothing succeeds and the first need is remembered") {
  const std::vector<uint8_t> bytes(8);
  ByteCursor cursor(bytes);
  cursor.skip(9);
  CHECK(cursor.wanted() == 9);
  CHECK(cursor.read<uint8_t>() == 0);
  CHECK(cursor.text(1).empty());
  CHECK(cursor.wanted() == 9);
  CHECK(cursor.position() == 0);
}

TEST_CASE("bytes: a length near 2^64 is refused, not wrapped") {
  const std::vector<uint8_t> bytes(8);
  ByteCursor cursor(bytes, 4);
  CHECK(cursor.text(UINT64_MAX - 1).empty());
  CHECK(cursor.wanted() == UINT64_MAX);
}

TEST_CASE("bytes: a cursor that starts past the end has nothing left") {
  const std::vector<uint8_t> bytes(8);
  ByteCursor cursor(bytes, 9);
  CHECK(cursor.remaining() == 0);
  CHECK(cursor.read<uint8_t>() == 0);
  CHECK(!cursor.ok());
}

TEST_CASE("bytes: text is the bytes themselves") {
  const std::vector<uint8_t> bytes = {'a', 'b', 0, 'c'};
  ByteCursor cursor(bytes);
  CHECK(cursor.text(4) == std::string_view("ab\0c", 4));
}

}  // namespace packed
