// The C interface of an emitted file: what its entry points take, in which order.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/emit/box.h"
#include "compiler/emit/expression.h"
#include "compiler/emit/names.h"
#include "compiler/emit/text.h"
#include "compiler/kernel/plan.h"

namespace stencil::emit {

// Memory that a caller gives: a level of an array of the plan. For boxes, any slot of one that is
// written.
struct Pointer {
  int array;
  int level;
  std::string name;  // "A" for the newest level, "A_1" for @-1; "A[0]", "A[1]"
};

// The members of NAME_results that tell of a reduction: its last value, as a double or int64_t, how
// often it was evaluated, and when it was first NaN ("" for integers).
struct ReductionMembers {
  std::string value, evaluations, first_nan;
};

// What a parameter is that is not given: "default 0.25", "0.2*dx unless it is given", "must be
// given".
std::string describe_default(const kernel::Parameter& parameter);

class HostApi {
 public:
  // `box`: null, or what `module` is the box program of; the entry points are those for boxes then.
  HostApi(const kernel::Module& module, Names& names, const BoxPart* box = nullptr);

  const std::vector<Pointer>& pointers() const { return pointers_; }
  // The arguments that they are: one each, or for boxes an array of those of an array of the plan,
  // which trade places.
  std::vector<std::string> array_arguments() const;
  bool has_slots(size_t array) const { return box_ && module_.plan.arrays[array].written; }
  std::string slots_constant(size_t array) const;  // how many there are
  const std::string& steps() const { return steps_; }
  const std::string& stream() const { return stream_; }

  // The parameters of a program that has some: `struct NAME_params`, a member for each. What is
  // not given holds no number (NaN; of integers, the least); entry points take a pointer to it.
  bool has_params() const { return given() > 0; }
  size_t given() const { return box_ ? box_->given : module_.plan.parameters.size(); }
  std::string params_type() const { return module_.name + "_params"; }
  const std::string& params() const { return params_; }  // the argument
  const std::string& values() const { return values_; }  // all of them known, within entry points

  // What a program with reductions gives back: `struct NAME_results`, all members of 8 bytes: steps
  // done, whether the stop condition held, and those of each reduction. A last argument points to
  // it.
  bool has_results() const { return !module_.plan.reductions.empty(); }
  std::string results_type() const { return module_.name + "_results"; }
  const std::string& results() const { return results_; }  // the argument
  const std::string& steps_done() const { return steps_done_; }
  const std::string& stopped() const { return stopped_; }
  const std::vector<ReductionMembers>& reductions() const { return reductions_; }
  void declare_results(Text& out) const;
  void declare_types(Text& out) const;                 // params and results
  std::string type(const kernel::Array& array) const;  // element type
  std::string pointer_type(const Pointer& pointer) const;
  std::string parameter_name(int parameter) const;
  std::string parameter_type(int parameter) const;

  // "float* A, float* A_1, int64_t steps, int N" and whatever else; with break marks. The lists
  // leave no comma at either end. The tail is what follows the steps: parameters, results; of an
  // entry point, pointers to both.
  std::string array_list() const;
  std::string writable_array_list() const;
  std::string tail_list() const;
  std::string run_signature() const;  // const char* NAME_run(...)
  std::string init_signature() const;
  std::string default_params_signature() const;
  std::string derive_params_signature() const;
  // const char* NAME_run_device(...), or another ending; of a dialect with a device.
  std::string device_signature(const std::string& ending, const Dialect& dialect) const;
  std::string run_packed_signature() const;  // C++

  // Of a box: `struct NAME_box`, its bounds; `struct NAME_memory`, those of the arrays.
  const BoxPart* box() const { return box_; }
  std::string box_type() const { return module_.name + "_box"; }
  std::string memory_type() const { return module_.name + "_memory"; }
  const std::string& box_argument() const { return box_argument_; }
  const std::string& memory_argument() const { return memory_argument_; }
  const std::string& first_step() const { return first_step_; }
  // Those that have bounds of their own in NAME_memory.
  bool in_memory(size_t array) const { return !box_->memory[array].empty(); }
  std::string box_memory_signature() const;
  std::string grid_signature() const;

 private:
  const kernel::Module& module_;
  Names& names_;
  std::vector<Pointer> pointers_;
  const BoxPart* box_;
  std::string steps_, stream_, params_, values_;
  std::string first_step_, box_argument_, memory_argument_;  // of boxes only
  std::string results_, steps_done_, stopped_;
  std::vector<ReductionMembers> reductions_;
};

// Integer arithmetic on sizes, done in 64 bits: an expression over I32 variables and literals with
// every leaf widened first.
kernel::Expr widened(const kernel::Expr& expr);

}  // namespace stencil::emit
