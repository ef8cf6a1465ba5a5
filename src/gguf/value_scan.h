// Looks for values that cannot be meant in the bytes of whole blocks: NaN and infinity in floats
// and block scales, reserved scale codes, and the code 3 in ternary data. Fast where nothing is
// wrong: a block is looked at by its scales only (block_anatomy.h), 144 bytes of Q4_K for two
// loads.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "encoding/block_anatomy.h"
#include "encoding/encoding.h"

namespace packed {

enum class ValueFault : uint8_t {
  NAN_VALUE,       // in a float or a scale; for E8M0 the code 255
  INFINITE_VALUE,  // in a float or a scale, or what an E8M0 scale makes of its codes
  RESERVED_SCALE,  // UE4M3: 0x7F (NaN in E4M3, decodes to 0) or the unused sign bit
  INVALID_CODE,    // 3 in ternary data
};
inline constexpr std::size_t kValueFaults = 4;

// Faults of one kind: in how many blocks (values, of PLAIN encodings), and the first of them.
struct FaultCount {
  uint64_t blocks = 0;
  uint64_t firstBlock = 0;
  uint32_t byteInBlock = 0;
};
using FaultCounts = std::array<FaultCount, kValueFaults>;

class ValueScan {
 public:
  ValueScan(Encoding encoding, bool littleEndian);

  // Bytes of four 2-bit codes, as in I2_S: a "block" is one byte, and the code 3 is its only fault.
  static ValueScan ofTernaryCodes();

  // Adds the faults of `count` whole blocks, the first of which has the number `firstBlock`.
  void scan(const uint8_t* blocks, uint64_t count, uint64_t firstBlock, FaultCounts& faults) const;

 private:
  ValueScan() = default;
  bool suspicious(const uint8_t* blocks, uint64_t count) const;
  void locate(const uint8_t* block, uint64_t number, FaultCounts& faults) const;

  const EncodingSpec* spec_ = nullptr;  // null: ternary codes
  std::span<const BlockField> fields_;
  bool littleEndian_ = true;
};

}  // namespace packed
