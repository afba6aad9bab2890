// Reduction values stay in device memory until a run ends. While steps remain, the host only needs
// to know whether to stop: it reads back one flag when the stop condition is evaluated.
#include "runtime/devices/host_runner.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "compiler/host_ir/passes.h"
#include "compiler/support/evaluate.h"
#include "compiler/support/try.h"
#include "runtime/devices/scalar_bytes.h"

namespace stencil::runtime {

using host_ir::MarkName;

// --- Variables and expressions

void HostRunner::set_program(host_ir::Program program) {
  program_ = std::move(program);
  for (const host_ir::Variable& variable : program_.variables) {
    if (!find(variable.name)) variables_.push_back({variable.name});
  }
  for (size_t r = 0; r < module_.plan.reductions.size(); ++r) {
    find(host_ir::evaluations_of(r))->reduction = r;
  }
}

HostRunner::Value* HostRunner::find(const std::string& name) {
  // Programs have about ten variables. Few have the same length and first letter, so that few names
  // are compared as a whole: a step of a small grid reads some twenty variables in a microsecond.
  for (Value& value : variables_) {
    const bool similar = value.name.size() == name.size() && value.name[0] == name[0];
    if (similar && value.name == name) return &value;
  }
  return nullptr;
}

// The program is verified, so every variable exists.
int64_t HostRunner::evaluate(const kernel::Expr& expr) {
  if (const auto* literal = std::get_if<kernel::IntegerLiteral>(&expr->kind)) return literal->value;
  if (const auto* read = std::get_if<kernel::Variable>(&expr->kind)) return variable(read->name);
  const auto& [op, operands] = std::get<kernel::Operation>(expr->kind);
  const int64_t a = evaluate(operands[0]);
  switch (op) {
    case Op::And:
      return a != 0 && evaluate(operands[1]) != 0;
    case Op::Or:
      return a != 0 || evaluate(operands[1]) != 0;
    case Op::Not:
      return a == 0;
    case Op::Convert:
      return a;
    case Op::Select:
      return evaluate(operands[a != 0 ? 1 : 2]);
    default:
      break;
  }
  const int64_t b = evaluate(operands[1]);
  return is_comparison(op) ? int64_t{evaluate_comparison(op, a, b)}
                           : evaluate_integer(op, a, b, 64).value;
}

void HostRunner::assign(const std::string& name, int64_t value) {
  Value& to = *find(name);
  to.value = value;
  if (to.reduction) state_.reductions[*to.reduction].evaluations = value;
  if (name == host_ir::kStep) state_.step = variable(host_ir::kFirst) + value;
}

// Inputs and states that the session's state contains.
void HostRunner::read_state() {
  variable(host_ir::kFirst) = state_.step;
  for (Value& value : variables_) {
    if (value.reduction) value.value = state_.reductions[*value.reduction].evaluations;
  }
  if (module_.plan.stop) variable(host_ir::kStopped) = state_.stopped ? 1 : 0;
}

// --- Statements

struct HostStatement {
  HostRunner& self;
  const kernel::Plan& plan = self.module_.plan;

  Status operator()(const host_ir::Take& take) const {
    return self.memory_.take_levels(take.array, self.origin_);
  }
  Status operator()(const host_ir::Alloc& alloc) const {
    return self.memory_.provide(alloc.memory, self.origin_);
  }
  Status operator()(const host_ir::Copy& copy) const {
    const bool own = !self.memory_.is_attached(plan.arrays[copy.array]);  // else refresh_copies()
    return own ? self.memory_.copy(copy.array, copy.to, copy.from) : Status(Done{});
  }
  Status operator()(const host_ir::Slots&) const { return Done{}; }
  Status operator()(const host_ir::Flag&) const { return Done{}; }
  Status operator()(const host_ir::Restore& restore) const {
    const auto r = static_cast<size_t>(restore.reduction);
    return self.restore(plan.reductions[r], self.state_.reductions[r]);
  }
  Status operator()(const host_ir::Place& place) const {
    return self.memory_.place(plan.point_sets[static_cast<size_t>(place.set)]);
  }

  Status operator()(const host_ir::Define& define) const {
    self.variable(define.name) = self.evaluate(define.value);
    return Done{};
  }
  Status operator()(const host_ir::Assign& assign) const {
    self.assign(assign.name, self.evaluate(assign.value));
    return Done{};
  }
  Status operator()(const host_ir::If& chosen) const {
    return self.execute(self.evaluate(chosen.condition) != 0 ? chosen.then : chosen.otherwise);
  }
  Status operator()(const host_ir::Block& block) const { return self.execute(block.body); }
  Status operator()(const host_ir::For& loop) const { return self.execute(loop); }
  Status operator()(const host_ir::Leave&) const {
    self.leaving_ = true;
    return Done{};
  }

  Status operator()(const host_ir::Tile& tile) const { return self.execute(tile.body); }
  Status operator()(const host_ir::Replay& replay) const { return self.execute(replay); }
  Status operator()(const host_ir::Launch& launch) const { return self.execute(launch); }
  Status operator()(const host_ir::Rotate& rotate) const {
    self.memory_.rotate(rotate.array);
    return Done{};
  }
  Status operator()(const host_ir::Swap& swap) const {
    self.memory_.swap_slots(swap.array, swap.a, swap.b);
    return Done{};
  }
  Status operator()(const host_ir::Exchange& exchange) const {
    return self.exchange(plan.exchanges[static_cast<size_t>(exchange.exchange)]);
  }

  Status operator()(const host_ir::Read& read) const {
    TRY(self.accelerator_.ask(self.memory_.scratch(read.scratch)));
    return self.answer();
  }
  Status operator()(const host_ir::Ask& ask) const {
    self.variable(host_ir::kAwaited) = 1;
    return self.accelerator_.ask(self.memory_.scratch(ask.scratch));
  }
  Status operator()(const host_ir::Answer&) const {
    self.variable(host_ir::kAwaited) = 0;
    return self.answer();
  }

  Status operator()(const host_ir::Lane& lane) const {
    return self.accelerator_.use_lane(lane.lane);
  }
  Status operator()(const host_ir::Mark& mark) const {
    auto reached = TRY(self.accelerator_.mark());
    self.mark(mark.name) = std::move(reached);
    return Done{};
  }
  Status operator()(const host_ir::Await& await) const { return self.await(await.name); }
  Status operator()(const host_ir::Bind& bind) const {
    self.bound_ = self.call(bind.launch);
    return Done{};
  }
  Status operator()(const host_ir::LaunchBound&) const {
    return self.accelerator_.launch(self.bound_);
  }

  // Without attached memory, levels stay where they are until Session::fetch. Values of reductions
  // are read when the caller waits.
  Status operator()(const host_ir::Home&) const { return Done{}; }
  Status operator()(const host_ir::Collect&) const { return Done{}; }
  Status operator()(const host_ir::Return&) const { return Done{}; }
};

Status HostRunner::execute(const host_ir::Body& body) {
  for (const host_ir::Statement& statement : body) {
    TRY(std::visit(HostStatement{*this}, statement.kind));
    if (leaving_) break;
  }
  return Done{};
}

Status HostRunner::execute(const host_ir::For& loop) {
  assign(loop.name, evaluate(loop.begin));
  while (!leaving_ && variable(loop.name) < evaluate(loop.end)) {
    const auto replayed = TRY(replay(loop));
    if (!replayed) TRY(iterate(loop));
  }
  if (loop.is_over_steps()) leaving_ = false;
  return Done{};
}

Status HostRunner::iterate(const host_ir::For& loop) {
  TRY(execute(loop.body));
  if (!loop.step || leaving_) return Done{};
  assign(loop.name, std::min(variable(loop.name) + evaluate(loop.step), evaluate(loop.end)));
  return Done{};
}

// --- Launches

Status HostRunner::begin(const host_ir::Program& program, const PlanMemory::Origin& origin) {
  set_program(program);
  origin_ = origin;
  TRY(memory_.lay_out());
  TRY(execute(program_.begin));
  origin_ = {};
  Status counted = Done{};
  kernel::for_each_launch(module_.plan, [&](const kernel::Launch& launch) {
    if (!counted.ok()) return;
    const auto blocks = memory_.evaluate(launch.blocks);
    const std::string& kernel = module_.kernels[launch.kernel].name;
    if (!blocks) {
      counted =
          Failure{"R043", fmt::format("kernel {}: the number of blocks overflows", kernel), ""};
    } else if (*blocks > INT32_MAX) {
      counted = Failure{
          "R043", fmt::format("kernel {}: {} blocks are too many for one launch", kernel, *blocks),
          "use larger blocks"};
    } else {
      blocks_[&launch] = *blocks;
    }
  });
  return counted;
}

// In a CUDA graph a kernel can wait for the end of another kernel, but not for its start. So in
// recordings the interior blocks do not wait for the boundary blocks at all.
Status HostRunner::execute(const host_ir::Launch& launch) {
  Accelerator::Call call = this->call(launch);
  if (gathered_) {
    if (call.blocks > 0) gathered_->push_back(std::move(call));
    return Done{};
  }
  if (launch.part == host_ir::Part::Outer) {
    auto begun = TRY(replays_.is_recording() ? accelerator_.Accelerator::launch_ahead(call)
                                             : accelerator_.launch_ahead(call));
    mark(MarkName::Begun) = std::move(begun);
    return Done{};
  }
  return call.blocks > 0 ? accelerator_.launch(call) : Status(Done{});
}

Status HostRunner::execute(const host_ir::Replay& replay) {
  if (replays_.is_recording()) return execute(replay.body);
  gathered_.emplace();
  const Status done = execute(replay.body);
  std::vector<Accelerator::Call> calls = *std::exchange(gathered_, std::nullopt);
  return done.ok() ? recordings_.queue(std::move(calls)) : done;
}

Status HostRunner::launch_blocks(const kernel::Launch& launch) {
  return execute(host_ir::Launch{&launch, nullptr, nullptr});
}

Accelerator::Call HostRunner::call(const host_ir::Launch& launch) {
  const kernel::Launch& of = *launch.launch;
  const auto [low, high] = of.outer_blocks;
  int64_t first = 0, blocks = blocks_.at(&of);
  if (launch.part == host_ir::Part::Inner) {
    first = low;
    blocks -= low + high;
  } else if (launch.part == host_ir::Part::Outer) {
    first = blocks - high;
    blocks = low + high;
  }
  const int64_t step = launch.step ? evaluate(launch.step) : 0;
  const int64_t count = launch.count ? evaluate(launch.count) : 1;
  Accelerator::Call call{of.kernel, {}, {}, {}, blocks};
  for (const kernel::ArrayArgument& argument : of.arrays) {
    call.arrays.push_back(memory_.of(argument));
  }
  for (const kernel::ScalarValue& value : of.scalars) {
    call.scalars.push_back(scalar_argument(value, module_.plan, state_, {step, count, first}));
  }
  for (const kernel::ArrayArgument& argument : of.bulk_sources) {
    call.bulk_sources.push_back(memory_.shaped(argument));
  }
  return call;
}

Status HostRunner::exchange(const kernel::Exchange& exchange) {
  const bool packs = exchanges_->packs(exchange);
  if (packs && exchange.pack) TRY(launch_blocks(*exchange.pack));
  TRY(exchanges_->exchange(exchange));
  return packs && exchange.unpack ? launch_blocks(*exchange.unpack) : Status(Done{});
}

Status HostRunner::await(MarkName name) {
  return accelerator_.await(std::exchange(mark(name), nullptr));
}
Status HostRunner::await_exchange() {
  TRY(await(MarkName::Outer));
  return await(MarkName::Exchanged);
}

// --- A run

Status HostRunner::refresh_copies() {
  for (const host_ir::Statement& statement : program_.begin) {
    const auto* copy = std::get_if<host_ir::Copy>(&statement.kind);
    if (!copy || !memory_.is_attached(module_.plan.arrays[copy->array])) continue;
    TRY(memory_.copy(copy->array, copy->to, copy->from));
  }
  return Done{};
}

Result<int64_t> HostRunner::run(int64_t steps) {
  read_state();
  variable(host_ir::kSteps) = steps;
  if (state_.stopped) return 0;
  leaving_ = false;
  TRY(execute(program_.steps));
  return state_.step - variable(host_ir::kFirst);
}

Status HostRunner::bring_home() {
  for (const host_ir::Statement& statement : program_.end) {
    const auto* home = std::get_if<host_ir::Home>(&statement.kind);
    if (home) TRY(memory_.bring_home(home->array));
  }
  return Done{};
}

// --- Replays

// Replays as many whole cycles as fit into the steps that are left, if that pays; false if it took
// no steps.
Result<bool> HostRunner::replay(const host_ir::For& loop) {
  const int64_t steps = replays_.steps();
  if (loop.cycle == 0 || steps == 0) return false;
  // A tile after which a reduction is due is not replayed.
  const kernel::Plan& plan = module_.plan;
  const int64_t before = plan.reductions.empty() ? 0 : 1;
  const int64_t left = evaluate(loop.end) - variable(loop.name);
  const int64_t times = (kernel::steps_until_due(plan, left, state_.step) - before) / steps;
  std::vector<int64_t> tiles;
  for (const Value& value : variables_) {
    if (value.name.rfind("tiles.", 0) == 0) tiles.push_back(value.value);
  }
  if (!replays_.is_recorded()) {
    if (times < host_ir::kWorthwhileCycles) return false;
    if (!replays_.is_warm()) {
      TRY(replays_.warm_up(steps / plan.time_tile, [&] { return take_cycle(loop); }));
      return true;
    }
    TRY(await_exchange());
    recorded_slots_ = memory_.slots();
    recorded_tiles_ = tiles;
    const int64_t step = variable(loop.name);
    TRY(replays_.record([&] { return take_cycle(loop); }));
    assign(loop.name, step);
  }
  if (times == 0 || memory_.slots() != recorded_slots_ || tiles != recorded_tiles_) return false;
  TRY(await_exchange());
  TRY(replays_.replay(times));
  assign(loop.name, variable(loop.name) + times * steps);
  return true;
}

// Takes the steps of one cycle.
Status HostRunner::take_cycle(const host_ir::For& loop) {
  int64_t& steps = variable(host_ir::kSteps);
  const int64_t all = steps;
  steps = variable(loop.name) + replays_.steps();
  Status taken = Done{};
  while (taken.ok() && variable(loop.name) < variable(host_ir::kSteps)) taken = iterate(loop);
  variable(host_ir::kSteps) = all;
  return taken.ok() ? await_exchange() : taken;
}

// --- Reductions and the stop condition

Status HostRunner::answer() {
  const auto holds = TRY(accelerator_.answer());
  state_.stopped = holds != 0;
  variable(host_ir::kStopped) = state_.stopped ? 1 : 0;
  return Done{};
}

// A resumed run already has values, and a stop condition may use them before the next evaluation.
Status HostRunner::restore(const kernel::Reduction& reduction,
                           const reference::ReductionValue& value) {
  if (reduction.first_nan != kernel::kNoScratch) {
    TRY(memory_.put(reduction.first_nan, bytes_of(static_cast<int32_t>(value.first_nan))));
  }
  if (value.evaluations == 0 || !kernel::has_value(reduction)) return Done{};
  return memory_.put(reduction.result, bytes_of(reduction.type, value));
}

Status HostRunner::collect() {
  for (const host_ir::Statement& statement : program_.end) {
    if (!std::holds_alternative<host_ir::Collect>(statement.kind)) continue;
    for (size_t r = 0; r < module_.plan.reductions.size(); ++r) {
      TRY(collect(module_.plan.reductions[r], state_.reductions[r]));
    }
  }
  return Done{};
}

Status HostRunner::collect(const kernel::Reduction& reduction, reference::ReductionValue& value) {
  if (value.evaluations == 0) return Done{};
  if (kernel::has_value(reduction)) {
    ScalarBytes read = bytes_of(reduction.type, value);
    TRY(memory_.take(reduction.result, read));
    set_value(reduction.type, read, value);
  }
  if (reduction.first_nan == kernel::kNoScratch) return Done{};
  ScalarBytes first_nan = bytes_of(int32_t{0});
  TRY(memory_.take(reduction.first_nan, first_nan));
  value.first_nan = from_bytes<int32_t>(first_nan);
  return Done{};
}

}  // namespace stencil::runtime
