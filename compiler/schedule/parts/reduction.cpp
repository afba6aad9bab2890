// Reductions between tiles and within steps, in the order that docs/language.md fixes: it is cut
// for parallel machines, and depends on the region alone, so every schedule on every device gives
// the interpreter's bits.
//
//   first kernel    a block per tile of the region: each thread (lane) takes every 256th point of
//                   the tile, then the lanes are combined pairwise in shared memory
//   second kernel   one block does the same with the values of the tiles, and keeps when a value in
//                   floating point was first NaN, so that the host need not look after every step
//   stop            one thread evaluates the condition from the values where they lie, so that the
//                   host reads back one flag and needs no arithmetic of its own
//
// The pairwise part is the one of M. Harris, "Optimizing parallel reduction in CUDA" (2007): lane l
// takes in lane l + s for s = 128, 64, ... 1.
#include "compiler/schedule/parts/reduction.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>

#include "compiler/schedule/parts/builder.h"

namespace stencil::schedule {

namespace {

using kernel::Body;
using kernel::Expr;

constexpr int kLanes = ir::kReductionLanes;

// `time` in a reduction and in the stop condition: the index of the last step done.
Expr last_step() {
  return kernel::sub(kernel::add(first_step(), step_count()), kernel::integer(1));
}

Op operation_of(ir::Reducer reducer) {
  switch (reducer) {
    case ir::Reducer::Sum:
      return Op::Add;
    case ir::Reducer::Prod:
      return Op::Mul;
    case ir::Reducer::Min:
      return Op::Min;
    case ir::Reducer::Max:
      return Op::Max;
  }
  return Op::Add;
}

Expr is_nan(const Expr& value) {
  return kernel::operation(Op::Ne, {value, value});
}

// `total` with `value` taken in, both of them names. A NaN on either side stays, unlike in min(a,
// b) and max(a, b) of the language.
Expr combined(ir::Reducer reducer, const Expr& total, const Expr& value) {
  const Op op = operation_of(reducer);
  const bool chooses = op == Op::Min || op == Op::Max;
  if (!chooses || !is_float(total->type)) return kernel::operation(op, {total, value});
  const Op keeps = op == Op::Min ? Op::Le : Op::Ge;
  const Expr stays =
      kernel::operation(Op::Or, {kernel::operation(keeps, {total, value}), is_nan(total)});
  return kernel::operation(Op::Select, {stays, total, value});
}

// `value` under a name, for whoever needs it more than once.
Expr bound(const std::string& hint, const Expr& value, KernelBuilder& builder, Body& body) {
  const std::string name = builder.names().unique(hint);
  body.push_back({kernel::Let{name, value}});
  return kernel::variable(name, value->type);
}

// Where in memory a total is.
struct Element {
  kernel::BufferId buffer;
  std::vector<Expr> index;
};

// What the element is with `value` taken in.
Expr with_taken_in(ir::Reducer reducer, const Element& element, const Expr& value,
                   KernelBuilder& builder, Body& body) {
  const Expr before =
      bound("before", kernel::load(element.buffer, element.index, value->type), builder, body);
  return combined(reducer, before, bound("taken", value, builder, body));
}

// What combining begins with.
Expr identity(ir::Reducer reducer, Scalar type) {
  const ir::Constant value = ir::neutral(reducer, type);
  return is_float(type) ? kernel::real(value.real, type) : kernel::integer(value.integer, type);
}

// Lane l takes in lane l + s for s = 128, 64, ... 1; lane 0 then does `with_result` to the value.
using WithResult = std::function<void(const Expr&, Body&)>;
void combine_lanes(ir::Reducer reducer, Scalar type, kernel::BufferId lanes,
                   const WithResult& with_result, KernelBuilder& builder, Body& body) {
  const Expr lane = kernel::variable("thread_x");
  for (int stride = kLanes / 2; stride >= 1; stride /= 2) {
    const Expr other = kernel::load(lanes, {kernel::add(lane, kernel::integer(stride))}, type);
    Body combine;
    const Expr both = with_taken_in(reducer, {lanes, {lane}}, other, builder, combine);
    if (stride > 1) {
      combine.push_back({kernel::Store{lanes, {lane}, both}});
    } else {
      with_result(bound("result", both, builder, combine), combine);
    }
    Body section;
    section.push_back(
        {kernel::If{kernel::less(lane, kernel::integer(stride)), std::move(combine), {}}});
    body.push_back({kernel::Barrier{}});
    body.push_back({kernel::Threads{std::move(section)}});
  }
}

class ReductionLowering {
 public:
  ReductionLowering(const ir::Program& program, const Interface& interface, Names& names,
                    kernel::Module& module)
      : interface_(interface), program_(program), module_(module), names_(names) {
    module.plan.reductions.resize(program.reductions.size());
  }

  // Those between tiles.
  void run() {
    for (size_t r = 0; r < program_.reductions.size(); ++r) {
      if (!program_.reductions[r].place) lower(program_.reductions[r], module_.plan.reductions[r]);
    }
    if (program_.stop) lower(*program_.stop);
  }

  void provide_in_step();
  void append(ir::ReductionId id);

 private:
  KernelBuilder builder(const std::string& name, const std::string& comment) {
    return {interface_, module_, names_.unique(module_.name + "_" + name), comment};
  }
  int add_scratch(const std::string& name, Scalar type, Expr elements);
  void provide(const ir::Reduction& reduction, kernel::Reduction& out);
  void lower(const ir::Reduction& reduction, kernel::Reduction& out);
  void lower(const ir::Stop& stop);
  kernel::Launch reduce_tiles(const ir::Reduction& reduction, Scalar type, const ir::Box& region);
  kernel::Launch reduce_values(const ir::Reduction& reduction, Scalar type, int values,
                               const Expr& count, const kernel::Reduction& results);
  Body take_in(KernelBuilder& builder, const ir::Reduction& reduction, const Point& origin,
               kernel::BufferId total);

  const Interface& interface_;
  const ir::Program& program_;
  kernel::Module& module_;
  Names& names_;  // of scratch memory and kernels
};

int ReductionLowering::add_scratch(const std::string& name, Scalar type, Expr elements) {
  module_.plan.scratch.push_back({names_.unique(name), type, std::move(elements)});
  return static_cast<int>(module_.plan.scratch.size()) - 1;
}

// total = total and the value at each of this lane's points of the tile at `origin`.
Body ReductionLowering::take_in(KernelBuilder& builder, const ir::Reduction& reduction,
                                const Point& origin, kernel::BufferId total) {
  const int rank = interface_.rank();
  const size_t last = static_cast<size_t>(rank) - 1;
  const auto axes = axis_names(rank);
  const auto lengths = ir::reduction_tile(rank);
  const int64_t columns = lengths[last];  // at most as many as lanes, or a row is the tile
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
    if (lengths[static_cast<size_t>(d)] == 1) continue;
    inside.push_back(kernel::less_equal(point[static_cast<size_t>(d)],
                                        interface_.high(reduction.piece.region, d)));
  }
  const ReadAccess read = [&](const ir::Access& access, Landings& landings) {
    return access.in_place ? builder.load_in_place(access, landings)
                           : builder.load_global(access, landings.land(access));
  };
  Body at_point;
  const ir::Piece& piece = reduction.piece;
  const Scalar type = ir::value_type(reduction);
  const Expr value =
      kernel::convert(evaluate(interface_, piece.graph, piece.results, point, last_step(), read,
                               builder.scope(), builder.names(), at_point, builder.reductions())[0],
                      type);
  const Expr both = with_taken_in(reduction.reducer, {total, {}}, value, builder, at_point);
  at_point.push_back({kernel::Store{total, {}, both}});
  point_body.push_back({kernel::If{kernel::all_of(inside), std::move(at_point), {}}});
  Body out;
  out.push_back(
      {kernel::For{kernel::LoopKind::Unrolled, element, kernel::integer(0),
                   kernel::integer(ir::kReductionTilePoints / kLanes), 1, std::move(point_body)}});
  return out;
}

// --- Kernels
// ------------------------------------------------------------------------------------------

kernel::Launch ReductionLowering::reduce_tiles(const ir::Reduction& reduction, Scalar type,
                                               const ir::Box& region) {
  KernelBuilder builder =
      this->builder("reduce_" + reduction.name + "_tiles",
                    fmt::format("Reduction {}: a block reduces one tile.", reduction.name));
  builder.kernel().threads = {kLanes, 1, 1};
  std::vector<TileLength> lengths;
  for (int64_t length : ir::reduction_tile(interface_.rank())) {
    lengths.push_back({length, kernel::integer(length)});
  }
  Tiling tiling = tile_box(interface_, region, lengths, builder.names());
  const Expr least = kernel::integer(1, Scalar::I64);
  const int values = add_scratch(reduction.name + "_tiles", type,
                                 kernel::operation(Op::Max, {tiling.blocks, least}));
  const kernel::BufferId tiles = builder.scratch(module_.plan, values, true);
  const kernel::BufferId lanes =
      builder.local(kernel::Space::Shared, "lanes", type, {kernel::integer(kLanes)}, "");
  const kernel::BufferId total = builder.local(kernel::Space::Thread, "total", type, {}, "");

  const Expr lane = kernel::variable("thread_x");
  Body section;
  section.push_back({kernel::Store{total, {}, identity(reduction.reducer, type)}});
  for (kernel::Statement& statement : take_in(builder, reduction, tiling.origin, total)) {
    section.push_back(std::move(statement));
  }
  section.push_back({kernel::Store{lanes, {lane}, kernel::load(total, {}, type)}});
  Body body = std::move(tiling.lets);
  body.push_back({kernel::Threads{std::move(section)}});
  const Expr block = kernel::variable("block", Scalar::I64);
  const WithResult store = [&](const Expr& value, Body& last) {
    last.push_back({kernel::Store{tiles, {block}, value}});
  };
  combine_lanes(reduction.reducer, type, lanes, store, builder, body);
  builder.kernel().body = std::move(body);
  return builder.launch(tiling.blocks, module_);
}

// The steps done when it was first NaN are kept, unless they are there already.
void note_nan(const Expr& value, kernel::BufferId first_nan, Body& body) {
  const Expr kept = kernel::load(first_nan, {kernel::integer(0)}, Scalar::I32);
  const Expr none_yet = kernel::operation(Op::Eq, {kept, kernel::integer(0)});
  Body note;
  note.push_back(
      {kernel::Store{first_nan, {kernel::integer(0)}, kernel::add(first_step(), step_count())}});
  body.push_back({kernel::If{kernel::all_of({is_nan(value), none_yet}), std::move(note), {}}});
}

// `results`: where in scratch memory the value goes, the one before it, and what note_nan() keeps
// (kNoScratch: nothing).
kernel::Launch ReductionLowering::reduce_values(const ir::Reduction& reduction, Scalar type,
                                                int values, const Expr& count,
                                                const kernel::Reduction& results) {
  KernelBuilder builder = this->builder(
      "reduce_" + reduction.name,
      fmt::format("Reduction {}: one block reduces the values of the tiles.", reduction.name));
  builder.kernel().threads = {kLanes, 1, 1};
  const kernel::BufferId tiles = builder.scratch(module_.plan, values, false);
  const kernel::BufferId out = builder.scratch(module_.plan, results.result, true);
  std::optional<kernel::BufferId> first_nan;
  if (results.first_nan != kernel::kNoScratch) {
    first_nan = builder.scratch(module_.plan, results.first_nan, true);
  }
  std::optional<kernel::BufferId> replaced;
  if (results.replaced != kernel::kNoScratch) {
    replaced = builder.scratch(module_.plan, results.replaced, true);
  }
  const kernel::BufferId lanes =
      builder.local(kernel::Space::Shared, "lanes", type, {kernel::integer(kLanes)}, "");
  const kernel::BufferId total = builder.local(kernel::Space::Thread, "total", type, {}, "");

  const Expr lane = kernel::variable("thread_x");
  const std::string tile = builder.names().unique("tile");
  const Expr value = kernel::load(tiles, {kernel::variable(tile, Scalar::I64)}, type);
  Body take;
  const Expr both = with_taken_in(reduction.reducer, {total, {}}, value, builder, take);
  take.push_back({kernel::Store{total, {}, both}});
  Body section;
  section.push_back({kernel::Store{total, {}, identity(reduction.reducer, type)}});
  section.push_back({kernel::For{kernel::LoopKind::Serial, tile, kernel::convert(lane, Scalar::I64),
                                 count, kLanes, std::move(take)}});
  section.push_back({kernel::Store{lanes, {lane}, kernel::load(total, {}, type)}});
  Body body;
  body.push_back({kernel::Threads{std::move(section)}});
  const WithResult store = [&](const Expr& value, Body& last) {
    const Expr before = kernel::load(out, {kernel::integer(0)}, type);
    if (replaced) last.push_back({kernel::Store{*replaced, {kernel::integer(0)}, before}});
    last.push_back({kernel::Store{out, {kernel::integer(0)}, value}});
    if (first_nan) note_nan(value, *first_nan, last);
  };
  combine_lanes(reduction.reducer, type, lanes, store, builder, body);
  builder.kernel().body = std::move(body);
  return builder.launch(kernel::integer(1, Scalar::I64), module_);
}

// The memory of its results.
void ReductionLowering::provide(const ir::Reduction& reduction, kernel::Reduction& out) {
  const Expr one = kernel::integer(1, Scalar::I64);
  out.name = names_.keep(reduction.name);
  out.type = ir::value_type(reduction);
  out.every = reduction.every;
  out.result = add_scratch(reduction.name + "_value", out.type, one);
  if (is_float(out.type)) {
    out.first_nan = add_scratch(reduction.name + "_nan", Scalar::I32, one);
  }
}

void ReductionLowering::lower(const ir::Reduction& reduction, kernel::Reduction& out) {
  const Scalar type = ir::value_type(reduction);
  const kernel::Launch tiles = reduce_tiles(reduction, type, reduction.piece.region);
  const int values = static_cast<int>(module_.plan.scratch.size()) - 1;
  if (!reduction.place) provide(reduction, out);
  out.launches = {tiles, reduce_values(reduction, type, values, tiles.blocks, out)};
}

// The reductions whose replaced value is read.
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
  const std::set<ir::ReductionId> replaced = replaced_read(program_);
  for (size_t r = 0; r < program_.reductions.size(); ++r) {
    const ir::Reduction& reduction = program_.reductions[r];
    if (!reduction.place) continue;
    kernel::Reduction& out = module_.plan.reductions[r];
    provide(reduction, out);
    out.in_step = true;
    if (!replaced.count(static_cast<ir::ReductionId>(r))) continue;
    out.replaced =
        add_scratch(reduction.name + "_before", out.type, kernel::integer(1, Scalar::I64));
  }
}

// Its launches as the next actions.
void ReductionLowering::append(ir::ReductionId id) {
  kernel::Reduction& out = module_.plan.reductions[static_cast<size_t>(id)];
  lower(program_.reductions[static_cast<size_t>(id)], out);
  for (kernel::Launch& launch : out.launches) module_.plan.actions.push_back(std::move(launch));
  out.launches.clear();
}

void ReductionLowering::lower(const ir::Stop& stop) {
  kernel::Stop out;
  const std::vector<ir::ReductionId> named = ir::reductions_read(stop.graph);
  out.reductions = named;
  KernelBuilder builder = this->builder("stop", "Whether the stop condition holds.");
  std::map<ir::ReductionId, kernel::BufferId> values;
  for (const ir::ReductionId id : named) {
    const int result = module_.plan.reductions[static_cast<size_t>(id)].result;
    values[id] = builder.scratch(module_.plan, result, false);
  }
  const ReadReduction reduction = [&](const ir::ReductionRef& read) {
    return kernel::load(values.at(read.reduction), {kernel::integer(0)},
                        module_.plan.reductions[static_cast<size_t>(read.reduction)].type);
  };
  const ReadAccess no_access = [](const ir::Access&, Landings&) { return Expr(); };
  out.result = add_scratch("stop", Scalar::I32, kernel::integer(1, Scalar::I64));
  const kernel::BufferId flag = builder.scratch(module_.plan, out.result, true);
  Body section;
  std::vector<Expr> conditions =
      evaluate(interface_, stop.graph, {stop.condition}, {}, last_step(), no_access,
               builder.scope(), builder.names(), section, reduction);
  for (const ir::ReductionId id : named) {  // a comparison with NaN may be true under `not`
    const Expr value = reduction({id});
    if (is_float(value->type)) conditions.push_back(kernel::operation(Op::Eq, {value, value}));
  }
  const Expr holds = kernel::operation(
      Op::Select, {kernel::all_of(conditions), kernel::integer(1), kernel::integer(0)});
  section.push_back({kernel::Store{flag, {kernel::integer(0)}, holds}});
  builder.kernel().body.push_back({kernel::Threads{std::move(section)}});
  out.launch = builder.launch(kernel::integer(1, Scalar::I64), module_);
  module_.plan.stop = std::move(out);
}

}  // namespace

StepReductions::StepReductions(const ir::Program& program, const Interface& interface,
                               kernel::Module& module)
    : program_(program), interface_(interface), module_(module) {
  if (!ir::reduces_in_steps(program)) return;
  Names names = interface.names_in(module);
  ReductionLowering(program, interface, names, module).provide_in_step();
}

void StepReductions::append(size_t functions) {
  Names names = interface_.names_in(module_);
  for (const ir::ReductionId id : ir::reductions_at(program_, functions)) {
    ReductionLowering(program_, interface_, names, module_).append(id);
  }
}

void append_reductions(const ir::Program& program, Rows rows, kernel::Module& module) {
  const Interface interface(program, rows);
  Names names = interface.names_in(module);
  ReductionLowering(program, interface, names, module).run();
}

}  // namespace stencil::schedule
