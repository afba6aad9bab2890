// Outputs with the same interval form one series, because files that are due together are written
// together.
#include "runtime/run/run_outputs.h"

#include <map>

#include "compiler/support/try.h"

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
      all.records_.push_back({output, std::make_unique<NetcdfSeries>(std::move(file))});
    } else {
      all.animations_.push_back({output, std::make_unique<Animation>(program, output)});
    }
  }
  for (auto& [every, numbered] : by_interval) {
    auto series = std::make_unique<Series>(program, numbered, every, state.step, last_step);
    all.series_.push_back({std::move(numbered), std::move(series)});
  }
  return all;
}

namespace {

// The event that adds the current step to a file that grows.
template <class Growing>
Event adding(const Growing& growing) {
  auto* const file = growing.file.get();
  return {growing.output.every, 0, false,
          [file](FieldSource& fields) { return file->add(fields); }};
}

}  // namespace

std::vector<Event> RunOutputs::events(NonFiniteWatch& watch) {
  std::vector<Event> events;
  for (const Numbered& numbered : series_) {
    events.push_back(watch.watched(numbered.series->event(), numbered.outputs));
  }
  for (const auto& each : records_) events.push_back(watch.watched(adding(each), {each.output}));
  for (const auto& each : animations_) events.push_back(watch.watched(adding(each), {each.output}));
  if (animations_.empty()) {
    events.push_back(watch.watched(output_event(program_, final_), final_));
  }
  for (const auto& each : records_) {
    NetcdfSeries* const file = each.file.get();
    const auto finish = [file](FieldSource& fields) { return file->finish(fields); };
    events.push_back(watch.watched({0, 0, true, finish}, {each.output}));
  }
  return events;
}

std::vector<Event> RunOutputs::encodings(NonFiniteWatch& watch) {
  if (animations_.empty()) return {};
  std::vector<Output> written = final_;
  for (const auto& animation : animations_) written.push_back(animation.output);
  const auto write = [this](FieldSource& fields) -> Status {
    FileGroup group;
    for (const auto& animation : animations_) {
      auto file = TRY(animation.file->encode(fields));
      TRY(group.add(std::move(file)));
    }
    TRY(add_outputs(program_, fields, final_, group));
    return group.commit();
  };
  return {watch.watched({0, 0, true, write}, written)};
}

}  // namespace stencil::runtime
