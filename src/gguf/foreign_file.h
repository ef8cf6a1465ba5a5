// What a file is that does not start with GGUF: an HTML page, a Git LFS pointer, an archive,
// another model format. Half of all "corrupt GGUF" reports are one of these.
#pragma once

#include <string>

#include "base/bytes.h"

namespace packed {

// Enough of a file's start for every description below.
inline constexpr uint64_t kForeignHeadBytes = 512;

// "a Git LFS pointer, not the file itself: run `git lfs pull`"; never empty. `head` is the start of
// the file (all of it when it is shorter), `totalSize` its size.
std::string describeForeignFile(Bytes head, uint64_t totalSize);

}  // namespace packed
