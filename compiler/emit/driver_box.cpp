// Entry points for boxes. They take the bounds of a box, compute the params of the box program that
// the user does not give, and continue as ordinary entry points do.
#include <fmt/format.h>

#include "compiler/emit/driver_printer.h"
#include "compiler/kernel/walk.h"

namespace stencil::emit {

// In an entry point for boxes: takes all params and defines locals for those in `locals`, including
// the params of the box.
void Driver::take_box(const std::set<std::string>& locals) {
  refuse_null(api_.box_argument());
  std::set<std::string> needed = locals;
  for (size_t p = plan_.parameters.size(); p-- > api_.given();) {
    const kernel::Parameter& parameter = plan_.parameters[p];
    if (!parameter.derived || !needed.count(parameter.name)) continue;
    needed.merge(kernel::variables_in(parameter.derived));
  }
  if (api_.has_params()) {
    params_or_defaults();
    name_params(needed);
  }
  for (size_t p = api_.given(); p < plan_.parameters.size(); ++p) {
    const kernel::Parameter& parameter = plan_.parameters[p];
    if (!needed.count(parameter.name)) continue;
    const size_t bound = p - api_.given();
    const std::string value =
        parameter.derived
            ? expressions_.print(kernel::convert(widened(parameter.derived), parameter.type))
            : fmt::format("{}->{}[{}]", api_.box_argument(), bound % 2 ? "high" : "low", bound / 2);
    const int index = static_cast<int>(p);
    out_.line(fmt::format("const {} {} = {};", api_.parameter_type(index),
                          api_.parameter_name(index), value));
  }
}

// Opens an entry point, up to the point where all arrays have been checked.
void Driver::open_box_run(const std::string& comment, const EntryPoint& entry) {
  open_function(comment, entry);
  take_params(all_parameters());
  check_run(api_.steps(), first_step_);
}

void Driver::run_box(const std::string& advance) {
  open_box_run("Runs the given number of steps in a box; rotates the pointers.", api_.run());
  end_function(
      fmt::format("{}({})", advance, argument_names({api_.steps(), first_step_}, api_.results())));
}

void Driver::run_box_device() {
  open_box_run(
      "Runs the given number of steps in a box, on device pointers; asynchronous, in the "
      "order of the stream.",
      api_.device_run("_device"));
  advance_body();
}

namespace {

using BoundsOfBox = std::vector<std::array<kernel::Expr, 2>>;

std::set<std::string> variables_in(const BoundsOfBox& bounds) {
  std::set<std::string> names;
  for (const auto& range : bounds) {
    for (const kernel::Expr& bound : range) names.merge(kernel::variables_in(bound));
  }
  return names;
}

}  // namespace

// Assigns these bounds to a NAME_box.
void Driver::assign_box(const std::string& to, const BoundsOfBox& bounds) {
  std::vector<std::string> low, high;
  for (const auto& range : bounds) {
    low.push_back(expressions_.print(kernel::convert(widened(range[0]), Scalar::I32)));
    high.push_back(expressions_.print(kernel::convert(widened(range[1]), Scalar::I32)));
  }
  out_.line(fmt::format("{} ={}{}{{{{{}}},{}{{{}}}}};", to, soft_space(0), api_.box_type(),
                        comma_list(low), soft_space(1), comma_list(high)));
}

// Checks that the bounds of the grid fit into the 32-bit members of NAME_box.
void Driver::check_coordinates(const BoundsOfBox& bounds) {
  std::string wide;
  for (const auto& range : bounds) {
    for (const kernel::Expr& bound : range) {
      if (std::holds_alternative<kernel::IntegerLiteral>(bound->kind)) continue;
      const std::string value = text(kernel::convert(bound, Scalar::I64));
      if (!wide.empty()) wide += fmt::format(" ||{}", soft_space(0));
      wide += fmt::format("{0} < -1073741824 ||{1}{0} > 1073741824", value, soft_space(0));
    }
  }
  if (wide.empty()) return;
  refuse_if(wide, "the grid: coordinates are limited to 2^30");
}

// NAME_grid.
void Driver::grid() {
  open_function("The grid: its first and its last points.", api_.box_grid());
  refuse_null(api_.box_argument());
  if (api_.has_params()) {
    params_or_defaults();
    name_params(variables_in(api_.box()->grid));
  }
  check_coordinates(api_.box()->grid);
  assign_box("*" + api_.box_argument(), api_.box()->grid);
  end_function("NULL");
}

// NAME_box_memory.
void Driver::box_memory() {
  std::set<std::string> used = checked_parameters();
  for (const auto& bounds : api_.box()->memory) used.merge(variables_in(bounds));
  open_function("The points that arrays have in memory.", api_.box_memory());
  take_params(used);
  check(check_arguments("NULL", "0", "0", false));
  refuse_null(api_.memory_argument());
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    if (!api_.in_memory(a)) continue;
    assign_box(api_.memory_argument() + "->" + names_.spell(plan_.arrays[a].name),
               api_.box()->memory[a]);
  }
  end_function("NULL");
}

void box_driver(Text& out, const kernel::Module& module, const HostApi& api, Names& names,
                ExpressionPrinter& expressions, const Dialect& dialect,
                const InitialValues& initial) {
  Driver driver(out, module, api, names, expressions, dialect);
  driver.check_function();
  driver.grid();
  driver.box_memory();
  driver.init(initial);
  if (dialect.has_device()) return driver.run_box_device();
  const std::string advance = names.fresh(module.name + "_advance");
  driver.advance(advance);
  driver.run_box(advance);
}

}  // namespace stencil::emit
