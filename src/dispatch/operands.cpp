#include "dispatch/operands.h"

#include <functional>

#include "base/checked.h"
#include "encoding/codec.h"
#include "kernels/matmul/activation.h"

namespace packed {
namespace {

bool overlap(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  const std::less<const uint8_t*> before;  // the only comparison defined for unrelated pointers
  return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) &&
         before(b.data(), a.data() + a.size());
}

template <class T>
std::span<const uint8_t> bytesOf(std::span<T> values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()};
}

}  // namespace

Status checkWeight(const TensorView& w) {
  if (w.rank() > 2) {
    return refuse(ErrorCode::RANK_UNSUPPORTED, "matmul of a weight of rank ", w.rank(),
                  "; multiply by one slice of the stack at a time");
  }
  if (w.layout().axesSwapped() && specOf(w.encoding()).blocked()) return transposeRefused(w);
  return requireDecodable(w.encoding());
}

Error transposeRefused(const TensorView& view) {
  return refuse(ErrorCode::TRANSPOSE_REFUSED, "a ", nameOf(view.encoding()),
                " weight cannot be transposed: its blocks run along the input, and runs along the "
                "other axis would have to be requantized; leave it as [out, in] (a GGUF file's "
                "view(name, { weightForm: { shape: 'OUT_IN' } })) and call matmul(x, weight) or, "
                "of a session, matmulWeightTransposed(x, weight), which compute "
                "x times its transpose");
}

Result<MatmulShape> checkOperands(std::span<const float> x, const TensorView& w, std::span<float> y,
                                  Activation activation) {
  PACKED_CHECK(checkWeight(w));
  MatmulShape shape;
  shape.inputDim = w.shape().back();
  shape.out = w.rank() == 2 ? w.shape()[0] : 1;
  if (shape.inputDim == 0 ? !x.empty() : x.size() % shape.inputDim != 0) {
    return refuse(ErrorCode::SHAPE_MISMATCH, "x has ", x.size(),
                  " values, which are not whole rows of the weight's input dimension ",
                  shape.inputDim,
                  w.layout().axesSwapped() ? ": it is transposed, as the default view of a GGUF "
                                             "file is, whose weightForm { shape: 'OUT_IN' } is not"
                                           : "")
        .wanted(joined("a multiple of ", shape.inputDim), joined(x.size()));
  }
  // Without inputs x cannot say how many columns there are, so y does.
  shape.columns = shape.inputDim != 0 ? x.size() / shape.inputDim
                  : shape.out != 0    ? y.size() / shape.out
                                      : 0;
  const auto results = checkedMul(shape.columns, shape.out);
  if (!results || y.size() != *results) {
    return refuse(ErrorCode::SHAPE_MISMATCH, "y has room for ", y.size(), " values where ",
                  shape.columns, " x ", shape.out, " are written")
        .wanted(joined(shape.columns, " x ", shape.out), joined(y.size()));
  }
  PACKED_TRY(bytes, w.storageBytes());
  if (overlap(bytesOf(y), bytesOf(x)) || overlap(bytesOf(y), bytes)) {
    return refuse(
        ErrorCode::INVALID_ARGUMENT,
        "y overlaps x or the weight, which would change while they are read; give y memory "
        "of its own");
  }
  if (activation == Activation::INT8) {
    const uint64_t bad = firstNotFinite(x.data(), x.size());
    if (bad < x.size()) {
      return refuse(ErrorCode::ELEMENT_NOT_FINITE, "x[", bad,
                    "] is NaN or infinite and cannot be rounded to int8; mend the input, or use "
                    "activation f32, which carries it through")
          .at(bad);
    }
  }
  return shape;
}

}  // namespace packed
