// The implementation of execute(): a symbolic interpreter for C. Private to compiler/lift.
//
// Scalars, pointers and small local arrays are cells, addressed by paths ("v3", "v3.u", "(*v3).nx",
// "v5[2]"). An object that a loop over space reads or writes is an array.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "compiler/lift/execution.h"
#include "compiler/lift/ranges.h"

namespace stencil::lifter {

// The target of a pointer: an element of an array, or an object with a path.
struct Pointer {
  int array = -1;
  std::vector<X> subscripts;
  std::string path;  // of an object, or of a small array indexed by `subscripts`
  int type = -1;     // of the target
  friend bool operator==(const Pointer&, const Pointer&) = default;
};

struct Value {
  enum class Kind : uint8_t { None, Scalar, Pointer };
  Kind kind = Kind::None;
  X x = nullptr;
  Pointer pointer;
  std::string why = "a value that is not known";  // the reason, if kind is None
  friend bool operator==(const Value& a, const Value& b) {
    return a.kind == b.kind && a.x == b.x && a.pointer == b.pointer;
  }
};

struct LValue {
  // Table is an element of a constant array at an unknown subscript. Its parts for Q[i].w: "Q",
  // "[i]", ".w".
  enum class Kind : uint8_t { None, Cell, Element, Table };
  Kind kind = Kind::None;
  std::string path;
  Pointer element;
  int type = -1;
  std::string why;
  X at = nullptr;           // subscript of a table, after `path`
  std::string behind = {};  // rest of the path, after the subscript
};

enum class Flow : uint8_t { Next, Break, Continue, Return };

using Cells = std::map<std::string, Value>;

// if (condition) break; or return in the time loop.
struct Break {
  X condition = nullptr;
  Cells cells;       // variables at the break
  size_t nests = 0;  // number of nests of the step before the break
  CPlace place;
  bool returns = false;  // the statement is if (condition) return ...;
  Value returned = {};
};

// if (c) return e; in a called function or before all loops, or if (c) continue;. The opposite of
// the condition guards the statements that follow.
struct EarlyEnd {
  X condition = nullptr;
  Cells cells;  // variables at the exit
  Value returned = {};
  LValue returned_place = {};
  CPlace place;
  // The program requires the opposite of the condition, so nothing is guarded.
  bool required = false;
};

struct Active {  // a loop that is being executed
  Domain domain;
  std::string key;
  std::string name;
  Domain unsplit;  // the domain before it was split at a condition
};

// The current position of the execution and the values of variables there.
struct Frame {
  Cells cells_;
  std::map<int, LValue> aliases_;   // references and their targets
  std::set<int> calls_;             // functions on the call stack
  std::vector<std::string> trail_;  // names of the enclosing loops and calls
  std::vector<int> call_sites_;     // nodes
  int call_depth_ = 0;
  Value returned_;
  LValue returned_place_;
  std::vector<Active> active_;
  std::vector<Store> stores_;  // of the current leaf
  X guard_ = nullptr;          // condition of the current stores: left_ and path_
  X path_ = nullptr;           // conditions around the statement, within its function or iteration
  // left_ guards the rest of the function or iteration. exits_ are the early ends of that function
  // or iteration. scope_ tells which statement ends it: return or continue.
  X left_ = nullptr;
  std::vector<EarlyEnd> exits_;
  Flow scope_ = Flow::Return;
  int dry_ = 0;
};

// Everything that changes during the execution. To try an execution, copy the state first and
// assign the copy back afterwards.
struct State : Frame {
  Execution out_;
  std::map<std::string, int> array_paths_, symbol_paths_, index_ids_;
  std::set<std::string> names_;
  std::map<std::string, std::pair<Poly, Poly>> parts_;  // the parts of split domains, by loop key
  bool in_nest_ = false, fused_ = true, split_ = true, in_time_ = false;
  bool probing_ = false;  // restarts are disabled
  int64_t epoch_ = 0;     // number of nests so far
  X time_ = nullptr;
  bool time_bounds_ = false;    // a loop over space has bounds that depend on the step
  size_t time_trail_ = 0;       // size of trail_ at the level of the time loop
  std::vector<Break> breaks_;   // of the step
  Cells before_steps_;          // state before the time loop
  int stops_ = 0;               // number of data conditions that end the time loop
  std::vector<Break> endings_;  // breaks of the finished time loop
  std::map<std::string, std::string> sum_names_;  // by path
  std::set<std::string> loop_counters_;           // paths
};

class Executor : private State {
 public:
  Executor(const CTree& tree, Pool& pool, const ExecuteOptions& options)
      : tree_(tree), pool_(pool), options_(options), ranges_(pool) {}
  Execution run();

 private:
  State& state() { return *this; }
  Frame& frame() { return *this; }
  struct Split {  // thrown to split the domain of a loop at a condition
    std::string key;
    Poly at;
  };
  struct Unfusable {};  // thrown if the stores of an iteration must be executed in order
  struct NoSplit {};    // thrown if conditions must become selects
  // Thrown to repeat the execution if earlier statements depend on a fact learned later.
  struct Restart {};
  struct Loop {  // for (v = first; v < end; v += step)
    LValue counter;
    CScalar type = CScalar::I32;
    X first = nullptr, last = nullptr;  // inclusive
    int64_t step = 1;
    int body = -1;
    int node = -1;
    int bound = -1;     // node of the expression that the counter is compared with
    X limit = nullptr;  // its value
  };

  // execute_values.cpp
  Value eval(int node);
  X scalar(int node);
  Value scalar_value(X x) const { return {Value::Kind::Scalar, x, {}, ""}; }
  Value unknown(const std::string& why) const { return {Value::Kind::None, nullptr, {}, why}; }
  LValue place(int node);
  LValue place_of_variable(int node);
  LValue place_of_subscript(const CNode& node);
  LValue element_of(const Pointer& pointer);
  Value read(const LValue& place, const CNode& at);
  Value read_cell(const LValue& place);
  Value read_element(const LValue& place, const CNode& at);
  Value read_table(const LValue& place);
  Value decayed(const LValue& place);
  Value eval_binary(const CNode& node);
  Value eval_cast(const CNode& node);
  Value eval_assign(const CNode& node);
  Value eval_step(const CNode& node);
  void assign(const LValue& place, const Value& value, const CNode& at);
  void assign_object(const LValue& to, const LValue& from, const CNode& at);
  void assign_array(const LValue& to, const LValue& from, const CNode& at);
  X resolved(X subscript, const CNode& at);
  void keeps_values(X subscript, const CNode& at) const;
  X remainder_of(X x, bool may_split);
  std::optional<bool> decide(X condition);
  std::optional<bool> decide(X condition, std::map<X, std::optional<bool>>& done);
  std::optional<bool> decide_anew(X condition, std::map<X, std::optional<bool>>& done);
  std::optional<bool> decide_as_it_is(X condition);  // does not split loops
  std::optional<bool> decided_by_ranges(const std::string& op, X l, X r);
  X choice_of_index(X condition, X yes, X no) const;
  X bent(X subscript);
  std::optional<bool> decide_compare(const std::string& op, Poly difference, bool may_split);
  bool known_at_least_zero(const Poly& p) const;
  Poly extreme(Poly p, bool largest) const;

  // execute_memory.cpp
  int array_of(const std::string& path, int type, bool pointer);
  std::string name_of_path(const std::string& path) const;
  std::string object_of(const std::string& path, bool pointer) const;
  std::string c_expression(const std::string& path) const;
  int variable_of_path(const std::string& path) const;
  void find_single();
  void check_depth() const;
  bool is_local(const std::string& path) const;
  bool is_table(const std::string& path) const;
  X symbol_of(const std::string& path, CScalar type);
  X symbol_named(const std::string& name, const std::string& c_expression, int variable,
                 CScalar type);
  std::string distinct(std::string name);
  bool is_param(const CNode& n) const;
  bool has_param(int node) const;
  X load(int array, const std::vector<X>& subscripts, const CNode& at);
  void store(int array, std::vector<X> subscripts, X value, const CNode& at);
  std::optional<bool> same_element(const std::vector<X>& a, const std::vector<X>& b) const;
  void initialise(const std::string& path, int type, int node);

  // execute_calls.cpp
  Value eval_call(const CNode& node);
  Value call_function(const CNode& node);
  Value library_call(const CNode& node);
  LValue place_of_call(const CNode& node);
  void return_object(int type, int value);
  void bind_parameters(const CFunction& function, const CNode& node);
  Value eval_swap(const CNode& node);
  Value length_of(const CNode& node);
  Value classified(const CNode& node, const std::string& name);
  void may_change(const CNode& argument, const Value& value, const CNode& call);

  // execute_branches.cpp
  bool node_changes(const CNode& n, bool own);
  bool function_changes(int function);
  bool has_effects(int node);
  static bool is_pure(const std::string& library_function);
  X both(X a, X b);
  X guarded_by(X more) { return both(guard_, more); }
  void end_where(const EarlyEnd& end);
  void run_branches(X condition, const CNode& at, const std::function<void()>& yes,
                    const std::function<void()>& no);
  void merge(X condition, const Cells& yes);
  Value eval_logical(const CNode& node);
  Value eval_choice(const CNode& node);
  Flow exec_if(const CNode& node);
  Flow exec_converted_if(const CNode& node, X condition);
  bool early_return(const EarlyEnd& end, bool nothing_stored, const CNode& n);
  Flow in_scope(Flow kind, int body);
  Value either(X condition, const Value& yes, const Value& no) const;
  bool at_least_zero_unless(X condition, std::vector<Poly>& slacks);
  bool is_size(X atom) const;
  std::optional<Poly> exact(X x, bool assume = false);
  std::optional<Poly> exact(X x, bool assume, std::map<X, std::optional<Poly>>& done);
  bool stays_within(X x, const Poly& p, bool assume);
  void require(const Poly& slack, const std::string& why);

  // execute_loops.cpp
  Flow exec(int node);
  Flow exec_statement(int node);
  Flow exec_block(const CNode& node);
  Flow exec_loop(int node);
  std::optional<Loop> canonical(int node);
  std::optional<Loop> canonical_while(int node);
  bool unrolled(const Loop& loop);
  bool moves_along(const Loop& loop);
  Flow simulate(int node);
  void space_loop(const Loop& loop);
  struct Steady {  // change per iteration; nullopt: not constant
    std::optional<int64_t> step;
  };
  bool find_steady(const Cells& start, const std::set<std::string>& changed, const Loop& loop,
                   std::map<std::string, Steady>& steady);
  X in_iteration(const Value& start, const Steady& of, const Loop& loop, X index);
  void carry(const Cells& before, const std::set<std::string>& changed, const Domain& domain,
             CPlace place);
  X joined(X start, X sum);
  bool takes_in(X carried, X after, std::string& op, X& value);
  std::optional<X> reduced(X carried, X after, const Domain& domain, const std::string& path);
  bool counter_in_stores(size_t from) const;
  // execute_time.cpp
  struct TimeLoop {
    int node = -1, body = -1;
    std::optional<Loop> counted;  // set if the loop has a plain counter
    std::vector<int> conditions;  // the loop continues while all of them hold
    bool first = true;            // C tests the conditions before the first step
    int step = -1;                // node of the increment of a `for`
    std::string counter() const { return counted ? counted->counter.path : ""; }
  };
  bool time_loop(const TimeLoop& loop);
  void time_body(const TimeLoop& loop);
  void run_step(const TimeLoop& loop);
  TimeLoop conditional(int node);
  void conjuncts(int node, std::vector<int>& out) const;
  void counters(const Cells& before, const std::set<std::string>& changed, const TimeLoop& loop);
  std::map<std::string, X> flags(const Cells& before, const std::set<std::string>& changed,
                                 const TimeLoop& loop, const State& start);
  std::map<std::string, int64_t> guessed_growth(const Cells& before,
                                                const std::set<std::string>& changed,
                                                const TimeLoop& loop, const State& start);
  std::set<std::string> periodic_counters(const Cells& before, const std::set<std::string>& changed,
                                          const TimeLoop& loop);
  // execute_endings.cpp
  void endings(const TimeLoop& loop, const std::vector<X>& at_first);
  void ending(X condition, bool at_least_once, const CNode& at);
  X rarely(X condition, const CNode& at);
  X with_guarded(X condition,
                 const std::function<X(X value, X guard, X now, X carried)>& replacement);
  std::string carried_path(X carried) const;
  X steps_of(const Poly& steps, const CNode& at);
  void behind_loop(const Cells& before, const TimeLoop& loop);
  std::optional<Value> behind(const Value& value);
  void end_of_time_body(const Cells& before, const Cells& start);
  void outside_values(Cells& before);
  void scalars_left();
  void returned_early();
  X followed(const Value& value, CScalar type);
  void each_scalar_left(const Cells& before, const Cells& after,
                        const std::function<void(const std::string&, const Value&, bool)>& visit);
  void returned_from_loop();
  void nest(CPlace place, const std::function<void()>& body);
  void run_leaves(std::vector<std::vector<Store>>& leaves, const std::function<void()>& body,
                  std::map<std::string, Cells>& ends);
  int depth_of_loops(int node);
  bool assigns(int node, const std::string& path);
  bool changes(int statement, int expression);
  void unchanged(const Loop& loop, X counter);
  bool counts_as_written(const Loop& loop, CScalar compared, X limit);
  std::string key_of(int node) const;
  void check_leaves(const std::vector<std::vector<Store>>& leaves);

  // helpers
  const CNode& node(int index) const { return tree_.nodes[index]; }
  const CTypeInfo* type_of(int index) const { return index < 0 ? nullptr : &tree_.types[index]; }
  CScalar scalar_of(int type) const;
  CPlace place_in_c(const CNode& n) const { return {n.file, n.line, n.column}; }
  CPlace where(const CNode& at) const;
  [[noreturn]] void refuse(const std::string& code, const CNode& at, const std::string& message,
                           const std::string& hint = "") const;
  void require(X condition, const std::string& why);
  void budget(const CNode& at);

  const CTree& tree_;
  Pool& pool_;
  const ExecuteOptions options_;

  Ranges ranges_;

  // These members keep their values when a state is restored.
  std::vector<signed char> effects_;      // by node; -1: not computed
  std::map<int, bool> function_changes_;  // by function
  std::vector<int> loop_depths_;          // by node; -1: not computed
  std::map<std::string, int> cell_types_;
  std::set<std::string> read_;  // paths read within the time loop
  std::set<int> not_time_;      // loops found to be over space
  long steps_taken_ = 0;
  std::set<int> single_;  // pointers to a single number that the region writes: double* residual
  // Facts learned before a restart: paths of arrays that are written, and local arrays with
  // variable subscripts.
  std::set<std::string> stored_, rooted_;
};

}  // namespace stencil::lifter
