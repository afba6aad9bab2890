// What has been declared so far, and the program under construction.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/sema/analyze.h"
#include "compiler/sema/report.h"
#include "compiler/sema/value.h"
#include "compiler/syntax/foreign.h"

namespace stencil::sema {

// One namespace for everything that expressions and declarations name. Stencils have their own.
enum class Declared { Param, ParamGroup, Grid, Subgrid, Type, Field, Table, Function, Reduction };

struct Declaration {
  Declared kind;
  int index;  // into the list of its kind
  Span span;
  bool broken = false;  // its declaration is in error: uses are silently in error too
  bool used = false;
};

// A param that is a vector or a structure: as many params, one after the other.
struct ParamGroup {
  TypePtr type;
  ir::ParamId first;
};

struct FunctionInfo {
  const ast::Function* syntax;
  std::vector<const ast::Let*> used_lets;  // those that the value needs, in order
  bool takes_field = false;
};

// A region: the grid, a sub-grid or a box, with its index names.
struct Region {
  bool ok = false;  // if not, reported, and the box is the grid's
  ir::Box box;
  std::vector<std::string> index_names;
  std::vector<int64_t> strides;  // per dimension, from the low bound on; empty: 1 everywhere
};

// A reduction of the text. Those that are read in the step are analysed when they are first read,
// for their types.
struct ReductionInfo {
  enum class State { Waiting, Begun, Done };
  const ast::Reduce* syntax;
  Span item;
  size_t place;                             // the stencil functions above it
  std::optional<ir::FieldId> profile = {};  // what it gives, if that is no single value
  std::optional<Region> region = {};        // of those that give one
  int64_t every = 1;                        // of a record
  bool broken = false;                      // what it gives is in error
  State state = State::Waiting;
  Span read = {};  // where a stencil function or a reduction reads it first
  // Known once it is analysed; where the type follows from itself, taken from the initial value.
  std::optional<Scalar> type = {};
  // What it is before it has been evaluated, of its type, if the program says so.
  ir::Graph initial = {};
  std::optional<ir::NodeId> initial_value = {};
};

// A declaration in the text, whether analysis has come to it or not.
struct WrittenName {
  Declared kind;
  Span name, item;
};

// What a boundary rule is besides an IR rule: accesses that escape choose (edges.cpp).
struct EdgeRule {
  const ast::Expr* value = nullptr;  // of `constant`, where it is no number; null: it is one
  bool negates = false;              // odd, antisymmetric
  bool repeats = false;              // symmetric, antisymmetric: the edge point, unlike the mirror
  bool linear = false;
  bool met = false;  // by some access, so that its value has been looked at
  bool moves() const { return repeats || linear; }
  bool counts() const { return value || negates || moves(); }
};
struct Edges {  // of one dimension
  EdgeRule low, high;
};

struct Quotient {  // a param that stands for one in bounds
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
  const ast::Grid* grid = nullptr;  // once it is declared

  std::unordered_map<std::string, Declaration> names;
  std::vector<ParamGroup> param_groups;               // Declared::ParamGroup
  std::vector<TypePtr> types;                         // Declared::Type
  std::vector<ir::Box> subgrids;                      // Declared::Subgrid
  std::vector<std::vector<int64_t>> subgrid_strides;  // likewise; empty: 1 everywhere
  std::vector<TypePtr> field_types;                   // by FieldId
  std::vector<std::vector<Edges>> field_edges;  // likewise, per dimension; none without a boundary
  std::vector<Value> tables;  // constants; a vector of vectors of the element type
  std::vector<FunctionInfo> functions;
  std::unordered_map<std::string, Span> init_places;  // by field, those to come included
  std::unordered_set<ir::FieldId> inits_seen;         // analysed so far, in error or not
  std::vector<ReductionInfo> reductions;              // Declared::Reduction; by ReductionId
  uint32_t reader = 0;  // where in the text the name of the stencil or reduction in work is
  int reductions_begun = 0;
  size_t repeats_analysed = 0;
  size_t requirements_analysed = 0;  // those that hold at once leave nothing else

  // Affine functions of the open params that are nonnegative in every admissible run: conditions of
  // `require`, and a grid that is not empty.
  std::vector<ir::Affine> facts;
  std::vector<Quotient> quotients;

  // Adds `name` to the namespace. S002 if it is taken, S003 if it is reserved: then nothing.
  Declaration* declare(const ast::Identifier& name, Declared kind, int index);
  // Reports a name that a local declaration (let, index name, comprehension) must not have.
  bool check_local_name(const ast::Identifier& name);
  // The declaration of `name`, marked as used; null if there is none.
  Declaration* find(const std::string& name);
  // The same for a name that stands at `span`. S024 if that is within its own definition, or in a
  // function before it.
  Declaration* use(const std::string& name, Span span);
  // S004 for names in `expr` that are neither declared nor `visible`, and S024: for expressions
  // that are not evaluated.
  void check_names(const ast::Expr& expr, const std::unordered_set<std::string>& visible);

  // S004, with a hint if a name of one of the program's declarations (or `others`) is near, or is
  // declared where it is of no use here. Nothing if S024 has been reported.
  void unknown_name(Foreign kind, const std::string& name, Span span,
                    const std::vector<std::string>& others = {});

  // True for functions and constants of the library whose names a program may take for itself,
  // unless it does.
  bool means_library(const std::string& name) const;

  // Whether the program declares the name, somewhere.
  bool is_declared(const std::string& name) const { return find_written(name) != nullptr; }
  // A field, series or function of the program, wherever it is declared.
  bool is_field_or_function(const std::string& name) const;

  // Records what has to be checked when the sizes are known; the same one only once.
  void add_check(ir::Check check);

  // "[0,0]": the offsets of the point computed, those of a field "[time,0]".
  std::string point() const;
  std::string point(const ir::Field& field) const;
  // The reduction that gives this profile.
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

  std::vector<WrittenName> written_;  // in the order of the text
  std::unordered_map<std::string, size_t> written_names_;

  std::set<std::tuple<uint32_t, uint32_t, std::string>> checks_seen_;
  int names_suggested_ = 0;
};

// The candidate that `name` is probably a slip for, or "". Names of one or two letters are near to
// every other short name, so for one only a difference in case counts, for two the first letter
// must be right.
std::string suggestion(const std::string& name, const std::vector<std::string>& candidates);

bool is_reserved(const std::string& name);
const char* describe(Declared kind);  // "param", "the grid", ...

}  // namespace stencil::sema
