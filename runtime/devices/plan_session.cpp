// The host driver as an interpreter of the plan (compiler/kernel/plan.h). Emitted drivers contain
// the same loop as text.
//
// Reduction values stay in device memory until advance() ends. While steps remain, the host only
// needs to know whether to stop: it reads back one flag when the stop condition is evaluated, and
// waits for the device there.
#include "runtime/devices/plan_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "compiler/kernel/passes.h"
#include "runtime/devices/part_exchange.h"
#include "runtime/devices/plan_memory.h"
#include "runtime/devices/replays.h"
#include "runtime/devices/scalar_bytes.h"

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
        plan_(module.plan),
        state_(state),
        memory_(accelerator, module, state, options.arrays),
        replays_(accelerator, options.parts) {
    if (options.parts) parts_.emplace(accelerator, plan_, memory_, *options.parts);
  }

  Status prepare(const Session* like);
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
  std::optional<double> seconds() const override;

 private:
  Status restore_reductions();
  Status count_blocks(const kernel::Launch& launch);
  Status tile(int64_t count);
  Status tile(const kernel::Run& run, int64_t count);
  Status steps_of_round(int64_t round, int64_t& done);
  int64_t round_of(const kernel::Run& run, int64_t left) const;
  Status act(const kernel::Action& action, int64_t count);
  Status launch(const kernel::Launch& launch, int64_t count);
  Status launch_blocks(const kernel::Launch& launch, int64_t count);
  Status launch_blocks(const kernel::Launch& launch, int64_t count, int64_t first, int64_t blocks);
  Accelerator::Call call(const kernel::Launch& launch, int64_t count, int64_t first,
                         int64_t blocks);
  int64_t steps_of_cycle();
  Status do_steps(int64_t steps, int64_t& done);
  Result<int64_t> replay(int64_t left);
  Result<Accelerator::Mark> launch_outer(const Accelerator::Call& call);
  Status tile_with_exchange(int64_t count, const kernel::HaloSwap& halo);
  Status await_exchange();
  Status refresh_halos(const kernel::Run& run, bool first);
  Status refresh_halos(size_t action, bool each_step);
  Status swap(const kernel::Swap& swap);
  Status reduce(int64_t count);
  Status ask_to_stop(int64_t count);
  Status take_answer();
  Status read_value(const kernel::Reduction& reduction, reference::ReductionValue& out);
  Status read_reductions();

  const std::unique_ptr<Accelerator> owned_;  // destroyed after everything that refers to it
  Accelerator& accelerator_;
  const kernel::Module& module_;
  const kernel::Plan& plan_;
  reference::State& state_;
  PlanMemory memory_;
  std::map<const kernel::Launch*, int64_t> blocks_;  // number of blocks, by launch of the plan
  const std::vector<kernel::Run> runs_ = kernel::runs(plan_);
  const std::optional<size_t> answer_point_ = kernel::answer_point(module_);
  std::optional<PartExchange> parts_;         // nullopt: the program is not a subdomain
  Accelerator::Mark outer_done_, exchanged_;  // of the last tile with overlap; null: none
  std::vector<int64_t> rounds_;               // rounds since the last exchange, by halo of the plan
  Replays replays_;
  // State at the beginning and the end of a recorded cycle.
  std::vector<std::vector<Accelerator::Memory>> recorded_slots_;
  std::vector<int64_t> recorded_rounds_;
  bool asked_ = false;  // the answer to the stop condition is pending
  const std::unique_ptr<Stopwatch> stopwatch_ = accelerator_.stopwatch();  // null: none
};

Status PlanSession::prepare(const Session* like) {
  if (!plan_.swaps.empty() && !parts_) {
    return Failure{"R045", "the program is a part of another one and has no communicator", ""};
  }
  rounds_.assign(plan_.halos.size(), 0);
  const auto* const other = dynamic_cast<const PlanSession*>(like);
  const Status provided = memory_.prepare(other ? &other->memory_ : nullptr);
  if (!provided.ok()) return provided;
  Status counted = Done{};
  kernel::for_each_launch(plan_, [&](const kernel::Launch& launch) {
    if (counted.ok()) counted = count_blocks(launch);
  });
  if (counted.ok() && parts_) counted = parts_->prepare();
  if (counted.ok()) counted = replays_.settle(steps_of_cycle());
  return counted.ok() ? restore_reductions() : counted;
}

Status PlanSession::count_blocks(const kernel::Launch& launch) {
  const auto blocks = memory_.evaluate(launch.blocks);
  const std::string& kernel = module_.kernels[static_cast<size_t>(launch.kernel)].name;
  if (!blocks) {
    return Failure{"R043", fmt::format("kernel {}: the number of blocks overflows", kernel), ""};
  }
  if (*blocks > INT32_MAX) {
    return Failure{"R043",
                   fmt::format("kernel {}: {} blocks are too many for one launch", kernel, *blocks),
                   "use larger blocks"};
  }
  blocks_[&launch] = *blocks;
  return Done{};
}

Status PlanSession::launch(const kernel::Launch& launch, int64_t count) {
  const Status launched = launch_blocks(launch, count);
  if (!launched.ok() || launch.swap == kernel::kNoSwap) return launched;
  return swap(plan_.swaps[static_cast<size_t>(launch.swap)]);
}

Status PlanSession::launch_blocks(const kernel::Launch& launch, int64_t count) {
  return launch_blocks(launch, count, 0, blocks_.at(&launch));
}

// Launches `blocks` blocks, starting at block `first`.
Status PlanSession::launch_blocks(const kernel::Launch& launch, int64_t count, int64_t first,
                                  int64_t blocks) {
  return blocks > 0 ? accelerator_.launch(call(launch, count, first, blocks)) : Status(Done{});
}

Accelerator::Call PlanSession::call(const kernel::Launch& launch, int64_t count, int64_t first,
                                    int64_t blocks) {
  Accelerator::Call call{launch.kernel, {}, {}, {}, blocks};
  for (const kernel::ArrayArgument& argument : launch.arrays) {
    call.arrays.push_back(memory_.of(argument));
  }
  for (const kernel::ScalarValue& value : launch.scalars) {
    call.scalars.push_back(scalar_argument(value, plan_, state_, count, first));
  }
  for (const kernel::ArrayArgument& argument : launch.bulk_sources) {
    call.bulk_sources.push_back(memory_.shaped(argument));
  }
  return call;
}

Status PlanSession::act(const kernel::Action& action, int64_t count) {
  struct Visitor {
    PlanSession& self;
    int64_t count;
    Status operator()(const kernel::Launch& launch) const { return self.launch(launch, count); }
    Status operator()(const kernel::Rotate& rotate) const {
      if (count >= rotate.steps) self.memory_.rotate(rotate);
      return Done{};
    }
    Status operator()(const kernel::Exchange& exchange) const {
      self.memory_.exchange(exchange);
      return Done{};
    }
  };
  return std::visit(Visitor{*this, count}, action);
}

// Executes the actions of a tile, and ends early if the stop condition turns out to have held
// before it.
Status PlanSession::tile(int64_t count) {
  const Status arrived = await_exchange();
  if (!arrived.ok()) return arrived;
  for (const kernel::Run& run : runs_) {
    const int64_t all = run.repeat ? run.repeat->iterations : 1;
    for (int64_t left = all; left > 0;) {
      const int64_t round = round_of(run, left);
      const Status fresh = run.repeat ? refresh_halos(run, left == all) : Status(Done{});
      if (!fresh.ok()) return fresh;
      for (int64_t done = 0; done < round;) {
        const int64_t now =
            run.repeat ? kernel::iterations_of_tile(*run.repeat, round - done) : count;
        const Status tiled = tile(run, now);
        if (!tiled.ok() || state_.stopped) return tiled;
        done += run.repeat ? now : round;
      }
      left -= round;
    }
  }
  const Status fresh = refresh_halos(plan_.actions.size(), true);
  if (!fresh.ok()) return fresh;
  return asked_ ? take_answer() : Status(Done{});
}

Status PlanSession::tile(const kernel::Run& run, int64_t count) {
  for (size_t i = run.first; i < run.end; ++i) {
    if (asked_ && answer_point_ == i) {
      const Status taken = take_answer();
      if (!taken.ok() || state_.stopped) return taken;
    }
    const Status fresh = run.repeat ? Status(Done{}) : refresh_halos(i, true);
    if (!fresh.ok()) return fresh;
    const auto* launch = std::get_if<kernel::Launch>(&plan_.actions[i]);
    if (launch && launch->steps != 0 && launch->steps != count) continue;
    const Status acted = act(plan_.actions[i], count);
    if (!acted.ok()) return acted;
  }
  return Done{};
}

// --- Other subdomains

// How many of `left` steps or iterations can be taken before a halo exchange may be due.
int64_t PlanSession::round_of(const kernel::Run& run, int64_t left) const {
  for (const kernel::HaloSwap& halo : plan_.halos) {
    if (halo.action >= run.first && halo.action < run.end)
      left = kernel::steps_of_round(halo, left);
  }
  return left;
}

// Exchanges the halos that are due before a round. Halos are valid when a session starts. `first`:
// this round begins a new step of a program with several phases.
Status PlanSession::refresh_halos(const kernel::Run& run, bool first) {
  for (size_t h = 0; h < plan_.halos.size(); ++h) {
    const kernel::HaloSwap& halo = plan_.halos[h];
    if (halo.action < run.first || halo.action >= run.end) continue;
    if (first || rounds_[h] == halo.rounds) {
      const Status swapped = swap(plan_.swaps[halo.swap]);
      if (!swapped.ok()) return swapped;
      rounds_[h] = 0;
    }
    ++rounds_[h];
  }
  return Done{};
}

// Exchanges the halos that are due before an action in every step.
Status PlanSession::refresh_halos(size_t action, bool each_step) {
  for (const kernel::HaloSwap& halo : plan_.halos) {
    if (halo.action != action || halo.each_step != each_step) continue;
    const Status swapped = swap(plan_.swaps[halo.swap]);
    if (!swapped.ok()) return swapped;
  }
  return Done{};
}

// A graph can make a kernel wait only for the end of another one, not for its start. In recordings
// the inner blocks therefore wait for neither.
Result<Accelerator::Mark> PlanSession::launch_outer(const Accelerator::Call& call) {
  return replays_.is_recording() ? accelerator_.Accelerator::launch_ahead(call)
                                 : accelerator_.launch_ahead(call);
}

// Boundary blocks run first, in lane 1, followed by the exchange; interior blocks run in lane 0.
// The boundary blocks of this tile wait for the interior blocks of the previous tile, and the
// interior blocks of this tile for the boundary blocks of the previous one. Interior blocks read no
// halo, so they do not wait for the previous exchange unless they are gated on the start of this
// tile's boundary blocks.
Status PlanSession::tile_with_exchange(int64_t count, const kernel::HaloSwap& halo) {
  const kernel::Launch* found = kernel::launch_with_outer_blocks(plan_, count);
  if (found == nullptr) {
    const Status done = tile(count);
    if (!done.ok() || state_.stopped) return done;
    rounds_[0] = 0;
    return swap(plan_.swaps[halo.swap]);
  }
  const auto [low, high] = found->outer_blocks;
  const int64_t blocks = blocks_.at(found);
  const Accelerator::Call inner = call(*found, count, low, blocks - low - high);
  const auto inside = accelerator_.mark();
  if (!inside.ok()) return inside.failure();
  Status done = accelerator_.await(outer_done_);
  if (done.ok()) done = accelerator_.use_lane(1);
  if (done.ok()) done = accelerator_.await(inside.value());
  if (!done.ok()) return done;
  const auto begun = launch_outer(call(*found, count, blocks - high, low + high));
  if (!begun.ok()) return begun.failure();
  auto outer = accelerator_.mark();
  if (!outer.ok()) return outer.failure();
  outer_done_ = std::move(outer).value();
  const auto launch_inner = [&]() -> Status {
    Status launched = accelerator_.use_lane(0);
    if (launched.ok()) launched = accelerator_.await(begun.value());
    if (launched.ok()) launched = accelerator_.launch(inner);
    return launched.ok() ? accelerator_.use_lane(1) : launched;
  };
  // Without lanes the interior blocks come last: the order is one that lanes could also produce.
  if (accelerator_.has_lanes()) done = launch_inner();
  for (size_t i = 0; i < plan_.actions.size() && done.ok(); ++i) {
    if (!std::holds_alternative<kernel::Launch>(plan_.actions[i])) {
      done = act(plan_.actions[i], count);
    }
  }
  if (done.ok()) done = swap(plan_.swaps[halo.swap]);
  if (done.ok() && !accelerator_.has_lanes()) done = launch_inner();
  if (!done.ok()) return done;
  auto exchanged = accelerator_.mark();
  if (!exchanged.ok()) return exchanged.failure();
  exchanged_ = std::move(exchanged).value();
  rounds_[0] = 0;
  return accelerator_.use_lane(0);
}

// Makes work queued from now on wait for the exchange, because it may read halos.
Status PlanSession::await_exchange() {
  if (!parts_ || !parts_->is_beside_tiles()) return Done{};
  const Status outer = accelerator_.await(std::exchange(outer_done_, nullptr));
  return outer.ok() ? accelerator_.await(std::exchange(exchanged_, nullptr)) : outer;
}

Status PlanSession::swap(const kernel::Swap& swap) {
  const bool packs = parts_->packs(swap);
  Status done = packs && swap.pack ? launch_blocks(*swap.pack, 1) : Status(Done{});
  if (done.ok()) done = parts_->exchange(swap);
  return packs && swap.unpack && done.ok() ? launch_blocks(*swap.unpack, 1) : done;
}

Result<int64_t> PlanSession::advance(int64_t steps) {
  Status fresh = memory_.refresh_spares();
  if (fresh.ok() && parts_) fresh = parts_->connect();
  if (!fresh.ok()) return fresh.failure();
  int64_t done = 0;
  const Status started = stopwatch_ ? stopwatch_->start() : Status(Done{});
  if (!started.ok()) return started.failure();
  while (done < steps && !state_.stopped) {
    const auto replayed = replay(steps - done);
    if (!replayed.ok()) return replayed.failure();
    done += replayed.value();
    const Status advanced = replayed.value() > 0 ? Status(Done{}) : do_steps(steps, done);
    if (!advanced.ok()) return advanced.failure();
  }
  const Status answered = asked_ ? take_answer() : Status(Done{});
  if (!answered.ok()) return answered.failure();
  const Status arrived = await_exchange();
  if (!arrived.ok()) return arrived.failure();
  const Status ended = stopwatch_ ? stopwatch_->stop() : Status(Done{});
  if (!ended.ok()) return ended.failure();
  const Status settled = memory_.has_attached() ? memory_.bring_home() : wait();
  if (!settled.ok()) return settled.failure();
  return done;
}

// Takes the next round of `steps` steps, of which `done` are done.
Status PlanSession::do_steps(int64_t steps, int64_t& done) {
  int64_t round = kernel::steps_until_due(plan_, steps - done, state_.step);
  if (plan_.repeats.empty() && !runs_.empty()) round = round_of(runs_.front(), round);
  return steps_of_round(round, done);
}

// --- Replays

// The number of steps after which launches repeat with the same arguments, all with the full time
// tile; 0: they never do. The cycle has a minimum length, so that replaying it is worth a call.
int64_t PlanSession::steps_of_cycle() {
  constexpr int64_t kTiles = 16, kMostTiles = 96;
  static const std::vector<kernel::ScalarValue> kNoScalars;
  const int64_t tile = plan_.time_tile, between = kernel::steps_of_period(plan_);
  bool alike = !plan_.stop && plan_.repeats.empty() && runs_.size() == 1 && between % tile == 0;
  for (const kernel::Reduction& reduction : plan_.reductions) {
    alike = alike && !kernel::is_sampled(reduction);
  }
  for (const kernel::Action& action : plan_.actions) {
    const auto* launch = std::get_if<kernel::Launch>(&action);
    for (const kernel::ScalarValue& value : launch ? launch->scalars : kNoScalars) {
      alike = alike && !std::holds_alternative<kernel::FirstStep>(value);
    }
  }
  if (!alike) return 0;
  const auto begin = memory_.slots();
  int64_t steps = 0;
  do {
    for (int64_t done = 0; done < between; done += tile) {
      for (const kernel::Action& action : plan_.actions) {
        if (!std::holds_alternative<kernel::Launch>(action)) (void)act(action, tile);
      }
    }
    steps += between;
  } while (memory_.slots() != begin);
  const int64_t tiles = steps / tile;
  return tiles > kMostTiles ? 0 : steps * ((kTiles + tiles - 1) / tiles);
}

// Replays as many whole cycles as fit into `left` steps, if that pays; returns the number of steps.
Result<int64_t> PlanSession::replay(int64_t left) {
  constexpr int64_t kWorthwhile = 8;  // cycles; recording takes about as long as queueing three
  const int64_t steps = replays_.steps();
  if (steps == 0) return 0;
  // If something is evaluated after a tile, that tile is not replayed.
  const int64_t before = plan_.reductions.empty() ? 0 : 1;
  const int64_t times = (kernel::steps_until_due(plan_, left, state_.step) - before) / steps;
  const auto do_cycle = [&]() -> Status {
    for (int64_t done = 0; done < steps;) {
      const Status advanced = do_steps(steps, done);
      if (!advanced.ok()) return advanced;
    }
    return await_exchange();
  };
  if (!replays_.is_recorded()) {
    if (times < kWorthwhile) return 0;
    if (!replays_.is_warm()) {
      const Status done = replays_.warm_up(steps / plan_.time_tile, do_cycle);
      if (!done.ok()) return done.failure();
      return steps;
    }
    const Status arrived = await_exchange();
    if (!arrived.ok()) return arrived.failure();
    recorded_slots_ = memory_.slots();
    recorded_rounds_ = rounds_;
    const int64_t step = state_.step;
    const Status recorded = replays_.record(do_cycle);
    if (!recorded.ok()) return recorded.failure();
    state_.step = step;
  }
  if (times == 0 || memory_.slots() != recorded_slots_ || rounds_ != recorded_rounds_) return 0;
  Status done = await_exchange();
  if (done.ok()) done = replays_.replay(times);
  if (!done.ok()) return done.failure();
  state_.step += times * steps;
  return times * steps;
}

// Adds the number of steps taken to `done`.
Status PlanSession::steps_of_round(int64_t round, int64_t& done) {
  const bool cut = std::any_of(plan_.halos.begin(), plan_.halos.end(),
                               [](const auto& halo) { return halo.each_step; });
  const Status fresh = cut || runs_.empty() ? Status(Done{}) : refresh_halos(runs_.front(), false);
  if (!fresh.ok()) return fresh;
  for (int64_t left = round; left > 0;) {
    const int64_t count = kernel::steps_of_tile(plan_, left, state_.step);
    const kernel::HaloSwap* halo = plan_.halos.empty() ? nullptr : &plan_.halos.front();
    const bool exchanges =
        parts_ && parts_->is_beside_tiles() && count == left && rounds_[0] == halo->rounds;
    const Status acted = exchanges ? tile_with_exchange(count, *halo) : tile(count);
    if (!acted.ok() || state_.stopped) return acted;
    const Status reduced = reduce(count);
    if (!reduced.ok()) return reduced;
    done += count;
    state_.step += count;
    left -= count;
    if (state_.stopped) return Done{};
  }
  return Done{};
}

std::optional<double> PlanSession::seconds() const {
  if (!stopwatch_) return std::nullopt;
  const auto measured = stopwatch_->seconds();
  if (!measured.ok()) return std::nullopt;
  return measured.value();
}

Status PlanSession::wait() {
  const Status waited = accelerator_.wait();
  return waited.ok() ? read_reductions() : waited;
}

// --- Reductions

// Evaluates what is due after a tile of `count` steps that starts at the state's step.
Status PlanSession::reduce(int64_t count) {
  if (!plan_.reductions.empty() || plan_.stop) {
    const Status arrived = await_exchange();
    if (!arrived.ok()) return arrived;
  }
  const int64_t done = state_.step + count;
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    const kernel::Reduction& reduction = plan_.reductions[r];
    const int64_t evaluations = kernel::evaluations(reduction, state_.step, count);
    if (evaluations == 0) continue;
    for (const kernel::Launch& launch : reduction.launches) {
      const Status launched = this->launch(launch, count);
      if (!launched.ok()) return launched;
    }
    state_.reductions[r].evaluations += evaluations;
  }
  if (!plan_.stop) return Done{};
  bool due = plan_.stop->reductions.empty();
  for (int r : plan_.stop->reductions) {
    const auto index = static_cast<size_t>(r);
    if (state_.reductions[index].evaluations == 0) return Done{};
    due = due || kernel::is_due(plan_.reductions[index], done);
  }
  return due ? ask_to_stop(count) : Done{};
}

Status PlanSession::ask_to_stop(int64_t count) {
  const Status launched = launch(plan_.stop->launch, count);
  if (!launched.ok()) return launched;
  const Status asked = accelerator_.ask(memory_.scratch(plan_.stop->result));
  if (!asked.ok()) return asked;
  asked_ = true;
  return answer_point_ ? Status(Done{}) : take_answer();
}

Status PlanSession::take_answer() {
  asked_ = false;
  const auto holds = accelerator_.answer();
  if (!holds.ok()) return holds.failure();
  state_.stopped = holds.value() != 0;
  return Done{};
}

// A resumed run already has values, and a stop condition may use them before the next evaluation.
Status PlanSession::restore_reductions() {
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    const kernel::Reduction& reduction = plan_.reductions[r];
    if (reduction.first_nan != kernel::kNoScratch) {
      const auto first_nan = static_cast<int32_t>(state_.reductions[r].first_nan);
      const Status noted = memory_.put(reduction.first_nan, bytes_of(first_nan));
      if (!noted.ok()) return noted;
    }
    if (state_.reductions[r].evaluations == 0 || !kernel::has_value(reduction)) continue;
    const ScalarBytes value = bytes_of(reduction.type, state_.reductions[r]);
    const Status copied = memory_.put(reduction.result, value);
    if (!copied.ok()) return copied;
  }
  return Done{};
}

Status PlanSession::read_value(const kernel::Reduction& reduction, reference::ReductionValue& out) {
  ScalarBytes value = bytes_of(reduction.type, out);
  const Status read = memory_.take(reduction.result, value);
  if (read.ok()) set_value(reduction.type, value, out);
  return read;
}

Status PlanSession::read_reductions() {
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    const kernel::Reduction& reduction = plan_.reductions[r];
    reference::ReductionValue& out = state_.reductions[r];
    if (out.evaluations == 0) continue;
    const Status read = kernel::has_value(reduction) ? read_value(reduction, out) : Status(Done{});
    if (!read.ok()) return read;
    if (reduction.first_nan == kernel::kNoScratch) continue;
    ScalarBytes first_nan = bytes_of(int32_t{0});
    const Status told = memory_.take(reduction.first_nan, first_nan);
    if (!told.ok()) return told;
    out.first_nan = from_bytes<int32_t>(first_nan);
  }
  return Done{};
}

Status PlanSession::finish() {
  return fetch(std::vector<int>(state_.fields.size(), std::numeric_limits<int>::max()));
}

Result<std::unique_ptr<Session>> start(std::unique_ptr<Accelerator> owned, Accelerator& accelerator,
                                       const kernel::Module& module, reference::State& state,
                                       const PlanOptions& options) {
  auto session =
      std::make_unique<PlanSession>(std::move(owned), accelerator, module, state, options);
  const Status prepared = session->prepare(options.like);
  if (!prepared.ok()) return prepared.failure();
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
