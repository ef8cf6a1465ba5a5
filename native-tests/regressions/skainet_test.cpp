// The thirteen situations that the system this library descends from gets wrong (behaviour, section
// 8), by their numbers there. Each is tested more widely where it belongs; here each stands once,
// as it happened.
#include <doctest/doctest.h>

#include <cmath>

#include "dispatch/bitnet_gemv.h"
#include "dispatch/session.h"
#include "support/kernels.h"
#include "support/views.h"
#include "weights/packed_weights.h"

namespace packed {
namespace {

using namespace oracle;
constexpr auto kRows = BlockOrder::ROW_MAJOR;
constexpr auto kKernel = BlockOrder::INPUT_BLOCK_MAJOR;

struct Weight {
  Scope scope{"regression"};
  TraceRing ring;
  Shape shape;
  std::vector<uint8_t> canonical;
  Dense dense;
  TensorView view;

  explicit Weight(Encoding encoding = Encoding::Q4_0, Shape size = {6, 160})
      : shape(std::move(size)),
        canonical(realBlocks(encoding, blocksOf(encoding, shape), 3)),
        dense(decoded(encoding, shape, canonical)),
        view(viewOf(scope, encoding, shape, canonical, kRows)) {}

  TensorView fed() { return *prepack(view, kKernel, scope, nullptr); }
};

std::vector<float> product(const Registry& registry, const std::vector<float>& x,
                           const TensorView& w, TraceSink* sink = nullptr,
                           bool prepackWeights = false) {
  Workspace workspace;
  MatmulOptions options;
  options.sink = sink;
  options.prepackWeights = prepackWeights;
  std::vector<float> y(x.size() / w.shape().back() * w.shape()[0], 999.0f);
  REQUIRE(matmul(registry, workspace, x, w, y, options).ok());
  return y;
}

void requireProduct(const std::vector<float>& y, const std::vector<float>& x, const Dense& w) {
  const auto exact = matmul(x, w);
  REQUIRE(y.size() == exact.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    REQUIRE(std::fabs(y[i] - exact[i]) < 1e-4 * (1 + std::fabs(exact[i])));
  }
}

}  // namespace

TEST_CASE("regression 1: narrow, prepack, get reads the right values, not only the right bytes") {
  Weight w;
  for (const TensorView& part : {*w.view.narrow(0, 2, 3), *w.view.narrow(1, 64, 64)}) {
    const TensorView fed = *prepack(part, kKernel, w.scope, nullptr);
    const auto values = floatsOf(part);
    for (uint64_t o = 0; o < part.shape()[0]; ++o) {
      for (uint64_t i = 0; i < part.shape()[1]; ++i) {
        REQUIRE(*fed.get(Shape{o, i}) == values[o * part.shape()[1] + i]);
      }
    }
  }
}

TEST_CASE("regression 2: prepack, narrow rows, packed kernel multiplies by the rows asked for") {
  Weight w;
  const KernelInfo packed = packedKernel(Encoding::Q4_0, kKernel);
  Registry registry = Registry::upTo(Isa::SCALAR);
  registry.add(packed);
  const TensorView rows = *w.fed().narrow(0, 1, 4);
  const auto x = randomFloats(160, 1);
  const Dense expected = w.dense.narrow(0, 1, 4);
  requireProduct(product(registry, x, rows), x, expected);
  // With a packed kernel only, and an adapter allowed, it is there to be seen.
  Registry only;
  only.add(packed);
  requireProduct(product(only, x, rows, &w.ring, true), x, expected);
  CHECK(countOf(w.ring, TraceKind::AdapterInserted) == 1);
}

TEST_CASE(
    "regression 3: canonical, narrow the input axis, row-major kernel reads the right blocks") {
  Weight w;
  const KernelInfo packed = packedKernel(Encoding::Q4_0, kRows);
  Registry registry;
  registry.add(packed);
  const TensorView part = *w.view.narrow(1, 32, 96);
  const auto x = randomFloats(96, 1);
  const Dense expected = w.dense.narrow(1, 32, 96);
  requireProduct(product(registry, x, part, &w.ring), x, expected);
  CHECK(countOf(w.ring, TraceKind::ReferenceUsed) == 1);
  requireProduct(product(Registry::upTo(builtIsa()), x, part), x, expected);
  requireProduct(product(registry, x, part, nullptr, true), x, expected);
}

TEST_CASE("regression 4: a transposed square packed view is refused, not multiplied as W") {
  Weight w(Encoding::Q4_0, {64, 64});
  const Registry registry = Registry::upTo(builtIsa());
  Workspace workspace;
  const auto x = randomFloats(64, 1);
  std::vector<float> y(64);
  for (const TensorView& view : {w.view, w.fed()}) {
    const auto refused = matmul(registry, workspace, x, *view.transpose(), y, {});
    REQUIRE(codeOf(refused) == ErrorCode::TRANSPOSE_REFUSED);
    CHECK(refused.error().message.find("matmulWeightTransposed") != std::string::npos);
  }
}

TEST_CASE("regression 5: prepack of a transposed view is a clear refusal") {
  Weight w(Encoding::Q4_0, {64, 64});
  CHECK(codeOf(prepack(*w.view.transpose(), kKernel, w.scope, nullptr)) == ErrorCode::NOT_BLOCKED);
  CHECK(codeOf(prepackForMatmul(*w.view.transpose(), w.scope, nullptr)) == ErrorCode::NOT_BLOCKED);
  // A label of a file whose other side is not whole blocks says more.
  Weight odd(Encoding::Q4_0, {5, 64});
  CHECK(codeOf(prepackForMatmul(*odd.view.transpose(), odd.scope, nullptr)) ==
        ErrorCode::LOOKS_TRANSPOSED);
}

TEST_CASE("regression 6: ternary gemv on a narrowed view starts at its offset") {
  for (const Encoding encoding : {Encoding::TQ1_0, Encoding::TQ2_0}) {
    Weight w(encoding, {6, 768});
    const Registry registry = Registry::upTo(builtIsa());
    Workspace workspace;
    for (const TensorView& view : {w.view, w.fed()}) {
      const auto x = randomFloats(512, 1);
      const TensorView part = *(*view.narrow(0, 2, 3)).narrow(1, 256, 512);
      std::vector<float> y(3);
      REQUIRE(bitnetGemv(registry, workspace, x, part, y, {}).ok());
      requireProduct(y, x, w.dense.narrow(0, 2, 3).narrow(1, 256, 512));
    }
  }
}

TEST_CASE("regression 7: prepacked TQ1_0 and TQ2_0 have kernels") {
  const Registry registry = Registry::upTo(builtIsa());
  for (const Encoding encoding : {Encoding::TQ1_0, Encoding::TQ2_0}) {
    for (const Activation activation : {Activation::F32, Activation::INT8}) {
      CHECK(registry.find(encoding, kKernel, activation) != nullptr);
      CHECK(registry.find(encoding, kRows, activation) != nullptr);
    }
    Weight w(encoding, {6, 768});
    const auto x = randomFloats(768, 1);
    requireProduct(product(registry, x, w.fed(), &w.ring), x, w.dense);
    CHECK(countOf(w.ring, TraceKind::ReferenceUsed) == 0);
  }
}

TEST_CASE("regression 8: prepackWeights without a kernel makes no copy to throw away") {
  Weight w;
  Registry registry;
  const KernelInfo other = packedKernel(Encoding::Q8_0, kKernel);
  registry.add(other);
  const auto x = randomFloats(160, 1);
  requireProduct(product(registry, x, w.view, &w.ring, true), x, w.dense);
  CHECK(countOf(w.ring, TraceKind::AdapterInserted) == 0);
  CHECK(countOf(w.ring, TraceKind::Allocation) == 0);
}

TEST_CASE("regression 9: toKernelOrder twice is toKernelOrder once") {
  Weight w;
  const auto stored = PackedBytes::of(w.canonical, Encoding::Q4_0, 6, 160, kRows);
  REQUIRE(stored.ok());
  const auto once = toKernelOrder(*stored);
  REQUIRE(once.ok());
  const auto twice = toKernelOrder(*once);
  REQUIRE(twice.ok());
  CHECK(twice->bytes().data() == once->bytes().data());
  const auto back = toCanonicalOrder(*twice);
  REQUIRE(back.ok());
  CHECK(std::equal(w.canonical.begin(), w.canonical.end(), back->bytes().begin()));
  CHECK(codeOf(PackedBytes::of(w.canonical, Encoding::Q4_0, 6, 160, std::nullopt)) ==
        ErrorCode::ORDER_REQUIRED);
}

TEST_CASE("regression 10: weight bytes edited after caching are a new version and a new relayout") {
  Weight w;
  const Registry registry = Registry::upTo(builtIsa());
  Session session(registry);
  const auto x = randomFloats(160, 1);
  std::vector<float> y(6);
  REQUIRE(session.matmulWeightTransposed(x, w.view, y).ok());
  const auto other = realBlocks(Encoding::Q4_0, 30, 99);
  auto bytes = w.view.storage()->writableBytes();
  REQUIRE(bytes.ok());
  std::copy(other.begin(), other.end(), bytes->begin());
  REQUIRE(session.matmulWeightTransposed(x, w.view, y).ok());
  requireProduct(y, x, decoded(Encoding::Q4_0, w.shape, other));
  CHECK(session.stats().misses == 2);
}

TEST_CASE("regression 11: more than 64 weights used in turn are hits") {
  Scope scope("regression");
  const Registry registry = Registry::upTo(builtIsa());
  Session session(registry);
  std::vector<TensorView> weights;
  for (uint32_t i = 0; i < 100; ++i) {
    weights.push_back(realView(scope, Encoding::Q4_0, {6, 160}, kRows, i));
  }
  const auto x = randomFloats(160, 1);
  std::vector<float> y(6);
  for (int token = 0; token < 3; ++token) {
    for (const TensorView& w : weights) REQUIRE(session.matmulWeightTransposed(x, w, y).ok());
  }
  CHECK(session.stats().misses == 100);
  CHECK(session.stats().hits == 200);
}

TEST_CASE(
    "regression 12: empty input, zero rows and a failed allocation leave no unwritten output") {
  Weight w;
  const Registry registry = Registry::upTo(builtIsa());
  Workspace workspace;
  std::vector<float> y(6, 999.0f);
  const TensorView noInput = *w.view.narrow(1, 0, 0);
  REQUIRE(matmul(registry, workspace, {}, noInput, y, {}).ok());
  CHECK(y == std::vector<float>(6, 0.0f));
  CHECK(matmul(registry, workspace, randomFloats(160, 1), *w.view.narrow(0, 0, 0), {}, {}).ok());
  CHECK(matmul(registry, workspace, {}, w.view, {}, {}).ok());

  const KernelInfo packed = packedKernel(Encoding::Q4_0, kKernel);
  Registry only;
  only.add(packed);
  Scope small("small", nullptr, 10);
  MatmulOptions options;
  options.prepackWeights = true;
  options.scope = &small;
  std::vector<float> untouched(6, 999.0f);
  CHECK(codeOf(matmul(only, workspace, randomFloats(160, 1), w.view, untouched, options)) ==
        ErrorCode::OUT_OF_MEMORY);
  CHECK(untouched == std::vector<float>(6, 999.0f));
}

TEST_CASE("regression 13: every kernel that claims it gives the scalar numbers, bit for bit") {
  for (const KernelInfo& kernel : allMatmulKernels()) {
    if (!kernel.bitExactWithScalar) continue;
    CAPTURE(kernel.name);
    const EncodingSpec& spec = specOf(kernel.encoding);
    Scope scope("regression");
    const uint64_t in = 3 * (spec.blocked() ? spec.elements : 11);
    const Shape shape = {5, in};
    const auto canonical = realBlocks(kernel.encoding, blocksOf(kernel.encoding, shape), 4);
    const auto x = randomFloats(2 * in, 7);
    MatmulOptions options;
    options.activation = kernel.activation;
    std::vector<float> numbers[2] = {std::vector<float>(10), std::vector<float>(10)};
    const TensorView views[2] = {viewOf(scope, kernel.encoding, shape, canonical, kernel.order),
                                 viewOf(scope, kernel.encoding, shape, canonical, kRows)};
    const KernelInfo& scalar = scalarKernel(kernel.encoding, kRows, kernel.activation);
    for (int i = 0; i < 2; ++i) {
      Registry one;
      one.add(i == 0 ? kernel : scalar);
      Workspace workspace;
      REQUIRE(matmul(one, workspace, x, views[i], numbers[i], options).ok());
    }
    REQUIRE(sameBits(numbers[0], numbers[1]));
  }
}

}  // namespace packed
