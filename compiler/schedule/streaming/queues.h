// What a thread of a streaming kernel keeps: queues of planes in registers, how planes come from
// memory into them, and how neighbours' values get beside a patch.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "compiler/schedule/streaming/resources.h"
#include "compiler/schedule/streaming/tile.h"

namespace stencil::schedule {

class StreamQueues : public StreamTile {
 public:
  using StreamTile::StreamTile;

 protected:
  struct Queue {
    BufferId registers = -1;
    BufferId rows = -1;    // published, in shared memory
    BufferId staged = -1;  // on their way from memory, in shared memory
    QueuePlane plane;
    std::vector<Expr> version;  // its index among the queues of its series, if these are several
    std::vector<Expr> rows_version;  // likewise among those that publish rows
  };
  void declare_queues();
  void declare_registers(const QueueSeries& series, const std::string& name);
  void declare_rows(const QueueSeries& series, const std::string& name);
  void declare_staged(int id);
  std::string stem(const Quantity& q) const;  // of names
  // Index of a point of the patch (or beside it) in a queue.
  std::vector<Expr> place(int id, const Expr& age, const Expr& row, const Expr& column) const;
  // Rows of the field start, and tiles cut them, at multiples of a vector.
  int global_vector_length(const Quantity& q) const;
  Body load_front();
  bool any_staged() const;
  // Starts the copies of the plane that becomes the front `ahead` iterations after iteration `n`.
  Body stage_ahead(const Expr& n, int ahead);
  // The same for bulk copies, which bring the tile's part of every field; there is nothing to bring
  // once `iterations` have theirs, since a block must not leave before all has arrived.
  Body stage_in_bulk(const Expr& n, const Expr& iterations);
  kernel::BulkCopy bulk_copy(int id, const Expr& n, int tile);
  // The first planes, before the loop: iterations -prefetch .. -1 so to speak.
  Body stage_first(const Expr& iterations);
  // A thread reads what it copied itself, so nobody has to wait for anybody; what came in bulk has
  // been awaited.
  Body take_staged(int id) const;
  // The slot of the plane that becomes the front `ahead` iterations after iteration n.
  static Expr staged_slot(const Quantity& q, const Expr& n, int ahead);
  std::vector<Expr> staged_place(const Quantity& q, const Expr& n, int ahead,
                                 const Expr& element) const;
  // An element of the row `row` of the patch of the thread `owner` in y.
  std::vector<Expr> staged_place(const Expr& slot, const Expr& owner, const Expr& row,
                                 const Expr& element) const;
  // Beyond the field the nearest point is loaded instead, or in x the nearest of the vectors that
  // its rows are cut into; nobody reads it there.
  Expr nearest(const Expr& at, const Quantity& q, size_t d, int64_t length) const;
  // Where `length` places in a row are loaded from: images from the point itself. `ahead`: the
  // plane may lie beyond the field while the front is still inside.
  Expr source(const Expr& place, const Quantity& q, size_t d, int64_t length, bool ahead) const;
  // Loads a plane into the queue, or starts its copy into the slot for `ahead` iterations after n.
  Body load_plane(int id, const Expr& plane, const Expr& n = nullptr, int ahead = 0);
  Expr slot(const Quantity& q, int iterations_ago) const;
  // Publishes the rows of the plane that is just ready, if others read them.
  void publish(int id, Body& out);
  static int floor_div(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
  // Brings in the cells beside the patch that are read when a plane has this age.
  Body fetch(int id, int age);
  // A row of the threads above or below; at the tile's end, where nobody needs it, one's own.
  Body fetch_row(int id, int age, int row) const;
  Body fetch_columns(int id, int age, int first_row, int count, const Sides& sides) const;
  Body move_queues() const;
  Body move_plane(int id, int age) const;

  Expr bulk_iterations_;  // iterations that bulk copies bring planes for
  std::vector<QueueSeries> series_;
  std::vector<Queue> queues_;  // by quantity
  std::set<std::pair<int, int>> fetched_;
};

}  // namespace stencil::schedule
