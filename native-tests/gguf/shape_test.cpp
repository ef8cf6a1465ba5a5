// Orientation and shape: what can be told from shapes, metadata and siblings, and what cannot.
#include <doctest/doctest.h>

#include "support/gguf_builder.h"
#include "support/gguf_check.h"

using namespace packed;
using namespace packed::test;

namespace {

struct Tensor {
  std::string name;
  std::vector<uint64_t> ne;
  uint32_t type = 0;
};

// A file of these tensors with the metadata of a small model; data of distinct finite values.
std::vector<uint8_t> model(const std::vector<Tensor>& tensors,
                           const std::vector<std::pair<std::string, uint32_t>>& sizes = {}) {
  GgufBuilder file;
  file.start(tensors.size(), sizes.size() + 2).textEntry("general.architecture", "llama");
  file.u32Entry("general.quantization_version", 2);
  for (const auto& [key, value] : sizes) file.u32Entry("llama." + key, value);
  uint64_t offset = 0;
  std::vector<uint64_t> lengths;
  for (const Tensor& tensor : tensors) {
    file.tensor(tensor.name, tensor.ne, tensor.type, offset);
    TensorInfo info;
    info.ne = tensor.ne;
    info.ggmlType = tensor.type;
    const auto length = byteLengthOf(info);
    lengths.push_back(length ? *length : 4096);
    offset += (lengths.back() + 31) / 32 * 32;
  }
  file.pad();
  for (const uint64_t length : lengths) {
    for (uint64_t i = 0; i < length; ++i) file.number(static_cast<uint8_t>(i % 61 + i / 61 % 3));
    file.pad();
  }
  return file.bytes;
}

ValidationReport checkModel(const std::vector<Tensor>& tensors,
                            const std::vector<std::pair<std::string, uint32_t>>& sizes = {}) {
  return check(model(tensors, sizes));
}

}  // namespace

TEST_CASE("shape: a convolution kernel raises no alarm") {
  CHECK(worst(checkModel({{"conv", {2, 2, 3, 5}, 1}})) == "ok");
}

TEST_CASE("shape: that a square or divisible label is right is said to be undecidable") {
  const auto report = checkModel({{"w", {64, 64}, 2}});
  CHECK(worst(report) == "ok");
  REQUIRE(has(report, Rule::ORIENTATION_UNDECIDED));
  CHECK(mentions(messageOf(report, Rule::ORIENTATION_UNDECIDED), "cannot be told"));
  CHECK_FALSE(has(checkModel({{"w", {64, 3}, 2}}), Rule::ORIENTATION_UNDECIDED));
}

TEST_CASE("shape: a swapped label is recognised where one side does not divide") {
  const auto report = checkModel({{"w", {3, 128}, 8}});
  REQUIRE(has(report, Rule::LABEL_SWAPPED));
  CHECK(mentions(messageOf(report, Rule::LABEL_SWAPPED), "ne = [128, 3]"));
  CHECK(find(report, Rule::LABEL_SWAPPED)->tensor == "w");
}

TEST_CASE("shape: only the row length must divide, and the message says by how much it does not") {
  const auto wide = checkModel({{"w", {4544, 2}, 12}});
  CHECK(mentions(messageOf(wide, Rule::ROW_NOT_DIVISIBLE), "4544 = 17*256 + 192"));
  CHECK(mentions(messageOf(wide, Rule::ROW_NOT_DIVISIBLE), "only the row length counts"));
  const auto total =
      checkModel({{"w", {64, 8}, 14}});  // 512 values are two blocks; a row is not one
  CHECK(worst(total) == "error");
  CHECK(has(total, Rule::ROW_NOT_DIVISIBLE));
}

TEST_CASE("shape: a row length that is a byte length is recognised, divisible or not") {
  const auto q5k = checkModel({{"w", {2112, 2}, 13}});
  CHECK(worst(q5k) == "error");
  CHECK(mentions(messageOf(q5k, Rule::ROW_IS_BYTE_LENGTH), "3072"));
  const auto one = checkModel({{"w", {176, 2}, 13}});
  CHECK(mentions(messageOf(one, Rule::ROW_IS_BYTE_LENGTH), "byte length"));
  const auto q8 = checkModel({{"blk.0.ffn_down.weight", {3264, 2}, 8}});
  CHECK(worst(q8) == "warning");
  CHECK(mentions(messageOf(q8, Rule::ROW_MAY_BE_BYTE_LENGTH), "3072"));
  const auto q4 = checkModel({{"blk.0.ffn_down.weight", {1728, 2}, 2}});
  CHECK(mentions(messageOf(q4, Rule::ROW_MAY_BE_BYTE_LENGTH), "3072"));
  const auto stated =
      checkModel({{"token_embd.weight", {2304, 7}, 2}}, {{"embedding_length", 4096}});
  CHECK(has(stated, Rule::ROW_MAY_BE_BYTE_LENGTH));
}

TEST_CASE("shape: row lengths that happen to be multiples of the block's bytes raise no alarm") {
  CHECK(worst(checkModel({{"token_embd.weight", {576, 7}, 2}}, {{"embedding_length", 576}})) ==
        "ok");
  CHECK(worst(checkModel({{"w", {2304, 9}, 2}})) == "ok");
  CHECK(worst(checkModel({{"w", {384, 64}, 7}, {"v", {512}, 0}})) == "ok");
  CHECK(worst(checkModel({{"w", {4352, 9}, 8}, {"v", {4352}, 0}})) == "ok");
}

TEST_CASE("shape: shapes that contradict the metadata are reported, swapped labels as such") {
  const std::vector<std::pair<std::string, uint32_t>> sizes = {
      {"embedding_length", 64}, {"feed_forward_length", 96}, {"block_count", 1}};
  const auto good = checkModel({{"token_embd.weight", {64, 10}, 2},
                                {"blk.0.ffn_up.weight", {64, 96}, 2},
                                {"blk.0.ffn_down.weight", {96, 64}, 2},
                                {"blk.0.attn_norm.weight", {64}, 0}},
                               sizes);
  CHECK(worst(good) == "ok");
  const auto embedding = checkModel({{"token_embd.weight", {128, 10}, 2}}, sizes);
  CHECK(worst(embedding) == "warning");
  CHECK(mentions(messageOf(embedding, Rule::SHAPE_AGAINST_METADATA), "embedding_length = 64"));
  const auto down = checkModel({{"blk.0.ffn_down.weight", {64, 96}, 2}}, sizes);
  CHECK(mentions(messageOf(down, Rule::SHAPE_AGAINST_METADATA), "swapped"));
  const auto fused = checkModel({{"blk.0.ffn_up.weight", {64, 192}, 2}}, sizes);
  CHECK(worst(fused) == "ok");
}

TEST_CASE("shape: an expert projection stored transposed differs from its siblings") {
  const auto across = checkModel(
      {{"blk.0.ffn_down_exps.weight", {6, 4, 2}}, {"blk.1.ffn_down_exps.weight", {4, 6, 2}}});
  CHECK(worst(across) == "warning");
  CHECK(mentions(messageOf(across, Rule::SHAPE_AGAINST_SIBLINGS),
                 "transposed relative to its sibling"));
  const auto inside = checkModel(
      {{"blk.0.ffn_up_exps.weight", {6, 4, 2}}, {"blk.0.ffn_down_exps.weight", {6, 4, 2}}});
  CHECK(mentions(messageOf(inside, Rule::SHAPE_AGAINST_SIBLINGS), "transposed"));
  CHECK(find(inside, Rule::SHAPE_AGAINST_SIBLINGS)->tensor == "blk.0.ffn_down_exps.weight");
  const auto right = checkModel({{"blk.0.ffn_gate_exps.weight", {6, 4, 2}},
                                 {"blk.0.ffn_up_exps.weight", {6, 4, 2}},
                                 {"blk.0.ffn_down_exps.weight", {4, 6, 2}}});
  CHECK(worst(right) == "ok");
}

TEST_CASE("shape: block_count and the blocks that are there agree") {
  const auto blocks = [](uint32_t stated, std::vector<uint32_t> present) {
    std::vector<Tensor> tensors;
    for (const uint32_t i : present)
      tensors.push_back({joined("blk.", i, ".attn_norm.weight"), {8}});
    return checkModel(tensors, {{"block_count", stated}});
  };
  CHECK(worst(blocks(3, {0, 1, 2})) == "ok");
  CHECK(has(blocks(2, {0, 1, 2}), Rule::BLOCK_COUNT));
  CHECK(mentions(messageOf(blocks(4, {0, 1, 3}), Rule::BLOCK_COUNT), "first block 2"));
}

TEST_CASE("shape: a missing tensor is called missing, not truncation") {
  std::vector<Tensor> tensors;
  for (int i = 0; i < 4; ++i) {
    tensors.push_back({joined("blk.", i, ".attn_norm.weight"), {8}});
    if (i != 2) tensors.push_back({joined("blk.", i, ".ffn_norm.weight"), {8}});
  }
  const auto report = checkModel(tensors);
  CHECK(worst(report) == "warning");
  REQUIRE(has(report, Rule::TENSOR_MISSING));
  CHECK(find(report, Rule::TENSOR_MISSING)->tensor == "blk.2.ffn_norm.weight");
  CHECK_FALSE(has(report, Rule::DATA_SHORT));
}

TEST_CASE("shape: blocks of another kind by design are not missing anything") {
  std::vector<Tensor> tensors;
  for (int i = 0; i < 6; ++i) {
    tensors.push_back({joined("blk.", i, ".attn_norm.weight"), {8}});
    if (i == 0) tensors.push_back({"blk.0.ffn_gate.weight", {8, 4}});
    if (i > 0) tensors.push_back({joined("blk.", i, ".ffn_gate_exps.weight"), {8, 4, 2}});
  }
  CHECK(worst(checkModel(tensors)) == "ok");
}
