// Cycles of steps whose launches have the same arguments.
#include <algorithm>
#include <map>
#include <numeric>

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

// Executes tiles as far as the roles of slots depend on it.
class Turns {
 public:
  explicit Turns(const kernel::Plan& plan) {
    for (const kernel::Array& array : plan.arrays) {
      std::vector<int>& of = slots_.emplace_back(static_cast<size_t>(array.copies));
      std::iota(of.begin(), of.end(), 0);
    }
    begin_ = slots_;
  }

  // Executes a tile of `count` steps. Returns false if it depends on more than this number, or if
  // the tiles are too many.
  bool take(const Tile& tile, int64_t count) {
    values_ = {{"count", count}};
    const int64_t before = tiles_;
    const bool known = body(tile.body);
    if (tiles_ == before) ++tiles_;
    return known && tiles_ <= kMostTiles;
  }
  bool are_back() const { return slots_ == begin_; }
  // The number of tiles so far. In steps that are cut into phases, those of the iterations.
  int64_t tiles() const { return tiles_; }

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
    }
    return true;
  }
  bool iterations(const For& loop) {
    if (!set(loop.name, loop.begin)) return false;
    for (auto end = value(loop.end); end && values_[loop.name] < *end;) {
      const int64_t before = tiles_;
      if (!body(loop.body)) return false;
      if (tiles_ == before) ++tiles_;  // of the innermost repeat
      if (tiles_ > kMostTiles) return false;
      if (loop.step) values_[loop.name] += value(loop.step).value_or(*end);
    }
    return true;
  }

  std::vector<std::vector<int>> slots_, begin_;  // the memory of each slot, by array
  std::map<std::string, int64_t> values_;        // of variables
  int64_t tiles_ = 0;
};

}  // namespace

int64_t steps_of_cycle(const Program& program, const kernel::Plan& plan) {
  const int64_t tile_steps = plan.time_tile, between = kernel::steps_of_period(plan);
  const Tile* tile = only_tile(program);
  if (!tile || !alike(plan, *tile) || between % tile_steps != 0) return 0;
  Turns turns(plan);
  int64_t steps = 0;
  do {
    for (int64_t done = 0; done < between; done += tile_steps) {
      if (!turns.take(*tile, tile_steps)) return 0;
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

}  // namespace stencil::host_ir
