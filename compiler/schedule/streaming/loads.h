// How planes come from memory into the queues of a streaming kernel: by loads into registers, or
// through rings in shared memory, which threads fill one by one or hardware a tile at a time.
#pragma once

#include "compiler/schedule/streaming/queues.h"
#include "compiler/schedule/streaming/tile.h"

namespace stencil::schedule {

class StreamLoads {
 public:
  StreamLoads(const StreamContext& context, const StreamTile& tile, const StreamQueues& queues);

  // Ahead of the loop over so many planes: starts the copies of the first ones, in iterations
  // -prefetch .. -1 so to speak.
  Body start(const Expr& iterations);
  // Brings the front plane of every field that is read into its queue, and starts the copies of
  // the plane that is `prefetch` iterations ahead.
  Body load_front(const Tests& tests);

 private:
  // Starts the copies of the plane that becomes the front `ahead` iterations after iteration n.
  Body copy_ahead(const Tests& tests, const Expr& n, int ahead) const;
  // The same for bulk copies, which bring the tile's part of every field.
  Body copy_in_bulk(const Expr& n) const;
  kernel::BulkCopy bulk_copy(int id, const Expr& n, int row) const;
  Body take_copied(int id) const;
  Expr source(const Tests& tests, const Expr& place, const Quantity& q, int d,
              int64_t length) const;
  // Loads a plane, vector by vector: `to` says where the one of a column goes. If that is `async`,
  // the plane may lie beyond the field while the front is still inside.
  template <class To>
  Body load_plane(const Tests& tests, int id, const Expr& plane, bool async, const To& to) const;

  const StreamContext& context_;
  const StreamPlan& plan_;
  const StreamTile& tile_;
  const StreamQueues& queues_;
  const bool by_threads_;  // threads copy planes ahead
  Expr bulk_iterations_;   // so many bring planes by bulk copies
};

}  // namespace stencil::schedule
