// Reductions in emitted drivers: their memory, their launches at the end of a tile, the stop
// condition, and the results that the caller gets.
//
// Values stay in device memory until the run ends. Only the flag of the stop condition is read in
// between. On GPUs the next tile is launched before the flag is known, if that can be undone
// (kernel::answer_point); otherwise the host waits for the flag.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/emit/driver_printer.h"

namespace stencil::emit {

using kernel::Launch;

// The index of a step counted from the start of the run, which may have begun in an earlier call.
std::string Driver::absolute(const std::string& step) const {
  return device_ && !api_.box() ? step : fmt::format("{} + {}", first_step_, step);
}

// The element of scratch memory that holds a result, in C++.
std::string Driver::element(int scratch) const {
  return fmt::format("*({}*){}.pointer", type_of(scratch), scratch_[scratch]);
}

void Driver::declare_scratch() {
  for (size_t s = 0; s < plan_.scratch.size(); ++s) {
    const kernel::Scratch& scratch = plan_.scratch[s];
    const bool one = std::holds_alternative<kernel::IntegerLiteral>(scratch.elements->kind);
    const std::string element =
        fmt::format("(int64_t)sizeof({})", cpp_dialect().type(scratch.type));
    const std::string elements = text(scratch.elements);
    allocate(scratch_[s], scratch.name,
             elements == "1" ? element
             : one           ? element + " * " + elements
                             : fmt::format("{} * ({})", element, elements));
  }
  if (answer_point_) {
    out_.line(fmt::format("stencil_flag {};", flag_));
    out_.line(fmt::format("STENCIL_TRY(\"preparing the stop condition\", {}.open());", flag_));
  }
  for (const Kept& kept : this->kept()) {
    if (!device_) {  // the results of earlier calls
      out_.line(fmt::format("{} = ({}){}->{};", element(kept.scratch), type_of(kept.scratch),
                            api_.results(), kept.member));
    } else if (kept.when.empty()) {
      clear(scratch_[kept.scratch] + ".pointer", fmt::format("sizeof({})", type_of(kept.scratch)),
            kept.name);
    }
  }
}

// The values that a run returns for its reductions. Entries without a condition always have a
// value.
std::vector<Driver::Kept> Driver::kept() const {
  std::vector<Kept> all;
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    const kernel::Reduction& reduction = plan_.reductions[r];
    const ReductionMembers& members = api_.reductions()[r];
    if (kernel::has_value(reduction)) {
      all.push_back({reduction.result, reduction.name, members.value,
                     fmt::format("{}->{} > 0", api_.results(), members.evaluations)});
    }
    if (reduction.first_nan == kernel::kNoScratch) continue;
    all.push_back({reduction.first_nan, reduction.name + "_nan", members.first_nan, ""});
  }
  return all;
}

std::string_view Driver::type_of(int scratch) const {
  return cpp_dialect().type(plan_.scratch[scratch].type);
}

// Evaluates the reductions due at the end of the tile, and the stop condition.
void Driver::reduce() {
  const auto& all = plan_.reductions;
  const bool asks = std::any_of(all.begin(), all.end(), [](const auto& r) { return r.every > 1; });
  if (asks) {
    out_.line(fmt::format("const int64_t {} = {} + {};", done_, absolute(step_),
                          plan_.time_tile == 1 ? "1" : count_));
  }
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    const kernel::Reduction& reduction = plan_.reductions[r];
    const bool always = reduction.every == 1;
    if (reduction.in_step) {  // already computed within the step
      out_.line(fmt::format("++{}->{};", api_.results(), api_.reductions()[r].evaluations));
      continue;
    }
    const std::string& evaluations = api_.reductions()[r].evaluations;
    if (kernel::is_sampled(reduction)) {
      const std::string due =
          fmt::format("{0} / {2} - ({0} - {1}) / {2}", done_, count_, reduction.every);
      out_.open(always ? "{" : fmt::format("if ({} > 0) {{", due));
      for (const Launch& launch : reduction.launches) this->launch(launch);
      out_.line(fmt::format("{}->{} += {};", api_.results(), evaluations, always ? count_ : due));
      out_.close();
      continue;
    }
    out_.open(always ? "{" : fmt::format("if ({} % {} == 0) {{", done_, reduction.every));
    for (const Launch& launch : reduction.launches) this->launch(launch);
    out_.line(fmt::format("++{}->{};", api_.results(), evaluations));
    out_.close();
  }
  if (plan_.stop) ask_to_stop();
  out_.line(plan_.time_tile == 1 ? fmt::format("++{};", step_)
                                 : fmt::format("{} += {};", step_, count_));
  out_.line(fmt::format("{}->{} = {};", api_.results(), api_.steps_done(), step_));
  if (plan_.stop && !answer_point_) {
    out_.line(fmt::format("if ({}->{}) break;", api_.results(), api_.stopped()));
  }
}

// If the run stops, the work launched since the flag was requested is discarded: its results are in
// spare copies.
void Driver::wait_for_answer() {
  out_.open(fmt::format("if ({}.awaited) {{", flag_));
  take_answer();
  out_.line(fmt::format("if ({}->{}) break;", api_.results(), api_.stopped()));
  out_.close();
}

// Takes the answer if the run ends before the answer is needed.
void Driver::last_answer() {
  out_.open(fmt::format("if ({}.awaited) {{", flag_));
  take_answer();
  out_.close();
}

void Driver::take_answer() {
  out_.line(fmt::format("int {} = 0;", holds_));
  out_.line(fmt::format("STENCIL_TRY(\"running\", {}.wait({}.pointer, &{}));", flag_,
                        scratch_[plan_.stop->result], holds_));
  out_.line(fmt::format("{}->{} = {} != 0;", api_.results(), api_.stopped(), holds_));
}

void Driver::ask_to_stop() {
  const kernel::Stop& stop = *plan_.stop;
  std::set<int64_t> periods;
  std::string condition;
  for (int r : stop.reductions) {
    periods.insert(plan_.reductions[r].every);
    if (stop.reductions.size() == 1) continue;  // just evaluated
    const std::string& count = api_.reductions()[r].evaluations;
    condition +=
        fmt::format("{}{}->{} > 0", condition.empty() ? "" : " && ", api_.results(), count);
  }
  std::string due;
  for (int64_t every : periods) {
    due += fmt::format("{}{} % {} == 0", due.empty() ? "" : " || ", done_, every);
  }
  if (!periods.count(1) && !periods.empty()) {
    const bool alone = condition.empty();
    condition = alone ? due : (periods.size() > 1 ? "(" + due + ")" : due) + " && " + condition;
  }
  if (!condition.empty()) out_.open(fmt::format("if ({}) {{", condition));
  launch(stop.launch);
  if (answer_point_) {
    out_.line(fmt::format("STENCIL_TRY(\"reading the stop condition\", {}.ask({}));", flag_,
                          api_.stream()));
    if (!condition.empty()) out_.close();
    return;
  }
  std::string holds = element(stop.result);
  if (device_) {
    holds = holds_;
    out_.line(fmt::format("int {} = 0;", holds_));
    copy("&" + holds_, scratch_[stop.result] + ".pointer", fmt::format("sizeof {}", holds_),
         "DeviceToHost", "stop");
    device_line(fmt::format("STENCIL_TRY(\"running\", $apiStreamSynchronize({}));", api_.stream()));
  }
  out_.line(fmt::format("{}->{} = {} != 0;", api_.results(), api_.stopped(), holds));
  if (!condition.empty()) out_.close();
}

// Reads the values of reductions into the results.
void Driver::read_reductions() {
  if (plan_.reductions.empty()) return;
  if (device_) out_.open(fmt::format("if ({}) {{", given_));
  const std::vector<Kept> all = kept();
  std::vector<std::string> values;
  for (const Kept& kept : all) {
    if (!device_) {
      values.push_back(element(kept.scratch));
      continue;
    }
    values.push_back(names_.fresh(kept.name + "_read"));
    out_.line(fmt::format("{} {} = 0;", type_of(kept.scratch), values.back()));
  }
  for (size_t k = 0; device_ && k < values.size(); ++k) {
    copy("&" + values[k], scratch_[all[k].scratch] + ".pointer", "sizeof " + values[k],
         "DeviceToHost", all[k].name);
  }
  if (device_) {
    device_line(fmt::format("STENCIL_TRY(\"running\", $apiStreamSynchronize({}));", api_.stream()));
  }
  for (size_t k = 0; k < values.size(); ++k) {
    const std::string when = all[k].when.empty() ? "" : fmt::format("if ({}) ", all[k].when);
    out_.line(fmt::format("{}{}->{} = {};", when, api_.results(), all[k].member, values[k]));
  }
  if (device_) out_.close();
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

}  // namespace stencil::emit
