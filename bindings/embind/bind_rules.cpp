#include <emscripten/bind.h>

#include "adapt.h"
#include "gguf/finding.h"

namespace packed::bindings {
namespace {

val rules() {
  List list;
  for (const RuleSpec& rule : allRules()) {
    Object object;
    object.set("id", rule.id);
    object.set("spec", nameOf(rule.spec));
    object.set("llama", nameOf(rule.llama));
    object.set("text", rule.text);
    list.add(object);
  }
  return std::move(list);
}

}  // namespace

EMSCRIPTEN_BINDINGS(rules) { emscripten::function("rules", &rules); }

}  // namespace packed::bindings
