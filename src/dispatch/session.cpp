#include "dispatch/session.h"

#include "dispatch/operands.h"

namespace packed {

Session::Session(const Registry& registry, const SessionOptions& options)
    : registry_(registry), sink_(options.sink), cache_(options.cacheBytes, options.sink) {}

Result<TensorView> Session::fed(const TensorView& w, Activation activation) {
  constexpr BlockOrder kKernelOrder = BlockOrder::INPUT_BLOCK_MAJOR;
  const bool inPlace = w.order() == kKernelOrder || !specOf(w.encoding()).blocked();
  if (inPlace || !registry_.find(w.encoding(), kKernelOrder, activation)) return w;
  auto relaid = cache_.relaid(w, kKernelOrder);
  if (!relaid && relaid.error().code == ErrorCode::LIMIT_EXCEEDED) return w;
  return relaid;
}

Status Session::matmulWeightTransposed(std::span<const float> x, const TensorView& w,
                                       std::span<float> y, Activation activation) {
  // Before anything is relaid: a call that will be refused must not push other weights out.
  if (auto shape = checkOperands(x, w, y, activation); !shape) {
    return refused(sink_, std::move(shape).error());
  }
  auto weight = fed(w, activation);
  if (!weight) return refused(sink_, std::move(weight).error());
  MatmulOptions options;
  options.activation = activation;
  options.sink = sink_;
  return matmul(registry_, workspace_, x, *weight, y, options);
}

}  // namespace packed
