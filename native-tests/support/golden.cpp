#include "support/golden.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace packed::golden {
namespace {

std::vector<uint8_t> readFile(const std::string& name) {
  std::ifstream file(std::string(PACKED_GOLDEN_FOLDER) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The text after `"key": ` on a line of the manifest, which has one encoding a line.
std::string fieldOf(const std::string& line, const std::string& key) {
  const std::size_t at = line.find('"' + key + "\": ");
  return at == std::string::npos ? "" : line.substr(at + key.size() + 4);
}

std::vector<Entry> readManifest() {
  std::vector<Entry> found;
  std::ifstream file(std::string(PACKED_GOLDEN_FOLDER) + "/manifest.json");
  for (std::string line; std::getline(file, line);) {
    const std::string quoted = fieldOf(line, "name");
    if (quoted.empty()) continue;
    const auto encoding = encodingByName(quoted.substr(1, quoted.find('"', 1) - 1));
    if (!encoding) continue;
    found.push_back({*encoding, std::strtod(fieldOf(line, "relativeRmsError").c_str(), nullptr)});
  }
  return found;
}

}  // namespace

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = readManifest();
  return all;
}

std::vector<uint8_t> bytes(Encoding encoding, const std::string& suffix) {
  return readFile(std::string(nameOf(encoding)) + "." + suffix);
}

std::vector<float> floats(Encoding encoding, const std::string& suffix) {
  const std::vector<uint8_t> raw = bytes(encoding, suffix);
  std::vector<float> values(raw.size() / sizeof(float));
  std::memcpy(values.data(), raw.data(), values.size() * sizeof(float));
  return values;
}

}  // namespace packed::golden
