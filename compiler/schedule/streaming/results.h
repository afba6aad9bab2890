// How planes of results leave a streaming kernel: the core of a tile, vector by vector.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/streaming/masks.h"
#include "compiler/schedule/streaming/queues.h"
#include "compiler/schedule/streaming/tile.h"

namespace stencil::schedule {

class StreamResults {
 public:
  StreamResults(const StreamContext& context, const StreamTile& tile, const StreamQueues& queues,
                StreamMasks& masks)
      : context_(context), tile_(tile), queues_(queues), masks_(masks) {}

  // Finds which vectors of the patch the tile writes, of the results of a stage.
  Body make_masks(const StreamStage& stage);
  // Writes the results whose planes are ready. Those written at the same planes and places share a
  // test.
  Body write(const Tests& tests) const;

 private:
  int vectors(const Quantity& q) const;
  bool by_mask(const Quantity& q) const;
  bool core_by_patch() const;
  std::string writers_key(const Quantity& q) const;
  bool written_alike(const Quantity& a, const Quantity& b) const;
  Expr first_column(const Quantity& q) const;
  Expr is_written(const Tests& tests, const Quantity& q) const;
  Expr in_box(const Tests& tests, int d, const ir::Box& box, const Expr& at, const Expr& low,
              bool core_ends) const;
  Body write_planes(const Tests& tests, const std::vector<int>& ids) const;
  kernel::Statement write_vector(int id) const;

  const StreamContext& context_;
  const StreamTile& tile_;
  const StreamQueues& queues_;
  StreamMasks& masks_;
};

}  // namespace stencil::schedule
