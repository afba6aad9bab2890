// `stencilc explore`: ranks all schedules of a program by the model, and on request compiles them
// for the machine or times them on the device.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "compiler/driver/compile.h"
#include "compiler/driver/frontend.h"
#include "compiler/schedule/common/interface.h"
#include "compiler/schedule/common/operations.h"
#include "compiler/schedule/settings.h"
#include "compiler/support/threads.h"
#include "compiler/support/try.h"
#include "runtime/run/source.h"
#include "runtime/tune/compiled.h"
#include "runtime/tune/search.h"
#include "runtime/tune/timed_choice.h"
#include "runtime/tune/tuned.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"
#include "tools/stencilc/explore/build_report.h"
#include "tools/stencilc/explore/report_html.h"
#include "tools/stencilc/explore/report_json.h"
#include "tools/stencilc/explore/report_table.h"
#include "tools/stencilc/machine.h"
#include "tools/stencilc/progress.h"

namespace stencil::tool {

namespace {

using schedule::Schedule;

// The subject of the exploration: a program, a machine, and the device for measurements.
struct Subject {
  ir::Program program;
  const emit::TargetInfo& target;
  schedule::Machine machine;
  std::optional<runtime::ChosenDevice> device;  // of this computer; nullopt: a row of the table
  bool measure;                                 // on the device
  std::string note;                             // of AssumedMachine
};

Result<Subject> subject_of(const Arguments& arguments, ir::Program program) {
  const bool measure = arguments.explore.measure;
  if (measure) {
    if (auto wrong = measured_elsewhere(arguments)) return *wrong;
    const auto device = TRY(runtime::choose_device(arguments.device));
    if (!device.device.runs_kernels) {
      return Failure{"R045", "there is nothing to measure on " + device.device.name,
                     "it interprets programs"};
    }
  }
  // --compile uses NVRTC, and --measure a device of any target.
  const emit::TargetInfo* target = emit::target_called(arguments.target);
  if (!target && arguments.explore.compile && !measure) target = &emit::targets().front();
  auto assumed = TRY(assume_machine(arguments, measure ? nullptr : target));
  return Subject{std::move(program),
                 measure && target ? *target : *assumed.target,
                 assumed.machine,
                 std::move(assumed.device),
                 measure,
                 std::move(assumed.note)};
}

// The command that runs the explored program with this schedule, or prints its code if there is no
// device.
std::string command_for(const Arguments& arguments, const Subject& subject,
                        const std::string& line) {
  const ProgramOptions program = runtime::program_options(arguments.program, arguments.file);
  std::string out = subject.measure ? "stencilc run " : "stencilc ";
  out += quoted(arguments.file);
  for (const auto& [name, value] : program.definitions) out += " -D " + quoted(name + "=" + value);
  for (const std::string& name : program.open) out += " --open " + name;
  for (const std::string& name : program.fixed) out += " --fix " + name;
  if (program.real == Scalar::F64) out += " --real double";
  if (program.fp != FpMode::Contract) out += fmt::format(" --fp {}", name(program.fp));
  if (program.steps) out += fmt::format(" --steps {}", *program.steps);
  if (subject.measure) {
    out += " --device " + quoted(arguments.device);
  } else {
    out += fmt::format(" --emit {}", subject.target.name);
    if (!arguments.machine.empty()) out += " --machine " + arguments.machine;
    const bool named = arguments.device != "auto" && subject.target.target == emit::Target::OpenCl;
    if (named) out += " --device " + quoted(arguments.device);
  }
  return out + fmt::format(" --schedule \"{}\"", line);
}

class Exploration {
 public:
  Exploration(const Arguments& arguments, const Source& source, Subject subject)
      : arguments_(arguments),
        source_(source),
        subject_(std::move(subject)),
        scheduler_(subject_.program, subject_.machine) {}

  // Fails as time_candidates().
  Status run() {
    const auto start = std::chrono::steady_clock::now();
    space_ = schedule::explore(scheduler_, schedule::Effort::Whole);
    if (arguments_.explore.compile) {
      TRY(compile());
    }
    if (subject_.measure && !interrupted_) {
      TRY(measure());
    }
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return Done{};
  }

  // Whether a signal ended compilation or timing early.
  bool interrupted() const { return interrupted_; }

  explore::Report report() {
    const ir::Program& program = subject_.program;
    explore::Report out;
    out.program = program.name;
    out.file = arguments_.file;
    out.source = std::string(source_.text());
    out.machine = explore::machine_of(subject_.machine);
    out.note = subject_.note;
    if (subject_.measure) out.device = subject_.device->device.name;
    for (const auto& axis : schedule::axis_names(program.grid().rank()))
      out.axes.emplace_back(axis);
    for (int d = 0; d < program.grid().rank(); ++d) {
      out.extents.push_back(schedule::usual_extent(program, d));
    }
    if (const auto params = runtime::bind_params(program); params.ok()) {
      const auto steps = runtime::steps_of(program, params.value());
      if (steps.ok()) out.steps = steps.value();
    }
    out.real = arguments_.program.real == ElementType::Double ? "double" : "float";
    out.fp = name(program.fp);
    out.seconds = seconds_;
    out.looked_at = space_.looked_at;
    out.ranked = static_cast<int64_t>(space_.ranked.size());
    out.automatic = schedule::print(scheduler_.choose().schedule, program.grid().rank());
    constexpr size_t kMost = 2000;
    out.candidates = explore::candidates_of(scheduler_, space_.ranked, kMost);
    for (explore::Candidate& candidate : out.candidates) {
      const auto found = compiled_.find(candidate.schedule);
      if (found == compiled_.end()) continue;
      candidate.compiled_registers = found->second.registers;
      candidate.spill_bytes = found->second.local_bytes;
      candidate.code = code_of(candidate.schedule, found->second);
    }
    add_measurements(out);
    for (const schedule::Pruned& pruned : space_.pruned) {
      out.pruned.push_back({pruned.reason, pruned.count, pruned.example});
    }
    if (!out.candidates.empty()) {
      add_stored_choice(out);
      add_winner(out);
    }
    explore::add_curves(scheduler_, space_, out);
    return out;
  }

 private:
  Status compile();
  Status measure();
  void remember(const runtime::Params& params, const tune::Timings& timings);
  std::vector<explore::Code> code_of(const std::string& line, const tune::Compiled& compiled);
  void add_measurements(explore::Report& out) const;
  void add_candidate(const std::string& line, std::optional<double> rate,
                     explore::Report& out) const;
  void add_stored_choice(explore::Report& out);
  void add_winner(explore::Report& out);

  const Arguments& arguments_;
  const Source& source_;
  const Subject subject_;
  schedule::Scheduler scheduler_;
  schedule::Space space_;
  std::map<std::string, tune::Compiled> compiled_;  // by line
  std::map<std::string, double> measured_;          // line -> GCells/s
  std::string best_;                                // the best line of those
  size_t chosen_ = 0;                               // position among the report's candidates
  double seconds_ = 0;
  bool interrupted_ = false;
};

// The best schedules are ranked again with the compiler's numbers in place of the model's
// estimates; schedules that were not compiled stay behind them.
Status Exploration::compile() {
  constexpr size_t kMost = 32;
  const auto end =
      space_.ranked.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, space_.ranked.size()));
  std::vector<Schedule> schedules;
  for (auto each = space_.ranked.begin(); each != end; ++each) {
    schedules.push_back(each->schedule);
  }
  InterruptGuard guard;
  guard.note_first();
  ProgressLine line;
  const auto start = std::chrono::steady_clock::now();
  const auto compiled = tune::compile_candidates(
      subject_.program, schedules, subject_.machine, wanted_threads(),
      [&](const tune::CompiledProgress& now) {
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        line.show(seconds, fmt::format("{} of {} schedules compiled", now.compiled, now.of));
        return !InterruptGuard::interrupted();
      });
  line.erase();
  interrupted_ = InterruptGuard::interrupted();
  if (!compiled.ok()) return compiled.failure();
  for (size_t i = 0; i < schedules.size(); ++i) {
    const tune::Compiled& of = compiled.value()[i];
    if (of.registers == 0) continue;
    compiled_[schedule::print(schedules[i], subject_.program.grid().rank())] = of;
    space_.ranked[i] = *schedule::predict(scheduler_, schedules[i], tune::for_model(of));
  }
  std::stable_sort(space_.ranked.begin(), end, schedule::is_faster);
  return Done{};
}

// The kernels of a schedule as compiled, with the model's counts.
std::vector<explore::Code> Exploration::code_of(const std::string& line,
                                                const tune::Compiled& compiled) {
  Diagnostics none;
  const auto work = scheduler_.plan_once(*scheduler_.parse(line, none), none)->work();
  const bool known = work && work->kernels.size() == compiled.kernels.size();
  std::vector<explore::Code> out;
  for (size_t k = 0; k < compiled.kernels.size(); ++k) {
    const tune::CompiledKernel& kernel = compiled.kernels[k];
    out.push_back({kernel.name, kernel.main_loop.unmatched, {}, 0, 0});
    explore::Code& code = out.back();
    if (!known) code.unmatched = "the model counts a different number of kernels";
    if (known) code.counted_slots = schedule::counted_slots(work->kernels[k], subject_.machine);
    if (!code.unmatched.empty()) continue;
    const schedule::Issued& issued = kernel.main_loop.inside;
    const double others = issued.all - issued.singles - issued.doubles - issued.global -
                          issued.shared - issued.local - issued.shuffles - issued.barriers -
                          issued.branches;
    code.issued = {{"in all", issued.all},
                   {"single precision", issued.singles},
                   {"double precision", issued.doubles},
                   {"global memory", issued.global},
                   {"shared memory", issued.shared},
                   {"local memory", issued.local},
                   {"shuffles", issued.shuffles},
                   {"barriers", issued.barriers},
                   {"branches", issued.branches},
                   {"others", std::max(others, 0.0)}};
    std::erase_if(code.issued, [](const explore::Count& count) { return count.count == 0; });
    code.issued_slots = schedule::issued_slots(issued, subject_.machine);
  }
  return out;
}

Status Exploration::measure() {
  auto params = TRY(runtime::bind_params(subject_.program));
  InterruptGuard guard;
  guard.note_first();
  ProgressLine line;
  tune::Search search(scheduler_, space_);
  tune::TimingOptions options;
  options.budget = arguments_.explore.budget;
  options.next = [&](const tune::Timings& timings) { return search.next(timings); };
  options.progress = [&](const tune::TimingProgress& now) {
    line.show(now.elapsed, fmt::format("{} schedules timed, {} left", now.timed, now.left));
    return !InterruptGuard::interrupted();
  };
  const auto timings =
      tune::time_candidates(subject_.program, params, *subject_.device, search.first(), options);
  line.erase();
  if (!timings.ok()) return timings.failure();
  remember(params, timings.value());
  for (const tune::Timed& timed : timings.value().candidates) {
    if (timed.seconds > 0) measured_[timed.line] = 1e-9 * timings.value().points / timed.seconds;
  }
  if (const auto best = timings.value().best) best_ = timings.value().candidates[*best].line;
  interrupted_ = timings.value().end == tune::End::Interrupted;
  return Done{};
}

void Exploration::remember(const runtime::Params& params, const tune::Timings& timings) {
  const auto kept = tune::remember(subject_.program, params, *subject_.device, timings);
  if (!kept.ok()) warn(kept.failure());
}

// Adds a schedule that is not in the ranking; nothing if the program cannot have it.
void Exploration::add_candidate(const std::string& line, std::optional<double> rate,
                                explore::Report& out) const {
  Diagnostics none;
  schedule::Scheduler scheduler(subject_.program, subject_.machine);
  const auto schedule = scheduler.parse(line, none);
  const auto candidate = schedule ? schedule::predict(scheduler, *schedule) : std::nullopt;
  if (!candidate) return;
  auto more = explore::candidates_of(scheduler, {*candidate}, 1);
  more.front().measured = rate;
  out.candidates.push_back(std::move(more.front()));
}

// Marks what `run` takes on this device if a stored measurement decides. It may be older and better
// founded than the measurements of this exploration.
void Exploration::add_stored_choice(explore::Report& out) {
  chosen_ = 0;
  if (!subject_.device) return;
  const auto stored =
      tune::automatic_line(subject_.program, *subject_.device, {.only_stored = true});
  if (!stored) return;
  Diagnostics none;
  const auto schedule = scheduler_.parse(stored->line, none);
  if (!schedule) return;
  const std::string line = schedule::print(*schedule, subject_.program.grid().rank());
  const auto place = [&] {
    return std::find_if(out.candidates.begin(), out.candidates.end(),
                        [&](const auto& c) { return c.schedule == line; });
  };
  if (place() == out.candidates.end()) add_candidate(line, std::nullopt, out);
  if (place() == out.candidates.end()) return;
  chosen_ = static_cast<size_t>(place() - out.candidates.begin());
  out.automatic = line;
  out.automatic_origin = stored->origin;
}

void Exploration::add_measurements(explore::Report& out) const {
  for (explore::Candidate& candidate : out.candidates) {
    const auto found = measured_.find(candidate.schedule);
    if (found != measured_.end()) candidate.measured = found->second;
  }
  // Timed schedules that are not in the ranking.
  for (const auto& [line, rate] : measured_) {
    const bool there = std::any_of(out.candidates.begin(), out.candidates.end(),
                                   [&](const auto& c) { return c.schedule == line; });
    if (!there) add_candidate(line, rate, out);
  }
  // Measured candidates come first, fastest at the top.
  std::stable_sort(out.candidates.begin(), out.candidates.end(), [](const auto& a, const auto& b) {
    return a.measured.value_or(0) > b.measured.value_or(0);
  });
  // A schedule with few runs may have been lucky; the best is the unbeaten one.
  const auto best = std::find_if(out.candidates.begin(), out.candidates.end(),
                                 [&](const auto& c) { return c.schedule == best_; });
  if (best != out.candidates.end()) std::rotate(out.candidates.begin(), best, best + 1);
}

void Exploration::add_winner(explore::Report& out) {
  explore::Candidate& chosen = out.candidates[chosen_];
  chosen.chosen = true;
  const std::string& line = chosen.schedule;
  Diagnostics none;
  const auto schedule = scheduler_.parse(line, none);
  out.winner = explore::winner_of(scheduler_, *schedule);
  out.winner->target = subject_.target.name;
  out.neighbours = explore::neighbours_of(space_, *schedule);
  CompileRequest request;
  request.schedule = line;
  request.machine = subject_.machine;
  request.emit.target = subject_.target.target;
  const auto compiled = stencil::compile(subject_.program, source_, request, none);
  if (compiled) out.winner->source = compiled->text;
  out.command = command_for(arguments_, subject_, explore::line_of(chosen));
}

// U013 if a report would overwrite the program or another report.
Status check_reports(const Arguments& arguments) {
  std::vector<std::string> taken = {arguments.file};
  const ExploreArguments& files = arguments.explore;
  for (const std::string& path : {files.json, files.csv, files.html}) {
    if (path.empty()) continue;
    for (const std::string& other : taken) {
      if (!same_file(path, other)) continue;
      const std::string what =
          other == taken.front() ? "is the program itself" : "is written twice";
      return Failure{"U013", fmt::format("the report '{}' {}", path, what), "name another file"};
    }
    taken.push_back(path);
  }
  return Done{};
}

// Writes all report files or none.
Status write_reports(const ExploreArguments& arguments, const explore::Report& report) {
  std::vector<OutputFile> files;
  if (!arguments.json.empty()) files.push_back({arguments.json, explore::json_of(report)});
  if (!arguments.csv.empty()) files.push_back({arguments.csv, explore::csv_of(report)});
  if (!arguments.html.empty()) files.push_back({arguments.html, explore::html_of(report)});
  return write_files(files);
}

}  // namespace

int explore_command(const Arguments& arguments) {
  const Status reports = check_reports(arguments);
  if (!reports.ok()) return report(reports.failure());
  const auto source = read_program(arguments);
  if (!source.ok()) return report(source.failure());
  Diagnostics diagnostics;
  auto program = load_program(
      source.value(), runtime::program_options(arguments.program, arguments.file), diagnostics);
  if (const ExitStatus status = report(source.value(), diagnostics)) return status;
  auto subject = subject_of(arguments, std::move(*program));
  if (!subject.ok()) return report(subject.failure());
  Exploration exploration(arguments, source.value(), std::move(subject).value());
  const Status done = exploration.run();
  if (!done.ok()) return report(done.failure());
  if (exploration.interrupted()) {
    std::fputs("interrupted: there is no report; measured times are kept\n", stderr);
    return interrupted_by(InterruptGuard::signal_number());
  }
  const explore::Report found = exploration.report();
  const Status written = write_reports(arguments.explore, found);
  if (!written.ok()) return report(written.failure());
  constexpr int64_t kRows = 10;
  return print_out(
      explore::text_of(found, static_cast<size_t>(arguments.explore.rows.value_or(kRows))));
}

}  // namespace stencil::tool
