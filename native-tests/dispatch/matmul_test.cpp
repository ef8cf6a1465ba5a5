#include "dispatch/matmul.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/kernels.h"
#include "support/views.h"
#include "tensor/dequantize.h"

namespace packed {
namespace {

using namespace oracle;
constexpr auto kRows = BlockOrder::ROW_MAJOR;
constexpr auto kKernel = BlockOrder::INPUT_BLOCK_MAJOR;

struct Product {
  Status status = Done{};
  std::vector<float> y;
  std::vector<TraceEvent> events;

  std::size_t count(TraceKind kind) const {
    std::size_t found = 0;
    for (const TraceEvent& event : events) found += event.kind == kind;
    return found;
  }
  const TraceEvent& only(TraceKind kind) const {
    REQUIRE(count(kind) == 1);
    for (const TraceEvent& event : events) {
      if (event.kind == kind) return event;
    }
    return events[0];
  }
};

Product multiply(const Registry& registry, const std::vector<float>& x, const TensorView& w,
                 MatmulOptions options = {}) {
  TraceRing ring;
  Workspace workspace;
  if (!options.sink) options.sink = &ring;
  const uint64_t in = w.shape().back();
  const uint64_t out = w.rank() == 2 ? w.shape()[0] : 1;
  Product product;
  product.y.assign(in == 0 ? out : x.size() / in * out, 999.0f);
  product.status = matmul(registry, workspace, x, w, product.y, options);
  product.events = ring.events();
  return product;
}

MatmulOptions relaying(Scope* scope = nullptr) {
  MatmulOptions options;
  options.prepackWeights = true;
  options.scope = scope;
  return options;
}

void requireNear(const std::vector<float>& y, const std::vector<double>& expected,
                 double tolerance) {
  REQUIRE(y.size() == expected.size());
  double error = 0, signal = 1e-30;
  for (std::size_t i = 0; i < y.size(); ++i) {
    error += (y[i] - expected[i]) * (y[i] - expected[i]);
    signal += expected[i] * expected[i];
  }
  REQUIRE(std::sqrt(error / signal) < tolerance);
}

}  // namespace

TEST_CASE("matmul: a kernel for the weight as it lies runs without any adapter") {
  const Registry registry = Registry::upTo(Isa::SCALAR);
  Scope scope("test");
  for (const BlockOrder order : {kRows, kKernel}) {
    const TensorView w = realView(scope, Encoding::Q4_K, {5, 768}, order);
    const auto x = randomFloats(2 * 768, 3);
    for (const bool prepackWeights : {false, true}) {
      MatmulOptions options;
      options.prepackWeights = prepackWeights;
      const Product product = multiply(registry, x, w, options);
      REQUIRE(product.status.ok());
      CHECK(product.events.size() == 1);
      const TraceEvent& run = product.only(TraceKind::KernelRun);
      CHECK(run.what == (order == kRows ? "matmul_f32_q4_k_row_major_scalar"
                                        : "matmul_f32_q4_k_input_major_scalar"));
      CHECK(run.target.find("F32/Q4_K blocked_") != std::string::npos);
      CHECK(run.bytesRead == 15 * 144);
      CHECK(run.bytesWritten == 2 * 5 * 4);
      CHECK(run.nanos > 0);
    }
  }
}

TEST_CASE(
    "matmul: equals the product of the decoded values, for every encoding, order and activation") {
  const Registry registry = Registry::upTo(builtIsa());
  for (const EncodingSpec& spec : allEncodings()) {
    CAPTURE(spec.name);
    Scope scope("test");
    const uint64_t in = spec.blocked() ? 3 * spec.elements : 50;
    const Shape shape = {5, in};
    const auto canonical = realBlocks(spec.encoding, blocksOf(spec.encoding, shape), 2);
    const auto x = randomFloats(3 * in, 5);
    const auto expected = matmul(x, decoded(spec.encoding, shape, canonical));
    for (const Activation activation : {Activation::F32, Activation::INT8}) {
      MatmulOptions options;
      options.activation = activation;
      std::vector<float> first;
      for (const BlockOrder order : {kRows, kKernel}) {
        const TensorView w = viewOf(scope, spec.encoding, shape, canonical, order);
        const Product product = multiply(registry, x, w, options);
        REQUIRE(product.status.ok());
        const bool rounded = activation == Activation::INT8 && spec.blocked();
        requireNear(product.y, expected, rounded ? 0.02 : 1e-5);
        if (first.empty()) first = product.y;
        CHECK(sameBits(product.y, first));
      }
    }
  }
}

TEST_CASE(
    "matmul: the reference runs only when nothing else can, and says why and what is nearest") {
  const KernelInfo kernel = packedKernel(Encoding::Q4_0, kKernel);
  Registry registry;
  registry.add(kernel);
  Scope scope("test");
  const TensorView w = realView(scope, Encoding::Q4_0, {5, 96}, kRows);
  const Product product = multiply(registry, randomFloats(96, 1), w);
  REQUIRE(product.status.ok());
  const TraceEvent& used = product.only(TraceKind::ReferenceUsed);
  CHECK(used.target == "matmul(F32 contiguous x F32/Q4_0 blocked_row_major) @simd128");
  CHECK(used.reason ==
        "no kernel for matmul(F32 contiguous x F32/Q4_0 blocked_row_major) @simd128; the "
        "nearest is packed_input_major, whose layout is blocked_input_major, not "
        "blocked_row_major");
  CHECK(product.only(TraceKind::KernelRun).what == "matmul_reference");
  CHECK(product.count(TraceKind::AdapterInserted) == 0);
}

TEST_CASE("matmul: prepackWeights relays once, visibly, into the scope it was given") {
  const KernelInfo kernel = packedKernel(Encoding::Q4_0, kKernel);
  Registry registry;
  registry.add(kernel);
  Scope scope("test");
  Scope adapters("adapters");
  const TensorView w = realView(scope, Encoding::Q4_0, {5, 96}, kRows);
  const auto x = randomFloats(96, 1);
  const Product product = multiply(registry, x, w, relaying(&adapters));
  REQUIRE(product.status.ok());
  CHECK(product.only(TraceKind::AdapterInserted).what == "prepack-input_block_major");
  CHECK(product.only(TraceKind::AdapterInserted).scope == "adapters");
  CHECK(product.only(TraceKind::KernelRun).what == "packed_input_major");
  CHECK(product.count(TraceKind::ReferenceUsed) == 0);
  CHECK(adapters.bytesLive() == 270);
  CHECK(sameBits(product.y, multiply(registry, x, w).y));

  // Without a scope of the caller's the copy lives as long as the call.
  const Product own = multiply(registry, x, w, relaying());
  REQUIRE(own.status.ok());
  CHECK(own.only(TraceKind::AdapterInserted).scope == "matmul");
  CHECK(own.only(TraceKind::Allocation).bytes == 270);
  CHECK(own.only(TraceKind::Free).bytes == 270);
}

TEST_CASE("matmul: prepackWeights without a kernel to relay for copies nothing") {
  Registry registry;
  Scope scope("test");
  Scope adapters("adapters");
  const TensorView w = realView(scope, Encoding::Q4_0, {5, 96}, kRows);
  const Product product = multiply(registry, randomFloats(96, 1), w, relaying(&adapters));
  REQUIRE(product.status.ok());
  CHECK(product.count(TraceKind::AdapterInserted) == 0);
  CHECK(product.count(TraceKind::ReferenceUsed) == 1);
  CHECK(adapters.bytesPeak() == 0);
}

TEST_CASE("matmul: a view with holes is relaid only for a kernel that is worth it") {
  const auto x = randomFloats(64, 1);
  Scope scope("test");
  for (const BlockOrder order : {kRows, kKernel}) {
    const TensorView whole = realView(scope, Encoding::Q4_0, {6, 128}, order);
    const TensorView part = *(*whole.narrow(1, 32, 64)).narrow(0, 1, 4);
    const auto expected = multiply(Registry(), x, part).y;

    const Registry scalar = Registry::upTo(Isa::SCALAR);  // reads strides: nothing to gain
    const Product direct = multiply(scalar, x, part, relaying());
    CHECK(direct.count(TraceKind::AdapterInserted) == 0);
    CHECK(sameBits(direct.y, expected));

    for (const BlockOrder wanted : {kRows, kKernel}) {
      const KernelInfo kernel = packedKernel(Encoding::Q4_0, wanted);
      Registry wide = Registry::upTo(Isa::SCALAR);
      wide.add(kernel);
      CHECK(multiply(wide, x, part).only(TraceKind::KernelRun).what.find("scalar") !=
            std::string::npos);
      const Product relaid = multiply(wide, x, part, relaying());
      CHECK(relaid.only(TraceKind::AdapterInserted).what ==
            joined(wanted == order ? "compact-" : "prepack-",
                   wanted == kRows ? "row_major" : "input_block_major"));
      CHECK(relaid.only(TraceKind::KernelRun).what == kernel.name);
      CHECK(sameBits(relaid.y, expected));
    }
  }
}

TEST_CASE("matmul: any part of a weight in either order gives the product of that part") {
  const Registry registry = Registry::upTo(builtIsa());
  Scope scope("test");
  const Shape shape = {9, 5 * 32};
  const auto canonical = realBlocks(Encoding::Q5_0, 45, 6);
  const Dense dense = decoded(Encoding::Q5_0, shape, canonical);
  for (const BlockOrder order : {kRows, kKernel}) {
    const TensorView w = viewOf(scope, Encoding::Q5_0, shape, canonical, order);
    for (uint64_t from = 0; from < 9; from += 2) {
      for (uint64_t step = 1; step <= 3; ++step) {
        for (uint64_t b = 0; b < 5; b += 2) {
          const uint64_t size = (5 - b) * 32;
          const TensorView part =
              *(*(*w.narrow(0, from, 9 - from)).everyNth(0, step)).narrow(1, b * 32, size);
          const Dense same =
              dense.narrow(0, from, 9 - from).everyNth(0, step).narrow(1, b * 32, size);
          const auto x = randomFloats(2 * size, 8);
          for (const bool relay : {false, true}) {
            MatmulOptions options;
            options.prepackWeights = relay;
            const Product product = multiply(registry, x, part, options);
            REQUIRE(product.status.ok());
            requireNear(product.y, matmul(x, same), 1e-5);
          }
        }
      }
    }
  }
}

TEST_CASE("matmul: a transposed packed view is refused and matmulWeightTransposed is named") {
  const Registry registry = Registry::upTo(builtIsa());
  Scope scope("test");
  for (const BlockOrder order : {kRows, kKernel}) {
    const TensorView square = realView(scope, Encoding::Q4_0, {64, 64}, order);
    const Product product =
        multiply(registry, randomFloats(64, 1), *square.transpose(), relaying());
    REQUIRE(codeOf(product.status) == ErrorCode::TRANSPOSE_REFUSED);
    CHECK(product.status.error().message.find("matmulWeightTransposed") != std::string::npos);
    CHECK(product.only(TraceKind::Refused).what == "TRANSPOSE_REFUSED");
    CHECK(product.y == std::vector<float>(64, 999.0f));
    CHECK(codeOf(transpose(square, nullptr)) == ErrorCode::TRANSPOSE_REFUSED);
  }
}

TEST_CASE("matmul: a plain weight can be transposed, and is multiplied as what it then is") {
  const Registry registry = Registry::upTo(builtIsa());
  Scope scope("test");
  const Shape shape = {66, 70};
  const auto canonical = realBlocks(Encoding::F32, 66 * 70, 2);
  const TensorView w = viewOf(scope, Encoding::F32, shape, canonical, kRows);
  const auto turned = transpose(w, nullptr);
  REQUIRE(turned.ok());
  const auto x = randomFloats(2 * 66, 3);
  const Product product = multiply(registry, x, *turned);
  REQUIRE(product.status.ok());
  requireNear(product.y, matmul(x, decoded(Encoding::F32, shape, canonical).transpose()), 1e-5);
  CHECK(product.count(TraceKind::ReferenceUsed) == 0);
  const auto dense = dequantize(*turned, scope, nullptr);
  REQUIRE(dense.ok());
  CHECK(sameBits(product.y, multiply(registry, x, *dense).y));
}

TEST_CASE(
    "matmul: empty input, zero rows and an input dimension of 0 are results, not left-overs") {
  const Registry registry = Registry::upTo(builtIsa());
  Scope scope("test");
  const TensorView w = realView(scope, Encoding::Q4_0, {5, 96}, kRows);
  CHECK(multiply(registry, {}, w).status.ok());
  CHECK(multiply(registry, randomFloats(96, 1), *w.narrow(0, 0, 0)).status.ok());
  for (const BlockOrder order : {kRows, kKernel}) {
    const TensorView none = realView(scope, Encoding::Q4_0, {5, 0}, order);
    const Product product = multiply(registry, {}, none);
    REQUIRE(product.status.ok());
    CHECK(product.y == std::vector<float>(5, 0.0f));
  }
  CHECK(codeOf(multiply(registry, {1}, *w.narrow(1, 0, 0)).status) == ErrorCode::SHAPE_MISMATCH);
}

TEST_CASE("matmul: a failed allocation is an error, and y is as it was") {
  const KernelInfo kernel = packedKernel(Encoding::Q4_0, kKernel, Activation::INT8);
  Registry registry;
  registry.add(kernel);
  Scope scope("test");
  const TensorView w = realView(scope, Encoding::Q4_0, {5, 96}, kRows);
  const auto x = randomFloats(96, 1);
  std::vector<float> y(5, 999.0f);

  Scope small("small", nullptr, 100);
  MatmulOptions options = relaying(&small);
  options.activation = Activation::INT8;
  Workspace workspace;
  CHECK(codeOf(matmul(registry, workspace, x, w, y, options)) == ErrorCode::OUT_OF_MEMORY);
  CHECK(small.bytesLive() == 0);
  CHECK(y == std::vector<float>(5, 999.0f));

  Workspace none(0);
  Scope enough("enough");
  options.scope = &enough;
  CHECK(codeOf(matmul(registry, none, x, w, y, options)) == ErrorCode::OUT_OF_MEMORY);
  CHECK(y == std::vector<float>(5, 999.0f));
}

TEST_CASE("matmul: operands that do not fit are refused with both numbers") {
  const Registry registry = Registry::upTo(builtIsa());
  Workspace workspace;
  Scope scope("test");
  const TensorView w = realView(scope, Encoding::Q4_0, {5, 96}, kRows);
  const auto x = randomFloats(192, 1);
  std::vector<float> y(10);
  const auto wrongX = matmul(registry, workspace, std::span(x).first(100), w, y, {});
  REQUIRE(codeOf(wrongX) == ErrorCode::SHAPE_MISMATCH);
  CHECK(wrongX.error().expected == "a multiple of 96");
  CHECK(wrongX.error().actual == "100");
  const auto wrongY = matmul(registry, workspace, x, w, std::span(y).first(9), {});
  REQUIRE(codeOf(wrongY) == ErrorCode::SHAPE_MISMATCH);
  CHECK(wrongY.error().expected == "2 x 5");
  const TensorView stack = realView(scope, Encoding::Q4_0, {2, 5, 96}, kRows);
  CHECK(codeOf(matmul(registry, workspace, x, stack, y, {})) == ErrorCode::RANK_UNSUPPORTED);
  CHECK(matmul(registry, workspace, x, *stack.slice(1), y, {}).ok());
}

TEST_CASE("matmul: a y that overlaps what is read is refused") {
  const Registry registry = Registry::upTo(builtIsa());
  Workspace workspace;
  Scope scope("test");
  const TensorView w = realView(scope, Encoding::Q4_0, {96, 96}, kRows);
  auto x = randomFloats(200, 1);
  const auto part = [&](std::size_t from) { return std::span(x).subspan(from, 96); };
  CHECK(codeOf(matmul(registry, workspace, part(0), w, part(0), {})) ==
        ErrorCode::INVALID_ARGUMENT);
  CHECK(codeOf(matmul(registry, workspace, part(0), w, part(95), {})) ==
        ErrorCode::INVALID_ARGUMENT);
  CHECK(matmul(registry, workspace, part(0), w, part(96), {}).ok());
}

TEST_CASE("matmul: NaN and infinity pass through f32 and are refused with their index under int8") {
  const Registry registry = Registry::upTo(builtIsa());
  Scope scope("test");
  const TensorView w = realView(scope, Encoding::Q4_0, {5, 96}, kRows);
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    auto x = randomFloats(96, 1);
    x[41] = bad;
    MatmulOptions options;
    options.activation = Activation::INT8;
    const Product refused = multiply(registry, x, w, options);
    REQUIRE(codeOf(refused.status) == ErrorCode::ELEMENT_NOT_FINITE);
    CHECK(refused.status.error().offset == 41u);
    CHECK(refused.y == std::vector<float>(5, 999.0f));
    CHECK(multiply(registry, x, w).status.ok());
  }
}

TEST_CASE("matmul: a weight whose scope is closed, or that was relaid in place, is refused") {
  const Registry registry = Registry::upTo(builtIsa());
  Scope scope("layer 3");
  const TensorView w = realView(scope, Encoding::Q4_0, {5, 96}, kRows);
  const auto here = prepackInPlace(w, kKernel, nullptr);
  REQUIRE(here.ok());
  CHECK(codeOf(multiply(registry, randomFloats(96, 1), w).status) == ErrorCode::STALE_VIEW);
  CHECK(multiply(registry, randomFloats(96, 1), *here).status.ok());
  scope.close();
  const Product late = multiply(registry, randomFloats(96, 1), *here);
  REQUIRE(codeOf(late.status) == ErrorCode::SCOPE_CLOSED);
  CHECK(late.status.error().message.find("layer 3") != std::string::npos);
  CHECK(codeOf(multiply(registry, {}, *here).status) == ErrorCode::SCOPE_CLOSED);
}

TEST_CASE("matmul: the second call of the same shapes needs no more scratch") {
  const Registry registry = Registry::upTo(builtIsa());
  Scope scope("test");
  Workspace workspace;
  MatmulOptions options;
  options.activation = Activation::INT8;
  const TensorView w = realView(scope, Encoding::Q4_0, {5, 96}, kRows);
  const auto x = randomFloats(192, 1);
  std::vector<float> y(10);
  REQUIRE(matmul(registry, workspace, x, w, y, options).ok());
  const uint64_t size = workspace.size();
  REQUIRE(matmul(registry, workspace, x, w, y, options).ok());
  CHECK(workspace.size() == size);
}

}  // namespace packed
