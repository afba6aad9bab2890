// Entry points of emitted files. They check their arguments and then run the host program of the
// plan (host_writer.h), on the caller's arrays or on copies of them (driver_copies.cpp). Entry
// points for devices and C++ have the same shape. They differ only in how memory is allocated,
// copied and freed, and in how a kernel is launched.
#include "compiler/emit/driver.h"

#include <fmt/format.h>

#include <utility>

#include "compiler/emit/driver_printer.h"
#include "compiler/emit/host_writer.h"

namespace stencil::emit {

// The part that all entry points share: from checked arguments to results in the caller's arrays.
void Driver::advance_body() {
  const host_ir::Options options = host_options(dialect_, api_.box() != nullptr);
  HostWriter(host_, module_, api_, names_, expressions_, dialect_, first_step_, given_)
      .write(host_ir::lower(module_, options));
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

// If the caller passes no results, a local variable takes them. `anew`: results are reset.
void Driver::results_given(bool anew) {
  if (!api_.has_results()) return;
  const std::string unwanted = names_.fresh("unwanted");
  out_.line(fmt::format("{} {};", api_.results_type(), unwanted));
  if (device_) out_.line(fmt::format("const bool {0} = {1} != NULL;", given_, api_.results()));
  out_.line(fmt::format("if (!{0}) {0} = &{1};", api_.results(), unwanted));
  if (anew) out_.line(fmt::format("*{} = {}();", api_.results(), api_.results_type()));
}

// The entry point on device arrays of the plan's layout.
void Driver::run_device() {
  const bool padded = kernel::is_padded(plan_);
  open_function(padded ? "The same on device pointers, with rows that are padded; asynchronous, in "
                         "the order of the\nstream."
                       : "The same on device pointers; asynchronous, in the order of the stream.",
                api_.device_run(padded ? "_padded" : "_device"));
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
  open_function("Runs the given number of steps; the result replaces the contents of the arrays.",
                api_.run());
  results_given(true);
  take_params(all_parameters());
  check_run(api_.steps(), "0");
  end_function(fmt::format("{}({})", advance, argument_names({api_.steps(), "0"}, api_.results())));
}

// Prepares results that may continue an earlier run: checks that the evaluation counts leave room
// for this run, and resets the number of steps done.
void Driver::go_on_from(const std::string& results) {
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    refuse_if(fmt::format("(uint64_t)({})->{} > INT64_MAX / 2", results,
                          api_.reductions()[r].evaluations),
              fmt::format("results: the evaluation count of {} is out of range",
                          plan_.reductions[r].name));
  }
  out_.line(fmt::format("({})->{} = 0;", results, api_.steps_done()));
}

void Driver::run_packed(const std::string& advance) {
  open_function(
      "The same with packed arguments: pointers to the arrays in the order above, pointers to the\n"
      "values of the params. Steps are counted from first_step.",
      api_.packed_run());
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
  end_function(fmt::format("{}({})", advance, comma_list(items)));
}

host_ir::Options host_options(const Dialect& dialect, bool box) {
  const bool device = dialect.has_device();
  return {device && !box, device, device && !box};
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
