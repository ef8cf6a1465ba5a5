#include "weights/packed_weights.h"

#include <cstring>
#include <new>

#include "base/checked.h"
#include "layout/permutation.h"
#include "weights/out_in.h"

namespace packed {
namespace {

Result<TensorView> checkedPrepack(const char* caller, const TensorView& view, BlockOrder order,
                                  Scope& scope, TraceSink* sink) {
  const EncodingSpec& spec = specOf(view.encoding());
  if (view.rank() != 2 || !spec.blocked()) {
    return refused(sink,
                   refuse(ErrorCode::NOT_BLOCKED, caller, " takes an [out, in] weight of blocks; ",
                          "this is ", spec.name, " of rank ", view.rank(),
                          !spec.blocked()   ? ", which has no blocks and only one order"
                          : view.rank() < 2 ? ": one row, in either order; reshape it to [1, in]"
                                            : ". Take a slice of a stack first"));
  }
  // Also for a transposed view: that is what a tensor loaded with the label of its file is.
  const auto shape = view.shape();
  if (auto right = requireOutIn(shape[0], shape[1], view.encoding()); !right) {
    return refused(sink, std::move(right).error());
  }
  return prepack(view, order, scope, sink);
}

Error wrongSize(const char* which, Encoding encoding, BlockGrid grid, uint64_t expected,
                uint64_t actual) {
  return refuse(ErrorCode::SIZE_MISMATCH, which, " ", actual, " bytes: a grid of ", grid.out, " x ",
                grid.blocksPerRow, " ", nameOf(encoding), " blocks is ", expected, " bytes")
      .wanted(joined(expected, " bytes"), joined(actual, " bytes"));
}

Error noMemory(uint64_t size) {
  return refuse(ErrorCode::OUT_OF_MEMORY, "no memory for ", size,
                " bytes of packed weights; free some, or relayout in place");
}

std::shared_ptr<uint8_t[]> allocated(uint64_t size) {
  if (!fitsAddressSpace(size)) return nullptr;
  return std::shared_ptr<uint8_t[]>(new (std::nothrow) uint8_t[static_cast<std::size_t>(size)]);
}

}  // namespace

Result<TensorView> prepackForMatmul(const TensorView& view, Scope& scope, TraceSink* sink) {
  return checkedPrepack("prepackForMatmul", view, BlockOrder::INPUT_BLOCK_MAJOR, scope, sink);
}

Result<TensorView> toCanonical(const TensorView& view, Scope& scope, TraceSink* sink) {
  return checkedPrepack("toCanonical", view, BlockOrder::ROW_MAJOR, scope, sink);
}

Result<BlockOrder> statedOrder(std::string_view name) {
  for (const BlockOrder order : {BlockOrder::ROW_MAJOR, BlockOrder::INPUT_BLOCK_MAJOR}) {
    if (name == nameOf(order)) return order;
  }
  if (name.empty()) {
    return refuse(
        ErrorCode::ORDER_REQUIRED,
        "the order of these bytes must be stated: ROW_MAJOR for "
        "what a file holds, INPUT_BLOCK_MAJOR for what packed kernels read. It cannot be seen "
        "in the bytes");
  }
  return refuse(ErrorCode::INVALID_ARGUMENT, "no block order is called \"", name,
                "\"; there are ROW_MAJOR and INPUT_BLOCK_MAJOR")
      .wanted("ROW_MAJOR or INPUT_BLOCK_MAJOR", name);
}

Result<BlockGrid> gridOf(Encoding encoding, uint64_t out, uint64_t inputDim) {
  PACKED_CHECK(requireOutIn(out, inputDim, encoding));
  const BlockGrid grid{out, inputDim / specOf(encoding).elements};
  PACKED_CHECK(gridBytesOf(encoding, grid));
  return grid;
}

Result<uint64_t> gridBytesOf(Encoding encoding, BlockGrid grid) {
  const EncodingSpec& spec = specOf(encoding);
  if (!spec.blocked()) {
    return refuse(ErrorCode::NOT_BLOCKED, spec.name,
                  " has no blocks, so there is no order of blocks");
  }
  const auto bytes = checkedProduct(grid.out, grid.blocksPerRow, spec.bytes);
  const auto values = checkedProduct(grid.out, grid.blocksPerRow, spec.elements);
  if (!bytes || !values) {
    return refuse(ErrorCode::SIZE_OVERFLOW, grid.out, " x ", grid.blocksPerRow, " ", spec.name,
                  " blocks do not fit 64 bits");
  }
  return *bytes;
}

Status relayout(Encoding encoding, BlockGrid grid, BlockOrder from, Bytes source, BlockOrder to,
                MutableBytes target) {
  PACKED_TRY(size, gridBytesOf(encoding, grid));
  if (source.size() != size)
    return wrongSize("the source has", encoding, grid, size, source.size());
  if (target.size() != size)
    return wrongSize("the target has", encoding, grid, size, target.size());
  if (size == 0) return Done{};
  const uint32_t blockBytes = specOf(encoding).bytes;
  if (source.data() == target.data()) {
    return permuteBlocksInPlace(grid, blockBytes, target, from, to);
  }
  const auto sourceStart = reinterpret_cast<uintptr_t>(source.data());
  const auto targetStart = reinterpret_cast<uintptr_t>(target.data());
  if (sourceStart < targetStart + size && targetStart < sourceStart + size) {
    return refuse(ErrorCode::INVALID_ARGUMENT,
                  "source and target overlap without being the same bytes");
  }
  if (from == to || ordersCoincide(grid)) {
    std::memcpy(target.data(), source.data(), size);
  } else {
    permuteBlocks(grid, blockBytes, source.data(), stridesOf(from, grid), target.data(),
                  stridesOf(to, grid));
  }
  return Done{};
}

Result<PackedBytes> PackedBytes::of(Bytes bytes, Encoding encoding, uint64_t out, uint64_t inputDim,
                                    std::optional<BlockOrder> order) {
  PACKED_TRY(grid, gridOf(encoding, out, inputDim));
  if (!order) return statedOrder("").error();
  PACKED_TRY(size, gridBytesOf(encoding, grid));
  if (bytes.size() != size) return wrongSize("given", encoding, grid, size, bytes.size());
  PackedBytes packed;
  packed.bytes_ = allocated(size);
  if (!packed.bytes_) return noMemory(size);
  if (size > 0) std::memcpy(packed.bytes_.get(), bytes.data(), size);
  packed.size_ = bytes.size();
  packed.encoding_ = encoding;
  packed.grid_ = grid;
  packed.order_ = *order;
  return packed;
}

Result<PackedBytes> inOrder(const PackedBytes& packed, BlockOrder order) {
  if (packed.order_ == order) return packed;
  PackedBytes turned = packed;
  turned.order_ = order;
  turned.bytes_ = allocated(packed.size_);
  if (!turned.bytes_) return noMemory(packed.size_);
  PACKED_CHECK(relayout(packed.encoding_, packed.grid_, packed.order_, packed.bytes(), order,
                        {turned.bytes_.get(), turned.size_}));
  return turned;
}

}  // namespace packed
