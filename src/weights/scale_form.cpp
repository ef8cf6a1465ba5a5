// Scales that are written in another form: the other byte order, or all of them off by one factor
// or one term. Codes are untouched.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/half.h"
#include "encoding/block_anatomy.h"
#include "weights/block_match.h"
#include "weights/hypothesis.h"
#include "weights/line_fit.h"
#include "weights/mending.h"

namespace packed {
namespace {

using Fields = std::vector<const BlockField*>;

Fields fieldsOf(Encoding encoding, bool floatsOnly) {
  Fields fields;
  for (const BlockField& field : anatomyOf(encoding)) {
    if (sizeOf(field.type) > 1 && (!floatsOnly || isFloat(field.type))) fields.push_back(&field);
  }
  return fields;
}

bool inFields(const Fields& fields, uint32_t byte) {
  return std::any_of(fields.begin(), fields.end(), [&](const BlockField* field) {
    return byte >= field->offset && byte < field->offset + field->bytes();
  });
}

// Equal in all bytes that belong to none of the fields.
bool sameElsewhere(const Observation& seen, const Fields& fields, const uint8_t* a,
                   const uint8_t* b) {
  for (uint32_t i = 0; i < seen.blockBytes; ++i) {
    if (a[i] != b[i] && !inFields(fields, i)) return false;
  }
  return true;
}

void proposeByteOrder(const Observation& seen, Hypotheses& to, Fields fields,
                      std::string_view which) {
  if (fields.empty()) return;
  if (fields.size() == 1 && sizeOf(fields[0]->type) == 1) return;
  const auto mirror = [&seen, fields = std::move(fields)](const uint8_t* from, uint8_t* block) {
    std::memcpy(block, from, seen.blockBytes);
    for (const BlockField* field : fields) {
      const uint32_t width = sizeOf(field->type);
      for (uint32_t at = 0; at < field->bytes(); at += width) {
        std::reverse(block + field->offset + at, block + field->offset + at + width);
      }
    }
  };
  to.push_back({DiagnosisKind::SCALE_BYTES, joined(which, " big-endian"),
                "write every multi-byte field of a block little-endian, whatever the file's other "
                "fields are",
                [&seen, mirror](uint64_t window) {
                  uint8_t block[kMaxBlockBytes];
                  mirror(seen.rightAt(window), block);
                  return sameBytes(seen.seenAt(window), block, seen.blockBytes) ? Fit::FITS
                                                                                : Fit::MISFIT;
                },
                0, nullptr, mirror});
}

double valueOf(const BlockField& field, const uint8_t* block, uint32_t index) {
  const uint8_t* at = block + field.offset + index * sizeOf(field.type);
  switch (field.type) {
    case FieldType::F16:
      return static_cast<double>(loadHalf(at));
    case FieldType::F32:
      return static_cast<double>(loadLE<float>(at));
    case FieldType::E8M0:
      return static_cast<double>(halfOfE8m0(*at)) * 2;
    default:
      return static_cast<double>(ue4m3ToFloat(*at));
  }
}

// The error that storing a number in the field brings.
Rounding roundingOf(FieldType type) {
  if (type == FieldType::F16) return {0x1p-10, 0x1p-24};
  return {type == FieldType::UE4M3 ? 0x1p-3 : 0x1p-22, 0};
}

// Whether every value of the fields is on the line, as far as the field's precision says.
Fit fitFields(const Fields& fields, const uint8_t* found, const uint8_t* right, Line line) {
  Fit all = Fit::UNKNOWABLE;
  for (const BlockField* field : fields) {
    LineFit fit(line, roundingOf(field->type));
    for (uint32_t i = 0; i < field->count; ++i) {
      fit.add(valueOf(*field, found, i), valueOf(*field, right, i));
    }
    if (fit.all() == Fit::MISFIT) return Fit::MISFIT;
    if (fit.all() == Fit::FITS) all = Fit::FITS;
  }
  return all;
}

bool sameInAllBlocks(const Observation& seen, const BlockField& field) {
  for (uint64_t f = 1; f < seen.blocks; ++f) {
    if (!sameBytes(seen.rightAt(0) + field.offset, seen.rightAt(f) + field.offset, field.bytes()))
      return false;
  }
  return true;
}

// Any two numbers have a ratio. If only one block shows this factor, or the weight has a single
// scale, it may as well be another scale.
void proposeOtherScale(const Observation& seen, Hypotheses& to, const Fields& fields, Line line) {
  if (fields.size() > 1 || fields[0]->count > 1) return;
  const bool single = sameInAllBlocks(seen, *fields[0]);
  if (seen.blocks > 2 && !single) return;
  uint64_t fitting = 0;
  for (uint64_t f = 0; f < seen.blocks; ++f) {
    const Fit fit = fitFields(fields, seen.seenAt(f), seen.rightAt(f), line);
    if (single && fit == Fit::MISFIT) return;
    fitting += fit == Fit::FITS;
  }
  if (fitting > 1 && !single) return;
  to.push_back({DiagnosisKind::FOREIGN, "another scale", std::string(kCheckBothSides),
                [&seen, fields](uint64_t window) {
                  return sameElsewhere(seen, fields, seen.seenAt(window), seen.rightAt(window))
                             ? Fit::FITS
                             : Fit::MISFIT;
                }});
}

void proposeConstant(const Observation& seen, Hypotheses& to, Fields fields, double factor,
                     double term) {
  const std::string which =
      fields.size() == 1 ? joined(fields[0]->name, " of every block") : std::string("every scale");
  to.push_back({DiagnosisKind::CONSTANT_OFFSET,
                term == 0
                    ? joined(which, " is ", factor, " times the reference's")
                    : joined(which, " is the reference's plus ", term, ", and so is every value"),
                "a constant is a convention, not a layout: find out whether writer or reader "
                "applies it, and "
                "apply it once",
                [&seen, fields = std::move(fields), factor, term](uint64_t window) {
                  const uint8_t* found = seen.seenAt(window);
                  const uint8_t* right = seen.rightAt(window);
                  return sameElsewhere(seen, fields, found, right)
                             ? fitFields(fields, found, right, {factor, term})
                             : Fit::MISFIT;
                }});
}

// The factor and the term by which the first differing value differs.
void proposeConstants(const Observation& seen, Hypotheses& to, const Fields& fields) {
  const BlockField& field = *fields[0];
  const bool added = field.name == "m";
  for (uint64_t i = 0; i < std::min<uint64_t>(seen.blocks, 4096); ++i) {
    const double found = valueOf(field, seen.seenAt(i), 0);
    const double right = valueOf(field, seen.rightAt(i), 0);
    if (found == right || !std::isfinite(found) || !std::isfinite(right)) continue;
    if (added) proposeConstant(seen, to, fields, 1, found - right);
    const double factor = right != 0 && found != 0 ? found / right : 1;
    if (factor != 1) proposeConstant(seen, to, fields, factor, 0);
    proposeOtherScale(seen, to, fields, {factor, 0});
    return;
  }
}

}  // namespace

void proposeScaleForms(const Observation& seen, Hypotheses& to) {
  if (!seen.sameSize() || seen.blocks == 0) return;
  const Encoding encoding = seen.expected.encoding;
  const Fields floats = fieldsOf(encoding, true);
  const Fields wide = fieldsOf(encoding, false);
  proposeByteOrder(seen, to, floats, "scales");
  if (wide.size() > floats.size()) proposeByteOrder(seen, to, wide, "all multi-byte fields");
  Fields scales;
  for (const BlockField& field : anatomyOf(encoding)) {
    if (!isFloat(field.type)) continue;
    scales.push_back(&field);
    if (floats.size() > 1) proposeByteOrder(seen, to, {&field}, joined(field.name, " alone"));
    proposeConstants(seen, to, {&field});
  }
  if (scales.size() > 1) proposeConstants(seen, to, scales);
}

}  // namespace packed
