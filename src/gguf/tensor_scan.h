// TensorScan: one pass over the bytes of a tensor as they arrive, in pieces of any size: faults of
// values (value_scan.h), and whether all blocks are the same. A tensor whose type is unknown is
// scanned as bytes, for sameness alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "gguf/value_scan.h"
#include "layout/cut_blocks.h"

namespace packed {

class TensorScan {
 public:
  static TensorScan ofBlocks(Encoding encoding, bool littleEndian);
  static TensorScan ofTernaryCodes();  // I2_S: bytes of four codes, in whatever order
  static TensorScan ofBytes();         // of which nothing is known

  void feed(Bytes piece);
  void feedZeros(uint64_t count);  // the same as `count` bytes of zero, without looking at them

  uint64_t blocks() const {
    return blocks_;
  }  // whole blocks seen (values of PLAIN, bytes of unknown)
  uint32_t blockBytes() const { return stride_; }
  const FaultCounts& faults() const { return faults_; }
  bool constant() const { return constant_ && blocks_ > 1; }  // every block equals the first
  bool allZero() const;

 private:
  TensorScan(std::optional<ValueScan> values, uint32_t stride);
  void consume(const uint8_t* blocks, uint64_t count);

  std::optional<ValueScan> values_;
  uint32_t stride_;
  uint64_t blocks_ = 0;
  bool constant_ = true;
  std::vector<uint8_t> first_;  // the first block
  CutBlocks cut_;
  FaultCounts faults_{};
};

}  // namespace packed
