// Reductions and the stop condition in written host programs: their memory, reading the flag, and
// the results that the caller gets.
#include <fmt/format.h>

#include "compiler/emit/host_writer.h"

namespace stencil::emit {

// The values that a run returns for a reduction.
std::vector<HostWriter::Kept> HostWriter::kept(size_t r) const {
  std::vector<Kept> all;
  const kernel::Reduction& reduction = plan_.reductions[r];
  const ReductionMembers& members = api_.reductions()[r];
  if (kernel::has_value(reduction)) {
    all.push_back({reduction.result, reduction.name, members.value,
                   fmt::format("{} > 0", result(members.evaluations))});
  }
  if (reduction.first_nan != kernel::kNoScratch) {
    all.push_back({reduction.first_nan, reduction.name + "_nan", members.first_nan, ""});
  }
  return all;
}

std::string_view HostWriter::type_of(int scratch) const {
  return cpp_dialect().type(plan_.scratch[static_cast<size_t>(scratch)].type);
}

// The element of scratch memory that holds a result, in C++.
std::string HostWriter::element(int scratch) const {
  return fmt::format("*({}*){}.pointer", type_of(scratch), scratch_[static_cast<size_t>(scratch)]);
}

// In C++ the results are those of earlier calls. On devices they begin with no value.
void HostWriter::operator()(const host_ir::Restore& restore) {
  for (const Kept& kept : this->kept(static_cast<size_t>(restore.reduction))) {
    if (!device_) {
      out_.line(fmt::format("{} = ({}){};", element(kept.scratch), type_of(kept.scratch),
                            result(kept.member)));
    } else if (kept.when.empty()) {
      host_.clear(scratch_[static_cast<size_t>(kept.scratch)] + ".pointer",
                  fmt::format("sizeof({})", type_of(kept.scratch)), kept.name);
    }
  }
}

void HostWriter::operator()(const host_ir::Flag&) {
  out_.line(fmt::format("stencil_flag {};", flag_));
  out_.line(fmt::format("STENCIL_TRY(\"preparing the stop condition\", {}.open());", flag_));
}

void HostWriter::operator()(const host_ir::Ask&) {
  out_.line(fmt::format("STENCIL_TRY(\"reading the stop condition\", {}.ask({}));", flag_,
                        api_.stream()));
}

// If the run stops, the work launched since the flag was requested is discarded: its results are in
// spare copies.
void HostWriter::operator()(const host_ir::Answer& answer) {
  out_.line(fmt::format("int {} = 0;", holds_));
  out_.line(fmt::format("STENCIL_TRY(\"running\", {}.wait({}.pointer, &{}));", flag_,
                        scratch_[static_cast<size_t>(answer.scratch)], holds_));
  set_stopped(holds_);
}

void HostWriter::operator()(const host_ir::Read& read) {
  if (!device_) return set_stopped(element(read.scratch));
  out_.line(fmt::format("int {} = 0;", holds_));
  host_.copy("&" + holds_, scratch_[static_cast<size_t>(read.scratch)] + ".pointer",
             fmt::format("sizeof {}", holds_), "DeviceToHost", "stop");
  host_.synchronise();
  set_stopped(holds_);
}

void HostWriter::set_stopped(const std::string& value) {
  out_.line(fmt::format("{} = {} != 0;", variables_.spelling(host_ir::kStopped), value));
}

void HostWriter::operator()(const host_ir::Collect&) {
  if (device_) out_.open(fmt::format("if ({}) {{", given_));
  std::vector<Kept> all;
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    for (Kept& kept : this->kept(r)) all.push_back(std::move(kept));
  }
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
    host_.copy("&" + values[k], scratch_[static_cast<size_t>(all[k].scratch)] + ".pointer",
               "sizeof " + values[k], "DeviceToHost", all[k].name);
  }
  if (device_) host_.synchronise();
  for (size_t k = 0; k < values.size(); ++k) {
    const std::string when = all[k].when.empty() ? "" : fmt::format("if ({}) ", all[k].when);
    out_.line(fmt::format("{}{} = {};", when, result(all[k].member), values[k]));
  }
  if (device_) out_.close();
}

}  // namespace stencil::emit
