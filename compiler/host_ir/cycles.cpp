// Launches that have the same arguments again: cycles of steps, and runs of launches within a step.
#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "compiler/host_ir/passes.h"
#include "compiler/kernel/evaluate.h"

namespace stencil::host_ir {

namespace {

const Tile* only_tile(const Program& program) {
  const Tile* found = nullptr;
  int tiles = 0;
  for_each_statement(program, [&](const Statement& statement) {
    const auto* tile = std::get_if<Tile>(&statement.kind);
    if (!tile) return;
    found = tile;
    ++tiles;
  });
  return tiles == 1 ? found : nullptr;
}

// True if nothing in the program makes one tile differ from another, except the slots.
bool alike(const kernel::Plan& plan, const Tile& tile) {
  if (plan.stop || tile.body.empty()) return false;
  for (const kernel::Reduction& reduction : plan.reductions) {
    if (kernel::is_sampled(reduction)) return false;
  }
  bool steady = true;
  for_each_statement(tile.body, [&](const Statement& statement) {
    const auto* launch = std::get_if<Launch>(&statement.kind);
    if (launch && launch->step) steady = false;
  });
  return steady;
}

// A cycle has a minimum length, so that replaying it is worth a call.
constexpr int64_t kTiles = 16, kMostTiles = 96;
// A graph takes memory for each launch.
constexpr int64_t kMostLaunches = 1024;

// Executes tiles as far as the roles of slots and the number of launches depend on it.
class Turns {
 public:
  Turns(const kernel::Plan& plan, int64_t most_tiles) : most_tiles_(most_tiles) {
    for (const kernel::Array& array : plan.arrays) {
      std::vector<int>& of = slots_.emplace_back(static_cast<size_t>(array.copies));
      std::iota(of.begin(), of.end(), 0);
    }
    begin_ = slots_;
  }

  // Executes statements of a tile of `count` steps. Returns false if they depend on more than this
  // number, or if the tiles are too many.
  bool take(const Body& statements, int64_t count) {
    values_ = {{"count", count}};
    const int64_t before = tiles_;
    const bool known = body(statements);
    if (tiles_ == before) ++tiles_;
    return known && tiles_ <= most_tiles_;
  }
  bool are_back() const { return slots_ == begin_; }
  // The number of tiles so far. In steps that are cut into phases, those of the iterations.
  int64_t tiles() const { return tiles_; }
  int64_t launches() const { return launches_; }

 private:
  std::optional<int64_t> value(const Expr& expr) const {
    return kernel::evaluate(expr, [&](const std::string& name) {
      const auto found = values_.find(name);
      return found == values_.end() ? std::nullopt : std::optional<int64_t>(found->second);
    });
  }
  bool set(const std::string& name, const Expr& expr) {
    const auto known = value(expr);
    if (known) values_[name] = *known;
    return known.has_value();
  }

  bool body(const Body& body) {
    return std::all_of(body.begin(), body.end(),
                       [&](const Statement& statement) { return execute(statement); });
  }
  bool execute(const Statement& statement) {
    if (const auto* rotate = std::get_if<Rotate>(&statement.kind)) {
      auto& of = slots_[static_cast<size_t>(rotate->array)];
      std::rotate(of.begin(), of.end() - 1, of.end());
    } else if (const auto* swap = std::get_if<Swap>(&statement.kind)) {
      auto& of = slots_[static_cast<size_t>(swap->array)];
      std::swap(of[static_cast<size_t>(swap->a)], of[static_cast<size_t>(swap->b)]);
    } else if (const auto* define = std::get_if<Define>(&statement.kind)) {
      return set(define->name, define->value);
    } else if (const auto* assign = std::get_if<Assign>(&statement.kind)) {
      return set(assign->name, assign->value);
    } else if (const auto* chosen = std::get_if<If>(&statement.kind)) {
      const auto holds = value(chosen->condition);
      return holds && body(*holds != 0 ? chosen->then : chosen->otherwise);
    } else if (const auto* loop = std::get_if<For>(&statement.kind)) {
      return iterations(*loop);
    } else if (std::holds_alternative<Launch>(statement.kind)) {
      ++launches_;
    } else {
      const auto bodies = bodies_of(statement);
      return std::all_of(bodies.begin(), bodies.end(),
                         [&](const Body* inner) { return body(*inner); });
    }
    return true;
  }
  bool iterations(const For& loop) {
    if (!set(loop.name, loop.begin)) return false;
    for (auto end = value(loop.end); end && values_[loop.name] < *end;) {
      const int64_t before = tiles_;
      if (!body(loop.body)) return false;
      if (tiles_ == before) ++tiles_;  // of the innermost repeat
      if (tiles_ > most_tiles_) return false;
      if (loop.step) values_[loop.name] += value(loop.step).value_or(*end);
    }
    return true;
  }

  std::vector<std::vector<int>> slots_, begin_;  // the memory of each slot, by array
  std::map<std::string, int64_t> values_;        // of variables
  const int64_t most_tiles_;
  int64_t tiles_ = 0, launches_ = 0;
};

// Removes tiles and blocks, so that the launches of a tile and of the reductions after it are in
// one body.
Body without_blocks(const Body& body) {
  Body out;
  for (const Statement& statement : body) {
    const bool groups = std::holds_alternative<Tile>(statement.kind) ||
                        std::holds_alternative<Block>(statement.kind);
    if (!groups) {
      out.push_back(statement);
      continue;
    }
    Body inner = without_blocks(*bodies_of(statement)[0]);
    const bool defines = std::any_of(inner.begin(), inner.end(), [](const Statement& one) {
      return std::holds_alternative<Define>(one.kind);
    });
    if (defines) {
      out.push_back({Block{std::move(inner)}});
    } else {
      std::move(inner.begin(), inner.end(), std::back_inserter(out));
    }
  }
  return out;
}

// Marks replays in the body of the loop over the steps.
class Marking {
 public:
  Marking(const Program& program, const kernel::Plan& plan) : program_(program), plan_(plan) {}

  bool marked_any() const { return marked_any_; }
  void mark(Body& body) {
    Body marked, run;
    int64_t launches = 0;
    const auto end_run = [&] {
      if (launches >= kFewestLaunches) {
        marked.push_back({Replay{std::move(run)}});
        marked_any_ = true;
      } else {
        std::move(run.begin(), run.end(), std::back_inserter(marked));
      }
      run.clear();
      launches = 0;
    };
    for (Statement& statement : body) {
      const auto more = launches_of(statement);
      if (!more || launches + *more > kMostLaunches) end_run();
      if (more) {
        launches += *more;
        run.push_back(std::move(statement));
      } else {
        for (Body* inner : bodies_of(statement)) mark(*inner);
        marked.push_back(std::move(statement));
      }
    }
    end_run();
    body = std::move(marked);
  }

 private:
  // The launches of a statement that can be replayed; nullopt: it cannot. Numbers of steps and
  // iterations in a tile are I32 and take few values. Variables that count steps are I64.
  std::optional<int64_t> launches_of(const Statement& statement) const {
    const Body body = {statement};
    if (std::holds_alternative<Define>(statement.kind) || !holds_only_launches(body)) return {};
    const std::set<std::string> inputs = inputs_of(body);
    for (const std::string& name : inputs) {
      const Variable& input = *program_.find(name);
      if (input.type != Scalar::I32 || input.kind != VariableKind::Local) return {};
    }
    bool assigns = false;
    for_each_statement(body, [&](const Statement& inner) {
      const auto* assign = std::get_if<Assign>(&inner.kind);
      assigns = assigns || (assign && inputs.count(assign->name) > 0);
    });
    if (assigns) return {};
    std::vector<int> sizes = plan_.tile_sizes;
    if (sizes.empty()) sizes = {plan_.time_tile};
    int64_t most = 0;
    for (const int size : sizes) {
      Turns turns(plan_, kMostLaunches);
      if (!turns.take(body, size) || turns.launches() > kMostLaunches) return {};
      most = std::max(most, turns.launches());
    }
    return most;
  }

  const Program& program_;
  const kernel::Plan& plan_;
  bool marked_any_ = false;
};

}  // namespace

int64_t steps_of_cycle(const Program& program, const kernel::Plan& plan) {
  const int64_t tile_steps = plan.time_tile, between = kernel::steps_of_period(plan);
  const Tile* tile = only_tile(program);
  if (!tile || !alike(plan, *tile) || between % tile_steps != 0) return 0;
  Turns turns(plan, kMostTiles);
  int64_t steps = 0;
  do {
    for (int64_t done = 0; done < between; done += tile_steps) {
      if (!turns.take(tile->body, tile_steps)) return 0;
    }
    steps += between;
  } while (!turns.are_back());
  return steps * ((kTiles + turns.tiles() - 1) / turns.tiles());
}

void set_cycle(Program& program, int64_t steps) {
  for (Statement& statement : program.steps) {
    auto* loop = std::get_if<For>(&statement.kind);
    if (loop && loop->is_over_steps()) loop->cycle = steps;
  }
}

bool holds_only_launches(const Body& body) {
  bool only = true;
  for_each_statement(body, [&](const Statement& statement) {
    const auto is = [&]<class... Kinds>() {
      return (std::holds_alternative<Kinds>(statement.kind) || ...);
    };
    const auto* launch = std::get_if<Launch>(&statement.kind);
    only &= launch ? launch->part == Part::All
                   : is.template operator()<Define, Assign, If, Block, For, Rotate, Swap>();
  });
  return only;
}

bool mark_replays(Program& program, const kernel::Plan& plan) {
  Marking marking(program, plan);
  for (Statement& statement : program.steps) {
    auto* loop = std::get_if<For>(&statement.kind);
    if (!loop || !loop->is_over_steps()) continue;
    Body body = without_blocks(loop->body);
    marking.mark(body);
    if (marking.marked_any()) loop->body = std::move(body);
  }
  return marking.marked_any();
}

}  // namespace stencil::host_ir
