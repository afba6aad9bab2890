// Semantic analysis: syntax tree to stencil IR.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "compiler/ir/program.h"
#include "compiler/support/diagnostic.h"
#include "compiler/syntax/ast.h"

namespace stencil {

// Command-line options that affect the meaning of a program.
struct ProgramOptions {
  std::string name = "program";                    // used for the names of emitted functions
  std::map<std::string, std::string> definitions;  // -D NAME=VALUE, values as written
  std::set<std::string> open;    // --open NAME: ignore the default, keep the param open
  std::set<std::string> fixed;   // --open NAME: ignore the default value, so the param stays open
  Scalar real = Scalar::F32;     // --real
  FpMode fp = FpMode::Contract;  // --fp
  std::optional<int64_t> steps;  // --steps
};

// Returns the program as mathematics (ir::Form::Mathematics), which ir::lower() lowers. Returns
// nullopt if the program has errors, including those that only lowering finds. Appends all errors
// (S0xx) and warnings (S1xx), sorted by place.
std::optional<ir::Program> analyze_mathematics(const ast::Program& program, const Source& source,
                                               const ProgramOptions& options,
                                               Diagnostics& diagnostics);

// The same, lowered to what the reference interpreter and schedules take.
std::optional<ir::Program> analyze(const ast::Program& program, const Source& source,
                                   const ProgramOptions& options, Diagnostics& diagnostics);

}  // namespace stencil
