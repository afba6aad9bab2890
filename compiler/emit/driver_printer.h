// The printer of one plan's host code, which all driver*.cpp files share.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/emit/driver.h"
#include "compiler/emit/host_operations.h"

namespace stencil::emit {

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
        all_given_(all_given),
        host_(out, module, api, names, expressions, dialect) {
    first_step_ = api.box() ? api.first_step() : names.fresh("first_step");
    check_ = names.fresh(module.name + "_check");
    arrays_ = names.fresh("pointers");
    padded_ = names.fresh("padded");
    for (const kernel::Array& array : plan_.arrays) {
      const bool padded = kernel::is_padded(array);
      rows_.push_back(padded ? names.fresh(array.name + "_row") : "");
      pitches_.push_back(padded ? names.fresh(array.name + "_pitch") : "");
    }
    if (!plan_.reductions.empty()) given_ = names.fresh("given");
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
  const kernel::Kernel& kernel_of(const kernel::Launch& launch) const {
    return module_.kernels[launch.kernel];
  }
  std::string text(const kernel::Expr& expr) { return host_.text(expr); }
  void initialise(const kernel::Launch& launch, const InitialValues& initial);
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
  void refuse_if(const std::string& condition, const std::string& message);
  void open_function(const std::string& comment, const EntryPoint& entry);
  void end_function(const std::string& result);
  void check_extents(const std::string& what, const std::string& element,
                     const std::vector<kernel::Expr>& extents);
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
  void open_box_run(const std::string& comment, const EntryPoint& entry);
  void name_params(const std::set<std::string>& locals);
  std::set<std::string> all_parameters() const;
  void default_params();
  void derive_params();
  void derive_param(size_t p, bool read);
  void check_given(const kernel::Parameter& parameter, const std::string& member);
  kernel::Expr settled(const kernel::Expr& expr,
                       std::map<const kernel::ExprNode*, kernel::Expr>& done);
  void open_advance(const std::string& name);
  void results_given(bool anew);
  void advance_body();
  void go_on_from(const std::string& results);
  std::vector<std::string> tail_arguments(const std::string& results) const;
  std::string argument_names(const std::vector<std::string>& between,
                             const std::string& results) const;

  Text& out_;
  const kernel::Module& module_;
  const kernel::Plan& plan_;
  const HostApi& api_;
  Names& names_;
  ExpressionPrinter& expressions_;
  const Dialect& dialect_;  // of the file
  bool device_;             // kernels are launched on device memory
  bool all_given_;          // Options::all_given
  HostOperations host_;
  std::string first_step_, check_, arrays_, padded_;
  std::string given_;                        // on devices: results are wanted
  std::vector<std::string> rows_, pitches_;  // per padded array: bytes of a row's points, and the
                                             // row pitch in bytes
};

}  // namespace stencil::emit
