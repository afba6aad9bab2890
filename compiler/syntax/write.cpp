// The syntax tree as program text. The tree has no parentheses, so an operand gets parentheses
// exactly where precedence and associativity would otherwise change the meaning.
//
// A statement is written to one string and broken into lines afterwards: a line break may replace
// any blank, because no token contains one.
#include "compiler/syntax/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "compiler/syntax/operators.h"

namespace stencil {

namespace {

using namespace ast;  // NOLINT: every alternative of every variant is spelled below

constexpr size_t kWidestLine = 100;
constexpr int kPostfixPrecedence = kPrefixPrecedence + 1;
constexpr int kWithinPrecedence = 0;  // looser than every operator

int precedence_of(const Expr& expr) {
  if (const auto* binary = std::get_if<Binary>(&expr.kind))
    return stencil::precedence_of(binary->op);
  if (std::holds_alternative<Within>(expr.kind)) return kWithinPrecedence;
  return std::holds_alternative<Unary>(expr.kind) ? kPrefixPrecedence : kPostfixPrecedence;
}

// Where to end a line that begins with `text` and has room for `room` bytes: at the end of the text
// if it fits; otherwise at a blank in the second half, at minimal bracket depth and as far right as
// possible; otherwise at any blank.
size_t line_end(std::string_view text, size_t room) {
  if (text.size() <= room) return text.size();
  size_t best = std::string_view::npos;
  int depth = 0;
  int best_depth = 0;
  for (size_t i = 0; i <= room; ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c != ' ' || i < room / 2) continue;
    if (best == std::string_view::npos || depth <= best_depth) {
      best = i;
      best_depth = depth;
    }
  }
  if (best == std::string_view::npos) best = text.rfind(' ', room);
  if (best == std::string_view::npos) best = text.find(' ', room);
  return std::min(best, text.size());
}

// Appends expressions, boxes and types to a line.
class Line {
 public:
  std::string take() { return std::move(out_); }

  template <typename... Args>
  Line& text(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    return *this;
  }

  Line& expr(const Expr& expr) {
    std::visit([&](const auto& kind) { put(kind); }, expr.kind);
    return *this;
  }

  template <typename List, typename Each>
  Line& list(const List& items, Each each) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_ += ", ";
      each(items[i]);
    }
    return *this;
  }
  Line& exprs(const std::vector<ExprPtr>& items) {
    return list(items, [&](const ExprPtr& item) { expr(*item); });
  }
  Line& names(const std::vector<Identifier>& items) {
    return list(items, [&](const Identifier& item) { out_ += item.name; });
  }

  Line& box(const Box& box) {
    out_ += '[';
    list(box.ranges, [&](const Range& range) {
      if (range.index) text("{} in ", range.index->name);
      expr(*range.low);
      if (range.high) text("..").expr(*range.high);
      if (range.stride) text(" by ").expr(*range.stride);
    });
    out_ += ']';
    return *this;
  }
  Line& values(const PerDimension& values) {
    if (!values.list) return expr(*values.values.front());
    return text("[").exprs(values.values).text("]");
  }
  Line& coarsening(const Coarsening& coarsening) {
    return text(" by ").values(coarsening.ratios).text("{}", coarsening.cells ? " cells" : "");
  }
  Line& region(const Region& region) {
    const auto* named = std::get_if<NamedRegion>(&region);
    if (!named) return box(std::get<Box>(region));
    text("{}", named->name.name);
    return named->indices.empty() ? *this : text("[").names(named->indices).text("]");
  }
  Line& where(const ExprPtr& condition) {
    return condition ? text(" where ").expr(*condition) : *this;
  }

  Line& type(const TypeExpr& type) {
    std::visit([&](const auto& kind) { put(kind); }, type.kind);
    return *this;
  }

  Line& boundary(const Boundary& boundary) {
    if (boundary.list) out_ += '[';
    list(boundary.dimensions, [&](const BoundarySides& sides) {
      rule(sides.low);
      if (sides.high) text(" .. ").rule(*sides.high);
    });
    if (boundary.list) out_ += ']';
    return *this;
  }

 private:
  Line& rule(const BoundaryRule& rule) {
    text("{}", row_of(rule.kind).keyword);
    return rule.value ? text(" ").expr(*rule.value) : *this;
  }

  void operand(const Expr& operand, int least_precedence) {
    const bool enclose = precedence_of(operand) < least_precedence;
    if (enclose) out_ += '(';
    expr(operand);
    if (enclose) out_ += ')';
  }
  // The base of a bracket or member access. A number is parenthesised: `2.a` would begin with `2.`.
  void base(const Expr& base) {
    const bool number = std::holds_alternative<Number>(base.kind);
    operand(base, number ? kPostfixPrecedence + 1 : kPostfixPrecedence);
  }

  void put(const Number& n) {
    if (n.integral) {
      text("{}", n.integer);
      return;
    }
    const std::string digits = fmt::format("{}", n.real);  // shortest that reads back
    out_ += digits;
    if (digits.find_first_of(".e") == std::string::npos) out_ += ".0";
  }
  void put(const Boolean& b) { text("{}", b.value); }
  void put(const Name& n) { out_ += n.name; }
  void put(const Level& l) {
    if (l.towards != 0) out_ += l.towards < 0 ? "fine " : "coarse ";
    out_ += l.field;
    if (l.towards == 0 || l.back > 0) text("@-{}", l.back);
  }
  void put(const Unary& u) {
    text("{}{}", spelling(u.op), u.op == Op::Not ? " " : "");
    operand(*u.operand, kPrefixPrecedence);
  }
  void put(const Binary& b) {
    const int precedence = stencil::precedence_of(b.op);
    operand(*b.left, precedence + (precedence == kComparisonPrecedence));
    text(" {} ", spelling(b.op));
    operand(*b.right, precedence + 1);
  }
  void put(const Call& c) { text("{}(", c.callee.name).exprs(c.arguments).text(")"); }
  void put(const Comprehension& c) {
    text("{}(", c.reducer.name);
    list(c.binders, [&](const Binder& binder) {
      text("{} in ", binder.name.name).expr(*binder.low).text("..").expr(*binder.high);
    });
    text(" : ").expr(*c.body).text(")");
  }
  void put(const Bracket& b) {
    base(*b.base);
    text("[").exprs(b.indices).text("]");
  }
  void put(const Member& m) {
    base(*m.base);
    text(".{}", m.name.name);
  }
  void put(const Aggregate& a) {
    out_ += '{';
    list(a.entries, [&](const Aggregate::Entry& entry) {
      if (entry.name) text("{} = ", entry.name->name);
      expr(*entry.value);
    });
    out_ += '}';
  }
  void put(const Within& w) { expr(*w.value).text(" within ").expr(*w.bound); }

  void put(const NamedType& t) { out_ += t.name; }
  void put(const VectorType& t) { text("vector ").expr(*t.length).text(" of ").type(*t.element); }
  void put(const StructType& t) {
    out_ += "{ ";
    list(t.members, [&](const StructMember& m) { text("{} : ", m.name.name).type(*m.type); });
    out_ += " }";
  }

  std::string out_;
};

class Writer {
 public:
  Written take() { return std::move(written_); }

  void item(const Item& item) {
    const size_t statement = written_.statements.size();
    const size_t begin = written_.text.size();
    written_.statements.push_back({item.span, {}});
    std::visit([&](const auto& kind) { put(kind); }, item.kind);
    written_.statements[statement].text = since(begin);
  }

 private:
  Span since(size_t begin) const {
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(written_.text.size() - 1)};
  }

  // Adds `text` in lines of at most kWidestLine bytes, where blanks permit.
  void add(std::string_view text, size_t indent = 0) {
    const std::string first(indent, ' ');
    const std::string next(indent + 4, ' ');
    for (const std::string* margin = &first;; margin = &next) {
      const size_t end = line_end(text, kWidestLine - margin->size());
      written_.text.append(*margin).append(text.substr(0, end)) += '\n';
      if (end == text.size()) return;
      text.remove_prefix(end + 1);
    }
  }
  void add(Line& line) { add(line.text(";").take()); }

  // A line of a body.
  void part(Span node, Line& line) {
    const size_t begin = written_.text.size();
    add(line.text(";").take(), 2);
    written_.statements.push_back({node, since(begin + 2)});
  }
  void lets(const std::vector<Let>& lets) {
    for (const Let& let : lets) {
      part(let.name.span, Line().text("let {} = ", let.name.name).expr(*let.value));
    }
  }

  void put(const Param& p) {
    Line line;
    line.text("param {} : ", p.name.name).type(p.type);
    if (p.value) line.text(" = ").expr(*p.value);
    add(line);
  }
  void put(const Grid& g) {
    Line line;
    line.text("grid {} ", g.name.name);
    if (g.parent) line.text("of {}", g.parent->name);
    if (g.by) line.coarsening(*g.by);
    if (!g.parent) line.text("= ").box(g.box);
    if (g.levels) line.text(" levels ").expr(*g.levels);
    if (g.level_ratio) line.coarsening(*g.level_ratio);
    if (g.steps) line.text(" steps ").expr(*g.steps);
    if (g.origin) line.text(" origin ").values(*g.origin);
    if (g.spacing) line.text(" spacing ").values(*g.spacing);
    add(line);
  }
  void put(const Subgrid& s) {
    add(Line().text("subgrid {} of {} = ", s.name.name, s.parent.name).box(s.box));
  }
  void put(const TypeDecl& t) { add(Line().text("type {} = ", t.name.name).type(t.type)); }
  void put(const Field& f) {
    Line line;
    line.text("field ").names(f.names).text(" : ").type(f.type).text(" on {}", f.domain.name);
    if (f.along) line.text(" along ").values(*f.along);
    if (f.history) line.text(" history ").expr(*f.history);
    if (f.constant) line.text(" constant");
    if (f.boundary) line.text(" boundary ").boundary(*f.boundary);
    add(line);
  }
  void put(const Series& s) {
    Line line;
    line.text("series ").names(s.names).text(" : ").type(s.type).text(" ").box(s.times);
    if (s.domain) line.text(" on {}", s.domain->name);
    if (s.along) line.text(" along ").values(*s.along);
    if (s.boundary) line.text(" boundary ").boundary(*s.boundary);
    add(line);
  }
  void put(const Points& p) {
    Line line;
    line.text("points ").names(p.names).text(" ").box(p.numbers).text(" on {}", p.domain.name);
    if (p.weights) line.text(" weights ").expr(*p.weights);
    add(line);
  }
  void put(const Table& t) {
    Line line;
    line.text("table {} : ", t.name.name).type(t.type);
    add(line.text("[").exprs(t.extents).text("] = ").expr(*t.value));
  }
  void put(const Function& f) {
    Line line;
    line.text("function {}(", f.name.name);
    line.list(f.arguments, [&](const Function::Argument& argument) {
      line.text("{}{}", argument.name.name, argument.is_field ? " : field" : "");
    });
    if (f.lets.empty()) return add(line.text(") = ").expr(*f.value));
    add(line.text(") {{").take());
    lets(f.lets);
    add(Line().text("= ").expr(*f.value).text(";").take(), 2);
    add("}");
  }
  void put(const Stencil& s) {
    Line line;
    line.text("stencil {} : {}", s.name.name, text_of(s.targets));
    if (s.every) line.text(" every ").expr(*s.every);
    if (s.lets.empty() && s.pieces.size() == 1 && !s.pieces.front().otherwise) {
      const Piece& only = s.pieces.front();
      const bool named = std::holds_alternative<NamedRegion>(only.region);
      line.text("{}", named || s.every ? " on " : "");
      return add(line.region(only.region).where(only.where).text(" = ").expr(*only.value));
    }
    add(line.text(" {{").take());
    lets(s.lets);
    for (const Piece& piece : s.pieces) {
      part(piece.span,
           Line().region(piece.region).where(piece.where).text(" = ").expr(*piece.value));
    }
    add("}");
  }

  // A block begins at the end of the line that opens it. Its brace closes a line of its own, which
  // the caller continues or ends.
  void block(Line& head, const Block& block, size_t indent) {
    add(head.text("{{").take(), indent);
    for (const Statement& statement : block.statements) {
      const size_t at = written_.statements.size();
      const size_t begin = written_.text.size() + indent + 2;
      written_.statements.push_back({statement.span, {}});
      std::visit([&](const auto& kind) { put(kind, indent + 2); }, statement.kind);
      written_.statements[at].text = since(begin);
    }
  }
  void put(const ApplyStatement& a, size_t indent) {
    add(Line().text("{};", a.name.name).take(), indent);
  }
  void put(const RepeatStatement& r, size_t indent) {
    block(Line().text("repeat ").expr(*r.count).text(" "), r.body, indent);
    add("}", indent);
  }
  void put(const CoarserStatement& c, size_t indent) {
    block(Line().text("coarser "), c.body, indent);
    add("}", indent);
  }
  void put(const IfStatement& i, size_t indent) {
    block(Line().text("if ").expr(*i.condition).text(" "), i.then, indent);
    const IfStatement* last = &i;
    while (last->otherwise.statements.size() == 1) {  // else if
      const auto* next = std::get_if<IfStatement>(&last->otherwise.statements.front().kind);
      if (!next) break;
      block(Line().text("}} else if ").expr(*next->condition).text(" "), next->then, indent);
      last = next;
    }
    if (!last->otherwise.statements.empty()) {
      block(Line().text("}} else "), last->otherwise, indent);
    }
    add("}", indent);
  }
  void item_block(Line& head, const Block& body) {
    block(head, body, 0);
    add("}");
  }
  void put(const Cycle& c) { item_block(Line().text("cycle {} ", c.name.name), c.body); }
  void put(const StepBlock& s) { item_block(Line().text("step "), s.body); }
  void put(const StartBlock& s) { item_block(Line().text("start "), s.body); }
  void put(const Repeat& r) { add(Line().text("repeat ").expr(*r.count).text(" {{").take()); }
  void put(const RepeatEnd&) { add("}"); }
  void put(const Init& i) {
    Line line;
    line.text("init {}", i.field.name);
    if (!i.indices.empty()) line.text("[").names(i.indices).text("]");
    add(line.text(" = ").expr(*i.value));
  }
  void put(const Reduce& r) {
    Line line;
    if (r.at) {
      line.text("record {} ", r.name.name).box(r.rows).text(" = ").expr(*r.value);
      line.text(" at {}", r.at->name);
      if (r.every) line.text(" every ").expr(*r.every);
      return add(line);
    }
    line.text("reduce {} = {}(", r.name.name, r.reducer.name).expr(*r.value).text(")");
    if (r.over) line.text(" over ").values(*r.over);
    line.text(" on ").region(r.region).where(r.where);
    if (r.every) line.text(" every ").expr(*r.every);
    if (r.initial) line.text(" initial ").expr(*r.initial);
    if (r.boundary) line.text(" boundary ").boundary(*r.boundary);
    add(line);
  }
  void put(const Stop& s) { add(Line().text("stop when ").expr(*s.condition)); }
  void put(const Require& r) { add(Line().text("require ").expr(*r.condition)); }

  Written written_;
};

}  // namespace

std::string write(const ast::Expr& expr) {
  return Line().expr(expr).take();
}

Written write(const ast::Program& program) {
  Writer writer;
  for (const ast::Item& item : program.items) writer.item(item);
  return writer.take();
}

}  // namespace stencil
