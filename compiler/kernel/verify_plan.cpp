// The plan against the kernels: the driver is printed from it and the runtime executes it, neither
// of which asks again whether a slot exists or an argument has the right type.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/kernel/passes.h"
#include "compiler/kernel/verify.h"
#include "compiler/kernel/walk.h"

namespace stencil::kernel {

namespace {

class PlanVerifier {
 public:
  PlanVerifier(const Module& module, Violations& violations)
      : module_(module), plan_(module.plan), violations_(violations) {}

  void verify() {
    names();
    if (plan_.time_tile < 1) fail(fmt::format("time tile {}", plan_.time_tile));
    const auto& sizes = plan_.tile_sizes;
    const bool ordered = std::is_sorted(sizes.rbegin(), sizes.rend()) &&
                         std::adjacent_find(sizes.begin(), sizes.end()) == sizes.end() &&
                         (sizes.empty() || (sizes[0] == plan_.time_tile && sizes.back() == 1));
    if (!ordered) fail("tile sizes do not descend from the time tile to 1");
    for (int size : sizes) {
      const bool served =
          std::any_of(plan_.actions.begin(), plan_.actions.end(), [&](const Action& action) {
            const auto* launch = std::get_if<Launch>(&action);
            return launch && (launch->steps == 0 || launch->steps == size);
          });
      if (!served) fail(fmt::format("nothing is launched for tiles of {} steps", size));
    }
    for (const Array& array : plan_.arrays) this->array(array);
    for (const Check& check : plan_.checks) expr(check.condition, Scalar::Bool, "a check");
    if (plan_.default_steps) expr(*plan_.default_steps, Scalar::I64, "the number of steps");
    expr(plan_.points, Scalar::I64, "the number of points");
    for (const Action& action : plan_.actions) std::visit(*this, action);
  }

  void operator()(const Launch& launch) {
    if (launch.kernel < 0 || launch.kernel >= static_cast<int>(module_.kernels.size())) {
      return fail(fmt::format("launch of kernel {}, which does not exist", launch.kernel));
    }
    const Kernel& kernel = module_.kernels[static_cast<size_t>(launch.kernel)];
    const auto& sizes = plan_.tile_sizes;
    if (launch.steps != 0 && std::find(sizes.begin(), sizes.end(), launch.steps) == sizes.end()) {
      fail(fmt::format("launch for tiles of {} steps, which do not occur", launch.steps));
    }
    expr(launch.blocks, Scalar::I64, "the number of blocks");
    array_arguments(launch, kernel);
    scalar_arguments(launch, kernel);
    bulk_sources(launch, kernel);
  }
  void operator()(const Rotate& rotate) {
    slot(rotate.array, 0, "rotation");
    if (rotate.steps >= 1 && rotate.steps <= plan_.time_tile) return;
    fail(fmt::format("rotation in tiles of {} steps, which do not occur", rotate.steps));
  }
  void operator()(const Exchange& exchange) {
    slot(exchange.array, exchange.a, "exchange");
    slot(exchange.array, exchange.b, "exchange");
  }

 private:
  void fail(const std::string& message) { violations_.add("", message); }

  void unique(std::set<std::string>& taken, const std::string& name, const char* what) {
    if (name.empty()) fail(fmt::format("{} without a name", what));
    if (!taken.insert(name).second)
      fail(fmt::format("{} '{}' has a name that is taken", what, name));
  }

  void names() {
    std::set<std::string> file, host;
    for (const NamedConstant& constant : module_.constants) {
      unique(file, constant.name, "constant");
      host.insert(constant.name);
    }
    for (const Kernel& kernel : module_.kernels) unique(file, kernel.name, "kernel");
    for (const Array& array : plan_.arrays) unique(host, array.name, "array");
    for (const Parameter& parameter : plan_.parameters) unique(host, parameter.name, "parameter");
  }

  void array(const Array& array) {
    if (array.levels < 1 || array.copies < array.levels) {
      fail(fmt::format("array '{}' has {} levels in {} copies", array.name, array.levels,
                       array.copies));
    }
    if (array.extents.empty()) fail(fmt::format("array '{}' has no extents", array.name));
    for (const Expr& extent : array.extents) {
      if (!is_integer(extent->type))
        fail(fmt::format("extent of array '{}' is no integer", array.name));
      expr(extent, extent->type, "an extent");
    }
  }

  // Constants and parameters only, each of its own type.
  void expr(const Expr& expr, Scalar type, const char* what) {
    if (!expr) return fail(fmt::format("{} is missing", what));
    if (expr->type != type) {
      fail(fmt::format("{} '{}' is {} instead of {}", what, print(expr), name(expr->type),
                       name(type)));
    }
    for_each_node(expr, [&](const Expr& node) {
      if (std::holds_alternative<Load>(node->kind)) fail(fmt::format("{} reads memory", what));
      if (const auto* operation = std::get_if<Operation>(&node->kind)) {
        if (!well_typed(*operation, node->type))
          fail(fmt::format("operand types of '{}'", print(node)));
      }
      if (const auto* variable = std::get_if<Variable>(&node->kind)) {
        if (scalar_type(variable->name) == node->type) return;
        fail(fmt::format("{} '{}' uses '{}', no {} constant or parameter", what, print(expr),
                         variable->name, name(node->type)));
      }
    });
  }

  std::optional<Scalar> scalar_type(const std::string& name) const {
    for (const NamedConstant& constant : module_.constants) {
      if (constant.name == name) return constant.type;
    }
    for (const Parameter& parameter : plan_.parameters) {
      if (parameter.name == name) return parameter.type;
    }
    return std::nullopt;
  }

  const Array* slot(int array, int slot, const std::string& what) {
    if (array < 0 || array >= static_cast<int>(plan_.arrays.size())) {
      fail(fmt::format("{} of array {}, which does not exist", what, array));
      return nullptr;
    }
    const Array& found = plan_.arrays[static_cast<size_t>(array)];
    if (slot >= 0 && slot < found.copies) return &found;
    fail(fmt::format("{} of slot {} of array '{}', which has {} copies", what, slot, found.name,
                     found.copies));
    return nullptr;
  }

  void array_arguments(const Launch& launch, const Kernel& kernel) {
    std::vector<const Buffer*> globals;
    for (const Buffer& buffer : kernel.buffers) {
      if (buffer.space == Space::Global) globals.push_back(&buffer);
    }
    if (globals.size() != launch.arrays.size()) {
      return fail(fmt::format("launch of '{}' with {} arrays instead of {}", kernel.name,
                              launch.arrays.size(), globals.size()));
    }
    for (size_t i = 0; i < globals.size(); ++i) {
      const ArrayArgument& argument = launch.arrays[i];
      const Array* array = slot(argument.array, argument.slot, "launch of '" + kernel.name + "'");
      if (!array) continue;
      if (array->type != globals[i]->type) {
        fail(fmt::format("launch of '{}': '{}' of {} for '{}' of {}", kernel.name, array->name,
                         name(array->type), globals[i]->name, name(globals[i]->type)));
      }
      if (!array->written && !globals[i]->read_only) {
        fail(fmt::format("launch of '{}' may write to coefficient '{}'", kernel.name, array->name));
      }
      for (size_t j = 0; j < i; ++j) {
        const bool same =
            launch.arrays[j].array == argument.array && launch.arrays[j].slot == argument.slot;
        if (!same || (globals[i]->read_only && globals[j]->read_only)) continue;
        fail(fmt::format("launch of '{}': '{}' and '{}' are the same memory", kernel.name,
                         globals[j]->name, globals[i]->name));
      }
    }
  }

  void scalar_arguments(const Launch& launch, const Kernel& kernel) {
    if (launch.scalars.size() != kernel.scalars.size()) {
      return fail(fmt::format("launch of '{}' with {} scalars instead of {}", kernel.name,
                              launch.scalars.size(), kernel.scalars.size()));
    }
    for (size_t i = 0; i < launch.scalars.size(); ++i) {
      Scalar type = Scalar::I32;  // of FirstStep and StepCount
      if (const auto* argument = std::get_if<ParameterArgument>(&launch.scalars[i])) {
        if (argument->parameter < 0 ||
            argument->parameter >= static_cast<int>(plan_.parameters.size())) {
          fail(fmt::format("launch of '{}' with parameter {}, which does not exist", kernel.name,
                           argument->parameter));
          continue;
        }
        type = plan_.parameters[static_cast<size_t>(argument->parameter)].type;
      }
      if (type == kernel.scalars[i].type) continue;
      fail(fmt::format("launch of '{}': scalar '{}' is {} but gets {}", kernel.name,
                       kernel.scalars[i].name, name(kernel.scalars[i].type), name(type)));
    }
  }

  // Each describes the memory that its buffer is given.
  void bulk_sources(const Launch& launch, const Kernel& kernel) {
    if (launch.bulk_sources.size() != kernel.bulk_sources.size()) {
      return fail(fmt::format("launch of '{}' with {} boxes instead of {}", kernel.name,
                              launch.bulk_sources.size(), kernel.bulk_sources.size()));
    }
    for (size_t i = 0; i < launch.bulk_sources.size(); ++i) {
      const auto first = kernel.buffers.begin();
      const BufferId buffer = kernel.bulk_sources[i].buffer;
      if (buffer < 0 || buffer >= static_cast<int>(kernel.buffers.size())) continue;
      const auto argument =
          static_cast<size_t>(std::count_if(first, first + buffer, [](const Buffer& earlier) {
            return earlier.space == Space::Global;
          }));
      if (argument >= launch.arrays.size()) continue;
      const ArrayArgument& given = launch.arrays[argument];
      const ArrayArgument& described = launch.bulk_sources[i];
      if (given.array == described.array && given.slot == described.slot) continue;
      fail(fmt::format("launch of '{}': boxes of other memory than '{}'", kernel.name,
                       kernel.buffers[static_cast<size_t>(buffer)].name));
    }
  }

  const Module& module_;
  const Plan& plan_;
  Violations& violations_;
};

}  // namespace

void verify_plan(const Module& module, Violations& violations) {
  PlanVerifier(module, violations).verify();
}

}  // namespace stencil::kernel
