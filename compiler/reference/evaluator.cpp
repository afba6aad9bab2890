// Evaluates a graph node by node over a row of points, instead of point by point over the graph.
// The kernel of a node is a tight loop, and interpretation costs one dispatch per node and row. The
// graph is in topological order, so one pass over it evaluates one row.
//
// Nodes that do not depend on the point (constants, params, `time`, and values computed from them)
// are evaluated once per sweep. The other nodes share row buffers: a buffer is free after the last
// use of its node, so memory grows with the width of the graph and not with its size. A node gets
// its buffer before those of its operands are released, so kernels never see overlapping rows.
#include "compiler/reference/evaluator.h"

#include <algorithm>
#include <array>

#include "compiler/reference/access.h"
#include "compiler/reference/points.h"
#include "compiler/reference/scalar_types.h"

namespace stencil::reference {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

const std::vector<ir::NodeId>& operands(const ir::Node& node) {
  static const std::vector<ir::NodeId> kNone;
  const auto* operation = std::get_if<ir::Operation>(&node.kind);
  return operation != nullptr ? operation->operands : kNone;
}

bool varies_by_itself(const ir::Node& node) {
  return std::visit(Overloaded{
                        [](const ir::Constant&) { return false; },
                        [](const ir::ParamRef&) { return false; },
                        [](const ir::Index&) { return true; },
                        [](const ir::Time&) { return false; },
                        [](const ir::ReductionRef&) { return false; },
                        [](const ir::Access& access) { return !access.per_step; },
                        [](const ir::Operation&) { return false; },
                    },
                    node.kind);
}

Kernel kernel_of(const ir::Program& program, const ir::Graph& graph, const ir::Node& node) {
  if (const auto* access = std::get_if<ir::Access>(&node.kind)) {
    const Scalar stored = program.fields[access->field].components[access->component].type;
    return kernel_for(Op::Convert, node.type, {stored});
  }
  const auto* operation = std::get_if<ir::Operation>(&node.kind);
  if (operation == nullptr) return nullptr;
  std::vector<Scalar> types;
  for (const ir::NodeId operand : operation->operands) types.push_back(graph[operand].type);
  return kernel_for(operation->op, node.type, types);
}

}  // namespace

Evaluator::Evaluator(const ir::Program& program, const State& state, const ir::Graph& graph,
                     const std::vector<ir::NodeId>& results, int64_t longest_row)
    : program_(program),
      state_(state),
      graph_(graph),
      results_(results),
      longest_row_(longest_row),
      live_(graph.nodes().size(), false),
      kernels_(graph.nodes().size(), nullptr),
      row_buffers_(graph.nodes().size(), -1),
      rows_(graph.nodes().size(), nullptr) {
  mark_live();
  std::vector<bool> varies(graph.nodes().size(), false);
  for (ir::NodeId id = 0; id < graph.size(); ++id) {
    if (!live_[id]) continue;
    const std::vector<ir::NodeId>& inputs = operands(graph[id]);
    varies[id] = varies_by_itself(graph[id]) ||
                 std::any_of(inputs.begin(), inputs.end(), [&](ir::NodeId o) { return varies[o]; });
    (varies[id] ? varying_ : uniform_).push_back(id);
    kernels_[id] = kernel_of(program, graph, graph[id]);
  }
  assign_row_buffers();
}

void Evaluator::mark_live() {
  for (const ir::NodeId result : results_) live_[result] = true;
  for (ir::NodeId id = graph_.size() - 1; id >= 0; --id) {
    if (!live_[id]) continue;
    for (const ir::NodeId operand : operands(graph_[id])) live_[operand] = true;
  }
}

void Evaluator::assign_row_buffers() {
  int row_buffer_count = 0;
  for (const ir::NodeId id : uniform_) row_buffers_[id] = row_buffer_count++;

  std::vector<ir::NodeId> last_use(graph_.nodes().size(), -1);
  for (const ir::NodeId id : varying_) {
    for (const ir::NodeId operand : operands(graph_[id])) last_use[operand] = id;
  }
  for (const ir::NodeId result : results_) last_use[result] = graph_.size();  // kept to the end
  for (const ir::NodeId id : uniform_) last_use[id] = graph_.size();

  std::vector<int> free_row_buffers;
  for (const ir::NodeId id : varying_) {
    if (free_row_buffers.empty()) free_row_buffers.push_back(row_buffer_count++);
    row_buffers_[id] = free_row_buffers.back();
    free_row_buffers.pop_back();
    for (const ir::NodeId operand : operands(graph_[id])) {
      if (last_use[operand] != id) continue;
      free_row_buffers.push_back(row_buffers_[operand]);
      last_use[operand] = -1;  // released once, even if it is used twice
    }
  }
  buffers_.resize(static_cast<size_t>(row_buffer_count * longest_row_));
}

void Evaluator::begin_sweep() {
  for (const ir::NodeId id : uniform_) evaluate(id, {}, longest_row_);
}

void Evaluator::evaluate_row(const std::vector<int64_t>& point, int64_t count) {
  for (const ir::NodeId id : varying_) evaluate(id, point, count);
}

void Evaluator::evaluate(ir::NodeId id, const std::vector<int64_t>& point, int64_t count) {
  const ir::Node& node = graph_[id];
  void* out = buffers_.data() + row_buffers_[id] * longest_row_;
  rows_[id] = out;
  std::visit(Overloaded{
                 [&](const ir::Constant& c) { fill(node.type, c.real, c.integer, out, count); },
                 [&](const ir::ParamRef& ref) {
                   fill(node.type, state_.real_params[ref.param], state_.integer_params[ref.param],
                        out, count);
                 },
                 [&](const ir::Index& index) {
                   const auto d = static_cast<size_t>(index.dimension);
                   if (d + 1 < point.size()) return fill(node.type, 0, point[d], out, count);
                   auto* coordinates = static_cast<int32_t*>(out);
                   for (int64_t i = 0; i < count; ++i) {
                     coordinates[i] = static_cast<int32_t>(point[d] + i);
                   }
                 },
                 [&](const ir::Time&) { fill(node.type, 0, state_.step, out, count); },
                 [&](const ir::ReductionRef& ref) {
                   const ReductionValue& value = state_.reductions[ref.reduction];
                   if (ref.replaced) {
                     fill(node.type, value.replaced_real, value.replaced_integer, out, count);
                   } else {
                     fill(node.type, value.real, value.integer, out, count);
                   }
                 },
                 [&](const ir::Access& access) {
                   if (access.at_points) {
                     return sum_at_points(program_, state_, access, node.type, point, count, out);
                   }
                   rows_[id] =
                       read_row(program_.fields[access.field], state_.fields[access.field], access,
                                node.type, kernels_[id], point, state_.step, count, out);
                 },
                 [&](const ir::Operation& operation) {
                   std::array<const void*, 3> in{};
                   for (size_t i = 0; i < operation.operands.size(); ++i) {
                     in[i] = rows_[operation.operands[i]];
                   }
                   kernels_[id](out, in.data(), count);
                 },
             },
             node.kind);
}

Rows::Rows(ConcreteBox box, int64_t longest_row) : box_(std::move(box)), longest_row_(longest_row) {
  const int64_t points = *count_points(box_);
  if (points == 0) return;
  const int64_t width = box_.back()[1] - box_.back()[0] + 1;
  count_ = points / width * ((width + longest_row - 1) / longest_row);
}

std::vector<int64_t> Rows::start(int64_t row) const {
  std::vector<int64_t> point(box_.size());
  for (size_t d = box_.size(); d-- > 0;) {
    const int64_t step = d + 1 == box_.size() ? longest_row_ : 1;
    const int64_t starts = (box_[d][1] - box_[d][0]) / step + 1;
    point[d] = box_[d][0] + row % starts * step;
    row /= starts;
  }
  return point;
}

}  // namespace stencil::reference
