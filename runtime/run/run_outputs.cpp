// Outputs with the same interval form one series, because files that are due together are written
// together.
#include "runtime/run/run_outputs.h"

#include <map>

#include "compiler/support/try.h"
#include "runtime/run/animation.h"
#include "runtime/run/netcdf_series.h"

namespace stencil::runtime {

Result<RunOutputs> RunOutputs::begin(const ir::Program& program, const std::vector<Output>& outputs,
                                     const reference::State& state, int64_t last_step) {
  RunOutputs all(program);
  std::map<int64_t, std::vector<Output>> by_interval;
  for (const Output& output : outputs) {
    if (!output.grows()) {
      all.final_.push_back(output);
      if (output.every > 0) by_interval[output.every].push_back(output);
    } else if (format_of(output.path) == Format::Nc) {
      auto file = TRY(NetcdfSeries::begin(program, output, state));
      all.growing_.push_back({output, std::make_unique<NetcdfSeries>(std::move(file))});
    } else {
      all.growing_.push_back({output, std::make_unique<Animation>(program, output)});
    }
  }
  for (auto& [every, numbered] : by_interval) {
    auto series = std::make_unique<Series>(program, numbered, every, state.step, last_step);
    all.series_.push_back({std::move(numbered), std::move(series)});
  }
  return all;
}

std::vector<Event> RunOutputs::events(NonFiniteWatch& watch) {
  std::vector<Event> events;
  for (const Numbered& numbered : series_) {
    events.push_back(watch.watched(numbered.series->event(), numbered.outputs));
  }
  for (const Growing& growing : growing_) {
    GrowingFile* const file = growing.file.get();
    const auto add = [file](FieldSource& fields) { return file->add(fields); };
    events.push_back(watch.watched({growing.output.every, 0, false, add}, {growing.output}));
  }
  events.push_back(watch.watched(output_event(program_, final_), final_));
  for (Event& event : finishing(watch, false)) events.push_back(std::move(event));
  return events;
}

std::vector<Event> RunOutputs::encodings(NonFiniteWatch& watch) {
  return finishing(watch, true);
}

std::vector<Event> RunOutputs::finishing(NonFiniteWatch& watch, bool animations) {
  std::vector<Event> events;
  for (const Growing& growing : growing_) {
    if ((format_of(growing.output.path) != Format::Nc) != animations) continue;
    GrowingFile* const file = growing.file.get();
    const auto finish = [file](FieldSource& fields) { return file->finish(fields); };
    events.push_back(watch.watched({0, 0, true, finish}, {growing.output}));
  }
  return events;
}

}  // namespace stencil::runtime
