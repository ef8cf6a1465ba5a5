// Rows woven together in groups of 4 or 8, as repacked files and buffers hold them for CPU kernels:
// for each group and each block of the row, the scales of all its rows, then their codes in turn, 4
// or 8 bytes of each. Some also flip the top bit of every nibble (XOR 0x88), so that codes are
// signed.
#include "encoding/block_anatomy.h"
#include "weights/block_match.h"
#include "weights/hypothesis.h"
#include "weights/mending.h"

namespace packed {
namespace {

struct Weave {
  uint32_t rows = 0;          // woven together
  uint32_t chunk = 0;         // bytes of codes of one row before the next row's turn
  uint8_t flip = 0;           // XORed into every code byte
  bool packedScales = false;  // integer scales are packed anew in some way of their own
  bool blocksOuter = false;   // groups of one block column stand together
};

// Byte `at` of a woven group: which row and which byte of its block it is.
struct Thread {
  uint32_t row = 0;
  uint32_t byte = 0;
  uint8_t flip = 0;
  bool known = true;
};

std::vector<Thread> threadsOf(Encoding encoding, const Weave& weave) {
  std::vector<Thread> threads;
  for (const BlockField& field : anatomyOf(encoding)) {
    const bool scale = isFloat(field.type) || field.name.substr(0, 6) == "scales";
    const bool chunked = !scale && field.bytes() % weave.chunk == 0;
    const uint32_t step = chunked ? weave.chunk : field.bytes();
    for (uint32_t i = 0; i < field.bytes() * weave.rows; ++i) {
      const uint32_t turn = i / step;
      threads.push_back({turn % weave.rows, field.offset + turn / weave.rows * step + i % step,
                         scale ? uint8_t{0} : weave.flip,
                         !(weave.packedScales && scale && !isFloat(field.type))});
    }
  }
  return threads;
}

bool hasNibbles(Encoding encoding) {
  return encoding == Encoding::Q4_0 || encoding == Encoding::Q4_1 || encoding == Encoding::IQ4_NL ||
         encoding == Encoding::MXFP4 || encoding == Encoding::NVFP4 || encoding == Encoding::Q4_K ||
         encoding == Encoding::IQ4_XS;
}

bool hasPackedScales(Encoding encoding) {
  for (const BlockField& field : anatomyOf(encoding)) {
    if (field.name.substr(0, 6) == "scales" && !isFloat(field.type)) return true;
  }
  return false;
}

// The group and the block column of the woven group number `index`.
BlockAt groupAt(const Observation& seen, const Weave& weave, uint64_t index) {
  const BlockGrid groups{seen.grid.out / weave.rows, seen.grid.blocksPerRow};
  return blockAt(weave.blocksOuter ? BlockOrder::INPUT_BLOCK_MAJOR : BlockOrder::ROW_MAJOR, groups,
                 index);
}

void propose(const Observation& seen, Hypotheses& to, const Weave& weave) {
  auto threads = threadsOf(seen.expected.encoding, weave);
  to.push_back({DiagnosisKind::INTERLEAVED_ROWS,
                joined(weave.rows, "x", weave.chunk, weave.flip ? ", codes XOR 0x88" : "",
                       weave.packedScales ? ", scales packed anew" : ""),
                joined("write each row's blocks whole: interleaving is a form of memory for one "
                       "kind of kernel and "
                       "no order of ",
                       nameOf(seen.expected.encoding), "; unweave the ", weave.rows, " rows, then ",
                       packCall(seen, BlockOrder::ROW_MAJOR)),
                [&seen, weave, threads = std::move(threads)](uint64_t window) {
                  const uint8_t* observed = seen.seenAt(window);
                  const BlockAt group = groupAt(seen, weave, window / weave.rows);
                  const uint64_t from = window % weave.rows * seen.blockBytes;
                  const uint8_t* blocks[8];
                  for (uint64_t row = 0; row < weave.rows; ++row) {
                    blocks[row] = seen.referenceAt({group.o * weave.rows + row, group.b});
                  }
                  bool known = false;
                  for (uint64_t i = 0; i < seen.lengthAt(window); ++i) {
                    const Thread& thread = threads[from + i];
                    if (!thread.known) continue;
                    known = true;
                    if (observed[i] != (blocks[thread.row][thread.byte] ^ thread.flip))
                      return Fit::MISFIT;
                  }
                  return known ? Fit::FITS : Fit::UNKNOWABLE;
                }});
}

// Whole blocks of so many rows in turn: each group of rows is in INPUT_BLOCK_MAJOR.
void proposeTiles(const Observation& seen, Hypotheses& to, uint64_t rows) {
  const uint64_t tile = rows * seen.grid.blocksPerRow * seen.blockBytes;
  const EncodingSpec& spec = specOf(seen.expected.encoding);
  to.push_back(
      {DiagnosisKind::INTERLEAVED_ROWS, joined("whole blocks of ", rows, " rows in turn"),
       joined("write each row's blocks next to each other; of every ", tile,
              " bytes `tile`, pw.toCanonicalOrder(pw.pack(tile, { encoding: '", spec.name,
              "', out: ", rows, ", inputDim: ", seen.grid.blocksPerRow * spec.elements,
              ", order: 'INPUT_BLOCK_MAJOR' })).bytes one behind the other are ROW_MAJOR"),
       [&seen, rows](uint64_t window) {
         const uint64_t group = window / (rows * seen.grid.blocksPerRow);
         const BlockAt in = blockAt(BlockOrder::INPUT_BLOCK_MAJOR, {rows, seen.grid.blocksPerRow},
                                    window % (rows * seen.grid.blocksPerRow));
         return sameBytes(seen.seenAt(window), seen.referenceAt({group * rows + in.o, in.b}),
                          seen.lengthAt(window))
                    ? Fit::FITS
                    : Fit::MISFIT;
       }});
}

}  // namespace

void proposeInterleavings(const Observation& seen, Hypotheses& to) {
  if (seen.plain() || !seen.sameSize() || seen.blocks == 0) return;
  const Encoding encoding = seen.expected.encoding;
  for (const uint32_t rows : {4u, 8u}) {
    if (seen.grid.out % rows != 0) continue;
    for (const uint32_t chunk : {4u, 8u}) {
      for (const bool blocksOuter : {false, true}) {
        propose(seen, to, {rows, chunk, 0, false, blocksOuter});
        if (hasNibbles(encoding)) propose(seen, to, {rows, chunk, 0x88, false, blocksOuter});
        if (hasPackedScales(encoding)) propose(seen, to, {rows, chunk, 0, true, blocksOuter});
      }
    }
  }
  for (const uint64_t rows : divisorsOf(seen.grid.out)) {
    // Of all rows at once it would be INPUT_BLOCK_MAJOR itself.
    if (rows > 1 && rows < seen.grid.out) proposeTiles(seen, to, rows);
  }
}

}  // namespace packed
