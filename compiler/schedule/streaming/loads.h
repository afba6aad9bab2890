// Loads planes from memory into the queues of a streaming kernel: directly into registers, or
// through rings in shared memory that threads fill by asynchronous copies or hardware fills by bulk
// copies.
#pragma once

#include "compiler/schedule/streaming/queues.h"
#include "compiler/schedule/streaming/tile.h"

namespace stencil::schedule {

class StreamLoads {
 public:
  StreamLoads(const StreamContext& context, const StreamTile& tile, const StreamQueues& queues);

  // Prologue of a loop over `iterations` planes: starts the copies of the first `prefetch` planes.
  Body start(const Expr& iterations);
  // Moves the front plane of every field that is read into its queue and starts the copies of the
  // plane that is `prefetch` iterations ahead.
  Body load_front(const Tests& tests);

 private:
  // Starts the copies of the plane that becomes the front `ahead` iterations after iteration n.
  Body copy_ahead(const Tests& tests, const Expr& n, int ahead) const;
  // As copy_ahead(), with bulk copies, which load the tile's part of every field.
  Body copy_in_bulk(const Expr& n) const;
  kernel::BulkCopy bulk_copy(int id, const Expr& n, int row) const;
  Body take_copied(int id) const;
  Expr source(const Tests& tests, const Expr& place, const Quantity& q, int d,
              int64_t length) const;
  // Loads a plane, vector by vector. `to` maps a column to its destination. With `async`, the plane
  // may lie beyond the field while the front is still inside.
  template <class To>
  Body load_plane(const Tests& tests, int id, const Expr& plane, bool async, const To& to) const;

  const StreamContext& context_;
  const StreamPlan& plan_;
  const StreamTile& tile_;
  const StreamQueues& queues_;
  const bool by_threads_;  // threads copy planes ahead of their use
  Expr bulk_iterations_;   // number of iterations that use bulk copies
};

}  // namespace stencil::schedule
