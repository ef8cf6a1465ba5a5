#include "tensor/ternary_weight.h"

#include <cmath>
#include <cstring>

#include "base/checked.h"
#include "base/clock.h"
#include "encoding/bitnet_codes.h"
#include "encoding/i2s.h"
#include "layout/permutation.h"
#include "tensor/adapter.h"

namespace packed {
namespace {

constexpr uint32_t kChunk = 256;
constexpr uint32_t kChunkBytes = 64;

Status wholeChunks(uint64_t inputDim) {
  if (inputDim % kChunk == 0) return Done{};
  return refuse(ErrorCode::NOT_BLOCK_DIVISIBLE, "row length ", inputDim, " = ", inputDim / kChunk,
                "*", kChunk, " + ", inputDim % kChunk, " is not a whole number of chunks of ",
                kChunk, ", which the kernel order of BITNET_B1_58 moves; leave it ROW_MAJOR")
      .wanted(joined("a multiple of ", kChunk), joined(inputDim));
}

}  // namespace

Result<TernaryWeight> TernaryWeight::of(std::shared_ptr<Storage> storage, uint64_t out,
                                        uint64_t inputDim, BlockOrder order) {
  const auto values = checkedMul(out, inputDim);
  if (!values) return refuse(ErrorCode::SIZE_OVERFLOW, "the number of values does not fit 64 bits");
  if (order == BlockOrder::INPUT_BLOCK_MAJOR) PACKED_CHECK(wholeChunks(inputDim));
  const uint64_t size = bitnetCodeBytes(*values) + sizeof(float);
  if (storage->size() != size) {
    return refuse(ErrorCode::SIZE_MISMATCH, out, " x ", inputDim, " values of BITNET_B1_58 are ",
                  size, " bytes, but ", storage->size(), " were given")
        .wanted(joined(size, " bytes"), joined(storage->size(), " bytes"));
  }
  PACKED_TRY(bytes, storage->bytes());
  if (const uint64_t bad = firstInvalidCode(bytes.data(), *values); bad < *values) {
    return refuse(ErrorCode::INVALID_CODE, "element ", bad,
                  " has code 3, which means nothing in "
                  "BITNET_B1_58; the bytes are not ternary codes, or in another element order")
        .at(bad / 4);
  }
  const auto scale = loadLE<float>(bytes.data() + size - sizeof(float));
  if (!std::isfinite(scale)) {
    return refuse(ErrorCode::ELEMENT_NOT_FINITE, "the scale of these BITNET_B1_58 bytes is ",
                  double(scale))
        .at(size - sizeof(float));
  }
  TernaryWeight weight;
  weight.storage_ = std::move(storage);
  weight.out_ = weight.storedRows_ = out;
  weight.inputDim_ = inputDim;
  weight.order_ = order;
  return weight;
}

Result<Bytes> TernaryWeight::codes() const {
  PACKED_TRY(bytes, storage_->bytes());
  return bytes.first(bytes.size() - sizeof(float));
}

Result<float> TernaryWeight::scale() const {
  PACKED_TRY(bytes, storage_->bytes());
  return loadLE<float>(bytes.data() + bytes.size() - sizeof(float));
}

Result<float> TernaryWeight::get(uint64_t o, uint64_t i) const {
  if (o >= out_ || i >= inputDim_) {
    return refuse(ErrorCode::OUT_OF_RANGE, "element (", o, ", ", i, ") of ", out_, " x ",
                  inputDim_);
  }
  PACKED_TRY(bytes, codes());
  PACKED_TRY(factor, scale());
  const BlockGrid grid = {storedRows_, inputDim_ / kChunk};
  const uint64_t pair =
      order_ == BlockOrder::ROW_MAJOR
          ? (firstRow_ + o) * inputDim_ + i
          : flatIndex(order_, grid, firstRow_ + o, i / kChunk) * kChunk + i % kChunk;
  return factor * static_cast<float>((bytes[pair / 4] >> (pair % 4 * 2) & 3) - 1);
}

Result<TernaryWeight> TernaryWeight::narrow(uint64_t from, uint64_t count) const {
  PACKED_CHECK(codes());
  if (from > out_ || count > out_ - from) {
    return refuse(ErrorCode::OUT_OF_RANGE, "rows ", from, " .. ", from, " + ", count, " of ", out_);
  }
  TernaryWeight part = *this;
  part.firstRow_ += from;
  part.out_ = count;
  return part;
}

Result<TernaryWeight> prepack(const TernaryWeight& weight, BlockOrder order, Scope& scope,
                              TraceSink* sink) {
  auto from = weight.codes();
  if (!from) return refused(sink, std::move(from).error());
  if (weight.order_ == order) return weight;
  if (auto whole = wholeChunks(weight.inputDim_); !whole) {
    return refused(sink, std::move(whole).error());
  }
  const uint64_t start = sink ? nowNanos() : 0;
  PACKED_TRY(scale, weight.scale());
  const std::string kind = adapterKind("prepack", order);
  auto storage = scope.allocate(weight.packedSize(), kind);
  if (!storage) return refused(sink, std::move(storage).error());
  PACKED_TRY(to, (*storage)->writableBytes());
  const BlockGrid stored = {weight.storedRows_, weight.inputDim_ / kChunk};
  const BlockGrid seen = {weight.out_, stored.blocksPerRow};
  permuteBlocks(seen, kChunkBytes,
                from->data() + flatIndex(weight.order_, stored, weight.firstRow_, 0) * kChunkBytes,
                stridesOf(weight.order_, stored), to.data(), stridesOf(order, seen));
  storeLE(to.data() + to.size() - sizeof(float), scale);

  TernaryWeight made = weight;
  made.storage_ = *storage;
  made.order_ = order;
  made.firstRow_ = 0;
  made.storedRows_ = made.out_;
  if (sink) {
    const uint64_t shape[] = {made.out_, made.inputDim_};
    tellAdapter(
        sink, {kind, nameOf(weight.order_), nameOf(order), scope.name(), start, nowNanos() - start},
        shapeText(nameOf(TernaryEncoding::BITNET_B1_58), shape), made.packedSize());
  }
  return made;
}

}  // namespace packed
