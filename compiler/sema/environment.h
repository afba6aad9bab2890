// The declarations found so far, and the program under construction.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/sema/analyze.h"
#include "compiler/sema/report.h"
#include "compiler/sema/value.h"
#include "compiler/support/ids.h"
#include "compiler/syntax/foreign.h"

namespace stencil::sema {

// One namespace holds everything that expressions and declarations can name. Stencils have a
// separate namespace.
enum class Declared { Param, ParamGroup, Grid, Subgrid, Type, Field, Table, Function, Reduction };

struct Declaration {
  Declared kind;
  int index;  // into the list for its kind
  Span span;
  bool broken = false;    // the declaration has an error, so uses of the name are not reported
  bool unparsed = false;  // broken by a syntax error: there is no entry with `index`
  bool used = false;
};

// A param that is a vector or a structure. Its components are params with consecutive ids.
struct ParamGroup {
  TypePtr type;
  ir::ParamId first;
};

struct FunctionInfo {
  const ast::Function* syntax;
  std::vector<const ast::Let*> used_lets;  // the lets that the value needs, in order of declaration
  bool takes_field = false;
};

// A region: the grid, a sub-grid or a box. It may have index names.
struct Region {
  bool ok = false;  // false: an error was reported, and the box is that of the grid
  ir::Box box;
  std::vector<std::string> index_names;
  // For each dimension; points are counted from the low bound; empty: all 1.
  std::vector<int64_t> strides;
  ir::DomainId domain = 0;
};

// A reduction of the program. If the step reads the reduction, it is analysed at the first read,
// because the type is needed there.
struct ReductionInfo {
  enum class State { Waiting, Begun, Done };
  const ast::Reduce* syntax;
  Span item;
  // Its position among the readers in the step (Environment::reader): where it stands in the text,
  // or its number in the `step` block.
  uint32_t position;
  bool in_block = false;  // the `step` block evaluates it
  // The field that the reduction gives, if it does not give a single value.
  std::optional<ir::FieldId> profile = {};
  std::optional<Region> region = {};  // set if the reduction gives a field
  int64_t every = 1;                  // interval of a record, in steps
  bool broken = false;                // the field that the reduction gives has an error
  State state = State::Waiting;
  Span read = {};  // place of the first read in a stencil function or reduction
  // Set by the analysis. If the type depends on the reduction itself, the type of the initial value
  // is used.
  std::optional<Scalar> type = {};
  // The value before the first evaluation, in the type of the reduction, if the program gives one.
  ir::Graph initial = {};
  std::optional<ir::NodeId> initial_value = {};
};

// A declaration in the text, including declarations that are not analysed yet.
struct WrittenName {
  Declared kind;
  Span name, item;
};

// The expressions of boundary rules that take a value, per side of a dimension. Null: the rule
// takes none, or it is a number (ir::BoundaryRule::values).
struct SideValues {
  const ast::Expr* low = nullptr;
  const ast::Expr* high = nullptr;
};

struct SubgridInfo {
  ir::DomainId domain;
  ir::Box box;
  std::vector<int64_t> strides;           // empty: all 1
  std::vector<SubgridInfo> coarser = {};  // of level 1, 2, ... of a grid with levels
};

// A field on a grid with levels. The program has one field for each level.
struct LevelledField {
  ir::FieldId finest;
  int level;
};

struct Quotient {  // a derived param that replaces a quotient in bounds
  ir::Affine of;
  int64_t by;
  ir::ParamId param;
};

struct Environment {
  Environment(const ast::Program& syntax, const Source& source, const ProgramOptions& options,
              Diagnostics& diagnostics);

  const Source& source;
  const ProgramOptions& options;
  Report report;
  ir::Program program;
  const ast::Grid* grid = nullptr;  // the first one; set once it is declared
  ir::DomainId domain = 0;          // of the item that is being analysed
  // The domains of the grid's levels, the finest first; empty if the grid has no `levels`.
  std::vector<ir::DomainId> levels;
  bool levels_failed = false;  // not all levels are known, and an error says why
  int level = 0;               // of the item that is being analysed
  std::unordered_map<ir::FieldId, std::vector<ir::FieldId>> fields_by_level;  // by the finest
  std::unordered_map<ir::FieldId, LevelledField> levelled;

  std::unordered_map<std::string, Declaration> names;
  std::vector<ParamGroup> param_groups;  // Declared::ParamGroup
  std::vector<TypePtr> types;            // Declared::Type
  std::vector<SubgridInfo> subgrids;     // Declared::Subgrid
  std::vector<TypePtr> field_types;      // by FieldId
  // some field has a side that is `fixed`
  bool has_fixed_edges = false;
  // components of fields whose fixed edge points some function stores
  std::set<std::pair<ir::FieldId, size_t>> edges_stored;
  // by FieldId, per dimension; empty without a boundary
  std::vector<std::vector<SideValues>> field_side_values;
  // By FieldId: whether the values of the field's rules are elaborated (elaborate_rules), and
  // whether they have no errors.
  std::unordered_map<ir::FieldId, bool> rules_known;
  std::vector<Value> tables;  // constants; a vector of vectors of the element type
  std::vector<FunctionInfo> functions;
  // By field; includes inits that are not analysed yet.
  std::unordered_map<std::string, Span> init_places;
  std::unordered_set<ir::FieldId> inits_seen;  // inits analysed so far, including those with errors
  std::unordered_set<std::string> unparsed_inits;       // fields whose init has a syntax error
  IdVector<ir::ReductionId, ReductionInfo> reductions;  // Declared::Reduction
  uint32_t reader = 0;  // position of the stencil or reduction that is being analysed
  int reductions_begun = 0;
  // The functions of a program with a `step` block, and the positions of their first and last
  // applications.
  struct AppliedStencil {
    const ast::Stencil* syntax;
    uint32_t first, last;
  };
  std::vector<AppliedStencil> instances;
  size_t repeats_analysed = 0;
  // A count, because a requirement that always holds is not stored.
  size_t requirements_analysed = 0;

  // Affine functions of the open params that are nonnegative in every valid run. They follow from
  // `require` conditions and from the fact that the grid is not empty.
  std::vector<ir::Affine> facts;
  std::vector<Quotient> quotients;

  // The field of that level if the field has levels, otherwise the field itself.
  ir::FieldId at_level(ir::FieldId finest, int of_level) const {
    const auto found = fields_by_level.find(finest);
    return found == fields_by_level.end() ? finest : found->second[static_cast<size_t>(of_level)];
  }
  // True if `name` means the number of the level, `level`.
  bool means_level(const std::string& name) const {
    return name == "level" && !levels.empty() && !is_declared(name);
  }
  const ir::Domain& here() const { return program.domains[domain]; }
  int rank() const { return program.domains.front().box.rank(); }

  // Adds `name` to the namespace. Null after an error: S002 if the name is taken, S003 if it is
  // reserved.
  Declaration* declare(const ast::Identifier& name, Declared kind, int index);
  // Checks the name of a local declaration (let, index name, comprehension variable). Reports names
  // that are not allowed and returns false for them.
  bool check_local_name(const ast::Identifier& name);
  // The declaration of `name`. Marks the name as used. Null if there is no declaration.
  Declaration* find(const std::string& name);
  // Like find(), for a name that is used at `span`. S024 if `span` is inside the definition of the
  // name, or in a function before that definition.
  Declaration* use(const std::string& name, Span span);
  // Checks the names of an expression that is not evaluated. S004 for names that are neither
  // declared nor in `visible`, and S024.
  void check_names(const ast::Expr& expr, const std::unordered_set<std::string>& visible);

  // Reports S004. The hint names a similar declared name (or one of `others`), or says why the
  // declared name cannot be used there. Reports nothing if S024 has been reported.
  void unknown_name(Foreign kind, const std::string& name, Span span,
                    const std::vector<std::string>& others = {});

  // Whether a name means a function or constant of the library. A program may reuse some of these
  // names; for a reused name, the result is false.
  bool means_library(const std::string& name) const;

  // True if the program declares the name anywhere.
  bool is_declared(const std::string& name) const { return find_written(name) != nullptr; }
  // True if the program declares a field, series or function of that name anywhere.
  bool is_field_or_function(const std::string& name) const;

  // Adds a check that runs when the sizes are known. Duplicates are dropped.
  void add_check(ir::Check check);

  // The offsets of the point itself: "[0,0]" for the grid, "[time,0]" for a series.
  std::string point() const;
  std::string point(const ir::Field& field) const;
  // The reduction that gives this profile or record.
  std::optional<ir::ReductionId> reduction_into(ir::FieldId field) const;
  std::string text(Span span) const { return std::string(source.text(span)); }
  std::string print(const ir::Affine& affine) const;  // "N-2"
  std::string print(const ir::Box& box) const;        // "[1..N-2, 0..7]"

 private:
  void check_order(const std::string& name, Span span);  // S024
  const WrittenName* find_written(const std::string& name) const;
  const WrittenName* item_around(Span span) const;
  bool begins_piece(Span span) const;
  std::string hint_of_later(const std::string& name, Span span) const;
  std::string hint_of_related(const std::string& name) const;
  std::string declared_names(Foreign kind) const;
  // The declared names of these kinds, in text order.
  std::vector<std::string> names_of(std::initializer_list<Declared> kinds) const;

  std::vector<WrittenName> written_;  // in text order
  std::unordered_map<std::string, size_t> written_names_;

  std::set<std::tuple<uint32_t, uint32_t, std::string>> checks_seen_;
  int names_suggested_ = 0;
};

// Sets Environment::level while an item is analysed for one level of the grid.
class AtLevel {
 public:
  AtLevel(Environment& env, int level) : env_(env), before_(std::exchange(env.level, level)) {}
  AtLevel(const AtLevel&) = delete;
  ~AtLevel() { env_.level = before_; }

 private:
  Environment& env_;
  const int before_;
};

// Sets Environment::domain while an item of another domain is analysed.
class InDomain {
 public:
  InDomain(Environment& env, ir::DomainId domain)
      : env_(env), before_(std::exchange(env.domain, domain)) {}
  InDomain(const InDomain&) = delete;
  ~InDomain() { env_.domain = before_; }

 private:
  Environment& env_;
  const ir::DomainId before_;
};

// The candidate that `name` probably misspells, or "". Short names resemble all other short names.
// A name of one letter must therefore match except for case, and in a name of two letters the first
// letter must match.
std::string suggestion(const std::string& name, const std::vector<std::string>& candidates);

bool is_reserved(const std::string& name);
const char* describe(Declared kind);  // "param", "the grid", ...

}  // namespace stencil::sema
