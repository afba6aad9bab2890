// From the plan to its host program.
//
//   for (step = 0; step < steps; step += count) {
//     left = steps - step, limited to the steps until a reduction or the stop condition is due
//     count = the largest tile of at most `left` steps
//     tile: the actions, those of a repeat in a loop of their own
//     reductions that are due, and the stop condition
//   }
//
// In a subdomain whose steps are not cut into phases, all subdomains exchange halos after the same
// steps, so a loop over the tiles of a common tile stands between the two:
//
//   common = the largest common tile of at most `left` steps
//   if (tiles.0 == tiles_per_exchange) { exchange; tiles.0 = 0 }
//   ++tiles.0
//   for (end = step + common; step < end;) { count, tile, reductions as above }
//
// Halos of a repeat follow the same rule, and are also exchanged in its first iteration. Halos of
// other phases are exchanged before their action, in every step.
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
Expr largest_tile(int whole, const std::vector<int>& sizes, const Expr& left) {
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

// The sizes of a common tile: it is halved until it fits.
std::vector<int> halved(int64_t common_tile) {
  std::vector<int> sizes;
  for (; common_tile > 0; common_tile /= 2) sizes.push_back(static_cast<int>(common_tile));
  return sizes;
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
    for (size_t h = 0; h < plan_.halo_exchanges.size(); ++h) {
      if (counts_tiles(plan_.halo_exchanges[h])) {
        declare(tiles_since(h), Scalar::I64, VariableKind::State);
      }
    }
    declare(kStep, Scalar::I64);
  }

  // The index of a step: `step` counts from the beginning of the run.
  Expr absolute() const {
    return options_.starts_at_zero ? variable(kStep)
                                   : kernel::add(variable(kFirst), variable(kStep));
  }

  // --- Before and after the steps

  bool moves(size_t array) const {
    return std::any_of(plan_.actions.begin(), plan_.actions.end(), [&](const auto& action) {
      const auto* rotate = std::get_if<kernel::Rotate>(&action);
      const auto* swap = std::get_if<kernel::SwapSlots>(&action);
      const int moved = rotate ? rotate->array : swap ? swap->array : kernel::kNoArray;
      return moved == static_cast<int>(array);
    });
  }

  void begin() {
    Body& to = program_.begin;
    for (size_t a = 0; a < plan_.arrays.size(); ++a) {
      const kernel::Array& array = plan_.arrays[a];
      const int index = static_cast<int>(a);
      const bool moving = moves(a);
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
      if (plan_.arrays[a].written && plan_.arrays[a].copies > 1 && moves(a)) {
        to.push_back({Home{static_cast<int>(a)}});
      }
    }
    if (!plan_.reductions.empty()) to.push_back({Collect{}});
    to.push_back({Return{}});
  }

  // --- The loop over the steps

  void loop(Body& to) {
    const bool reduces = !plan_.reductions.empty() || plan_.stop;
    const bool common = std::any_of(plan_.halo_exchanges.begin(), plan_.halo_exchanges.end(),
                                    [](const auto& halo) { return !halo.each_step; });
    For steps{kStep, integer(0, Scalar::I64), variable(kSteps), nullptr, {}};
    const bool varies = plan_.tile_sizes.size() > 1 || reduces || common;
    if (!varies) steps.step = integer(plan_.time_tile, Scalar::I64);
    Expr left = kernel::sub(variable(kSteps), variable(kStep));
    if (reduces && plan_.time_tile > 1) left = limited(steps.body, left);
    if (common) {
      tiles_of_common_tile(steps.body, left);
    } else {
      tile_and_reductions(steps.body, left, varies);
    }
    to.push_back({std::move(steps)});
    if (answer_point_) {
      to.push_back({If{variable(kAwaited), {{Answer{plan_.stop->result}}}}});
    }
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

  void tiles_of_common_tile(Body& to, const Expr& left) {
    Expr common = left;
    for (size_t h = 0; h < plan_.halo_exchanges.size(); ++h) {
      const std::vector<int> sizes = halved(plan_.halo_exchanges[h].common_tile);
      common = define(to, h == 0 ? "common" : "common." + std::to_string(h), Scalar::I32,
                      largest_tile(sizes.front(), sizes, common));
      exchange_after_tiles(to, h, nullptr);
    }
    const Expr end = define(to, "end", Scalar::I64, kernel::add(variable(kStep), common));
    For tiles{kStep, variable(kStep), end, nullptr, {}};
    tile_and_reductions(tiles.body, kernel::sub(end, variable(kStep)), true);
    to.push_back({std::move(tiles)});
  }

  // Exchanges the halo if it is due. `first`: it is also due under this condition; null: no.
  void exchange_after_tiles(Body& to, size_t h, const Expr& first) {
    const kernel::HaloExchange& halo = plan_.halo_exchanges[h];
    const std::string name = tiles_since(h);
    Expr due = equal(variable(name), halo.tiles_per_exchange);
    if (first) due = operation(Op::Or, {first, due});
    Body then = {{Exchange{static_cast<int>(halo.exchange)}}};
    assign(then, name, integer(0));
    to.push_back({If{due, std::move(then)}});
    increase(to, name, integer(1));
  }

  // `advances`: the body assigns the step.
  void tile_and_reductions(Body& to, const Expr& left, bool advances) {
    const int whole = plan_.time_tile;
    count_ = define(to, "count", Scalar::I32, largest_tile(whole, plan_.tile_sizes, left));
    const Expr by = whole == 1 ? integer(1) : count_;
    to.push_back({tile()});
    reductions(to, by);
    if (advances) increase(to, kStep, by);
    if (plan_.stop && !answer_point_) leave_if_stopped(to);
  }

  void leave_if_stopped(Body& to) { to.push_back({If{variable(kStopped), {{Leave{}}}}}); }

  // --- A tile

  Tile tile() {
    Tile tile;
    for (const kernel::ActionRange& range : kernel::action_ranges(plan_)) {
      if (range.repeat) {
        repeat(tile.body, range);
      } else {
        actions(tile.body, range, plan_.tile_sizes);
      }
    }
    each_step(tile.body, plan_.actions.size());
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

  void each_step(Body& to, size_t action) {
    for (const kernel::HaloExchange& halo : plan_.halo_exchanges) {
      if (!halo.each_step || halo.action != action) continue;
      to.push_back({Exchange{static_cast<int>(halo.exchange)}});
    }
  }

  bool within(const kernel::HaloExchange& halo, size_t first, size_t end) const {
    return halo.action >= first && halo.action < end;
  }
  // True if the number of tiles since the exchange decides when it is due.
  bool counts_tiles(const kernel::HaloExchange& halo) const {
    return !halo.each_step ||
           std::any_of(plan_.repeats.begin(), plan_.repeats.end(),
                       [&](const auto& repeat) { return within(halo, repeat.first, repeat.end); });
  }

  void repeat(Body& to, const kernel::ActionRange& range) {
    const kernel::Repeat& repeat = *range.repeat;
    const bool sizes = repeat.tile_sizes.size() > 1;
    const Expr iteration = declare("iteration", Scalar::I32);
    const Expr all = integer(repeat.iterations);
    For loop{"iteration", integer(0), all, nullptr, {}};
    Expr common;
    for (size_t h = 0; h < plan_.halo_exchanges.size(); ++h) {
      const kernel::HaloExchange& halo = plan_.halo_exchanges[h];
      if (!within(halo, range.first, range.end)) continue;
      const std::vector<int> tiles = halved(halo.common_tile);
      common =
          define(loop.body, "common." + std::to_string(h), Scalar::I32,
                 largest_tile(tiles.front(), tiles, common ? common : kernel::sub(all, iteration)));
      exchange_after_tiles(loop.body, h, equal(iteration, 0));
    }
    if (common) {
      const Expr end = define(loop.body, "end", Scalar::I32, kernel::add(iteration, common));
      For tiles{"iteration", iteration, end, nullptr, {}};
      iterations(tiles.body, range, kernel::sub(end, iteration), true);
      loop.body.push_back({std::move(tiles)});
    } else {
      if (!sizes) loop.step = integer(repeat.time_tile);
      iterations(loop.body, range, kernel::sub(all, iteration), sizes);
    }
    to.push_back({std::move(loop)});
  }

  void iterations(Body& to, const kernel::ActionRange& range, const Expr& left, bool advances) {
    const kernel::Repeat& repeat = *range.repeat;
    const Expr count = define(to, "iterations", Scalar::I32,
                              largest_tile(repeat.time_tile, repeat.tile_sizes, left));
    const Expr outer = std::exchange(count_, count);
    actions(to, range, repeat.tile_sizes);
    count_ = outer;
    if (advances) increase(to, "iteration", count);
  }

  void actions(Body& to, const kernel::ActionRange& range, const std::vector<int>& sizes) {
    for (size_t i = range.first; i < range.end; ++i) {
      answer(to, i);
      if (!range.repeat) each_step(to, i);
      action(to, plan_.actions[i], sizes.size() > 1);
    }
  }

  // `sizes`: launches depend on the number of steps or iterations.
  void action(Body& to, const kernel::Action& action, bool sizes) {
    Body body;
    Expr condition;
    if (const auto* launched = std::get_if<kernel::Launch>(&action)) {
      if (sizes && launched->steps != 0) condition = equal(count_, launched->steps);
      launch(body, *launched);
    } else if (const auto* rotate = std::get_if<kernel::Rotate>(&action)) {
      if (rotate->steps > 1) condition = operation(Op::Ge, {count_, integer(rotate->steps)});
      body.push_back({Rotate{rotate->array}});
    } else {
      const auto& swap = std::get<kernel::SwapSlots>(action);
      body.push_back({Swap{swap.array, swap.a, swap.b}});
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
};

}  // namespace

Program lower(const kernel::Module& module, const Options& options) {
  return Lowering(module, options).run();
}

}  // namespace stencil::host_ir
