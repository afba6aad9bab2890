// Overlap of halo exchanges with the interior of a tile.
#include <algorithm>
#include <utility>

#include "compiler/host_ir/passes.h"

namespace stencil::host_ir {

namespace {

using kernel::integer;
using kernel::operation;

void append(Body& to, Body statements) {
  std::move(statements.begin(), statements.end(), std::back_inserter(to));
}

// Work queued from now on may read halos, so it waits for the last exchange.
Body await_exchange() {
  return {{Await{MarkName::Outer}}, {Await{MarkName::Exchanged}}};
}

// The loop over the tiles of a common tile: a For that continues an enclosing one. Null: none.
For* loop_over_tiles(Body& body) {
  for (Statement& statement : body) {
    auto* loop = std::get_if<For>(&statement.kind);
    if (loop && loop->name == kStep && loop->continues()) return loop;
    for (Body* inner : bodies_of(statement)) {
      if (For* found = loop_over_tiles(*inner)) return found;
    }
  }
  return nullptr;
}

class Overlap {
 public:
  Overlap(const Program& program, const kernel::Plan& plan, bool lanes)
      : program_(program),
        plan_(plan),
        halo_(*kernel::exchange_beside_tiles(plan)),
        lanes_(lanes) {}

  void run(For& loop) {
    const Expr left = kernel::sub(loop.end, variable(loop.name));
    Body body;
    for (Statement& statement : loop.body) {
      auto* tile = std::get_if<Tile>(&statement.kind);
      if (!tile) {
        body.push_back(std::move(statement));
        continue;
      }
      body.push_back({around_exchange(std::move(*tile), left)});
      if (!plan_.reductions.empty()) append(body, await_exchange());
    }
    loop.body = std::move(body);
  }

 private:
  Expr variable(const std::string& name) const {
    return kernel::variable(name, program_.find(name)->type);
  }

  // If an exchange is due after the tile, it is done now.
  If around_exchange(Tile tile, const Expr& left) const {
    const Expr count = this->count();
    const Expr due = operation(
        Op::Eq, {variable(tiles_since(halo_.exchange)), integer(halo_.tiles_per_exchange)});
    Body alone = await_exchange();
    alone.push_back({tile});
    Body before = alone;
    before.push_back({Exchange{static_cast<int>(halo_.exchange)}});
    before.push_back({exchanged_now()});
    for (int size : sizes()) {
      const kernel::Launch* launch = kernel::launch_with_outer_blocks(plan_, size);
      if (!launch) continue;
      Body overlapped = this->overlapped(tile, *launch);
      if (plan_.tile_sizes.size() < 2) {
        before = std::move(overlapped);
        break;
      }
      If chosen{operation(Op::Eq, {count, integer(size)}), std::move(overlapped),
                std::move(before)};
      before = {{std::move(chosen)}};
    }
    return {operation(Op::And, {operation(Op::Eq, {left, count}), due}), std::move(before),
            std::move(alone)};
  }

  std::vector<int> sizes() const {
    return plan_.tile_sizes.empty() ? std::vector{plan_.time_tile} : plan_.tile_sizes;
  }
  Expr count() const {
    return plan_.time_tile == 1 ? integer(1) : kernel::variable("count", Scalar::I32);
  }
  Assign exchanged_now() const { return {tiles_since(halo_.exchange), integer(0, Scalar::I64)}; }

  Body overlapped(const Tile& tile, const kernel::Launch& launch) const {
    Launch part = launch_of(tile.body, launch);
    part.part = Part::Outer;
    Launch inner = part;
    inner.part = Part::Inner;
    const Body launch_inner = {{Lane{0}}, {Await{MarkName::Begun}}, {LaunchBound{}}, {Lane{1}}};
    Body out = {{Bind{inner}},
                {Mark{MarkName::Inside}},
                {Await{MarkName::Outer}},
                {Lane{1}},
                {Await{MarkName::Inside}},
                {part},
                {Mark{MarkName::Outer}}};
    if (lanes_) append(out, launch_inner);
    for (const Statement& statement : tile.body) {
      if (!launches(statement)) out.push_back(statement);
    }
    out.push_back({Exchange{static_cast<int>(halo_.exchange)}});
    // Without lanes, the interior blocks are queued last. This is one of the orders that lanes
    // could produce.
    if (!lanes_) append(out, launch_inner);
    out.push_back({Mark{MarkName::Exchanged}});
    out.push_back({exchanged_now()});
    out.push_back({Lane{0}});
    return out;
  }

  static bool launches(const Statement& statement) {
    bool found = std::holds_alternative<Launch>(statement.kind);
    for (const Body* body : bodies_of(statement)) {
      found = found || std::any_of(body->begin(), body->end(), launches);
    }
    return found;
  }
  static Launch launch_of(const Body& body, const kernel::Launch& launch) {
    Launch found{&launch, nullptr, nullptr};
    for_each_statement(body, [&](const Statement& statement) {
      const auto* launched = std::get_if<Launch>(&statement.kind);
      if (launched && launched->launch == &launch) found = *launched;
    });
    return found;
  }

  const Program& program_;
  const kernel::Plan& plan_;
  const kernel::HaloExchange& halo_;
  const bool lanes_;
};

}  // namespace

void overlap_exchanges(Program& program, const kernel::Plan& plan, bool lanes) {
  For* loop = loop_over_tiles(program.steps);
  if (!loop) return;
  Overlap(program, plan, lanes).run(*loop);
  append(program.steps, await_exchange());
}

}  // namespace stencil::host_ir
