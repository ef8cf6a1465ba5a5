#include "gguf/tensor_range.h"

#include <algorithm>
#include <array>

#include "base/checked.h"
#include "gguf/limits.h"
#include "gguf/utf8.h"

namespace packed {
namespace {

// "[4, 3]"
std::string listed(const std::vector<uint64_t>& ne) {
  std::string text = "[";
  for (std::size_t i = 0; i < ne.size(); ++i) text += joined(i == 0 ? "" : ", ", ne[i]);
  return text + "]";
}

Error overflow(const TensorInfo& info) {
  return refuse(ErrorCode::SIZE_OVERFLOW, "tensor ", quoted(info.name), ": the size of ne ",
                listed(info.ne),
                " overflows the 63 bits that sizes have; its shape cannot be true: write it again")
      .at(info.dimensionOffset(0))
      .in(info.name);
}

Error named(Error error, const TensorInfo& info, uint64_t offset) {
  error.message = joined("tensor ", quoted(info.name), ": ", error.message);
  return std::move(error).at(offset).in(info.name);
}

}  // namespace

Result<uint64_t> byteLengthOf(const TensorInfo& info) {
  if (info.ne.size() > kMaxDimensions) {
    return refuse(ErrorCode::MALFORMED, "tensor ", quoted(info.name), " has ", info.ne.size(),
                  " dimensions; GGUF knows at most ", kMaxDimensions)
        .at(info.dimensionCountOffset())
        .in(info.name);
  }
  uint64_t rows = 1;
  for (std::size_t i = 0; i < info.ne.size(); ++i) {
    if (info.ne[i] > kMaxTensorBytes) {
      return refuse(ErrorCode::MALFORMED, "tensor ", quoted(info.name), ": dimension ", i, " is ",
                    static_cast<int64_t>(info.ne[i]), ", and dimensions are not negative")
          .at(info.dimensionOffset(i))
          .in(info.name);
    }
    if (i == 0) continue;
    const auto product = checkedMul(rows, info.ne[i]);
    if (!product) return overflow(info);
    rows = *product;
  }
  const auto values = checkedMul(rows, info.inputDim());
  if (!values || *values > kMaxTensorBytes) return overflow(info);
  const auto encoding = encodingByGgmlType(info.ggmlType);
  if (!encoding) return named(encoding.error(), info, info.typeOffset());
  const auto bytes = packedBytesOf(*encoding, rows, info.inputDim());
  if (!bytes) return named(bytes.error(), info, info.dimensionOffset(0));
  if (*bytes > kMaxTensorBytes) return overflow(info);
  return *bytes;
}

Result<ByteRange> tensorRange(const TensorInfo& info, uint64_t totalSize) {
  PACKED_TRY(length, byteLengthOf(info));
  const auto end = info.offset ? checkedAdd(*info.offset, length) : std::nullopt;
  if (!end) {
    return refuse(ErrorCode::MALFORMED, "tensor ", quoted(info.name), ": its offset ",
                  info.relativeOffset, " wraps around 64 bits")
        .at(info.offsetOffset())
        .in(info.name);
  }
  if (*end > totalSize) {
    return refuse(ErrorCode::TRUNCATED, "tensor ", quoted(info.name), " needs the bytes ",
                  *info.offset, " to ", *end, " of the file, which has ", totalSize,
                  "; fetch the file again, or run `packed-weights check` on it")
        .at(info.offsetOffset())
        .in(info.name)
        .wanted(joined(*end, " bytes"), joined(totalSize, " bytes"));
  }
  return ByteRange{*info.offset, length};
}

StoredRegions::StoredRegions(const GgufHeader& header, uint64_t totalSize) : starts_{totalSize} {
  for (const TensorInfo& info : header.tensors) {
    if (info.offset && *info.offset < totalSize) starts_.push_back(*info.offset);
  }
  std::ranges::sort(starts_);
}

uint64_t StoredRegions::lengthOf(const TensorInfo& info) const {
  if (!info.offset) return 0;
  const auto next = std::ranges::upper_bound(starts_, *info.offset);
  return next == starts_.end() ? 0 : *next - *info.offset;
}

std::string describeShape(const TensorInfo& info) {
  if (info.ne.empty()) return "ne = [], one value";
  if (info.ne.size() == 1) return joined("ne = [", info.ne[0], "], one row of ", info.ne[0]);
  std::string label = joined("ne = [in ", info.ne[0], ", out ", info.ne[1]);
  std::string shape = joined(info.ne[1], " x ", info.ne[0]);
  for (std::size_t i = 2; i < info.ne.size(); ++i) {
    label += joined(", ", info.ne[i]);
    shape = joined(info.ne[i], " x ", shape);
  }
  return joined(label, "], ", info.ne.size() == 2 ? "" : "stacked ", "rows x columns = ", shape);
}

}  // namespace packed
