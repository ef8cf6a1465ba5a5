// What is worth saying of bytes that no known mistake explains: facts that point somewhere, each as
// the end of a sentence, empty where there is nothing to say.
#pragma once

#include <string>

#include "weights/hypothesis.h"

namespace packed {

// "; as many bytes as Q4_1 takes for this weight": of bytes that are too few or too many.
std::string sizeRemark(const Observation& seen);

// What of the blocks stands where it belongs while the rest is other bytes.
struct PartsRemark {
  std::string text;
  std::string fix;  // where there is a better one than to check everything
};
PartsRemark partsRemark(const Observation& seen);

// What is to be said of blocks of which each is one of the reference's: rows cut along the input, as
// shards are, and put together in another sequence, or one shard behind the other.
PartsRemark shardsRemark(const Observation& seen);

}  // namespace packed
