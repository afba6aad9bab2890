// Builds the scatter form from the plane sums of a linear function (ir/reassociate.h).
#include "compiler/schedule/streaming/scatter.h"

#include <algorithm>
#include <map>

#include "compiler/ir/reassociate.h"
#include "compiler/ir/rewrite.h"

namespace stencil::schedule {

namespace {

class ScatterBuilder {
 public:
  ScatterBuilder(const ir::Program& program, const ir::Function& function,
                 const ir::PlaneSplit& split)
      : program_(program),
        function_(function),
        piece_(function.pieces[0]),
        split_(split),
        type_(piece_.graph[piece_.results[0]].type) {}

  ScatterForm build() {
    const std::vector<int> same = ir::equal_planes(split_, 0);
    const int last = static_cast<int>(split_.planes.size()) - 1;
    std::map<int, int> shared;  // plane sums that serve several sums, computed once
    for (int k = 0; k <= last; ++k) {
      if (same[k] != k) shared[same[k]] = -1;
    }
    int before = -1;  // the sum so far
    for (int k = 0; k <= last; ++k) {
      const ir::PlaneSum& plane = split_.planes[k];
      const int here = k == last ? plane.offset : 0;  // offset of the newest plane
      const auto use = shared.find(same[k]);
      ir::Graph graph;
      ir::NodeId sum = ir::kNoNode;
      if (use != shared.end()) {
        if (use->second < 0) use->second = add_plane_alone(plane);
        sum = read(graph, use->second, here);
      } else if (!plane.empty) {
        sum = copy(plane.sum, here - plane.offset, graph);
      }
      if (before >= 0) {
        const ir::NodeId so_far = read(graph, before, here - 1);
        sum = sum == ir::kNoNode
                  ? so_far
                  : graph.add({ir::Operation{Op::Add, {so_far, sum}}, type_, {}, ""});
      }
      if (k == last) {
        form_.last = in_one_chain(graph, sum);
      } else {
        before = add(in_one_chain(graph, sum));
      }
    }
    return std::move(form_);
  }

 private:
  int add(PartialSum sum) {
    form_.sums.push_back(std::move(sum));
    return static_cast<int>(form_.sums.size()) - 1;
  }

  int add_plane_alone(const ir::PlaneSum& plane) {
    ir::Graph graph;
    const ir::NodeId sum = copy(plane.sum, -plane.offset, graph);
    return add(in_one_chain(graph, sum));
  }

  ir::NodeId read(ir::Graph& graph, int sum, int plane) const {
    ir::Access access;
    access.field = static_cast<ir::FieldId>(program_.fields.size()) + sum;
    access.component = 0;
    access.level = 0;
    access.maps.assign(static_cast<size_t>(program_.grid().rank()), 0);
    access.maps[0].offset = plane;
    return graph.add({access, type_, {}, ""});
  }

  // Copies a tree of the split with its accesses moved along the streaming dimension.
  ir::NodeId copy(ir::NodeId root, int planes, ir::Graph& to) const {
    const ir::Graph& from = split_.graph;
    const auto needed = ir::reachable(from, {root});
    std::vector<ir::NodeId> copies(static_cast<size_t>(from.size()), ir::kNoNode);
    for (ir::NodeId id = 0; id <= root; ++id) {
      if (!needed[id]) continue;
      ir::Node node = from[id];
      auto* access = std::get_if<ir::Access>(&node.kind);
      if (access && !access->in_place) access->maps[0].offset += planes;
      if (auto* operation = std::get_if<ir::Operation>(&node.kind)) {
        for (ir::NodeId& operand : operation->operands) {
          operand = copies[operand];
        }
      }
      copies[id] = to.add(std::move(node));
    }
    return copies[root];
  }

  // Rewrites the sum as one chain of multiply-adds that starts with the previous sum.
  PartialSum in_one_chain(const ir::Graph& graph, ir::NodeId sum) const {
    ir::Program alone = program_;
    for (size_t i = 0; i < form_.sums.size(); ++i) {  // the fields that stand for sums
      ir::Field field = program_.fields[function_.targets[0]];
      field.box = program_.grid();
      alone.fields.push_back(std::move(field));
    }
    ir::Piece only = piece_;
    only.graph = graph;
    only.results = {sum};
    alone.functions = {function_};
    alone.functions[0].pieces = {only};
    alone = ir::reassociate(alone, 0);
    const ir::Piece& written = alone.functions[0].pieces[0];
    return {std::make_shared<const ir::Graph>(written.graph), written.results[0]};
  }

  const ir::Program& program_;
  const ir::Function& function_;
  const ir::Piece& piece_;
  const ir::PlaneSplit& split_;
  const Scalar type_;
  ScatterForm form_;
};

std::optional<ScatterForm> scatter_form(const ir::Program& program, const ir::Function& function) {
  if (function.pieces.size() != 1 || function.targets.size() != 1) return std::nullopt;
  const ir::Piece& piece = function.pieces[0];
  const ir::FieldId target = function.targets[0];
  const auto writers =
      std::count_if(program.functions.begin(), program.functions.end(),
                    [&](const ir::Function& other) { return ir::writes(other, target); });
  if (writers != 1) return std::nullopt;
  for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
    const bool placed = access->in_place && !access->per_step;  // sums are computed at other planes
    if (access->escapes != 0 || placed) return std::nullopt;
  }
  const auto split = ir::split_by_plane(piece, 0);
  if (!split) return std::nullopt;
  return ScatterBuilder(program, function, *split).build();
}

}  // namespace

const ScatterForm* ScatterForms::of(size_t function) {
  auto& form = forms_[function];
  if (!form) form = scatter_form(program_, program_.functions[function]);
  return *form ? &**form : nullptr;
}

bool ScatterForms::any() {
  for (size_t f = 0; f < forms_.size(); ++f) {
    if (of(f)) return true;
  }
  return false;
}

}  // namespace stencil::schedule
