#include "weights/packed_weights.h"

#include <doctest/doctest.h>

#include <vector>

#include "weights/fixtures.h"
#include "weights/out_in.h"

using namespace packed;

namespace {

std::vector<uint8_t> counted(uint64_t size) {
  std::vector<uint8_t> bytes(size);
  for (uint64_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 251);
  return bytes;
}

std::vector<uint8_t> copied(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

TensorView viewOf(const std::vector<uint8_t>& bytes, Encoding encoding, std::vector<uint64_t> shape,
                  BlockOrder order) {
  return *TensorView::of(Storage::borrow(bytes), encoding, shape, order);
}

}  // namespace

TEST_CASE("requireOutIn: the published Q8_0 vectors") {
  CHECK(requireOutIn(128, 3, Encoding::Q8_0).error().code == ErrorCode::LOOKS_TRANSPOSED);
  CHECK(requireOutIn(3, 128, Encoding::Q8_0));
  CHECK(requireOutIn(64, 128, Encoding::Q8_0));
  CHECK(requireOutIn(128, 128, Encoding::Q8_0));
  CHECK(requireOutIn(5, 7, Encoding::Q8_0).error().code == ErrorCode::NOT_BLOCK_DIVISIBLE);
}

TEST_CASE(
    "requireOutIn: the refusal names both numbers, the encoding, its block, ne order and the fix") {
  const Status refusal = requireOutIn(512, 100, Encoding::Q4_K);
  for (const char* word :
       {"512", "100", "Q4_K", "256", "ne order", "OUT_IN", "looks like [in, out]"}) {
    CHECK_MESSAGE(refusal.error().message.find(word) != std::string::npos, word);
  }
}

TEST_CASE("requireOutIn: no block structure and no rows raise no alarm about transposition") {
  CHECK(requireOutIn(5, 7, Encoding::F32));
  CHECK(requireOutIn(0, 128, Encoding::Q8_0));
  CHECK(requireOutIn(0, 3, Encoding::Q8_0).error().code == ErrorCode::NOT_BLOCK_DIVISIBLE);
}

TEST_CASE("prepackForMatmul: twice is the same object, and the way back is byte-identical") {
  const auto bytes = counted(5 * 3 * 18);
  const TensorView view = viewOf(bytes, Encoding::Q4_0, {5, 96}, BlockOrder::ROW_MAJOR);
  Scope scope("test");
  TraceRing trace;
  const TensorView once = *prepackForMatmul(view, scope, &trace);
  const TensorView twice = *prepackForMatmul(once, scope, &trace);
  CHECK(twice.storage() == once.storage());
  CHECK(trace.events().size() == 1);
  const TensorView back = *toCanonical(once, scope, &trace);
  CHECK(copied(*back.storage()->bytes()) == bytes);
  CHECK(trace.events().size() == 2);
  CHECK(trace.events()[1].what == "prepack-row_major");
}

TEST_CASE("prepackForMatmul: refuses what has no order of blocks, or more than one grid") {
  Scope scope("test");
  TraceRing trace;
  const auto plain = counted(4 * 8);
  const auto stack = counted(2 * 3 * 18);
  CHECK(prepackForMatmul(viewOf(plain, Encoding::F32, {2, 4}, BlockOrder::ROW_MAJOR), scope, &trace)
            .error()
            .code == ErrorCode::NOT_BLOCKED);
  const TensorView experts = viewOf(stack, Encoding::Q4_0, {2, 3, 32}, BlockOrder::ROW_MAJOR);
  CHECK(prepackForMatmul(experts, scope, &trace).error().code == ErrorCode::NOT_BLOCKED);
  CHECK(prepackForMatmul(*experts.slice(1), scope, nullptr));
  const TensorView turned = *experts.slice(0)->transpose();
  // The label of a file, [in, out]: the refusal names what to ask for instead.
  CHECK(toCanonical(turned, scope, &trace).error().code == ErrorCode::LOOKS_TRANSPOSED);
  for (const TraceEvent& event : trace.events()) CHECK(event.kind == TraceKind::Refused);
  CHECK(trace.events().size() == 3);
}

TEST_CASE("toKernelOrder: bytes that know their order are not scrambled by a second call") {
  for (const EncodingSpec& spec : allEncodings()) {
    if (!spec.blocked()) continue;
    const auto canonical = *fixtures::canonical(spec.encoding);
    const auto packed =
        *PackedBytes::of(canonical, spec.encoding, 4, 3 * spec.elements, BlockOrder::ROW_MAJOR);
    const auto once = *toKernelOrder(packed);
    const auto twice = *toKernelOrder(once);
    CHECK(copied(once.bytes()) == *fixtures::kernelOrder(spec.encoding));
    CHECK(twice.bytes().data() == once.bytes().data());
    CHECK(copied(toCanonicalOrder(once)->bytes()) == canonical);
    CHECK(toCanonicalOrder(packed)->bytes().data() == packed.bytes().data());
    CHECK(once.order() == BlockOrder::INPUT_BLOCK_MAJOR);
    CHECK(once.inputDim() == 3 * spec.elements);
  }
}

TEST_CASE(
    "PackedBytes: untagged bytes need a stated order, the right size and an [out, in] shape") {
  const auto bytes = counted(4 * 18);
  const auto code = [&](uint64_t out, uint64_t inputDim, std::optional<BlockOrder> order) {
    return PackedBytes::of(bytes, Encoding::Q4_0, out, inputDim, order).error().code;
  };
  CHECK(code(2, 64, std::nullopt) == ErrorCode::ORDER_REQUIRED);
  CHECK(code(2, 96, BlockOrder::ROW_MAJOR) == ErrorCode::SIZE_MISMATCH);
  CHECK(code(64, 2, BlockOrder::ROW_MAJOR) == ErrorCode::LOOKS_TRANSPOSED);
  CHECK(code(UINT64_MAX, 64, BlockOrder::ROW_MAJOR) == ErrorCode::SIZE_OVERFLOW);
  CHECK(statedOrder("").error().code == ErrorCode::ORDER_REQUIRED);
  CHECK(statedOrder("row").error().code == ErrorCode::INVALID_ARGUMENT);
  CHECK(*statedOrder("INPUT_BLOCK_MAJOR") == BlockOrder::INPUT_BLOCK_MAJOR);
}

TEST_CASE("relayout: between buffers and in place are the same permutation") {
  const BlockGrid grid{7, 5};
  const auto source = counted(7 * 5 * 34);
  std::vector<uint8_t> target(source.size());
  CHECK(relayout(Encoding::Q8_0, grid, BlockOrder::ROW_MAJOR, source, BlockOrder::INPUT_BLOCK_MAJOR,
                 target));
  auto inPlace = source;
  CHECK(relayout(Encoding::Q8_0, grid, BlockOrder::ROW_MAJOR, inPlace,
                 BlockOrder::INPUT_BLOCK_MAJOR, inPlace));
  CHECK(target == inPlace);
  CHECK(target != source);
  CHECK(relayout(Encoding::Q8_0, grid, BlockOrder::INPUT_BLOCK_MAJOR, target, BlockOrder::ROW_MAJOR,
                 target));
  CHECK(target == source);
}

TEST_CASE("relayout: wrong sizes and overlapping buffers are refused and write nothing") {
  const BlockGrid grid{3, 2};
  auto bytes = counted(6 * 18 + 4);
  const auto before = bytes;
  const Bytes all(bytes);
  const MutableBytes to(bytes);
  const auto code = [&](Bytes source, MutableBytes target) {
    return relayout(Encoding::Q4_0, grid, BlockOrder::ROW_MAJOR, source,
                    BlockOrder::INPUT_BLOCK_MAJOR, target)
        .error()
        .code;
  };
  CHECK(code(all, to.first(108)) == ErrorCode::SIZE_MISMATCH);
  CHECK(code(all.first(108), to) == ErrorCode::SIZE_MISMATCH);
  CHECK(code(all.first(108), to.subspan(4)) == ErrorCode::INVALID_ARGUMENT);
  CHECK(bytes == before);
  CHECK(relayout(Encoding::F32, grid, BlockOrder::ROW_MAJOR, all, BlockOrder::ROW_MAJOR, to)
            .error()
            .code == ErrorCode::NOT_BLOCKED);
}

TEST_CASE("relayout: an empty weight is right in either order") {
  CHECK(relayout(Encoding::Q4_0, {0, 3}, BlockOrder::ROW_MAJOR, {}, BlockOrder::INPUT_BLOCK_MAJOR,
                 {}));
  CHECK(toKernelOrder(*PackedBytes::of({}, Encoding::Q4_0, 0, 96, BlockOrder::ROW_MAJOR)));
}
