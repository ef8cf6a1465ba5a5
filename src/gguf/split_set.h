// Split models: {prefix}-00001-of-00003.gguf and so on. Names count from 1, split.no counts from 0.
// The first shard alone carries the metadata; a shard may hold no tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gguf/finding_list.h"
#include "gguf/gguf_types.h"

namespace packed {

// What the name of a file says: "-00002-of-00003.gguf" is number 2 of 3.
struct ShardName {
  std::string prefix;
  uint64_t number = 0;  // from 1
  uint64_t count = 0;
};
std::optional<ShardName> shardNameOf(std::string_view fileName);

// One file by itself: split.no against split.count, against its tensors, against the file's name
// (empty: not known). `alone`: the others of its set are not being checked with it.
void checkShard(const GgufHeader& header, std::string_view fileName, bool alone,
                FindingList& findings);

struct Shard {
  std::string fileName;
  const GgufHeader* header = nullptr;
};

// The files of a set together, in any order: each shard once, counts that agree, no tensor twice,
// as many tensors as declared; and the shapes of all of them against the metadata of the first.
void checkSplitSet(std::span<const Shard> shards, FindingList& findings);

}  // namespace packed
