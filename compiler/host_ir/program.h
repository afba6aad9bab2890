// The host program: what the host does to run the steps of a plan (kernel/plan.h), as a small tree.
// Emitted drivers are its text (emit/host_writer.h), and sessions execute it
// (runtime/devices/host_runner.h), so both do the same.
//
//   program   = variables begin steps end
//   body      = statement...
//   statement = take | alloc | copy | slots | flag | restore | place (begin)
//             | define | assign | if | block | for | leave           (control flow)
//             | tile | replay | launch | rotate | swap | exchange    (a step)
//             | read | ask | answer                                  (the stop condition)
//             | lane | mark | await | bind | launch bound            (overlap.h)
//             | home | collect | return                              (end)
//   expr      = kernel expression over the variables of the program
//
// `begin` provides memory, `steps` is the loop over the steps, `end` returns the results. An
// emitted function contains the three parts in this order. A session executes the allocations of
// `begin` once, and its copies whenever the caller may have changed the arrays.
//
// Launches, arrays, scratch memory, sets of points, reductions and exchanges are those of the plan,
// which must outlive the program. How memory is allocated, copied and read, and how a kernel is
// launched, is not described here: it depends on the target language or the device.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "compiler/kernel/plan.h"

namespace stencil::host_ir {

using kernel::Expr;

struct Statement;
using Body = std::vector<Statement>;

// Input: set by the caller before `steps`. State: keeps its value between two runs of the program.
// Local: defined by a Define or For, until the end of the enclosing body.
enum class VariableKind { Input, State, Local };
struct Variable {
  std::string name;
  Scalar type;  // Bool, I32 or I64
  VariableKind kind;
};

// Names of variables that writer and runner treat alike in every program.
inline const std::string kSteps = "steps";      // Input, I64: number of steps to do
inline const std::string kFirst = "first";      // Input, I64: steps done before this run
inline const std::string kStep = "step";        // Local, I64: steps done in this run
inline const std::string kStopped = "stopped";  // State, Bool: the stop condition held
inline const std::string kAwaited = "awaited";  // State, Bool: an Ask has no Answer yet
std::string evaluations_of(size_t reduction);   // State, I64: number of evaluations
std::string tiles_since(size_t exchange);       // State, I64: common tiles since this exchange

// --- Memory

struct Take {  // the levels of an array, slots 0 to levels-1, are those that the caller gives
  int array;
};
// Memory for a slot of an array that the caller does not provide, or for scratch memory. A slot
// numbered `copies` of the array holds no level: levels are moved through it at the end.
struct Alloc {
  kernel::ArrayArgument memory;
};
struct Copy {  // between slots: points that no kernel writes must be equal in all copies
  int array;
  int to, from;
};
struct Slots {  // from here on, the slots of this array change roles
  int array;
};
struct Flag {};   // provides what Ask and Answer need
struct Restore {  // the values that the caller's results have, or none in a new run
  int reduction;
};
struct Place {  // fills the tables of a set of points
  int set;
};

// --- Control flow

struct Define {
  std::string name;
  Expr value;
};
struct Assign {
  std::string name;
  Expr value;
};
struct If {
  Expr condition;
  Body then;
  Body otherwise;
};
struct Block {
  Body body;
};
// for (name = begin; name < end; name += step). If `step` is null, the body assigns the variable.
// When the loop ends because no iterations are left, the variable has the value `end`.
struct For {
  std::string name;
  Expr begin, end;
  Expr step;
  Body body;
  // The launches of this many steps, all in full time tiles, repeat with the same arguments, so
  // they may be recorded once and replayed; 0: they do not. Set by set_cycle().
  int64_t cycle = 0;

  bool continues() const;      // goes on with the variable of an enclosing loop
  bool is_over_steps() const;  // the loop that Leave ends
};
struct Leave {};  // ends the loop over the steps, from any depth

// --- Steps

struct Tile {  // the actions of one time tile
  Body body;
};
// Launches, and turns of slots, that may be recorded once and replayed: they depend on nothing but
// the roles of slots and inputs_of(). Set by mark_replays().
struct Replay {
  Body body;
};
// All blocks; those at both ends, which compute what the next exchange sends; or all others. Outer
// blocks set Mark::Begun once they have started (kernel::Launch::outer_blocks).
enum class Part { All, Outer, Inner };
struct Launch {
  const kernel::Launch* launch;
  Expr step;   // value of FirstStep; null if the kernel does not take it
  Expr count;  // value of StepCount; null if the kernel does not take it
  Part part = Part::All;
};
struct Rotate {  // slot k becomes slot k+1, the last becomes slot 0
  int array;
};
struct Swap {  // two slots
  int array;
  int a, b;
};
struct Exchange {  // with other subdomains
  int exchange;
};

// --- The stop condition: one I32 in scratch memory, nonzero if the condition holds

struct Read {  // into `stopped`; waits for the device
  int scratch;
};
struct Ask {  // starts to read, sets `awaited`; work may be launched before the Answer
  int scratch;
};
struct Answer {  // into `stopped`; waits for the read of the last Ask, clears `awaited`
  int scratch;
};

// --- Overlap of exchanges with launches

enum class MarkName { Inside, Outer, Begun, Exchanged };
struct Lane {  // launches and copies go to this queue of the device
  int lane;
};
struct Mark {  // the point that the queue has reached
  MarkName name;
};
struct Await {  // later work of this queue waits for the mark, if it was set since the last Await
  MarkName name;
};
struct Bind {  // fixes the arguments of the next LaunchBound: its slots may change roles before it
  Launch launch;
};
struct LaunchBound {};

// --- End

struct Home {  // moves the levels of an array to the caller's memory
  int array;
};
struct Collect {};  // reads the values of the reductions into the caller's results
struct Return {};   // success

struct Statement {
  std::variant<Take, Alloc, Copy, Slots, Flag, Restore, Place, Define, Assign, If, Block, For,
               Leave, Tile, Replay, Launch, Rotate, Swap, Exchange, Read, Ask, Answer, Lane, Mark,
               Await, Bind, LaunchBound, Home, Collect, Return>
      kind;
};

struct Program {
  std::vector<Variable> variables;
  Body begin, steps, end;

  const Variable* find(const std::string& name) const;
};

// The bodies that stand directly in a statement.
std::vector<const Body*> bodies_of(const Statement& statement);
std::vector<Body*> bodies_of(Statement& statement);
// The expressions that stand directly in a statement.
std::vector<Expr> expressions_of(const Statement& statement);

// Calls `visit` with every statement of the program in order, outer ones first.
template <class Visit>
void for_each_statement(const Body& body, const Visit& visit) {
  for (const Statement& statement : body) {
    visit(statement);
    for (const Body* inner : bodies_of(statement)) for_each_statement(*inner, visit);
  }
}
template <class Visit>
void for_each_statement(const Program& program, const Visit& visit) {
  for (const Body* body : {&program.begin, &program.steps, &program.end}) {
    for_each_statement(*body, visit);
  }
}

// The arguments of a launch as text, without descriptors of boxes.
struct ArgumentSpelling {
  std::function<std::string(const kernel::ArrayArgument&)> memory;
  std::function<std::string(int parameter)> parameter;
  std::function<std::string(const Expr&)> step, count;
  std::string first_block;
};
std::vector<std::string> arguments_of(const Launch& launch, const ArgumentSpelling& spelling);

// The variables that the statements read or assign and that they do not define.
std::set<std::string> inputs_of(const Body& body);
// The arrays of which the statements use or turn slots.
std::set<int> arrays_of(const Body& body);

// True if an expression of the program reads the variable.
bool reads(const Program& program, const std::string& name);

}  // namespace stencil::host_ir
