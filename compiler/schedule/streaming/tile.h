// Where a block of a streaming kernel is: its tile, its chunk of planes, and the part of its work
// that needs no tests. The lowest layer of the kernel (kernel.cpp says what the whole does).
#pragma once

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/kernel/passes.h"
#include "compiler/schedule/parts/builder.h"
#include "compiler/schedule/parts/statements.h"
#include "compiler/schedule/streaming/chunks.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::BufferId;
using kernel::Expr;

class StreamTile {
 public:
  StreamTile(const ir::Program& program, const Schedule& schedule, const KernelOfSteps& kernel,
             StreamPlan plan);

 protected:
  bool flat() const { return plan_.rank == 2; }  // rows are streamed; a row of threads is a tile
  int rank() const { return plan_.rank; }
  size_t x_dimension() const { return static_cast<size_t>(plan_.rank) - 1; }
  const ir::Field& field_of(const Quantity& q) const {
    return program_.fields[static_cast<size_t>(q.field)];
  }
  const Quantity& quantity(int id) const { return plan_.quantities[static_cast<size_t>(id)]; }
  void take_names();
  Expr low(int d) const { return interface_.low(program_.grid, d); }
  Expr high(int d) const { return interface_.high(program_.grid, d); }
  Expr let(Body& body, const std::string& wanted, const Expr& value);
  // Numbers the tiles and chunks: afterwards tile_, first_plane_ and last_plane_ say where a block
  // is. Returns the number of blocks.
  Expr cut(kernel::Module& module);
  // Numbers the chunks of the first and the last group of tiles before all others: sets tile_[0],
  // the number of the block's chunk and its length, and returns the number of blocks.
  Expr set_edges_apart(const Chunks& chunks, Expr* chunk, const Expr& edge_chunk, Expr* number);
  Expr tile_number(int axis) const {
    return flat() ? kernel::add(tile_[0], thread(1)) : tile_[static_cast<size_t>(axis)];
  }
  // Places beyond the grid are images of points on the far side, in this dimension.
  bool images(int d) const { return plan_.images[static_cast<size_t>(d)]; }
  // The coordinate of the point at a place of the tile: its own, or that of what it is an image of.
  Expr image(int d, const Expr& place) const;
  Expr origin_of(int axis, const Expr& tile) const;
  Expr thread(int axis) const;
  // The first column or row of the thread's patch.
  Expr first_point(int axis) const;
  struct Interval {  // coordinates; null: no limit
    Expr low, high;
    Interval() = default;
    Interval(Expr first, Expr last) : low(std::move(first)), high(std::move(last)) {}
    std::set<std::string> limits;  // as text: each is taken once
    void raise(const Expr& to) {
      if (limits.insert("low " + kernel::print(to)).second) low = low ? larger(low, to) : to;
    }
    void lower(const Expr& to) {
      if (limits.insert("high " + kernel::print(to)).second) high = high ? smaller(high, to) : to;
    }
  };
  // The piece that covers nearly all of the grid; -1 if there is none.
  int main_piece(const StreamStage& stage) const;
  // The points of dimension d at which a stage can do without tests: all its tile's points must
  // lie there.
  void limit(const StreamStage& stage, int d, Interval& inside) const;
  // A stage without a main piece is left alone inside the grid: the tile misses each of its pieces
  // in some tiled dimension, or the planes miss it.
  void avoid(const StagePiece& piece, int lag, Interval& fronts) const;
  std::vector<Interval> tile_points() const;
  // In the tiled dimensions.
  Expr tile_is_inside() const;
  // In the streamed dimension, for the plane of the front.
  Interval fronts_inside() const;
  // The body for every value of a loop variable; the variable is `name`, or 0 for a single one.
  static Expr counter(const std::string& name, int count) {
    return count == 1 ? literal(0) : kernel::variable(name);
  }
  static Body counted(const std::string& name, int count, Body body);
  Expr row() const { return counter(row_, plan_.patch[1]); }
  Expr column() const { return counter(column_, plan_.patch[0]); }
  Body for_each_point(Body body) const {
    return counted(row_, plan_.patch[1], counted(column_, plan_.patch[0], std::move(body)));
  }
  static kernel::Statement threads(Body body) { return {kernel::Threads{std::move(body)}}; }
  Expr passed() const {  // iterations so far
    return kernel::add(kernel::variable(iteration_), counter(unrolled_, plan_.unroll));
  }
  // A value or a condition as tests make it, and where none is needed.
  Expr unless_inside(const Expr& tested, const Expr& inside) const {
    const bool same = kernel::print(tested) == kernel::print(inside);
    return same ? inside : select(inside_, inside, tested);
  }
  Expr unless_inside(const Expr& test) const { return kernel::operation(Op::Or, {inside_, test}); }
  // In a tile of fewer steps than the kernel has, the first ones are left out: they change nothing.
  bool leaves_out_steps() const { return leaves_out_steps_; }
  Expr left_out() const { return kernel::sub(literal(plan_.steps), step_count()); }
  // The step is done, in any tile or in this one.
  Expr is_done(int step) const {
    if (!leaves_out_steps()) return kernel::boolean(true);
    return kernel::operation(Op::Or, {whole_, kernel::less_equal(left_out(), literal(step))});
  }
  Expr time_of(const Expr& step) const {
    if (!leaves_out_steps()) return kernel::add(first_step(), step);
    const Expr done = larger(kernel::sub(step, left_out()), literal(0));
    return kernel::add(first_step(), select(whole_, step, done));
  }
  // The coordinates of the thread's patch, found once.
  Body declare_patch();
  Expr first(int axis) const {
    return kernel::load(first_[static_cast<size_t>(axis)], {}, Scalar::I32);
  }
  void append_inside(const Expr& at, const ir::Box& box, int d, std::vector<Expr>& to) const;
  // The place belongs to the tile's core; the first and last tile also own what lies beyond it,
  // unless that is images.
  std::vector<Expr> core_conditions(int axis, const Expr& at) const;

  const ir::Program& program_;
  const Schedule& schedule_;
  const Interface& interface_;
  const StreamPlan plan_;
  const bool leaves_out_steps_;
  KernelBuilder builder_;
  Body body_;
  std::vector<std::string> axes_, point_names_;
  std::vector<BufferId> first_;  // per axis, x first: the patch's first coordinate
  std::string front_, iteration_, unrolled_, step_, tests_, row_, column_, age_;
  std::array<Expr, 2> core_, tile_, last_tile_;  // per axis, x first
  Expr first_plane_, last_plane_, front_begin_;
  Expr inside_tile_;
  // What is being written needs no tests, or leaves out no step. In the body, that is known of its
  // versions.
  Expr inside_ = kernel::boolean(false);
  Expr whole_ = kernel::boolean(false);
};

}  // namespace stencil::schedule
