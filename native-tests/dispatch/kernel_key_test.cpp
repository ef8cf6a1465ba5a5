#include "dispatch/kernel_key.h"

#include <doctest/doctest.h>

#include <set>

#include "support/kernels.h"
#include "support/views.h"

namespace packed {
namespace {

using namespace oracle;
constexpr auto kRows = BlockOrder::ROW_MAJOR;
constexpr auto kKernel = BlockOrder::INPUT_BLOCK_MAJOR;

}  // namespace

TEST_CASE("key: prints as the page spells it") {
  KernelKey key;
  key.w = {Encoding::Q4_K, LayoutClass::BLOCKED_INPUT_MAJOR};
  key.isa = Isa::SIMD128;
  CHECK(key.text() == "matmul(F32 contiguous x F32/Q4_K blocked_input_major) @simd128");
  key.activation = Activation::INT8;
  key.w.layoutClass = LayoutClass::BLOCKED_ROW_MAJOR;
  key.isa = Isa::SCALAR;
  CHECK(key.text() == "matmul(F32 contiguous int8 x F32/Q4_K blocked_row_major) @scalar");
  key.w = {Encoding::BF16, LayoutClass::STRIDED};
  key.activation = Activation::F32;
  CHECK(key.text() == "matmul(F32 contiguous x BF16 strided) @scalar");
}

TEST_CASE("key: a blocked view has an order in its class only while it has no gaps") {
  Scope scope("test");
  for (const BlockOrder order : {kRows, kKernel}) {
    const LayoutClass own =
        order == kRows ? LayoutClass::BLOCKED_ROW_MAJOR : LayoutClass::BLOCKED_INPUT_MAJOR;
    const TensorView w = realView(scope, Encoding::Q4_0, {6, 128}, order);
    CHECK(layoutClassOf(w) == own);
    CHECK(layoutClassOf(*w.transpose()) == LayoutClass::STRIDED);
    CHECK(layoutClassOf(*w.everyNth(0, 2)) == LayoutClass::STRIDED);
    // A run of rows is whole in ROW_MAJOR, a run of blocks in INPUT_BLOCK_MAJOR; the other has
    // holes.
    CHECK(layoutClassOf(*w.narrow(0, 1, 3)) == (order == kRows ? own : LayoutClass::STRIDED));
    CHECK(layoutClassOf(*w.narrow(1, 32, 64)) == (order == kKernel ? own : LayoutClass::STRIDED));
  }
  CHECK(layoutClassOf(realView(scope, Encoding::F32, {4, 8}, kRows)) == LayoutClass::CONTIGUOUS);
  CHECK(layoutClassOf(realView(scope, Encoding::F32, {4, 8}, kKernel)) == LayoutClass::STRIDED);
}

TEST_CASE("key: every kernel of the binary has a key of its own") {
  std::set<std::string> keys;
  std::set<std::string_view> names;
  for (const KernelInfo& kernel : allMatmulKernels()) {
    CHECK(names.insert(kernel.name).second);
    CHECK(keys.insert(keyOf(kernel).text()).second);
  }
}

}  // namespace packed
