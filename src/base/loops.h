// Unrolls a loop completely, or keeps it as it is, whatever the compiler thinks of it.
#pragma once

#if defined(__clang__)
#define PACKED_UNROLL _Pragma("clang loop unroll(full)")
#define PACKED_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define PACKED_UNROLL
#define PACKED_ROLLED
#endif
