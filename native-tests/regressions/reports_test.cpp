// What went wrong for people who do this job: public reports about order and orientation, by
// repository and number, with the smallest input that shows each. Those that a diagnosis answers
// are tested with it; here are the ones that values, views, loading and dispatch make impossible or
// refuse.
#include <doctest/doctest.h>

#include "dispatch/session.h"
#include "gguf/weight_form.h"
#include "layout/shape_label.h"
#include "support/kernels.h"
#include "support/views.h"
#include "weights/disagreement.h"
#include "weights/out_in.h"
#include "weights/packed_weights.h"

namespace packed {
namespace {

using namespace oracle;
constexpr auto kRows = BlockOrder::ROW_MAJOR;
constexpr auto kKernel = BlockOrder::INPUT_BLOCK_MAJOR;

TensorInfo infoOf(std::vector<uint64_t> ne, Encoding encoding) {
  TensorInfo info;
  info.name = "weight";
  info.ne = std::move(ne);
  info.ggmlType = specOf(encoding).ggmlType;
  info.encoding = encoding;
  return info;
}

}  // namespace

TEST_CASE("report SKaiNET #968: a lazy transpose never relabels packed bytes") {
  Scope scope("report");
  const auto canonical = anyBlocks(Encoding::Q4_0, 15, 2);
  const TensorView w = viewOf(scope, Encoding::Q4_0, {5, 96}, canonical, kRows);
  const TensorView turned = *w.transpose();
  CHECK(turned.storage() == w.storage());
  CHECK(turned.order() == kRows);
  CHECK(sameBits(floatsOf(turned), decoded(Encoding::Q4_0, {5, 96}, canonical).transpose().values));
  CHECK(codeOf(turned.copyBlocks(kKernel, std::span<uint8_t>())) == ErrorCode::NOT_BLOCKED);
}

TEST_CASE("report SKaiNET #971: a weight that is relaid already is not relaid again") {
  Scope scope("report");
  TraceRing ring;
  const TensorView w = realView(scope, Encoding::Q4_0, {5, 96}, kRows);
  const TensorView once = *prepackForMatmul(w, scope, &ring);
  const TensorView twice = *prepackForMatmul(once, scope, &ring);
  CHECK(twice.storage() == once.storage());
  CHECK(countOf(ring, TraceKind::AdapterInserted) == 1);
}

TEST_CASE(
    "report SKaiNET #973: the order of a square grid is stated, never guessed from its shape") {
  const auto bytes = anyBlocks(Encoding::Q4_0, 9, 2);
  CHECK(codeOf(PackedBytes::of(bytes, Encoding::Q4_0, 3, 96, std::nullopt)) ==
        ErrorCode::ORDER_REQUIRED);
  CHECK(PackedBytes::of(bytes, Encoding::Q4_0, 3, 96, kKernel)->order() == kKernel);
}

TEST_CASE("report SKaiNET #1096: a transpose of quantized data is not representable") {
  Scope scope("report");
  const TensorView w = realView(scope, Encoding::Q8_0, {5, 96}, kRows);
  const auto refused = transpose(w, nullptr);
  REQUIRE(codeOf(refused) == ErrorCode::TRANSPOSE_REFUSED);
  CHECK(refused.error().message.find("matmulWeightTransposed") != std::string::npos);
}

TEST_CASE("report llama.cpp #25837: a view of a prepacked buffer is not reshaped") {
  Scope scope("report");
  const TensorView fed =
      *prepack(realView(scope, Encoding::Q4_0, {4, 6, 64}, kRows), kKernel, scope, nullptr);
  for (const Shape& shape : {Shape{24, 64}, Shape{6, 4, 64}, Shape{4, 3, 128}, Shape{1536}}) {
    CHECK(codeOf(fed.reshape(shape)) == ErrorCode::RESHAPE_REFUSED);
    CHECK(codeOf(TensorView::of(fed.storage(), Encoding::Q4_0, shape, kKernel)) ==
          ErrorCode::RESHAPE_REFUSED);
  }
}

TEST_CASE("report llama.cpp #26537: experts of rank 3 are relaid grid by grid") {
  Scope scope("report");
  // ne [256, 8, 4]
  const Shape shape = shapeOf(infoOf({256, 8, 4}, Encoding::Q4_K), ShapeOrientation::OUT_IN);
  CHECK(shape == Shape{4, 8, 256});
  const Shape wide = {4, 8, 512};
  const TensorView w = realView(scope, Encoding::Q4_K, wide, kRows);
  const TensorView fed = *prepack(w, kKernel, scope, nullptr);
  CHECK(sameBits(floatsOf(fed), floatsOf(w)));
  const Registry registry = Registry::upTo(builtIsa());
  Workspace workspace;
  const auto x = randomFloats(512, 1);
  for (uint64_t e = 0; e < 4; ++e) {
    std::vector<float> a(8), b(8);
    REQUIRE(matmul(registry, workspace, x, *w.slice(e), a, {}).ok());
    REQUIRE(matmul(registry, workspace, x, *fed.slice(e), b, {}).ok());
    CHECK(sameBits(a, b));
    CHECK(layoutClassOf(*fed.slice(e)) == LayoutClass::BLOCKED_INPUT_MAJOR);
  }
}

TEST_CASE("report llama.cpp #10757: the removed interleaved types are named, not unknown") {
  const auto refused = encodingByGgmlType(31);
  REQUIRE(codeOf(refused) == ErrorCode::UNKNOWN_ENCODING);
  CHECK(refused.error().message.find("4x4") != std::string::npos);
}

TEST_CASE(
    "report llama.cpp #12149: what a relayout will take is known before, and in place it takes "
    "bits") {
  Scope scope("report");
  const TensorView w = realView(scope, Encoding::Q4_0, {64, 512}, kRows);
  const RelayoutPlan plan = *planPrepack(w, kKernel);
  CHECK(plan.bytes == w.packedSize());
  CHECK(plan.scratchBytes < plan.bytes / 100);
  const uint64_t live = scope.bytesLive();
  REQUIRE(prepackInPlace(w, kKernel, nullptr).ok());
  CHECK(scope.bytesPeak() == live);
}

TEST_CASE("report llama.cpp #12701: what is not prepacked is said, with the reason") {
  GgufHeader header;
  header.tensors = {infoOf({768, 5}, Encoding::Q4_K), infoOf({768}, Encoding::F32),
                    infoOf({64, 5}, Encoding::F16), infoOf({64, 5}, Encoding::Q4_K)};
  const auto reasonOf = [&](std::size_t i) {
    const Status feedable = checkFeedable(header, header.tensors[i]);
    return feedable.ok() ? std::string() : feedable.error().message;
  };
  CHECK(reasonOf(0).empty());
  for (std::size_t i = 1; i < 4; ++i) CHECK(reasonOf(i).find("weight") != std::string::npos);
  CHECK(reasonOf(1).find("1 dimension:") != std::string::npos);
  CHECK(reasonOf(2).find("no blocks") != std::string::npos);
  CHECK(reasonOf(3).find("blocks") != std::string::npos);
  header.littleEndian = false;
  CHECK(reasonOf(0).find("big-endian") != std::string::npos);
}

TEST_CASE("report ik_llama.cpp #2114: a row looked up in a relaid weight is the right row") {
  Scope scope("report");
  const auto canonical = anyBlocks(Encoding::Q6_K, 5 * 3, 2);
  const Dense dense = decoded(Encoding::Q6_K, {5, 768}, canonical);
  const TensorView w = viewOf(scope, Encoding::Q6_K, {5, 768}, canonical, kRows);
  const TensorView fed = *prepack(w, kKernel, scope, nullptr);
  std::vector<float> row(768);
  for (const uint64_t o : {3u, 0u, 4u, 3u}) {
    REQUIRE(fed.row(o, row).ok());
    CHECK(sameBits(row, dense.narrow(0, o, 1).values));
  }
}

TEST_CASE("report larql #18: the label of a file that is not square says which side is in") {
  const TensorInfo info = infoOf({6, 4}, Encoding::F32);
  CHECK(shapeOf(info, ShapeOrientation::OUT_IN) == Shape{4, 6});
  CHECK(shapeOf(info, ShapeOrientation::AS_STORED) == Shape{6, 4});
}

TEST_CASE("report llama.cpp #12912: the dimensions of a convolution are only reversed") {
  CHECK(shapeOf(infoOf({2, 2, 3, 5}, Encoding::F16), ShapeOrientation::OUT_IN) ==
        Shape{5, 3, 2, 2});
}

TEST_CASE(
    "report llama.cpp #1921: only the row length has to divide, and the message says by what") {
  const auto refused = requireOutIn(2, 4544, Encoding::Q4_K);
  REQUIRE(codeOf(refused) == ErrorCode::NOT_BLOCK_DIVISIBLE);
  const auto layout = Layout::dense(Shape{2, 4544}, 256, kRows);
  REQUIRE(!layout.ok());
  CHECK(layout.error().message.find("4544 = 17*256 + 192") != std::string::npos);
}

TEST_CASE("report openvino #37421: a total that divides does not make rows that do") {
  Scope scope("report");
  // ne [64, 8] of Q6_K: 512 values would be two blocks
  const auto storage = *scope.allocate(2 * 210, "report");
  CHECK(codeOf(TensorView::of(storage, Encoding::Q6_K, Shape{8, 64}, kRows)) ==
        ErrorCode::NOT_BLOCK_DIVISIBLE);
}

TEST_CASE("report to-gguf-bat #2: a byte length in place of a row length does not divide") {
  // 2112 bytes are a row of 3072 values of Q5_K
  CHECK(*packedBytesOf(Encoding::Q5_K, 1, 3072) == 2112);
  CHECK(codeOf(Layout::dense(Shape{4, 2112}, 256, kRows)) == ErrorCode::NOT_BLOCK_DIVISIBLE);
}

}  // namespace packed
