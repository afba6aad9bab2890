// From the plan to its host program.
//
//   if (first == 0 && steps > 0) start: actions that run once
//   for (step = 0; step < steps; step += count) {
//     left = steps - step, limited to the steps until a reduction or the stop condition is due
//     count = the largest tile of at most `left` steps
//     tile: the actions, those of a repeat in a loop of their own
//     reductions that are due, and the stop condition
//   }
//
// If an exchange of halos counts tiles, all subdomains exchange after the same steps, so a loop
// over the tiles of a common tile stands between the two:
//
//   common = the largest common tile of at most `left` steps
//   if (tiles.0 == tiles_per_exchange) { exchange 0; tiles.0 = 0 }
//   ++tiles.0
//   for (end = step + common; step < end;) { count, tile, reductions as above }
//
// The loop over the iterations of a repeat has the same shape. There, the halo is also exchanged in
// the first iteration.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/host_ir/passes.h"
#include "compiler/kernel/passes.h"
#include "compiler/kernel/walk.h"

namespace stencil::host_ir {

namespace {

using kernel::integer;
using kernel::operation;

Expr equal(Expr a, int64_t value) {
  return operation(Op::Eq, {std::move(a), integer(value)});
}
Expr positive(Expr a) {
  return operation(Op::Gt, {std::move(a), integer(0)});
}

template <class Value>
bool takes(const kernel::Launch& launch) {
  return std::any_of(launch.scalars.begin(), launch.scalars.end(),
                     [](const auto& value) { return std::holds_alternative<Value>(value); });
}

// kernel::largest_tile as an expression.
Expr largest_tile(const kernel::Loop& loop, const Expr& left) {
  const std::vector<int>& sizes = loop.tile_sizes;
  const int whole = loop.time_tile;
  if (sizes.size() > 1) {
    Expr choice = integer(1);
    for (size_t i = sizes.size() - 1; i-- > 0;) {
      choice = operation(Op::Select,
                         {operation(Op::Ge, {left, integer(sizes[i])}), integer(sizes[i]), choice});
    }
    return choice;
  }
  if (whole == 1) return integer(1);
  return operation(Op::Select, {kernel::less(left, integer(whole)),
                                kernel::convert(left, Scalar::I32), integer(whole)});
}

// The common tiles of an exchange: they are halved until they fit.
kernel::Loop common_tiles(const kernel::HaloExchange& halo) {
  kernel::Loop tiles{static_cast<int>(halo.common_tile)};
  for (int size = tiles.time_tile; size > 0; size /= 2) tiles.tile_sizes.push_back(size);
  return tiles;
}

// Removes definitions that nothing in the body reads.
void drop_unread(Body& body) {
  for (Statement& statement : body) {
    for (Body* inner : bodies_of(statement)) drop_unread(*inner);
  }
  for (size_t i = body.size(); i-- > 0;) {
    const auto* define = std::get_if<Define>(&body[i].kind);
    if (!define) continue;
    Program rest;
    rest.steps.assign(body.begin() + static_cast<std::ptrdiff_t>(i) + 1, body.end());
    if (!reads(rest, define->name)) body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

class Lowering {
 public:
  Lowering(const kernel::Module& module, const Options& options)
      : module_(module), plan_(module.plan), options_(options) {
    if (options.answers_late) answer_point_ = kernel::answer_point(module);
  }

  Program run() {
    variables();
    begin();
    start(program_.steps);
    loop(program_.steps);
    end();
    for (Body* body : {&program_.begin, &program_.steps, &program_.end}) drop_unread(*body);
    return std::move(program_);
  }

 private:
  Expr variable(const std::string& name) const {
    return kernel::variable(name, program_.find(name)->type);
  }
  Expr declare(const std::string& name, Scalar type, VariableKind kind = VariableKind::Local) {
    if (!program_.find(name)) program_.variables.push_back({name, type, kind});
    return variable(name);
  }
  Expr define(Body& to, const std::string& name, Scalar type, Expr value) {
    to.push_back({Define{name, kernel::convert(std::move(value), type)}});
    return declare(name, type);
  }
  void assign(Body& to, const std::string& name, Expr value) {
    to.push_back({Assign{name, kernel::convert(std::move(value), program_.find(name)->type)}});
  }
  void increase(Body& to, const std::string& name, const Expr& by) {
    assign(to, name, kernel::add(variable(name), by));
  }

  void variables() {
    declare(kSteps, Scalar::I64, VariableKind::Input);
    if (!options_.starts_at_zero) declare(kFirst, Scalar::I64, VariableKind::Input);
    for (size_t r = 0; r < plan_.reductions.size(); ++r) {
      declare(evaluations_of(r), Scalar::I64, VariableKind::State);
    }
    if (plan_.stop) declare(kStopped, Scalar::Bool, VariableKind::State);
    if (answer_point_) declare(kAwaited, Scalar::Bool, VariableKind::State);
    declare_tiles(plan_);
    kernel::for_each_action(plan_, [&](const kernel::Action& action, const kernel::Loop&) {
      if (const auto* repeat = std::get_if<kernel::Repeat>(&action)) declare_tiles(*repeat);
    });
    declare(kStep, Scalar::I64);
  }

  void declare_tiles(const kernel::Loop& loop) {
    const kernel::HaloExchange* halo = kernel::counted_exchange(loop);
    if (halo) declare(tiles_since(halo->exchange), Scalar::I64, VariableKind::State);
  }

  // The index of a step: `step` counts from the beginning of the run.
  Expr absolute() const {
    if (in_start_) return integer(0, Scalar::I64);
    return options_.starts_at_zero ? variable(kStep)
                                   : kernel::add(variable(kFirst), variable(kStep));
  }

  // --- Before and after the steps

  void begin() {
    Body& to = program_.begin;
    for (size_t a = 0; a < plan_.arrays.size(); ++a) {
      const kernel::Array& array = plan_.arrays[a];
      const int index = static_cast<int>(a);
      const bool moving = kernel::changes_slots(plan_, index);
      to.push_back({Take{index}});
      for (int slot = array.levels; slot < array.copies; ++slot) {
        to.push_back({Alloc{{index, slot}}});
        to.push_back({Copy{index, slot, 0}});
      }
      // Moving levels to the caller's arrays is a permutation and needs a temporary copy.
      if (moving && array.copies == array.levels && array.levels > 1) {
        to.push_back({Alloc{{index, array.copies}}});
      }
      if (moving) to.push_back({Slots{index}});
    }
    for (size_t s = 0; s < plan_.scratch.size(); ++s) {
      to.push_back({Alloc{{static_cast<int>(s), kernel::kScratch}}});
    }
    if (answer_point_) to.push_back({Flag{}});
    for (size_t r = 0; r < plan_.reductions.size(); ++r) {
      const kernel::Reduction& reduction = plan_.reductions[r];
      if (!kernel::has_value(reduction) && reduction.first_nan == kernel::kNoScratch) continue;
      to.push_back({Restore{static_cast<int>(r)}});
    }
    for (size_t p = 0; p < plan_.point_sets.size(); ++p) {
      to.push_back({Place{static_cast<int>(p)}});
    }
  }

  void end() {
    Body& to = program_.end;
    for (size_t a = 0; a < plan_.arrays.size(); ++a) {
      const int index = static_cast<int>(a);
      const kernel::Array& array = plan_.arrays[a];
      if (array.written && array.copies > 1 && kernel::changes_slots(plan_, index)) {
        to.push_back({Home{index}});
      }
    }
    if (!plan_.reductions.empty()) to.push_back({Collect{}});
    to.push_back({Return{}});
  }

  // --- The start

  void start(Body& to) {
    if (plan_.start.actions.empty()) return;
    count_ = integer(1);
    Tile tile;
    in_start_ = true;
    actions(tile.body, plan_.start);
    in_start_ = false;
    // A run without steps leaves the start to the run that takes the first step.
    Expr first = positive(variable(kSteps));
    if (!options_.starts_at_zero) {
      first = operation(Op::And, {equal(variable(kFirst), 0), std::move(first)});
    }
    to.push_back({If{std::move(first), {{std::move(tile)}}}});
  }

  // --- The loop over the steps

  void loop(Body& to) {
    const bool reduces = !plan_.reductions.empty() || plan_.stop;
    const Index index{kStep, "count", "common", "end", Scalar::I64, reduces};
    to.push_back(
        {loop(plan_, index, variable(kSteps), [&](Body& body, const Expr& left, bool advances) {
          tile_and_reductions(body, left, advances);
        })});
    if (answer_point_) {
      to.push_back({If{variable(kAwaited), {{Answer{plan_.stop->result}}}}});
    }
  }

  // The variables of a loop over steps or iterations.
  struct Index {
    std::string name, count, common, end;
    Scalar type;
    bool reduces = false;  // tiles end where a reduction is due
  };

  // The loop over `all` steps of the plan or iterations of a repeat. `tile` appends a tile of at
  // most `left` of them; if it `advances`, it also increases the index.
  template <class Tile>
  For loop(const kernel::Loop& of, const Index& index, const Expr& all, const Tile& tile) {
    const Expr position = declare(index.name, index.type);
    For out{index.name, integer(0, index.type), all, nullptr, {}};
    const kernel::HaloExchange* halo = kernel::counted_exchange(of);
    const bool varies = of.tile_sizes.size() > 1 || index.reduces;
    Expr left = kernel::sub(all, position);
    if (index.reduces && of.time_tile > 1) left = limited(out.body, left);
    if (!halo) {
      if (!varies) out.step = integer(of.time_tile, index.type);
      tile(out.body, left, varies);
      return out;
    }
    const Expr common =
        define(out.body, index.common, Scalar::I32, largest_tile(common_tiles(*halo), left));
    exchange_after_tiles(out.body, *halo, &of == &plan_ ? nullptr : equal(position, 0));
    const Expr end = define(out.body, index.end, index.type, kernel::add(position, common));
    For tiles{index.name, position, end, nullptr, {}};
    tile(tiles.body, kernel::sub(end, position), true);
    out.body.push_back({std::move(tiles)});
    return out;
  }

  // Defines `left`: no more than the steps until a reduction or the stop condition is due
  // (kernel::steps_until_due).
  Expr limited(Body& to, const Expr& steps) {
    const Expr left = define(to, "left", Scalar::I64, steps);
    std::set<int64_t> periods;
    for (const kernel::Reduction& reduction : plan_.reductions) {
      if (!kernel::is_sampled(reduction)) periods.insert(reduction.every);
    }
    if (plan_.stop && plan_.stop->reductions.empty()) periods.insert(1);
    for (int64_t every : periods) {
      const Expr until_due =
          kernel::sub(integer(every), operation(Op::Mod, {absolute(), integer(every)}));
      Body limit;
      assign(limit, "left", until_due);
      to.push_back({If{operation(Op::Gt, {left, until_due}), std::move(limit)}});
    }
    return left;
  }

  // Exchanges the halo if it is due. `first`: it is also due under this condition; null: no.
  void exchange_after_tiles(Body& to, const kernel::HaloExchange& halo, const Expr& first) {
    const std::string name = tiles_since(halo.exchange);
    Expr due = equal(variable(name), halo.tiles_per_exchange);
    if (first) due = operation(Op::Or, {first, due});
    Body then = {{Exchange{static_cast<int>(halo.exchange)}}};
    assign(then, name, integer(0));
    to.push_back({If{due, std::move(then)}});
    increase(to, name, integer(1));
  }

  // `advances`: the body assigns the step.
  void tile_and_reductions(Body& to, const Expr& left, bool advances) {
    count_ = define(to, "count", Scalar::I32, largest_tile(plan_, left));
    const Expr by = plan_.time_tile == 1 ? integer(1) : count_;
    to.push_back({tile()});
    reductions(to, by);
    if (advances) increase(to, kStep, by);
    if (plan_.stop && !answer_point_) leave_if_stopped(to);
  }

  void leave_if_stopped(Body& to) { to.push_back({If{variable(kStopped), {{Leave{}}}}}); }

  // --- A tile

  Tile tile() {
    Tile tile;
    actions(tile.body, plan_);
    answer(tile.body, plan_.actions.size());
    return tile;
  }

  // The answer must be known before this action: the actions from here on cannot be undone.
  void answer(Body& to, size_t action) {
    if (answer_point_ != action) return;
    Body then = {{Answer{plan_.stop->result}}};
    leave_if_stopped(then);
    to.push_back({If{variable(kAwaited), std::move(then)}});
  }

  void repeat(Body& to, const kernel::Repeat& repeat) {
    const std::string depth = ++repeats_ == 1 ? "" : fmt::format("_{}", repeats_);
    const Index index{"iteration" + depth, "iterations" + depth, "common" + depth,
                      "iteration_end" + depth, Scalar::I32};
    to.push_back({loop(repeat, index, integer(repeat.iterations),
                       [&](Body& body, const Expr& left, bool advances) {
                         const Expr count =
                             define(body, index.count, Scalar::I32, largest_tile(repeat, left));
                         const Expr outer = std::exchange(count_, count);
                         actions(body, repeat);
                         count_ = outer;
                         if (advances) increase(body, index.name, count);
                       })});
    --repeats_;
  }

  void actions(Body& to, const kernel::Loop& loop) {
    for (size_t i = 0; i < loop.actions.size(); ++i) {
      if (&loop == &plan_) answer(to, i);
      action(to, loop.actions[i], loop.tile_sizes.size() > 1);
    }
  }

  // `sizes`: launches depend on the number of steps or iterations.
  void action(Body& to, const kernel::Action& action, bool sizes) {
    if (const auto* repeat = std::get_if<kernel::Repeat>(&action)) {
      return this->repeat(to, *repeat);
    }
    Body body;
    Expr condition;
    if (const auto* launched = std::get_if<kernel::Launch>(&action)) {
      if (sizes && launched->steps != 0) condition = equal(count_, launched->steps);
      launch(body, *launched);
    } else if (const auto* rotate = std::get_if<kernel::Rotate>(&action)) {
      if (rotate->steps > 1) condition = operation(Op::Ge, {count_, integer(rotate->steps)});
      body.push_back({Rotate{rotate->array}});
    } else if (const auto* swap = std::get_if<kernel::SwapSlots>(&action)) {
      body.push_back({Swap{swap->array, swap->a, swap->b}});
    } else if (const auto& halo = std::get<kernel::HaloExchange>(action); halo.common_tile == 0) {
      body.push_back({Exchange{static_cast<int>(halo.exchange)}});
    }
    if (condition) {
      to.push_back({If{condition, std::move(body)}});
    } else {
      std::move(body.begin(), body.end(), std::back_inserter(to));
    }
  }

  void launch(Body& to, const kernel::Launch& launch) {
    to.push_back({Launch{&launch, takes<kernel::FirstStep>(launch) ? absolute() : nullptr,
                         takes<kernel::StepCount>(launch) ? count_ : nullptr}});
    if (launch.exchange != kernel::kNoExchange) to.push_back({Exchange{launch.exchange}});
  }

  // --- Reductions

  // Evaluates the reductions due at the end of the tile, and the stop condition. `by`: the steps of
  // the tile.
  void reductions(Body& to, const Expr& by) {
    if (plan_.reductions.empty() && !plan_.stop) return;
    const Expr done = define(to, "done", Scalar::I64, kernel::add(absolute(), by));
    for (size_t r = 0; r < plan_.reductions.size(); ++r) {
      const kernel::Reduction& reduction = plan_.reductions[r];
      const Expr every = integer(reduction.every, Scalar::I64);
      if (reduction.in_step) {  // already computed within the step
        increase(to, evaluations_of(r), integer(1));
        continue;
      }
      const bool always = reduction.every == 1;
      Expr due = operation(Op::Eq, {operation(Op::Mod, {done, every}), integer(0)});
      Expr evaluated = integer(1);
      if (kernel::is_sampled(reduction)) {
        evaluated = always ? count_
                           : kernel::sub(operation(Op::Div, {done, every}),
                                         operation(Op::Div, {kernel::sub(done, count_), every}));
        due = positive(evaluated);
      }
      Body body;
      for (const kernel::Launch& launch : reduction.launches) this->launch(body, launch);
      increase(body, evaluations_of(r), evaluated);
      to.push_back(always ? Statement{Block{std::move(body)}}
                          : Statement{If{due, std::move(body)}});
    }
    if (plan_.stop) stop(to, *plan_.stop, done);
  }

  // The condition is evaluated if one of its reductions was just evaluated and all have values.
  void stop(Body& to, const kernel::Stop& stop, const Expr& done) {
    std::set<int64_t> periods;
    std::vector<Expr> conditions;
    for (int r : stop.reductions) {
      periods.insert(plan_.reductions[r].every);
      if (stop.reductions.size() == 1) continue;  // just evaluated
      conditions.push_back(positive(variable(evaluations_of(static_cast<size_t>(r)))));
    }
    if (!periods.count(1) && !periods.empty()) {
      Expr due = kernel::boolean(false);
      for (int64_t every : periods) {
        const Expr rest = operation(Op::Mod, {done, integer(every)});
        due = operation(Op::Or, {due, equal(rest, 0)});
      }
      conditions.insert(conditions.begin(), due);
    }
    Body body;
    launch(body, stop.launch);
    body.push_back(answer_point_ ? Statement{Ask{stop.result}} : Statement{Read{stop.result}});
    if (conditions.empty()) {
      std::move(body.begin(), body.end(), std::back_inserter(to));
    } else {
      to.push_back({If{kernel::all_of(conditions), std::move(body)}});
    }
  }

  const kernel::Module& module_;
  const kernel::Plan& plan_;
  const Options& options_;
  std::optional<size_t> answer_point_;
  Program program_;
  Expr count_;  // steps or iterations of the enclosing tile
  bool in_start_ = false;
  int repeats_ = 0;  // in which the current action stands
};

}  // namespace

Program lower(const kernel::Module& module, const Options& options) {
  Program program = Lowering(module, options).run();
  if (!options.replays) return program;
  if (!mark_replays(program, module.plan) && module.plan.reductions.empty()) {
    set_cycle(program, steps_of_cycle(program, module.plan));
  }
  return program;
}

}  // namespace stencil::host_ir
