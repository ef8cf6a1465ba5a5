#include "dispatch/bitnet_gemv.h"

#include <doctest/doctest.h>

#include <cmath>

#include "encoding/codec.h"
#include "encoding/i2s.h"
#include "support/views.h"

namespace packed {
namespace {

using namespace oracle;
constexpr auto kRows = BlockOrder::ROW_MAJOR;
constexpr auto kKernel = BlockOrder::INPUT_BLOCK_MAJOR;
constexpr float kScale = 0.75f;

std::vector<float> ternaryValues(uint64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = kScale * float(int(random() % 3) - 1);
  values[0] = kScale;
  return values;
}

std::shared_ptr<Storage> encoded(Scope& scope, TernaryEncoding encoding,
                                 const std::vector<float>& values) {
  auto storage = scope.allocate(*ternaryBytesOf(encoding, values.size()), "test");
  REQUIRE(storage.ok());
  auto to = (*storage)->writableBytes();
  REQUIRE(encodeTernary(encoding, values, *to).ok());
  return *storage;
}

TernaryWeight bitnet(Scope& scope, const std::vector<float>& values, uint64_t out) {
  auto weight = TernaryWeight::of(encoded(scope, TernaryEncoding::BITNET_B1_58, values), out,
                                  values.size() / out, kRows);
  REQUIRE(weight.ok());
  return *weight;
}

std::vector<float> gemv(const TernaryWeight& w, const std::vector<float>& x,
                        Activation activation) {
  std::vector<float> y(w.out(), 999.0f);
  MatmulOptions options;
  options.activation = activation;
  REQUIRE(bitnetGemv(x, w, y, options).ok());
  return y;
}

std::vector<float> gemv(const TensorView& w, const std::vector<float>& x, Activation activation) {
  static const Registry registry = Registry::upTo(builtIsa());
  Workspace workspace;
  std::vector<float> y(w.shape()[0], 999.0f);
  MatmulOptions options;
  options.activation = activation;
  REQUIRE(bitnetGemv(registry, workspace, x, w, y, options).ok());
  return y;
}

}  // namespace

TEST_CASE(
    "bitnetGemv: BITNET_B1_58, TQ2_0 and TQ1_0 of the same weights give the same bits in any "
    "order") {
  Scope scope("test");
  const uint64_t out = 5, in = 768;
  const auto values = ternaryValues(out * in, 1);
  const auto x = randomFloats(in, 2);
  const Dense dense = {{out, in}, values};
  const auto exact = matmul(x, dense);
  const TernaryWeight sequential = bitnet(scope, values, out);
  for (const Activation activation : {Activation::F32, Activation::INT8}) {
    const auto y = gemv(sequential, x, activation);
    for (uint64_t o = 0; o < out; ++o) {
      CHECK(std::fabs(y[o] - exact[o]) < (activation == Activation::F32 ? 1e-3 : 0.5));
    }
    const auto fed = prepack(sequential, kKernel, scope, nullptr);
    REQUIRE(fed.ok());
    CHECK(sameBits(gemv(*fed, x, activation), y));
    for (const TernaryEncoding encoding : {TernaryEncoding::TQ1_0, TernaryEncoding::TQ2_0}) {
      const Encoding blocked =
          encoding == TernaryEncoding::TQ1_0 ? Encoding::TQ1_0 : Encoding::TQ2_0;
      const TensorView w =
          *TensorView::of(encoded(scope, encoding, values), blocked, Shape{out, in}, kRows);
      CHECK(sameBits(gemv(w, x, activation), y));
      CHECK(sameBits(gemv(*prepack(w, kKernel, scope, nullptr), x, activation), y));
    }
  }
}

TEST_CASE("bitnetGemv: rows of any length, also such as begin inside a byte") {
  for (const uint64_t in : {1u, 3u, 5u, 255u, 257u, 300u}) {
    Scope scope("test");
    const auto values = ternaryValues(7 * in, uint32_t(in));
    const auto x = randomFloats(in, 2);
    const TernaryWeight w = bitnet(scope, values, 7);
    const auto y = gemv(w, x, Activation::F32);
    const auto exact = matmul(x, {{7, in}, values});
    for (uint64_t o = 0; o < 7; ++o) CHECK(std::fabs(y[o] - exact[o]) < 1e-3);
    for (uint64_t o = 0; o < 7; ++o) {
      for (uint64_t i = 0; i < in; ++i) REQUIRE(*w.get(o, i) == values[o * in + i]);
    }
    CHECK(codeOf(prepack(w, kKernel, scope, nullptr)) == ErrorCode::NOT_BLOCK_DIVISIBLE);
  }
}

TEST_CASE(
    "bitnetGemv: a narrowed weight reads its own rows, in both orders and all three encodings") {
  Scope scope("test");
  const uint64_t out = 6, in = 512;
  const auto values = ternaryValues(out * in, 9);
  const auto x = randomFloats(in, 2);
  const TernaryWeight whole = bitnet(scope, values, out);
  const auto all = gemv(whole, x, Activation::F32);
  const TensorView blocked = *TensorView::of(encoded(scope, TernaryEncoding::TQ2_0, values),
                                             Encoding::TQ2_0, Shape{out, in}, kRows);
  for (uint64_t from = 0; from < out; ++from) {
    const std::vector<float> expected(all.begin() + long(from), all.end());
    for (const BlockOrder order : {kRows, kKernel}) {
      const TernaryWeight part = *(*prepack(whole, order, scope, nullptr)).narrow(from, out - from);
      CHECK(sameBits(gemv(part, x, Activation::F32), expected));
      const auto back = prepack(part, otherOrder(order), scope, nullptr);
      REQUIRE(back.ok());
      CHECK(sameBits(gemv(*back, x, Activation::F32), expected));
      CHECK(*back->get(0, 300) == values[from * in + 300]);
      const TensorView rows =
          *(*prepack(blocked, order, scope, nullptr)).narrow(0, from, out - from);
      CHECK(sameBits(gemv(rows, x, Activation::F32), expected));
    }
  }
}

TEST_CASE(
    "bitnetGemv: the relayout of BITNET_B1_58 is byte-identical there and back and seen once") {
  TraceRing ring;
  Scope scope("test");
  const auto values = ternaryValues(4 * 768, 4);
  const TernaryWeight w = bitnet(scope, values, 4);
  const auto fed = prepack(w, kKernel, scope, &ring);
  REQUIRE(fed.ok());
  REQUIRE(countOf(ring, TraceKind::AdapterInserted) == 1);
  CHECK(ring.events()[0].bytes == 4 * 768 / 4 + 4);
  const auto back = prepack(*fed, kRows, scope, nullptr);
  REQUIRE(back.ok());
  CHECK(std::equal(w.codes()->begin(), w.codes()->end(), back->codes()->begin()));
  CHECK(*back->scale() == kScale);
  CHECK((*prepack(w, kRows, scope, &ring)).order() == kRows);
  CHECK(ring.events().size() == 1);
}

TEST_CASE("bitnetGemv: code 3 is refused with its element, not counted as +2") {
  Scope scope("test");
  const auto values = ternaryValues(10, 4);
  const auto storage = encoded(scope, TernaryEncoding::BITNET_B1_58, values);
  (*storage->writableBytes())[1] |= 0x30;  // pair 2 of byte 1: element 6
  const auto refused = TernaryWeight::of(storage, 2, 5, kRows);
  REQUIRE(codeOf(refused) == ErrorCode::INVALID_CODE);
  CHECK(refused.error().message.find("element 6") == 0);
}

TEST_CASE("bitnetGemv: a scale that is NaN or infinite is refused") {
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    Scope scope("test");
    const auto storage = encoded(scope, TernaryEncoding::BITNET_B1_58, ternaryValues(10, 4));
    storeLE<float>(storage->writableBytes()->data() + 3, bad);
    const auto refused = TernaryWeight::of(storage, 2, 5, kRows);
    REQUIRE(codeOf(refused) == ErrorCode::ELEMENT_NOT_FINITE);
    CHECK(refused.error().offset == 3);
  }
}

TEST_CASE("bitnetGemv: weights that are not ternary and vectors that do not fit are refused") {
  const Registry registry = Registry::upTo(builtIsa());
  Workspace workspace;
  Scope scope("test");
  std::vector<float> y(4);
  const TensorView q4 = realView(scope, Encoding::Q4_K, {4, 256}, kRows);
  CHECK(codeOf(bitnetGemv(registry, workspace, randomFloats(256, 1), q4, y, {})) ==
        ErrorCode::UNSUPPORTED_ENCODING);
  const TensorView tq = realView(scope, Encoding::TQ2_0, {4, 256}, kRows);
  CHECK(codeOf(bitnetGemv(registry, workspace, randomFloats(512, 1), tq, y, {})) ==
        ErrorCode::SHAPE_MISMATCH);
  const TernaryWeight w = bitnet(scope, ternaryValues(4 * 256, 1), 4);
  CHECK(codeOf(bitnetGemv(randomFloats(255, 1), w, y, {})) == ErrorCode::SHAPE_MISMATCH);
  std::vector<float> x = randomFloats(256, 1);
  x[9] = NAN;
  MatmulOptions options;
  options.activation = Activation::INT8;
  CHECK(codeOf(bitnetGemv(x, w, y, options)) == ErrorCode::ELEMENT_NOT_FINITE);
  scope.close();
  CHECK(codeOf(bitnetGemv(randomFloats(256, 1), w, y, {})) == ErrorCode::SCOPE_CLOSED);
}

}  // namespace packed
