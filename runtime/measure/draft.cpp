// A parameter selects the measured kernel that a module launches; the other kernels get zero
// blocks. So the device compiles few modules, and none between measurements.
#include "runtime/measure/draft.h"

#include <fmt/format.h>

namespace stencil::measure {

using namespace kernel;

namespace {

constexpr int kPrepares = 1, kMeasures = 2;  // lengths of tiles that prepare and measure

// In the order of state_of().
std::vector<Parameter> parameters(Scalar real) {
  std::vector<Parameter> out;
  for (const auto& [name, type] :
       {std::pair{"which", Scalar::I64}, std::pair{"blocks", Scalar::I64},
        std::pair{"passes", Scalar::I32}, std::pair{"chunks", Scalar::I64},
        std::pair{"factor", real}, std::pair{"term", real}}) {
    Parameter parameter;
    parameter.name = name;
    parameter.type = type;
    parameter.param = static_cast<int>(out.size());
    out.push_back(std::move(parameter));
  }
  return out;
}

constexpr int kWhich = 1;  // number of leading parameters that kernels do not take

}  // namespace

Expr passes() {
  return variable("passes");
}
Expr blocks() {
  return variable("blocks", Scalar::I64);
}
Expr chunks() {
  return variable("chunks", Scalar::I64);
}
Expr factor(Scalar type) {
  return variable("factor", type);
}
Expr term(Scalar type) {
  return variable("term", type);
}
Expr thread() {
  return variable(kThreadNames[0]);
}
Expr block() {
  return variable("block", Scalar::I64);
}

Draft::Draft(const std::string& name, Scalar real) : real_(real) {
  module_.name = name;
  module_.plan.parameters = parameters(real);
  module_.plan.points = long_of(1);
}

int Draft::memory(const std::string& name, Scalar type, Expr elements) {
  module_.plan.scratch.push_back({name, type, std::move(elements)});
  return static_cast<int>(module_.plan.scratch.size()) - 1;
}

void Draft::measured(Kernel kernel, const std::vector<int>& memory) {
  const Expr named = operation(Op::Eq, {variable("which", Scalar::I64), long_of(measured_++)});
  add(std::move(kernel), memory, operation(Op::Select, {named, blocks(), long_of(0)}), kMeasures);
}

void Draft::prepares(Kernel kernel, const std::vector<int>& memory) {
  prepared_ = true;
  add(std::move(kernel), memory, chunks(), kPrepares);
}

void Draft::add(Kernel kernel, const std::vector<int>& memory, Expr blocks, int steps) {
  Launch launch{static_cast<int>(module_.kernels.size()), {}, {}, std::move(blocks), steps};
  for (const int piece : memory) launch.arrays.push_back({piece, kScratch});
  const auto given = parameters(real_);
  for (size_t p = kWhich; p < given.size(); ++p) {
    kernel.scalars.push_back({given[p].name, given[p].type});
    launch.scalars.push_back(ParameterArgument{static_cast<int>(p)});
  }
  module_.kernels.push_back(std::move(kernel));
  module_.plan.actions.push_back(std::move(launch));
}

Module Draft::finish() {
  if (prepared_) {
    module_.plan.time_tile = kMeasures;
    module_.plan.tile_sizes = {kMeasures, kPrepares};
  } else {
    for (Action& action : module_.plan.actions) std::get<Launch>(action).steps = 0;
  }
  return std::move(module_);
}

Kernel kernel_of(const std::string& name, int threads) {
  Kernel kernel;
  kernel.name = name;
  kernel.threads = {threads};
  return kernel;
}

namespace {

BufferId add(Kernel& kernel, Buffer buffer) {
  kernel.buffers.push_back(std::move(buffer));
  return static_cast<BufferId>(kernel.buffers.size()) - 1;
}

}  // namespace

BufferId global(Kernel& kernel, const std::string& name, Scalar type, Expr elements,
                bool read_only) {
  return add(kernel, {name, type, Space::Global, {std::move(elements)}, read_only, true, ""});
}
BufferId shared_memory(Kernel& kernel, const std::string& name, Scalar type, int elements) {
  return add(kernel, {name, type, Space::Shared, {integer(elements)}, false, false, ""});
}
BufferId of_thread(Kernel& kernel, const std::string& name, Scalar type, int elements) {
  std::vector<Expr> extents;
  if (elements > 0) extents.push_back(integer(elements));
  return add(kernel, {name, type, Space::Thread, std::move(extents), false, false, ""});
}
BufferId of_block(Kernel& kernel, const std::string& name, Scalar type) {
  return add(kernel, {name, type, Space::Block, {integer(1)}, false, false, ""});
}

Statement let(const std::string& name, Expr value) {
  return {Let{name, std::move(value)}};
}
Statement store(BufferId buffer, Expr value) {
  return {Store{buffer, {}, std::move(value)}};
}
Statement store(BufferId buffer, Expr index, Expr value) {
  return {Store{buffer, {std::move(index)}, std::move(value)}};
}
Statement threads(Body body) {
  return {Threads{std::move(body)}};
}
Statement repeat(const std::string& name, Expr times, Body body) {
  const Expr zero = integer(0, times->type);
  return {For{LoopKind::Serial, name, zero, std::move(times), 1, std::move(body)}};
}

Expr read(BufferId buffer, Scalar type) {
  return load(buffer, {}, type);
}
Expr read(BufferId buffer, Expr index, Scalar type) {
  return load(buffer, {std::move(index)}, type);
}
Expr long_of(Expr value) {
  return convert(std::move(value), Scalar::I64);
}
Expr place(const Expr& base, int64_t offset) {
  return kernel::add(base, long_of(kernel::add(thread(), integer(offset))));
}
Expr own_place(int threads) {
  return place(mul(block(), long_of(threads)), 0);
}
Expr results(int threads) {
  return mul(blocks(), long_of(threads));
}
Expr multiply_add(Expr value, Scalar type) {
  return operation(Op::Fma, {std::move(value), factor(type), term(type)});
}
Expr exclusive_or(Expr a, Expr b) {
  return operation(Op::BitXor, {std::move(a), std::move(b)});
}

}  // namespace stencil::measure
