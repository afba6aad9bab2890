// One case of the property tests: a program, how it is compiled and run, and the expected result.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/reference/state.h"
#include "compiler/schedule/schedule.h"
#include "compiler/support/diagnostic.h"
#include "tests/property/batch.h"
#include "tests/property/generator.h"
#include "tests/property/subdomains.h"

namespace stencil::property {

// Everything that determines a case. Shrinking changes only the text.
struct Recipe {
  GeneratedProgram program;
  std::string name;   // of the module; unique in a batch
  uint64_t seed = 0;  // of the program
  uint64_t data_seed = 0;
  FpMode fp = FpMode::Strict;
  Scalar real = Scalar::F32;
  bool open = false;            // sizes known at run time only
  std::set<std::string> fixed;  // the params of --fix
  std::string schedule;         // a whole line
  int64_t steps = 0;
  decompose::Cuts cuts;            // of a case cut into subdomains; otherwise empty
  int64_t exchange = 0;            // steps between two exchanges of a cut case
  bool boxes = false;              // the subdomains are boxes; the test makes their exchanges
  std::vector<std::string> relay;  // further schedule lines that take turns with `schedule`
};

struct Case {
  Recipe recipe;
  Item item;
  ir::Program as_written;     // without --fix; the interpreter runs this
  reference::State expected;  // the initial state until expect() is called
};

// The recipe as stencilc options, with the seed.
std::string label(const Recipe& recipe);

// The stencil IR; nullopt, with errors in `diagnostics`, if there are any.
std::optional<ir::Program> load(const Recipe& recipe, Diagnostics& diagnostics);

// The case with random initial values. nullopt, with the reason in `problem`, if its params are
// refused or an IR does not verify.
std::optional<Case> prepare(const Recipe& recipe, const ir::Program& program, kernel::Module module,
                            std::string& problem);
// The same for a case that is cut; its number of steps is unchanged. See lower_subdomains().
std::optional<Case> prepare_cut(const Recipe& recipe, const ir::Program& program,
                                schedule::Schedule& schedule, std::string& refusal,
                                std::string& problem);
// The same for a case in boxes.
std::optional<Case> prepare_boxed(const Recipe& recipe, const ir::Program& program,
                                  schedule::Schedule& schedule, std::string& refusal,
                                  std::string& problem);

// Runs the interpreter.
void expect(Case& made);

// Compares a finished case with the expected result; returns a description of the failure, or "".
// Every field and reduction must have the expected bits (NaN equals NaN). Under --fp fast the sign
// of zero may differ.
std::string judge(Case& ran);

// The smallest program found that loads, is accepted by the schedule, and fails.
std::string shrink(const Recipe& recipe, RunBatch run);

}  // namespace stencil::property
