// What this engine's relaxed dot products do, found out by executing them.
//
// The relaxed operators multiply signed bytes by bytes of 0..127. Where the second byte is
// 128..255, engines differ, and so do instruction sets on one engine. Three kinds exist:
//
//   SIGNED     takes it as -128..-1, sums exactly in 32 bits            (ARM's sdot)
//   UNSIGNED   takes it as 128..255, sums exactly in 32 bits            (x86 with VNNI: vpdpbusd)
//   NARROW     anything else; sums of two products may saturate in 16   (x86 without: vpmaddubsw)
//
// -128 x -128 cannot tell UNSIGNED and NARROW apart; 255 x -128 and 127 x 255 can.
#pragma once

#include <cstdint>
#include <string_view>

namespace packed {

enum class RelaxedDot : uint8_t { NARROW, UNSIGNED, SIGNED };

constexpr std::string_view nameOf(RelaxedDot dot) {
  return dot == RelaxedDot::NARROW ? "narrow" : dot == RelaxedDot::UNSIGNED ? "unsigned" : "signed";
}

// Executed once, then remembered. NARROW in a binary without relaxed SIMD.
RelaxedDot relaxedDot();

// What signed codes must have too much for the dot product to take them as they are meant.
inline int excessOfSigned() { return relaxedDot() == RelaxedDot::UNSIGNED ? 128 : 0; }

#if defined(PACKED_SIMDE)
// Natively the relaxed operators are emulated, for tests, with each of the three semantics in turn.
void emulateRelaxedDot(RelaxedDot dot);
#endif

}  // namespace packed
