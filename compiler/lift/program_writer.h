// The implementation of write_program(), private to compiler/lift. Turns functions of a step into
// items of a program.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "compiler/lift/ghosts.h"
#include "compiler/lift/program.h"
#include "compiler/lift/roles.h"
#include "compiler/lift/values.h"
#include "compiler/syntax/ast.h"

namespace stencil::lifter {

using ast::ExprPtr;

class ProgramWriter {
 public:
  ProgramWriter(Pool& pool, Execution& execution, const std::string& title, const std::string& file,
                bool keep_ghosts)
      : pool_(pool),
        execution_(execution),
        title_(title),
        file_(file),
        keep_ghosts_(keep_ghosts),
        shapes_(pool, execution) {}

  LiftedProgram run();

 private:
  // ---- arrays and fields
  const ArrayInfo& info(int array) const { return execution_.arrays[array]; }
  void gather();
  std::vector<Poly> lengths(int array) const { return shapes_.lengths(array); }
  std::string domain_of(int array);
  void ghosts();
  std::string fresh(const std::string& name);
  void bind();

  // ---- expressions
  ExprPtr symbol(X x);
  ExprPtr affine(const Poly& p, CPlace place);
  struct Context {
    const StepPiece* piece = nullptr;
    Access point;
    std::vector<std::string> indices;          // index names in use, by dimension
    std::map<X, std::vector<Domain>> domains;  // the domains in which C evaluates loads
    std::set<X> guarded;                       // loads that C evaluates under a condition
  };
  Context context_of(const StepPiece& piece);
  void guarded_ends(X load, const Access& access, const Context& context);
  void within_rows(const Access& access, const Store& store, const std::vector<Domain>& domain);
  ExprPtr offset(const Poly& from, const Poly& to, X load, const Context& context);
  std::optional<ExprPtr> bent(const Poly& from, const Poly& to, const ArrayPart& part, size_t k,
                              const Context& context);
  ast::BoundaryRule rule_called(const std::string& name);
  std::optional<ast::Boundary> boundary_of(const std::string& field);
  ExprPtr load(X x, Context& context);
  ExprPtr level_of(const Role& role);
  ExprPtr kept(const ArrayPart& part);
  ExprPtr leaf(X x, Context& context);
  std::string index_name(const std::string& wanted, const Context& context);

  // ---- stencil functions
  ast::Box region(const Context& context);
  bool covers(const StepPiece& piece, const ArrayPart& part);
  void name_shared(const StepPiece& piece, ValueWriter& writer, ast::Stencil& made);
  ExprPtr piece_value(const StepFunction& function, const std::function<ExprPtr(size_t)>& of);
  void stencil(const StepFunction& function);
  std::vector<Poly> facts_of(const Store& store) const;
  void points_of(const Store& store);
  void has_points(const Poly& fact, const char* why = "the loop is not empty");
  void otherwise(const StepFunction& function, bool whole, ast::Stencil& made);
  std::string unique_stencil(const std::string& field);
  void moves();

  // ---- points
  struct PlacedAt {  // a point set, identified by its positions
    std::vector<Poly> place;
    std::vector<Domain> domain;
    std::string name;
  };
  void check_points() const;
  Poly in_memory(int array, const std::vector<X>& subscripts, CPlace place) const;
  const PlacedAt& points_at(const std::vector<Poly>& place, const PointStatement& statement);
  PointSetBinding::Coordinate coordinate(const Poly& place, const PointStatement& statement,
                                         const Poly& extent) const;
  PointFieldBinding by_point(int array, const std::vector<X>& subscripts,
                             const PointStatement& statement) const;
  ExprPtr point_load(X load, const PlacedAt& at, const PointStatement& statement);
  X number_of_point(const PointStatement& statement) const;
  void of_params(const Poly& p, CPlace place, const std::string& message) const;
  ValueWriter writer_at(const PlacedAt& at, const PointStatement& statement);
  void point_statements_ahead_of(const StepFunction* function);
  void source(const PointStatement& statement);
  void record(const PointStatement& statement);

  // ---- reductions
  void begin_reductions();
  void add_reduction(size_t number);
  void reductions_ahead_of(const StepFunction* function);
  bool at_the_end(const Reduction& r) const;
  void stop();
  X every_part(X condition, int64_t& every) const;

  // ---- the whole program
  template <class Kind>
  void add(Kind kind, const std::string& comment) {
    ast::Item item{std::move(kind), next_span()};
    comments_[item.span.begin] = comment;
    stencil_items_.push_back(std::move(item));
  }
  Span next_span() {
    spans_ += 2;
    return {spans_, spans_ + 1};
  }
  ast::Box box_of(const std::vector<Poly>& extents);
  ast::Box box_on_grid(const std::vector<Poly>& extents);
  ast::TypeExpr type(const std::string& name) {
    ast::TypeExpr out;
    out.kind = ast::NamedType{name};
    return out;
  }
  static std::optional<Poly> slack_of(X condition);
  ExprPtr at_least_zero(const Poly& slack);
  ExprPtr requirement(X condition);
  void exclude_empty_grids(const std::vector<Poly>& slacks);
  std::vector<ast::Item> required(std::map<uint32_t, std::string>& comments);
  void declare_fields(std::vector<ast::Item>& items, std::map<uint32_t, std::string>& comments);
  void assemble();
  void powers();
  void aliasing();
  void of_symbols();
  void lengths_taken();
  struct InMemory {  // an object in memory that the function accesses
    std::string name, object;
    CScalar type;
    bool restricted, written;
    int array;  // -1: a scalar
  };
  std::vector<InMemory> memory() const;
  void longer();
  std::string turns(const Role& role) const;
  void render(const ast::Program& program, const std::map<uint32_t, std::string>& comments);

  Pool& pool_;
  Execution& execution_;
  const std::string title_, file_;
  const bool keep_ghosts_;
  const Shapes shapes_;
  std::vector<StepFunction> functions_;
  PeriodicGhosts ghosts_;
  std::set<ArrayPart> parts_;
  Roles roles_;
  LiftedProgram out_;
  std::set<int> used_;
  std::set<int> computed_with_;  // symbols that occur in values and not only in bounds
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> rules_;  // by dimension
  std::set<std::string> advanced_, locals_ = {"G"};
  const std::set<std::string> reserved_ = {"time", "in", "of", "on", "and", "or", "not", "let"};
  std::map<std::string, int> stencils_;
  std::set<std::string> stencil_names_;
  std::vector<std::pair<std::string, std::vector<Poly>>> boxes_;
  std::vector<ast::Item> stencil_items_;
  std::map<uint32_t, std::string> comments_;
  uint32_t spans_ = 2;
  std::vector<std::string> reduced_;  // the reductions that stencils and `stop` use, by name
  std::vector<bool> placed_;
  std::vector<PlacedAt> sets_;
  std::vector<ast::Item> point_items_;  // point sets and their fields
  size_t points_done_ = 0;
  int64_t every_ = 1;
  X stop_ = nullptr;
  int temporaries_ = 0;
};

}  // namespace stencil::lifter
