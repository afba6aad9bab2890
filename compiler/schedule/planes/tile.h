// Where a block of a `planes` kernel is, and where versions are kept: names, tiles and chunks,
// rings, and the numbers of a stage. The lowest layer of the kernel (planes.cpp says what the whole
// does).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/schedule/parts/builder.h"
#include "compiler/schedule/parts/statements.h"
#include "compiler/schedule/planes/plan.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::BufferId;
using kernel::Expr;

// Where a version is kept.
struct PlanesRing {
  int64_t planes = 0;
  std::vector<BufferId> components;
  std::vector<Expr> version;  // its index in the buffers, where they hold several
};

class PlanesTile {
 public:
  PlanesTile(const ir::Program& program, const Schedule& schedule, const KernelOfSteps& kernel,
             PlanesPlan plan);

 protected:
  size_t rank() const { return static_cast<size_t>(interface_.rank()); }
  bool images(size_t d) const { return plan_.images[d]; }
  Expr low(size_t d) const { return interface_.low(program_.grid, static_cast<int>(d)); }
  Expr high(size_t d) const { return interface_.high(program_.grid, static_cast<int>(d)); }
  const PlanesVersion& version(int id) const { return plan_.versions[static_cast<size_t>(id)]; }
  const ir::Field& field_of(const PlanesVersion& v) const {
    return program_.fields[static_cast<size_t>(v.field)];
  }
  const ir::Function& function_of(const PlanesStage& stage) const {
    return program_.functions[stage.function];
  }
  int64_t lag_of(const PlanesVersion& made) const {
    return plan_.stages[static_cast<size_t>(made.stage)].lag;
  }
  static bool is_plain(const Expr& value) {
    return std::holds_alternative<kernel::IntegerLiteral>(value->kind) ||
           std::holds_alternative<kernel::Variable>(value->kind);
  }
  Expr let(Body& body, const std::string& wanted, const Expr& value);
  Expr constant(kernel::Module& module, const std::string& wanted, int64_t value,
                const std::string& why);
  void take_names();

  // --- Steps that are alike

  // One body serves all steps of a tile. Its stages are those of the last step, with numbers that
  // follow the variable `step`.

  // In a tile of fewer steps the first ones are left out.
  Expr left_out() const { return kernel::sub(literal(plan_.steps), step_count()); }
  // In a body for all steps, what the stage is in the others; null if it is in the last one alone.
  const PlanesStage* earlier(const PlanesStage& stage) const {
    return alike_ ? plan_.before(stage) : nullptr;
  }
  // base + sign * (a number of the stage)
  template <class Number>
  Expr shifted(const Expr& base, const PlanesStage& stage, int sign, const Number& number) const {
    const PlanesStage* before = earlier(stage);
    const int64_t now = sign * number(stage);
    const int64_t by = before ? now - sign * number(*before) : 0;
    Expr out = base;
    const Expr times = kernel::mul(kernel::variable(step_), literal(std::abs(by)));
    if (by > 0) out = kernel::add(out, times);
    if (by < 0) out = kernel::sub(out, times);
    return plus(out, now - by * stage.step);
  }
  static auto lag() {
    return [](const PlanesStage& stage) { return stage.lag; };
  }
  static auto below(size_t d) {
    return [d](const PlanesStage& stage) { return stage.computed[d].low; };
  }
  static auto above(size_t d) {
    return [d](const PlanesStage& stage) { return stage.computed[d].high; };
  }
  Expr step_of(const PlanesStage& stage) const {
    return alike_ ? kernel::variable(step_) : literal(stage.step);
  }

  // --- Tiles and chunks ---

  // Numbers them; afterwards origin_, begin_ and end_ say where a block is. Returns the number of
  // blocks.
  Expr cut(kernel::Module& module, Body& body);
  void place_tile(size_t d, const Expr& number, const Expr& core, const Expr& tiles, Body& body);
  void declare_rings(kernel::Module& module);
  void declare_ring(std::vector<int> versions);
  // The last step keeps nothing if nobody reads it, but the body is that of the others as well.
  std::vector<int> with_last(std::vector<int> versions) const;
  // Some stage reads the component of a version that has a ring, or it is written to memory.
  bool is_kept(int id, int component) const;

  // --- Points ---

  Expr image(size_t d) const;
  Expr local(size_t d) const {  // place in the tile
    if (plan_.cover[d] == 1) return literal(0);
    return kernel::variable("thread_" + axes_[d]);
  }
  Point places() const { return variables(places_); }
  Point points() const { return variables(points_); }
  static Point variables(const std::vector<std::string>& names) {
    Point out;
    for (const std::string& name : names) out.push_back(kernel::variable(name));
    return out;
  }

  // --- Values ---

  Expr time_of(const Expr& step) const;
  // The slot of the plane that a ring got so many iterations ago.
  Expr slot(const PlanesRing& ring, int64_t age) const;
  const PlanesRing& ring_of(int id) const { return rings_[static_cast<size_t>(id)]; }
  BufferId ring(int id, int component) const {
    return ring_of(id).components[static_cast<size_t>(component)];
  }
  // The thread's own place unless others are given, per tiled dimension.
  std::vector<Expr> ring_index(int id, const Expr& slot, const std::vector<Expr>& at) const;

  const ir::Program& program_;
  const Schedule& schedule_;
  const Interface& interface_;
  const PlanesPlan plan_;
  const bool alike_;  // one body serves all steps, and tiles of fewer steps as well
  KernelBuilder builder_;

  std::vector<std::string> axes_;    // z, y, x
  std::vector<std::string> points_;  // variables: coordinates of the point
  std::vector<std::string> places_;  // variables: the place that its image has, or the point's
  std::vector<std::string> values_;  // variables: by component
  std::string iteration_, step_, front_, side_;
  std::map<std::string, std::string> ends_;  // variables: ends of boxes, by what they are
  Expr first_, last_;                        // the step is the first, the last of the tile
  Point origin_;                             // place of a tile's first thread
  Point begin_, end_;  // what a tile writes: its first place, and the one after the last
  Point lengths_;      // of a tile
  std::vector<PlanesRing> rings_;  // per version
};

}  // namespace stencil::schedule
