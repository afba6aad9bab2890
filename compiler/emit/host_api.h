// The C interface of an emitted file: the arguments of its entry points, in order.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/emit/box.h"
#include "compiler/emit/entry_points.h"
#include "compiler/emit/expression.h"
#include "compiler/emit/names.h"
#include "compiler/emit/text.h"
#include "compiler/kernel/plan.h"

namespace stencil::emit {

// A pointer argument: a level of an array of the plan. For boxes, any slot of a written array.
struct Pointer {
  int array;
  int level;
  std::string name;  // "A" for the newest level, "A_1" for @-1; "A[0]", "A[1]"
};

// The members of NAME_results for a reduction: its last value, as a double or int64_t, the number
// of evaluations, and when it was first NaN ("" for integers).
struct ReductionMembers {
  std::string value, evaluations, first_nan;
};

// Describes the default of a parameter: "default 0.25", "0.2*dx unless it is given", "must be
// given".
std::string describe_default(const kernel::Parameter& parameter);

class HostApi {
 public:
  // `box`: null, or the box whose program is `module`. With a box, the entry points are those for
  // boxes.
  HostApi(const kernel::Module& module, Names& names, const BoxPart* box = nullptr);

  const std::vector<Pointer>& pointers() const { return pointers_; }
  // The arguments that pass these pointers: one per pointer. For boxes, a written array has a
  // single argument, an array of pointers to its slots, in which the run exchanges pointers.
  std::vector<std::string> array_arguments() const;
  bool has_slots(size_t array) const { return box_ && module_.plan.arrays[array].written; }
  std::string slots_constant(size_t array) const;  // name of the number of slots
  std::string shape_constant(int array) const;     // name of the extents, in Fortran
  const std::string& steps() const { return steps_; }
  const std::string& stream() const { return stream_; }

  // A program with parameters has `struct NAME_params`, with a member for each. A member that is
  // not given holds no number (NaN; the smallest integer). Entry points take a pointer to it.
  bool has_params() const { return given() > 0; }
  size_t given() const { return box_ ? box_->given : module_.plan.parameters.size(); }
  std::string params_type() const { return module_.name + "_params"; }
  const std::string& params() const { return params_; }  // the argument's name
  const std::string& values() const { return values_; }  // the complete params, within entry points

  // A program with reductions has `struct NAME_results`, all members of 8 bytes: steps done,
  // whether the stop condition held, and the members of each reduction. The last argument points to
  // it.
  bool has_results() const { return !module_.plan.reductions.empty(); }
  std::string results_type() const { return module_.name + "_results"; }
  const std::string& results() const { return results_; }  // the argument's name
  const std::string& steps_done() const { return steps_done_; }
  const std::string& stopped() const { return stopped_; }
  const std::vector<ReductionMembers>& reductions() const { return reductions_; }
  std::vector<Structure> structures() const;  // params and results, if there are any
  std::vector<Structure> result_structures() const;
  std::string type(const kernel::Array& array) const;  // element type
  std::string pointer_type(const Pointer& pointer) const;
  std::string parameter_name(int parameter) const;
  std::string parameter_type(int parameter) const;

  // The arrays, one argument per pointer; for boxes, one per array that has slots. `initial`: the
  // function writes all elements and reads none.
  std::vector<Argument> arrays(bool initial = false) const;

  // "float* A, float* A_1, int64_t steps, int N" and so on, with break marks, without a comma at
  // either end. The tail follows the steps: parameters and results; entry points take pointers to
  // both.
  std::string array_list() const;
  std::string tail_list() const;

  EntryPoint run() const;  // NAME_run, or NAME_run_box
  EntryPoint init() const;
  EntryPoint default_params() const;
  EntryPoint derive_params() const;
  EntryPoint device_run(const std::string& ending) const;  // NAME_run_device, or another ending
  EntryPoint packed_run() const;                           // C++ only

  // For boxes: `struct NAME_box`, the bounds of a box; `struct NAME_memory`, the bounds of the
  // arrays.
  const BoxPart* box() const { return box_; }
  std::string box_type() const { return module_.name + "_box"; }
  std::string memory_type() const { return module_.name + "_memory"; }
  const std::string& box_argument() const { return box_argument_; }
  const std::string& memory_argument() const { return memory_argument_; }
  const std::string& first_step() const { return first_step_; }
  // True for arrays that have bounds of their own in NAME_memory.
  bool in_memory(size_t array) const { return !box_->memory[array].empty(); }
  std::vector<Structure> box_structures() const;
  EntryPoint box_memory() const;
  EntryPoint box_grid() const;

 private:
  Argument params_argument(bool output = false) const;
  Argument box_input() const;
  void add_params(EntryPoint& entry) const;

  const kernel::Module& module_;
  Names& names_;
  std::vector<Pointer> pointers_;
  const BoxPart* box_;
  std::string steps_, stream_, params_, values_;
  std::string first_step_, box_argument_, memory_argument_;  // for boxes only
  std::string results_, steps_done_, stopped_;
  std::vector<ReductionMembers> reductions_;
};

// Integer arithmetic on sizes in 64 bits: the expression over I32 variables and literals, with
// every leaf widened first.
kernel::Expr widened(const kernel::Expr& expr);

}  // namespace stencil::emit
