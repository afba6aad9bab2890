#include "tests/unit/builder/replay.h"

#include <map>
#include <stdexcept>

namespace stencil::test {
namespace {

class Replay {
 public:
  explicit Replay(const std::string& name) : builder_(name) {}

  void items(const std::vector<ast::Item>& items) {
    for (size_t i = 0; i < items.size();) group(items, i);
    for (const auto& [cycle, body] : bodies_) cycle.body(block(*body));
  }
  BuildResult finish(const dsl::FinishOptions& options) const { return builder_.finish(options); }

 private:
  // Makes the item at `i` and those nested in it; moves `i` past them.
  void group(const std::vector<ast::Item>& items, size_t& i) {
    const ast::Item& item = items[i++];
    if (const auto* repeat = std::get_if<ast::Repeat>(&item.kind)) {
      builder_.repeat(expr(*repeat->count), [&] {
        while (!std::holds_alternative<ast::RepeatEnd>(items[i].kind)) group(items, i);
      });
      ++i;
    } else {
      std::visit([&](const auto& kind) { declare(kind); }, item.kind);
    }
  }

  // Expressions. A name without a declaration is local or is declared later in the text (an error
  // there). dsl::Index stands for both.
  dsl::Expr expr(const ast::Expr& node) {
    return std::visit([&](const auto& kind) { return make(kind); }, node.kind);
  }
  std::optional<dsl::Expr> expr(const ast::ExprPtr& node) {
    return node ? std::optional(expr(*node)) : std::nullopt;
  }
  std::vector<dsl::Expr> exprs(const std::vector<ast::ExprPtr>& nodes) {
    std::vector<dsl::Expr> out;
    for (const ast::ExprPtr& node : nodes) out.push_back(expr(*node));
    return out;
  }

  dsl::Expr make(const ast::Number& n) {
    return n.integral ? dsl::Expr(n.integer) : dsl::Expr(n.real);
  }
  dsl::Expr make(const ast::Boolean& b) { return b.value; }
  dsl::Expr make(const ast::Name& n) {
    if (n.name == "time") return dsl::step_index();
    if (n.name == "level" && !values_.contains(n.name)) return dsl::level();
    if (n.name == "first" && !values_.contains(n.name)) return dsl::first();
    if (n.name == "last" && !values_.contains(n.name)) return dsl::last();
    const auto found = values_.find(n.name);
    return found == values_.end() ? dsl::Index(n.name) : found->second;
  }
  dsl::Expr make(const ast::Level& l) {
    if (reductions_.count(l.field) && l.back == 1) return dsl::Reduction(l.field).before();
    const auto found = fields_.find(l.field);
    const dsl::Field field = found == fields_.end() ? dsl::FieldArgument(l.field) : found->second;
    if (l.towards < 0) return l.back == 0 ? dsl::fine(field) : dsl::fine(field).at(-l.back);
    if (l.towards > 0) return l.back == 0 ? dsl::coarse(field) : dsl::coarse(field).at(-l.back);
    return field.at(-l.back);
  }
  dsl::Expr make(const ast::Unary& u) {
    const dsl::Expr x = expr(*u.operand);
    switch (u.op) {
      case Op::Neg:
        return -x;
      case Op::Not:
        return !x;
      case Op::BitNot:
        return ~x;
      default:
        throw std::logic_error("no prefix operator");
    }
  }
  dsl::Expr make(const ast::Binary& binary) {
    const dsl::Expr a = expr(*binary.left), b = expr(*binary.right);
    // clang-format off
    switch (binary.op) {
      case Op::Or: return a || b;
      case Op::And: return a && b;
      case Op::Eq: return a == b;
      case Op::Ne: return a != b;
      case Op::Lt: return a < b;
      case Op::Le: return a <= b;
      case Op::Gt: return a > b;
      case Op::Ge: return a >= b;
      case Op::BitOr: return a | b;
      case Op::BitXor: return a ^ b;
      case Op::BitAnd: return a & b;
      case Op::Shl: return a << b;
      case Op::Shr: return a >> b;
      case Op::Add: return a + b;
      case Op::Sub: return a - b;
      case Op::Mul: return a * b;
      case Op::Div: return a / b;
      case Op::Mod: return a % b;
      default: throw std::logic_error("no binary operator");
    }
    // clang-format on
  }
  dsl::Expr make(const ast::Call& call) {
    const std::string& name = call.callee.name;
    const std::vector<dsl::Expr> x = exprs(call.arguments);
    if (functions_.contains(name)) return functions_.at(name).call(x);
    if (name == "min") return dsl::min_of(x);
    if (name == "max") return dsl::max_of(x);
    using Unary = dsl::Expr (*)(const dsl::Expr&);
    static const std::map<std::string, Unary> kUnary = {
        {"abs", dsl::abs},        {"sqrt", dsl::sqrt},         {"rsqrt", dsl::rsqrt},
        {"floor", dsl::floor},    {"ceil", dsl::ceil},         {"round", dsl::round},
        {"trunc", dsl::trunc},    {"sign", dsl::sign},         {"exp", dsl::exp},
        {"exp2", dsl::exp2},      {"log", dsl::log},           {"log2", dsl::log2},
        {"log10", dsl::log10},    {"cbrt", dsl::cbrt},         {"sin", dsl::sin},
        {"cos", dsl::cos},        {"tan", dsl::tan},           {"asin", dsl::asin},
        {"acos", dsl::acos},      {"atan", dsl::atan},         {"sinh", dsl::sinh},
        {"cosh", dsl::cosh},      {"tanh", dsl::tanh},         {"asinh", dsl::asinh},
        {"acosh", dsl::acosh},    {"atanh", dsl::atanh},       {"erf", dsl::erf},
        {"erfc", dsl::erfc},      {"position", dsl::position}, {"origin", dsl::origin},
        {"spacing", dsl::spacing}};
    const auto operands = [&](size_t count) {
      if (x.size() != count) throw std::out_of_range("operands of " + name);
    };
    if (const auto found = kUnary.find(name); found != kUnary.end()) {
      operands(1);
      return found->second(x[0]);
    }
    if (const dsl::ScalarType* type = scalar(name)) {
      operands(1);
      return (*type)(x[0]);
    }
    using Binary = dsl::Expr (*)(const dsl::Expr&, const dsl::Expr&);
    static const std::map<std::string, Binary> kBinary = {
        {"pow", dsl::pow}, {"hypot", dsl::hypot}, {"lshr", dsl::lshr}, {"atan2", dsl::atan2}};
    if (const auto found = kBinary.find(name); found != kBinary.end()) {
      operands(2);
      return found->second(x[0], x[1]);
    }
    if (name == "random" && !x.empty()) {
      return dsl::random({x.begin(), x.end() - 1}, x.back());
    }
    if (name == "select" || name == "fma") {
      operands(3);
      return name == "fma" ? dsl::fma(x[0], x[1], x[2]) : dsl::select(x[0], x[1], x[2]);
    }
    return functions_.at(name).call(x);
  }
  dsl::Expr make(const ast::Comprehension& node) {
    std::vector<dsl::Range> ranges;
    for (const ast::Binder& binder : node.binders) {
      ranges.push_back(dsl::Index(binder.name.name).in(expr(*binder.low), expr(*binder.high)));
    }
    const dsl::Expr body = expr(*node.body);
    const std::string& reducer = node.reducer.name;
    if (reducer == "sum") return dsl::sum(ranges, body);
    if (reducer == "prod") return dsl::prod(ranges, body);
    if (reducer == "min") return dsl::min(ranges, body);
    if (reducer == "max") return dsl::max(ranges, body);
    return dsl::vector(ranges, body);
  }
  dsl::Expr make(const ast::Bracket& b) { return expr(*b.base).at_indices(exprs(b.indices)); }
  dsl::Expr make(const ast::Member& m) { return expr(*m.base).member(m.name.name); }
  dsl::Expr make(const ast::Aggregate& a) {
    std::vector<dsl::Expr> elements;
    std::vector<dsl::NamedValue> members;
    for (const ast::Aggregate::Entry& entry : a.entries) {
      elements.push_back(expr(*entry.value));
      if (entry.name) members.push_back({entry.name->name, elements.back()});
    }
    return members.empty() ? dsl::values(elements) : dsl::record(members);
  }

  dsl::Expr make(const ast::Within& w) { return dsl::within(expr(*w.value), expr(*w.bound)); }

  // Boxes, regions, types, boundaries.
  dsl::Box box(const ast::Box& box) {
    dsl::Box out;
    for (const ast::Range& range : box.ranges) {
      const dsl::Expr low = expr(*range.low);
      if (range.index) {
        const dsl::Index index(range.index->name);
        out.push_back(range.high ? index.in(low, expr(*range.high)) : index.in(low));
      } else {
        out.push_back(range.high ? dsl::Range(low, expr(*range.high)) : dsl::Range(low));
      }
      if (range.stride) out.back() = out.back().by(expr(*range.stride));
    }
    return out;
  }
  dsl::PerDimension per_dimension(const std::optional<ast::PerDimension>& values) {
    return values ? per_dimension(*values) : dsl::PerDimension();
  }
  dsl::PerDimension per_dimension(const ast::PerDimension& values) {
    if (!values.list) return expr(*values.values.front());
    return exprs(values.values);
  }
  static std::vector<dsl::Index> indices(const std::vector<ast::Identifier>& names) {
    std::vector<dsl::Index> out;
    for (const ast::Identifier& name : names) out.emplace_back(name.name);
    return out;
  }
  dsl::Region region(const ast::Region& syntax, const ast::ExprPtr& where) {
    return where ? region(syntax).where(expr(*where)) : region(syntax);
  }
  dsl::Region region(const ast::Region& region) {
    if (const auto* named = std::get_if<ast::NamedRegion>(&region)) {
      return {domains_.at(named->name.name), indices(named->indices)};
    }
    return box(std::get<ast::Box>(region));
  }
  static const dsl::ScalarType* scalar(const std::string& name) {
    static const std::map<std::string, const dsl::ScalarType*> kScalars = {
        {"real", &dsl::real},    {"float", &dsl::float_},   {"double", &dsl::double_},
        {"half", &dsl::half},    {"bfloat", &dsl::bfloat},  {"integer", &dsl::integer},
        {"long", &dsl::long_},   {"byte", &dsl::byte},      {"ubyte", &dsl::ubyte},
        {"short", &dsl::short_}, {"ushort", &dsl::ushort_}, {"bool", &dsl::bool_}};
    const auto found = kScalars.find(name);
    return found == kScalars.end() ? nullptr : found->second;
  }
  dsl::Type type(const ast::TypeExpr& type) {
    if (const auto* named = std::get_if<ast::NamedType>(&type.kind)) {
      const dsl::ScalarType* found = scalar(named->name);
      return found ? dsl::Type(*found) : types_.at(named->name);
    }
    if (const auto* vector = std::get_if<ast::VectorType>(&type.kind)) {
      return dsl::vector(expr(*vector->length), this->type(*vector->element));
    }
    std::vector<dsl::Member> members;
    for (const ast::StructMember& member : std::get<ast::StructType>(type.kind).members) {
      members.push_back({member.name.name, this->type(*member.type)});
    }
    return dsl::structure(members);
  }
  dsl::Rule rule(const ast::BoundaryRule& rule) {
    const auto kind = static_cast<dsl::Rule::Kind>(rule.kind);
    return rule.value ? dsl::Rule{kind, expr(*rule.value)} : dsl::Rule{kind};
  }
  dsl::Boundary boundary(const std::optional<ast::Boundary>& boundary) {
    if (!boundary) return {};
    if (!boundary->list) return rule(boundary->dimensions[0].low);
    std::vector<dsl::Sides> sides;
    for (const ast::BoundarySides& dimension : boundary->dimensions) {
      const dsl::Rule low = rule(dimension.low);
      sides.push_back(dimension.high ? dsl::Sides(low, rule(*dimension.high)) : dsl::Sides(low));
    }
    return sides;
  }

  // Items.
  void declare(const ast::Param& p) {
    values_.emplace(p.name.name, builder_.param(p.name.name, type(p.type), expr(p.value)));
  }
  void declare(const ast::Grid& g) {
    if (g.parent) {
      if (g.steps || g.origin || g.spacing || g.levels) throw std::out_of_range("attributes");
      domains_.emplace(g.name.name,
                       builder_.grid(g.name.name, domains_.at(g.parent->name),
                                     {.by = per_dimension(g.by->ratios), .cells = g.by->cells}));
      return;
    }
    dsl::GridOptions options{.steps = expr(g.steps),
                             .origin = per_dimension(g.origin),
                             .spacing = per_dimension(g.spacing),
                             .levels = expr(g.levels)};
    if (g.level_ratio) {
      options.by = per_dimension(g.level_ratio->ratios);
      options.cells = g.level_ratio->cells;
    }
    domains_.emplace(g.name.name, builder_.grid(g.name.name, box(g.box), options));
  }
  void declare(const ast::Subgrid& s) {
    domains_.emplace(s.name.name,
                     builder_.subgrid(s.name.name, domains_.at(s.parent.name), box(s.box)));
  }
  void declare(const ast::TypeDecl& t) {
    types_.emplace(t.name.name, builder_.type(t.name.name, type(t.type)));
  }
  void declare(const ast::Field& f) {
    for (const ast::Identifier& name : f.names) {
      const dsl::Field field = builder_.field(name.name, type(f.type), domains_.at(f.domain.name),
                                              {.history = expr(f.history),
                                               .constant = f.constant,
                                               .boundary = boundary(f.boundary),
                                               .along = per_dimension(f.along)});
      fields_.emplace(name.name, field);
      values_.emplace(name.name, field);
    }
  }
  void declare(const ast::Series& s) {
    for (const ast::Identifier& name : s.names) {
      dsl::SeriesOptions options;
      if (s.domain) options.domain = domains_.at(s.domain->name);
      options.along = per_dimension(s.along);
      options.boundary = boundary(s.boundary);
      const dsl::Field field =
          builder_.series(name.name, type(s.type), box(s.times).at(0), options);
      fields_.emplace(name.name, field);
      values_.emplace(name.name, field);
    }
  }
  void declare(const ast::Points& p) {
    for (const ast::Identifier& name : p.names) {
      const dsl::Points points = builder_.points(name.name, box(p.numbers).at(0),
                                                 domains_.at(p.domain.name), expr(p.weights));
      domains_.emplace(name.name, points.domain);
      fields_.emplace(name.name, points.places);
      values_.emplace(name.name, points.places);
    }
  }
  void declare(const ast::Table& t) {
    values_.emplace(t.name.name,
                    builder_.table(t.name.name, type(t.type), exprs(t.extents), expr(*t.value)));
  }
  // Arguments hide declarations while the body is built.
  void declare(const ast::Function& f) {
    const auto values = values_;
    const auto fields = fields_;
    std::vector<dsl::Argument> arguments;
    for (const ast::Function::Argument& argument : f.arguments) {
      const std::string& name = argument.name.name;
      values_.erase(name);
      fields_.erase(name);
      if (argument.is_field) {
        arguments.push_back(dsl::FieldArgument(name));
      } else {
        arguments.push_back(dsl::ValueArgument(name));
      }
    }
    dsl::Function function = builder_.function(f.name.name, arguments);
    for (const ast::Let& let : f.lets) {
      values_.insert_or_assign(let.name.name, function.let(let.name.name, expr(*let.value)));
    }
    function.value(expr(*f.value));
    values_ = values;
    fields_ = fields;
    functions_.emplace(f.name.name, function);
  }
  void declare(const ast::Stencil& s) {
    const auto values = values_;
    std::vector<dsl::Target> targets;
    for (const ast::Target& target : s.targets) {
      targets.push_back(fields_.at(target.field.name));
      for (const ast::Identifier& member : target.members) {
        targets.back() = targets.back().member(member.name);
      }
    }
    dsl::Stencil stencil = builder_.stencil(s.name.name, targets);
    if (s.every) stencil.every(expr(*s.every));
    for (const ast::Let& let : s.lets) {
      values_.insert_or_assign(let.name.name, stencil.let(let.name.name, expr(*let.value)));
    }
    for (const ast::Piece& piece : s.pieces) {
      if (piece.otherwise) {
        stencil.otherwise(expr(*piece.value),
                          indices(std::get<ast::NamedRegion>(piece.region).indices));
      } else {
        stencil.piece(region(piece.region, piece.where), expr(*piece.value));
      }
    }
    values_ = values;
    stencils_.emplace(s.name.name, stencil);
  }
  // Bodies of cycles come after all other calls, because they may name what is declared later.
  void declare(const ast::Cycle& c) {
    const dsl::Cycle cycle = builder_.cycle(c.name.name);
    cycles_.emplace(c.name.name, cycle);
    bodies_.emplace_back(cycle, &c.body);
  }
  void declare(const ast::StepBlock& s) { builder_.step(block(s.body)); }
  void declare(const ast::StartBlock& s) { builder_.start(block(s.body)); }

  dsl::Block block(const ast::Block& block) {
    dsl::Block out;
    for (const ast::Statement& statement : block.statements) {
      out.push_back(std::visit([&](const auto& kind) { return make(kind); }, statement.kind));
    }
    return out;
  }
  dsl::Statement make(const ast::ApplyStatement& a) {
    const std::string& name = a.name.name;
    if (const auto found = stencils_.find(name); found != stencils_.end()) return found->second;
    if (const auto found = cycles_.find(name); found != cycles_.end()) return found->second;
    if (reductions_.contains(name)) return dsl::Reduction(name);
    return fields_.at(name);
  }
  dsl::Statement make(const ast::RepeatStatement& r) {
    return dsl::repeat(expr(*r.count), block(r.body));
  }
  dsl::Statement make(const ast::IfStatement& i) {
    return dsl::if_(expr(*i.condition), block(i.then), block(i.otherwise));
  }
  dsl::Statement make(const ast::CoarserStatement& c) { return dsl::coarser(block(c.body)); }

  void declare(const ast::Repeat&) {}  // see group()
  void declare(const ast::RepeatEnd&) {}
  void declare(const ast::Init& i) {
    std::vector<dsl::Index> indices;
    for (const ast::Identifier& index : i.indices) indices.push_back(dsl::Index(index.name));
    builder_.init(fields_.at(i.field.name), indices, expr(*i.value));
  }
  void declare(const ast::Reduce& r) {
    static const std::map<std::string, dsl::Reducer> kReducers = {{"sum", dsl::Reducer::sum},
                                                                  {"prod", dsl::Reducer::prod},
                                                                  {"min", dsl::Reducer::min},
                                                                  {"max", dsl::Reducer::max}};
    const dsl::ReduceOptions options{expr(r.every), expr(r.initial), boundary(r.boundary)};
    if (r.at) {
      const dsl::Points points{domains_.at(r.at->name), fields_.at(r.at->name)};
      builder_.record(r.name.name, box(r.rows).at(0), expr(*r.value), points, expr(r.every));
      return;
    }
    if (r.over) {
      const dsl::Field field =
          builder_.reduce_over(r.name.name, per_dimension(r.over), kReducers.at(r.reducer.name),
                               expr(*r.value), region(r.region, r.where), options);
      fields_.emplace(r.name.name, field);
      values_.emplace(r.name.name, field);
      return;
    }
    reductions_.insert(r.name.name);
    values_.emplace(r.name.name,
                    builder_.reduce(r.name.name, kReducers.at(r.reducer.name), expr(*r.value),
                                    region(r.region, r.where), options));
  }
  void declare(const ast::Stop& s) { builder_.stop(expr(*s.condition)); }
  void declare(const ast::Require& r) { builder_.require(expr(*r.condition)); }

  Builder builder_;
  std::map<std::string, dsl::Expr> values_;
  std::set<std::string> reductions_;
  std::map<std::string, dsl::Field> fields_;
  std::map<std::string, dsl::Domain> domains_;
  std::map<std::string, dsl::Type> types_;
  std::map<std::string, dsl::Function> functions_;
  std::map<std::string, dsl::Stencil> stencils_;
  std::map<std::string, dsl::Cycle> cycles_;
  std::vector<std::pair<dsl::Cycle, const ast::Block*>> bodies_;
};

}  // namespace

BuildResult replay(const ast::Program& program, const std::string& name,
                   const dsl::FinishOptions& options) {
  Replay replayed(name);
  replayed.items(program.items);
  return replayed.finish(options);
}

}  // namespace stencil::test
