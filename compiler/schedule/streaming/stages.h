// What stages of a streaming kernel compute: a plane each, into the queues of their results.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/streaming/masks.h"
#include "compiler/schedule/streaming/reads.h"
#include "compiler/schedule/streaming/tile.h"

namespace stencil::schedule {

class StreamStages {
 public:
  StreamStages(const StreamContext& context, const StreamTile& tile, const StreamQueues& queues,
               StreamMasks& masks)
      : context_(context), tile_(tile), queues_(queues), masks_(masks) {}

  // Finds which points of the patch lie in the regions of the stage's pieces, as far as that is the
  // same for all planes.
  Body make_masks(const StreamStage& stage);
  // Computes the plane of the stage that belongs to the front, in the queues' newest age.
  Body compute(const StreamStage& stage, const Tests& tests) const;

 private:
  bool applies_everywhere(const StreamStage& stage) const;
  // The condition that the coordinate of a point lies in a region.
  void append_covered(const Expr& at, const ir::Box& region, int d, std::vector<Expr>& to) const;
  std::string cross_section(const ir::Box& region) const;
  std::vector<Expr> live_masks(const StreamStage& stage, const Tests& tests, const Expr& plane,
                               Body& body) const;
  Expr where_done(const Tests& tests, const Expr& mask, int step) const;
  Body compute_plane(const StreamStage& stage, const Tests& tests) const;
  Body at_point(const StagePoint& at, const std::vector<Expr>& live) const;
  Body main_piece_at(const StagePoint& at, int main) const;
  Body select_pieces(const StagePoint& at, const std::vector<Expr>& live) const;
  Body branch_over_pieces(const StagePoint& at, const std::vector<Expr>& live) const;
  Expr covers(const StagePoint& at, const std::vector<Expr>& live, size_t piece) const;
  // The results of a piece; `taken`: names in scope.
  std::vector<Expr> evaluate_piece(const StagePoint& at, const StagePiece& piece, Names& taken,
                                   Body& body) const;
  std::vector<Expr> old_values(const StagePoint& at) const;
  Body store(const StreamStage& stage, const std::vector<Expr>& values) const;

  const StreamContext& context_;
  const StreamTile& tile_;
  const StreamQueues& queues_;
  StreamMasks& masks_;
};

}  // namespace stencil::schedule
