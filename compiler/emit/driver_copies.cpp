// Entry points whose arrays are not those of the kernels: arrays in host memory on targets with a
// device, and dense arrays if the plan has padded rows. They allocate arrays of the plan's layout,
// copy the caller's arrays into them, run, and copy the result back.
//
//   GPUs   NAME_run         host memory, dense         copies, then runs as the next
//          NAME_run_device  device memory, dense       copies only if rows are padded
//          NAME_run_padded  device memory, the plan's  runs; only if rows are padded
//   C++    all entry points take dense arrays, and copy only if rows are padded
//
// Rows of a length that is unknown at compile time may turn out to need no padding. Then nothing is
// copied unnecessarily.
#include <fmt/format.h>

#include "compiler/emit/driver_printer.h"
#include "compiler/kernel/evaluate.h"
#include "compiler/kernel/walk.h"

namespace stencil::emit {

using kernel::Array;
using kernel::Expr;

// Sizes of all copied arrays, in bytes: total, points of a row, row pitch.
void Driver::declare_sizes(bool only_padded) {
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    const Array& array = plan_.arrays[a];
    const bool padded = kernel::is_padded(array);
    if (padded || !only_padded) host_.size(a);
    if (!padded) continue;
    const std::string element = fmt::format("(int64_t)sizeof({})", api_.type(array));
    const auto row = [&](const std::string& name, const Expr& length) {
      out_.line(fmt::format("const int64_t {} = {} * {};", name, element, host_.factor(length)));
    };
    row(rows_[a], array.extents.back());
    row(pitches_[a], array.row_pitch);
  }
}

// Copies between a caller's array, `dense`, and an array of the plan's layout, `stored`.
void Driver::copy_array(size_t index, const std::string& dense, const std::string& stored, bool in,
                        const char* kind) {
  const Array& array = plan_.arrays[index];
  if (!kernel::is_padded(array)) {
    return host_.copy(in ? stored : dense, in ? dense : stored, host_.bytes(index), kind,
                      array.name);
  }
  std::string first = fmt::format("({}*){}", api_.type(array), stored);
  if (array.row_lead) first += " + " + host_.factor(array.row_lead);
  const std::string& row = rows_[index];
  const std::string& pitch = pitches_[index];
  const std::vector<std::string> ends =
      in ? std::vector{first, pitch, dense, row} : std::vector{dense, row, first, pitch};
  const std::string count = fmt::format("{} / {}", host_.bytes(index), pitch);
  if (!device_) {
    return out_.line(fmt::format("stencil_copy_rows({}, {}, {});", comma_list(ends), row, count));
  }
  host_.try_call("copying array " + array.name, "$apiMemcpy2DAsync",
                 {ends[0], "(size_t)" + ends[1], ends[2], "(size_t)" + ends[3], "(size_t)" + row,
                  "(size_t)(" + count + ")", std::string("$apiMemcpy") + kind, api_.stream()});
}

// Calls `callee` on copies of all arrays, or only of those with padded rows, and copies the results
// back. `between`: the arguments between arrays and parameters.
void Driver::run_on_copies(const std::string& callee, const std::vector<std::string>& between,
                           bool from_host) {
  declare_sizes(!from_host);
  const std::string last = device_ ? fmt::format(",{}{}", soft_space(1), api_.stream()) : "";
  if (!from_host) {
    std::string dense;
    for (size_t a = 0; a < plan_.arrays.size(); ++a) {
      if (!kernel::is_padded(plan_.arrays[a])) continue;
      // A pitch that is known at compile time never turns out to be the row length.
      if (kernel::known_value(plan_.arrays[a].row_pitch, module_)) dense = "never";
      if (dense == "never") break;
      dense += fmt::format("{}{} == {}", dense.empty() ? "" : " && ", rows_[a], pitches_[a]);
    }
    if (dense != "never") {
      out_.open(fmt::format("if ({}) {{", dense));
      out_.line(
          fmt::format("return {}({}{});", callee, argument_names(between, api_.results()), last));
      out_.close();
    }
  } else {
    host_.device_line(fmt::format("const $apiStream_t {} = $apiStreamPerThread;", api_.stream()));
  }
  std::vector<std::string> arguments, memory;
  for (const Pointer& pointer : api_.pointers()) {
    const size_t a = static_cast<size_t>(pointer.array);
    const Array& array = plan_.arrays[a];
    memory.emplace_back();
    arguments.push_back(pointer.name);
    if (!from_host && !kernel::is_padded(array)) continue;
    const std::string name = names_.fresh(pointer.name + (from_host ? "_device" : "_rows"));
    host_.allocate(name, array.name, host_.bytes(a));
    memory.back() = name + ".pointer";
    if (device_ && kernel::is_padded(array)) {  // padding is read, although never used
      host_.clear(memory.back(), host_.bytes(a), array.name);
    }
    copy_array(a, pointer.name, memory.back(), true, from_host ? "HostToDevice" : "DeviceToDevice");
    arguments.back() = fmt::format("({}*){}", api_.type(array), memory.back());
  }
  arguments.insert(arguments.end(), between.begin(), between.end());
  for (const std::string& argument : tail_arguments(api_.results())) arguments.push_back(argument);
  out_.line(fmt::format("if (const char* error ={}{}({}{})) return error;", soft_space(0), callee,
                        comma_list(arguments), last));
  for (size_t i = 0; i < memory.size(); ++i) {
    const Pointer& pointer = api_.pointers()[i];
    const size_t a = static_cast<size_t>(pointer.array);
    if (memory[i].empty() || !plan_.arrays[a].written) continue;
    copy_array(a, pointer.name, memory[i], false, from_host ? "DeviceToHost" : "DeviceToDevice");
  }
}

// Resets the results and makes all checks of an entry point, before it copies anything.
void Driver::check_before_copies() {
  if (api_.has_results()) {
    out_.line(fmt::format("if ({0}) *{0} = {1}();", api_.results(), api_.results_type()));
  }
  std::set<std::string> locals = checked_parameters();
  for (const Array& array : plan_.arrays) {
    locals.merge(kernel::variables_in(array.row_lead));
  }
  take_params(locals);
  check_run(api_.steps(), "0");
}

// NAME_run, which calls the entry point on device arrays of the plan's layout.
void Driver::run_on_host_arrays() {
  open_function("Runs the given number of steps on arrays in host memory.", api_.run());
  check_before_copies();
  run_on_copies(module_.name + (kernel::is_padded(plan_) ? "_run_padded" : "_run_device"),
                {api_.steps()}, true);
  host_.device_line(
      fmt::format("return stencil_try(\"running\", $apiStreamSynchronize({}));", api_.stream()));
  out_.close();
  out_.blank();
}

// NAME_run_device for plans with padded rows.
void Driver::run_on_dense_arrays() {
  open_function(
      "The same on dense arrays in device memory: copies them into padded rows and back. Rows that "
      "need\nno padding are used as they are.",
      api_.device_run("_device"));
  check_before_copies();
  run_on_copies(module_.name + "_run_padded", {api_.steps()}, false);
  end_function("NULL");
}

// Does this in C++, between entry points and `advance`.
void Driver::advance_dense(const std::string& name, const std::string& advance) {
  out_.comment("Copies dense arrays into padded rows, and the result back.");
  open_advance(name);
  run_on_copies(advance, {api_.steps(), first_step_}, false);
  end_function("NULL");
}

}  // namespace stencil::emit
