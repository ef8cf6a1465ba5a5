#include <emscripten/bind.h>

#include "adapt.h"
#include "gguf/split_set.h"
#include "gguf/validator.h"

namespace packed::bindings {
namespace {

Profile profileOf(const std::string& name) {
  return name == "llama" ? Profile::LLAMA : Profile::SPEC;
}

std::unique_ptr<Validator> makeValidator(double totalSize, const std::string& profile,
                                         bool tensorData, const std::string& fileName,
                                         bool partOfSet) {
  return std::make_unique<Validator>(
      whole(totalSize), ValidatorOptions{profileOf(profile), tensorData, fileName, partOfSet});
}

double wantedOffset(const Validator& validator) {
  return static_cast<double>(validator.wanted().offset);
}
double wantedLength(const Validator& validator) {
  return static_cast<double>(validator.wanted().length);
}
void feedFrom(Validator& validator, double address, double size) {
  validator.feed(heapSpan<const uint8_t>(address, size));
}
void skipHole(Validator& validator, double size) { validator.skipHole(whole(size)); }

val findingObject(const Finding& finding, Profile profile) {
  Object object;
  const RuleSpec& rule = specOf(finding.rule);
  object.set("rule", rule.id);
  object.set("severity", nameOf(rule.severity(profile)));
  object.set("message", finding.message);
  if (finding.offset) object.set("offset", *finding.offset);
  if (finding.length > 0) object.set("length", finding.length);
  if (!finding.tensor.empty()) object.set("tensor", finding.tensor);
  if (finding.o) object.set("o", *finding.o);
  if (finding.b) object.set("b", *finding.b);
  object.set("count", finding.count);
  if (!finding.expected.empty()) object.set("expected", finding.expected);
  if (!finding.actual.empty()) object.set("actual", finding.actual);
  return std::move(object);
}

val findingObjects(const std::vector<Finding>& findings, Profile profile) {
  List list;
  for (const Finding& finding : findings) list.add(findingObject(finding, profile));
  return std::move(list);
}

// What has been found; the validator is of no use afterwards.
val finish(Validator& validator) {
  const ValidationReport report = std::move(validator).report();
  Object object;
  object.set("findings", findingObjects(report.findings, report.profile));
  object.set("tensorsChecked", report.tensorsChecked);
  object.set("bytesChecked", report.bytesChecked);
  object.set("bytesSkipped", report.bytesSkipped);
  return std::move(object);
}

// Findings about several files together: `shards` is [{ name, validator }], none of them finished.
val splitSetFindings(const val& shards, const std::string& profile) {
  std::vector<Shard> set;
  for (const val& shard : emscripten::vecFromJSArray<val>(shards)) {
    const auto* validator = shard["validator"].as<Validator*>(emscripten::allow_raw_pointers());
    set.push_back({shard["name"].as<std::string>(), &validator->header()});
  }
  FindingList findings(profileOf(profile));
  checkSplitSet(set, findings);
  return findingObjects(std::move(findings).take(), profileOf(profile));
}

}  // namespace

EMSCRIPTEN_BINDINGS(validate) {
  emscripten::class_<Validator>("Validator")
      .function("done", &Validator::done)
      .function("pastHeader", &Validator::pastHeader)
      .function("wantedOffset", &wantedOffset)
      .function("wantedLength", &wantedLength)
      .function("feedFrom", &feedFrom)
      .function("skipHole", &skipHole)
      .function("finish", &finish);
  emscripten::function("makeValidator", &makeValidator);
  emscripten::function("splitSetFindings", &splitSetFindings);
}

}  // namespace packed::bindings
