// The data behind the handles of stencil/builder.h.
//
// An expression is a graph of immutable nodes, so handles are cheap to copy and share nodes. A
// statement converts the graph to a syntax tree. Every node knows the height and size of its tree,
// and trees beyond the limits are never made. Recursion is therefore never deeper than the parser
// permits, and repeated use of shared nodes cannot make a tree too large.
//
// An operator that detects misuse cannot report it, because it knows no place and no builder. The
// node stores the problem, and so do all nodes made from it. The statement that takes the
// expression reports it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/support/diagnostic.h"
#include "compiler/support/source.h"
#include "compiler/syntax/ast.h"
#include "stencil/builder.h"

namespace stencil::dsl {

namespace detail {

// Limit on the number of nodes in the tree of one expression.
constexpr int64_t kMostNodes = 1'000'000;

using Problem = std::shared_ptr<const Diagnostic>;  // null: no problem

Problem problem(std::string code, std::string message, std::string hint = {});

// Base of expressions and types: the size of the tree, and the first problem in it.
struct Extent {
  uint64_t builder = 0;  // id of the builder whose names the tree uses; 0: it uses none
  int height = 1;        // of the tree, in nodes
  int64_t size = 1;      // number of nodes
  Problem problem;

  void include(const Extent& part);  // includes a part that lies one level below
  void limit();                      // sets problems P005 and P025 if a limit is exceeded
};

struct Node : Extent {
  using Make = std::function<ast::ExprPtr(std::vector<ast::ExprPtr>)>;
  Make make;  // makes the tree from the trees of the operands; null if there is a problem
  std::vector<std::shared_ptr<const Node>> operands;
};

struct TypeNode : Extent {
  std::function<ast::TypeExpr()> make;
};

// A statement of a block. A statement with a problem has no blocks, and neither have those that
// contain it, so chains of such statements do not grow.
struct StatementNode {
  enum class Kind { apply, repeat, branch, coarser };
  Kind kind;
  Place place;                      // with a problem: of the call that caused it
  std::string name = {};            // apply: of the stencil function, cycle or reduction
  uint64_t builder = 0;             // that declared the name
  std::optional<Expr> value = {};   // the count of a repeat, the condition of a branch
  Block body = {}, otherwise = {};  // `otherwise` of a branch
  int depth = 0;                    // of blocks within each other
  int64_t size = 1;                 // number of statements
  Problem problem = nullptr;
};

// The tree of an expression, which must have no problem.
ast::ExprPtr tree(const Node& node);

// The program so far.
struct State {
  uint64_t id = 0;  // id of the builder, from 1
  std::string name;
  ast::Program program;  // in this tree, a span {n, n + 1} stands for places[n]
  std::vector<Place> places;

  struct Misuse {
    Diagnostic diagnostic;
    Place place;
  };
  std::vector<Misuse> misuses;

  Span mark(Place place);
  void report(Diagnostic diagnostic, Place place) {
    misuses.push_back({std::move(diagnostic), place});
  }
};

// A program whose text has been parsed.
struct Built {
  std::string name;
  Source source;
  ast::Program syntax;  // its spans are places in `source`

  struct Statement {
    Span text;
    Place place;
  };
  std::vector<Statement> statements;  // a statement precedes its parts
};

// P023 for ranges of `where`, which cannot have a stride.
Problem unstrided(const std::string& where);

bool is_name(const std::string& text);
Problem check_name(const std::string& text);  // P021 if the text is not a name

template <typename Kind>
ast::ExprPtr make_expr(Kind kind) {
  return std::make_unique<ast::Expr>(ast::Expr{std::move(kind), {}});
}

}  // namespace detail

// Gives access to the private members of the handles.
struct Access {
  static Expr expr(std::shared_ptr<const detail::Node> node) { return Expr(std::move(node)); }
  // A reference to a name. `builder`: the id of the builder that declared and checked the name. 0:
  // a local name, which this function checks.
  static Expr name(const std::string& name, uint64_t builder);
  static Expr combine(const std::vector<Expr>& operands, detail::Node::Make make,
                      detail::Problem problem = nullptr);
  static const detail::Node& node(const Expr& expr) { return *expr.node_; }

  static Type type(std::shared_ptr<const detail::TypeNode> node) { return Type(std::move(node)); }
  static const detail::TypeNode& node(const Type& type) { return *type.node_; }

  static const std::string& name(const Index& index) { return index.name_; }
  static const std::optional<std::string>& index(const Range& range) { return range.index_; }
  static const Expr& low(const Range& range) { return range.low_; }
  static const std::optional<Expr>& high(const Range& range) { return range.high_; }
  static const std::optional<Expr>& stride(const Range& range) { return range.stride_; }
  static Domain domain(const std::string& name, uint64_t builder) { return Domain(name, builder); }
  static const std::string& name(const Domain& domain) { return domain.name_; }
  static uint64_t builder(const Domain& domain) { return domain.builder_; }
  static const std::optional<Domain>& domain(const Region& region) { return region.domain_; }
  static const Box& box(const Region& region) { return region.box_; }
  static const std::vector<Index>& indices(const Region& region) { return region.indices_; }
  static const std::optional<Expr>& where(const Region& region) { return region.where_; }
  static bool list(const PerDimension& values) { return values.list_; }
  static const std::vector<Expr>& values(const PerDimension& values) { return values.values_; }
  static bool absent(const PerDimension& values) { return !values.list_ && values.values_.empty(); }
  static bool list(const Boundary& boundary) { return boundary.list_; }
  static const std::vector<Sides>& dimensions(const Boundary& boundary) {
    return boundary.dimensions_;
  }
  static const std::string& name(const Field& field) { return field.name_; }
  static uint64_t builder(const Field& field) { return field.builder_; }
  static LevelField level_field(const Field& field, int towards);
  static const std::string& name(const Target& target) { return target.field_; }
  static uint64_t builder(const Target& target) { return target.builder_; }
  static const std::vector<std::string>& members(const Target& target) { return target.members_; }
  static const std::string& name(const ValueArgument& argument) { return argument.name_; }
  static const std::string& name(const Argument& argument) { return argument.name_; }
  static bool is_field(const Argument& argument) { return argument.is_field_; }

  static Statement statement(std::shared_ptr<const detail::StatementNode> node) {
    return Statement(std::move(node));
  }
  static const detail::StatementNode& node(const Statement& statement) { return *statement.node_; }
  static const std::string& name(const Stencil& stencil);
  static const std::string& name(const Cycle& cycle) { return cycle.name_; }
  static const std::string& name(const Reduction& reduction) { return reduction.name_; }
  static uint64_t builder(const Stencil& stencil) { return stencil.state_->id; }
  static uint64_t builder(const Cycle& cycle) { return cycle.state_->id; }
  static uint64_t builder(const Reduction& reduction) { return reduction.builder_; }

  static BuiltProgram program(std::shared_ptr<const detail::Built> built) {
    return BuiltProgram(std::move(built));
  }
  static const detail::Built& built(const BuiltProgram& program) { return *program.built_; }
};

}  // namespace stencil::dsl
