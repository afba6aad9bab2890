// Counts the loads of a thread that reads all operands from global memory.
#pragma once

#include <map>
#include <tuple>

#include "compiler/ir/program.h"

namespace stencil::schedule {

struct LoadCounts {
  double words = 0, accesses = 0;
};

// Loads of a thread whose elements follow one another along the outermost dimension, `apart` points
// from each other. If adjacent, neighbouring elements share loads. Sharing in other dimensions is
// not counted, because a thread of a sweep has too few registers. Cached per piece
// (TimeTiles::kept).
class PieceLoads {
 public:
  explicit PieceLoads(const ir::Program& program) : program_(program) {}
  const LoadCounts& of(const ir::Piece& piece, int elements, int apart);

 private:
  const ir::Program& program_;
  std::map<std::tuple<const ir::Piece*, int, int>, LoadCounts> known_;
};

}  // namespace stencil::schedule
