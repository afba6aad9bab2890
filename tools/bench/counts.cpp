// Jobs are counted one after the other, each with all threads (kernel::trace).
#include "tools/bench/counts.h"

#include <chrono>

#include "compiler/driver/compile.h"
#include "compiler/schedule/settings.h"

namespace stencil::bench {

namespace {

using CountClock = std::chrono::steady_clock;

double seconds_of_counting(CountClock::time_point begin) {
  return std::chrono::duration<double>(CountClock::now() - begin).count();
}

Json kernels_of(const kernel::Module& module, const std::vector<kernel::TracedKernel>& kernels) {
  Json out = Json::array();
  for (const kernel::TracedKernel& traced : kernels) {
    Json one{{"kernel", module.kernels[traced.kernel].name}};
    one.update(json_of(traced));
    out.push_back(std::move(one));
  }
  return out;
}

// The integer params of the run, by name.
kernel::Environment params_of(const Build& build) {
  return [&build](const std::string& name) -> std::optional<int64_t> {
    for (const kernel::Parameter& parameter : build.module->plan.parameters) {
      if (parameter.name != name) continue;
      return build.params.integers[parameter.param];
    }
    return std::nullopt;
  };
}

void count(const BenchJob& job, const Settings& settings, Record& record) {
  const schedule::Machine machine = *schedule::find_machine(kCountedMachine);
  const Build build = lower(request_of(settings.root, job), machine);
  if (!build.module) {
    record[build.refused.empty() ? "error" : "refused"] =
        build.refused.empty() ? build.error : build.refused;
    return;
  }
  record["settings"] = schedule::print(*build.schedule, build.program->grid().rank());
  const kernel::Module legal = emit::legalise(*build.module, emit::Options{});
  std::string problem;
  const auto trace =
      kernel::trace(legal, {.known = params_of(build), .most_work = kMostCountedWork}, problem);
  if (!trace) {
    record["error"] = problem;
    return;
  }
  Json counts = json_of(trace->total());
  counts["points"] = trace->points;
  counts["steps"] = trace->steps;
  counts["kernels"] = kernels_of(legal, trace->kernels);
  if (!trace->reductions.empty()) counts["reductions"] = kernels_of(legal, trace->reductions);
  record["counts"] = std::move(counts);
}

}  // namespace

Json json_of(const kernel::TracedKernel& traced) {
  Json out = Json::object();
  for (const kernel::CounterName& counter : kernel::counter_names()) {
    out[counter.name] = traced.counts.*counter.value;
  }
  out["shared_bytes"] = traced.shared_bytes;
  out["threads"] = traced.threads;
  out["blocks"] = traced.blocks;
  out["launches"] = traced.launches;
  out["data_dependent"] = traced.data_dependent;
  out["sampled"] = traced.sampled;
  return out;
}

std::vector<Record> count_jobs(const std::vector<BenchJob>& jobs, const Settings& settings,
                               const std::function<void(const std::vector<Record>&)>& done,
                               const std::vector<Record>& earlier) {
  const auto begin = CountClock::now();
  std::vector<Record> records;
  for (const BenchJob& job : jobs) {
    Record wanted = record_of(job, "counts");
    if (const auto known = earlier_record(earlier, wanted)) {
      records.push_back(*known);
    } else if (settings.budget > 0 && seconds_of_counting(begin) > settings.budget) {
      records.push_back(std::move(wanted));
      records.back()["left_out"] = "the budget is used up";
    } else {
      Record& record = records.emplace_back(std::move(wanted));
      const auto job_begin = CountClock::now();
      count(job, settings, record);
      record["wall_s"] = rounded(seconds_of_counting(job_begin));
      done(records);
      continue;
    }
    if (records.size() == jobs.size()) done(records);
  }
  return records;
}

}  // namespace stencil::bench
