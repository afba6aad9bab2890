// One case of the property tests: a program, how it is compiled and run, and what has to come out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/reference/state.h"
#include "compiler/schedule/schedule.h"
#include "compiler/support/diagnostic.h"
#include "tests/property/batch.h"
#include "tests/property/generator.h"
#include "tests/property/parts.h"

namespace stencil::property {

// Everything that decides a case. To shrink one, only the text is changed.
struct Recipe {
  GeneratedProgram program;
  std::string name;   // of the module, unique in a batch
  uint64_t seed = 0;  // of the program
  uint64_t data_seed = 0;
  FpMode fp = FpMode::Strict;
  Scalar real = Scalar::F32;
  bool open = false;            // sizes known at run time only
  std::set<std::string> fixed;  // the params of --fix
  std::string schedule;         // a whole line
  int64_t steps = 0;
  decompose::Cuts cuts;  // of a case cut into parts; else none
  int64_t exchange = 0;  // then the steps between two exchanges
  bool boxes = false;    // the parts are boxes, whose exchanges are the test's
};

struct Case {
  Recipe recipe;
  Item item;
  ir::Program as_written;     // without --fix: what the interpreter runs
  reference::State expected;  // the initial state until expect() was called
};

// The recipe as options of stencilc and the seed.
std::string label(const Recipe& recipe);

// The stencil IR, or nothing and errors.
std::optional<ir::Program> load(const Recipe& recipe, Diagnostics& diagnostics);

// The case with random initial values; nothing, and why, if its params are refused or an IR is
// unsound.
std::optional<Case> prepare(const Recipe& recipe, const ir::Program& program, kernel::Module module,
                            std::string& problem);
// The same of a case that is cut, whose steps stay as they are; lower_parts() says the rest.
std::optional<Case> prepare_cut(const Recipe& recipe, const ir::Program& program,
                                schedule::Schedule& schedule, std::string& refusal,
                                std::string& problem);
// The same of a case that is done in boxes.
std::optional<Case> prepare_boxed(const Recipe& recipe, const ir::Program& program,
                                  schedule::Schedule& schedule, std::string& refusal,
                                  std::string& problem);

// Runs the interpreter.
void expect(Case& made);

// What is wrong with a case that has run, "" if nothing is: every field and reduction must hold the
// expected bits (NaN equals NaN). Under --fp fast the sign of a zero may differ.
std::string judge(Case& ran);

// The smallest program found that still loads, is served by the schedule, and is wrong.
std::string shrink(const Recipe& recipe, RunBatch run);

}  // namespace stencil::property
