#include "base/checked.h"

#include <doctest/doctest.h>

namespace packed {

TEST_CASE("checked: a product or sum that does not fit 64 bits is nothing, never a small number") {
  CHECK(checkedMul(uint64_t{1} << 32, uint64_t{1} << 31) == uint64_t{1} << 63);
  CHECK(!checkedMul(uint64_t{1} << 32, uint64_t{1} << 32));
  CHECK(checkedAdd(UINT64_MAX, 0) == UINT64_MAX);
  CHECK(!checkedAdd(UINT64_MAX, 1));
  CHECK(checkedMul(UINT64_MAX, 0) == 0u);
}

TEST_CASE("checked: the sizes of llama.cpp #26978 overflow instead of wrapping to a small tensor") {
  CHECK(
      !checkedProduct(uint64_t{4}, (uint64_t{1} << 30) - 1, (uint64_t{1} << 30) + 1, uint64_t{16}));
}

TEST_CASE("checked: aligning up keeps multiples and refuses to pass the end of 64 bits") {
  CHECK(checkedAlignUp(0, 32) == 0u);
  CHECK(checkedAlignUp(32, 32) == 32u);
  CHECK(checkedAlignUp(33, 32) == 64u);
  CHECK(checkedAlignUp(33, 24) == 48u);
  CHECK(!checkedAlignUp(UINT64_MAX - 3, 32));
}

TEST_CASE("checked: no size beyond the address space passes") {
  CHECK(fitsAddressSpace(1u << 30));
  CHECK(!fitsAddressSpace(UINT64_MAX));
  CHECK(!fitsAddressSpace(uint64_t{1} << 63));
}

}  // namespace packed
