// The one place that hands out addresses of the module's memory. JS writes packed bytes and floats
// there and reads results back; it re-reads its typed array after every call, because memory may
// have grown.
#include <emscripten/bind.h>

#include <cstdlib>

#include "adapt.h"
#include "base/allocate.h"

namespace packed::bindings {
namespace {

// 0 when the memory cannot be had.
double heapAllocate(double size) {
  if (!(size >= 0) || size >= 0x1p32) return 0;
  return static_cast<double>(
      reinterpret_cast<uintptr_t>(allocateLines(static_cast<uint64_t>(size))));
}

void heapFree(double address) {
  std::free(reinterpret_cast<void*>(static_cast<uintptr_t>(address)));
}

// Where a view's whole storage lies, to write there: counts as a change of the bytes.
val writableStorageAddress(TensorView& view) {
  if (auto fresh = view.storageBytes(); !fresh) return failure(fresh.error());
  auto bytes = view.storage()->writableBytes();
  if (!bytes) return failure(bytes.error());
  return val(static_cast<double>(reinterpret_cast<uintptr_t>(bytes->data())));
}

double storageSize(const TensorView& view) { return static_cast<double>(view.storage()->size()); }

}  // namespace

EMSCRIPTEN_BINDINGS(heap) {
  emscripten::function("heapAllocate", &heapAllocate);
  emscripten::function("heapFree", &heapFree);
  emscripten::function("writableStorageAddress", &writableStorageAddress);
  emscripten::function("storageSize", &storageSize);
}

}  // namespace packed::bindings
