// Declares the grids and sub-grids.
//
// A derived grid has the points of another one at every r-th index, or cells that each cover r of
// its cells. Its bounds are quotients, so open sizes give derived params (quotients.cpp). The facts
// about these quotients prove that accesses between the grids stay inside.
#include <fmt/format.h>

#include "compiler/sema/bounds.h"
#include "compiler/sema/declare.h"
#include "compiler/sema/prove.h"

namespace stencil::sema {

// False (S065) for a sub-grid with a stride, which is a region and cannot be the domain of a field.
bool require_every_point(Environment& env, const Region& region, const ast::Identifier& name) {
  if (region.strides.empty()) return true;
  Diagnostic& error = env.report.error(
      "S065", name.span,
      fmt::format("'{}' has a stride, so it cannot be a domain or a parent", name.name));
  error.expected = "a grid or sub-grid without a stride";
  error.hint = "only regions of stencils and reductions can have a stride";
  return false;
}

namespace {

constexpr int64_t kMaxRatio = 64;  // of a grid to the grid that it is derived from

void refuse_index_names(Environment& env, const ast::Grid& grid) {
  for (const ast::Range& range : grid.box.ranges) {
    if (!range.index) continue;
    env.report.error("S026", range.index->span, "a grid has no index names").hint =
        "name indices in the region of a stencil: [i in 0..N-1]";
  }
}

void take_steps(Environment& env, const ast::Grid& grid) {
  if (env.options.steps) {
    env.program.steps = ir::Affine{*env.options.steps, {}};
  } else if (grid.steps) {
    env.program.steps = affine_bound(env, *grid.steps, "the number of steps");
  }
}

void check_steps(Environment& env, const ast::Grid& grid) {
  if (!env.program.steps) return;
  // --steps does not appear in the program text
  const Span span = env.options.steps ? Span{} : grid.steps->span;
  const std::string message = "negative number of steps";
  switch (decide(env.facts, *env.program.steps)) {
    case Verdict::Holds:
      break;
    case Verdict::Fails:
      env.report.error("S029", span, message).found = env.print(*env.program.steps);
      break;
    case Verdict::Unknown:
      env.add_check({{*env.program.steps}, "S029", message, span});
      break;
  }
}

// Sets the box of a domain and records that it is not empty.
void take_box(Environment& env, ir::Domain& domain, ir::Box box, Span span) {
  domain.box = std::move(box);
  require_nonempty(
      env, domain.box,
      env.program.domains.size() == 1 ? "the grid" : fmt::format("grid '{}'", domain.name), span);
  for (const ir::Range& range : domain.box.ranges) {
    const ir::Affine extent = range.high - range.low;
    if (!extent.is_constant()) env.facts.push_back(extent);
  }
}

// The ratios of a grid to the grid that it is derived from, per dimension. S014, S029.
std::optional<std::vector<int>> ratios_of(Environment& env, const ast::Coarsening& by) {
  const auto rank = static_cast<size_t>(env.rank());
  const auto& values = by.ratios.values;
  if (by.ratios.list && values.size() != rank) {
    Diagnostic& error = env.report.error("S014", by.ratios.span, "wrong number of ratios");
    error.expected = fmt::format("{}, one per dimension, or one without brackets", rank);
    error.found = fmt::format("{}", values.size());
    return std::nullopt;
  }
  std::vector<int> out;
  for (const ast::ExprPtr& value : values) {
    const auto ratio = constant_in(env, *value, "the ratio of a grid", 1, kMaxRatio);
    if (!ratio) return std::nullopt;
    out.push_back(static_cast<int>(*ratio));
  }
  if (!by.ratios.list) out.resize(rank, out.front());
  return out;
}

// The quotient of a bound, rounded down. S094 if its sign is not known.
std::optional<ir::Affine> quotient_of_bound(Environment& env, const ir::Affine& bound, int64_t by,
                                            Span span) {
  if (bound.is_constant()) return ir::Affine{ir::floor_quotient(bound.constant, by), {}};
  const std::string text = fmt::format("({})/{}", env.print(bound), by);
  if (decide(env.facts, bound) == Verdict::Holds) return quotient_of(env, bound, by, text, span);
  Diagnostic& error = env.report.error(
      "S094", span, fmt::format("the bound {} cannot be divided", env.print(bound)));
  error.expected = "a bound that is not negative in any run";
  error.hint = fmt::format("add 'require {} >= 0;'", env.print(bound));
  return std::nullopt;
}

// The range of the points of a coarse grid: those that lie on points of the fine range.
std::optional<ir::Range> coarse_vertices(Environment& env, const ir::Range& fine, int64_t by,
                                         Span span) {
  std::optional<ir::Affine> low;
  if (fine.low.is_constant()) {
    low = ir::Affine{-ir::floor_quotient(-fine.low.constant, by), {}};
  } else if (decide(env.facts, fine.low * -1) == Verdict::Holds) {
    low = quotient_of_bound(env, fine.low * -1, by, span);
    if (low) low = *low * -1;
  } else {  // rounded up
    low = quotient_of_bound(env, fine.low + (by - 1), by, span);
  }
  const auto high = quotient_of_bound(env, fine.high, by, span);
  if (!low || !high) return std::nullopt;
  return ir::Range{*low, *high};
}

// The range of the cells of a coarse grid, which must cover the fine range exactly. S094.
std::optional<ir::Range> coarse_cells(Environment& env, const ir::Range& fine, int64_t by,
                                      Span span, const std::string& name) {
  const auto exact = [&](const ir::Affine& end) -> std::optional<ir::Affine> {
    const auto quotient = quotient_of_bound(env, end, by, span);
    if (!quotient) return std::nullopt;
    const ir::Affine covered = *quotient * by - end;  // at most 0
    const std::string message =
        fmt::format("the cells of grid '{}' do not cover {} exactly: {} is no multiple of {}", name,
                    env.print(ir::Box{{fine}}), env.print(end), by);
    switch (decide(env.facts, covered)) {
      case Verdict::Holds:
        return quotient;
      case Verdict::Fails:
        env.report.error("S094", span, message).hint =
            "choose a size that the ratio divides, or omit 'cells' for points on points";
        return std::nullopt;
      case Verdict::Unknown:
        break;
    }
    env.add_check({{covered}, "S094", message, span});
    env.facts.push_back(covered);
    return quotient;
  };
  const auto low = exact(fine.low);
  const auto end = exact(fine.high + 1);
  if (!low || !end) return std::nullopt;
  return ir::Range{*low, *end - 1};
}

// Adds a domain that is derived from `fine`. nullopt after an error.
std::optional<ir::DomainId> derive(Environment& env, const ast::Grid& grid, const std::string& name,
                                   ir::DomainId fine, const ast::Coarsening& by) {
  const auto ratios = ratios_of(env, by);
  if (!ratios) return std::nullopt;
  ir::Box box;
  for (size_t d = 0; d < ratios->size(); ++d) {
    const ir::Range of = env.program.domains[fine].box.ranges[d];
    const int64_t ratio = (*ratios)[d];
    const auto range = by.cells ? coarse_cells(env, of, ratio, by.span, name)
                                : coarse_vertices(env, of, ratio, by.span);
    if (!range) return std::nullopt;
    box.ranges.push_back(*range);
  }
  const auto id = static_cast<ir::DomainId>(env.program.domains.size());
  ir::Domain& domain = env.program.domains.emplace_back();
  domain.name = name;
  domain.span = grid.name.span;
  domain.coarsened = ir::Coarsening{fine, *ratios, by.cells};
  take_box(env, domain, std::move(box), by.span);
  return id;
}

constexpr int64_t kMaxLevels = 30;

// The levels of the first grid. The name of level l is that of the grid and l.
void take_levels(Environment& env, const ast::Grid& grid) {
  const auto levels = constant_in(env, *grid.levels, "the number of levels", 1, kMaxLevels);
  env.levels = {ir::DomainId(0)};
  env.levels_failed = true;
  if (!levels) return;
  while (static_cast<int64_t>(env.levels.size()) < *levels) {
    const ir::DomainId fine = env.levels.back();
    const std::string name = fmt::format("{}_{}", grid.name.name, env.levels.size());
    const auto coarse = derive(env, grid, name, fine, *grid.level_ratio);
    if (!coarse) return env.levels.resize(1);
    env.levels.push_back(*coarse);
    if (env.program.domains[*coarse].box != env.program.domains[fine].box) continue;
    Diagnostic& error =
        env.report.error("S094", grid.levels->span, "the grid cannot have this many levels");
    error.expected = fmt::format("at most {}", env.levels.size() - 1);
    error.found = fmt::format("{}: level {} has the points {}", *levels, env.levels.size() - 2,
                              env.print(env.program.domains[fine].box));
    return;
  }
  env.levels_failed = false;
}

}  // namespace

void declare_grid(Environment& env, const ast::Grid& grid) {
  Declaration* declaration = env.declare(grid.name, Declared::Grid, 0);
  if (declaration) declaration->broken = true;  // the name is not visible in its own definition
  env.grid = &grid;
  std::optional<ir::Box> box = elaborate_box(env, grid.box, 0);
  env.program.domain().span = grid.name.span;
  refuse_index_names(env, grid);
  take_steps(env, grid);
  if (!box) return;
  if (declaration) declaration->broken = false;
  env.program.domain().name = grid.name.name;
  take_box(env, env.program.domain(), std::move(*box), grid.box.span);
  check_steps(env, grid);
  if (grid.levels) take_levels(env, grid);
}

void declare_coarse_grid(Environment& env, const ast::Grid& grid) {
  const Declaration* parent = env.use(grid.parent->name, grid.parent->span);
  Declaration* declaration = env.declare(grid.name, Declared::Grid, 0);
  if (declaration) declaration->broken = true;
  for (const auto& [given, what] : {std::pair{grid.steps != nullptr, "steps"},
                                    {grid.origin.has_value(), "origin"},
                                    {grid.spacing.has_value(), "spacing"},
                                    {grid.levels != nullptr, "levels"}}) {
    if (!given) continue;
    env.report.error("S095", grid.name.span, fmt::format("a derived grid has no '{}'", what)).hint =
        "it belongs to the first grid, from which the others are derived";
  }
  parent = env.find(grid.parent->name);
  if (!parent) return env.unknown_name(Foreign::Region, grid.parent->name, grid.parent->span);
  if (parent->broken) return;
  if (parent->kind != Declared::Grid) {
    Diagnostic& error = env.report.error("S005", grid.parent->span,
                                         fmt::format("'{}' is not a grid", grid.parent->name));
    error.expected = "the grid that is made coarser";
    error.found = describe(parent->kind);
    return;
  }
  const ir::DomainId fine = parent->index;
  const auto made = derive(env, grid, grid.name.name, fine, *grid.by);
  if (!made || !declaration) return;
  declaration->broken = false;
  declaration->index = *made;
}

namespace {

// The sub-grid at the current level. nullopt after an error.
std::optional<SubgridInfo> subgrid_here(Environment& env, const ast::Subgrid& subgrid) {
  const Region parent = elaborate_region(env, ast::Region{ast::NamedRegion{subgrid.parent, {}}});
  std::optional<ir::Box> box = elaborate_box(env, subgrid.box, env.rank(), &parent.box);
  const auto strides = elaborate_strides(env, subgrid.box);
  bool inside = strides && (!parent.ok || require_every_point(env, parent, subgrid.parent));
  if (box && parent.ok) {
    inside &= require_inside(
        env, *box, parent.box,
        fmt::format("subgrid '{}' leaves '{}'", subgrid.name.name, subgrid.parent.name),
        subgrid.box.span);
  }
  if (!box || !parent.ok || !inside) return std::nullopt;
  if (strides->empty()) {
    env.program.domains[parent.domain].subgrids.push_back({subgrid.name.name, *box});
  }
  return SubgridInfo{parent.domain, std::move(*box), *strides};
}

}  // namespace

void declare_subgrid(Environment& env, const ast::Subgrid& subgrid) {
  auto info = subgrid_here(env, subgrid);
  for (size_t level = 1; info && info->domain == 0 && level < env.levels.size(); ++level) {
    const AtLevel at(env, static_cast<int>(level));
    auto coarser = subgrid_here(env, subgrid);
    if (!coarser) {
      info.reset();
    } else {
      info->coarser.push_back(std::move(*coarser));
    }
  }
  Declaration* declaration =
      env.declare(subgrid.name, Declared::Subgrid, static_cast<int>(env.subgrids.size()));
  if (!declaration) return;
  declaration->broken = !info;
  env.subgrids.push_back(info.value_or(SubgridInfo{}));
}

}  // namespace stencil::sema
