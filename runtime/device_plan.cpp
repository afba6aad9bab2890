// The host driver as an interpreter of the plan (compiler/kernel/plan.h). The emitted drivers print
// the same loop; here it runs.
//
// Copies of an array are pieces of device memory; slots are positions in a vector of them, so
// Rotate and Exchange move handles and no data. A spare copy starts with the contents of the newest
// level: points that no function writes must be found in every copy.
//
// The value of a reduction stays in device memory until a call of advance() ends. What the host has
// to know while steps remain is whether to stop: one flag, read back whenever the condition is
// asked, which waits for the device there.
//
// An attached session has arrays of the user's as its first slots, in which level k must be found
// at the end of a call (homecoming.h). The user may have changed them before the next call, so that
// begins by bringing the spare copies up to date.
#include "runtime/device_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <map>
#include <sstream>

#include "compiler/kernel/evaluate.h"
#include "compiler/kernel/passes.h"
#include "runtime/homecoming.h"

namespace stencil::runtime {

namespace {

template <class T>
ScalarBytes bytes_of(T value) {
  ScalarBytes out{};
  std::memcpy(out.bytes, &value, sizeof value);
  out.size = sizeof value;
  return out;
}

// The bytes of a reduction's value, of its own type.
ScalarBytes bytes_of(Scalar type, const reference::ReductionValue& value) {
  if (type == Scalar::F32) return bytes_of(static_cast<float>(value.real));
  if (type == Scalar::F64) return bytes_of(value.real);
  if (type == Scalar::I32) return bytes_of(static_cast<int32_t>(value.integer));
  return bytes_of(value.integer);
}

template <class T>
T from_bytes(const ScalarBytes& scalar) {
  T value{};
  std::memcpy(&value, scalar.bytes, sizeof value);
  return value;
}

class PlanSession : public Session {
 public:
  PlanSession(Accelerator& accelerator, const kernel::Module& module, reference::State& state,
              DeviceArrays attached = {})
      : accelerator_(accelerator),
        module_(module),
        plan_(module.plan),
        state_(state),
        attached_(std::move(attached)) {}
  ~PlanSession() override {
    for (const Accelerator::Memory memory : own_) accelerator_.release(memory);
    for (const Accelerator::Memory memory : scratch_) accelerator_.release(memory);
  }

  Status prepare();
  Result<int64_t> advance(int64_t steps) override;
  Status fetch(const std::vector<int>& levels) override;
  Status finish() override;
  Status wait() override;
  std::optional<double> seconds() const override;

 private:
  Status upload(const kernel::Array& array);
  Status adopt(const kernel::Array& array);
  Status refresh_spares();
  Status settle();
  Result<Accelerator::Memory> allocate(int64_t bytes);
  bool is_attached(const kernel::Array& array) const { return attached_.given(array.field); }
  const std::vector<void*>& homes(const kernel::Array& array) const {
    return attached_.fields[static_cast<size_t>(array.field)][static_cast<size_t>(array.component)];
  }
  Status provide(const kernel::Scratch& scratch);
  Status restore_reductions();
  Status put(int scratch, const ScalarBytes& value);
  Status take(int scratch, ScalarBytes& value);
  Status lay_out(const kernel::Array& array);
  Failure with_memory_needed(Failure failure) const;
  std::optional<int64_t> bytes_of_scratch(const kernel::Scratch& scratch) const;
  Status count_blocks(const kernel::Launch& launch);
  Status tile(int64_t count);
  Status act(const kernel::Action& action, int64_t count);
  Status launch(const kernel::Launch& launch, int64_t count);
  Status reduce(int64_t count);
  Status ask_to_stop(int64_t count);
  Status take_answer();
  Status read_reductions();
  ScalarBytes scalar(const kernel::ScalarValue& value, int64_t count) const;
  ScalarBytes parameter(const kernel::Parameter& parameter) const;
  std::optional<int64_t> value_of(const std::string& name) const;

  Accelerator& accelerator_;
  const kernel::Module& module_;
  const kernel::Plan& plan_;
  reference::State& state_;
  // How an array lies in memory.
  struct Layout {
    std::vector<int64_t> extents;  // elements, as stored
    int64_t bytes = 0;             // of a copy
    Accelerator::Rows rows = {0};  // its points; no bytes: none
  };
  std::vector<Layout> layouts_;                           // by array
  std::vector<std::vector<Accelerator::Memory>> memory_;  // [array][slot]
  DeviceArrays attached_;
  std::vector<Accelerator::Memory> own_;  // of the slots, those that are not attached
  std::vector<Accelerator::Memory> scratch_;
  std::map<const kernel::Launch*, int64_t> blocks_;  // by launch of the plan
  const std::optional<size_t> answer_point_ = kernel::answer_point(module_);
  bool asked_ = false;  // the answer to the stop condition has yet to be taken
  const std::unique_ptr<Stopwatch> stopwatch_ = accelerator_.stopwatch();  // null: none
};

std::optional<int64_t> PlanSession::value_of(const std::string& name) const {
  for (const kernel::NamedConstant& constant : module_.constants) {
    if (constant.name == name) return constant.value;
  }
  for (const kernel::Parameter& parameter : plan_.parameters) {
    const bool found = parameter.name == name && !is_float(parameter.type);
    if (found) return state_.integer_params[static_cast<size_t>(parameter.param)];
  }
  return std::nullopt;
}

Status PlanSession::prepare() {
  for (const kernel::Array& array : plan_.arrays) {
    const Status laid_out = lay_out(array);
    if (!laid_out.ok()) return laid_out;
  }
  for (const kernel::Array& array : plan_.arrays) {
    const Status uploaded = is_attached(array) ? adopt(array) : upload(array);
    if (!uploaded.ok()) return uploaded;
  }
  for (const kernel::Scratch& scratch : plan_.scratch) {
    const Status provided = provide(scratch);
    if (!provided.ok()) return provided;
  }
  Status counted = Done{};
  kernel::for_each_launch(plan_, [&](const kernel::Launch& launch) {
    if (counted.ok()) counted = count_blocks(launch);
  });
  return counted.ok() ? restore_reductions() : counted;
}

Status PlanSession::lay_out(const kernel::Array& array) {
  const reference::FieldData& field = state_.fields[static_cast<size_t>(array.field)];
  const int64_t element = size_in_bytes(array.type);
  Layout layout{field.extents, field.size_in_bytes(array.component), {0}};
  layout.rows.bytes = layout.bytes;
  if (kernel::is_padded(array) && layout.bytes > 0) {
    const auto known = [this](const std::string& name) { return value_of(name); };
    const auto pitch = kernel::evaluate(array.row_pitch, known);
    const auto lead = kernel::evaluate(kernel::lead_of(array), known);
    const int64_t row = field.extents.back() * element;
    const int64_t count = layout.bytes / row;
    if (!pitch || !lead || *pitch > INT64_MAX / element / count) {
      return Failure{"R043", fmt::format("the size of {} overflows", array.name), ""};
    }
    layout.extents.back() = *pitch;
    layout.bytes = count * *pitch * element;
    if (*pitch != field.extents.back()) {
      layout.rows = {row, count, *lead * element, *pitch * element};
    }
  }
  layouts_.push_back(std::move(layout));
  return Done{};
}

// "; the program needs 4384 bytes: A 2 x 1024 (1000 without padding), K 1 x 2048; reductions 288".
Failure PlanSession::with_memory_needed(Failure failure) const {
  int64_t total = 0, reductions = 0;
  std::vector<std::string> items;
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    const kernel::Array& array = plan_.arrays[a];
    const Layout& layout = layouts_[a];
    total += array.copies * layout.bytes;
    items.push_back(fmt::format("{} {} x {}", array.name, array.copies, layout.bytes));
    const int64_t points = layout.rows.bytes * layout.rows.count;
    if (points != layout.bytes) items.back() += fmt::format(" ({} without padding)", points);
  }
  for (const kernel::Scratch& scratch : plan_.scratch) {
    reductions += bytes_of_scratch(scratch).value_or(0);
  }
  failure.message +=
      fmt::format("; the program needs {} bytes: {}", total + reductions, fmt::join(items, ", "));
  if (reductions > 0) failure.message += fmt::format("; reductions {}", reductions);
  return failure;
}

std::optional<int64_t> PlanSession::bytes_of_scratch(const kernel::Scratch& scratch) const {
  const auto elements = kernel::evaluate(
      scratch.elements, [this](const std::string& name) { return value_of(name); });
  if (!elements || *elements > INT64_MAX / 8) return std::nullopt;
  return *elements * size_in_bytes(scratch.type);
}

// Memory for a slot.
Result<Accelerator::Memory> PlanSession::allocate(int64_t bytes) {
  auto memory = accelerator_.allocate(std::max<int64_t>(bytes, 1));
  if (memory.ok()) {
    own_.push_back(memory.value());
    return memory;
  }
  return with_memory_needed(memory.failure());
}

Status PlanSession::upload(const kernel::Array& array) {
  const reference::FieldData& field = state_.fields[static_cast<size_t>(array.field)];
  const Layout& layout = layouts_[memory_.size()];
  auto& slots = memory_.emplace_back();
  for (int slot = 0; slot < array.copies; ++slot) {
    const auto memory = allocate(layout.bytes);
    if (!memory.ok()) return memory.failure();
    slots.push_back(memory.value());
    if (layout.bytes == 0) continue;
    if (kernel::is_padded(array)) {  // what lies beside rows is read, though never used
      const Status cleared = accelerator_.clear(slots.back(), layout.bytes);
      if (!cleared.ok()) return cleared;
    }
    const int level = slot < array.levels ? slot : 0;
    const Status copied =
        accelerator_.upload(slots.back(), field.data(level, array.component), layout.rows);
    if (!copied.ok()) return copied;
  }
  return Done{};
}

Status PlanSession::provide(const kernel::Scratch& scratch) {
  const auto bytes = bytes_of_scratch(scratch);
  if (!bytes) return Failure{"R043", fmt::format("the size of {} overflows", scratch.name), ""};
  const auto memory = accelerator_.allocate(*bytes);
  if (!memory.ok()) return with_memory_needed(memory.failure());
  scratch_.push_back(memory.value());
  return Done{};
}

Status PlanSession::count_blocks(const kernel::Launch& launch) {
  const auto blocks =
      kernel::evaluate(launch.blocks, [this](const std::string& name) { return value_of(name); });
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

ScalarBytes PlanSession::parameter(const kernel::Parameter& parameter) const {
  const size_t id = static_cast<size_t>(parameter.param);
  switch (arithmetic_type(parameter.type)) {
    case Scalar::Bool:
    case Scalar::I32:
      return bytes_of(static_cast<int32_t>(state_.integer_params[id]));
    case Scalar::I64:
      return bytes_of(state_.integer_params[id]);
    case Scalar::F64:
      return bytes_of(state_.real_params[id]);
    case Scalar::F32:
    case Scalar::F16:
    case Scalar::BF16:
      return bytes_of(static_cast<float>(state_.real_params[id]));
  }
  return {};
}

ScalarBytes PlanSession::scalar(const kernel::ScalarValue& value, int64_t count) const {
  struct Visitor {
    const PlanSession& self;
    int64_t count;
    ScalarBytes operator()(const kernel::ParameterArgument& argument) const {
      return self.parameter(self.plan_.parameters[static_cast<size_t>(argument.parameter)]);
    }
    ScalarBytes operator()(const kernel::FirstStep&) const {
      return bytes_of(static_cast<int32_t>(self.state_.step));
    }
    ScalarBytes operator()(const kernel::StepCount&) const {
      return bytes_of(static_cast<int32_t>(count));
    }
  };
  return std::visit(Visitor{*this, count}, value);
}

Status PlanSession::launch(const kernel::Launch& launch, int64_t count) {
  const int64_t blocks = blocks_.at(&launch);
  if (blocks <= 0) return Done{};
  const auto memory_of = [&](const kernel::ArrayArgument& argument) {
    const auto index = static_cast<size_t>(argument.array);
    return argument.slot == kernel::kScratch ? scratch_[index]
                                             : memory_[index][static_cast<size_t>(argument.slot)];
  };
  Accelerator::Call call{launch.kernel, {}, {}, {}, blocks};
  for (const kernel::ArrayArgument& argument : launch.arrays) {
    call.arrays.push_back(memory_of(argument));
  }
  for (const kernel::ScalarValue& value : launch.scalars) {
    call.scalars.push_back(scalar(value, count));
  }
  for (const kernel::ArrayArgument& argument : launch.bulk_sources) {
    const auto index = static_cast<size_t>(argument.array);
    call.bulk_sources.push_back(
        {memory_of(argument), layouts_[index].extents, size_in_bytes(plan_.arrays[index].type)});
  }
  return accelerator_.launch(call);
}

Status PlanSession::act(const kernel::Action& action, int64_t count) {
  struct Visitor {
    PlanSession& self;
    int64_t count;
    Status operator()(const kernel::Launch& launch) const { return self.launch(launch, count); }
    Status operator()(const kernel::Rotate& rotate) const {
      if (count < rotate.steps) return Done{};
      auto& slots = self.memory_[static_cast<size_t>(rotate.array)];
      std::rotate(slots.begin(), slots.end() - 1, slots.end());
      return Done{};
    }
    Status operator()(const kernel::Exchange& exchange) const {
      auto& slots = self.memory_[static_cast<size_t>(exchange.array)];
      std::swap(slots[static_cast<size_t>(exchange.a)], slots[static_cast<size_t>(exchange.b)]);
      return Done{};
    }
  };
  return std::visit(Visitor{*this, count}, action);
}

// The actions of a tile, up to where it turns out that the run has ended before it.
Status PlanSession::tile(int64_t count) {
  for (size_t i = 0; i < plan_.actions.size(); ++i) {
    if (asked_ && answer_point_ == i) {
      const Status taken = take_answer();
      if (!taken.ok() || state_.stopped) return taken;
    }
    const auto* launch = std::get_if<kernel::Launch>(&plan_.actions[i]);
    if (launch && launch->steps != 0 && launch->steps != count) continue;
    const Status acted = act(plan_.actions[i], count);
    if (!acted.ok()) return acted;
  }
  return asked_ ? take_answer() : Status(Done{});
}

Result<int64_t> PlanSession::advance(int64_t steps) {
  const Status fresh = refresh_spares();
  if (!fresh.ok()) return fresh.failure();
  int64_t done = 0;
  const Status started = stopwatch_ ? stopwatch_->start() : Status(Done{});
  if (!started.ok()) return started.failure();
  while (done < steps && !state_.stopped) {
    const int64_t count = kernel::steps_of_tile(plan_, steps - done, state_.step);
    const Status acted = tile(count);
    if (!acted.ok()) return acted.failure();
    if (state_.stopped) break;
    const Status reduced = reduce(count);
    if (!reduced.ok()) return reduced.failure();
    done += count;
    state_.step += count;
  }
  const Status answered = asked_ ? take_answer() : Status(Done{});
  if (!answered.ok()) return answered.failure();
  const Status ended = stopwatch_ ? stopwatch_->stop() : Status(Done{});
  if (!ended.ok()) return ended.failure();
  const Status settled = attached_.fields.empty() ? wait() : settle();
  if (!settled.ok()) return settled.failure();
  return done;
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

// --- Arrays of the user's
// ---------------------------------------------------------------------------------------

// Takes the user's arrays as slots, and as many more as the plan has; where levels trade places
// among the user's arrays alone, one to step aside to.
Status PlanSession::adopt(const kernel::Array& array) {
  const Layout& layout = layouts_[memory_.size()];
  if (layout.rows.count > 1) {
    return Failure{
        "R045",
        fmt::format("the schedule pads the rows of {}, and those of the user's array are "
                    "dense",
                    array.name),
        "compile with rows=dense"};
  }
  auto& slots = memory_.emplace_back(homes(array));
  const int aside = array.copies == array.levels && array.levels > 1 && array.written ? 1 : 0;
  for (int slot = array.levels; slot < array.copies + aside; ++slot) {
    const auto memory = allocate(layout.bytes);
    if (!memory.ok()) return memory.failure();
    slots.push_back(memory.value());
  }
  return Done{};
}

// Points that no function writes must be found in every copy.
Status PlanSession::refresh_spares() {
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    const kernel::Array& array = plan_.arrays[a];
    if (!is_attached(array) || layouts_[a].bytes == 0) continue;
    for (int slot = array.levels; slot < array.copies; ++slot) {
      const Status copied = accelerator_.copy(memory_[a][static_cast<size_t>(slot)], memory_[a][0],
                                              layouts_[a].bytes);
      if (!copied.ok()) return copied;
    }
  }
  return Done{};
}

Status PlanSession::settle() {
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    if (!is_attached(plan_.arrays[a]) || layouts_[a].bytes == 0) continue;
    for (const auto& [to, from] : bring_home(memory_[a], homes(plan_.arrays[a]))) {
      const Status copied = accelerator_.copy(to, from, layouts_[a].bytes);
      if (!copied.ok()) return copied;
    }
  }
  return Done{};
}

// --- Reductions
// ---------------------------------------------------------------------------------------

// What is due at the end of a tile of `count` steps that begins at the state's step.
Status PlanSession::reduce(int64_t count) {
  const int64_t done = state_.step + count;
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    const kernel::Reduction& reduction = plan_.reductions[r];
    if (!kernel::is_due(reduction, done)) continue;
    for (const kernel::Launch& launch : reduction.launches) {
      const Status launched = this->launch(launch, count);
      if (!launched.ok()) return launched;
    }
    ++state_.reductions[r].evaluations;
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
  const Status asked = accelerator_.ask(scratch_[static_cast<size_t>(plan_.stop->result)]);
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

// A run that goes on has values already; a stop condition may name them before they are due again.
Status PlanSession::restore_reductions() {
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    const kernel::Reduction& reduction = plan_.reductions[r];
    if (reduction.first_nan != kernel::kNoScratch) {
      const auto first_nan = static_cast<int32_t>(state_.reductions[r].first_nan);
      const Status noted = put(reduction.first_nan, bytes_of(first_nan));
      if (!noted.ok()) return noted;
    }
    if (state_.reductions[r].evaluations == 0) continue;
    const ScalarBytes value = bytes_of(reduction.type, state_.reductions[r]);
    const Status copied = put(reduction.result, value);
    if (!copied.ok()) return copied;
  }
  return Done{};
}

// The one element of scratch memory.
Status PlanSession::put(int scratch, const ScalarBytes& value) {
  return accelerator_.upload(scratch_[static_cast<size_t>(scratch)], value.bytes,
                             {static_cast<int64_t>(value.size)});
}
Status PlanSession::take(int scratch, ScalarBytes& value) {
  return accelerator_.download(value.bytes, scratch_[static_cast<size_t>(scratch)],
                               {static_cast<int64_t>(value.size)});
}

Status PlanSession::read_reductions() {
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    const kernel::Reduction& reduction = plan_.reductions[r];
    reference::ReductionValue& out = state_.reductions[r];
    if (out.evaluations == 0) continue;
    ScalarBytes value = bytes_of(reduction.type, out);
    const Status read = take(reduction.result, value);
    if (!read.ok()) return read;
    if (reduction.type == Scalar::F32) out.real = from_bytes<float>(value);
    if (reduction.type == Scalar::F64) out.real = from_bytes<double>(value);
    if (reduction.type == Scalar::I32) out.integer = from_bytes<int32_t>(value);
    if (reduction.type == Scalar::I64) out.integer = from_bytes<int64_t>(value);
    if (reduction.first_nan == kernel::kNoScratch) continue;
    ScalarBytes first_nan = bytes_of(int32_t{0});
    const Status told = take(reduction.first_nan, first_nan);
    if (!told.ok()) return told;
    out.first_nan = from_bytes<int32_t>(first_nan);
  }
  return Done{};
}

Status PlanSession::finish() {
  return fetch(std::vector<int>(state_.fields.size(), std::numeric_limits<int>::max()));
}

Status PlanSession::fetch(const std::vector<int>& levels) {
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    const kernel::Array& array = plan_.arrays[a];
    const auto f = static_cast<size_t>(array.field);
    if (!array.written || is_attached(array) || f >= levels.size()) continue;
    reference::FieldData& field = state_.fields[f];
    const Accelerator::Rows& rows = layouts_[a].rows;
    for (int level = 0; level < std::min(array.levels, levels[f]) && rows.bytes > 0; ++level) {
      const Status copied = accelerator_.download(field.data(level, array.component),
                                                  memory_[a][static_cast<size_t>(level)], rows);
      if (!copied.ok()) return copied;
    }
  }
  return Done{};
}

}  // namespace

Result<std::unique_ptr<Session>> start_plan(Accelerator& accelerator, const kernel::Module& module,
                                            reference::State& state) {
  auto session = std::make_unique<PlanSession>(accelerator, module, state);
  const Status prepared = session->prepare();
  if (!prepared.ok()) return prepared.failure();
  return std::unique_ptr<Session>(std::move(session));
}

namespace {

class OwningSession : public Session {
 public:
  OwningSession(std::unique_ptr<Accelerator> accelerator, const kernel::Module& module,
                reference::State& state, const DeviceArrays& arrays)
      : accelerator_(std::move(accelerator)), session_(*accelerator_, module, state, arrays) {}

  Status prepare() { return session_.prepare(); }
  Result<int64_t> advance(int64_t steps) override { return session_.advance(steps); }
  Status fetch(const std::vector<int>& levels) override { return session_.fetch(levels); }
  Status finish() override { return session_.finish(); }
  std::optional<double> seconds() const override { return session_.seconds(); }
  Status wait() override { return session_.wait(); }

 private:
  std::unique_ptr<Accelerator> accelerator_;  // outlives the session
  PlanSession session_;
};

}  // namespace

Result<std::unique_ptr<Session>> start_plan(std::unique_ptr<Accelerator> accelerator,
                                            const kernel::Module& module, reference::State& state,
                                            const DeviceArrays& arrays) {
  auto session = std::make_unique<OwningSession>(std::move(accelerator), module, state, arrays);
  const Status prepared = session->prepare();
  if (!prepared.ok()) return prepared.failure();
  return std::unique_ptr<Session>(std::move(session));
}

namespace {

// One copy, waited for.
Result<double> time_copy(Accelerator& accelerator, Stopwatch* stopwatch, Accelerator::Memory to,
                         Accelerator::Memory from, int64_t bytes) {
  const auto begin = std::chrono::steady_clock::now();
  const Status started = stopwatch ? stopwatch->start() : Status(Done{});
  if (!started.ok()) return started.failure();
  const Status copied = accelerator.copy(to, from, bytes);
  if (!copied.ok()) return copied.failure();
  const Status stopped = stopwatch ? stopwatch->stop() : Status(Done{});
  if (!stopped.ok()) return stopped.failure();
  const Status waited = accelerator.wait();
  if (!waited.ok()) return waited.failure();
  if (stopwatch) return stopwatch->seconds();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Result<double> copy_seconds(Accelerator& accelerator, int64_t bytes) {
  constexpr int kCopies = 6;
  std::vector<Accelerator::Memory> ends;
  Status ready = Done{};
  for (int end = 0; end < 2 && ready.ok(); ++end) {
    const auto memory = accelerator.allocate(bytes);
    if (memory.ok()) ends.push_back(memory.value());
    ready = memory.ok() ? accelerator.clear(memory.value(), bytes) : memory.failure();
  }
  const auto stopwatch = accelerator.stopwatch();
  Result<double> best = 0.0;
  if (!ready.ok()) best = ready.failure();
  for (int copy = 0; copy < kCopies && best.ok(); ++copy) {
    auto seconds = time_copy(accelerator, stopwatch.get(), ends[1], ends[0], bytes);
    if (copy == 0 || !seconds.ok() || seconds.value() < best.value()) best = std::move(seconds);
  }
  for (const Accelerator::Memory memory : ends) accelerator.release(memory);
  return best;
}

std::string numbered(const std::string& source) {
  std::istringstream lines(source);
  std::string out;
  int number = 0;
  for (std::string line; std::getline(lines, line);)
    out += fmt::format("{:5} | {}\n", ++number, line);
  return out;
}

}  // namespace stencil::runtime
