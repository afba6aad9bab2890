// The printer of one plan's host code, which all driver*.cpp files share.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/emit/driver.h"
#include "compiler/kernel/passes.h"

namespace stencil::emit {

// The names of variables in an expression.
std::set<std::string> variables_of(const kernel::Expr& expr);

class Driver {
 public:
  Driver(Text& out, const kernel::Module& module, const HostApi& api, Names& names,
         ExpressionPrinter& expressions, const Dialect& dialect, bool all_given = false)
      : out_(out),
        module_(module),
        plan_(module.plan),
        api_(api),
        names_(names),
        expressions_(expressions),
        dialect_(dialect),
        device_(dialect.has_device()),
        all_given_(all_given) {
    step_ = names.fresh("step");
    count_ = present_count_ = names.fresh("count");
    if (!plan_.repeats.empty()) {
      iteration_ = names.fresh("iteration");
      iterations_ = names.fresh("iterations");
    }
    first_step_ = api.box() ? api.first_step() : names.fresh("first_step");
    check_ = names.fresh(module.name + "_check");
    arrays_ = names.fresh("pointers");
    padded_ = names.fresh("padded");
    for (const kernel::Array& array : plan_.arrays) {
      bytes_.push_back(names.fresh(array.name + "_bytes"));
      const bool padded = kernel::is_padded(array);
      rows_.push_back(padded ? names.fresh(array.name + "_row") : "");
      pitches_.push_back(padded ? names.fresh(array.name + "_pitch") : "");
    }
    kernel::for_each_launch(plan_, [&](const kernel::Launch& launch) {
      blocks_[&launch] = names.fresh(kernel_of(launch).name + "_blocks");
    });
    for (const kernel::Scratch& scratch : plan_.scratch)
      scratch_.push_back(names.spell(scratch.name));
    if (plan_.reductions.empty()) return;
    left_ = names.fresh("left");
    done_ = names.fresh("done");
    holds_ = names.fresh("holds");
    flag_ = names.fresh("flag");
    if (device_) answer_point_ = kernel::answer_point(module_);
    given_ = names.fresh("given");
  }

  void check_function();
  void run_device();
  void run_on_dense_arrays();
  void run_on_host_arrays();
  void advance(const std::string& name);
  void advance_dense(const std::string& name, const std::string& advance);
  void run_from_host(const std::string& advance);
  void run_packed(const std::string& advance);
  void params_functions();
  void init(const InitialValues& initial);
  void run_box(const std::string& advance);
  void run_box_device();
  void grid();
  void box_memory();

 private:
  struct Kept {  // one element of scratch memory, and its member in the results
    int scratch;
    std::string name;    // for messages and variables
    std::string member;  // of the results
    std::string when;    // condition on the results; empty: it always has a value
  };
  struct Copies {                    // of one array during the loop
    std::vector<std::string> slots;  // expression for each slot
    std::string pointers;            // name of the array of slots; empty: slots do not change roles
    std::string scratch;             // a spare copy; empty: none
  };

  const kernel::Kernel& kernel_of(const kernel::Launch& launch) const {
    return module_.kernels[launch.kernel];
  }
  // A line in which $api stands for the prefix of the runtime's names.
  void device_line(const std::string& line) { out_.line(device_text(line, dialect_)); }
  std::string device_signature(const char* ending) const {
    return api_.device_signature(ending, dialect_);
  }
  std::string text(const kernel::Expr& expr) { return expressions_.print(widened(expr)); }
  void initialise(const kernel::Launch& launch, const InitialValues& initial);
  bool moves(int array) const;
  std::set<std::string> checked_parameters() const;
  // Which arguments NAME_check has. On devices, only runs of boxes begin at a step other than 0,
  // results are not in device memory, and padded arrays have their own entry points.
  bool checks_first_step() const { return !device_ || api_.box(); }
  bool checks_results() const { return !device_ && api_.has_results(); }
  bool checks_padding() const { return device_ && kernel::is_padded(plan_); }
  std::string check_arguments(const std::string& arrays, const std::string& steps,
                              const std::string& first_step, bool padded) const;
  void check(const std::string& arguments);
  void check_run(const std::string& steps, const std::string& first_step, bool padded = false);
  void check_steps();
  void check_arrays();
  void refuse_null(const std::string& pointer, const std::string& condition = "");
  void check_extents(const std::string& what, const std::string& element,
                     const std::vector<kernel::Expr>& extents);
  bool copied(size_t array) const;
  void size(size_t array);
  void allocate(const std::string& name, const std::string& array, const std::string& bytes);
  void copy(const std::string& to, const std::string& from, const std::string& bytes,
            const char* kind, const std::string& array);
  void clear(const std::string& memory, const std::string& bytes, const std::string& array);
  bool known_pitch(const kernel::Array& array) const;
  void declare_sizes(bool only_padded);
  void copy_array(size_t array, const std::string& dense, const std::string& stored, bool in,
                  const char* kind);
  void run_on_copies(const std::string& callee, const std::vector<std::string>& between,
                     bool from_host);
  void check_before_copies();
  void take_params(const std::set<std::string>& locals);
  void params_or_defaults();
  void take_box(const std::set<std::string>& locals);
  void check_coordinates(const std::vector<std::array<kernel::Expr, 2>>& bounds);
  void assign_box(const std::string& to, const std::vector<std::array<kernel::Expr, 2>>& bounds);
  void open_box_run(const std::string& signature);
  void name_params(const std::set<std::string>& locals);
  std::set<std::string> all_parameters() const;
  void default_params();
  void derive_params();
  void derive_param(size_t p, bool read);
  void check_given(const kernel::Parameter& parameter, const std::string& member);
  kernel::Expr settled(const kernel::Expr& expr,
                       std::map<const kernel::ExprNode*, kernel::Expr>& done);
  std::string bytes_of(const kernel::Array& array, const std::vector<kernel::Expr>& extents);
  void open_advance(const std::string& name);
  void declare_copies();
  void declare_scratch();
  void place_points();
  std::string bounds(const std::string& name, const std::vector<kernel::Expr>& values);
  void declare_blocks();
  void results_given(bool anew);
  void loop();
  void action(const kernel::Action& action, bool sizes);
  void open_repeat(const kernel::ActionRange& range);
  void close_repeat(const kernel::ActionRange& range);
  void steps_of_tile();
  void largest_tile(const std::string& count, int tile, const std::vector<int>& sizes,
                    const std::string& left, bool name);
  void launch(const kernel::Launch& launch);
  std::string tensor_map(const kernel::Launch& launch, size_t source);
  void reduce();
  void ask_to_stop();
  void wait_for_answer();
  void last_answer();
  void take_answer();
  void read_reductions();
  std::vector<Kept> kept() const;
  std::string absolute(const std::string& step) const;
  std::string element(int scratch) const;
  std::string_view type_of(int scratch) const;
  void bring_home();
  void advance_body();
  void go_on_from(const std::string& results);
  void unused_arguments();
  std::vector<std::string> tail_arguments(const std::string& results) const;
  std::string argument_names(const std::vector<std::string>& between,
                             const std::string& results) const;
  bool uses_count(const kernel::ActionRange& range) const;
  bool uses_count() const;
  bool uses_first_step() const;

  Text& out_;
  const kernel::Module& module_;
  const kernel::Plan& plan_;
  const HostApi& api_;
  Names& names_;
  ExpressionPrinter& expressions_;
  const Dialect& dialect_;  // of the file
  bool device_;             // kernels are launched on device memory
  bool all_given_;          // Options::all_given
  std::string step_, count_, first_step_, check_, arrays_, padded_;
  std::string iteration_, iterations_;              // used with repeats only
  std::string present_count_;                       // of the enclosing tile
  std::string left_, done_, holds_, flag_, given_;  // used with reductions only
  std::optional<size_t> answer_point_;              // kernel::answer_point; on devices only
  std::vector<std::string> bytes_;                  // per array, in the plan's layout
  std::vector<std::string> rows_, pitches_;         // per padded array: bytes of a row's points,
                                                    // and the row pitch in bytes
  std::vector<std::string> scratch_;                // per scratch memory
  std::map<const kernel::Launch*, std::string> blocks_;  // names of block counts, by launch
  std::vector<Copies> copies_;                           // per array
};

}  // namespace stencil::emit
