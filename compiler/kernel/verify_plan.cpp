// Checks the plan against the kernels. Drivers are printed from the plan and the runtime executes
// it; neither checks again that a slot exists or that an argument has the right type.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

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
    if (!plan_.start.actions.empty()) loop(plan_.start);
    loop(plan_);
    for (const Array& array : plan_.arrays) this->array(array);
    for (const Parameter& parameter : plan_.parameters) {
      if (parameter.derived) expr(parameter.derived, parameter.type, "a derived value");
    }
    for (const Pinned& pinned : plan_.pinned) expr(pinned.derived, pinned.type, "a pinned value");
    for (const Check& check : plan_.checks) expr(check.condition, Scalar::Bool, "a check");
    for (const StepLimit& limit : plan_.step_limits) expr(limit.steps, Scalar::I64, "a step limit");
    if (plan_.default_steps) expr(*plan_.default_steps, Scalar::I64, "the number of steps");
    for (const Expr& extent : plan_.grid) expr(extent, Scalar::I64, "an extent of the grid");
    expr(plan_.points, Scalar::I64, "the number of points");
    for (const Scratch& scratch : plan_.scratch) {
      expr(scratch.elements, Scalar::I64, "the size of scratch memory");
    }
    for (const PointSet& set : plan_.point_sets) point_set(set);
    for (const Reduction& reduction : plan_.reductions) this->reduction(reduction);
    if (plan_.stop) stop(*plan_.stop);
    for (const Exchange& each : plan_.exchanges) exchange(each);
  }

  void operator()(const Launch& launch) {
    if (launch.kernel < 0 || launch.kernel >= static_cast<int>(module_.kernels.size())) {
      return fail(fmt::format("launch of kernel {}, which does not exist", launch.kernel));
    }
    const Kernel& kernel = module_.kernels[launch.kernel];
    const auto& sizes = loop_->tile_sizes;
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
    if (rotate.steps >= 1 && rotate.steps <= loop_->time_tile) return;
    fail(fmt::format("rotation in tiles of {} steps, which do not occur", rotate.steps));
  }
  void operator()(const SwapSlots& swap) {
    slot(swap.array, swap.a, "swap");
    slot(swap.array, swap.b, "swap");
  }
  void operator()(const HaloExchange& halo) {
    if (halo.exchange >= plan_.exchanges.size()) fail("a halo exchange without its messages");
    if (halo.common_tile < 0 || halo.tiles_per_exchange < 1) {
      fail(fmt::format("a halo exchange after {} tiles of {}", halo.tiles_per_exchange,
                       halo.common_tile));
    }
    if (halo.common_tile > 0 && &halo != counted_exchange(*loop_)) {
      fail("a halo exchange that counts tiles follows other actions");
    }
  }
  void operator()(const Repeat& repeat) {
    if (repeat.iterations < 1) fail(fmt::format("a repeat of {} iterations", repeat.iterations));
    if (loop_->time_tile != 1) fail("a repeat needs time tiles of one step");
    loop(repeat);
  }

 private:
  // Checks the actions of a loop and the tiles in which they run.
  void loop(const Loop& loop) {
    const Loop* const outer = std::exchange(loop_, &loop);
    const auto& sizes = loop.tile_sizes;
    if (loop.time_tile < 1) fail(fmt::format("time tile {}", loop.time_tile));
    const bool ordered = std::is_sorted(sizes.rbegin(), sizes.rend()) &&
                         std::adjacent_find(sizes.begin(), sizes.end()) == sizes.end() &&
                         (sizes.empty() || (sizes[0] == loop.time_tile && sizes.back() == 1));
    if (!ordered) fail("tile sizes do not descend from the time tile to 1");
    for (int size : sizes) {
      const bool served =
          std::any_of(loop.actions.begin(), loop.actions.end(), [&](const Action& action) {
            const auto* launch = std::get_if<Launch>(&action);
            return std::holds_alternative<Repeat>(action) || (launch && is_for_tile(*launch, size));
          });
      if (!served) fail(fmt::format("nothing is launched for tiles of {} steps", size));
    }
    for (const Action& action : loop.actions) std::visit(*this, action);
    loop_ = outer;
  }

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
    for (const Scratch& scratch : plan_.scratch) unique(host, scratch.name, "scratch memory");
  }

  void array(const Array& array) {
    if (array.levels < 1 || array.copies < array.levels) {
      fail(fmt::format("array '{}' has {} levels in {} copies", array.name, array.levels,
                       array.copies));
    }
    if (array.extents.empty()) fail(fmt::format("array '{}' has no extents", array.name));
    for (const Expr& extent : array.extents) {
      if (!is_integer(extent->type))
        fail(fmt::format("extent of array '{}' is not an integer", array.name));
      expr(extent, extent->type, "an extent");
    }
    if (array.row_lead && !array.row_pitch) {
      fail(fmt::format("array '{}' has a row lead but no row pitch", array.name));
    }
    for (const Expr& length : {array.row_pitch, array.row_lead}) {
      if (length) expr(length, Scalar::I32, "the layout of rows");
    }
  }

  void result(int scratch, Scalar type, const std::string& what) {
    if (scratch < 0 || scratch >= static_cast<int>(plan_.scratch.size())) {
      return fail(fmt::format("{} leaves no result", what));
    }
    const Scalar kept = plan_.scratch[scratch].type;
    if (kept != type) fail(fmt::format("{} is {} kept as {}", what, name(type), name(kept)));
  }

  void point_set(const PointSet& set) {
    const std::string what = "points '" + set.name + "'";
    for (const auto* bounds : {&set.low, &set.high, &set.first, &set.last}) {
      if (bounds->empty() || bounds->size() != set.low.size()) fail(what + " without bounds");
      for (const Expr& bound : *bounds) expr(bound, Scalar::I64, "a bound of points");
    }
    expr(set.points, Scalar::I64, "the number of points");
    const size_t values = set.low.size() * static_cast<size_t>(set.weighted ? set.width + 1 : 1);
    for (size_t a = 0; a < values; ++a) {
      const size_t array = static_cast<size_t>(set.arrays) + a;
      if (array >= plan_.arrays.size() || plan_.arrays[array].type != Scalar::F64) {
        fail(what + " have no places");
      }
    }
    for (int table :
         {set.slabs, set.starts, set.columns, set.numbers, set.entries, set.firsts, set.counts}) {
      result(table, Scalar::I32, "a table of " + what);
    }
    result(set.weights, set.weight, "the weights of " + what);
  }

  void served_by(const Launch& launch, const std::string& what) {
    if (launch.steps != 0)
      fail(fmt::format("{} is bound to tiles of {} steps", what, launch.steps));
    (*this)(launch);
  }

  void reduction(const Reduction& reduction) {
    const std::string what = "reduction '" + reduction.name + "'";
    if (reduction.every < 1) fail(fmt::format("{} runs every {} steps", what, reduction.every));
    if (reduction.launches.empty() != reduction.in_step) fail(what + " launches nothing");
    if (reduction.in_step) in_step(reduction, what);
    for (const Launch& launch : reduction.launches) served_by(launch, what);
    if (is_sampled(reduction)) {
      if (!reduction.record || reduction.in_step) fail(what + " is sampled but not a record");
      result(reduction.samples, reduction.type, "the samples of " + what);
    }
    if (has_value(reduction)) {
      result(reduction.result, reduction.type, what);
    } else {
      const Array* array = slot(reduction.array, 0, what);
      if (array && array->type != reduction.type) fail(what + " has an array of another type");
      if (array && !array->written) fail(what + " has an array that is never written");
    }
    const bool has_nan = reduction.first_nan != kNoScratch;
    const bool may_be_nan = is_float(reduction.type) && !reduction.record;
    if (has_nan != may_be_nan)
      fail(what + ": only floating-point reductions record their first NaN");
    if (has_nan) result(reduction.first_nan, Scalar::I32, what + ": the step of its first NaN");
  }

  // Some action must compute the reduction, and no tile may contain several evaluations.
  void in_step(const Reduction& reduction, const std::string& what) {
    bool computed = false;
    for_each_action(plan_, [&](const Action& action, const Loop&) {
      const auto* launch = std::get_if<Launch>(&action);
      computed = computed || (launch && writes(*launch, reduction));
    });
    if (!computed) fail(what + " is computed by no action");
    if (plan_.time_tile != 1 || reduction.every != 1) fail(what + " needs time tiles of one step");
    if (reduction.replaced != kNoScratch) result(reduction.replaced, reduction.type, what);
  }

  bool writes(const Launch& launch, const Reduction& reduction) const {
    if (launch.kernel < 0 || launch.kernel >= static_cast<int>(module_.kernels.size()))
      return false;
    size_t argument = 0;
    for (const Buffer& buffer : module_.kernels[launch.kernel].buffers) {
      if (buffer.space != Space::Global || argument >= launch.arrays.size()) continue;
      const ArrayArgument& given = launch.arrays[argument++];
      if (buffer.read_only) continue;
      const bool scratch = given.slot == kScratch;
      if (given.array == (scratch ? reduction.result : reduction.array)) return true;
    }
    return false;
  }

  void stop(const Stop& stop) {
    for (int named : stop.reductions) {
      const bool exists = named >= 0 && named < static_cast<int>(plan_.reductions.size());
      if (exists && has_value(plan_.reductions[named])) continue;
      fail(fmt::format("the stop condition names reduction {}, which does not exist", named));
    }
    served_by(stop.launch, "the stop condition");
    result(stop.result, Scalar::I32, "the stop condition");
  }

  // Only constants and parameters are allowed, each of its own type.
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
    const Array& found = plan_.arrays[array];
    if (slot >= 0 && slot < found.copies) return &found;
    fail(fmt::format("{} of slot {} of array '{}', which has {} copies", what, slot, found.name,
                     found.copies));
    return nullptr;
  }

  static bool same_shape(const std::vector<Expr>& a, const std::vector<Expr>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Expr& x, const Expr& y) { return print(x) == print(y); });
  }

  // Returns true if the memory exists. Reports memory that does not match the kernel's buffer.
  bool suits(const ArrayArgument& argument, const Buffer& global, const Kernel& kernel) {
    const std::string what = "launch of '" + kernel.name + "'";
    const bool scratch = argument.slot == kScratch;
    if (scratch &&
        (argument.array < 0 || argument.array >= static_cast<int>(plan_.scratch.size()))) {
      fail(fmt::format("{} with scratch memory {}, which does not exist", what, argument.array));
      return false;
    }
    const Array* array = scratch ? nullptr : slot(argument.array, argument.slot, what);
    if (!scratch && !array) return false;
    const size_t index = static_cast<size_t>(argument.array);
    const Scalar type = scratch ? plan_.scratch[index].type : array->type;
    const std::string& given = scratch ? plan_.scratch[index].name : array->name;
    if (type != global.type && !(scratch && is_exchanged(argument.array))) {
      fail(fmt::format("{}: '{}' of type {} is passed for '{}' of type {}", what, given, name(type),
                       global.name, name(global.type)));
    }
    if (array && !same_shape(stored_extents(*array), global.extents)) {
      fail(fmt::format("{}: '{}' and '{}' have different extents", what, given, global.name));
    }
    if (array && !array->written && !global.read_only) {
      fail(fmt::format("{} may write to coefficient '{}'", what, given));
    }
    return true;
  }

  // True for exchange buffers, which hold values of several types.
  bool is_exchanged(int scratch) const {
    return std::any_of(plan_.exchanges.begin(), plan_.exchanges.end(),
                       [&](const Exchange& exchange) {
                         return exchange.send == scratch || exchange.receive == scratch;
                       });
  }

  void exchange(const Exchange& exchange) {
    for (int memory : {exchange.send, exchange.receive}) result(memory, Scalar::I64, "an exchange");
    if (exchange.pack) served_by(*exchange.pack, "an exchange");
    if (exchange.unpack) served_by(*exchange.unpack, "an exchange");
    for (const ExchangeMessage& message : exchange.messages) {
      boxes(message.sent, message.send_bytes);
      boxes(message.received, message.receive_bytes);
    }
  }

  // Empty if the message contains scratch memory; otherwise the boxes must cover the whole message.
  void boxes(const std::vector<ExchangeBox>& boxes, int64_t expected) {
    int64_t bytes = 0;
    for (const ExchangeBox& box : boxes) {
      const auto index = static_cast<size_t>(box.array.array);
      if (index >= plan_.arrays.size()) return fail("an exchange of an array that does not exist");
      const Array& array = plan_.arrays[index];
      const size_t rank = array.extents.size();
      int64_t elements = 1;
      for (const int64_t count : box.counts) elements *= count;
      if (box.array.slot < 0 || box.array.slot >= array.copies || box.counts.size() != rank ||
          box.first.size() != rank || elements <= 0) {
        return fail(fmt::format("an exchange of '{}' has an invalid box", array.name));
      }
      bytes += (elements * size_in_bytes(array.type) + 15) / 16 * 16;
    }
    if (!boxes.empty() && bytes != expected)
      fail("the boxes of an exchange do not add up to the size of its message");
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
      if (!suits(argument, *globals[i], kernel)) continue;
      for (size_t j = 0; j < i; ++j) {
        const bool same =
            launch.arrays[j].array == argument.array && launch.arrays[j].slot == argument.slot;
        const bool views = argument.slot == kScratch && is_exchanged(argument.array) &&
                           globals[i]->type != globals[j]->type;
        if (!same || views || (globals[i]->read_only && globals[j]->read_only)) continue;
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
      if (std::holds_alternative<FirstBlock>(launch.scalars[i])) type = Scalar::I64;
      if (const auto* argument = std::get_if<ParameterArgument>(&launch.scalars[i])) {
        if (argument->parameter < 0 ||
            argument->parameter >= static_cast<int>(plan_.parameters.size())) {
          fail(fmt::format("launch of '{}' with parameter {}, which does not exist", kernel.name,
                           argument->parameter));
          continue;
        }
        type = plan_.parameters[argument->parameter].type;
      }
      if (type == kernel.scalars[i].type) continue;
      fail(fmt::format("launch of '{}': scalar '{}' is {} but gets {}", kernel.name,
                       kernel.scalars[i].name, name(kernel.scalars[i].type), name(type)));
    }
  }

  // Each descriptor must describe the memory that its buffer is given.
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
                       kernel.buffers[buffer].name));
    }
  }

  const Module& module_;
  const Plan& plan_;
  Violations& violations_;
  const Loop* loop_ = &plan_;  // in which the current action stands
};

}  // namespace

void verify_plan(const Module& module, Violations& violations) {
  PlanVerifier(module, violations).verify();
}

}  // namespace stencil::kernel
