// The syntax tree as text: one node per line, children indented by two. A node's line contains its
// kind and its name or value. Each optional part of a node (a param's value, a field's history) has
// a line of its own before it, so its absence is visible. The recursion is as deep as the tree,
// which the parser bounds (kMaxExpressionDepth, kMaxNesting).
#include <fmt/format.h>

#include "compiler/syntax/operators.h"
#include "compiler/syntax/parse.h"

namespace stencil {

namespace {

using namespace ast;  // NOLINT: every alternative of every variant is spelled below

class Printer {
 public:
  std::string take() { return std::move(out_); }

  void program(const Program& p) {
    line("program");
    indented([&] {
      for (const auto& item : p.items) {
        std::visit([&](const auto& kind) { print(kind); }, item.kind);
      }
    });
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_.append(static_cast<size_t>(indent_) * 2, ' ');
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  template <typename Body>
  void indented(Body body) {
    ++indent_;
    body();
    --indent_;
  }

  // A label line with the part below it; nothing for a null part.
  void part(std::string_view label, const ExprPtr& value) {
    if (!value) return;
    line("{}", label);
    indented([&] { print(*value); });
  }

  void print(const Expr& expr) {
    std::visit([&](const auto& kind) { print(kind); }, expr.kind);
  }
  void children(const std::vector<ExprPtr>& list) {
    for (const auto& child : list) print(*child);
  }

  // Expressions.
  void print(const Number& n) {
    if (n.integral) {
      line("integer {}", n.integer);
    } else {
      line("real {}", n.real);
    }
  }
  void print(const Boolean& b) { line("{}", b.value); }
  void print(const Name& n) { line("name {}", n.name); }
  void print(const Level& l) {
    const char* towards = l.towards < 0 ? "fine " : l.towards > 0 ? "coarse " : "";
    const bool plain = l.towards != 0 && l.back == 0;
    line("level {}{}{}", towards, l.field, plain ? "" : fmt::format("@-{}", l.back));
  }
  void print(const Unary& u) {
    line("unary {}", spelling(u.op));
    indented([&] { print(*u.operand); });
  }
  void print(const Binary& b) {
    line("binary {}", spelling(b.op));
    indented([&] {
      print(*b.left);
      print(*b.right);
    });
  }
  void print(const Call& c) {
    line("call {}", c.callee.name);
    indented([&] { children(c.arguments); });
  }
  void print(const Comprehension& c) {
    line("comprehension {}", c.reducer.name);
    indented([&] {
      for (const auto& binder : c.binders) {
        line("binder {}", binder.name.name);
        indented([&] {
          print(*binder.low);
          print(*binder.high);
        });
      }
      print(*c.body);
    });
  }
  void print(const Bracket& b) {
    line("bracket");
    indented([&] {
      print(*b.base);
      children(b.indices);
    });
  }
  void print(const Member& m) {
    line("member {}", m.name.name);
    indented([&] { print(*m.base); });
  }
  void print(const Aggregate& a) {
    line("aggregate");
    indented([&] {
      for (const auto& entry : a.entries) {
        if (entry.name) {
          part(entry.name->name + " =", entry.value);
        } else {
          print(*entry.value);
        }
      }
    });
  }

  void print(const Within& w) {
    line("within");
    indented([&] {
      print(*w.value);
      print(*w.bound);
    });
  }

  // Boxes, regions, types.
  void print(const Box& box) {
    line("box");
    indented([&] {
      for (const auto& range : box.ranges) {
        if (range.index) {
          line("range {}", range.index->name);
        } else {
          line("range");
        }
        indented([&] {
          print(*range.low);
          if (range.high) print(*range.high);
          part("by", range.stride);
        });
      }
    });
  }
  void print(const NamedRegion& region) {
    line("region {}", region.name.name);
    indented([&] {
      for (const auto& index : region.indices) line("index {}", index.name);
    });
  }
  void region(const Region& region) {
    std::visit([&](const auto& kind) { print(kind); }, region);
  }
  void print(const TypeExpr& type) {
    std::visit([&](const auto& kind) { print(kind); }, type.kind);
  }
  void print(const NamedType& t) { line("type {}", t.name); }
  void print(const VectorType& t) {
    line("type vector");
    indented([&] {
      print(*t.length);
      print(*t.element);
    });
  }
  void print(const StructType& t) {
    line("type structure");
    indented([&] {
      for (const auto& member : t.members) {
        line("member {}", member.name.name);
        indented([&] { print(*member.type); });
      }
    });
  }

  // Items.
  void print(const Param& p) {
    line("param {}", p.name.name);
    indented([&] {
      print(p.type);
      part("value", p.value);
    });
  }
  void print(const Grid& g) {
    line("grid {}{}{}", g.name.name, g.parent ? " of " : "", g.parent ? g.parent->name : "");
    indented([&] {
      if (!g.parent) print(g.box);
      print("by", g.by);
      part("levels", g.levels);
      print("by", g.level_ratio);
      part("steps", g.steps);
      print("origin", g.origin);
      print("spacing", g.spacing);
    });
  }
  void print(std::string_view label, const std::optional<PerDimension>& values) {
    if (values) print(label, *values);
  }
  void print(std::string_view label, const PerDimension& values) {
    line("{}{}", label, values.list ? " of each dimension" : "");
    indented([&] { children(values.values); });
  }
  void print(std::string_view label, const std::optional<Coarsening>& coarsening) {
    if (!coarsening) return;
    print(label, coarsening->ratios);
    if (coarsening->cells) line("cells");
  }
  void print(const Subgrid& s) {
    line("subgrid {} of {}", s.name.name, s.parent.name);
    indented([&] { print(s.box); });
  }
  void print(const TypeDecl& t) {
    line("type {}", t.name.name);
    indented([&] { print(t.type); });
  }
  void print(const Field& f) {
    std::string names;
    for (const auto& name : f.names) names += (names.empty() ? "" : ", ") + name.name;
    line("field {} on {}", names, f.domain.name);
    indented([&] {
      print(f.type);
      print("along", f.along);
      part("history", f.history);
      if (f.constant) line("constant");
      print(f.boundary);
    });
  }
  void print(const Series& s) {
    std::string names;
    for (const auto& name : s.names) names += (names.empty() ? "" : ", ") + name.name;
    line("series {}{}{}", names, s.domain ? " on " : "", s.domain ? s.domain->name : "");
    indented([&] {
      print(s.type);
      print(s.times);
      print("along", s.along);
      print(s.boundary);
    });
  }
  void print(const Points& p) {
    std::string names;
    for (const auto& name : p.names) names += (names.empty() ? "" : ", ") + name.name;
    line("points {} on {}", names, p.domain.name);
    indented([&] {
      print(p.numbers);
      part("weights", p.weights);
    });
  }
  void print(const std::optional<Boundary>& boundary) {
    if (boundary && !boundary->list) print("boundary", boundary->dimensions[0].low);
    if (boundary && boundary->list) print(*boundary);
  }
  void print(std::string_view label, const BoundaryRule& rule) {
    line("{} {}", label, row_of(rule.kind).keyword);
    indented([&] {
      if (rule.value) print(*rule.value);
    });
  }
  void print(const Boundary& boundary) {
    line("boundary");
    indented([&] {
      for (const auto& sides : boundary.dimensions) {
        print(sides.high ? "low" : "both", sides.low);
        if (sides.high) print("high", *sides.high);
      }
    });
  }
  void print(const Table& t) {
    line("table {}", t.name.name);
    indented([&] {
      print(t.type);
      line("extents");
      indented([&] { children(t.extents); });
      part("value", t.value);
    });
  }
  void print(const std::vector<Let>& lets) {
    for (const auto& let : lets) part("let " + let.name.name, let.value);
  }
  void print(const Function& f) {
    line("function {}", f.name.name);
    indented([&] {
      for (const auto& argument : f.arguments) {
        line("argument {}{}", argument.name.name, argument.is_field ? " : field" : "");
      }
      print(f.lets);
      part("value", f.value);
    });
  }
  void print(const Stencil& s) {
    line("stencil {} : {}", s.name.name, text_of(s.targets));
    indented([&] {
      part("every", s.every);
      print(s.lets);
      for (const auto& piece : s.pieces) {
        line("piece");
        indented([&] {
          region(piece.region);
          if (piece.where) part("where", piece.where);
          part("value", piece.value);
        });
      }
    });
  }
  void block(std::string_view label, const Block& block) {
    line("{}", label);
    indented([&] {
      for (const Statement& statement : block.statements) {
        std::visit([&](const auto& kind) { print(kind); }, statement.kind);
      }
    });
  }
  void print(const ApplyStatement& a) { line("apply {}", a.name.name); }
  void print(const RepeatStatement& r) {
    part("repeat", r.count);
    block("body", r.body);
  }
  void print(const IfStatement& i) {
    part("if", i.condition);
    block("then", i.then);
    if (!i.otherwise.statements.empty()) block("else", i.otherwise);
  }
  void print(const CoarserStatement& c) { block("coarser", c.body); }
  void print(const Cycle& c) { block("cycle " + c.name.name, c.body); }
  void print(const StepBlock& s) { block("step", s.body); }
  void print(const StartBlock& s) { block("start", s.body); }
  void print(const Repeat& r) { part("repeat", r.count); }
  void print(const RepeatEnd&) { line("end of repeat"); }
  void print(const Init& i) {
    line("init {}", i.field.name);
    indented([&] {
      for (const auto& index : i.indices) line("index {}", index.name);
      part("value", i.value);
    });
  }
  void print(const Reduce& r) {
    if (r.at) return print_record(r);
    line("reduce {} = {}", r.name.name, r.reducer.name);
    indented([&] {
      region(r.region);
      if (r.where) part("where", r.where);
      part("value", r.value);
      print("over", r.over);
      part("every", r.every);
      if (r.initial) part("initial", r.initial);
      print(r.boundary);
    });
  }
  void print_record(const Reduce& r) {
    line("record {} at {}", r.name.name, r.at->name);
    indented([&] {
      print(r.rows);
      part("value", r.value);
      part("every", r.every);
    });
  }
  void print(const Stop& s) { part("stop", s.condition); }
  void print(const Require& r) { part("require", r.condition); }

  std::string out_;
  int indent_ = 0;
};

}  // namespace

std::string ast::text_of(const std::vector<Target>& targets) {
  std::string out;
  for (const Target& target : targets) {
    out += (out.empty() ? "" : ", ") + target.field.name;
    for (const Identifier& member : target.members) out += "." + member.name;
  }
  return out;
}

std::string print(const ast::Program& program) {
  Printer printer;
  printer.program(program);
  return printer.take();
}

}  // namespace stencil
