#include "gguf/tensor_load.h"

#include <doctest/doctest.h>

#include "gguf/reader.h"
#include "support/gguf_builder.h"
#include "support/views.h"
#include "tensor/prepack.h"

namespace packed {
namespace {

using namespace oracle;
constexpr auto kRows = BlockOrder::ROW_MAJOR;
constexpr auto kKernel = BlockOrder::INPUT_BLOCK_MAJOR;

constexpr WeightForm kAsStored = {};
constexpr WeightForm kOutIn = {ShapeOrientation::OUT_IN, LoadOrder::AS_STORED, LoadEncoding::KEEP};
constexpr WeightForm kFeed = {ShapeOrientation::OUT_IN, LoadOrder::KERNEL_FEED, LoadEncoding::KEEP};

// A file of one tensor, whose bytes are `stored`.
struct File {
  std::vector<uint8_t> bytes;
  GgufHeader header;

  File(Encoding encoding, const std::vector<uint64_t>& ne, const std::vector<uint8_t>& stored,
       bool littleEndian = true) {
    test::GgufBuilder builder;
    builder.littleEndian = littleEndian;
    builder.start(1, 0).tensor("weight", ne, specOf(encoding).ggmlType, 0).pad();
    builder.bytes.insert(builder.bytes.end(), stored.begin(), stored.end());
    builder.pad();
    bytes = builder.bytes;
    HeaderReader reader(bytes.size());
    reader.feed(bytes);
    auto taken = std::move(reader).take();
    REQUIRE(taken.ok());
    header = std::move(taken).value();
  }

  Result<TensorView> load(const WeightForm& form, Scope& scope, TraceSink* sink,
                          std::size_t window = 37) const {
    auto load = TensorLoad::start(header, header.tensors[0], form, bytes.size(), scope, sink);
    if (!load) return load.error();
    const ByteRange range = load->range();
    for (uint64_t at = range.offset; at < range.end(); at += window) {
      const auto part = std::span(bytes).subspan(at, std::min<uint64_t>(window, range.end() - at));
      PACKED_CHECK(load->accept(part));
    }
    return load->finish();
  }
};

}  // namespace

TEST_CASE("load: AS_STORED keeps the label [in, out] and the values that belong to it") {
  const auto stored = anyBlocks(Encoding::Q8_0, 5 * 4, 1);
  const File file(Encoding::Q8_0, {128, 5}, stored);
  TraceRing ring;
  Scope scope("load");
  const auto view = file.load(kAsStored, scope, &ring);
  REQUIRE(view.ok());
  CHECK(view->shape() == Shape{128, 5});
  CHECK(sameBits(floatsOf(*view), decoded(Encoding::Q8_0, {5, 128}, stored).transpose().values));
  CHECK(ring.events().empty());
  // What nobody can relay by mistake.
  CHECK(codeOf(prepack(*view, kKernel, scope, nullptr)) == ErrorCode::NOT_BLOCKED);
}

TEST_CASE("load: OUT_IN reverses the label, changes no byte and says so") {
  const auto stored = anyBlocks(Encoding::Q8_0, 5 * 4, 1);
  const File file(Encoding::Q8_0, {128, 5}, stored);
  TraceRing ring;
  Scope scope("load");
  const auto view = file.load(kOutIn, scope, &ring);
  REQUIRE(view.ok());
  CHECK(view->shape() == Shape{5, 128});
  CHECK(view->order() == kRows);
  CHECK(bytesOf(*view, kRows) == stored);
  REQUIRE(ring.events().size() == 1);
  CHECK(ring.events()[0].kind == TraceKind::LabelReversed);
  CHECK(ring.events()[0].what == "weight");
  CHECK(ring.events()[0].from == "[128, 5]");
  CHECK(ring.events()[0].to == "[5, 128]");
}

TEST_CASE("load: KERNEL_FEED relays while the file is read, stacks grid by grid") {
  for (const std::vector<uint64_t>& ne :
       {std::vector<uint64_t>{512, 5}, {512, 5, 3}, {256, 1, 2, 2}}) {
    uint64_t values = 1;
    for (const uint64_t size : ne) values *= size;
    const auto stored = anyBlocks(Encoding::Q4_K, values / 256, 1);
    const File file(Encoding::Q4_K, ne, stored);
    for (const std::size_t window : {1u, 143u, 144u, 100000u}) {
      TraceRing ring;
      Scope scope("load");
      const auto view = file.load(kFeed, scope, &ring, window);
      REQUIRE(view.ok());
      CHECK(view->order() == kKernel);
      CHECK(view->shape() == reversedLabel(ne));
      CHECK(bytesOf(*view, kRows) == stored);
      CHECK(scope.bytesPeak() == stored.size());
      CHECK(countOf(ring, TraceKind::LabelReversed) == 1);
      CHECK(countOf(ring, TraceKind::AdapterInserted) == 1);
    }
  }
}

TEST_CASE("load: KERNEL_FEED without OUT_IN is refused and the form to ask for is named") {
  const File file(Encoding::Q4_K, {512, 5}, anyBlocks(Encoding::Q4_K, 10, 1));
  Scope scope("load");
  WeightForm form = kFeed;
  form.shape = ShapeOrientation::AS_STORED;
  TraceRing ring;
  const auto refused = file.load(form, scope, &ring);
  REQUIRE(codeOf(refused) == ErrorCode::NOT_FEEDABLE);
  CHECK(refused.error().message.find("OUT_IN") != std::string::npos);
  CHECK(refused.error().tensor == "weight");
  CHECK(countOf(ring, TraceKind::Refused) == 1);
  CHECK(scope.bytesPeak() == 0);
}

TEST_CASE(
    "load: what cannot be fed is refused with its reason and loads in the order of the file") {
  Scope scope("load");
  const File vector(Encoding::F32, {128}, anyBlocks(Encoding::F32, 128, 1));
  CHECK(codeOf(vector.load(kFeed, scope, nullptr)) == ErrorCode::NOT_FEEDABLE);
  CHECK(vector.load(kOutIn, scope, nullptr)->shape() == Shape{128});
  const File plain(Encoding::F16, {64, 3}, anyBlocks(Encoding::F16, 192, 1));
  const auto refused = plain.load(kFeed, scope, nullptr);
  REQUIRE(codeOf(refused) == ErrorCode::NOT_FEEDABLE);
  CHECK(refused.error().message.find("no blocks") != std::string::npos);
  CHECK(plain.load(kOutIn, scope, nullptr)->shape() == Shape{3, 64});
}

TEST_CASE("load: rows that are not whole blocks, and unknown types, fail this tensor and name it") {
  Scope scope("load");
  File odd(Encoding::Q4_K, {512, 5}, anyBlocks(Encoding::Q4_K, 10, 1));
  odd.header.tensors[0].ne = {896, 2};
  const auto notDivisible = odd.load(kFeed, scope, nullptr);
  REQUIRE(codeOf(notDivisible) == ErrorCode::NOT_BLOCK_DIVISIBLE);
  CHECK(notDivisible.error().tensor == "weight");
  odd.header.tensors[0].ggmlType = 47;
  odd.header.tensors[0].encoding.reset();
  CHECK(codeOf(odd.load(kAsStored, scope, nullptr)) == ErrorCode::UNKNOWN_ENCODING);
  CHECK(scope.bytesPeak() == 0);
}

TEST_CASE("load: dequantize gives f32 in either label, and not together with KERNEL_FEED") {
  const auto stored = realBlocks(Encoding::Q5_K, 10, 1);
  const File file(Encoding::Q5_K, {512, 5}, stored);
  const Dense dense = decoded(Encoding::Q5_K, {5, 512}, stored);
  Scope scope("load");
  WeightForm form = kOutIn;
  form.encoding = LoadEncoding::DEQUANTIZE;
  const auto view = file.load(form, scope, nullptr);
  REQUIRE(view.ok());
  CHECK(view->encoding() == Encoding::F32);
  CHECK(sameBits(floatsOf(*view), dense.values));
  form.shape = ShapeOrientation::AS_STORED;
  CHECK(sameBits(floatsOf(*file.load(form, scope, nullptr)), dense.transpose().values));
  form = kFeed;
  form.encoding = LoadEncoding::DEQUANTIZE;
  CHECK(codeOf(file.load(form, scope, nullptr)) == ErrorCode::INVALID_ARGUMENT);
}

TEST_CASE("load: ternary tensors stay packed") {
  for (const Encoding encoding : {Encoding::TQ1_0, Encoding::TQ2_0}) {
    const auto stored = realBlocks(encoding, 10, 1);
    const File file(encoding, {512, 5}, stored);
    Scope scope("load");
    const auto view = file.load(kFeed, scope, nullptr);
    REQUIRE(view.ok());
    CHECK(view->encoding() == encoding);
    CHECK(bytesOf(*view, kRows) == stored);
  }
}

TEST_CASE(
    "load: both conventions of the readers before have a name, and the default is the streaming "
    "one") {
  CHECK(*readerConvention("streaming") == WeightForm{});
  CHECK(readerConvention("streaming")->shape == ShapeOrientation::AS_STORED);
  CHECK(readerConvention("legacy")->shape == ShapeOrientation::OUT_IN);
  CHECK(codeOf(readerConvention("guess")) == ErrorCode::INVALID_ARGUMENT);
}

TEST_CASE("load: a file that ends early is TRUNCATED before anything is allocated") {
  const auto stored = anyBlocks(Encoding::Q4_K, 10, 1);
  const File file(Encoding::Q4_K, {512, 5}, stored);
  Scope scope("load");
  const uint64_t whole = *file.header.tensors[0].offset + stored.size();
  CHECK(codeOf(TensorLoad::start(file.header, file.header.tensors[0], kFeed, whole - 1, scope,
                                 nullptr)) == ErrorCode::TRUNCATED);
  CHECK(scope.bytesPeak() == 0);
}

TEST_CASE("load: a load that is given up gives its memory back") {
  const auto stored = anyBlocks(Encoding::Q4_K, 10, 1);
  const File file(Encoding::Q4_K, {512, 5}, stored);
  Scope scope("load");
  {
    auto load = TensorLoad::start(file.header, file.header.tensors[0], kFeed, file.bytes.size(),
                                  scope, nullptr);
    REQUIRE(load.ok());
    REQUIRE(load->accept(std::span(stored).first(500)).ok());
    CHECK(codeOf(load->finish()) == ErrorCode::SIZE_MISMATCH);
    CHECK(scope.bytesLive() == stored.size());
  }
  CHECK(scope.bytesLive() == 0);
}

TEST_CASE("load: the data of a big-endian file is refused, its header is not") {
  const File file(Encoding::F32, {8, 2}, anyBlocks(Encoding::F32, 16, 1), false);
  CHECK(!file.header.littleEndian);
  Scope scope("load");
  const auto refused = file.load(kOutIn, scope, nullptr);
  REQUIRE(codeOf(refused) == ErrorCode::UNSUPPORTED_ENCODING);
  CHECK(refused.error().message.find("big-endian") != std::string::npos);
}

}  // namespace packed
