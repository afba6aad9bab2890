#include "tests/unit/ir/canonical.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "compiler/ir/passes.h"
#include "compiler/ir/rewrite.h"

namespace stencil::test {
namespace {

// The nodes that the roots need, in the order in which the roots reach them.
class Renumbering {
 public:
  explicit Renumbering(const ir::Graph& graph)
      : graph_(graph), moved_(static_cast<size_t>(graph.size()), -1) {}

  ir::NodeId move(ir::NodeId id) {
    if (moved_[id] >= 0) return moved_[id];
    ir::Node node = graph_[id];
    if (auto* operation = std::get_if<ir::Operation>(&node.kind)) {
      for (ir::NodeId& operand : operation->operands) operand = move(operand);
    }
    node.span = {};
    node.hint.clear();
    return moved_[id] = out_.add(std::move(node));
  }
  ir::Graph take() { return std::move(out_); }

 private:
  const ir::Graph& graph_;
  std::vector<ir::NodeId> moved_;
  ir::Graph out_;
};

void renumber(ir::Graph& graph, const std::vector<ir::NodeId*>& roots) {
  Renumbering renumbering(graph);
  for (ir::NodeId* root : roots) *root = renumbering.move(*root);
  graph = renumbering.take();
}

void renumber(ir::Piece& piece) {
  std::vector<ir::NodeId*> roots;
  for (ir::NodeId& result : piece.results) roots.push_back(&result);
  renumber(piece.graph, roots);
  piece.index_names.clear();
}

void renumber(ir::BoundaryRule& rule) {
  if (!rule.value) return;
  ir::RuleValue value = *rule.value;
  std::vector<ir::NodeId*> roots;
  for (ir::NodeId& result : value.results) roots.push_back(&result);
  renumber(value.graph, roots);
  rule.value = std::make_shared<const ir::RuleValue>(std::move(value));
}

std::string accesses_of(const ir::Graph& graph) {
  std::string out;
  for (ir::NodeId id = 0; id < graph.size(); ++id) {
    const auto* access = std::get_if<ir::Access>(&graph[id].kind);
    if (!access) continue;
    out += fmt::format("  %{} level {} escapes {:b}", id, access->level, access->escapes);
    for (const ir::Excess& excess : access->excess) {
      out += fmt::format(" {}/{}", excess.below.value_or(-1), excess.above.value_or(-1));
    }
    out += "\n";
  }
  return out;
}

}  // namespace

std::string canonical_text(ir::Program program) {
  for (ir::Param& param : program.params) {
    if (!param.derived) continue;
    renumber(param.derived->graph, {&param.derived->value});
    param.derived->text.clear();
  }
  for (size_t id = 0; id < program.domains.size(); ++id) {  // names may have been taken
    program.domains[static_cast<ir::DomainId>(id)].name = fmt::format("grid{}", id);
  }
  for (ir::Axis& axis : program.domain().axes) {
    renumber(axis.graph, {&axis.origin, &axis.spacing, &axis.admissible});
    axis.origin_text.clear();
    axis.spacing_text.clear();
  }
  for (ir::Field& field : program.fields) {
    for (ir::Boundary& rules : field.boundary) {
      renumber(rules.low);
      renumber(rules.high);
    }
  }
  for (ir::Function& function : program.functions) {
    for (ir::Piece& piece : function.pieces) renumber(piece);
  }
  for (ir::Init& init : program.inits) renumber(init.piece);
  for (ir::Reduction& reduction : program.reductions) renumber(reduction.piece);
  if (program.run.until) renumber(program.run.until->graph, {&program.run.until->condition});
  std::string requirements;
  for (ir::Requirement& requirement : program.requirements) {
    renumber(requirement.graph, {&requirement.condition});
    ir::Program alone;  // prints the condition as a stop condition
    alone.params = program.params;
    alone.run.until = ir::Stop{requirement.graph, requirement.condition, {}};
    const std::string text = ir::print(alone);
    requirements += "require " + text.substr(text.find("stop\n") + 5);
    requirement.text.clear();
  }
  const auto names = ir::param_names(program);
  std::set<std::string> checks;
  for (const ir::Check& check : program.checks) {
    if (check.code == "S032" || check.code == "S034") continue;
    std::string text = check.code;
    for (const ir::Affine& affine : check.any_nonnegative) text += " or " + print(affine, names);
    checks.insert(text);
  }
  program.checks.clear();
  std::string out = ir::print(program) + requirements;
  for (const std::string& check : checks) out += check + "\n";
  for (const ir::StepLimit& limit : program.step_limits) {
    out += fmt::format("limit {} {}\n", print(limit.steps, names), limit.message);
  }
  for (const ir::Axis& axis : program.domain().axes) {
    out += fmt::format("axis {} {} of {}\n", axis.origin, axis.spacing, axis.graph.size());
  }
  for (const ir::Function& function : program.functions) {
    out += fmt::format("kept by {}: {}\n", function.name, fmt::join(function.kept, ""));
    for (const ir::Piece& piece : function.pieces) out += accesses_of(piece.graph);
  }
  for (const ir::Reduction& reduction : program.reductions) {
    out += fmt::format("{} on {}\n", reduction.name, program.domains[reduction.domain].name);
    out += accesses_of(reduction.piece.graph);
  }
  return out;
}

}  // namespace stencil::test
