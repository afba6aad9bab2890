// What has been declared so far, and the program under construction.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/sema/analyze.h"
#include "compiler/sema/report.h"
#include "compiler/sema/value.h"

namespace stencil::sema {

// One namespace for everything that expressions and declarations name. Stencils have their own.
enum class Declared { Param, Grid, Subgrid, Type, Field, Table, Function, Reduction };

struct Declaration {
  Declared kind;
  int index;  // into the list of its kind
  Span span;
  bool broken = false;  // its declaration is in error: uses are silently in error too
  bool used = false;
};

struct FunctionInfo {
  const ast::Function* syntax;
  std::vector<const ast::Let*> used_lets;  // those that the value needs, in order
  bool takes_field = false;
};

struct Environment {
  Environment(const Source& source, const ProgramOptions& options, Diagnostics& diagnostics)
      : source(source), options(options), report(diagnostics) {}

  const Source& source;
  const ProgramOptions& options;
  Report report;
  ir::Program program;

  std::unordered_map<std::string, Declaration> names;
  std::vector<TypePtr> types;        // Declared::Type
  std::vector<ir::Box> subgrids;     // Declared::Subgrid
  std::vector<TypePtr> field_types;  // by FieldId
  std::vector<Value> tables;         // constants; a vector of vectors of the element type
  std::vector<FunctionInfo> functions;

  // Affine functions of the open params that are nonnegative in every admissible run: conditions of
  // `require`, and a grid that is not empty.
  std::vector<ir::Affine> facts;

  // Adds `name` to the namespace. S002 if it is taken, S003 if it is reserved: then nothing.
  Declaration* declare(const ast::Identifier& name, Declared kind, int index);
  // Reports a name that a local declaration (let, index name, comprehension) must not have.
  bool check_local_name(const ast::Identifier& name);
  // The declaration of `name`, marked as used; null if there is none.
  Declaration* find(const std::string& name);

  // S004, with a hint if a name of one of the program's declarations (or `others`) is near.
  void unknown_name(const char* what, const std::string& name, Span span,
                    const std::vector<std::string>& others = {});

  // Records what has to be checked when the sizes are known; the same one only once.
  void add_check(ir::Check check);

  std::string text(Span span) const { return std::string(source.text(span)); }
  std::string print(const ir::Affine& affine) const;  // "N-2"
  std::string print(const ir::Box& box) const;        // "[1..N-2, 0..7]"

 private:
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
