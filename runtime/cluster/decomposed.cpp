#include "runtime/cluster/decomposed.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/decompose/restrict.h"
#include "compiler/support/threads.h"
#include "runtime/cluster/local_parts.h"
#include "runtime/cluster/part_state.h"

namespace stencil::runtime {

namespace {

// What all sessions of a decomposed program share.
struct Whole {
  ir::Program program;  // at sizes
  decompose::Decomposition decomposition;
  std::vector<ir::Program> parts;
  std::vector<Prepared> prepared;  // by part

  int count() const { return decomposition.parts(); }
};

class DecomposedSession : public Session {
 public:
  DecomposedSession(std::shared_ptr<const Whole> whole, reference::State& state)
      : whole_(std::move(whole)), state_(state), talk_(whole_->count()) {
    states_.resize(static_cast<size_t>(whole_->count()));
    sessions_.resize(states_.size());
  }

  Status start();
  Result<int64_t> advance(int64_t steps) override;
  Status fetch(const std::vector<int>& levels) override;
  Status finish() override {
    return fetch(std::vector<int>(state_.fields.size(), std::numeric_limits<int>::max()));
  }
  std::optional<double> seconds() const override;

 private:
  // Does `work` for every part at once, by number; the first failure counts, which ends the others.
  template <class Work>
  Status in_parts(const Work& work);
  void take_reductions();

  const std::shared_ptr<const Whole> whole_;
  reference::State& state_;
  LocalParts talk_;
  std::vector<std::unique_ptr<reference::State>> states_;
  std::vector<std::unique_ptr<Session>> sessions_;  // end before their states
};

template <class Work>
Status DecomposedSession::in_parts(const Work& work) {
  std::vector<Status> done(states_.size(), Done{});
  in_threads(whole_->count(), [&](int number) {
    const auto p = static_cast<size_t>(number);
    done[p] = work(p);
    if (!done[p].ok()) talk_.part(number).abandon(done[p].failure());
  });
  for (const Status& status : done) {
    if (!status.ok()) return status;
  }
  return Done{};
}

Status DecomposedSession::start() {
  return in_parts([&](size_t p) -> Status {
    auto state = empty_part(whole_->parts[p], state_);
    if (!state.ok()) return state.failure();
    states_[p] = std::make_unique<reference::State>(std::move(state).value());
    fill_part(whole_->program, whole_->decomposition, state_, *states_[p]);
    auto session =
        whole_->prepared[p].loaded->start_part(*states_[p], talk_.part(static_cast<int>(p)));
    if (!session.ok()) return session.failure();
    sessions_[p] = std::move(session).value();
    return Done{};
  });
}

Result<int64_t> DecomposedSession::advance(int64_t steps) {
  std::vector<int64_t> taken(states_.size());
  const Status done = in_parts([&](size_t p) -> Status {
    const auto advanced = sessions_[p]->advance(steps);
    if (!advanced.ok()) return advanced.failure();
    taken[p] = advanced.value();
    return Done{};
  });
  if (!done.ok()) return done.failure();
  state_.step = states_[0]->step;
  state_.stopped = states_[0]->stopped;
  take_reductions();
  return taken[0];
}

// All parts have the same values. Whether some value of a profile was NaN each knows of its own.
void DecomposedSession::take_reductions() {
  state_.reductions = states_[0]->reductions;
  for (const auto& part : states_) {
    for (size_t r = 0; r < state_.reductions.size(); ++r) {
      const int64_t first = part->reductions[r].first_nan;
      int64_t& least = state_.reductions[r].first_nan;
      if (first > 0 && (least == 0 || first < least)) least = first;
    }
  }
}

Status DecomposedSession::fetch(const std::vector<int>& levels) {
  return in_parts([&](size_t p) -> Status {
    const Status fetched = sessions_[p]->fetch(levels);
    if (!fetched.ok()) return fetched;
    give_back(whole_->program, whole_->decomposition, static_cast<int>(p), *states_[p], levels,
              state_);
    return Done{};
  });
}

std::optional<double> DecomposedSession::seconds() const {
  double longest = 0;
  for (const auto& session : sessions_) {
    const auto seconds = session->seconds();
    if (!seconds) return std::nullopt;
    longest = std::max(longest, *seconds);
  }
  return longest;
}

class DecomposedProgram : public LoadedProgram {
 public:
  explicit DecomposedProgram(std::shared_ptr<const Whole> whole) : whole_(std::move(whole)) {}

  Result<std::unique_ptr<Session>> start(reference::State& state) const override {
    auto session = std::make_unique<DecomposedSession>(whole_, state);
    const Status started = session->start();
    if (!started.ok()) return started.failure();
    return std::unique_ptr<Session>(std::move(session));
  }
  Result<std::string> code(CodeKind kind) const override {
    return whole_->prepared[0].loaded->code(kind);
  }
  std::vector<KernelResources> resources() const override {
    return whole_->prepared[0].loaded->resources();
  }

 private:
  const std::shared_ptr<const Whole> whole_;
};

const Link& link_of(const std::string& device) {
  return device.starts_with("host") || device.starts_with("opencl") ? memory_link() : gpu_link();
}

}  // namespace

Result<std::vector<std::string>> devices_of_parts(const std::string& device, int parts) {
  auto first = choose_device(device);
  if (!first.ok()) return first.failure();
  const std::string name = first.value().device.name;
  std::vector<std::string> out;
  if (name != "cuda" || !first.value().selector.empty()) {
    out.assign(static_cast<size_t>(parts), device == "auto" ? name : device);
    return out;
  }
  for (int part = 0; part < parts; ++part) {
    out.push_back(fmt::format("cuda:{}", part));
    const auto chosen = choose_device(out.back());
    if (chosen.ok()) continue;
    return Failure{"R041", fmt::format("{} GPUs are wanted: {}", parts, chosen.failure().message),
                   "'cuda:0' has all parts on one GPU"};
  }
  return out;
}

std::unique_ptr<LoadedProgram> assemble_parts(ir::Program at_sizes,
                                              decompose::Decomposition decomposition,
                                              std::vector<ir::Program> parts,
                                              std::vector<std::unique_ptr<LoadedProgram>> loaded) {
  auto whole = std::make_shared<Whole>();
  whole->program = std::move(at_sizes);
  whole->decomposition = std::move(decomposition);
  whole->parts = std::move(parts);
  whole->prepared.resize(loaded.size());
  for (size_t p = 0; p < loaded.size(); ++p) whole->prepared[p].loaded = std::move(loaded[p]);
  return std::make_unique<DecomposedProgram>(std::move(whole));
}

Result<SettledCut> settle_cut(const ir::Program& program, const std::vector<int64_t>& integers,
                              const CutRequest& request, const ChosenDevice& device,
                              const Link& link, const std::string& schedule_line,
                              Diagnostics& diagnostics, const KnownPartLines& known) {
  auto at_sizes = decompose::at_sizes(program, integers);
  if (!at_sizes) return Failure{"R052", "the sizes of the grid overflow", "use smaller sizes (-D)"};
  if (!device.device.runs_kernels) {
    return Failure{"R045", "the interpreter does not do parts of programs",
                   "use --device host, opencl or cuda"};
  }
  const Failure cannot = {"", "the grid cannot be cut", ""};
  const schedule::Machine& machine = device.device.machine;
  auto cutting = cut(*at_sizes, request, schedule_line, machine, link, diagnostics);
  if (!cutting) return cannot;
  SettledCut out{std::move(*at_sizes), {}, schedule_line, ""};
  if (out.line.empty() || out.line == "auto") {  // one part chooses for all
    out.line = schedule::print(cutting->schedule, program.grid.rank());
    const auto found = known ? known(part_alone(out.program, *cutting), device) : std::nullopt;
    if (found && found->line != out.line) {
      out.line = found->line;
      cutting = cut(out.program, {decompose::print(cutting->decomposition.cuts), request.steps},
                    out.line, machine, link, diagnostics);
      if (!cutting) return cannot;
    }
    if (found) out.origin = found->origin;
  }
  out.decomposition = std::move(cutting->decomposition);
  return out;
}

Result<Prepared> prepare_part(const SettledCut& cut, int part, const std::string& device,
                              const std::string& schedule_line, ir::Program& program,
                              Diagnostics& diagnostics) {
  program = decompose::restrict_to(cut.program, cut.decomposition, part);
  auto prepared = prepare(program, device, cut.line, diagnostics);
  const bool refused = !prepared.ok() && prepared.failure().code.empty();
  if (!refused || cut.line == schedule_line) return prepared;
  diagnostics = {};
  program = decompose::restrict_to(cut.program, cut.decomposition, part, false);
  return prepare(program, device, "auto", diagnostics);
}

Result<Prepared> prepare_parts(const ir::Program& program, const std::vector<int64_t>& integers,
                               const CutRequest& request, const std::string& device,
                               const std::string& schedule_line, Diagnostics& diagnostics,
                               const StageCallback& stage, const KnownPartLines& known) {
  const StageCallback tell = stage ? stage : [](const std::string&) {};
  auto first = choose_device(device);
  if (!first.ok()) return first.failure();
  const std::string& name = first.value().device.name;
  tell(fmt::format("cutting {} for {}", program.name, name));
  auto settled = settle_cut(program, integers, request, first.value(), link_of(name), schedule_line,
                            diagnostics, known);
  if (!settled.ok()) return settled.failure();
  SettledCut& cut = settled.value();
  const int parts = cut.decomposition.parts();
  const auto devices = devices_of_parts(device, parts);
  if (!devices.ok()) return devices.failure();
  auto whole = std::make_shared<Whole>();
  whole->parts.resize(static_cast<size_t>(parts));
  whole->prepared.resize(static_cast<size_t>(parts));
  std::vector<Status> built(static_cast<size_t>(parts), Done{});
  std::vector<Diagnostics> said(static_cast<size_t>(parts));
  tell(fmt::format("compiling {} parts of {} for {}: {}", parts, program.name, name, cut.line));
  in_threads(parts, [&](int part) {
    const auto p = static_cast<size_t>(part);
    auto prepared =
        prepare_part(cut, part, devices.value()[p], schedule_line, whole->parts[p], said[p]);
    if (prepared.ok()) {
      whole->prepared[p] = std::move(prepared).value();
    } else {
      built[p] = prepared.failure();
    }
  });
  for (size_t p = 0; p < built.size(); ++p) {
    if (built[p].ok()) continue;
    for (const Diagnostic& diagnostic : said[p].items()) diagnostics.add(diagnostic);
    return built[p].failure();
  }
  const auto typical = static_cast<size_t>(typical_part(cut.decomposition));
  const Prepared& shown = whole->prepared[typical];
  Prepared out;
  out.device = std::move(first).value();
  out.schedule = shown.schedule;
  out.module = shown.module;
  out.origin = cut.origin;
  whole->program = std::move(cut.program);
  whole->decomposition = std::move(cut.decomposition);
  out.loaded = std::make_unique<DecomposedProgram>(whole);
  return out;
}

}  // namespace stencil::runtime
