// PACKED_ASSERT: a programmer's mistake, not a user's. Checked in debug and sanitized builds, free
// in release builds. Bytes and user input never reach it: they are refused with an Error
// (result.h).
#pragma once

#include <cassert>

#ifdef NDEBUG
#define PACKED_ASSERT(condition) static_cast<void>(0)
#else
#define PACKED_ASSERT(condition) static_cast<void>((condition) || (assert(!#condition), false))
#endif
