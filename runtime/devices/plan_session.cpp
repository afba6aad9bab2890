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
#include "compiler/support/try.h"
#include "runtime/devices/plan_memory.h"
#include "runtime/devices/replays.h"
#include "runtime/devices/scalar_bytes.h"
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
        plan_(module.plan),
        state_(state),
        memory_(accelerator, module, state, options.arrays),
        replays_(accelerator, options.communicator) {
    if (options.communicator)
      subdomain_exchange_.emplace(accelerator, plan_, memory_, *options.communicator);
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
  Status tile(const kernel::ActionRange& range, int64_t count);
  Status take_common_tile(int64_t common_tile, int64_t& done);
  int64_t common_tile_of(const kernel::ActionRange& range, int64_t left) const;
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
  Status tile_with_exchange(int64_t count, const kernel::HaloExchange& halo);
  Status await_exchange();
  Status refresh_halos(const kernel::ActionRange& range, bool first);
  Status refresh_halos(size_t action, bool each_step);
  Status exchange(const kernel::Exchange& exchange);
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
  const std::vector<kernel::ActionRange> ranges_ = kernel::action_ranges(plan_);
  const std::optional<size_t> answer_point_ = kernel::answer_point(module_);
  std::optional<SubdomainExchange> subdomain_exchange_;  // nullopt: the program is not a subdomain
  Accelerator::Mark outer_done_, exchanged_;   // of the last tile with overlap; null: none
  std::vector<int64_t> tiles_since_exchange_;  // common tiles, by halo of the plan
  Replays replays_;
  // State at the beginning and the end of a recorded cycle.
  std::vector<std::vector<Accelerator::Memory>> recorded_slots_;
  std::vector<int64_t> recorded_tiles_;
  bool asked_ = false;  // the answer to the stop condition is pending
  const std::unique_ptr<Stopwatch> stopwatch_ = accelerator_.stopwatch();  // null: none
};

Status PlanSession::prepare(const Session* like) {
  if (!plan_.exchanges.empty() && !subdomain_exchange_) {
    return Failure{"R045", "the program is a subdomain of another one and has no communicator", ""};
  }
  tiles_since_exchange_.assign(plan_.halo_exchanges.size(), 0);
  const auto* const other = dynamic_cast<const PlanSession*>(like);
  TRY(memory_.prepare(other ? &other->memory_ : nullptr));
  Status counted = Done{};
  kernel::for_each_launch(plan_, [&](const kernel::Launch& launch) {
    if (counted.ok()) counted = count_blocks(launch);
  });
  if (counted.ok() && subdomain_exchange_) counted = subdomain_exchange_->prepare();
  if (counted.ok()) counted = replays_.settle(steps_of_cycle());
  return counted.ok() ? restore_reductions() : counted;
}

Status PlanSession::count_blocks(const kernel::Launch& launch) {
  const auto blocks = memory_.evaluate(launch.blocks);
  const std::string& kernel = module_.kernels[launch.kernel].name;
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
  if (!launched.ok() || launch.exchange == kernel::kNoExchange) return launched;
  return exchange(plan_.exchanges[launch.exchange]);
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
    Status operator()(const kernel::SwapSlots& swap) const {
      self.memory_.swap_slots(swap);
      return Done{};
    }
  };
  return std::visit(Visitor{*this, count}, action);
}

// Executes the actions of a tile. Ends early if the stop condition turns out to have held before
// the tile.
Status PlanSession::tile(int64_t count) {
  TRY(await_exchange());
  for (const kernel::ActionRange& range : ranges_) {
    const int64_t all = range.repeat ? range.repeat->iterations : 1;
    for (int64_t left = all; left > 0;) {
      const int64_t common_tile = common_tile_of(range, left);
      TRY(range.repeat ? refresh_halos(range, left == all) : Status(Done{}));
      for (int64_t done = 0; done < common_tile;) {
        const int64_t now =
            range.repeat ? kernel::iterations_of_tile(*range.repeat, common_tile - done) : count;
        const Status tiled = tile(range, now);
        if (!tiled.ok() || state_.stopped) return tiled;
        done += range.repeat ? now : common_tile;
      }
      left -= common_tile;
    }
  }
  TRY(refresh_halos(plan_.actions.size(), true));
  return asked_ ? take_answer() : Status(Done{});
}

Status PlanSession::tile(const kernel::ActionRange& range, int64_t count) {
  for (size_t i = range.first; i < range.end; ++i) {
    if (asked_ && answer_point_ == i) {
      const Status taken = take_answer();
      if (!taken.ok() || state_.stopped) return taken;
    }
    TRY(range.repeat ? Status(Done{}) : refresh_halos(i, true));
    const auto* launch = std::get_if<kernel::Launch>(&plan_.actions[i]);
    if (launch && launch->steps != 0 && launch->steps != count) continue;
    TRY(act(plan_.actions[i], count));
  }
  return Done{};
}

// --- Other subdomains

// How many of `left` steps or iterations can be taken before a halo exchange may be due.
int64_t PlanSession::common_tile_of(const kernel::ActionRange& range, int64_t left) const {
  for (const kernel::HaloExchange& halo : plan_.halo_exchanges) {
    if (halo.action >= range.first && halo.action < range.end)
      left = kernel::steps_of_common_tile(halo, left);
  }
  return left;
}

// Exchanges the halos that are due before a common tile. Halos are valid when a session starts.
// `first`: this tile begins a new step of a program with several phases.
Status PlanSession::refresh_halos(const kernel::ActionRange& range, bool first) {
  for (size_t h = 0; h < plan_.halo_exchanges.size(); ++h) {
    const kernel::HaloExchange& halo = plan_.halo_exchanges[h];
    if (halo.action < range.first || halo.action >= range.end) continue;
    if (first || tiles_since_exchange_[h] == halo.tiles_per_exchange) {
      TRY(exchange(plan_.exchanges[halo.exchange]));
      tiles_since_exchange_[h] = 0;
    }
    ++tiles_since_exchange_[h];
  }
  return Done{};
}

// Exchanges the halos that are due before an action in every step.
Status PlanSession::refresh_halos(size_t action, bool each_step) {
  for (const kernel::HaloExchange& halo : plan_.halo_exchanges) {
    if (halo.action != action || halo.each_step != each_step) continue;
    TRY(exchange(plan_.exchanges[halo.exchange]));
  }
  return Done{};
}

// In a CUDA graph a kernel can wait for the end of another kernel, but not for its start. So in
// recordings the interior blocks do not wait for the boundary blocks at all.
Result<Accelerator::Mark> PlanSession::launch_outer(const Accelerator::Call& call) {
  return replays_.is_recording() ? accelerator_.Accelerator::launch_ahead(call)
                                 : accelerator_.launch_ahead(call);
}

// Boundary blocks run first, in lane 1, followed by the exchange; interior blocks run in lane 0.
// The boundary blocks of this tile wait for the interior blocks of the previous tile, and the
// interior blocks of this tile for the boundary blocks of the previous one. Interior blocks read no
// halo, so they do not wait for the previous exchange unless they are gated on the start of this
// tile's boundary blocks.
Status PlanSession::tile_with_exchange(int64_t count, const kernel::HaloExchange& halo) {
  const kernel::Launch* found = kernel::launch_with_outer_blocks(plan_, count);
  if (found == nullptr) {
    const Status done = tile(count);
    if (!done.ok() || state_.stopped) return done;
    tiles_since_exchange_[0] = 0;
    return exchange(plan_.exchanges[halo.exchange]);
  }
  const auto [low, high] = found->outer_blocks;
  const int64_t blocks = blocks_.at(found);
  const Accelerator::Call inner = call(*found, count, low, blocks - low - high);
  const auto inside = TRY(accelerator_.mark());
  Status done = accelerator_.await(outer_done_);
  if (done.ok()) done = accelerator_.use_lane(1);
  if (done.ok()) done = accelerator_.await(inside);
  if (!done.ok()) return done;
  const auto begun = TRY(launch_outer(call(*found, count, blocks - high, low + high)));
  auto outer = TRY(accelerator_.mark());
  outer_done_ = std::move(outer);
  const auto launch_inner = [&]() -> Status {
    Status launched = accelerator_.use_lane(0);
    if (launched.ok()) launched = accelerator_.await(begun);
    if (launched.ok()) launched = accelerator_.launch(inner);
    return launched.ok() ? accelerator_.use_lane(1) : launched;
  };
  // Without lanes, queue the interior blocks last. This is one of the orders that lanes could
  // produce.
  if (accelerator_.has_lanes()) done = launch_inner();
  for (size_t i = 0; i < plan_.actions.size() && done.ok(); ++i) {
    if (!std::holds_alternative<kernel::Launch>(plan_.actions[i])) {
      done = act(plan_.actions[i], count);
    }
  }
  if (done.ok()) done = exchange(plan_.exchanges[halo.exchange]);
  if (done.ok() && !accelerator_.has_lanes()) done = launch_inner();
  if (!done.ok()) return done;
  auto exchanged = TRY(accelerator_.mark());
  exchanged_ = std::move(exchanged);
  tiles_since_exchange_[0] = 0;
  return accelerator_.use_lane(0);
}

// Makes work queued from now on wait for the exchange, because it may read halos.
Status PlanSession::await_exchange() {
  if (!subdomain_exchange_ || !subdomain_exchange_->is_beside_tiles()) return Done{};
  const Status outer = accelerator_.await(std::exchange(outer_done_, nullptr));
  return outer.ok() ? accelerator_.await(std::exchange(exchanged_, nullptr)) : outer;
}

Status PlanSession::exchange(const kernel::Exchange& exchange) {
  const bool packs = subdomain_exchange_->packs(exchange);
  Status done = packs && exchange.pack ? launch_blocks(*exchange.pack, 1) : Status(Done{});
  if (done.ok()) done = subdomain_exchange_->exchange(exchange);
  return packs && exchange.unpack && done.ok() ? launch_blocks(*exchange.unpack, 1) : done;
}

Result<int64_t> PlanSession::advance(int64_t steps) {
  Status fresh = memory_.refresh_spares();
  if (fresh.ok() && subdomain_exchange_) fresh = subdomain_exchange_->connect();
  if (!fresh.ok()) return fresh.failure();
  int64_t done = 0;
  TRY(stopwatch_ ? stopwatch_->start() : Status(Done{}));
  while (done < steps && !state_.stopped) {
    const auto replayed = TRY(replay(steps - done));
    done += replayed;
    TRY(replayed > 0 ? Status(Done{}) : do_steps(steps, done));
  }
  TRY(asked_ ? take_answer() : Status(Done{}));
  TRY(await_exchange());
  TRY(stopwatch_ ? stopwatch_->stop() : Status(Done{}));
  TRY(memory_.has_attached() ? memory_.bring_home() : wait());
  return done;
}

// Takes the next common tile. `done` of `steps` steps are done.
Status PlanSession::do_steps(int64_t steps, int64_t& done) {
  int64_t common_tile = kernel::steps_until_due(plan_, steps - done, state_.step);
  if (plan_.repeats.empty() && !ranges_.empty())
    common_tile = common_tile_of(ranges_.front(), common_tile);
  return take_common_tile(common_tile, done);
}

// --- Replays

// The number of steps after which launches repeat with the same arguments, all with the full time
// tile; 0: they never do. The cycle has a minimum length, so that replaying it is worth a call.
int64_t PlanSession::steps_of_cycle() {
  constexpr int64_t kTiles = 16, kMostTiles = 96;
  static const std::vector<kernel::ScalarValue> kNoScalars;
  const int64_t tile = plan_.time_tile, between = kernel::steps_of_period(plan_);
  bool alike = !plan_.stop && plan_.repeats.empty() && ranges_.size() == 1 && between % tile == 0;
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
  // A tile after which a reduction is due is not replayed.
  const int64_t before = plan_.reductions.empty() ? 0 : 1;
  const int64_t times = (kernel::steps_until_due(plan_, left, state_.step) - before) / steps;
  const auto do_cycle = [&]() -> Status {
    for (int64_t done = 0; done < steps;) {
      TRY(do_steps(steps, done));
    }
    return await_exchange();
  };
  if (!replays_.is_recorded()) {
    if (times < kWorthwhile) return 0;
    if (!replays_.is_warm()) {
      TRY(replays_.warm_up(steps / plan_.time_tile, do_cycle));
      return steps;
    }
    TRY(await_exchange());
    recorded_slots_ = memory_.slots();
    recorded_tiles_ = tiles_since_exchange_;
    const int64_t step = state_.step;
    TRY(replays_.record(do_cycle));
    state_.step = step;
  }
  if (times == 0 || memory_.slots() != recorded_slots_ || tiles_since_exchange_ != recorded_tiles_)
    return 0;
  Status done = await_exchange();
  if (done.ok()) done = replays_.replay(times);
  if (!done.ok()) return done.failure();
  state_.step += times * steps;
  return times * steps;
}

// Adds the number of steps taken to `done`.
Status PlanSession::take_common_tile(int64_t common_tile, int64_t& done) {
  const bool cut = std::any_of(plan_.halo_exchanges.begin(), plan_.halo_exchanges.end(),
                               [](const auto& halo) { return halo.each_step; });
  TRY(cut || ranges_.empty() ? Status(Done{}) : refresh_halos(ranges_.front(), false));
  for (int64_t left = common_tile; left > 0;) {
    const int64_t count = kernel::steps_of_tile(plan_, left, state_.step);
    const kernel::HaloExchange* halo =
        plan_.halo_exchanges.empty() ? nullptr : &plan_.halo_exchanges.front();
    const bool exchanges = subdomain_exchange_ && subdomain_exchange_->is_beside_tiles() &&
                           count == left && tiles_since_exchange_[0] == halo->tiles_per_exchange;
    const Status acted = exchanges ? tile_with_exchange(count, *halo) : tile(count);
    if (!acted.ok() || state_.stopped) return acted;
    TRY(reduce(count));
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

// Evaluates the reductions that are due after a tile of `count` steps that starts at the state's
// step.
Status PlanSession::reduce(int64_t count) {
  if (!plan_.reductions.empty() || plan_.stop) {
    TRY(await_exchange());
  }
  const int64_t done = state_.step + count;
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    const kernel::Reduction& reduction = plan_.reductions[r];
    const int64_t evaluations = kernel::evaluations(reduction, state_.step, count);
    if (evaluations == 0) continue;
    for (const kernel::Launch& launch : reduction.launches) {
      TRY(this->launch(launch, count));
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
  TRY(launch(plan_.stop->launch, count));
  TRY(accelerator_.ask(memory_.scratch(plan_.stop->result)));
  asked_ = true;
  return answer_point_ ? Status(Done{}) : take_answer();
}

Status PlanSession::take_answer() {
  asked_ = false;
  const auto holds = TRY(accelerator_.answer());
  state_.stopped = holds != 0;
  return Done{};
}

// A resumed run already has values, and a stop condition may use them before the next evaluation.
Status PlanSession::restore_reductions() {
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    const kernel::Reduction& reduction = plan_.reductions[r];
    if (reduction.first_nan != kernel::kNoScratch) {
      const auto first_nan = static_cast<int32_t>(state_.reductions[r].first_nan);
      TRY(memory_.put(reduction.first_nan, bytes_of(first_nan)));
    }
    if (state_.reductions[r].evaluations == 0 || !kernel::has_value(reduction)) continue;
    const ScalarBytes value = bytes_of(reduction.type, state_.reductions[r]);
    TRY(memory_.put(reduction.result, value));
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
    TRY(kernel::has_value(reduction) ? read_value(reduction, out) : Status(Done{}));
    if (reduction.first_nan == kernel::kNoScratch) continue;
    ScalarBytes first_nan = bytes_of(int32_t{0});
    TRY(memory_.take(reduction.first_nan, first_nan));
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
  TRY(session->prepare(options.like));
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
