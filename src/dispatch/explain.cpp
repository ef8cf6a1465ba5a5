#include "dispatch/explain.h"

#include <utility>
#include <vector>

#include "dispatch/operands.h"

namespace packed {
namespace {

struct Difference {
  std::string_view field;
  std::string has;
  std::string wants;
  int weight;
};

std::vector<Difference> differencesOf(const KernelInfo& kernel, const KernelKey& key) {
  const KernelKey own = keyOf(kernel);
  std::vector<Difference> all;
  // A kernel that reads strides takes a view with holes whatever order its blocks are in.
  const bool takesHoles = kernel.readsStrides && key.w.layoutClass == LayoutClass::STRIDED;
  if (own.w.layoutClass != key.w.layoutClass && !takesHoles && own.w.encoding == key.w.encoding) {
    all.push_back({"layout", std::string(nameOf(own.w.layoutClass)),
                   std::string(nameOf(key.w.layoutClass)), 1});
  }
  if (own.activation != key.activation) {
    all.push_back({"activation", std::string(nameOf(own.activation)),
                   std::string(nameOf(key.activation)), 2});
  }
  if (own.isa > key.isa) {
    all.push_back({"isa", std::string(nameOf(own.isa)), std::string(nameOf(key.isa)), 3});
  }
  if (own.w.encoding != key.w.encoding) {
    all.push_back({"encoding", std::string(nameOf(own.w.encoding)),
                   std::string(nameOf(key.w.encoding)), 100});
  }
  return all;
}

int weightOf(const std::vector<Difference>& differences) {
  int sum = 0;
  // Two small differences are farther than any single one that is not the encoding.
  for (const Difference& difference : differences) sum += 10 + difference.weight;
  return sum;
}

void name(Explanation& answer, const KernelInfo& kernel) {
  answer.kernel = &kernel;
  answer.nearest = nullptr;
  answer.text = joined(answer.key.text(), " runs ", kernel.name);
}

}  // namespace

Explanation explain(const Registry& registry, const KernelKey& key) {
  Explanation answer;
  answer.key = key;
  std::vector<Difference> best;
  const auto kernels = registry.kernels();
  for (auto kernel = kernels.rbegin(); kernel != kernels.rend(); ++kernel) {
    std::vector<Difference> differences = differencesOf(**kernel, key);
    if (answer.nearest && weightOf(differences) >= weightOf(best)) continue;
    answer.nearest = *kernel;
    best = std::move(differences);
    if (best.empty()) break;
  }
  if (!answer.nearest) {
    answer.text = joined("no kernel for ", key.text(), ": none is registered at all");
    return answer;
  }
  if (best.empty()) {
    name(answer, *answer.nearest);
    return answer;
  }
  answer.field = best[0].field;
  answer.has = best[0].has;
  answer.wants = best[0].wants;
  answer.text = joined("no kernel for ", key.text(), "; the nearest is ", answer.nearest->name);
  for (const Difference& difference : best) {
    answer.text += joined(&difference == best.data() ? ", whose " : " and whose ", difference.field,
                          " is ", difference.has, ", not ", difference.wants);
  }
  return answer;
}

Explanation explain(const Registry& registry, const TensorView& w, Activation activation) {
  Explanation answer = explain(registry, registry.keyFor(w, activation));
  const Status taken = checkWeight(w);
  if (taken) {
    // A key does not say which way the blocks of a view with holes are ordered, the view does.
    const KernelInfo* own = registry.find(w, activation);
    if (answer.kernel && own) name(answer, *own);
    return answer;
  }
  answer.text = taken.error().message;
  answer.kernel = nullptr;
  answer.nearest = registry.find(w.encoding(), w.order(), activation);
  if (w.rank() > 2) {
    answer.field = "rank";
    answer.has = joined(2);
    answer.wants = joined(w.rank());
  } else if (w.layout().axesSwapped()) {
    answer.field = "layout";
    answer.has = answer.nearest ? nameOf(keyOf(*answer.nearest).w.layoutClass) : "";
    answer.wants = "transposed";
  }
  return answer;
}

}  // namespace packed
