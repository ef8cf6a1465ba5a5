// Isa: the instruction set that a kernel is written for. One binary holds SCALAR and one of the
// others: which one is decided by the build, and whether a relaxed binary may be used at all by
// executing it (relaxed_probe.h), never by its name.
#pragma once

#include <cstdint>
#include <string_view>

namespace packed {

enum class Isa : uint8_t { SCALAR, SIMD128, RELAXED };

constexpr std::string_view nameOf(Isa isa) {
  return isa == Isa::SCALAR ? "scalar" : isa == Isa::SIMD128 ? "simd128" : "relaxed";
}

// The widest instruction set that this binary was built for.
Isa builtIsa();

}  // namespace packed
