// Values that a thread of a streaming kernel keeps: queues of planes in registers, published rows
// that other threads read, and the shared-memory rings that copies fill.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/streaming/context.h"
#include "compiler/schedule/streaming/resources.h"

namespace stencil::schedule {

// An element of a buffer.
struct Element {
  BufferId buffer;
  std::vector<Expr> index;
};

class StreamQueues {
 public:
  // Declares the buffers.
  explicit StreamQueues(const StreamContext& context);

  // The value at a row and column of the patch (or beside it) in the plane of this age.
  Element at(int id, const Expr& age, const Expr& row, const Expr& column) const;
  // The value at the patch's current point in the plane of this age.
  Element current(int id, int age) const {
    return at(id, literal(age), context_.row(), context_.column());
  }
  // The ring's element for the patch's current row, starting at `element`, in the plane that
  // becomes the front `ahead` iterations after iteration n.
  Element copied(int id, const Expr& n, int ahead, const Expr& element) const {
    return copied_of(id, n, ahead, context_.thread(1), context_.row(), element);
  }
  BufferId ring(int id) const { return queues_[id].ring; }

  // Publishes the plane's rows that other threads read, once the plane is ready.
  Body publish(int id) const;
  // Fetches the cells beside the patch that are read at this age.
  Body fetch(int id, int age) const;
  // Moves all planes on by one age.
  Body move() const;

 private:
  struct Queue {
    BufferId registers = -1;
    BufferId rows = -1;  // published rows, in shared memory
    BufferId ring = -1;  // prefetched planes, in shared memory
    QueuePlane plane;
    std::vector<Expr> version;       // index among the queues of its series, if there are several
    std::vector<Expr> rows_version;  // index among the queues that publish rows
  };
  void declare_registers(const QueueSeries& series, const std::string& name);
  void declare_rows(const QueueSeries& series, const std::string& name);
  void declare_ring(int id);
  // An element of a row of the patch of the thread `owner` in y.
  Element copied_of(int id, const Expr& n, int ahead, const Expr& owner, const Expr& row,
                    const Expr& element) const;
  Element published(int id, int iterations_ago, const Expr& owner, int64_t number,
                    int column) const;
  bool fetched_alike(const Quantity& q, int age, const Cells::value_type& row, int other) const;
  Body fetch_row(int id, int age, int row) const;
  Body fetch_columns(int id, int age, int first_row, int count, const Sides& sides) const;
  Body move_plane(int id, int age) const;

  const StreamContext& context_;
  const StreamPlan& plan_;
  const std::vector<QueueSeries> series_;
  std::vector<Queue> queues_;  // by quantity
};

Expr load(const Element& from, Scalar type);
kernel::Statement store(Element to, Expr value);
kernel::Statement copy(Element to, Element from, int length);

}  // namespace stencil::schedule
