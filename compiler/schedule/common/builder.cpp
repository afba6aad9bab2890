// Builds a kernel. Keeps its buffers and its launch's arguments consistent while a schedule writes
// the body.
#include "compiler/schedule/common/builder.h"

#include <set>

#include "compiler/kernel/walk.h"
#include "compiler/schedule/common/statements.h"

namespace stencil::schedule {

using kernel::Expr;

namespace {

// Adds a scalar argument to the kernel for each param, first_step and steps that its body or
// buffers use, and the corresponding values to the launch.
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

Expr KernelBuilder::number_of(kernel::Module& module, const std::string& wanted, int64_t value,
                              const std::string& comment) {
  if (value <= 1) return kernel::integer(value);
  for (const kernel::NamedConstant& known : module.constants) {
    if (known.value == value && known.comment == comment) return kernel::variable(known.name);
  }
  return constant(module, wanted, value, comment);
}

void KernelBuilder::set_block(kernel::Module& module, const Shape& threads, const Shape& elements) {
  const auto named = [&](const std::string& stem, size_t axis, int64_t value, const char* what) {
    const Expr number =
        number_of(module, stem + kAxes[axis], value, what + std::string(kAxes[axis]));
    const auto* constant = std::get_if<kernel::Variable>(&number->kind);
    return constant ? kernel::named_integer(value, constant->name) : number;
  };
  kernel_.threads = threads;
  for (size_t axis = kMaxRank; axis-- > 0;) {
    threads_[axis] = named("threads_", axis, threads[axis], "threads of a block in ");
    kernel_.thread_counts[axis] = std::get<kernel::IntegerLiteral>(threads_[axis]->kind).name;
  }
  for (size_t axis = kMaxRank; axis-- > 0;) {
    elements_[axis] = named("elements_", axis, elements[axis], "points of a thread in ");
  }
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
  if (stored) kernel_.buffers[entry->second].read_only = false;
  return entry->second;
}

kernel::BufferId KernelBuilder::scratch(const kernel::Plan& plan, int index, bool stored) {
  const kernel::Scratch& memory = plan.scratch[index];
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

kernel::BufferId KernelBuilder::view(const kernel::Plan& plan, int index, Scalar type,
                                     bool stored) {
  const kernel::Scratch& memory = plan.scratch[index];
  const kernel::BufferId id = scratch(plan, index, stored);
  kernel::Buffer& buffer = kernel_.buffers[id];
  const int64_t factor = size_in_bytes(memory.type) / size_in_bytes(type);
  buffer.type = type;
  buffer.extents = {kernel::mul(memory.elements, kernel::integer(factor, Scalar::I64))};
  return id;
}

Expr KernelBuilder::load_reduction(const ir::ReductionRef& read) {
  const kernel::Reduction& reduction = module_.plan.reductions[read.reduction];
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
  const std::string& name = kernel_.buffers[buffer].name;
  kernel_.bulk_sources.push_back({names().unique(name + "_boxes"), buffer, box});
  described_.push_back({interface_.array_of(field, component), slot});
  return static_cast<int>(kernel_.bulk_sources.size()) - 1;
}

Expr KernelBuilder::load_global(const ir::Access& access, const Point& point) {
  return load_global(access, resolve(interface_, access, point));
}

Expr KernelBuilder::load_global(const ir::Access& access, const ResolvedAccess& resolved) {
  const ir::Field& field = interface_.program().fields[access.field];
  const kernel::BufferId buffer = global(access.field, access.component, access.level, false);
  const Scalar stored = field.components[access.component].type;
  Expr value =
      kernel::load(buffer, interface_.index(resolved.point, access.field, access.component),
                   arithmetic_type(stored));
  return apply_boundary(resolved, std::move(value));
}

Expr KernelBuilder::load_in_place(const ir::Access& access, AccessResolver& resolver,
                                  const Within& within) {
  if (access.at_points) return given_at_points(access, resolver, within);
  const ir::Field& field = interface_.program().fields[access.field];
  ResolvedAccess resolved = resolver.resolve(access);
  for (size_t d = 0; d < resolved.point.size() && within; ++d) {
    if (field.dimension(d) == ir::kTime) continue;
    resolved.point[d] = within(static_cast<int>(d), resolved.point[d]);
  }
  return load_global(access, resolved);
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
