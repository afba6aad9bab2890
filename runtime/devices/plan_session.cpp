// A session that executes the host program of a plan (compiler/host_ir/program.h). Emitted drivers
// are the same program as text.
#include "runtime/devices/plan_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <optional>
#include <utility>

#include "compiler/host_ir/passes.h"
#include "compiler/support/try.h"
#include "runtime/devices/capture.h"
#include "runtime/devices/host_runner.h"
#include "runtime/devices/plan_memory.h"
#include "runtime/devices/replays.h"
#include "runtime/devices/subdomain_exchange.h"

namespace stencil::runtime {

namespace {

class PlanSession : public Session {
 public:
  // `owned`: the accelerator, if the session owns it.
  PlanSession(std::unique_ptr<Accelerator> owned, Accelerator& accelerator,
              const kernel::Module& module, reference::State& state, const PlanOptions& options)
      : owned_(std::move(owned)),
        accelerator_(accelerator),
        module_(module),
        state_(state),
        memory_(accelerator, module, state, options.arrays),
        replays_(accelerator, options.communicator) {
    if (options.communicator)
      subdomain_exchange_.emplace(accelerator, module.plan, memory_, *options.communicator);
    runner_.emplace(accelerator, module, state, memory_, replays_,
                    subdomain_exchange_ ? &*subdomain_exchange_ : nullptr);
  }

  Status prepare(const PlanOptions& options);
  Result<int64_t> advance(int64_t steps) override;
  Status fetch(const std::vector<int>& levels) override { return memory_.fetch(levels); }
  Result<bool> read(const BoxOfField& what, std::byte* to) override {
    return memory_.read(what, to);
  }
  Result<std::optional<NonFiniteCount>> count_non_finite(const BoxOfField& what) override {
    return memory_.count_non_finite(what);
  }
  Status finish() override;
  Status wait() override;
  bool is_captured() const override { return accelerator_.is_captured(); }
  std::optional<double> seconds() const override;

 private:
  Result<int64_t> capture(int64_t steps);

  const std::unique_ptr<Accelerator> owned_;  // destroyed after everything that refers to it
  Accelerator& accelerator_;
  const kernel::Module& module_;
  reference::State& state_;
  PlanMemory memory_;
  std::optional<SubdomainExchange> subdomain_exchange_;  // nullopt: the program is not a subdomain
  Replays replays_;
  std::optional<HostRunner> runner_;
  const std::unique_ptr<Stopwatch> stopwatch_ = accelerator_.stopwatch();  // null: none
};

Status PlanSession::prepare(const PlanOptions& options) {
  if (!module_.plan.exchanges.empty() && !subdomain_exchange_) {
    return Failure{"R045", "the program is a subdomain of another one and has no communicator", ""};
  }
  host_ir::Program program = host_ir::lower(module_, {});
  const auto* const like = dynamic_cast<const PlanSession*>(options.like);
  auto* const giver = dynamic_cast<PlanSession*>(options.giver);
  if (giver) {
    TRY(giver->fetch(memory_.levels_from_state(giver->memory_)));
    TRY(runner_->begin(program, {&giver->memory_, true}));
  } else {
    TRY(runner_->begin(program, {like ? &like->memory_ : nullptr}));
  }
  if (subdomain_exchange_) TRY(subdomain_exchange_->prepare());
  const int64_t cycle = host_ir::steps_of_cycle(program, module_.plan);
  TRY(replays_.settle(cycle));
  host_ir::set_cycle(program, cycle);
  if (subdomain_exchange_ && subdomain_exchange_->is_beside_tiles()) {
    host_ir::overlap_exchanges(program, module_.plan, accelerator_.has_lanes());
  }
  if (accelerator_.records() && !subdomain_exchange_) host_ir::mark_replays(program, module_.plan);
  const std::vector<std::string> unsound = host_ir::verify(program, module_);
  if (!unsound.empty()) {
    return Failure{"K001", fmt::format("internal error: {}", fmt::join(unsound, "; ")),
                   "this is a bug of stencilc; please report the program"};
  }
  runner_->set_program(std::move(program));
  if (giver) {
    TRY(accelerator_.wait());  // for copies from its memory
    memory_.keep_given(giver->memory_);
  }
  return Done{};
}

// Every launch of the graph begins with the same memory and the same state, so the levels go back
// to where they were, and the state keeps its step.
Result<int64_t> PlanSession::capture(int64_t steps) {
  TRY(check_capture(module_, state_));
  const auto slots = memory_.slots();
  const int64_t step = state_.step;
  const auto reductions = state_.reductions;
  TRY(runner_->refresh_copies());
  const auto done = runner_->run(steps);
  state_.step = step;
  state_.reductions = reductions;
  TRY(done.ok() ? memory_.bring_back(slots) : Status(done.failure()));
  return done;
}

Result<int64_t> PlanSession::advance(int64_t steps) {
  if (is_captured()) return capture(steps);
  TRY(runner_->refresh_copies());
  if (subdomain_exchange_) TRY(subdomain_exchange_->connect());
  TRY(stopwatch_ ? stopwatch_->start() : Status(Done{}));
  const auto done = TRY(runner_->run(steps));
  TRY(stopwatch_ ? stopwatch_->stop() : Status(Done{}));
  TRY(memory_.has_attached() ? runner_->bring_home() : wait());
  return done;
}

std::optional<double> PlanSession::seconds() const {
  if (!stopwatch_) return std::nullopt;
  const auto measured = stopwatch_->seconds();
  if (!measured.ok()) return std::nullopt;
  return measured.value();
}

Status PlanSession::wait() {
  if (is_captured()) return refused_in_capture("wait for steps");
  TRY(accelerator_.wait());
  return runner_->collect();
}

Status PlanSession::finish() {
  return fetch(std::vector<int>(state_.fields.size(), std::numeric_limits<int>::max()));
}

Result<std::unique_ptr<Session>> start(std::unique_ptr<Accelerator> owned, Accelerator& accelerator,
                                       const kernel::Module& module, reference::State& state,
                                       const PlanOptions& options) {
  auto session =
      std::make_unique<PlanSession>(std::move(owned), accelerator, module, state, options);
  TRY(session->prepare(options));
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace

Result<std::unique_ptr<Session>> start_plan(Accelerator& accelerator, const kernel::Module& module,
                                            reference::State& state) {
  return start(nullptr, accelerator, module, state, {});
}

Result<std::unique_ptr<Session>> start_plan(std::unique_ptr<Accelerator> accelerator,
                                            const kernel::Module& module, reference::State& state,
                                            const PlanOptions& options) {
  Accelerator& used = *accelerator;
  return start(std::move(accelerator), used, module, state, options);
}

}  // namespace stencil::runtime
