#include "weights/mending.h"

namespace packed {

std::string packCall(const Observation& seen, BlockOrder order, std::string_view bytes) {
  const EncodingSpec& spec = specOf(seen.expected.encoding);
  return joined("pw.pack(", bytes, ", { encoding: '", spec.name, "', out: ", seen.grid.out,
                ", inputDim: ", seen.expected.grid.blocksPerRow * spec.elements, ", order: '",
                nameOf(order), "' })");
}

std::string relayoutCall(const Observation& seen, BlockOrder is) {
  return joined(is == BlockOrder::ROW_MAJOR ? "pw.toKernelOrder(" : "pw.toCanonicalOrder(",
                packCall(seen, is), ")");
}

std::string counted(uint64_t count, std::string_view noun) {
  return joined(count, " ", noun, count == 1 ? "" : "s");
}

std::string_view are(uint64_t count) { return count == 1 ? "is" : "are"; }

}  // namespace packed
