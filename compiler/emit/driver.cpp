// Host drivers. Drivers for devices and C++ have the same shape, because they print the same plan:
// check sizes, allocate spare copies, run the actions tile by tile, and copy the result into the
// caller's arrays. They differ only in how memory is allocated, copied and freed, and in how a
// kernel is launched.
//
// Slots change roles by exchanging pointers. A spare copy starts with the contents of the newest
// level, because points that no function writes must have their values in every copy. If the newest
// level is in the spare when the loop ends, it is copied into the caller's array.
#include "compiler/emit/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/emit/driver_printer.h"
#include "compiler/emit/writer.h"
#include "compiler/kernel/walk.h"

namespace stencil::emit {

using kernel::Array;
using kernel::Expr;
using kernel::Launch;

bool Driver::moves(int array) const {
  for (const kernel::Action& action : plan_.actions) {
    if (const auto* rotate = std::get_if<kernel::Rotate>(&action)) {
      if (rotate->array == array) return true;
    }
    if (const auto* swap = std::get_if<kernel::SwapSlots>(&action)) {
      if (swap->array == array) return true;
    }
  }
  return false;
}

namespace {

template <class Value>
bool takes(const Launch& launch) {
  return std::any_of(launch.scalars.begin(), launch.scalars.end(),
                     [](const auto& value) { return std::holds_alternative<Value>(value); });
}

}  // namespace

bool Driver::uses_count(const kernel::ActionRange& range) const {
  const auto first = plan_.actions.begin() + static_cast<std::ptrdiff_t>(range.first);
  const auto end = plan_.actions.begin() + static_cast<std::ptrdiff_t>(range.end);
  return std::any_of(first, end, [](const kernel::Action& action) {
    const auto* rotate = std::get_if<kernel::Rotate>(&action);
    const auto* launch = std::get_if<Launch>(&action);
    return (rotate && rotate->steps > 1) || (launch && takes<kernel::StepCount>(*launch));
  });
}
// True if an action outside repeats, a reduction or the stop condition uses the step count of a
// tile.
bool Driver::uses_count() const {
  const std::vector<kernel::ActionRange> ranges = kernel::action_ranges(plan_);
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const auto& range) { return !range.repeat && uses_count(range); }) ||
         std::any_of(plan_.reductions.begin(), plan_.reductions.end(),
                     [](const kernel::Reduction& reduction) {
                       return std::any_of(reduction.launches.begin(), reduction.launches.end(),
                                          takes<kernel::StepCount>);
                     }) ||
         (plan_.stop && takes<kernel::StepCount>(plan_.stop->launch));
}
bool Driver::uses_first_step() const {
  bool found = false;
  kernel::for_each_launch(
      plan_, [&](const Launch& launch) { found = found || takes<kernel::FirstStep>(launch); });
  return found;
}

// --- Memory

// The size in bytes of an array with these extents.
std::string Driver::bytes_of(const Array& array, const std::vector<Expr>& extents) {
  std::string product = fmt::format("(int64_t)sizeof({})", api_.type(array));
  for (const Expr& extent : extents) {
    const bool simple = !std::holds_alternative<kernel::Operation>(extent->kind);
    product +=
        fmt::format("{}* {}", soft_space(0), simple ? text(extent) : "(" + text(extent) + ")");
  }
  return product;
}

void Driver::size(size_t index) {
  const Array& array = plan_.arrays[index];
  out_.line(fmt::format("const int64_t {} = {};", bytes_[index],
                        bytes_of(array, kernel::stored_extents(array))));
}

void Driver::allocate(const std::string& name, const std::string& array, const std::string& bytes) {
  const std::string stream = device_ ? fmt::format("({})", api_.stream()) : "";
  out_.line(fmt::format("stencil_memory {}{};", name, stream));
  out_.line(fmt::format("if (const char* error = {}.allocate(\"{}\", {})) return error;", name,
                        array, bytes));
}

void Driver::copy(const std::string& to, const std::string& from, const std::string& bytes,
                  const char* kind, const std::string& array) {
  if (!device_) {
    out_.line(fmt::format("memcpy({}, {}, (size_t){});", to, from, bytes));
    return;
  }
  device_line(
      fmt::format("STENCIL_TRY(\"copying array {}\",{}"
                  "$apiMemcpyAsync({},{}{},{}(size_t){},{}"
                  "$apiMemcpy{},{}{}));",
                  array, soft_space(1), to, soft_space(2), from, soft_space(2), bytes,
                  soft_space(2), kind, soft_space(2), api_.stream()));
}

// Sets device memory to zero.
void Driver::clear(const std::string& memory, const std::string& bytes, const std::string& array) {
  device_line(
      fmt::format("STENCIL_TRY(\"clearing array {}\",{}"
                  "$apiMemsetAsync({},{}0,{}(size_t){},{}{}));",
                  array, soft_space(1), memory, soft_space(2), soft_space(2), bytes, soft_space(2),
                  api_.stream()));
}

void Driver::declare_copies() {
  copies_.assign(plan_.arrays.size(), {});
  for (const Pointer& pointer : api_.pointers()) {
    copies_[pointer.array].slots.push_back(pointer.name);
  }
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    const Array& array = plan_.arrays[a];
    Copies& copies = copies_[a];
    const bool moving = moves(static_cast<int>(a));
    if (api_.has_slots(a)) {  // slots are the caller's
      copies.pointers = names_.spell(array.name);
      continue;
    }
    // Moving levels to the caller's arrays is a permutation and needs a temporary copy.
    const bool aside = moving && array.copies == array.levels && array.levels > 1;
    const std::string type = api_.type(array);
    for (int spare = array.levels; spare < array.copies + (aside ? 1 : 0); ++spare) {
      const std::string suffix =
          spare == array.levels ? "_spare" : "_spare_" + std::to_string(spare);
      const std::string name = names_.fresh(array.name + suffix);
      allocate(name, array.name, bytes_[a]);
      if (copies.scratch.empty()) copies.scratch = name + ".pointer";
      if (spare >= array.copies) continue;
      copy(name + ".pointer", copies.slots[0], bytes_[a], "DeviceToDevice", array.name);
      copies.slots.push_back(fmt::format("({}*){}.pointer", type, name));
    }
    if (!moving) continue;
    copies.pointers = names_.fresh(array.name + "_slots");
    out_.line(fmt::format("{}* {}[] = {{{}}};", type, copies.pointers, comma_list(copies.slots)));
    for (size_t s = 0; s < copies.slots.size(); ++s) {
      copies.slots[s] = fmt::format("{}[{}]", copies.pointers, s);
    }
  }
}

// --- The loop

// Defines the number of steps of the tile if something depends on it: kernel::steps_of_tile.
void Driver::steps_of_tile() {
  const int tile = plan_.time_tile;
  const bool sizes = plan_.tile_sizes.size() > 1;
  const bool reduces = !plan_.reductions.empty();
  if (tile == 1) {
    if (uses_count()) out_.line(fmt::format("const int {} = 1;", count_));
    return;
  }
  std::string left = fmt::format("{} - {}", api_.steps(), step_);
  if (reduces) {
    out_.line(fmt::format("int64_t {} = {};", left_, left));
    left = left_;
    std::set<int64_t> periods;
    for (const kernel::Reduction& reduction : plan_.reductions) {
      if (!kernel::is_sampled(reduction)) periods.insert(reduction.every);
    }
    if (plan_.stop && plan_.stop->reductions.empty()) periods.insert(1);
    const std::string step = device_ ? step_ : "(" + absolute(step_) + ")";
    for (int64_t every : periods) {
      const std::string until_due = fmt::format("{} - {} % {}", every, step, every);
      out_.line(fmt::format("if ({0} > {1}) {0} = {1};", left_, until_due));
    }
  }
  if (sizes || uses_count() || reduces) {
    largest_tile(count_, tile, plan_.tile_sizes, left, reduces);
  }
}

// Defines a number of steps or iterations: kernel::largest_tile. `name`: `left` is the name of a
// variable and needs no parentheses.
void Driver::largest_tile(const std::string& count, int tile, const std::vector<int>& sizes,
                          const std::string& left, bool name) {
  if (sizes.size() > 1) {
    std::string choice = "1";
    for (size_t i = sizes.size() - 1; i-- > 0;) {
      choice = fmt::format("{0} >= {1} ? {1} : {2}", left, sizes[i], choice);
    }
    out_.line(fmt::format("const int {} = {};", count, choice));
  } else {
    const std::string whole = name ? left : "(" + left + ")";
    out_.line(fmt::format("const int {0} = {1} < {2} ? (int){3} : {2};", count, left, tile, whole));
  }
}

// Opens the loop over the iterations of a repeat, up to its actions.
void Driver::open_repeat(const kernel::ActionRange& range) {
  const kernel::Repeat& repeat = *range.repeat;
  const bool sizes = repeat.tile_sizes.size() > 1;
  const int tile = repeat.time_tile;
  const std::string advance = sizes       ? ""
                              : tile == 1 ? " ++" + iteration_
                                          : fmt::format(" {} += {}", iteration_, tile);
  out_.open(
      fmt::format("for (int {0} = 0; {0} < {1};{2}) {{", iteration_, repeat.iterations, advance));
  if (tile == 1) {
    if (uses_count(range)) out_.line(fmt::format("const int {} = 1;", iterations_));
  } else if (sizes || uses_count(range)) {
    largest_tile(iterations_, tile, repeat.tile_sizes,
                 fmt::format("{} - {}", repeat.iterations, iteration_), false);
  }
  present_count_ = iterations_;
}

void Driver::close_repeat(const kernel::ActionRange& range) {
  if (range.repeat->tile_sizes.size() > 1) {
    out_.line(fmt::format("{} += {};", iteration_, iterations_));
  }
  out_.close();
  present_count_ = count_;
}

// `sizes`: launches depend on the number of steps or iterations.
void Driver::action(const kernel::Action& action, bool sizes) {
  struct Visitor {
    Driver& driver;
    void operator()(const Launch& l) const { driver.launch(l); }
    void operator()(const kernel::Rotate& rotate) const {
      const size_t array = static_cast<size_t>(rotate.array);
      const std::string when =
          rotate.steps == 1 ? ""
                            : fmt::format("if ({} >= {}) ", driver.present_count_, rotate.steps);
      const Copies& copies = driver.copies_[array];
      const size_t count = copies.slots.size();  // the last becomes the first
      driver.out_.line(fmt::format("{0}std::rotate({1}, {1} + {2}, {1} + {3});", when,
                                   copies.pointers, count - 1, count));
    }
    void operator()(const kernel::SwapSlots& swap) const {
      const auto& slots = driver.copies_[swap.array].slots;
      driver.out_.line(fmt::format("std::swap({}, {});", slots[swap.a], slots[swap.b]));
    }
  };
  const auto* launched = std::get_if<Launch>(&action);
  const bool chosen = sizes && launched && launched->steps != 0;
  if (chosen) out_.open(fmt::format("if ({} == {}) {{", present_count_, launched->steps));
  std::visit(Visitor{*this}, action);
  if (chosen) out_.close();
}

void Driver::loop() {
  const int tile = plan_.time_tile;
  const bool sizes = plan_.tile_sizes.size() > 1;
  const bool varies = sizes || !plan_.reductions.empty();  // the tile size
  const std::string advance = varies      ? ""
                              : tile == 1 ? "++" + step_
                                          : fmt::format("{} += {}", step_, tile);
  out_.open(fmt::format("for (int64_t {0} = 0; {0} < {1};{2}{3}) {{", step_, api_.steps(),
                        advance.empty() ? "" : " ", advance));
  steps_of_tile();
  for (const kernel::ActionRange& range : kernel::action_ranges(plan_)) {
    if (range.repeat) open_repeat(range);
    for (size_t i = range.first; i < range.end; ++i) {
      if (answer_point_ == i) wait_for_answer();
      action(plan_.actions[i], range.repeat ? range.repeat->tile_sizes.size() > 1 : sizes);
    }
    if (range.repeat) close_repeat(range);
  }
  if (answer_point_ == plan_.actions.size()) wait_for_answer();
  if (!plan_.reductions.empty()) {
    reduce();
  } else if (sizes) {
    out_.line(fmt::format("{} += {};", step_, count_));
  }
  out_.close();
  if (answer_point_) last_answer();
}

void Driver::bring_home() {
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    const Array& array = plan_.arrays[a];
    const Copies& copies = copies_[a];
    if (copies.pointers.empty() || !array.written || api_.has_slots(a)) continue;
    std::vector<std::string> homes;
    for (const Pointer& pointer : api_.pointers()) {
      if (pointer.array == static_cast<int>(a)) homes.push_back(pointer.name);
    }
    if (array.levels == 1) {
      if (copies.slots.size() == 1) continue;
      out_.open(fmt::format("if ({} != {}) {{", copies.slots[0], homes[0]));
      copy(homes[0], copies.slots[0], bytes_[a], "DeviceToDevice", array.name);
      out_.close();
      continue;
    }
    const std::string name = names_.fresh(array.name + "_homes");
    out_.line(fmt::format("{}* const {}[] = {{{}}};", api_.type(array), name, comma_list(homes)));
    const std::string call =
        fmt::format("stencil_bring_home({},{}{},{}({}*){},{}{}{})", copies.pointers, soft_space(1),
                    name, soft_space(1), api_.type(array), copies.scratch, soft_space(1), bytes_[a],
                    device_ ? ", " + api_.stream() : "");
    if (device_) {
      out_.line(
          fmt::format("STENCIL_TRY(\"copying array {}\",{}{});", array.name, soft_space(0), call));
    } else {
      out_.line(call + ";");
    }
  }
}

// The part that all entry points share: from checked arguments to results in the caller's arrays.
void Driver::advance_body() {
  unused_arguments();
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    if (copied(a)) size(a);
  }
  declare_copies();
  declare_scratch();
  place_points();
  declare_blocks();
  loop();
  bring_home();
  read_reductions();
  out_.line("return NULL;");
  out_.close();
  out_.blank();
}

bool Driver::copied(size_t array) const {
  if (api_.has_slots(array)) return false;
  return plan_.arrays[array].copies > plan_.arrays[array].levels ||
         (plan_.arrays[array].copies > 1 && moves(static_cast<int>(array)));
}

void Driver::unused_arguments() {
  std::set<std::string> used;
  std::set<std::pair<int, int>> slots;
  const auto add = [&](const Expr& expr) {
    kernel::for_each_node(expr, [&](const Expr& node) {
      if (const auto* v = std::get_if<kernel::Variable>(&node->kind)) used.insert(v->name);
    });
  };
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    if (!copied(a)) continue;
    for (int slot = 0; slot < plan_.arrays[a].levels; ++slot) slots.emplace(a, slot);
    for (const Expr& extent : kernel::stored_extents(plan_.arrays[a])) add(extent);
  }
  for (const kernel::Scratch& scratch : plan_.scratch) add(scratch.elements);
  for (const kernel::PointSet& set : plan_.point_sets) {
    add(set.points);
    for (const auto* bounds : {&set.low, &set.high, &set.first, &set.last}) {
      for (const Expr& bound : *bounds) add(bound);
    }
    for (int a = 0; a < kernel::arrays_of(set); ++a) slots.emplace(set.arrays + a, 0);
  }
  kernel::for_each_launch(plan_, [&](const Launch& launch) {
    add(launch.blocks);
    for (const kernel::ArrayArgument& argument : launch.arrays)
      slots.emplace(argument.array, argument.slot);
    for (const kernel::ScalarValue& value : launch.scalars) {
      const auto* parameter = std::get_if<kernel::ParameterArgument>(&value);
      if (parameter) used.insert(plan_.parameters[parameter->parameter].name);
    }
  });
  for (const Pointer& pointer : api_.pointers()) {
    if (slots.count({pointer.array, pointer.level})) continue;
    if (!api_.has_slots(static_cast<size_t>(pointer.array)) || pointer.level == 0)
      out_.line(fmt::format("(void){};", pointer.name));
  }
  for (size_t p = 0; p < plan_.parameters.size(); ++p) {
    if (used.count(plan_.parameters[p].name)) continue;
    out_.line(fmt::format("(void){};", api_.parameter_name(static_cast<int>(p))));
  }
  // The checks whether a reduction or the stop condition is due use the first step.
  const auto& reductions = plan_.reductions;
  const bool asks =
      std::any_of(reductions.begin(), reductions.end(), [&](const kernel::Reduction& r) {
        return r.every > 1 || (plan_.time_tile > 1 && !kernel::is_sampled(r));
      });
  const bool stops = plan_.stop && plan_.stop->reductions.empty() && plan_.time_tile > 1;
  const bool counted = uses_first_step() || asks || (stops && !reductions.empty());
  if ((!device_ || api_.box()) && !counted) out_.line(fmt::format("(void){};", first_step_));
}

// --- Entry points

// The last arguments of the function that an entry point calls. On devices this function is another
// entry point.
std::vector<std::string> Driver::tail_arguments(const std::string& results) const {
  std::vector<std::string> items;
  if (device_ && api_.has_params()) items.push_back("&" + api_.values());
  for (size_t p = 0; !device_ && p < plan_.parameters.size(); ++p) {
    items.push_back(api_.parameter_name(static_cast<int>(p)));
  }
  if (api_.has_results()) items.push_back(results);
  return items;
}

std::string Driver::argument_names(const std::vector<std::string>& between,
                                   const std::string& results) const {
  std::vector<std::string> items = api_.array_arguments();
  items.insert(items.end(), between.begin(), between.end());
  for (const std::string& argument : tail_arguments(results)) items.push_back(argument);
  return comma_list(items);
}

// The entry point on device arrays of the plan's layout.
void Driver::run_device() {
  const bool padded = kernel::is_padded(plan_);
  out_.comment(padded ? "The same on device pointers, with rows that are padded; asynchronous, in "
                        "the order of the\nstream."
                      : "The same on device pointers; asynchronous, in the order of the stream.");
  out_.open("extern \"C\" " + device_signature(padded ? "_padded" : "_device") + " {");
  results_given(true);
  take_params(all_parameters());
  check_run(api_.steps(), "0", padded);
  advance_body();
}

void Driver::open_advance(const std::string& name) {
  const std::string tail = api_.tail_list();
  std::vector<std::string> items = {api_.array_list(), "int64_t " + api_.steps(),
                                    "int64_t " + first_step_};
  if (!tail.empty()) items.push_back(tail);
  out_.open(fmt::format("static const char* {}({}) {{", name, comma_list(items)));
}

void Driver::advance(const std::string& name) {
  open_advance(name);
  advance_body();
}

void Driver::run_from_host(const std::string& advance) {
  out_.comment("Runs the given number of steps; the result replaces the contents of the arrays.");
  out_.open("extern \"C\" " + api_.run_signature() + " {");
  results_given(true);
  take_params(all_parameters());
  check_run(api_.steps(), "0");
  out_.line(
      fmt::format("return {}({});", advance, argument_names({api_.steps(), "0"}, api_.results())));
  out_.close();
  out_.blank();
}

// Prepares results that may continue an earlier run: checks that the evaluation counts leave room
// for this run, and resets the number of steps done.
void Driver::go_on_from(const std::string& results) {
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    out_.open(fmt::format("if ((uint64_t)({})->{} > INT64_MAX / 2) {{", results,
                          api_.reductions()[r].evaluations));
    out_.line(fmt::format("return \"results: the evaluation count of {} is out of range\";",
                          plan_.reductions[r].name));
    out_.close();
  }
  out_.line(fmt::format("({})->{} = 0;", results, api_.steps_done()));
}

void Driver::run_packed(const std::string& advance) {
  out_.comment(
      "The same with packed arguments: pointers to the arrays in the order above, pointers to the\n"
      "values of the params. Steps are counted from first_step.");
  out_.open("extern \"C\" " + api_.run_packed_signature() + " {");
  refuse_null("arrays");
  if (api_.has_params()) {
    out_.line(fmt::format("{} {} = {}_default_params();", api_.params_type(), api_.values(),
                          module_.name));
    for (size_t p = 0; p < plan_.parameters.size(); ++p) {
      const int parameter = static_cast<int>(p);
      out_.line(
          fmt::format("if (parameters && parameters[{0}]) {1}.{2} ={3}"
                      "*(const {4}*)parameters[{0}];",
                      p, api_.values(), api_.parameter_name(parameter), soft_space(0),
                      api_.parameter_type(parameter)));
    }
    name_params(all_parameters());
  } else {
    out_.line("(void)parameters;");
  }
  std::vector<std::string> items;
  for (size_t i = 0; i < api_.pointers().size(); ++i) {
    items.push_back(fmt::format("({})arrays[{}]", api_.pointer_type(api_.pointers()[i]), i));
  }
  items.insert(items.end(), {"steps", "first_step"});
  for (size_t p = 0; p < plan_.parameters.size(); ++p) {
    items.push_back(api_.parameter_name(static_cast<int>(p)));
  }
  if (api_.has_results()) {
    items.push_back(fmt::format("({}*)arrays[{}]", api_.results_type(), api_.pointers().size()));
    out_.line(fmt::format("if (!arrays[{}]) return \"argument {} is NULL\";",
                          api_.pointers().size(), api_.results()));
  }
  check(check_arguments("steps == 0 ? NULL : arrays", "steps", "first_step", false));
  if (api_.has_results()) go_on_from(items.back());
  out_.line("if (steps == 0) return NULL;");
  out_.line(fmt::format("return {}({});", advance, comma_list(items)));
  out_.close();
  out_.blank();
}

host_ir::Options host_options(const Dialect& dialect, bool box) {
  return {dialect.has_device() && !box, dialect.has_device()};
}

void driver(Text& out, const kernel::Module& module, const HostApi& api, Names& names,
            ExpressionPrinter& expressions, const Dialect& dialect, const InitialValues* initial,
            bool all_given) {
  Driver driver(out, module, api, names, expressions, dialect, all_given);
  driver.params_functions();
  driver.check_function();
  if (initial) driver.init(*initial);
  if (dialect.has_device()) {
    driver.run_device();
    if (kernel::is_padded(module.plan)) driver.run_on_dense_arrays();
    driver.run_on_host_arrays();
  } else {
    std::string advance = names.fresh(module.name + "_advance");
    driver.advance(advance);
    if (kernel::is_padded(module.plan)) {
      const std::string dense = names.fresh(module.name + "_advance_dense");
      driver.advance_dense(dense, std::exchange(advance, dense));
    }
    driver.run_from_host(advance);
    driver.run_packed(advance);
  }
}

void advance_function(Text& out, const kernel::Module& module, const HostApi& api, Names& names,
                      ExpressionPrinter& expressions) {
  Driver(out, module, api, names, expressions, cpp_dialect()).advance("advance");
}

}  // namespace stencil::emit
