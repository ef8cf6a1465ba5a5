// Unrolls a loop completely, keeps it as it is, or goes one by one in little code, whatever the
// compiler thinks of it.
#pragma once

#if defined(__clang__)
#define PACKED_UNROLL _Pragma("clang loop unroll(full)")
#define PACKED_ROLLED _Pragma("clang loop unroll(disable)")
#define PACKED_ONE_BY_ONE _Pragma("clang loop vectorize(disable) unroll(disable)")
#else
#define PACKED_UNROLL
#define PACKED_ROLLED
#define PACKED_ONE_BY_ONE
#endif
