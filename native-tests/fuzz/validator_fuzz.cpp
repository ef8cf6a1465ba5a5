// A file of any bytes: validation ends, asks for what follows and nothing else, says the same
// whatever the windows, and looks at no byte more than a few times.
#include <algorithm>

#include "fuzz/fuzz_input.h"
#include "gguf/split_set.h"
#include "gguf/validator.h"

using namespace packed;

namespace {

bool allZero(Bytes bytes) {
  return std::ranges::all_of(bytes, [](uint8_t byte) { return byte == 0; });
}

// Windows of zeros are passed over as holes where `holes` says so.
Validator passOver(Bytes file, const ValidatorOptions& options, uint64_t window, bool holes) {
  Validator validator(file.size(), options);
  while (!validator.done()) {
    const ByteRange wanted = validator.wanted();
    FUZZ_CLAIM(wanted.length > 0 && wanted.end() <= file.size());
    const Bytes part = file.subspan(wanted.offset, std::min(window, wanted.length));
    const bool header = validator.header().endOffset == 0;
    if (holes && !header && allZero(part)) {
      validator.skipHole(part.size());
    } else {
      validator.feed(std::vector<uint8_t>(part.begin(), part.end()));
    }
  }
  return validator;
}

// Damage as by a text editor is looked for in samples, and those depend on the windows.
std::vector<std::string> saidOf(const ValidationReport& report) {
  std::vector<std::string> said;
  for (const Finding& finding : report.findings) {
    FUZZ_CLAIM(!finding.message.empty() && finding.count > 0);
    if (finding.rule == Rule::TEXT_DECODED || finding.rule == Rule::HOLES_SKIPPED) continue;
    if (finding.rule == Rule::CRLF_CONVERTED) continue;
    said.push_back(finding.message);
  }
  return said;
}

void requireSame(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  if (one == other) return;
  for (const auto& said : one) std::fprintf(stderr, "one:   %s\n", said.c_str());
  for (const auto& said : other) std::fprintf(stderr, "other: %s\n", said.c_str());
  FUZZ_CLAIM(one == other);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const Bytes file(data, size);
  const std::string name = size % 3 == 0 ? "m-00001-of-00002.gguf" : "";
  for (const Profile profile : {Profile::SPEC, Profile::LLAMA}) {
    const ValidatorOptions options = {.profile = profile, .fileName = name};
    const ValidationReport whole = passOver(file, options, UINT64_MAX, false).report();
    FUZZ_CLAIM(whole.bytesChecked <= 9 * size);
    const ValidationReport pieces = passOver(file, options, 1 + size % 97, false).report();
    requireSame(saidOf(whole), saidOf(pieces));
    FUZZ_CLAIM(whole.tensorsChecked == pieces.tensorsChecked);
    const ValidationReport holes = passOver(file, options, 64, true).report();
    requireSame(saidOf(whole), saidOf(holes));
    FUZZ_CLAIM(whole.tensorsChecked == holes.tensorsChecked);
  }
  const ValidatorOptions shard = {.tensorData = false, .fileName = name, .partOfSet = true};
  const Validator one = passOver(file, shard, UINT64_MAX, false);
  const Shard set[] = {{"m-00001-of-00002.gguf", &one.header()}, {"", &one.header()}};
  FindingList findings(Profile::SPEC);
  checkSplitSet(set, findings);
  for (const Finding& finding : std::move(findings).take()) FUZZ_CLAIM(!finding.message.empty());
  return 0;
}
