// The host driver as an interpreter of the plan (compiler/kernel/plan.h). The emitted drivers print
// the same loop; here it runs.
//
// Copies of an array are pieces of device memory; slots are positions in a vector of them, so
// Rotate and Exchange move handles and no data. A spare copy starts with the contents of the newest
// level: points that no function writes must be found in every copy.
#include "runtime/device_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "compiler/kernel/evaluate.h"

namespace stencil::runtime {

namespace {

template <class T>
ScalarBytes bytes_of(T value) {
  ScalarBytes out{};
  std::memcpy(out.bytes, &value, sizeof value);
  out.size = sizeof value;
  return out;
}

class PlanSession : public Session {
 public:
  PlanSession(Accelerator& accelerator, const kernel::Module& module, reference::State& state)
      : accelerator_(accelerator), module_(module), plan_(module.plan), state_(state) {}
  ~PlanSession() override {
    for (const auto& slots : memory_) {
      for (const Accelerator::Memory memory : slots) {
        if (memory != nullptr) accelerator_.release(memory);
      }
    }
  }

  Status prepare();
  Result<int64_t> advance(int64_t steps) override;
  Status finish() override;

 private:
  Status upload(const kernel::Array& array);
  int64_t bytes_of_copy(const kernel::Array& array) const;
  std::string memory_needed() const;
  Status count_blocks();
  Status act(const kernel::Action& action, int64_t blocks, int64_t count);
  Status launch(const kernel::Launch& launch, int64_t blocks, int64_t count);
  ScalarBytes scalar(const kernel::ScalarValue& value, int64_t count) const;
  ScalarBytes parameter(const kernel::Parameter& parameter) const;
  std::optional<int64_t> value_of(const std::string& name) const;

  Accelerator& accelerator_;
  const kernel::Module& module_;
  const kernel::Plan& plan_;
  reference::State& state_;
  std::vector<std::vector<Accelerator::Memory>> memory_;  // [array][slot]
  std::vector<int64_t> blocks_;                           // per action; 0 if it is no launch
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
    const Status uploaded = upload(array);
    if (!uploaded.ok()) return uploaded;
  }
  return count_blocks();
}

int64_t PlanSession::bytes_of_copy(const kernel::Array& array) const {
  return state_.fields[static_cast<size_t>(array.field)].size_in_bytes(array.component);
}

// "3072 bytes: A 2 x 1024, K 1 x 1024".
std::string PlanSession::memory_needed() const {
  int64_t total = 0;
  std::vector<std::string> items;
  for (const kernel::Array& array : plan_.arrays) {
    total += array.copies * bytes_of_copy(array);
    items.push_back(fmt::format("{} {} x {}", array.name, array.copies, bytes_of_copy(array)));
  }
  return fmt::format("{} bytes: {}", total, fmt::join(items, ", "));
}

Status PlanSession::upload(const kernel::Array& array) {
  const reference::FieldData& field = state_.fields[static_cast<size_t>(array.field)];
  const int64_t bytes = bytes_of_copy(array);
  auto& slots = memory_.emplace_back();
  for (int slot = 0; slot < array.copies; ++slot) {
    const auto memory = accelerator_.allocate(std::max<int64_t>(bytes, 1));
    if (!memory.ok()) {
      Failure failure = memory.failure();
      failure.message += fmt::format("; the fields need {}", memory_needed());
      return failure;
    }
    slots.push_back(memory.value());
    if (bytes == 0) continue;
    const int level = slot < array.levels ? slot : 0;
    const Status copied =
        accelerator_.upload(slots.back(), field.data(level, array.component), bytes);
    if (!copied.ok()) return copied;
  }
  return Done{};
}

Status PlanSession::count_blocks() {
  for (const kernel::Action& action : plan_.actions) {
    const auto* launch = std::get_if<kernel::Launch>(&action);
    if (launch == nullptr) {
      blocks_.push_back(0);
      continue;
    }
    const auto blocks = kernel::evaluate(
        launch->blocks, [this](const std::string& name) { return value_of(name); });
    const std::string& kernel = module_.kernels[static_cast<size_t>(launch->kernel)].name;
    if (!blocks) {
      return Failure{"R043", fmt::format("kernel {}: the number of blocks overflows", kernel), ""};
    }
    if (*blocks > INT32_MAX) {
      return Failure{
          "R043", fmt::format("kernel {}: {} blocks are too many for one launch", kernel, *blocks),
          "use larger blocks"};
    }
    blocks_.push_back(*blocks);
  }
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

Status PlanSession::launch(const kernel::Launch& launch, int64_t blocks, int64_t count) {
  if (blocks <= 0) return Done{};
  const auto memory_of = [&](const kernel::ArrayArgument& argument) {
    return memory_[static_cast<size_t>(argument.array)][static_cast<size_t>(argument.slot)];
  };
  Accelerator::Call call{launch.kernel, {}, {}, {}, blocks};
  for (const kernel::ArrayArgument& argument : launch.arrays) {
    call.arrays.push_back(memory_of(argument));
  }
  for (const kernel::ScalarValue& value : launch.scalars) {
    call.scalars.push_back(scalar(value, count));
  }
  for (const kernel::ArrayArgument& argument : launch.bulk_sources) {
    const kernel::Array& array = plan_.arrays[static_cast<size_t>(argument.array)];
    call.bulk_sources.push_back({memory_of(argument),
                                 state_.fields[static_cast<size_t>(array.field)].extents,
                                 size_in_bytes(array.type)});
  }
  return accelerator_.launch(call);
}

Status PlanSession::act(const kernel::Action& action, int64_t blocks, int64_t count) {
  struct Visitor {
    PlanSession& self;
    int64_t blocks, count;
    Status operator()(const kernel::Launch& launch) const {
      return self.launch(launch, blocks, count);
    }
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
  return std::visit(Visitor{*this, blocks, count}, action);
}

Result<int64_t> PlanSession::advance(int64_t steps) {
  for (int64_t done = 0; done < steps;) {
    const int64_t count = kernel::steps_of_tile(plan_, steps - done);
    for (size_t i = 0; i < plan_.actions.size(); ++i) {
      const auto* launch = std::get_if<kernel::Launch>(&plan_.actions[i]);
      if (launch && launch->steps != 0 && launch->steps != count) continue;
      const Status acted = act(plan_.actions[i], blocks_[i], count);
      if (!acted.ok()) return acted.failure();
    }
    done += count;
    state_.step += count;
  }
  const Status waited = accelerator_.wait();
  if (!waited.ok()) return waited.failure();
  return steps;
}

Status PlanSession::finish() {
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    const kernel::Array& array = plan_.arrays[a];
    if (!array.written) continue;
    reference::FieldData& field = state_.fields[static_cast<size_t>(array.field)];
    const int64_t bytes = bytes_of_copy(array);
    for (int level = 0; level < array.levels && bytes > 0; ++level) {
      const Status copied = accelerator_.download(field.data(level, array.component),
                                                  memory_[a][static_cast<size_t>(level)], bytes);
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

std::string numbered(const std::string& source) {
  std::istringstream lines(source);
  std::string out;
  int number = 0;
  for (std::string line; std::getline(lines, line);)
    out += fmt::format("{:5} | {}\n", ++number, line);
  return out;
}

}  // namespace stencil::runtime
