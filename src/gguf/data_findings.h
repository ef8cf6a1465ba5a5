// What the scan of a tensor's bytes means for the file: a finding for each kind of fault, with the
// tensor, the row, the block and the byte; tensors of constant bytes are summarised over the file.
#pragma once

#include <string>
#include <vector>

#include "gguf/finding_list.h"
#include "gguf/gguf_types.h"
#include "gguf/tensor_range.h"
#include "gguf/tensor_scan.h"

namespace packed {

class DataFindings {
 public:
  // A scan that is over; `range` is where it looked.
  void conclude(const TensorInfo& info, ByteRange range, const TensorScan& scan,
                FindingList& findings);
  // Once, after the last.
  void summarise(FindingList& findings) const;

 private:
  struct Place {
    std::string tensor;
    ByteRange range;
  };
  static void summarise(Rule rule, const std::vector<Place>& places, const char* what,
                        FindingList& findings);

  std::vector<Place> allZero_;
  std::vector<Place> constant_;
};

}  // namespace packed
