// Cycles of steps whose launches have the same arguments.
#include <algorithm>
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
    if (std::holds_alternative<For>(statement.kind)) steady = false;
  });
  return steady;
}

// Which memory each slot has, by array.
using SlotOrder = std::vector<std::vector<int>>;

// Executes the rotations and swaps of a tile of `count` steps.
void turn(const Body& body, int64_t count, SlotOrder& slots) {
  const auto value = [&](const std::string& name) -> std::optional<int64_t> {
    return name == "count" ? std::optional(count) : std::nullopt;
  };
  for (const Statement& statement : body) {
    if (const auto* rotate = std::get_if<Rotate>(&statement.kind)) {
      auto& of = slots[static_cast<size_t>(rotate->array)];
      std::rotate(of.begin(), of.end() - 1, of.end());
    } else if (const auto* swap = std::get_if<Swap>(&statement.kind)) {
      auto& of = slots[static_cast<size_t>(swap->array)];
      std::swap(of[static_cast<size_t>(swap->a)], of[static_cast<size_t>(swap->b)]);
    } else if (const auto* chosen = std::get_if<If>(&statement.kind)) {
      const bool holds = kernel::evaluate(chosen->condition, value).value_or(0) != 0;
      turn(holds ? chosen->then : chosen->otherwise, count, slots);
    } else {
      for (const Body* inner : bodies_of(statement)) turn(*inner, count, slots);
    }
  }
}

}  // namespace

int64_t steps_of_cycle(const Program& program, const kernel::Plan& plan) {
  // A cycle has a minimum length, so that replaying it is worth a call.
  constexpr int64_t kTiles = 16, kMostTiles = 96;
  const int64_t tile_steps = plan.time_tile, between = kernel::steps_of_period(plan);
  const Tile* tile = only_tile(program);
  if (!tile || !alike(plan, *tile) || between % tile_steps != 0) return 0;
  SlotOrder slots;
  for (const kernel::Array& array : plan.arrays) {
    std::vector<int>& of = slots.emplace_back(static_cast<size_t>(array.copies));
    std::iota(of.begin(), of.end(), 0);
  }
  const SlotOrder begin = slots;
  int64_t steps = 0;
  do {
    for (int64_t done = 0; done < between; done += tile_steps) turn(tile->body, tile_steps, slots);
    steps += between;
  } while (slots != begin);
  const int64_t tiles = steps / tile_steps;
  return tiles > kMostTiles ? 0 : steps * ((kTiles + tiles - 1) / tiles);
}

void set_cycle(Program& program, int64_t steps) {
  for (Statement& statement : program.steps) {
    auto* loop = std::get_if<For>(&statement.kind);
    if (loop && loop->is_over_steps()) loop->cycle = steps;
  }
}

}  // namespace stencil::host_ir
