#include "runtime/cluster/decomposed.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/decompose/restrict.h"
#include "compiler/support/threads.h"
#include "compiler/support/try.h"
#include "runtime/cluster/local_subdomains.h"
#include "runtime/cluster/subdomain_run.h"
#include "runtime/cluster/subdomain_state.h"

namespace stencil::runtime {

namespace {

// Shared by all sessions of a decomposed program.
struct Whole {
  ir::Program program;  // with all sizes known
  decompose::Decomposition decomposition;
  std::vector<ir::Program> subdomains;
  std::vector<Prepared> prepared;  // by subdomain

  int count() const { return decomposition.subdomains(); }
};

class DecomposedSession : public Session, public FieldRows {
 public:
  DecomposedSession(std::shared_ptr<const Whole> whole, reference::State& state)
      : whole_(std::move(whole)), state_(state), talk_(whole_->count()) {
    for (int p = 0; p < whole_->count(); ++p) {
      subdomains_.push_back(
          std::make_unique<SubdomainRun>(whole_->program, whole_->decomposition, p, state_));
    }
  }

  Status start(const std::vector<FieldFile>& files);
  Result<int64_t> advance(int64_t steps) override;
  Status fetch(const std::vector<int>& levels) override;
  Status finish() override {
    return fetch(std::vector<int>(state_.fields.size(), std::numeric_limits<int>::max()));
  }
  std::optional<double> seconds() const override;
  Result<bool> read(const BoxOfField& what, std::byte* to) override;

  FieldRows* rows() override { return this; }
  Status write(const std::vector<SharedFile>& files) override {
    return in_subdomains([&](size_t p) { return subdomains_[p]->write(files); });
  }
  Result<std::vector<uint32_t>> checksums(const std::vector<StoredArray>& arrays) override {
    const auto all =
        TRY(of_subdomains([&](SubdomainRun& subdomain) { return subdomain.checksums(arrays); }));
    return sum_of_checksums(all);
  }
  Result<std::vector<NonFiniteCount>> count_non_finite(
      const std::vector<Selection>& places) override {
    const auto all = TRY(
        of_subdomains([&](SubdomainRun& subdomain) { return subdomain.count_non_finite(places); }));
    return sum_of_counts(all);
  }

 private:
  // Runs `work(p)` for all subdomains in parallel and returns the first failure.
  template <class Work>
  Status in_subdomains(const Work& work);
  // Like in_subdomains(), for work in which subdomains wait for each other. If one subdomain fails,
  // the others stop waiting.
  template <class Work>
  Status together(const Work& work);
  // Collects the results of `work`, by subdomain.
  template <class Work>
  auto of_subdomains(const Work& work)
      -> Result<std::vector<std::decay_t<decltype(work(std::declval<SubdomainRun&>()).value())>>>;
  void take_reductions();

  const std::shared_ptr<const Whole> whole_;
  reference::State& state_;
  LocalSubdomains talk_;
  std::vector<std::unique_ptr<SubdomainRun>> subdomains_;
};

template <class Work>
Status DecomposedSession::in_subdomains(const Work& work) {
  std::vector<Status> done(subdomains_.size(), Done{});
  in_threads(whole_->count(), [&](int number) {
    const auto p = static_cast<size_t>(number);
    done[p] = work(p);
  });
  for (const Status& status : done) {
    if (!status.ok()) return status;
  }
  return Done{};
}

template <class Work>
Status DecomposedSession::together(const Work& work) {
  return in_subdomains([&](size_t p) {
    Status done = work(p);
    if (!done.ok()) talk_.communicator(static_cast<int>(p)).abandon(done.failure());
    return done;
  });
}

template <class Work>
auto DecomposedSession::of_subdomains(const Work& work)
    -> Result<std::vector<std::decay_t<decltype(work(std::declval<SubdomainRun&>()).value())>>> {
  std::vector<std::decay_t<decltype(work(std::declval<SubdomainRun&>()).value())>> out(
      subdomains_.size());
  TRY(in_subdomains([&](size_t p) -> Status {
    auto given = TRY(work(*subdomains_[p]));
    out[p] = std::move(given);
    return Done{};
  }));
  return out;
}

Status DecomposedSession::start(const std::vector<FieldFile>& files) {
  std::vector<bool> stored;
  for (size_t f = 0; f < state_.fields.size(); ++f) stored.push_back(is_stored(state_, f));
  const Status started = together([&](size_t p) -> Status {
    const ir::Program& whole = whole_->program;
    auto state = TRY(empty_subdomain(whole_->subdomains[p], state_));
    fill_subdomain(whole, whole_->decomposition, state_, state);
    TRY(begin_subdomain(whole, whole_->decomposition, whole_->subdomains[p], stored, files, state_,
                        state));
    return subdomains_[p]->start(*whole_->prepared[p].loaded, std::move(state),
                                 talk_.communicator(static_cast<int>(p)));
  });
  return started.ok() ? check_files(whole_->program, files, *this) : started;
}

Result<int64_t> DecomposedSession::advance(int64_t steps) {
  std::vector<int64_t> taken(subdomains_.size());
  TRY(together([&](size_t p) -> Status {
    const auto advanced = TRY(subdomains_[p]->advance(steps));
    taken[p] = advanced;
    return Done{};
  }));
  state_.step = subdomains_[0]->state().step;
  state_.stopped = subdomains_[0]->state().stopped;
  take_reductions();
  return taken[0];
}

// The values are the same in all subdomains. But a NaN in a profile is detected only by the
// subdomain that owns the point.
void DecomposedSession::take_reductions() {
  state_.reductions = subdomains_[0]->state().reductions;
  for (const auto& subdomain : subdomains_) {
    for (size_t r = 0; r < state_.reductions.size(); ++r) {
      const int64_t first = subdomain->state().reductions[r].first_nan;
      int64_t& least = state_.reductions[r].first_nan;
      if (first > 0 && (least == 0 || first < least)) least = first;
    }
  }
}

Status DecomposedSession::fetch(const std::vector<int>& levels) {
  provide_storage(whole_->program, levels, state_);
  return in_subdomains([&](size_t p) -> Status {
    TRY(subdomains_[p]->bring(levels));
    give_back(whole_->program, subdomains_[p]->state(), subdomains_[p]->rows(), levels, state_);
    return Done{};
  });
}

Result<bool> DecomposedSession::read(const BoxOfField& what, std::byte* to) {
  const auto& types = state_.fields[what.field].types;
  const int64_t bytes = size_in_bytes(types[what.component]);
  TRY(in_subdomains([&](size_t p) -> Status {
    const BoxOfField own = subdomains_[p]->own_part_of(what);
    std::vector<std::byte> values(static_cast<size_t>(ir::count(own.box) * bytes));
    const Status read = subdomains_[p]->read(own, values.data());
    if (read.ok()) put_box(values.data(), own.box, what.box, bytes, to);
    return read;
  }));
  return true;
}

std::optional<double> DecomposedSession::seconds() const {
  double longest = 0;
  for (const auto& subdomain : subdomains_) {
    const auto seconds = subdomain->seconds();
    if (!seconds) return std::nullopt;
    longest = std::max(longest, *seconds);
  }
  return longest;
}

class DecomposedProgram : public LoadedProgram {
 public:
  explicit DecomposedProgram(std::shared_ptr<const Whole> whole) : whole_(std::move(whole)) {}

  Result<std::unique_ptr<Session>> start(reference::State& state) const override {
    return start_from(state, {});
  }
  bool starts_unstored() const override { return true; }
  Result<std::unique_ptr<Session>> start_from(reference::State& state,
                                              const std::vector<FieldFile>& files) const override {
    auto session = std::make_unique<DecomposedSession>(whole_, state);
    TRY(session->start(files));
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

Result<std::vector<std::string>> devices_of_subdomains(const std::string& device, int subdomains) {
  auto first = TRY(choose_device(device));
  const std::string name = first.device.name;
  std::vector<std::string> out;
  if (name != "cuda" || !first.selector.empty()) {
    out.assign(static_cast<size_t>(subdomains), device == "auto" ? name : device);
    return out;
  }
  for (int subdomain = 0; subdomain < subdomains; ++subdomain) {
    out.push_back(fmt::format("cuda:{}", subdomain));
    const auto chosen = choose_device(out.back());
    if (chosen.ok()) continue;
    return Failure{"R041",
                   fmt::format("{} GPUs are needed: {}", subdomains, chosen.failure().message),
                   "'cuda:0' puts all subdomains on one GPU"};
  }
  return out;
}

std::unique_ptr<LoadedProgram> assemble_subdomains(
    ir::Program at_sizes, decompose::Decomposition decomposition,
    std::vector<ir::Program> subdomains, std::vector<std::unique_ptr<LoadedProgram>> loaded) {
  auto whole = std::make_shared<Whole>();
  whole->program = std::move(at_sizes);
  whole->decomposition = std::move(decomposition);
  whole->subdomains = std::move(subdomains);
  whole->prepared.resize(loaded.size());
  for (size_t p = 0; p < loaded.size(); ++p) whole->prepared[p].loaded = std::move(loaded[p]);
  return std::make_unique<DecomposedProgram>(std::move(whole));
}

Result<SettledCut> settle_cut(const ir::Program& program, const std::vector<int64_t>& integers,
                              const CutRequest& request, const ChosenDevice& device,
                              const Link& link, const std::string& schedule_line,
                              Diagnostics& diagnostics, const KnownSubdomainLines& known) {
  auto at_sizes = decompose::at_sizes(program, integers);
  if (!at_sizes) return Failure{"R052", "the sizes of the grid overflow", "use smaller sizes (-D)"};
  if (!device.device.runs_kernels) {
    return Failure{"R045", "the interpreter does not support decomposed programs",
                   "use --device host, opencl or cuda"};
  }
  const Failure cannot = {"", "the grid cannot be cut", ""};
  const schedule::Machine& machine = device.device.machine;
  auto cutting = cut(*at_sizes, request, schedule_line, machine, link, diagnostics);
  if (!cutting) return cannot;
  SettledCut out{std::move(*at_sizes), {}, schedule_line, ""};
  if (out.line.empty() || out.line == "auto") {  // one subdomain chooses for all
    out.line = schedule::print(cutting->schedule, program.grid().rank());
    const auto found = known ? known(subdomain_alone(out.program, *cutting), device) : std::nullopt;
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

Result<Prepared> prepare_subdomain(const SettledCut& cut, int subdomain, const std::string& device,
                                   const std::string& schedule_line, ir::Program& program,
                                   Diagnostics& diagnostics) {
  program = decompose::restrict_to(cut.program, cut.decomposition, subdomain);
  auto prepared = prepare(program, device, cut.line, diagnostics);
  const bool refused = !prepared.ok() && prepared.failure().code.empty();
  if (!refused || cut.line == schedule_line) return prepared;
  diagnostics = {};
  program = decompose::restrict_to(cut.program, cut.decomposition, subdomain, false);
  return prepare(program, device, "auto", diagnostics);
}

Result<Prepared> prepare_subdomains(const ir::Program& program,
                                    const std::vector<int64_t>& integers, const CutRequest& request,
                                    const std::string& device, const std::string& schedule_line,
                                    Diagnostics& diagnostics, const StageCallback& stage,
                                    const KnownSubdomainLines& known) {
  const StageCallback tell = stage ? stage : [](const std::string&) {};
  auto first = TRY(choose_device(device));
  const std::string& name = first.device.name;
  tell(fmt::format("cutting {} for {}", program.name, name));
  auto settled = TRY(settle_cut(program, integers, request, first, link_of(name), schedule_line,
                                diagnostics, known));
  SettledCut& cut = settled;
  const int subdomains = cut.decomposition.subdomains();
  const auto devices = TRY(devices_of_subdomains(device, subdomains));
  auto whole = std::make_shared<Whole>();
  whole->subdomains.resize(static_cast<size_t>(subdomains));
  whole->prepared.resize(static_cast<size_t>(subdomains));
  std::vector<Status> built(static_cast<size_t>(subdomains), Done{});
  std::vector<Diagnostics> said(static_cast<size_t>(subdomains));
  tell(fmt::format("compiling {} subdomains of {} for {}: {}", subdomains, program.name, name,
                   cut.line));
  in_threads(subdomains, [&](int subdomain) {
    const auto p = static_cast<size_t>(subdomain);
    auto prepared =
        prepare_subdomain(cut, subdomain, devices[p], schedule_line, whole->subdomains[p], said[p]);
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
  const auto typical = static_cast<size_t>(typical_subdomain(cut.decomposition));
  const Prepared& shown = whole->prepared[typical];
  Prepared out;
  out.device = std::move(first);
  out.schedule = shown.schedule;
  out.module = shown.module;
  out.origin = cut.origin;
  out.subdomains = describe(cut.decomposition);
  whole->program = std::move(cut.program);
  whole->decomposition = std::move(cut.decomposition);
  out.loaded = std::make_unique<DecomposedProgram>(whole);
  return out;
}

}  // namespace stencil::runtime
