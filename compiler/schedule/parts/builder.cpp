// Keeps a kernel's buffers and its launch's arguments in step while a schedule writes the body.
#include "compiler/schedule/parts/builder.h"

#include <set>

#include "compiler/kernel/walk.h"
#include "compiler/schedule/parts/statements.h"

namespace stencil::schedule {

using kernel::Expr;

namespace {

// Gives the kernel a scalar argument for each param, first_step and steps that its body and buffers
// name, and the launch the values to pass.
void bind_scalars(const kernel::Plan& plan, kernel::Kernel& kernel, kernel::Launch& launch) {
  std::set<std::string> used = kernel::variables_in(kernel.body);
  for (const kernel::Buffer& buffer : kernel.buffers) {
    for (const Expr& extent : buffer.extents) {
      kernel::for_each_node(extent, [&](const Expr& node) {
        if (const auto* variable = std::get_if<kernel::Variable>(&node->kind)) {
          used.insert(variable->name);
        }
      });
    }
  }
  for (size_t p = 0; p < plan.parameters.size(); ++p) {
    const kernel::Parameter& parameter = plan.parameters[p];
    if (!used.count(parameter.name)) continue;
    kernel.scalars.push_back({parameter.name, parameter.type});
    launch.scalars.push_back(kernel::ParameterArgument{static_cast<int>(p)});
  }
  if (used.count("first_step")) {
    kernel.scalars.push_back({"first_step", Scalar::I32});
    launch.scalars.push_back(kernel::FirstStep{});
  }
  if (used.count("steps")) {
    kernel.scalars.push_back({"steps", Scalar::I32});
    launch.scalars.push_back(kernel::StepCount{});
  }
}

// Of a sum over points.
Scalar type_at_points(const Interface& interface, const ir::Access& access) {
  const ir::Field& field = interface.program().fields[static_cast<size_t>(access.field)];
  if (field.is_point_set()) return interface.program().real;
  return arithmetic_type(field.components[static_cast<size_t>(access.component)].type);
}

}  // namespace

KernelBuilder::KernelBuilder(const Interface& interface, const kernel::Module& module,
                             std::string name, std::string comment)
    : interface_(interface), module_(module), scope_(interface.names()) {
  for (const kernel::NamedConstant& constant : module.constants) names().reserve(constant.name);
  kernel_.name = std::move(name);
  kernel_.comment = std::move(comment);
}

Expr KernelBuilder::constant(kernel::Module& module, const std::string& wanted, int64_t value,
                             std::string comment) {
  std::set<std::string> elsewhere;
  for (const kernel::Kernel& kernel : module.kernels) elsewhere.merge(kernel::names_in(kernel));
  std::string name;
  do {
    name = names().unique(wanted);
  } while (elsewhere.count(name));
  module.constants.push_back({name, Scalar::I32, value, std::move(comment)});
  return kernel::variable(name);
}

kernel::BufferId KernelBuilder::global(ir::FieldId field, int component, int slot, bool stored) {
  const int array = interface_.array_of(field, component);
  const auto [entry, fresh] =
      globals_.try_emplace({array, slot}, static_cast<int>(kernel_.buffers.size()));
  if (fresh) {
    kernel_.buffers.push_back(interface_.global_buffer(
        field, component, interface_.slot_name(field, component, slot), true));
    arguments_.push_back({entry->second, kernel::ArrayArgument{array, slot}});
  }
  if (stored) kernel_.buffers[static_cast<size_t>(entry->second)].read_only = false;
  return entry->second;
}

kernel::BufferId KernelBuilder::scratch(const kernel::Plan& plan, int index, bool stored) {
  const kernel::Scratch& memory = plan.scratch[static_cast<size_t>(index)];
  kernel::Buffer buffer;
  buffer.name = names().unique(memory.name);
  buffer.type = memory.type;
  buffer.space = kernel::Space::Global;
  buffer.extents = {memory.elements};
  buffer.read_only = !stored;
  const kernel::BufferId id = static_cast<int>(kernel_.buffers.size());
  kernel_.buffers.push_back(std::move(buffer));
  arguments_.push_back({id, kernel::ArrayArgument{index, kernel::kScratch}});
  return id;
}

Expr KernelBuilder::load_reduction(const ir::ReductionRef& read) {
  const kernel::Reduction& reduction = module_.plan.reductions[static_cast<size_t>(read.reduction)];
  const int memory = read.replaced ? reduction.replaced : reduction.result;
  const auto known = values_.find(memory);
  const kernel::BufferId buffer = known != values_.end()
                                      ? known->second
                                      : values_[memory] = scratch(module_.plan, memory, false);
  return kernel::load(buffer, {kernel::integer(0)}, reduction.type);
}

kernel::BufferId KernelBuilder::local(kernel::Space space, const std::string& name, Scalar type,
                                      std::vector<Expr> extents, std::string comment) {
  kernel::Buffer buffer;
  buffer.name = names().unique(name);
  buffer.type = type;
  buffer.space = space;
  buffer.extents = std::move(extents);
  buffer.comment = std::move(comment);
  kernel_.buffers.push_back(std::move(buffer));
  return static_cast<int>(kernel_.buffers.size()) - 1;
}

int KernelBuilder::boxes(ir::FieldId field, int component, int slot, const std::vector<int>& box) {
  const kernel::BufferId buffer = global(field, component, slot, false);
  for (size_t s = 0; s < kernel_.bulk_sources.size(); ++s) {
    const kernel::BulkSource& source = kernel_.bulk_sources[s];
    if (source.buffer == buffer && source.box == box) return static_cast<int>(s);
  }
  const std::string& name = kernel_.buffers[static_cast<size_t>(buffer)].name;
  kernel_.bulk_sources.push_back({names().unique(name + "_boxes"), buffer, box});
  described_.push_back({interface_.array_of(field, component), slot});
  return static_cast<int>(kernel_.bulk_sources.size()) - 1;
}

Expr KernelBuilder::load_global(const ir::Access& access, const Point& point) {
  return load_global(access, land(interface_, access, point));
}

Expr KernelBuilder::load_global(const ir::Access& access, const Landing& landing) {
  const ir::Field& field = interface_.program().fields[static_cast<size_t>(access.field)];
  const kernel::BufferId buffer = global(access.field, access.component, access.level, false);
  const Scalar stored = field.components[static_cast<size_t>(access.component)].type;
  Expr value = kernel::load(buffer, interface_.index(landing.point, access.field, access.component),
                            arithmetic_type(stored));
  return apply_boundary(landing, std::move(value));
}

Expr KernelBuilder::load_in_place(const ir::Access& access, Landings& landings,
                                  const Within& within) {
  const ir::Field& field = interface_.program().fields[static_cast<size_t>(access.field)];
  Landing landing = landings.land(access);
  if (access.at_points && no_points_) return kernel::zero(type_at_points(interface_, access));
  if (access.at_points) {
    Point at = landings.from();
    for (int d = 0; d < interface_.rank() && within; ++d) {
      Expr& coordinate = at[static_cast<size_t>(d)];
      coordinate = within(d, coordinate);
    }
    return sum_at_points(access, landing, at, landings);
  }
  for (size_t d = 0; d < landing.point.size() && within; ++d) {
    if (field.dimension(d) == ir::kTime) continue;
    landing.point[d] = within(static_cast<int>(d), landing.point[d]);
  }
  return load_global(access, landing);
}

kernel::BufferId KernelBuilder::table(int memory) {
  const auto known = tables_.find(memory);
  if (known != tables_.end()) return known->second;
  return tables_[memory] = scratch(module_.plan, memory, false);
}

Expr KernelBuilder::slab_of(const kernel::PointSet& set, const Expr& plane) {
  const bool planes = interface_.rank() > 1;
  const Expr index = planes ? kernel::sub(plane, interface_.low(interface_.program().grid, 0))
                            : kernel::integer(0);
  return kernel::load(table(set.slabs), {index}, Scalar::I32);
}

kernel::Body KernelBuilder::by_points(const std::set<ir::FieldId>& sets, const Expr& plane,
                                      const std::function<kernel::Body()>& make) {
  if (sets.empty()) return make();
  std::vector<Expr> none;
  for (const ir::FieldId set : sets) {
    none.push_back(kernel::less(slab_of(interface_.point_set(set), plane), kernel::integer(0)));
  }
  no_points_ = true;
  kernel::Body without = make();
  no_points_ = false;
  return guarded(kernel::all_of(std::move(none)), std::move(without), make());
}

// The slab of the plane is the same for all points of a plane, and of most planes there is none.
Expr KernelBuilder::sum_at_points(const ir::Access& access, const Landing& landing, const Point& at,
                                  Landings& landings) {
  const ir::Field& field = interface_.program().fields[static_cast<size_t>(access.field)];
  const kernel::PointSet& set = interface_.point_set(*field.points);
  const ir::Box& grid = interface_.program().grid;
  const Scalar type = type_at_points(interface_, access);
  const auto let = [](kernel::Body& body, const std::string& name, const Expr& value) {
    body.push_back({kernel::Let{name, value}});
    return kernel::variable(name, value->type);
  };
  const auto from_low = [&](int d) {
    return kernel::sub(at[static_cast<size_t>(d)], interface_.low(grid, d));
  };
  Names& names = landings.names();
  kernel::Body& body = landings.body();
  const int last = interface_.rank() - 1;
  const kernel::BufferId total = local(kernel::Space::Thread, "at_points", type, {}, "");
  body.push_back({kernel::Store{total, {}, kernel::zero(type)}});
  const Expr slab = let(body, names.unique("slab"), slab_of(set, at[0]));

  kernel::Body in_slab;
  Expr row = kernel::convert(slab, Scalar::I64);
  const auto in_rows = [&](const Expr& extent, const Expr& index) {
    row = kernel::add(kernel::mul(row, kernel::convert(extent, Scalar::I64)),
                      kernel::convert(index, Scalar::I64));
  };
  for (int d = 1; d < last; ++d) in_rows(interface_.extent(grid, d), from_low(d));
  const auto bucket_of = [](const Expr& index) {
    return kernel::operation(Op::Div, {index, kernel::integer(kernel::kPointBucket)});
  };
  const Expr farthest = kernel::sub(interface_.extent(grid, last), kernel::integer(1));
  in_rows(kernel::add(bucket_of(farthest), kernel::integer(1)), bucket_of(from_low(last)));
  const Expr bucket = let(in_slab, names.unique("bucket"), row);
  const auto start = [&](const Expr& at_bucket) {
    return kernel::load(table(set.starts), {at_bucket}, Scalar::I32);
  };
  const std::string entry_name = names.unique("entry");
  const Expr entry = kernel::variable(entry_name);
  Expr weight = kernel::convert(kernel::load(table(set.weights), {entry}, set.weight), type);
  if (!field.is_point_set()) {
    Landing of_point = landing;
    of_point.point.push_back(kernel::add(kernel::load(table(set.numbers), {entry}, Scalar::I32),
                                         interface_.low(field.box, field.box.rank() - 1)));
    weight = kernel::mul(weight, load_global(access, of_point));
  }
  const Expr here = kernel::operation(
      Op::Eq,
      {kernel::load(table(set.columns), {entry}, Scalar::I32), at[static_cast<size_t>(last)]});
  kernel::Body add, per_entry;
  add.push_back({kernel::Store{total, {}, kernel::add(kernel::load(total, {}, type), weight)}});
  per_entry.push_back({kernel::If{here, std::move(add), {}}});
  in_slab.push_back({kernel::For{kernel::LoopKind::Serial, entry_name, start(bucket),
                                 start(kernel::add(bucket, kernel::integer(1, Scalar::I64))), 1,
                                 std::move(per_entry)}});
  body.push_back(
      {kernel::If{kernel::less_equal(kernel::integer(0), slab), std::move(in_slab), {}}});
  return let(body, names.unique("given"), kernel::load(total, {}, type));
}

void KernelBuilder::store_global(ir::FieldId field, int component, int slot, const Point& point,
                                 Expr value, kernel::Body& body) {
  const kernel::BufferId buffer = global(field, component, slot, true);
  body.push_back(
      {kernel::Store{buffer, interface_.index(point, field, component), std::move(value)}});
}

kernel::Launch KernelBuilder::launch(Expr blocks, kernel::Module& module) {
  kernel::Launch launch;
  launch.kernel = static_cast<int>(module.kernels.size());
  launch.blocks = std::move(blocks);
  for (const auto& [buffer, argument] : arguments_) launch.arrays.push_back(argument);
  launch.bulk_sources = described_;
  kernel_.body = scope_.ahead_of(std::move(kernel_.body));
  bind_scalars(module.plan, kernel_, launch);
  module.kernels.push_back(std::move(kernel_));
  return launch;
}

void KernelBuilder::finish(Expr blocks, kernel::Module& module) {
  module.plan.actions.push_back(launch(std::move(blocks), module));
}

}  // namespace stencil::schedule
