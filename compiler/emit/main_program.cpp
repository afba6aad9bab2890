// The program of --main. The compiler's own lowering made the kernels; the same program's plain loop
// nests, printed beside them as host functions, check them. So the emitted file carries its proof along
// and needs neither the compiler nor a data file to run.
//
// What depends on the module is small: the arguments, the table of arrays, and the calls. The rest is
// fixed text (main_support.cpp). The self-check's functions come from their own modules, each in a
// namespace of its own, because the modules name their kernels and constants without regard to others.
#include "compiler/emit/main_program.h"

#include <fmt/format.h>

#include "compiler/emit/driver.h"
#include "compiler/emit/helpers.h"
#include "compiler/emit/main_support.h"
#include "compiler/emit/writer.h"
#include "compiler/kernel/walk.h"

namespace stencil::emit {

namespace {

using kernel::Array;
using kernel::Module;
using kernel::Parameter;

class MainProgram {
 public:
  MainProgram(Text& out, const Module& module, const HostApi& api, const SelfCheck& check, Target target)
      : out_(out), module_(module), plan_(module.plan), api_(api), check_(check), target_(target),
        names_(Names(module, cpp_dialect()).for_host(module)), expressions_(cpp_dialect(), module, names_) {}

  void write() {
    out_.blank();
    out_.comment("--- The program: initial values, plain loops to check against, timing ---");
    out_.blank();
    out_.line("namespace self_check {");
    out_.blank();
    host_module("initial", check_.initial);
    host_module("reference", check_.reference);
    out_.verbatim(main_support_text());
    arguments();
    array_table();
    calls();
    out_.verbatim(main_timing_text(target_));
    parse();
    initialise();
    check();
    report();
    out_.line("}  // namespace self_check");
    out_.blank();
    main_function();
  }

 private:
  void host_module(const char* name, const Module& module);
  void arguments();
  void array_table();
  void calls();
  void call(const std::string& function, const Module& module, const std::string& extra_steps);
  void parse();
  void initialise();
  void check();
  void report();
  void main_function();
  std::string with_arguments(const kernel::Expr& expr);
  std::string parameter_member(const Parameter& parameter) { return names_.spell(parameter.name); }
  std::string default_text(const Parameter& parameter);
  double tolerance() const;

  Text& out_;
  const Module& module_;
  const kernel::Plan& plan_;
  const HostApi& api_;
  const SelfCheck& check_;
  Target target_;
  Names names_;
  ExpressionPrinter expressions_;
};

// The functions of a host-only module: its kernels, and advance() over its plan.
void MainProgram::host_module(const char* name, const Module& module) {
  Names names(module, cpp_dialect());
  WriterOptions options;
  options.exported = false;
  options.parallel_loops = true;
  Writer writer(module, cpp_dialect(), Target::Cpp, names, options);
  writer.constants();
  for (const kernel::Kernel& kernel : module.kernels) writer.kernel(kernel);
  out_.line(fmt::format("namespace {} {{", name));
  out_.blank();
  if (target_ == Target::Cuda) {  // the file's own stencil_memory is device memory
    const auto& arrays = module.plan.arrays;
    const bool spares = std::any_of(arrays.begin(), arrays.end(),
                                    [](const Array& array) { return array.copies > array.levels; });
    if (spares || needs_aside(module)) out_.verbatim(host_memory_text());
  }
  out_.verbatim(helper_text(writer.expressions().helpers(), cpp_dialect()));
  out_.verbatim(writer.text());
  Names host_names = names.for_host(module);
  const HostApi api(module, host_names);
  ExpressionPrinter expressions(cpp_dialect(), module, host_names);
  advance_function(out_, module, api, host_names, expressions);
  out_.line(fmt::format("}}  // namespace {}", name));
  out_.blank();
}

std::string MainProgram::default_text(const Parameter& parameter) {
  if (is_float(parameter.type)) {
    return real_literal(parameter.real_default.value_or(0), arithmetic_type(parameter.type), cpp_dialect());
  }
  return std::to_string(parameter.integer_default.value_or(0));
}

void MainProgram::arguments() {
  out_.comment("What the command line sets.");
  out_.open("struct arguments {");
  out_.line("int64_t steps = -1;        // -1: the program's own number");
  out_.line("int64_t check_steps = -1;  // -1: enough for two launches and a remainder");
  out_.line("int repeat = 5;");
  out_.line("bool random = false;");
  out_.line("bool check = true;");
  for (size_t p = 0; p < plan_.parameters.size(); ++p) {
    const Parameter& parameter = plan_.parameters[p];
    out_.line(fmt::format("{} p_{} = {};", api_.parameter_type(static_cast<int>(p)), parameter.name,
                          default_text(parameter)));
    const bool open = !parameter.integer_default && !parameter.real_default;
    if (open) out_.line(fmt::format("bool has_{} = false;", parameter.name));
  }
  out_.close("};");
  out_.blank();
}

// The text of an expression with every parameter read from the arguments `a`.
std::string MainProgram::with_arguments(const kernel::Expr& expr) {
  std::string text = plain(expressions_.print(widened(expr)));
  return text;
}

void MainProgram::array_table() {
  out_.line(fmt::format("constexpr int max_pointers = {};", api_.pointers().size()));
  out_.blank();
  out_.comment("One entry for every pointer that the entry points take; returns the points of a step.");
  out_.open("static int64_t describe(const arguments& a, array_info* infos) {");
  parameter_locals();
  for (size_t i = 0; i < api_.pointers().size(); ++i) {
    const Pointer& pointer = api_.pointers()[i];
    const Array& array = plan_.arrays[static_cast<size_t>(pointer.array)];
    std::string_view type = "type_int";
    if (array.type == Scalar::I64) type = "type_long";
    if (array.type == Scalar::F16) type = "type_half";
    if (array.type == Scalar::BF16) type = "type_bfloat";
    if (array.type == Scalar::F32) type = "type_float";
    if (array.type == Scalar::F64) type = "type_double";
    std::vector<std::string> extents;
    for (const kernel::Expr& extent : array.extents) extents.push_back(expressions_.print(widened(extent)));
    out_.line(fmt::format("infos[{}] = {{\"{}\",{}{},{}{},{}{},{}{},{}{{{}}}}};", i, pointer.name, soft_space(0),
                          type, soft_space(0), size_in_bytes(array.type), soft_space(0), array.written,
                          soft_space(0), array.extents.size(), soft_space(0), comma_list(extents)));
  }
  out_.line(fmt::format("return {};", expressions_.print(widened(plan_.points))));
  out_.close();
  out_.blank();
}
}  // namespace
}  // namespace stencil::emit
