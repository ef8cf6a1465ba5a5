// The 128-bit vectors that kernels are written in: WebAssembly's own, or natively the same
// intrinsics spelled by SIMDe, so that every kernel runs under the sanitizers. Above them the few
// helpers that all kernels share. Costs and reasons are V8's: one intrinsic is one instruction
// unless said otherwise.
#pragma once

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#define PACKED_SIMD 1
#if defined(__wasm_relaxed_simd__)
#define PACKED_RELAXED_SIMD 1
#endif
#elif defined(PACKED_SIMDE)
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/wasm/simd128.h>
#define PACKED_SIMD 1
#define PACKED_RELAXED_SIMD 1
#endif

#if defined(PACKED_SIMD)

#include <cstdint>

#include "base/half.h"
#include "base/loops.h"

#if defined(__GNUC__)
#define PACKED_INLINE inline __attribute__((always_inline))
#define PACKED_NOINLINE __attribute__((noinline))
#else
#define PACKED_INLINE inline
#define PACKED_NOINLINE
#endif
// What runs once, or mostly calls what is fast.
#if defined(__clang__)
#define PACKED_SMALL __attribute__((noinline, minsize))
#else
#define PACKED_SMALL PACKED_NOINLINE
#endif

// PACKED_UNROLL is for loops over rows or vectors, PACKED_ROLLED for those over blocks or k.
// (Unrolled k loops cost V8 its registers: performance measured three times worse.)

namespace packed {

using Vector = v128_t;

// A constant that neither clang nor binaryen (which folds what clang was kept from folding) can
// see: V8 since 13.6 builds a v128.const anew at each use inside a loop, with three or four
// instructions, but keeps a splat of an i32 in its register. The stack lies low in the memory: the
// top two bits of its pointer are 0. (Of one bit "or 1" is 1, and binaryen knows.)
PACKED_INLINE int held(int value) {
#if defined(__wasm__)
  int out;
  __asm__(
      ".globaltype __stack_pointer, i32\n\tglobal.get __stack_pointer\n\ti32.const 30\n\t"
      "i32.shr_u\n\tlocal.get %1\n\ti32.or\n\tlocal.set %0"
      : "=r"(out)
      : "r"(value));
  return out;
#else
  return value;
#endif
}
// The same for an address.
template <class T>
PACKED_INLINE const T* held(const T* address) {
#if defined(__wasm__)
  __asm__("" : "+r"(address));
#endif
  return address;
}

// A sum that clang would otherwise take apart and add to each of several pointers one by one.
PACKED_INLINE int asOneSum(int sum) {
#if defined(__wasm__)
  __asm__("" : "+r"(sum));
#endif
  return sum;
}

// What was stored to `memory` is there before anything that follows, for sums that V8 should not
// try to keep in registers.
PACKED_INLINE void inMemory(void* memory) {
#if defined(__wasm__)
  __asm__ volatile("" : : "r"(memory) : "memory");
#else
  (void)memory;
#endif
}
// The same for V8 before 12 alone, which mixes independent calculations, such as those of four rows,
// until no register is left; through memory it cannot. Relaxed SIMD is for newer ones, to which this
// pass through memory is only a cost.
PACKED_INLINE void inMemoryOfOldV8(void* memory) {
#if !defined(__wasm_relaxed_simd__)
  inMemory(memory);
#else
  (void)memory;
#endif
}

PACKED_INLINE Vector splat8(int value) {
  return wasm_i8x16_splat(static_cast<int8_t>(held(value)));
}
PACKED_INLINE Vector splat16(int value) {
  return wasm_i16x8_splat(static_cast<int16_t>(held(value)));
}
PACKED_INLINE Vector splat32(int value) { return wasm_i32x4_splat(held(value)); }
PACKED_INLINE Vector zero() { return wasm_i32x4_splat(0); }

PACKED_INLINE Vector load(const void* from) { return wasm_v128_load(from); }
PACKED_INLINE void store(void* to, Vector value) { wasm_v128_store(to, value); }
PACKED_INLINE Vector loadSplat32(const void* from) { return wasm_v128_load32_splat(from); }

// The bytes of `bytes` at `indices`, each of them below 16.
PACKED_INLINE Vector bytesAt(Vector bytes, Vector indices) {
#if defined(__wasm_relaxed_simd__)
  return wasm_i8x16_relaxed_swizzle(bytes, indices);
#else
  return wasm_i8x16_swizzle(bytes, indices);
#endif
}

// One instruction; to load each lane as a splat would take another one for its address.
template <int lane>
PACKED_INLINE Vector splatLane(Vector v) {
  return wasm_i32x4_shuffle(v, v, lane, lane, lane, lane);
}

// Functions, because SIMDe's macros stumble over the commas of template arguments.
PACKED_INLINE Vector bitAnd(Vector a, Vector b) { return wasm_v128_and(a, b); }
PACKED_INLINE Vector bitOr(Vector a, Vector b) { return wasm_v128_or(a, b); }
PACKED_INLINE Vector bitXor(Vector a, Vector b) { return wasm_v128_xor(a, b); }

PACKED_INLINE Vector add32(Vector a, Vector b) { return wasm_i32x4_add(a, b); }
// a[2i] * b[2i] + a[2i+1] * b[2i+1] of signed 16-bit lanes.
PACKED_INLINE Vector dot16(Vector a, Vector b) { return wasm_i32x4_dot_i16x8(a, b); }

// Nibbles as bytes. There is no cheap shift of bytes: shift 16-bit lanes and mask.
PACKED_INLINE Vector lowNibbles(Vector v) { return bitAnd(v, splat8(15)); }
PACKED_INLINE Vector highNibbles(Vector v) { return bitAnd(wasm_u16x8_shr(v, 4), splat8(15)); }

// Lane r of the result is the sum of the lanes of vector r: (v[0] + v[2]) + (v[1] + v[3]), in
// 32-bit integers or floats.
PACKED_INLINE Vector sumLanes32(Vector a, Vector b, Vector c, Vector d) {
  const Vector ab =
      add32(wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
  const Vector cd =
      add32(wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), wasm_i32x4_shuffle(c, d, 2, 6, 3, 7));
  return add32(wasm_i64x2_shuffle(ab, cd, 0, 2), wasm_i64x2_shuffle(ab, cd, 1, 3));
}
// The same of integers of at most `lane` either way, in fewer instructions where they fit 16 bits;
// fewer still where `pair`, what two neighbours sum to at most, does as well. `ones` are
// sixteen-bit.
template <int64_t lane, int64_t pair>
PACKED_INLINE Vector sumSmallLanes32(Vector a, Vector b, Vector c, Vector d, Vector ones) {
  if constexpr (lane > INT16_MAX) {
    return sumLanes32(a, b, c, d);
  } else {
    const Vector ab = dot16(wasm_i16x8_narrow_i32x4(a, b), ones);
    const Vector cd = dot16(wasm_i16x8_narrow_i32x4(c, d), ones);
    if constexpr (pair <= INT16_MAX) {
      return dot16(wasm_i16x8_narrow_i32x4(ab, cd), ones);
    } else {
      return add32(wasm_i32x4_shuffle(ab, cd, 0, 2, 4, 6), wasm_i32x4_shuffle(ab, cd, 1, 3, 5, 7));
    }
  }
}
PACKED_INLINE Vector sumLanesF32(Vector a, Vector b, Vector c, Vector d) {
  const Vector ab =
      wasm_f32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
  const Vector cd =
      wasm_f32x4_add(wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), wasm_i32x4_shuffle(c, d, 2, 6, 3, 7));
  return wasm_f32x4_add(wasm_i64x2_shuffle(ab, cd, 0, 2), wasm_i64x2_shuffle(ab, cd, 1, 3));
}

// Four vectors of four 32-bit lanes, lanes and vectors exchanged.
PACKED_INLINE void exchangeLanes(Vector v[4]) {
  const Vector a = wasm_i32x4_shuffle(v[0], v[1], 0, 4, 1, 5);
  const Vector b = wasm_i32x4_shuffle(v[0], v[1], 2, 6, 3, 7);
  const Vector c = wasm_i32x4_shuffle(v[2], v[3], 0, 4, 1, 5);
  const Vector d = wasm_i32x4_shuffle(v[2], v[3], 2, 6, 3, 7);
  v[0] = wasm_i64x2_shuffle(a, c, 0, 2);
  v[1] = wasm_i64x2_shuffle(a, c, 1, 3);
  v[2] = wasm_i64x2_shuffle(b, d, 0, 2);
  v[3] = wasm_i64x2_shuffle(b, d, 1, 3);
}

// fp16 numbers in the lower halves as f32; every bit of halfToFloat, without the denormal operands
// that cost some processors a hundred cycles. Too long to be repeated in every kernel.
PACKED_NOINLINE inline Vector halvesToFloats(Vector h) {
  const Vector magnitude = wasm_i32x4_shl(bitAnd(h, splat32(0x7fff)), 13);
  const Vector rebias = splat32(0x38000000);
  const Vector normal = add32(magnitude, rebias);
  const Vector subnormalOffset = splat32(0x38800000);
  const Vector subnormal = wasm_f32x4_sub(add32(magnitude, subnormalOffset), subnormalOffset);
  // Of the two readings the lesser is the right one.
  const Vector finite = wasm_i32x4_min(normal, subnormal);
  // Infinity and NaN: the exponent goes all the way up.
  const Vector unbounded = bitAnd(wasm_i32x4_gt(magnitude, splat32(0x0f7fffff)), rebias);
  const Vector sign = bitAnd(wasm_i32x4_shl(h, 16), splat32(INT32_MIN));
  return bitOr(add32(finite, unbounded), sign);
}

// Four of them, one from each place.
PACKED_INLINE Vector fourHalves(const uint8_t* a, const uint8_t* b, const uint8_t* c,
                                const uint8_t* d) {
  return halvesToFloats(wasm_i32x4_make(loadLE<uint16_t>(a), loadLE<uint16_t>(b),
                                        loadLE<uint16_t>(c), loadLE<uint16_t>(d)));
}

// Four rows' fp16 numbers in the upper halves of 32-bit lanes; with `count` 2 also those two bytes
// before them, in the lower halves.
template <int count>
PACKED_INLINE Vector gatherHalves(const uint8_t* const rows[4]) {
  Vector h = zero();
  if constexpr (count == 1) {
    h = wasm_v128_load16_lane(rows[0], h, 1);
    h = wasm_v128_load16_lane(rows[1], h, 3);
    h = wasm_v128_load16_lane(rows[2], h, 5);
    h = wasm_v128_load16_lane(rows[3], h, 7);
  } else {
    h = wasm_v128_load32_zero(rows[0]);
    h = wasm_v128_load32_lane(rows[1], h, 1);
    h = wasm_v128_load32_lane(rows[2], h, 2);
    h = wasm_v128_load32_lane(rows[3], h, 3);
  }
  return h;
}

// fp16 numbers in the upper halves as f32: exact but for infinity and NaN, which come out finite
// (`unbounded` finds them), and with a subnormal operand where the number is subnormal. That costs
// such rows 50 cycles or more; five operations without it would cost all rows a tenth.
PACKED_INLINE Vector quickHalves(Vector upper) {
  const Vector shifted = bitAnd(wasm_i32x4_shr(upper, 3), splat32(static_cast<int>(0x8fffe000)));
  return wasm_f32x4_mul(shifted, splat32(0x77800000));  // 2^112
}

// The largest exponents seen so far: of halves, doubled to be without sign.
PACKED_INLINE Vector largest(Vector seen, Vector halves) {
  return wasm_u16x8_max(seen, wasm_i16x8_add(halves, halves));
}
PACKED_INLINE bool unbounded(Vector seen) {
  return wasm_v128_any_true(wasm_u16x8_ge(seen, splat16(static_cast<int16_t>(0xf800))));
}

// fp16 numbers in the upper halves as f32, every bit of them: the quick way unless one is infinite
// or NaN.
PACKED_NOINLINE inline Vector mostlyQuickHalves(Vector upper) {
  const bool quick = !unbounded(largest(zero(), bitAnd(upper, splat32(INT32_MIN >> 15))));
  return quick ? quickHalves(upper) : halvesToFloats(wasm_u32x4_shr(upper, 16));
}

}  // namespace packed

#endif  // PACKED_SIMD
