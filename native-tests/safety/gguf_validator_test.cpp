// Brute force: whatever prefix of a file arrives and whatever single bit of it is damaged,
// validation ends in an answer, reads nothing beyond what it was given, and never calls a broken
// file good.
#include <doctest/doctest.h>

#include "support/gguf_builder.h"
#include "support/gguf_check.h"

using namespace packed;
using namespace packed::test;

namespace {

std::vector<uint8_t> smallFile() {
  GgufBuilder file;
  file.start(3, 4).textEntry("general.architecture", "llama");
  file.u32Entry("general.quantization_version", 2).u32Entry("llama.block_count", 1);
  file.key("test.nested", 9).number<uint32_t>(9).number<uint64_t>(1);
  file.number<uint32_t>(8).number<uint64_t>(2).text("a").text("bc");
  file.tensor("blk.0.ffn_up.weight", {64, 3}, 2, 0).tensor("b", {3}, 0, 128);
  file.tensor("t", {256, 1}, 35, 160).pad();
  // Bytes without a pair of set bits, so that none holds the ternary code 3.
  constexpr uint8_t bytes[] = {0x00, 0x15, 0x2a, 0x12, 0x21, 0x06, 0x24};
  for (uint32_t i = 0; i < 256; ++i) {
    const bool padding = (i >= 108 && i < 128) || (i >= 140 && i < 160) || i >= 226;
    file.number(padding ? uint8_t{0} : bytes[i % 7]);
  }
  return file.bytes;
}

}  // namespace

TEST_CASE("safety: every prefix of a valid file is refused") {
  const std::vector<uint8_t> good = smallFile();
  const auto whole = check(good);
  REQUIRE(worst(whole) == "ok");
  REQUIRE(whole.tensorsChecked == 3);
  for (std::size_t size = 0; size < good.size(); ++size) {
    const std::vector<uint8_t> prefix(good.begin(), good.begin() + static_cast<long>(size));
    const auto report = check(prefix, {}, 64);
    const bool complete = size >= good.size() - 30;  // only the final padding is missing
    CHECK(worst(report) == (complete ? "ok" : "error"));
  }
}

TEST_CASE("safety: every single-bit change of a file ends in an answer") {
  const std::vector<uint8_t> good = smallFile();
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<uint8_t> file = good;
      file[at] ^= static_cast<uint8_t>(1 << bit);
      for (const Profile profile : {Profile::SPEC, Profile::LLAMA}) {
        const auto report = check(file, {.profile = profile}, 97);
        CHECK(report.bytesChecked <= 8 * file.size());
      }
    }
  }
}

TEST_CASE("safety: thousands of tensors over the same bytes are not each scanned") {
  GgufBuilder file;
  file.start(3000, 1).textEntry("general.architecture", "test");
  for (int i = 0; i < 3000; ++i) file.tensor(joined("t", i), {4096}, 0, 0);
  const auto report = check(file.pad().zeros(4096 * 4).bytes);
  CHECK(worst(report) == "error");
  CHECK(has(report, Rule::NOT_SCANNED));
  CHECK(report.bytesChecked <= 9 * 4096 * 4);
}
