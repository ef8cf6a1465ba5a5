#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gguf/header_rules.h"
#include "gguf/metadata_value.h"
#include "gguf/tensor_range.h"
#include "gguf/utf8.h"

namespace packed {
namespace {

// What the metadata says about shapes; nothing where it says nothing, or says it per block.
struct StatedSizes {
  std::string architecture;
  std::optional<uint64_t> embedding;
  std::optional<uint64_t> feedForward;
  std::optional<uint64_t> blocks;
  bool perBlock = false;  // blocks differ by design

  explicit StatedSizes(const GgufHeader& header) {
    architecture = textValue(header, "general.architecture").value_or("");
    const auto stated = [&](std::string_view name) {
      return unsignedValue(header, joined(architecture, ".", name));
    };
    embedding = stated("embedding_length");
    feedForward = stated("feed_forward_length");
    blocks = stated("block_count");
    for (const std::string_view name :
         {"feed_forward_length", "attention.head_count", "attention.head_count_kv"}) {
      const MetadataEntry* entry = header.findMetadata(joined(architecture, ".", name));
      perBlock = perBlock || (entry && entry->type == MetadataType::ARRAY);
    }
  }
};

// Which length stands on which side of a tensor of a known role. EMBEDDING, FEED_FORWARD or ANY.
enum class Side : uint8_t { ANY, EMBEDDING, FEED_FORWARD };
struct KnownRole {
  std::string_view role;
  Side in;
  Side out;
};
constexpr KnownRole kKnownRoles[] = {
    {"token_embd.weight", Side::EMBEDDING, Side::ANY},
    {"output.weight", Side::EMBEDDING, Side::ANY},
    {"output_norm.weight", Side::EMBEDDING, Side::ANY},
    {"attn_norm.weight", Side::EMBEDDING, Side::ANY},
    {"ffn_norm.weight", Side::EMBEDDING, Side::ANY},
    {"attn_q.weight", Side::EMBEDDING, Side::ANY},
    {"attn_k.weight", Side::EMBEDDING, Side::ANY},
    {"attn_v.weight", Side::EMBEDDING, Side::ANY},
    {"attn_output.weight", Side::ANY, Side::EMBEDDING},
    {"ffn_gate.weight", Side::EMBEDDING, Side::FEED_FORWARD},
    {"ffn_up.weight", Side::EMBEDDING, Side::FEED_FORWARD},
    {"ffn_down.weight", Side::FEED_FORWARD, Side::EMBEDDING},
};

std::optional<uint64_t> lengthOf(Side side, const StatedSizes& sizes) {
  if (side == Side::EMBEDDING) return sizes.embedding;
  if (side == Side::FEED_FORWARD) return sizes.feedForward;
  return std::nullopt;
}

// A fused gate and up projection has twice the stated length.
bool agrees(Side side, uint64_t length, const StatedSizes& sizes) {
  const auto stated = lengthOf(side, sizes);
  if (!stated || length == *stated) return true;
  return side == Side::FEED_FORWARD && length % 2 == 0 && length / 2 == *stated;
}

void checkAgainstMetadata(const TensorInfo& info, const TensorRole& role, const StatedSizes& sizes,
                          FindingList& findings) {
  const auto* known = std::ranges::find(kKnownRoles, role.role, &KnownRole::role);
  if (known == std::end(kKnownRoles) || info.ne.empty()) return;
  const uint64_t in = info.ne[0];
  const uint64_t out = info.ne.size() > 1 ? info.ne[1] : 1;
  const auto fits = [&](uint64_t a, uint64_t b) {
    return agrees(known->in, a, sizes) && (info.ne.size() < 2 || agrees(known->out, b, sizes));
  };
  if (fits(in, out)) return;
  std::string stated;
  for (const Side side : {known->in, known->out}) {
    const auto length = lengthOf(side, sizes);
    if (!length) continue;
    stated += joined(
        stated.empty() ? "" : ", ", sizes.architecture,
        side == Side::EMBEDDING ? ".embedding_length = " : ".feed_forward_length = ", *length);
  }
  const bool swapped = info.ne.size() == 2 && in != out && fits(out, in);
  findings.add(finding(Rule::SHAPE_AGAINST_METADATA, "tensor ", quoted(info.name), " (",
                       describeShape(info), ") contradicts the metadata (", stated, ")",
                       swapped ? ": the label looks swapped, [out, in] instead of [in, out]"
                               : ": the shape or the metadata is wrong; compare with the source")
                   .at(info.dimensionOffset(0), 8 * info.ne.size())
                   .in(info.name)
                   .wanted(stated, describeShape(info)));
}

std::vector<uint64_t> swappedLabel(std::vector<uint64_t> ne) {
  if (ne.size() >= 2) std::swap(ne[0], ne[1]);
  return ne;
}

// All tensors of one role, one per block, in the order of the file.
using Role = std::vector<const TensorInfo*>;

void reportSibling(const TensorInfo& info, const TensorInfo& sibling, bool swapped,
                   FindingList& findings) {
  findings.add(
      finding(Rule::SHAPE_AGAINST_SIBLINGS, "tensor ", quoted(info.name), " (", describeShape(info),
              ") ",
              swapped ? "is transposed relative to its sibling " : "differs from its sibling ",
              quoted(sibling.name), " (", describeShape(sibling), ")",
              swapped ? ": one of the two labels, or one of the two tensors, is the wrong way "
                        "round; compare with the source"
                      : ": compare with the source")
          .at(info.dimensionOffset(0), 8 * info.ne.size())
          .in(info.name)
          .wanted(describeShape(sibling), describeShape(info)));
}

// The shape that most of the role have; of equally frequent ones the first.
const TensorInfo* typical(const Role& role) {
  std::map<std::vector<uint64_t>, uint64_t> uses;
  for (const TensorInfo* info : role) ++uses[info->ne];
  const TensorInfo* best = nullptr;
  for (const TensorInfo* info : role) {
    if (!best || uses[info->ne] > uses[best->ne]) best = info;
  }
  return best;
}

void checkAcrossBlocks(const Role& role, bool perBlock, FindingList& findings) {
  if (role.size() < 2) return;
  const TensorInfo* common = typical(role);
  const auto alike = static_cast<uint64_t>(std::ranges::count(role, common->ne, &TensorInfo::ne));
  for (const TensorInfo* info : role) {
    if (info->ne == common->ne) continue;
    const bool swapped = info->ne == swappedLabel(common->ne);
    // Blocks may differ by design (per-block sizes, hybrids); one single odd one rarely does.
    const bool outlier = !perBlock && alike >= 3 && alike + 1 == role.size();
    if (swapped || outlier) reportSibling(*info, *common, swapped, findings);
  }
}

// Inside a block: gate and up have one shape, and down undoes what up does.
void checkInsideBlock(const std::map<std::string_view, const TensorInfo*>& block,
                      FindingList& findings) {
  const auto find = [&](const std::string& role) -> const TensorInfo* {
    const auto found = block.find(role);
    return found == block.end() || found->second->ne.size() < 2 ? nullptr : found->second;
  };
  for (const std::string kind : {".weight", "_exps.weight", "_shexp.weight"}) {
    const TensorInfo* gate = find("ffn_gate" + kind);
    const TensorInfo* up = find("ffn_up" + kind);
    const TensorInfo* down = find("ffn_down" + kind);
    if (gate && up && gate->ne != up->ne) {
      reportSibling(*up, *gate, up->ne == swappedLabel(gate->ne), findings);
    } else if (up && down && up->ne[0] != up->ne[1] && down->ne == up->ne) {
      findings.add(finding(Rule::SHAPE_AGAINST_SIBLINGS, "tensor ", quoted(down->name), " (",
                           describeShape(*down), ") is transposed relative to its sibling ",
                           quoted(up->name), " (", describeShape(*up),
                           "): it should lead back from ", up->ne[1], " to ", up->ne[0],
                           "; compare with the source")
                       .at(down->dimensionOffset(0), 8 * down->ne.size())
                       .in(down->name));
    }
  }
}

using BlockTensors = std::map<std::string_view, const TensorInfo*>;

void checkBlockCount(const std::map<uint64_t, BlockTensors>& blocks, const StatedSizes& sizes,
                     bool shard, FindingList& findings) {
  if (!sizes.blocks) return;
  const auto& [last, tensors] = *blocks.rbegin();
  if (last >= *sizes.blocks) {
    const TensorInfo& info = *tensors.begin()->second;
    findings.add(finding(Rule::BLOCK_COUNT, "tensor ", quoted(info.name), " belongs to block ",
                         last, ", but ", sizes.architecture, ".block_count is ", *sizes.blocks,
                         " (blocks 0 to ", *sizes.blocks - 1, "): correct the metadata")
                     .at(info.nameOffset(), info.name.size())
                     .in(info.name)
                     .wanted(joined("below ", *sizes.blocks), joined(last)));
  }
  if (shard) return;
  uint64_t missing = 0;
  uint64_t first = 0;
  for (uint64_t i = 0; i < std::min<uint64_t>(*sizes.blocks, 65536); ++i) {
    if (!blocks.contains(i) && missing++ == 0) first = i;
  }
  if (missing == 0) return;
  findings.add(
      finding(Rule::BLOCK_COUNT, sizes.architecture, ".block_count is ", *sizes.blocks, ", but ",
              missing, " of these blocks have no tensor, first block ", first,
              ": tensors are missing (the file is not cut off), or the metadata is wrong")
          .wanted(joined(*sizes.blocks, " blocks"), joined(*sizes.blocks - missing, " blocks")));
}

// A block that has nothing of its own and lacks what most others have, lacks it by mistake. A block
// of another kind (dense among experts, attention among recurrent ones) has something of its own.
void checkMissing(const std::map<uint64_t, BlockTensors>& blocks, FindingList& findings) {
  std::map<std::string_view, uint64_t> uses;
  for (const auto& [number, tensors] : blocks) {
    for (const auto& [role, info] : tensors) ++uses[role];
  }
  const auto common = [&](std::string_view role) { return uses[role] * 2 > blocks.size(); };
  std::vector<std::string_view> expected;
  for (const auto& [role, count] : uses) {
    if (common(role)) expected.push_back(role);
  }
  for (const auto& [number, tensors] : blocks) {
    const bool ofItsOwnKind =
        std::ranges::any_of(tensors, [&](const auto& entry) { return !common(entry.first); });
    if (ofItsOwnKind) continue;
    for (const std::string_view role : expected) {
      if (tensors.contains(role)) continue;
      const std::string name = joined("blk.", number, ".", role);
      findings.add(finding(Rule::TENSOR_MISSING, "tensor ", quoted(name),
                           " is missing: ", uses[role], " of ", blocks.size(),
                           " blocks have one. The file is not cut off; convert the "
                           "model again")
                       .in(name));
    }
  }
}

}  // namespace

TensorRole roleOf(std::string_view name) {
  constexpr std::string_view prefix = "blk.";
  TensorRole found{false, 0, name};
  if (!name.starts_with(prefix)) return found;
  std::size_t at = prefix.size();
  uint64_t number = 0;
  while (at < name.size() && name[at] >= '0' && name[at] <= '9' && number < 1000000) {
    number = number * 10 + static_cast<uint64_t>(name[at++] - '0');
  }
  if (at == prefix.size() || at >= name.size() || name[at] != '.') return found;
  return {true, number, name.substr(at + 1)};
}

void checkShapes(const GgufHeader& header, FindingList& findings) {
  const auto type = textValue(header, "general.type");
  if (type && *type != "model") return;  // adapters, imatrix files, projectors: parts, not models
  const StatedSizes sizes(header);
  std::map<uint64_t, BlockTensors> blocks;
  std::map<std::string_view, Role> roles;
  for (const TensorInfo& info : header.tensors) {
    const TensorRole role = roleOf(info.name);
    checkAgainstMetadata(info, role, sizes, findings);
    if (!role.inBlock) continue;
    blocks[role.block][role.role] = &info;
    roles[role.role].push_back(&info);
  }
  if (blocks.empty()) return;
  for (const auto& [name, role] : roles) checkAcrossBlocks(role, sizes.perBlock, findings);
  for (const auto& [number, tensors] : blocks) checkInsideBlock(tensors, findings);
  const bool shard = unsignedValue(header, "split.count").value_or(1) > 1;
  checkBlockCount(blocks, sizes, shard, findings);
  if (!shard && !sizes.perBlock && blocks.size() >= 2) checkMissing(blocks, findings);
}

}  // namespace packed
