#include <emscripten/bind.h>

#include "adapt.h"
#include "gguf/reader.h"
#include "gguf/tensor_range.h"

namespace packed::bindings {
namespace {

std::unique_ptr<HeaderReader> makeHeaderReader(double totalSize) {
  return std::make_unique<HeaderReader>(whole(totalSize));
}
double wantedBytes(const HeaderReader& reader) { return static_cast<double>(reader.wantedBytes()); }
double position(const HeaderReader& reader) { return static_cast<double>(reader.position()); }

// Where the next `size` bytes go; valid until the next call. 0 when there is no room for them.
double spaceAddress(HeaderReader& reader, double size) {
  return static_cast<double>(reinterpret_cast<uintptr_t>(reader.space(whole(size)).data()));
}
void commit(HeaderReader& reader, double size) { reader.commit(whole(size)); }

val refusal(const HeaderReader& reader) {
  const auto error = reader.refusal();
  return error ? failure(*error) : val::undefined();
}

val maybe(const std::optional<uint64_t>& number) {
  return number ? val(static_cast<double>(*number)) : val::null();
}

val entryObject(const MetadataEntry& entry) {
  Object object;
  object.set("key", entry.key);
  object.set("type", nameOf(entry.type));
  object.set("elementType", nameOf(entry.elementType));
  object.set("count", entry.count);
  object.set("offset", entry.valueOffset());
  object.set("byteLength", entry.byteLength);
  return std::move(object);
}

val tensorObject(const TensorInfo& info) {
  Object object;
  object.set("name", info.name);
  object.set("ne", numbers(info.ne));
  object.set("ggmlType", info.ggmlType);
  object.set("encoding", info.encoding ? val(std::string(nameOf(*info.encoding))) : val::null());
  object.set("offset", maybe(info.offset));
  object.set("byteLength", maybe(info.byteLength));
  return std::move(object);
}

// What the header says, as far as it has been understood; its metadata values are still bytes of
// headerBytes().
val description(const HeaderReader& reader) {
  const GgufHeader& header = reader.header();
  Object object;
  object.set("version", header.version);
  object.set("littleEndian", header.littleEndian);
  object.set("alignment", header.alignment);
  object.set("dataStart", header.dataStart);
  List metadata;
  for (const MetadataEntry& entry : header.metadata) metadata.add(entryObject(entry));
  object.set("metadata", metadata);
  List tensors;
  for (const TensorInfo& info : header.tensors) tensors.add(tensorObject(info));
  object.set("tensors", tensors);
  return std::move(object);
}

val headerBytes(const HeaderReader& reader) {
  const auto understood = static_cast<std::size_t>(reader.parsedBytes());
  return bytesObject(std::span(reader.header().bytes).first(understood));
}

// { offset, length } of a tensor all of whose bytes exist, or why there is none.
val rangeOf(const HeaderReader& reader, double index) {
  auto range = tensorRange(reader.header().tensors[whole(index)], reader.totalSize());
  if (!range) return failure(range.error());
  Object object;
  object.set("offset", range->offset);
  object.set("length", range->length);
  return std::move(object);
}

}  // namespace

EMSCRIPTEN_BINDINGS(gguf) {
  emscripten::class_<HeaderReader>("HeaderReader")
      .function("wantedBytes", &wantedBytes)
      .function("position", &position)
      .function("spaceAddress", &spaceAddress)
      .function("commit", &commit)
      .function("refusal", &refusal)
      .function("description", &description)
      .function("headerBytes", &headerBytes)
      .function("rangeOf", &rangeOf);
  emscripten::function("makeHeaderReader", &makeHeaderReader);
}

}  // namespace packed::bindings
