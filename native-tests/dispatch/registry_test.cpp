#include "dispatch/registry.h"

#include <doctest/doctest.h>

#include "dispatch/explain.h"
#include "support/kernels.h"
#include "support/views.h"

namespace packed {
namespace {

using namespace oracle;
constexpr auto kRows = BlockOrder::ROW_MAJOR;
constexpr auto kKernel = BlockOrder::INPUT_BLOCK_MAJOR;

KernelKey keyOfCall(Encoding encoding, LayoutClass layoutClass, Activation activation, Isa isa) {
  KernelKey key;
  key.w = {encoding, layoutClass};
  key.activation = activation;
  key.isa = isa;
  return key;
}

}  // namespace

TEST_CASE("registry: what it finds is the last one registered that takes the operands") {
  const KernelInfo first = packedKernel(Encoding::Q4_0, kKernel);
  KernelInfo second = first;
  second.name = "later";
  Registry registry;
  CHECK(registry.find(Encoding::Q4_0, kKernel, Activation::F32) == nullptr);
  registry.add(first);
  CHECK(registry.find(Encoding::Q4_0, kKernel, Activation::F32) == &first);
  registry.add(second);
  CHECK(registry.find(Encoding::Q4_0, kKernel, Activation::F32) == &second);
  CHECK(registry.find(Encoding::Q4_0, kRows, Activation::F32) == nullptr);
  CHECK(registry.find(Encoding::Q4_0, kKernel, Activation::INT8) == nullptr);
  CHECK(registry.find(Encoding::Q4_1, kKernel, Activation::F32) == nullptr);
  CHECK(registry.kernels().size() == 2);
}

TEST_CASE("registry: the table finds what a walk over all kernels finds, for every operand") {
  const Registry registry = Registry::upTo(builtIsa());
  Scope scope("test");
  for (const EncodingSpec& spec : allEncodings()) {
    for (const BlockOrder order : {kRows, kKernel}) {
      const TensorView whole = realView(scope, spec.encoding, {4, 3 * spec.elements}, order);
      for (const TensorView& w : {whole, *whole.everyNth(0, 2), *whole.transpose()}) {
        for (const Activation activation : {Activation::F32, Activation::INT8}) {
          const Activation asked = spec.blocked() ? activation : Activation::F32;
          const KernelInfo* expected = nullptr;
          for (const KernelInfo& kernel : allMatmulKernels()) {
            const bool takes = kernel.isa <= builtIsa() && kernel.encoding == spec.encoding &&
                               kernel.order == order && kernel.activation == asked &&
                               !(w.layout().axesSwapped() && spec.blocked()) &&
                               (w.layout().gapFree() || kernel.readsStrides);
            if (takes) expected = &kernel;
          }
          REQUIRE(registry.find(w, activation) == expected);
        }
      }
    }
  }
}

TEST_CASE("registry: a view with holes never reaches a kernel that ignores strides") {
  const KernelInfo dense = packedKernel(Encoding::Q4_0, kKernel);
  Registry registry;
  registry.add(dense);
  Scope scope("test");
  const TensorView w = realView(scope, Encoding::Q4_0, {6, 128}, kKernel);
  CHECK(registry.find(w, Activation::F32) == &dense);
  CHECK(registry.find(*w.narrow(0, 1, 3), Activation::F32) == nullptr);
  CHECK(registry.find(*w.everyNth(0, 2), Activation::F32) == nullptr);
  CHECK(registry.find(*w.transpose(), Activation::F32) == nullptr);
  CHECK(registry.find(*w.narrow(1, 32, 64), Activation::F32) == &dense);
}

TEST_CASE("registry: a ceiling keeps wider instruction sets out") {
  const Registry scalar = Registry::upTo(Isa::SCALAR);
  CHECK(scalar.ceiling() == Isa::SCALAR);
  for (const KernelInfo* kernel : scalar.kernels()) CHECK(kernel->isa == Isa::SCALAR);
  // Scalar kernels are the specification: there is one for everything.
  for (const EncodingSpec& spec : allEncodings()) {
    for (const BlockOrder order : {kRows, kKernel}) {
      const KernelInfo* exact = scalar.find(spec.encoding, order, Activation::F32);
      const KernelInfo* rounded = scalar.find(spec.encoding, order, Activation::INT8);
      CHECK(exact != nullptr);
      CHECK(rounded != nullptr);
      // Plain values are multiplied by x as it is, whatever may be rounded.
      CHECK((rounded == exact) == !spec.blocked());
    }
  }
}

TEST_CASE("explain: names the kernel that runs") {
  const Registry registry = Registry::upTo(Isa::SCALAR);
  const Explanation answer = explain(
      registry,
      keyOfCall(Encoding::Q4_K, LayoutClass::BLOCKED_INPUT_MAJOR, Activation::INT8, Isa::SCALAR));
  REQUIRE(answer.kernel != nullptr);
  CHECK(answer.kernel->name == "matmul_int8_q4_k_input_major_scalar");
  CHECK(answer.nearest == nullptr);
  CHECK(answer.text ==
        "matmul(F32 contiguous int8 x F32/Q4_K blocked_input_major) @scalar runs "
        "matmul_int8_q4_k_input_major_scalar");
}

TEST_CASE("explain: names the nearest kernel and the one field in which it differs") {
  const KernelInfo kernel = packedKernel(Encoding::Q4_0, kKernel, Activation::INT8);
  Registry registry;
  registry.add(kernel);
  const auto ask = [&](Encoding encoding, LayoutClass layoutClass, Activation activation, Isa isa) {
    const Explanation answer = explain(registry, keyOfCall(encoding, layoutClass, activation, isa));
    CHECK(answer.kernel == nullptr);
    CHECK(answer.nearest == &kernel);
    return joined(answer.field, ": ", answer.has, " / ", answer.wants);
  };
  constexpr auto kInput = LayoutClass::BLOCKED_INPUT_MAJOR;
  CHECK(ask(Encoding::Q4_0, LayoutClass::BLOCKED_ROW_MAJOR, Activation::INT8, Isa::SIMD128) ==
        "layout: blocked_input_major / blocked_row_major");
  CHECK(ask(Encoding::Q4_0, LayoutClass::STRIDED, Activation::INT8, Isa::SIMD128) ==
        "layout: blocked_input_major / strided");
  CHECK(ask(Encoding::Q4_0, kInput, Activation::F32, Isa::SIMD128) == "activation: int8 / f32");
  CHECK(ask(Encoding::Q4_0, kInput, Activation::INT8, Isa::SCALAR) == "isa: simd128 / scalar");
  CHECK(ask(Encoding::Q4_1, kInput, Activation::INT8, Isa::SIMD128) == "encoding: Q4_0 / Q4_1");
}

TEST_CASE("explain: a transposed packed weight is taken by nothing, and the way out is named") {
  Scope scope("test");
  const TensorView w = realView(scope, Encoding::Q4_0, {64, 64}, kRows);
  const Explanation answer = explain(Registry::upTo(Isa::SCALAR), *w.transpose(), Activation::F32);
  CHECK(answer.kernel == nullptr);
  CHECK(answer.field == "layout");
  CHECK(answer.wants == "transposed");
  CHECK(answer.text.find("matmulWeightTransposed") != std::string::npos);
}

TEST_CASE("explain: of several kernels the one that differs in least is named") {
  const KernelInfo kernels[] = {
      packedKernel(Encoding::Q4_1, kRows), packedKernel(Encoding::Q4_0, kKernel, Activation::INT8),
      packedKernel(Encoding::Q4_0, kRows, Activation::INT8), packedKernel(Encoding::Q8_0, kKernel)};
  Registry registry;
  for (const KernelInfo& kernel : kernels) registry.add(kernel);
  const Explanation answer = explain(
      registry,
      keyOfCall(Encoding::Q4_0, LayoutClass::BLOCKED_ROW_MAJOR, Activation::F32, Isa::SIMD128));
  CHECK(answer.nearest == &kernels[2]);
  CHECK(answer.field == "activation");
  const Explanation far = explain(
      registry, keyOfCall(Encoding::Q4_0, LayoutClass::STRIDED, Activation::F32, Isa::SCALAR));
  CHECK(far.text.find(" and whose isa is simd128, not scalar") != std::string::npos);
  CHECK(explain(Registry(), far.key).text.find("none is registered") != std::string::npos);
}

}  // namespace packed
