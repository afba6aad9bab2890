// Prints the stencil IR as text, for --emit ir, golden tests and bug reports.
//
// A node that is used once is printed inside its user. A node gets a line of its own if it is used
// more often, has a name from the program, or would nest too deeply. Graphs from unrolled
// comprehensions therefore stay readable, and the recursion of the printer stays shallow.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/ir/passes.h"
#include "compiler/ir/rewrite.h"
#include "compiler/support/escape.h"

namespace stencil::ir {

namespace {

constexpr int kDeepestExpression = 12;

std::string print(const Box& box, const std::vector<std::string>& params) {
  std::string out = "[";
  for (size_t d = 0; d < box.ranges.size(); ++d) {
    if (d) out += ", ";
    const Range& range = box.ranges[d];
    out += print(range.low, params);
    if (!(range.low == range.high)) out += ".." + print(range.high, params);
  }
  return out + "]";
}

std::string print_constant(const Constant& constant, Scalar type) {
  if (type == Scalar::Bool) return constant.integer ? "true" : "false";
  if (is_integer(type)) return fmt::format("{}", constant.integer);
  if (type == Scalar::F32) return fmt::format("{}", static_cast<float>(constant.real));
  return fmt::format("{}", constant.real);
}

// The offset of a map that shifts, otherwise the whole map of the index `i`.
std::vector<std::string> printed(const std::vector<IndexMap>& maps) {
  std::vector<std::string> out;
  for (const IndexMap& map : maps) {
    out.push_back(map.shifts() ? fmt::format("{}", map.offset)
                               : fmt::format("({}*i{:+})/{}", map.scale, map.offset, map.divisor));
  }
  return out;
}

class GraphPrinter {
 public:
  GraphPrinter(const Program& program, const Graph& graph, const std::vector<NodeId>& roots,
               const std::vector<std::string>& index_names)
      : program_(program), graph_(graph), index_names_(index_names) {
    const auto needed = reachable(graph, roots);
    std::vector<int> uses(static_cast<size_t>(graph.size()), 0);
    std::vector<int> depth(static_cast<size_t>(graph.size()), 0);
    own_line_.resize(static_cast<size_t>(graph.size()), false);
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (!needed[id]) continue;
      for (NodeId operand : operands(graph[id])) ++uses[operand];
    }
    for (NodeId id = 0; id < graph.size(); ++id) {
      const size_t i = static_cast<size_t>(id);
      if (!needed[i] || !std::holds_alternative<Operation>(graph[id].kind)) continue;
      for (NodeId operand : operands(graph[id])) {
        if (!own_line_[operand]) {
          depth[i] = std::max(depth[i], depth[operand] + 1);
        }
      }
      own_line_[i] = uses[i] > 1 || !graph[id].hint.empty() || depth[i] > kDeepestExpression;
    }
  }

  std::string definitions(const std::string& indent) const {
    std::string out;
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (!own_line_[id]) continue;
      out += fmt::format("{}{} : {} = {}\n", indent, label(id), name(graph_[id].type), body(id));
    }
    return out;
  }

  std::string use(NodeId id) const { return own_line_[id] ? label(id) : body(id); }

 private:
  std::string label(NodeId id) const {
    return fmt::format("%{}{}{}", id, graph_[id].hint.empty() ? "" : ".", graph_[id].hint);
  }

  std::string body(NodeId id) const {
    const Node& node = graph_[id];
    struct Visitor {
      const GraphPrinter& self;
      const Node& node;
      std::string operator()(const Constant& c) const { return print_constant(c, node.type); }
      std::string operator()(const ParamRef& p) const { return self.program_.params[p.param].name; }
      std::string operator()(const Index& i) const {
        const size_t d = static_cast<size_t>(i.dimension);
        const bool named = d < self.index_names_.size() && !self.index_names_[d].empty();
        return named ? self.index_names_[d] : fmt::format("index{}", d);
      }
      std::string operator()(const Time&) const { return "time"; }
      std::string operator()(const ReductionRef& r) const {
        const std::string& name = self.program_.reductions[r.reduction].name;
        return r.replaced ? "replaced " + name : name;
      }
      std::string operator()(const Access& a) const {
        const Field& field = self.program_.fields[a.field];
        std::string out = field.name;
        if (a.level) out += fmt::format("@-{}", a.level);
        out += fmt::format("[{}]", fmt::join(printed(a.maps), ","));
        out += field.components[a.component].path;
        if (a.escapes) out += "?";
        return out;
      }
      std::string operator()(const Operation& o) const {
        const std::string spelled =
            o.op == Op::Convert ? std::string(name(node.type)) : std::string(name(o.op));
        std::vector<std::string> arguments;
        for (NodeId operand : o.operands) arguments.push_back(self.use(operand));
        return fmt::format("{}({})", spelled, fmt::join(arguments, ", "));
      }
    };
    return std::visit(Visitor{*this, node}, node.kind);
  }

  const Program& program_;
  const Graph& graph_;
  const std::vector<std::string>& index_names_;
  std::vector<bool> own_line_;
};

std::string print(const BoundaryRule& rule) {
  const std::string_view keyword = rule.row().keyword;
  if (rule.values.empty()) return std::string(keyword);
  return fmt::format("{} {}", keyword, fmt::join(rule.values, ", "));
}

// One rule if all sides have the same, otherwise a list. Semicolons separate the dimensions,
// because the values of a constant are separated by commas.
std::string print(const std::vector<Boundary>& boundary) {
  const BoundaryRule& first = boundary[0].low;
  if (boundary == uniform_boundary(static_cast<int>(boundary.size()), first)) return print(first);
  std::vector<std::string> dimensions;
  for (const Boundary& rules : boundary) {
    dimensions.push_back(print(rules.low));
    if (rules.low != rules.high) dimensions.back() += " .. " + print(rules.high);
  }
  return fmt::format("[{}]", fmt::join(dimensions, "; "));
}

// Origin and spacing as in the program, with one value per dimension.
std::string print(const std::vector<Axis>& axes) {
  if (axes.empty()) return "";
  std::vector<std::string> origins, spacings;
  for (const Axis& axis : axes) {
    origins.push_back(axis.origin_text);
    spacings.push_back(axis.spacing_text);
  }
  return fmt::format(" origin [{}] spacing [{}]", fmt::join(origins, ", "),
                     fmt::join(spacings, ", "));
}

const char* print(Reducer reducer) {
  switch (reducer) {
    case Reducer::Sum:
      return "sum";
    case Reducer::Prod:
      return "prod";
    case Reducer::Min:
      return "min";
    case Reducer::Max:
      return "max";
  }
  return "";
}

std::string print_param(const Program& program, const Param& param) {
  std::string out = fmt::format("param {} : {}", param.name, name(param.type));
  if (param.integer_value) out += fmt::format(" = {}", *param.integer_value);
  if (param.real_value) {
    out += " = " + print_constant({*param.real_value, 0}, param.type);
  }
  if (param.affine) out += " = " + print(*param.affine, param_names(program));
  if (param.derived) {
    const GraphPrinter graph(program, param.derived->graph, {param.derived->value}, {});
    const std::string definitions = graph.definitions("    ");
    return fmt::format("{}{} from{}{}\n", out,
                       param.open()  ? " open"
                       : param.fixed ? " fixed"
                                     : "",
                       definitions.empty() ? " " : "\n" + definitions + "    = ",
                       graph.use(param.derived->value));
  }
  return out + (param.open() ? " open\n" : param.fixed ? " fixed\n" : "\n");
}

std::string print_field(const Program& program, const Field& field,
                        const std::vector<std::string>& params) {
  std::vector<std::string> components;
  for (const Component& component : field.components) {
    components.push_back(fmt::format("{}{}{}", component.path, component.path.empty() ? "" : " ",
                                     name(component.type)));
  }
  std::string out = fmt::format("field {} : {} on {}", field.name, fmt::join(components, ", "),
                                print(field.box, params));
  if (field.domain != 0) out += fmt::format(" of {}", program.domains[field.domain].name);
  if (field.read_in_place()) {
    std::vector<std::string> dimensions;
    for (const int d : field.dimensions()) {
      dimensions.push_back(d == kTime ? "time" : d == kPoints ? "points" : fmt::format("{}", d));
    }
    out += fmt::format(" along [{}]", fmt::join(dimensions, ", "));
  }
  if (const PointSet* set = field.as_point_set()) {
    out += fmt::format(" within {} weighing {}{}", print(set->within, params), set->width,
                       set->weighted ? " by weights" : "");
  } else if (field.set()) {
    out += fmt::format(" of points {}", *field.set());
  }
  if (field.history > 1) out += fmt::format(" history {}", field.history);
  if (field.constant) out += " constant";
  const std::string boundary = print(field.boundary);
  out += boundary == row_of(BoundaryKind::None).keyword ? "\n" : " boundary " + boundary + "\n";
  for (size_t d = 0; d < field.boundary.size(); ++d) {
    for (const bool low : {true, false}) {
      const RuleValue* const value = field.boundary[d].side(low).value.get();
      if (!value) continue;
      out += fmt::format("  beyond the {} side of dimension {}\n", low ? "low" : "high", d);
      const GraphPrinter graph(program, value->graph, value->results, {});
      out += graph.definitions("    ");
      for (const NodeId result : value->results)
        out += fmt::format("    = {}\n", graph.use(result));
    }
  }
  return out;
}

std::string print_piece(const Program& program, const Piece& piece,
                        const std::vector<std::string>& params) {
  const GraphPrinter graph(program, piece.graph, piece.results, piece.index_names);
  std::string out = fmt::format("  on {}\n", print(piece.region, params));
  out += graph.definitions("    ");
  for (NodeId result : piece.results) out += fmt::format("    = {}\n", graph.use(result));
  return out;
}

std::string print_steps(const Program& program, const Sequence& sequence, size_t depth) {
  std::string out;
  const std::string indent(2 * depth, ' ');
  for (const Step& step : sequence) {
    if (const auto* inner = std::get_if<Sequence>(&step.kind)) {
      out += print_steps(program, *inner, depth);
    } else if (const auto* apply = std::get_if<Apply>(&step.kind)) {
      out += fmt::format("{}apply {}\n", indent, program.functions[apply->function].name);
    } else if (const auto* reduce = std::get_if<Reduce>(&step.kind)) {
      out += fmt::format("{}reduce {}\n", indent, program.reductions[reduce->reduction].name);
    } else if (const auto* repeat = std::get_if<Repeat>(&step.kind)) {
      out += fmt::format("{}repeat {} times\n", indent, repeat->iterations);
      out += print_steps(program, repeat->body, depth + 1);
    }
  }
  return out;
}

}  // namespace

std::string print(const Program& program) {
  const auto params = param_names(program);
  std::string out =
      fmt::format("program {} real={} fp={}\n", program.name, name(program.real), name(program.fp));
  for (const Param& param : program.params) out += print_param(program, param);
  out += fmt::format("grid {}", print(program.grid(), params));
  if (program.steps) out += fmt::format(" steps {}", print(*program.steps, params));
  out += print(program.domain().axes) + "\n";
  for (const Domain& domain : program.domains) {
    if (!domain.coarsened) continue;
    const auto& [of, ratios, cells] = *domain.coarsened;
    out += fmt::format("grid {} {} of {} by [{}]{}\n", domain.name, print(domain.box, params),
                       program.domains[of].name, fmt::join(ratios, ", "), cells ? " cells" : "");
  }
  for (const Field& field : program.fields) out += print_field(program, field, params);
  const auto field_name = [&](FieldId id) { return program.fields[id].name; };
  for (const Function& function : program.functions) {
    out += fmt::format("function {} -> {}\n", function.name, target_names(program, function));
    for (const Piece& piece : function.pieces) out += print_piece(program, piece, params);
  }
  if (!program.start.empty()) out += "start\n" + print_steps(program, program.start, 1);
  if (cuts_steps(program)) out += "step\n" + print_steps(program, program.run.body, 1);
  for (const Init& init : program.inits) {
    out += fmt::format("init {}\n", field_name(init.field));
    out += print_piece(program, init.piece, params);
  }
  for (const Reduction& reduction : program.reductions) {
    out += fmt::format("reduce {} {} ", reduction.name, print(reduction.reducer));
    if (reduction.at) {
      out += fmt::format("at {} ", program.fields[*reduction.at].name);
    } else if (reduction.target) {
      const auto over = reduced_dimensions(program, reduction);
      out += fmt::format("over [{}] ", fmt::join(over, ", "));
    }
    out += reduction.in_step ? "in the step\n" : fmt::format("every {}\n", reduction.every);
    out += print_piece(program, reduction.piece, params);
  }
  if (program.run.until) {
    const GraphPrinter graph(program, program.run.until->graph, {program.run.until->condition}, {});
    out += "stop\n" + graph.definitions("    ");
    out += fmt::format("    = {}\n", graph.use(program.run.until->condition));
  }
  for (const Requirement& r : program.requirements)
    out += fmt::format("require {}\n", visible(r.text));
  for (const Check& check : program.checks) {
    std::vector<std::string> alternatives;
    for (const Affine& a : check.any_nonnegative)
      alternatives.push_back(print(a, params) + " >= 0");
    out += fmt::format("check {}  // {}\n", fmt::join(alternatives, " or "), check.message);
  }
  return out;
}

}  // namespace stencil::ir
