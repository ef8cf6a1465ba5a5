// A weight as a file holds it, prepacked once, multiplied by the kernels that read it.
#include <packed.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

// A failure is a value whose message says what, where and what to do.
template <class T>
T orExit(packed::Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

}  // namespace

int main() {
  using namespace packed;
  // Bytes of a weight [out, in] as a GGUF file holds them, an input x, and the product y of both.
  const auto fixture = orExit(fixtures::decodable(Encoding::Q4_K));

  Scope scope("model");
  const auto storage = orExit(scope.allocate(fixture.bytes.size(), "ffn_down"));
  std::copy(fixture.bytes.begin(), fixture.bytes.end(), orExit(storage->writableBytes()).begin());
  const std::vector<uint64_t> shape = {fixture.out, fixture.inputDim};
  const auto stored = orExit(TensorView::of(storage, fixture.encoding, shape, fixture.order));
  const auto weight = orExit(prepackForMatmul(stored, scope, nullptr));

  const Registry registry = Registry::upTo(builtIsa());
  Workspace workspace;
  std::vector<float> y(fixture.y.size());
  orExit(matmul(registry, workspace, fixture.x, weight, y, {}));

  double largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    largest = std::max(largest, std::abs(double{y[i]} - fixture.y[i]) / std::abs(fixture.y[i]));
  }
  std::printf("%s kernels, y[0] = %g, largest relative difference %g\n",
              std::string(nameOf(builtIsa())).c_str(), y[0], largest);
  return largest < 1e-4 ? 0 : 1;
}
