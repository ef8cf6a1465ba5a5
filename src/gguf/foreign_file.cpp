#include "gguf/foreign_file.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "gguf/utf8.h"

namespace packed {
namespace {

using std::string_view_literals::operator""sv;

struct Signature {
  std::string_view bytes;
  std::string_view what;
};

constexpr std::string_view kDownloadAgain = "; download the file itself";

// Compared with the first bytes as they are.
constexpr Signature kSignatures[] = {
    {"FUGG"sv,
     "a variant with the magic swapped (FUGG), written by a foreign tool on a big-endian "
     "machine; the magic of GGUF is never swapped: convert the model again"},
    {"version https://git-lfs"sv,
     "a Git LFS pointer, not the model: run `git lfs pull`, or download the file itself"},
    {"\x1f\x8b"sv, "compressed with gzip: run `gunzip` first"},
    {"\x28\xb5\x2f\xfd"sv, "compressed with zstd: run `unzstd` first"},
    {"\xfd"
     "7zXZ\0"sv,
     "compressed with xz: run `unxz` first"},
    {"BZh"sv, "compressed with bzip2: run `bunzip2` first"},
    {"PK\x03\x04"sv,
     "a zip archive (PyTorch checkpoints are zip archives too): unpack or convert it"},
    {"7z\xbc\xaf\x27\x1c"sv, "a 7z archive: unpack it first"},
    {"Rar!"sv, "a rar archive: unpack it first"},
    {"lmgg"sv, "a GGML file of before GGUF: convert the model again"},
    {"fmgg"sv, "a GGMF file of before GGUF: convert the model again"},
    {"tjgg"sv, "a GGJT file of before GGUF: convert the model again"},
    {"algg"sv, "a GGLA adapter of before GGUF: convert it again"},
    {"\x89HDF"sv, "an HDF5 file (Keras): convert the model to GGUF"},
    {"\x93NUMPY"sv, "a NumPy array: convert it to GGUF"},
    {"\x80\x02"sv, "a Python pickle (an old PyTorch checkpoint): convert the model to GGUF"},
    {"%PDF"sv, "a PDF document"},
    {"\x7f"
     "ELF"sv,
     "a program (ELF), not a model"},
    {"\xef\xbb\xbfGGUF"sv,
     "a GGUF file that went through a text editor or decoder, which put a byte "
     "order mark in front: fetch it again as binary"},
    {"\xff\xfeG\0G\0"sv, "a GGUF file that was saved as UTF-16 text: fetch it again as binary"},
    {"G\0G\0U\0F\0"sv, "a GGUF file that was saved as UTF-16 text: fetch it again as binary"},
};

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// safetensors: u64 length of a JSON header, then the header.
bool looksLikeSafetensors(std::string_view head, uint64_t totalSize) {
  if (head.size() < 10 || head[8] != '{') return false;
  const auto length = loadLE<uint64_t>(reinterpret_cast<const uint8_t*>(head.data()));
  return length <= totalSize - 8;
}

bool looksLikeText(std::string_view head) {
  return std::ranges::none_of(head, [](char c) {
    return static_cast<uint8_t>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
}

std::string describeText(std::string_view head) {
  const std::size_t start = head.find_first_not_of(" \t\r\n");
  const std::string text = lowered(start == std::string_view::npos ? "" : head.substr(start));
  const auto startsWith = [&](std::string_view prefix) { return text.starts_with(prefix); };
  if (startsWith("<!doctype html") || startsWith("<html") || startsWith("<head")) {
    return joined("an HTML page, most likely an error or login page of a server", kDownloadAgain);
  }
  if (startsWith("<?xml") || startsWith("<error")) {
    return joined("an XML document, most likely an error answer of a server", kDownloadAgain);
  }
  if (startsWith("{") || startsWith("[")) {
    return joined("JSON text, most likely an error answer of a server", kDownloadAgain);
  }
  return joined("text that starts with ", quoted(head.substr(0, 40)), kDownloadAgain);
}

}  // namespace

std::string describeForeignFile(Bytes head, uint64_t totalSize) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (std::ranges::all_of(head, [](uint8_t byte) { return byte == 0; })) {
    return "all zeros where the header belongs: the write or the download did not finish";
  }
  for (const Signature& signature : kSignatures) {
    if (text.starts_with(signature.bytes)) return std::string(signature.what);
  }
  if (text.size() >= 4 && lowered(text.substr(0, 4)) == "gguf") {
    return joined("spelled ", quoted(text.substr(0, 4)),
                  " instead of \"GGUF\": the file was altered; fetch it again as binary");
  }
  if (looksLikeSafetensors(text, totalSize)) {
    return "a safetensors file: convert the model to GGUF";
  }
  if (text.size() >= 262 && text.substr(257, 5) == "ustar") return "a tar archive: unpack it first";
  if (looksLikeText(text)) return describeText(text);
  return joined("unknown: the file starts with ", quoted(text.substr(0, 4)),
                " instead of \"GGUF\"");
}

}  // namespace packed
