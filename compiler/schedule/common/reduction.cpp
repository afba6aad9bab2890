// Reductions between tiles and within steps. docs/reference/language.md fixes their order. The
// order allows parallel execution and depends only on the region, so every schedule on every device
// produces the interpreter's bits.
//
//   first kernel    one block per tile of the region: each of 256 threads (lanes) combines every
//                   256th point of the tile, then the lanes are combined pairwise in shared memory
//   second kernel   one block does the same with the values of the tiles; for floating-point values
//                   it records when the value was first NaN, so the host need not check each step
//   stop            one thread evaluates the condition on the device, so the host reads one flag
//                   and needs no float arithmetic
//
// The pairwise part follows M. Harris, "Optimizing parallel reduction in CUDA" (2007): lane l is
// combined with lane l + s for s = 128, 64, ... 1.
#include "compiler/schedule/common/reduction.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>

#include "compiler/schedule/common/combine.h"
#include "compiler/schedule/common/exchange.h"
#include "compiler/schedule/common/record.h"
#include "compiler/schedule/common/reduce_over.h"
#include "compiler/schedule/common/statements.h"

namespace stencil::schedule {

namespace {

using kernel::Body;
using kernel::Expr;

constexpr int kLanes = ir::kReductionLanes;

// A row of threads with one total each.
Lanes lanes_of(Scalar type, KernelBuilder& builder) {
  const kernel::BufferId buffer =
      builder.local(kernel::Space::Shared, "lanes", type, {kernel::integer(kLanes)}, "");
  return {kLanes, kernel::variable("thread_x"), buffer,
          [](const Expr& lane) { return std::vector<Expr>{lane}; }};
}

class ReductionLowering {
 public:
  ReductionLowering(const ir::Program& program, const Interface& interface, Names& names,
                    kernel::Module& module)
      : to_{interface, program, module, names} {
    module.plan.reductions.resize(program.reductions.size());
  }

  // Lowers the reductions between tiles and the stop condition.
  void run() {
    for (size_t r = 0; r < to_.program.reductions.size(); ++r) {
      if (!to_.program.reductions[r].in_step)
        lower(to_.program.reductions[r], to_.module.plan.reductions[r]);
    }
    if (to_.program.run.until) lower(*to_.program.run.until);
  }

  void provide_in_step();
  void append(ir::ReductionId id);

 private:
  void provide(const ir::Reduction& reduction, kernel::Reduction& out);
  void lower(const ir::Reduction& reduction, kernel::Reduction& out);
  void lower(const ir::Stop& stop);
  kernel::Launch reduce_tiles(const ir::Reduction& reduction, Scalar type,
                              const ir::SharedTiles* shared);
  kernel::Launch reduce_values(KernelBuilder builder, ir::Reducer reducer, Scalar type,
                               kernel::BufferId values, const Expr& count,
                               const WithResult& with_result);
  kernel::Launch reduce_to_value(const ir::Reduction& reduction, Scalar type, int values,
                                 const Expr& count, const kernel::Reduction& results);
  kernel::Launch look_for_nan(const ir::Reduction& reduction, const ProfileLaunches& made,
                              const kernel::Reduction& results);
  Body take_in(KernelBuilder& builder, const ir::Reduction& reduction, const Point& origin,
               kernel::BufferId total);
  size_t number_of(const ir::Reduction& reduction) const {
    return static_cast<size_t>(&reduction - to_.program.reductions.data());
  }

  const ReductionModule to_;
};

// Combines the total with each of this lane's points of the tile at `origin`.
Body ReductionLowering::take_in(KernelBuilder& builder, const ir::Reduction& reduction,
                                const Point& origin, kernel::BufferId total) {
  const Interface& interface = to_.interface;
  const int rank = interface.rank();
  const size_t last = static_cast<size_t>(rank) - 1;
  const auto axes = axis_names(rank);
  const auto lengths = ir::reduction_tile(rank);
  // At most kLanes, unless the tile is a single row.
  const int64_t columns = lengths[last];
  const Expr lane = kernel::variable("thread_x");
  const std::string element = builder.names().unique("e");
  const Expr number = kernel::variable(element);

  Body point_body;
  Point point(static_cast<size_t>(rank));
  for (size_t d = 0; d <= last; ++d) {
    Expr within = kernel::integer(0);
    if (rank == 1) within = kernel::add(lane, kernel::mul(number, kernel::integer(kLanes)));
    if (rank > 1 && d == last) {
      within = kernel::operation(Op::Mod, {lane, kernel::integer(columns)});
    }
    if (rank > 1 && d + 1 == last) {
      within = kernel::add(kernel::operation(Op::Div, {lane, kernel::integer(columns)}),
                           kernel::mul(number, kernel::integer(kLanes / columns)));
    }
    const std::string name = builder.names().unique(axes[d]);
    point_body.push_back({kernel::Let{name, kernel::add(origin[d], within)}});
    point[d] = kernel::variable(name);
  }
  std::vector<Expr> inside;
  for (int d = 0; d < rank; ++d) {
    if (lengths[d] == 1) continue;
    inside.push_back(kernel::less_equal(point[d], interface.high(reduction.piece.region, d)));
  }
  Body at_point;
  take_in_point(builder, reduction, point, {total, {}}, at_point);
  point_body.push_back({kernel::If{kernel::all_of(inside), std::move(at_point), {}}});
  Body out;
  out.push_back(
      {kernel::For{kernel::LoopKind::Unrolled, element, kernel::integer(0),
                   kernel::integer(ir::kReductionTilePoints / kLanes), 1, std::move(point_body)}});
  return out;
}

// --- Kernels

// The number of tiles of all subdomains.
Expr count_of(const ir::SharedTiles& shared) {
  int64_t count = 1;
  for (const int64_t tiles : shared.counts) count *= tiles;
  return kernel::integer(count, Scalar::I64);
}

// The number of this subdomain's tile among those of all subdomains.
Expr number_among(const ir::SharedTiles& shared, const ir::Points& taken, const Tiling& tiling,
                  const Interface& interface, const ir::Box& region,
                  const std::vector<TileLength>& lengths) {
  Expr number = kernel::integer(0, Scalar::I64);
  for (size_t d = 0; d < taken.size(); ++d) {
    const Expr from_low = kernel::sub(tiling.origin[d], interface.low(region, static_cast<int>(d)));
    const Expr place = plus(divided(from_low, lengths[d].expr), taken[d][0]);
    number = kernel::add(kernel::mul(number, kernel::integer(shared.counts[d], Scalar::I64)),
                         kernel::convert(place, Scalar::I64));
  }
  return number;
}

// `shared`: set for a subdomain, which has only some of the tiles.
kernel::Launch ReductionLowering::reduce_tiles(const ir::Reduction& reduction, Scalar type,
                                               const ir::SharedTiles* shared) {
  const ir::Box& region = reduction.piece.region;
  KernelBuilder builder =
      to_.builder("reduce_" + reduction.name + "_tiles",
                  fmt::format("Reduction {}: a block reduces one tile.", reduction.name));
  builder.kernel().threads = {kLanes, 1, 1};
  std::vector<TileLength> lengths;
  for (int64_t length : ir::reduction_tile(to_.interface.rank())) {
    lengths.push_back({length, kernel::integer(length)});
  }
  Tiling tiling = tile_box(region, lengths, builder, to_.module);
  const Expr least = kernel::integer(1, Scalar::I64);
  const Expr count = shared ? count_of(*shared) : tiling.blocks;
  const int values =
      to_.add_scratch(reduction.name + "_tiles", type, kernel::operation(Op::Max, {count, least}));
  const kernel::BufferId tiles = builder.scratch(to_.module.plan, values, true);
  const Lanes lanes = lanes_of(type, builder);
  const kernel::BufferId total = builder.local(kernel::Space::Thread, "total", type, {}, "");

  Body section;
  section.push_back({kernel::Store{total, {}, identity(reduction.reducer, type)}});
  for (kernel::Statement& statement : take_in(builder, reduction, tiling.origin, total)) {
    section.push_back(std::move(statement));
  }
  section.push_back({kernel::Store{lanes.buffer, {lanes.lane}, kernel::load(total, {}, type)}});
  Body body = std::move(tiling.lets);
  body.push_back({kernel::Threads{std::move(section)}});
  Expr number = kernel::variable("block", Scalar::I64);
  if (shared) {
    const auto own = static_cast<size_t>(to_.program.origin.subdomain->number);
    number = number_among(*shared, shared->taken[own], tiling, to_.interface, region, lengths);
  }
  const WithResult store = [&](const Expr& value, Body& last) {
    last.push_back({kernel::Store{tiles, {number}, value}});
  };
  combine_lanes(reduction.reducer, type, lanes, store, builder, body);
  builder.kernel().body = std::move(body);
  return builder.launch(tiling.blocks, to_.module);
}

// If `holds`, records the number of completed steps as the first NaN, unless one is already
// recorded.
void note_nan(const Expr& holds, kernel::BufferId first_nan, Body& body) {
  const Expr kept = kernel::load(first_nan, {kernel::integer(0)}, Scalar::I32);
  const Expr none_yet = kernel::operation(Op::Eq, {kept, kernel::integer(0)});
  Body note;
  note.push_back(
      {kernel::Store{first_nan, {kernel::integer(0)}, kernel::add(first_step(), step_count())}});
  body.push_back({kernel::If{kernel::all_of({holds, none_yet}), std::move(note), {}}});
}

// One block reduces `count` values of scratch memory and runs `with_result` on the result.
kernel::Launch ReductionLowering::reduce_values(KernelBuilder builder, ir::Reducer reducer,
                                                Scalar type, kernel::BufferId values,
                                                const Expr& count, const WithResult& with_result) {
  builder.kernel().threads = {kLanes, 1, 1};
  const Lanes lanes = lanes_of(type, builder);
  const kernel::BufferId total = builder.local(kernel::Space::Thread, "total", type, {}, "");

  const std::string tile = builder.names().unique("tile");
  const Expr value = kernel::load(values, {kernel::variable(tile, Scalar::I64)}, type);
  Body take;
  const Expr both = with_taken_in(reducer, {total, {}}, value, builder, take);
  take.push_back({kernel::Store{total, {}, both}});
  Body section;
  section.push_back({kernel::Store{total, {}, identity(reducer, type)}});
  section.push_back(
      {kernel::For{kernel::LoopKind::Serial, tile, kernel::convert(lanes.lane, Scalar::I64), count,
                   kLanes, std::move(take)}});
  section.push_back({kernel::Store{lanes.buffer, {lanes.lane}, kernel::load(total, {}, type)}});
  Body body;
  body.push_back({kernel::Threads{std::move(section)}});
  combine_lanes(reducer, type, lanes, with_result, builder, body);
  builder.kernel().body = std::move(body);
  return builder.launch(kernel::integer(1, Scalar::I64), to_.module);
}

// `results`: scratch memory for the value, for its predecessor, and for note_nan() (kNoScratch:
// none).
kernel::Launch ReductionLowering::reduce_to_value(const ir::Reduction& reduction, Scalar type,
                                                  int values, const Expr& count,
                                                  const kernel::Reduction& results) {
  KernelBuilder builder = to_.builder(
      "reduce_" + reduction.name,
      fmt::format("Reduction {}: one block reduces the values of the tiles.", reduction.name));
  const kernel::BufferId tiles = builder.scratch(to_.module.plan, values, false);
  const kernel::BufferId out = builder.scratch(to_.module.plan, results.result, true);
  std::optional<kernel::BufferId> first_nan;
  if (results.first_nan != kernel::kNoScratch) {
    first_nan = builder.scratch(to_.module.plan, results.first_nan, true);
  }
  std::optional<kernel::BufferId> replaced;
  if (results.replaced != kernel::kNoScratch) {
    replaced = builder.scratch(to_.module.plan, results.replaced, true);
  }
  const WithResult store = [=](const Expr& value, Body& last) {
    const Expr before = kernel::load(out, {kernel::integer(0)}, type);
    if (replaced) last.push_back({kernel::Store{*replaced, {kernel::integer(0)}, before}});
    last.push_back({kernel::Store{out, {kernel::integer(0)}, value}});
    if (first_nan) note_nan(is_nan(value), *first_nan, last);
  };
  return reduce_values(std::move(builder), reduction.reducer, type, tiles, count, store);
}

// Records whether some value of the profile is NaN.
kernel::Launch ReductionLowering::look_for_nan(const ir::Reduction& reduction,
                                               const ProfileLaunches& made,
                                               const kernel::Reduction& results) {
  KernelBuilder builder =
      to_.builder("reduce_" + reduction.name + "_nan",
                  fmt::format("Reduction {}: whether some of its values are NaN.", reduction.name));
  const kernel::BufferId words = builder.scratch(to_.module.plan, made.some_nan, false);
  const kernel::BufferId first_nan = builder.scratch(to_.module.plan, results.first_nan, true);
  // A subdomain may own no points of the profile. The maximum of no words is the smallest integer,
  // hence the test > 0.
  const Op some_are = to_.program.origin.subdomain ? Op::Gt : Op::Ne;
  const WithResult note = [=](const Expr& some, Body& last) {
    note_nan(kernel::operation(some_are, {some, kernel::integer(0)}), first_nan, last);
  };
  return reduce_values(std::move(builder), ir::Reducer::Max, Scalar::I32, words,
                       made.launches.back().blocks, note);
}

// Allocates memory for the results.
void ReductionLowering::provide(const ir::Reduction& reduction, kernel::Reduction& out) {
  const Expr one = kernel::integer(1, Scalar::I64);
  out.type = ir::value_type(reduction);
  out.every = reduction.every;
  if (reduction.target) {
    out.name = to_.interface.array_name(*reduction.target, 0);
    out.array = to_.interface.array_of(*reduction.target, 0);
    out.record = reduction.at.has_value();
  } else {
    out.name = to_.names.keep(reduction.name);
    out.result = to_.add_scratch(reduction.name + "_value", out.type, one);
  }
  if (is_float(out.type) && !out.record) {
    out.first_nan = to_.add_scratch(reduction.name + "_nan", Scalar::I32, one);
  }
}

void ReductionLowering::lower(const ir::Reduction& reduction, kernel::Reduction& out) {
  const Scalar type = ir::value_type(reduction);
  if (reduction.at) {
    provide(reduction, out);
    out.launches = {record_rows(to_, reduction, out.samples)};
    return;
  }
  if (reduction.target) {
    ProfileLaunches made = reduce_to_profile(to_, reduction);
    if (!reduction.in_step) provide(reduction, out);
    out.launches = made.launches;
    if (to_.program.origin.subdomain) {
      const int slot = to_.program.fields[*reduction.target].history - 1;
      const auto& exchanges = to_.program.origin.subdomain->profiles[number_of(reduction)];
      out.launches.back().exchange =
          append_profile_exchange(exchanges, slot, to_.interface, to_.module);
    }
    if (is_float(type)) out.launches.push_back(look_for_nan(reduction, made, out));
    return;
  }
  const ir::Subdomain* subdomain = to_.program.origin.subdomain.get();
  const ir::SharedTiles* shared = subdomain ? &*subdomain->tiles[number_of(reduction)] : nullptr;
  kernel::Launch tiles = reduce_tiles(reduction, type, shared);
  const int values = static_cast<int>(to_.module.plan.scratch.size()) - 1;
  if (!reduction.in_step) provide(reduction, out);
  if (shared)
    tiles.exchange = append_tile_exchange(*subdomain, *shared, values, to_.interface, to_.module);
  const Expr count = shared ? count_of(*shared) : tiles.blocks;
  out.launches = {tiles, reduce_to_value(reduction, type, values, count, out)};
}

// The reductions whose previous value is read.
std::set<ir::ReductionId> replaced_read(const ir::Program& program) {
  std::set<ir::ReductionId> read;
  const auto look = [&](const ir::Graph& graph) {
    for (const ir::Node& node : graph.nodes()) {
      const auto* reference = std::get_if<ir::ReductionRef>(&node.kind);
      if (reference && reference->replaced) read.insert(reference->reduction);
    }
  };
  for (const ir::Function& function : program.functions) {
    for (const ir::Piece& piece : function.pieces) look(piece.graph);
  }
  for (const ir::Reduction& reduction : program.reductions) look(reduction.piece.graph);
  return read;
}

void ReductionLowering::provide_in_step() {
  const std::set<ir::ReductionId> replaced = replaced_read(to_.program);
  for (size_t r = 0; r < to_.program.reductions.size(); ++r) {
    const ir::Reduction& reduction = to_.program.reductions[r];
    if (!reduction.in_step) continue;
    kernel::Reduction& out = to_.module.plan.reductions[r];
    provide(reduction, out);
    out.in_step = true;
    if (!replaced.count(static_cast<ir::ReductionId>(r))) continue;
    out.replaced =
        to_.add_scratch(reduction.name + "_before", out.type, kernel::integer(1, Scalar::I64));
  }
}

// Appends the launches of a reduction to the module's actions.
void ReductionLowering::append(ir::ReductionId id) {
  kernel::Reduction& out = to_.module.plan.reductions[id];
  lower(to_.program.reductions[id], out);
  for (kernel::Launch& launch : out.launches) to_.module.plan.actions.push_back(std::move(launch));
  out.launches.clear();
  const bool keeps_two =
      out.array != kernel::kNoArray && to_.module.plan.arrays[out.array].levels > 1;
  if (keeps_two) to_.module.plan.actions.push_back(kernel::Rotate{out.array});
}

void ReductionLowering::lower(const ir::Stop& stop) {
  kernel::Stop out;
  const std::vector<ir::ReductionId> named = ir::reductions_read(stop.graph);
  out.reductions.assign(named.begin(), named.end());
  KernelBuilder builder = to_.builder("stop", "Whether the stop condition holds.");
  std::map<ir::ReductionId, kernel::BufferId> values;
  for (const ir::ReductionId id : named) {
    const int result = to_.module.plan.reductions[id].result;
    values[id] = builder.scratch(to_.module.plan, result, false);
  }
  const ReadReduction reduction = [&](const ir::ReductionRef& read) {
    return kernel::load(values.at(read.reduction), {kernel::integer(0)},
                        to_.module.plan.reductions[read.reduction].type);
  };
  const ReadAccess no_access = [](const ir::Access&, AccessResolver&) { return Expr(); };
  out.result = to_.add_scratch("stop", Scalar::I32, kernel::integer(1, Scalar::I64));
  const kernel::BufferId flag = builder.scratch(to_.module.plan, out.result, true);
  Body section;
  std::vector<Expr> conditions =
      evaluate(to_.interface, stop.graph, {stop.condition}, {}, last_step(), no_access,
               builder.scope(), builder.names(), section, reduction);
  for (const ir::ReductionId id : named) {  // a comparison with NaN may be true under `not`
    const Expr value = reduction({id});
    if (is_float(value->type)) conditions.push_back(kernel::operation(Op::Eq, {value, value}));
  }
  const Expr holds = kernel::operation(
      Op::Select, {kernel::all_of(conditions), kernel::integer(1), kernel::integer(0)});
  section.push_back({kernel::Store{flag, {kernel::integer(0)}, holds}});
  builder.kernel().body.push_back({kernel::Threads{std::move(section)}});
  out.launch = builder.launch(kernel::integer(1, Scalar::I64), to_.module);
  to_.module.plan.stop = std::move(out);
}

}  // namespace

StepReductions::StepReductions(const ir::Program& program, const Interface& interface,
                               kernel::Module& module)
    : program_(program), interface_(interface), module_(module) {
  if (!ir::reduces_in_steps(program)) return;
  Names names = interface.names_in(module);
  ReductionLowering(program, interface, names, module).provide_in_step();
}

void StepReductions::append(const ir::Evaluations& evaluations) {
  Names names = interface_.names_in(module_);
  for (const ir::ReductionId id : evaluations.reductions) {
    ReductionLowering(program_, interface_, names, module_).append(id);
  }
}

void append_reductions(const ir::Program& program, Rows rows, kernel::Module& module) {
  const Interface interface(program, rows);
  Names names = interface.names_in(module);
  ReductionLowering(program, interface, names, module).run();
}

}  // namespace stencil::schedule
