#include "gguf/split_set.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "gguf/header_rules.h"
#include "gguf/metadata_value.h"
#include "gguf/utf8.h"

namespace packed {
namespace {

struct SplitKeys {
  std::optional<uint64_t> number;  // split.no
  std::optional<uint64_t> count;
  std::optional<uint64_t> tensors;  // of the whole set

  explicit SplitKeys(const GgufHeader& header)
      : number(unsignedValue(header, "split.no")),
        count(unsignedValue(header, "split.count")),
        tensors(unsignedValue(header, "split.tensors.count")) {}

  bool isShard() const { return count.value_or(0) > 1 || number.value_or(0) > 0; }
};

uint64_t offsetOf(const GgufHeader& header, std::string_view key) {
  const MetadataEntry* entry = header.findMetadata(key);
  return entry ? entry->valueOffset() : 0;
}

// Five or more digits at the end of `text`, taken off it.
std::optional<uint64_t> takeNumber(std::string_view& text) {
  std::size_t digits = 0;
  uint64_t value = 0;
  uint64_t place = 1;
  while (digits < text.size() && digits < 9) {
    const char c = text[text.size() - 1 - digits];
    if (c < '0' || c > '9') break;
    value += static_cast<uint64_t>(c - '0') * place;
    place *= 10;
    ++digits;
  }
  if (digits < 5) return std::nullopt;
  text.remove_suffix(digits);
  return value;
}

bool takeSuffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// "1, 4, 7" (from 1), at most ten of them.
std::string listed(const std::vector<uint64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size() && i < 10; ++i) {
    text += joined(i == 0 ? "" : ", ", numbers[i] + 1);
  }
  return numbers.size() > 10 ? text + ", ..." : text;
}

}  // namespace

std::optional<ShardName> shardNameOf(std::string_view fileName) {
  std::string_view rest = fileName;
  if (!takeSuffix(rest, ".gguf")) return std::nullopt;
  const auto count = takeNumber(rest);
  if (!count || !takeSuffix(rest, "-of-")) return std::nullopt;
  const auto number = takeNumber(rest);
  if (!number || !takeSuffix(rest, "-")) return std::nullopt;
  return ShardName{std::string(rest), *number, *count};
}

void checkShard(const GgufHeader& header, std::string_view fileName, bool alone,
                FindingList& findings) {
  const SplitKeys keys(header);
  const auto name = shardNameOf(fileName);
  if (!keys.isShard()) {
    if (name && name->count > 1 && keys.count.value_or(0) != 0) {
      findings.add(finding(Rule::SPLIT_NAME, "the file is called ", quoted(fileName), ", as shard ",
                           name->number, " of ", name->count, ", but its split.count is ",
                           *keys.count, ": rename it")
                       .at(offsetOf(header, "split.count"), 2));
    } else if (name && name->count > 1) {
      findings.add(finding(Rule::SPLIT_NAME, "the file is called ", quoted(fileName), ", as shard ",
                           name->number, " of ", name->count,
                           ", but it has no split.no and split.count: rename it, or split again"));
    }
    return;
  }
  if (!keys.number || !keys.count || *keys.number >= *keys.count) {
    findings.add(finding(Rule::SPLIT_NUMBER, "split.no is ",
                         keys.number ? joined(*keys.number) : "missing", " and split.count ",
                         keys.count ? joined(*keys.count) : "missing",
                         "; shards are numbered from 0 to split.count - 1: split the model again")
                     .at(offsetOf(header, keys.number ? "split.no" : "split.count"), 2)
                     .wanted(keys.count ? joined("below ", *keys.count) : "both keys",
                             keys.number ? joined(*keys.number) : "missing"));
  } else if (name && (name->number != *keys.number + 1 || name->count != *keys.count)) {
    findings.add(finding(Rule::SPLIT_NAME, "the file is called ", quoted(fileName), ", as shard ",
                         name->number, " of ", name->count, ", but inside it is shard ",
                         *keys.number + 1, " of ", *keys.count, " (split.no ", *keys.number,
                         "): rename it")
                     .at(offsetOf(header, "split.no"), 2)
                     .wanted(joined(*keys.number + 1, " of ", *keys.count),
                             joined(name->number, " of ", name->count)));
  }
  if (keys.tensors && header.tensors.size() > *keys.tensors) {
    findings.add(finding(Rule::SPLIT_CONTRADICTION, "split.tensors.count is ", *keys.tensors,
                         " for the whole set, but this shard alone has ", header.tensors.size(),
                         ": split the model again")
                     .at(offsetOf(header, "split.tensors.count"), 4)
                     .wanted(joined("at most ", *keys.tensors), joined(header.tensors.size())));
  }
  if (alone && keys.number && keys.count) {
    findings.add(finding(Rule::SPLIT_ALONE, "shard ", *keys.number + 1, " of ", *keys.count,
                         ": the others were not looked at; check all files of the set together")
                     .at(offsetOf(header, "split.no"), 2));
  }
}

void checkSplitSet(std::span<const Shard> shards, FindingList& findings) {
  const Shard* first = nullptr;      // the one with the metadata
  const Shard* reference = nullptr;  // whose split.count the others are compared with
  std::map<uint64_t, const Shard*> byNumber;
  std::map<std::string_view, const Shard*> owners;
  uint64_t tensors = 0;
  for (const Shard& shard : shards) {
    const SplitKeys keys(*shard.header);
    tensors += shard.header->tensors.size();
    if (!keys.number || !keys.count) {
      findings.add(
          finding(Rule::SPLIT_CONTRADICTION, quoted(shard.fileName),
                  " is no shard: it has no split.no or no split.count; check it by itself"));
      continue;
    }
    if (!reference) reference = &shard;
    const SplitKeys common(*reference->header);
    if (*keys.count != *common.count || keys.tensors != common.tensors) {
      findings.add(finding(Rule::SPLIT_CONTRADICTION, quoted(shard.fileName), " and ",
                           quoted(reference->fileName), " are not of one set: split.count is ",
                           *keys.count, " and ", *common.count, ", split.tensors.count ",
                           keys.tensors.value_or(0), " and ", common.tensors.value_or(0)));
    }
    const auto [place, added] = byNumber.emplace(*keys.number, &shard);
    if (!added) {
      findings.add(finding(Rule::SPLIT_DUPLICATE, "shard ", *keys.number + 1, " of ", *keys.count,
                           " is there twice: ", quoted(place->second->fileName), " and ",
                           quoted(shard.fileName), "; leave one of them out"));
      tensors -= shard.header->tensors.size();
      continue;
    }
    if (*keys.number == 0) first = &shard;
    for (const TensorInfo& info : shard.header->tensors) {
      const auto [owner, fresh] = owners.emplace(info.name, &shard);
      if (fresh || owner->second == &shard) continue;
      findings.add(finding(Rule::SPLIT_CONTRADICTION, "tensor ", quoted(info.name), " is in ",
                           quoted(owner->second->fileName), " and again in ",
                           quoted(shard.fileName), ": split the model again")
                       .in(info.name));
    }
  }
  if (!reference) return;
  const SplitKeys common(*reference->header);
  std::vector<uint64_t> missing;
  for (uint64_t i = 0; i < std::min<uint64_t>(*common.count, 65536); ++i) {
    if (!byNumber.contains(i)) missing.push_back(i);
  }
  if (!missing.empty()) {
    findings.add(finding(Rule::SPLIT_MISSING, missing.size(), " of ", *common.count,
                         " shards are missing: ", listed(missing), "; fetch them")
                     .wanted(joined(*common.count, " shards"),
                             joined(*common.count - missing.size(), " shards")));
  } else if (common.tensors && tensors != *common.tensors) {
    findings.add(finding(Rule::SPLIT_CONTRADICTION, "the shards hold ", tensors,
                         " tensors together, split.tensors.count is ", *common.tensors,
                         ": split the model again")
                     .wanted(joined(*common.tensors, " tensors"), joined(tensors, " tensors")));
  }
  if (!first || !missing.empty()) return;

  // The set as one header: the metadata of the first shard, the tensors of all. Offsets mean
  // nothing in it, so what checkShapes reports is told by tensor names alone.
  GgufHeader whole = *first->header;
  std::erase_if(whole.metadata,
                [](const MetadataEntry& entry) { return entry.key.starts_with("split."); });
  for (const auto& [number, shard] : byNumber) {
    if (shard == first) continue;
    whole.tensors.insert(whole.tensors.end(), shard->header->tensors.begin(),
                         shard->header->tensors.end());
  }
  FindingList shapes(findings.profile());
  checkShapes(whole, shapes);
  for (Finding& made : std::move(shapes).take()) {
    made.offset.reset();
    made.length = 0;
    findings.add(std::move(made));
  }
}

}  // namespace packed
