#include "tests/unit/builder/dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stencil::test {
namespace {

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

class Dump {
 public:
  explicit Dump(const ir::Program& program) : program_(program), names_(ir::param_names(program)) {}

  int functions_before(const ir::Reduction& reduction) const {
    const auto id = static_cast<ir::ReductionId>(&reduction - program_.reductions.data());
    const auto functions = ir::functions_before(program_, id);
    return functions ? static_cast<int>(*functions) : -1;
  }

  std::string take() {
    line("program {} real {} fp {}", program_.name, name(program_.real), name(program_.fp));
    for (const ir::Param& p : program_.params) {
      line("param {} : {} real {} integer {} fixed {}", p.name, name(p.type),
           p.real_value ? fmt::format("{:a}", *p.real_value) : "none",
           p.integer_value ? fmt::format("{}", *p.integer_value) : "none", p.fixed);
    }
    line("steps {}", program_.steps ? print(*program_.steps, names_) : "none");
    for (const ir::Domain& d : program_.domains) domain(d);
    for (const ir::Field& f : program_.fields) field(f);
    for (const ir::Function& f : program_.functions) {
      line("function {} of field {} domain {}", f.name, fmt::join(f.targets, " "), f.domain);
      for (const ir::Piece& p : f.pieces) piece(p);
    }
    line("start");
    sequence(program_.start);
    line("run");
    sequence(program_.run.body);
    for (const ir::Phase& p : ir::phases(program_)) {
      line("phase {} {} times in a row, {} times", fmt::join(p.functions, " "), p.iterations,
           p.times);
    }
    for (const ir::Init& i : program_.inits) {
      line("init of field {}", i.field);
      piece(i.piece);
    }
    for (const ir::Reduction& r : program_.reductions) {
      line("reduction {} by {} every {} at {} into {} of points {} domain {}", r.name,
           static_cast<int>(r.reducer), r.every, functions_before(r), r.target.value_or(-1),
           r.at.value_or(-1), r.domain);
      piece(r.piece);
    }
    if (program_.run.until) {
      line("stop {}", program_.run.until->condition);
      graph(program_.run.until->graph);
    }
    for (const ir::Requirement& r : program_.requirements) {
      line("require {} : {}", r.condition, without_blanks(r.text));
      graph(r.graph);
    }
    for (const ir::Check& c : program_.checks) {
      line("check {} {}", c.code, without_blanks(c.message));
      for (const ir::Affine& a : c.any_nonnegative) line("  {}", print(a, names_));
    }
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  std::string box(const ir::Box& box) {
    std::string text;
    for (const ir::Range& r : box.ranges) {
      text += fmt::format("[{}..{}]", print(r.low, names_), print(r.high, names_));
    }
    return text;
  }
  void domain(const ir::Domain& d) {
    line("grid {} {}", d.name, box(d.box));
    if (d.coarsened) {
      line("  of {} by {} cells {}", d.coarsened->of, fmt::join(d.coarsened->ratios, ","),
           d.coarsened->cells);
    }
    for (const ir::Subgrid& s : d.subgrids) line("  subgrid {} {}", s.name, box(s.box));
    for (const ir::Axis& a : d.axes) {
      line("axis %{} {} %{} {}", a.origin, a.origin_text, a.spacing, a.spacing_text);
      graph(a.graph);
    }
  }
  void sequence(const ir::Sequence& steps) {
    line("{{");
    for (const ir::Step& step : steps) {
      std::visit([&](const auto& kind) { describe_step(kind); }, step.kind);
    }
    line("}}");
  }
  void describe_step(const ir::Sequence& steps) { sequence(steps); }
  void describe_step(const ir::Apply& a) { line("apply {}", a.function); }
  void describe_step(const ir::Reduce& r) { line("reduce {}", r.reduction); }
  void describe_step(const ir::Repeat& r) {
    line("repeat {}", r.iterations);
    sequence(r.body);
  }
  void describe_step(const ir::While& w) { sequence(w.body); }
  std::string rule(const ir::BoundaryRule& rule) {
    return fmt::format("{}({})", static_cast<int>(rule.kind), fmt::join(rule.values, ","));
  }
  void field(const ir::Field& f) {
    line("field {} {} history {} constant {} domain {}", f.name, box(f.box), f.history, f.constant,
         f.domain);
    for (const ir::Component& c : f.components) line("  component '{}' {}", c.path, name(c.type));
    for (const ir::Boundary& b : f.boundary) line("  boundary {} {}", rule(b.low), rule(b.high));
  }
  void piece(const ir::Piece& p) {
    line("  piece {} indices {} results {}", box(p.region), fmt::join(p.index_names, ","),
         fmt::join(p.results, ","));
    graph(p.graph);
  }
  void graph(const ir::Graph& graph) {
    for (int id = 0; id < graph.size(); ++id) {
      const ir::Node& node = graph[id];
      const std::string text =
          std::visit([&](const auto& kind) { return describe(kind); }, node.kind);
      line("    {} {} : {} '{}'", id, text, name(node.type), node.hint);
    }
  }

  std::string describe(const ir::Constant& c) {
    return fmt::format("constant {:a} {}", c.real, c.integer);
  }
  std::string describe(const ir::ParamRef& p) { return fmt::format("param {}", p.param); }
  std::string describe(const ir::Index& i) { return fmt::format("index {}", i.dimension); }
  std::string describe(const ir::Time&) { return "time"; }
  std::string describe(const ir::ReductionRef& r) {
    return fmt::format("reduction {} replaced {}", r.reduction, r.replaced);
  }
  std::string describe(const ir::Access& a) {
    std::string text = fmt::format("access {} component {} level {} escapes {:b}", a.field,
                                   a.component, a.level, a.escapes);
    for (const ir::IndexMap& map : a.maps) {
      text += fmt::format(" ({}i{:+})/{}", map.scale, map.offset, map.divisor);
    }
    for (const ir::Excess& e : a.excess) {
      text += fmt::format(" excess {}/{}", e.below.value_or(-1), e.above.value_or(-1));
    }
    return text;
  }
  std::string describe(const ir::Operation& o) {
    return fmt::format("{} {}", name(o.op), fmt::join(o.operands, ","));
  }

  const ir::Program& program_;
  std::vector<std::string> names_;
  std::string out_;
};

}  // namespace

std::string dump(const ir::Program& program) {
  return Dump(program).take();
}

}  // namespace stencil::test
