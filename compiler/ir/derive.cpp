// Computes params that depend on other params (docs/reference/language.md, "Declarations").
//
// This is the only place that computes them. The expression is evaluated as written from the values
// of the params before it, by evaluate_known, which rounds each operation separately like the
// interpreter. All callers that give params their values use it: semantic analysis for the
// defaults, the runtime before a run and between its steps. Emitted drivers print the same graph,
// operation by operation.
#include <fmt/format.h>

#include <cmath>

#include "compiler/ir/known.h"
#include "compiler/ir/passes.h"
#include "compiler/ir/rewrite.h"

namespace stencil::ir {
namespace {

std::string print_value(const Param& param, int64_t integer, double real) {
  if (is_integer(param.type)) return fmt::format("{}", integer);
  return param.type == Scalar::F32 ? fmt::format("{}", static_cast<float>(real))
                                   : fmt::format("{}", real);
}

// The values of the params that the graph reads as text: "kappa = 2, dx = 0.1".
std::string print_reads(const Program& program, const Graph& graph, NodeId value,
                        const std::vector<int64_t>& integers, const std::vector<double>& reals) {
  const std::vector<bool> needed = reachable(graph, {value});
  std::string text;
  for (NodeId id = 0; id < graph.size(); ++id) {
    const auto* read = std::get_if<ParamRef>(&graph[id].kind);
    if (!read || !needed[id]) continue;
    const auto p = static_cast<size_t>(read->param);
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", program.params[p].name,
                        print_value(program.params[p], integers[p], reals[p]));
  }
  return text;
}

}  // namespace

std::optional<DerivationFault> derive_params(const Program& program, const std::vector<bool>& given,
                                             std::vector<int64_t>& integers,
                                             std::vector<double>& reals) {
  for (size_t p = 0; p < program.params.size(); ++p) {
    const Param& param = program.params[p];
    if (param.affine) {
      const auto value = evaluate(*param.affine, integers);
      if (!value || (param.type == Scalar::I32 && *value != static_cast<int32_t>(*value))) {
        return DerivationFault{
            "R051",
            fmt::format("param '{}' does not fit its type, {}", param.name, name(param.type)),
            fmt::format("it is {}", print(*param.affine, param_names(program)))};
      }
      integers[p] = *value;
    }
    if (!param.derived || given[p]) continue;
    const Graph& graph = param.derived->graph;
    const NodeId node = param.derived->value;
    const std::string& text = param.derived->text;
    const Constant value = evaluate_on_params(graph, integers, reals)[node];
    const auto from = [&] {
      return fmt::format("it is computed as {}, with {}", text,
                         print_reads(program, graph, node, integers, reals));
    };
    if (!std::isfinite(value.real)) {
      return DerivationFault{
          "R051",
          fmt::format("param '{}' has the value {}, which is not finite", param.name, value.real),
          from()};
    }
    // Emitted files use the smallest integer as the mark of a param that is not given.
    const int64_t least = param.type == Scalar::I64 ? INT64_MIN : INT32_MIN;
    if (!is_float(param.type) && value.integer == least) {
      return DerivationFault{
          "R051",
          fmt::format("param '{}' has the value {}, which is reserved for a missing value",
                      param.name, least),
          from()};
    }
    const bool same =
        is_float(param.type)
            ? !param.real_value || known_real(param.type, *param.real_value).real == value.real
            : !param.integer_value || *param.integer_value == value.integer;
    if (param.folded() && !same) {
      return DerivationFault{
          "R074",
          fmt::format(
              "param '{}' is compiled in with the value {}, but is now computed as {}", param.name,
              print_value(param, param.integer_value.value_or(0), param.real_value.value_or(0)),
              print_value(param, value.integer, value.real)),
          fmt::format("{}; {}", from(),
                      is_float(param.type)
                          ? fmt::format("omit --fix {}", param.name)
                          : fmt::format("keep it open and give its value: --open {}", param.name))};
    }
    integers[p] = value.integer;
    reals[p] = value.real;
  }
  return std::nullopt;
}

}  // namespace stencil::ir
