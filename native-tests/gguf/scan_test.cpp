// What the scan of tensor bytes finds, encoding by encoding.
#include <doctest/doctest.h>

#include <cmath>

#include "encoding/block_anatomy.h"
#include "encoding/codec.h"
#include "gguf/tensor_scan.h"
#include "support/gguf_builder.h"
#include "support/gguf_check.h"

using namespace packed;
using namespace packed::test;

namespace {

constexpr uint64_t kBlocks = 200;

// Blocks whose scales are all finite: every byte 0x11 but distinct per block in the codes.
std::vector<uint8_t> goodBlocks(const EncodingSpec& spec) {
  std::vector<uint8_t> blocks(kBlocks * spec.bytes, 0x11);
  for (uint64_t i = 0; i < kBlocks; ++i) blocks[i * spec.bytes] = static_cast<uint8_t>(i % 3);
  return blocks;
}

FaultCounts faultsOf(Encoding encoding, const std::vector<uint8_t>& blocks, uint64_t window,
                     bool littleEndian = true) {
  TensorScan scan = TensorScan::ofBlocks(encoding, littleEndian);
  for (uint64_t at = 0; at < blocks.size(); at += window) {
    scan.feed(Bytes(blocks).subspan(at, std::min<uint64_t>(window, blocks.size() - at)));
  }
  CHECK(scan.blocks() == kBlocks);
  return scan.faults();
}

const FaultCount& of(const FaultCounts& faults, ValueFault kind) {
  return faults[static_cast<std::size_t>(kind)];
}

}  // namespace

TEST_CASE("scan: every float field of every encoding is found with its block and byte") {
  constexpr uint64_t bad = 123;
  for (const EncodingSpec& spec : allEncodings()) {
    if (!spec.blocked() || spec.encoding == Encoding::IQ1_M) continue;
    CAPTURE(spec.name);
    const std::vector<uint8_t> good = goodBlocks(spec);
    for (const FaultCount& none : faultsOf(spec.encoding, good, 1000)) CHECK(none.blocks == 0);
    for (const BlockField& field : anatomyOf(spec.encoding)) {
      if (!isFloat(field.type)) continue;
      CAPTURE(field.name);
      for (uint32_t i = 0; i < field.count; ++i) {
        const uint32_t at = field.offset + i * sizeOf(field.type);
        std::vector<uint8_t> blocks = good;
        std::fill_n(blocks.begin() + static_cast<long>(bad * spec.bytes + at), sizeOf(field.type),
                    uint8_t{0xff});
        const auto kind =
            field.type == FieldType::UE4M3 ? ValueFault::RESERVED_SCALE : ValueFault::NAN_VALUE;
        for (const uint64_t window : {uint64_t{7}, uint64_t{1000}, blocks.size()}) {
          const FaultCounts faults = faultsOf(spec.encoding, blocks, window);
          CHECK(of(faults, kind).blocks == 1);
          CHECK(of(faults, kind).firstBlock == bad);
          CHECK(of(faults, kind).byteInBlock == at);
        }
      }
    }
  }
}

TEST_CASE("scan: infinity and NaN are told apart in either byte order") {
  for (const bool littleEndian : {true, false}) {
    GgufBuilder floats;
    floats.littleEndian = littleEndian;
    for (uint64_t i = 0; i < kBlocks; ++i) {
      floats.number<uint32_t>(i == 50 ? 0xff800000u : i == 60 ? 0x7f800001u : 0x7f7fffffu);
    }
    const FaultCounts faults = faultsOf(Encoding::F32, floats.bytes, 10, littleEndian);
    CHECK(of(faults, ValueFault::INFINITE_VALUE).blocks == 1);
    CHECK(of(faults, ValueFault::INFINITE_VALUE).firstBlock == 50);
    CHECK(of(faults, ValueFault::NAN_VALUE).firstBlock == 60);

    GgufBuilder halves;
    halves.littleEndian = littleEndian;
    for (uint64_t i = 0; i < kBlocks; ++i) halves.number<uint16_t>(i < 190 ? 0xfbff : 0x7c00);
    CHECK(of(faultsOf(Encoding::F16, halves.bytes, 64, littleEndian), ValueFault::INFINITE_VALUE)
              .blocks == 10);

    GgufBuilder brains;
    brains.littleEndian = littleEndian;
    for (uint64_t i = 0; i < kBlocks; ++i) brains.number<uint16_t>(i == 3 ? 0x7fc0 : 0x7f7f);
    CHECK(of(faultsOf(Encoding::BF16, brains.bytes, 64, littleEndian), ValueFault::NAN_VALUE)
              .firstBlock == 3);

    GgufBuilder doubles;
    doubles.littleEndian = littleEndian;
    for (uint64_t i = 0; i < kBlocks; ++i) {
      doubles.number<uint64_t>(i == 9 ? 0x7ff0000000000000u : 0x7fefffffffffffffu);
    }
    CHECK(of(faultsOf(Encoding::F64, doubles.bytes, 64, littleEndian), ValueFault::INFINITE_VALUE)
              .firstBlock == 9);
  }
}

TEST_CASE("scan: a finite E8M0 scale that makes values infinite is found") {
  std::vector<float> values(32);
  for (uint8_t e = 250; e < 255; ++e) {
    for (uint8_t code = 0; code < 16; ++code) {
      std::vector<uint8_t> blocks(kBlocks * 17, 0);
      uint8_t* block = blocks.data() + 7 * 17;
      block[0] = e;
      block[9] = static_cast<uint8_t>(code << 4);
      decodeBlocks(Encoding::MXFP4, block, 1, values.data());
      const FaultCounts faults = faultsOf(Encoding::MXFP4, blocks, 170);
      CHECK(of(faults, ValueFault::INFINITE_VALUE).blocks == (std::isinf(values[24]) ? 1 : 0));
      CHECK(of(faults, ValueFault::NAN_VALUE).blocks == 0);
    }
  }
}

TEST_CASE("scan: the scattered scale of IQ1_M is put together") {
  const EncodingSpec& spec = specOf(Encoding::IQ1_M);
  std::vector<uint8_t> blocks = goodBlocks(spec);
  // d = 0x7e01 from the top nibbles of the four scale words, low to high.
  uint8_t* scales = blocks.data() + 17 * spec.bytes + 48;
  scales[1] = 0x10;
  scales[3] = 0x00;
  scales[5] = 0xe0;
  scales[7] = 0x70;
  const FaultCounts faults = faultsOf(Encoding::IQ1_M, blocks, 100);
  CHECK(of(faults, ValueFault::NAN_VALUE).blocks == 1);
  CHECK(of(faults, ValueFault::NAN_VALUE).firstBlock == 17);
}

TEST_CASE("scan: code 3 in ternary data is found, in Q2_0 it is a value") {
  for (uint32_t at = 0; at < 64; ++at) {
    std::vector<uint8_t> blocks(kBlocks * 66, 0x12);
    for (uint64_t i = 0; i < kBlocks; ++i) blocks[i * 66 + 65] = 0x30;
    blocks[5 * 66 + at] = 0x62 | 0xc0;
    const FaultCounts faults = faultsOf(Encoding::TQ2_0, blocks, 333);
    CHECK(of(faults, ValueFault::INVALID_CODE).blocks == 1);
    CHECK(of(faults, ValueFault::INVALID_CODE).firstBlock == 5);
    CHECK(of(faults, ValueFault::INVALID_CODE).byteInBlock == at);
  }
  const std::vector<uint8_t> q2(kBlocks * 18, 0x3b);
  for (const FaultCount& none : faultsOf(Encoding::Q2_0, q2, 18)) CHECK(none.blocks == 0);
}

TEST_CASE("scan: constant tensors are seen whatever the windows, zeros by holes too") {
  const std::vector<uint8_t> block = {0, 0x3c, 1,  2,  3,  4,  5,  6,  7,
                                      8, 9,    10, 11, 12, 13, 14, 15, 16};
  std::vector<uint8_t> same;
  for (int i = 0; i < 50; ++i) same.insert(same.end(), block.begin(), block.end());
  for (const uint64_t window : {1, 17, 18, 19, 400, 900}) {
    TensorScan scan = TensorScan::ofBlocks(Encoding::Q4_0, true);
    TensorScan other = scan;
    for (uint64_t at = 0; at < same.size(); at += window) {
      const Bytes piece = Bytes(same).subspan(at, std::min<uint64_t>(window, same.size() - at));
      scan.feed(piece);
      other.feed(piece);
    }
    CHECK(scan.constant());
    CHECK_FALSE(scan.allZero());
    other.feedZeros(18);
    CHECK_FALSE(other.constant());
  }
  TensorScan zeros = TensorScan::ofBlocks(Encoding::Q4_0, true);
  zeros.feedZeros(7);
  zeros.feed(std::vector<uint8_t>(30));
  zeros.feedZeros(uint64_t{18} << 32);
  zeros.feedZeros(17);
  CHECK(zeros.allZero());
  CHECK(zeros.blocks() == (uint64_t{1} << 32) + 3);
}

TEST_CASE("scan: a NaN scale is named with tensor, row, block and byte offset") {
  GgufBuilder file;
  file.start(1, 2).textEntry("general.architecture", "test");
  file.u32Entry("general.quantization_version", 2).tensor("w", {256 * 10, 10}, 12, 0).pad();
  const uint64_t dataStart = file.bytes.size();
  file.zeros(100 * 144);
  for (uint64_t i = 0; i < 100; ++i) file.bytes[dataStart + i * 144 + 20] = static_cast<uint8_t>(i);
  file.bytes[dataStart + 48 * 144 + 1] = 0x7e;
  const auto report = check(file.pad().bytes);
  REQUIRE(has(report, Rule::SCALE_NOT_FINITE));
  const Finding& found = *find(report, Rule::SCALE_NOT_FINITE);
  CHECK(found.tensor == "w");
  CHECK(found.o == 4);
  CHECK(found.b == 8);
  CHECK(found.offset == dataStart + 48 * 144);
  CHECK(mentions(found.message, "block (4,8)"));
}

TEST_CASE("scan: 61,440 NaN blocks are one line per matrix with a count") {
  GgufBuilder file;
  file.start(2, 2).textEntry("general.architecture", "test");
  file.u32Entry("general.quantization_version", 2);
  file.tensor("a", {32 * 240, 256}, 2, 0).tensor("b", {32, 2}, 2, 61440 * 18).pad();
  for (int i = 0; i < 61440; ++i) file.number<uint16_t>(0x7e00).zeros(16);
  file.number<uint16_t>(0x3c00).zeros(16).number<uint16_t>(0xfc00).zeros(16).pad();
  const auto report = check(file.bytes, {}, 1 << 16);
  CHECK(std::ranges::count(report.findings, Rule::SCALE_NOT_FINITE, &Finding::rule) == 2);
  CHECK(find(report, Rule::SCALE_NOT_FINITE)->count == 61440);
  CHECK(mentions(messageOf(report, Rule::SCALE_NOT_FINITE), "NaN"));
}

TEST_CASE(
    "scan: BitNet matrices of zero bytes and codes 3 are found though their type is foreign") {
  GgufBuilder file;
  file.start(2, 1).textEntry("general.architecture", "bitnet-b1.58");
  file.tensor("zeros", {128, 64}, 36, 0).tensor("codes", {128, 64}, 36, 2048 + 32).pad();
  const uint64_t dataStart = file.bytes.size();
  file.zeros(2048 + 32).zeros(2048 + 32);
  for (int i = 0; i < 2048; ++i)
    file.bytes[dataStart + 2080 + i] = static_cast<uint8_t>(i % 3 * 0x15);
  file.bytes[dataStart + 2080 + 77] = 0x0c;
  const auto report = check(file.bytes);
  CHECK(mentions(messageOf(report, Rule::ALL_ZERO), "constant bytes in 1 tensor"));
  REQUIRE(has(report, Rule::TERNARY_CODE_3));
  CHECK(find(report, Rule::TERNARY_CODE_3)->tensor == "codes");
  CHECK(find(report, Rule::TERNARY_CODE_3)->offset == dataStart + 2080 + 77);
}
