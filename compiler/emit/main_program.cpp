// The program of --main. Plain loop nests of the same stencil program, printed as host functions,
// check the result of the kernels. The emitted file thus contains its own check, and needs neither
// the compiler nor a data file to run.
//
// Only a small part depends on the module: the arguments (main_arguments.cpp), the table of arrays,
// and the calls. The rest is fixed text (main_support.cpp).
#include "compiler/emit/main_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/emit/driver.h"
#include "compiler/emit/main_arguments.h"
#include "compiler/emit/main_support.h"
#include "compiler/kernel/walk.h"

namespace stencil::emit {

namespace {

using kernel::Array;
using kernel::Module;
using kernel::Parameter;

constexpr int64_t kLongestCheck = 200;  // steps of a check by default

kernel::Expr pitch_of(const Array& array) {
  return kernel::stored_extents(array).back();
}

class MainProgram {
 public:
  MainProgram(Text& out, const Module& module, const HostApi& api, const HostModules& host,
              const Dialect& dialect)
      : out_(out),
        module_(module),
        plan_(module.plan),
        api_(api),
        initial_(host.initial),
        reference_(*host.reference),
        dialect_(dialect),
        names_(Names(module, dialect).for_host(module, {"a", "infos"})),
        expressions_(cpp_dialect(), module, names_) {}

  void write() {
    out_.blank();
    out_.comment("--- The program: initial values, plain loops to check against, timing ---");
    out_.blank();
    out_.line("namespace self_check {");
    out_.blank();
    if (dialect_.has_device()) host_support(out_, {&reference_}, false);
    host_module(out_, "reference", reference_, true, {}, dialect_);
    const auto& parameters = plan_.parameters;
    const bool reals = std::any_of(parameters.begin(), parameters.end(),
                                   [](const Parameter& p) { return is_float(p.type); });
    out_.verbatim(main_support_text(reals, padded()));
    main_arguments(out_, module_, api_);
    array_table();
    results();
    calls();
    out_.verbatim(main_timing_text(dialect_, padded()));
    main_parser(out_, module_, api_);
    initialise();
    out_.verbatim(main_outputs_text());
    check();
    report();
    out_.line("}  // namespace self_check");
    out_.blank();
    main_function();
  }

 private:
  void array_table();
  void results();
  void calls();
  std::string reference_call();
  std::string data_list(bool writable) const;
  void initialise();
  void check();
  void report();
  void main_function();
  void parameter_locals(const std::vector<kernel::Expr>& expressions);
  double tolerance() const;
  // Rows are padded in device memory.
  bool padded() const { return dialect_.has_device() && kernel::is_padded(plan_); }

  Text& out_;
  const Module& module_;
  const kernel::Plan& plan_;
  const HostApi& api_;
  const Module& initial_;
  const Module& reference_;
  const Dialect& dialect_;  // of the emitted file
  Names names_;
  ExpressionPrinter expressions_;
  // The first array that has no initial values and that the program does not change, if the program
  // gives values for an array that it changes; "" otherwise. Set by array_table().
  std::string lacking_;
};

// Defines locals for the parameters that these expressions read.
void MainProgram::parameter_locals(const std::vector<kernel::Expr>& expressions) {
  std::set<std::string> used;
  for (const kernel::Expr& expr : expressions) {
    used.merge(kernel::variables_in(expr));
  }
  bool any = false;
  for (size_t p = 0; p < plan_.parameters.size(); ++p) {
    const Parameter& parameter = plan_.parameters[p];
    if (!used.count(parameter.name)) continue;
    any = true;
    const int index = static_cast<int>(p);
    out_.line(fmt::format("const {} {} = a.params.{};", api_.parameter_type(index),
                          names_.spell(parameter.name), api_.parameter_name(index)));
  }
  if (!any) out_.line("(void)a;");
}

void MainProgram::array_table() {
  std::vector<std::string> newest;
  for (const Pointer& pointer : api_.pointers())
    newest.push_back(pointer.level == 0 ? "true" : "false");
  out_.line(fmt::format("constexpr bool newest[] = {{{}}};", comma_list(newest)));
  std::set<int> given;  // arrays with initial values
  for (const kernel::Action& action : initial_.plan.actions) {
    given.insert(std::get<kernel::Launch>(action).arrays.front().array);
  }
  bool written = false;  // one of them is changed by the program
  std::vector<std::string> has_values;
  for (const Pointer& pointer : api_.pointers()) {
    const bool has = given.count(pointer.array) > 0;
    has_values.push_back(has ? "true" : "false");
    const bool changes = plan_.arrays[pointer.array].written;
    written |= has && changes;
    if (!has && !changes && lacking_.empty()) lacking_ = pointer.name;
  }
  if (!written) lacking_.clear();  // then random values fill all arrays
  out_.comment(
      "Which arrays the program gives initial values, and whether it changes one of them.");
  out_.line(fmt::format("constexpr bool has_values[] = {{{}}};", comma_list(has_values)));
  out_.line(fmt::format("constexpr bool starts_with_values = {};", written));
  out_.line(fmt::format("constexpr double tolerance = {};  // 0: every bit",
                        real_literal(tolerance(), Scalar::F64, cpp_dialect())));
  out_.line(fmt::format("constexpr int failure_status = {};", dialect_.has_device() ? 3 : 1));
  out_.blank();
  out_.comment(
      "One entry for every pointer that the entry points take; returns the points of a step.");
  out_.open("static int64_t describe(const arguments& a, array_info* infos) {");
  std::vector<kernel::Expr> read = {plan_.points};
  for (const Array& array : plan_.arrays) {
    read.insert(read.end(), array.extents.begin(), array.extents.end());
    if (padded()) read.insert(read.end(), {pitch_of(array), kernel::lead_of(array)});
  }
  parameter_locals(read);
  for (size_t i = 0; i < api_.pointers().size(); ++i) {
    const Pointer& pointer = api_.pointers()[i];
    const Array& array = plan_.arrays[pointer.array];
    const std::string type =
        array.type == Scalar::I32 ? "type_int" : fmt::format("type_{}", name(array.type));
    std::vector<std::string> extents;
    for (const kernel::Expr& extent : array.extents)
      extents.push_back(expressions_.print(widened(extent)));
    std::string layout;
    if (padded()) {
      layout =
          fmt::format(",{}{},{}{}", soft_space(0), expressions_.print(widened(pitch_of(array))),
                      soft_space(0), expressions_.print(widened(kernel::lead_of(array))));
    }
    out_.line(fmt::format("infos[{}] = {{\"{}\",{}{},{}{},{}{},{}{},{}{{{}}}{}}};", i, pointer.name,
                          soft_space(0), type, soft_space(0), size_in_bytes(array.type),
                          soft_space(0), array.written, soft_space(0), array.extents.size(),
                          soft_space(0), comma_list(extents), layout));
  }
  out_.line(fmt::format("return {};", expressions_.print(widened(plan_.points))));
  out_.close();
  out_.blank();
}

std::string MainProgram::reference_call() {
  Names names = Names(reference_, dialect_).for_host(reference_);
  const HostApi api(reference_, names);
  std::vector<std::string> items;
  for (const Pointer& pointer : api.pointers()) {
    const Array& array = reference_.plan.arrays[pointer.array];
    for (size_t i = 0; i < api_.pointers().size(); ++i) {
      const Pointer& ours = api_.pointers()[i];
      const bool same = plan_.arrays[ours.array].name == array.name;
      if (!same || ours.level != pointer.level) continue;
      items.push_back(fmt::format("({})data[{}]", api.pointer_type(pointer), i));
    }
  }
  items.push_back("steps");
  items.push_back("0");
  for (size_t p = 0; p < plan_.parameters.size(); ++p) {
    items.push_back("a.params." + api_.parameter_name(static_cast<int>(p)));
  }
  if (api.has_results()) items.push_back("&(plain_came_to = reference_results())");
  return fmt::format("return reference::advance({});", comma_list(items));
}

// The pointers that entry points take, from `data`.
std::string MainProgram::data_list(bool writable) const {
  std::vector<std::string> items;
  for (size_t i = 0; i < api_.pointers().size(); ++i) {
    const Pointer& pointer = api_.pointers()[i];
    const Array& array = plan_.arrays[pointer.array];
    const std::string type = writable ? api_.type(array) + "*" : api_.pointer_type(pointer);
    items.push_back(fmt::format("({})data[{}]", type, i));
  }
  return comma_list(items);
}

// The results of the runs, with functions that print and compare them, for programs with
// reductions.
void MainProgram::results() {
  if (!api_.has_results()) return;
  Names names = Names(reference_, dialect_).for_host(reference_);
  const HostApi plain(reference_, names);
  out_.line(fmt::format("typedef reference::{} reference_results;", plain.results_type()));
  out_.line(fmt::format("static {} came_to;  // of the latest run", api_.results_type()));
  out_.line("static reference_results plain_came_to;  // and of the plain loops");
  out_.blank();
  const auto& reductions = api_.reductions();
  const auto some_have = [&](std::string ReductionMembers::*member) {
    return std::any_of(reductions.begin(), reductions.end(),
                       [&](const ReductionMembers& members) { return !(members.*member).empty(); });
  };
  const auto some_values = [&](bool real) {
    for (size_t r = 0; r < reductions.size(); ++r) {
      if (!reductions[r].value.empty() && is_float(plan_.reductions[r].type) == real) return true;
    }
    return false;
  };
  out_.verbatim(main_results_text(some_values(true), some_values(false),
                                  some_have(&ReductionMembers::first_nan)));
  out_.open("static void print_results(int64_t asked) {");
  out_.open(fmt::format("if (came_to.{}) {{", api_.stopped()));
  out_.line(
      fmt::format("printf(\"stopped after %lld of %lld steps\\n\",{}(long long)came_to.{},{}"
                  "(long long)asked);",
                  soft_space(1), api_.steps_done(), soft_space(1)));
  out_.close();
  for (size_t r = 0; r < api_.reductions().size(); ++r) {
    const ReductionMembers& members = api_.reductions()[r];
    if (members.value.empty()) continue;
    const bool real = is_float(plan_.reductions[r].type);
    out_.line(fmt::format("{}(\"{}\",{}came_to.{},{}came_to.{});",
                          real ? "print_value" : "print_integer", plan_.reductions[r].name,
                          soft_space(0), members.value, soft_space(0), members.evaluations));
  }
  out_.close();
  out_.blank();
  out_.open("static int status_of_results() {");
  out_.line("int status = 0;");
  for (size_t r = 0; r < api_.reductions().size(); ++r) {
    const std::string& first_nan = api_.reductions()[r].first_nan;
    if (first_nan.empty()) continue;
    out_.line(fmt::format("status |= status_of_nan(\"{}\",{}came_to.{});", plan_.reductions[r].name,
                          soft_space(0), first_nan));
  }
  out_.line("return status;");
  out_.close();
  out_.blank();
  out_.open("static bool same_results() {");
  out_.line(fmt::format("bool same = same_count(\"steps\",{}came_to.{},{}plain_came_to.{});",
                        soft_space(0), api_.steps_done(), soft_space(0), plain.steps_done()));
  for (size_t r = 0; r < api_.reductions().size(); ++r) {
    const ReductionMembers& ours = api_.reductions()[r];
    const ReductionMembers& theirs = plain.reductions()[r];
    const std::string& name = plan_.reductions[r].name;
    out_.line(
        fmt::format("same &= same_count(\"evaluations of {}\",{}came_to.{},{}"
                    "plain_came_to.{});",
                    name, soft_space(0), ours.evaluations, soft_space(0), theirs.evaluations));
    if (!ours.value.empty() && is_float(plan_.reductions[r].type)) {
      out_.line(fmt::format("same &= same_value(\"{}\",{}came_to.{},{}plain_came_to.{});", name,
                            soft_space(0), ours.value, soft_space(0), theirs.value));
    } else if (!ours.value.empty()) {
      out_.line(fmt::format("same &= same_count(\"reduction {}\",{}came_to.{},{}plain_came_to.{});",
                            name, soft_space(0), ours.value, soft_space(0), theirs.value));
    }
    if (ours.first_nan.empty()) continue;
    out_.line(
        fmt::format("same &= same_count(\"the first step at which {} is NaN\",{}came_to.{},{}"
                    "plain_came_to.{});",
                    name, soft_space(0), ours.first_nan, soft_space(0), theirs.first_nan));
  }
  out_.line("return same;");
  out_.close();
  out_.blank();
}

void MainProgram::calls() {
  std::vector<std::string> items = {data_list(false), "steps"};
  if (api_.has_params()) items.push_back("&a.params");
  if (api_.has_results()) items.push_back("&came_to");
  const bool parameters = api_.has_params();
  const auto function = [&](const std::string& head, const std::string& call) {
    out_.open("static const char* " + head + " {");
    if (!parameters) out_.line("(void)a;");
    out_.line(call);
    out_.close();
    out_.blank();
  };
  function("run(void* const* data, int64_t steps, const arguments& a)",
           fmt::format("return {}_run({});", module_.name, comma_list(items)));
  if (dialect_.has_device()) {
    items.push_back("stream");
    function(device_text("run_device(void* const* data, int64_t steps, const arguments& a, "
                         "$apiStream_t stream)",
                         dialect_),
             fmt::format("return {}_run_{}({});", module_.name, padded() ? "padded" : "device",
                         comma_list(items)));
  }
  std::vector<std::string> arrays = {data_list(true)};
  if (parameters) arrays.push_back("&a.params");
  function("run_initial(void* const* data, const arguments& a)",
           fmt::format("return {}_init({});", module_.name, comma_list(arrays)));
  function("run_reference(void* const* data, int64_t steps, const arguments& a)", reference_call());
  out_.open("static int64_t default_steps(const arguments& a) {");
  if (plan_.default_steps) {
    parameter_locals({*plan_.default_steps});
    out_.line(fmt::format("return {};", expressions_.print(widened(*plan_.default_steps))));
  } else {
    out_.line("(void)a;");
    out_.line("return 100;");
  }
  out_.close();
  out_.blank();
}

void MainProgram::initialise() {
  out_.verbatim(
      R"text(// The initial data: random values if requested, else those of the program. If the program has none
// for the arrays that it changes, a check on zeros would be meaningless, so values are random then
// too, unless zeros are requested.
static const char* initialise(const array_info* infos, void* const* data, const arguments& a) {
  const bool random = a.random || (!starts_with_values && !a.zeros);
)text");
  if (!lacking_.empty()) {
    out_.verbatim(fmt::format(
        "  if (!a.random && !a.zeros) {{\n"
        "    return \"the program gives {} no initial values: --random fills it, --zeros leaves it "
        "at 0\";\n"
        "  }}\n",
        lacking_));
  }
  out_.verbatim(R"text(  if (!a.random) {
    if (const char* error = run_initial(data, a)) return error;
  }
  for (int p = 0; random && p < max_pointers; ++p) {
    if (a.random || !has_values[p]) fill_random(infos[p], data[p], (uint32_t)p);
  }
  if (random) printf("initial values: random%s\n", a.random ? "" : "; no init writes the arrays that change (--zeros: 0)");
  return NULL;
}

)text");
}

double MainProgram::tolerance() const {
  bool inexact = module_.fp == FpMode::Fast;
  for (const Module* module : {&module_, &initial_, &reference_}) {
    for (const kernel::Kernel& kernel : module->kernels) {
      kernel::for_each_node(kernel.body, [&](const kernel::Expr& node) {
        const auto* operation = std::get_if<kernel::Operation>(&node->kind);
        inexact |= operation && is_transcendental(operation->op);
      });
    }
  }
  if (!inexact) return 0;
  double tolerance = 1e-10;
  for (const Array& array : plan_.arrays) {
    if (array.type == Scalar::F32) tolerance = std::max(tolerance, 1e-4);
    if (array.type == Scalar::F16 || array.type == Scalar::BF16) tolerance = 0.02;
  }
  return tolerance;
}

void MainProgram::check() {
  std::string text =
      R"(static bool same_as_plain_loops(const array_info* infos, void* const* initial,
                                const arguments& a, int64_t steps, int* status) {
  void* got[max_pointers];
  void* expected[max_pointers];
  for (int p = 0; p < max_pointers; ++p) {
    const size_t bytes = (size_t)infos[p].bytes();
    got[p] = malloc(bytes);
    expected[p] = malloc(bytes);
    if (!got[p] || !expected[p]) {
      fprintf(stderr, "out of memory for the check; --no-check skips it\n");
      exit(1);
    }
    memcpy(got[p], initial[p], bytes);
    memcpy(expected[p], initial[p], bytes);
  }
  const char* error = run(got, steps, a);
  if (!error) error = run_reference(expected, steps, a);
  bool same = !error;
  if (error) {
    fprintf(stderr, "%s\n", error);
    *status = failure_status;
  }
  int64_t telling = 0;
  for (int p = 0; p < max_pointers; ++p) {
    if (same && infos[p].written) {
      same = compare(infos[p], got[p], expected[p], tolerance, &telling);
    }
    free(got[p]);
    free(expected[p]);
  }
  if (same && (steps == 0 || telling == 0)) {
    printf("FAILED: the check is meaningless: %s; --no-check skips it\n",
           steps == 0 ? "no step was run"
                      : "all values are zero, infinite or NaN; try --random");
    return false;
  }
  return same$AND_RESULTS;
}

)";
  text = replaced(text, "$AND_RESULTS", api_.has_results() ? " && same_results()" : "");
  out_.verbatim(text);
}

void MainProgram::report() {
  std::string text = R"(static int program(int count, char** words) {
  arguments a;
  if (!parse(count, words, a)) {
    usage(words[0]);
    return 2;
  }
  if (a.steps < 0) a.steps = default_steps(a);
  if (a.check_steps < 0) a.check_steps = a.steps < $TILES ? a.steps : $TILES;
  array_info infos[max_pointers];
  void* initial[max_pointers];
  void* no_data[max_pointers] = {};
  const char* error = run(no_data, 0, a);  // checks the sizes
  if (error) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  const int64_t points = describe(a, infos);
  int64_t largest = 256 << 20, traffic = 0;  // bytes; of the scratch, and a read and a write of all
  for (int p = 0; p < max_pointers; ++p) {
    const int64_t bytes = infos[p].bytes();
    initial[p] = calloc(1, (size_t)bytes);
    if (!initial[p]) {
      fprintf(stderr, "cannot allocate %lld bytes for array %s\n", (long long)bytes, infos[p].name);
      return 1;
    }
    if (bytes > largest) largest = bytes;
    if (infos[p].written && newest[p]) traffic += 2 * bytes;
  }
  error = initialise(infos, initial, a);
  if (error) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }

  const double copy = a.repeat > 0 ? copy_seconds(largest) : 0;
  const double copy_gbs = copy > 0 ? 2e-9 * (double)largest / copy : 0;
  const double bound = traffic > 0 ? copy_gbs * (double)points / (double)traffic : 0;
  if (copy > 0) {
    printf("copy bound: %.1f GB/s, %.3f GCells/s for one read and one write per step\n", copy_gbs,
           bound);
  }
  double seconds[max_repeat];
  int status = time_runs(infos, initial, max_pointers, a, seconds);
  if (status) return status;
  const double time = a.repeat > 0 ? median(seconds, a.repeat) : 0;
  const int64_t steps = $DONE;
  const double gcells = time > 0 ? 1e-9 * (double)points * (double)steps / time : 0;
  if (a.repeat > 0) {
    printf("%lld steps: %.3f ms, %.3f GCells/s (median of %d)\n", (long long)steps, 1e3 * time,
           gcells, a.repeat);
  }
$PRINT
  if (a.outputs > 0) status = write_outputs(infos, initial, a);
  if (status) return status;
  const char* verdict = "skipped";
  if (a.check) {
    const bool same = same_as_plain_loops(infos, initial, a, a.check_steps, &status);
    verdict = same ? "passed" : "failed";
    if (same) {
      printf("PASSED: %lld steps agree with the plain loops\n", (long long)a.check_steps);
    } else if (!status) {
      status = 1;
    }
  }
  for (int p = 0; p < max_pointers; ++p) free(initial[p]);
  printf("RESULT name=$NAME gcells=%.6g copy_gbs=%.6g copy_gcells=%.6g "
         "time_ms=%.6g steps=%lld check=%s\n", gcells,
         copy_gbs, bound, 1e3 * time, (long long)steps, verdict);
$END
}

)";
  int64_t check_steps = 2 * plan_.time_tile + 1;  // two launches, a remainder, and a reduction
  for (const kernel::Reduction& reduction : plan_.reductions) {
    check_steps = std::max(check_steps, std::min<int64_t>(reduction.every + 1, kLongestCheck));
  }
  text = replaced(text, "$TILES", std::to_string(check_steps));
  text = replaced(text, "$NAME", module_.name);
  text = replaced(text, "$DONE", api_.has_results() ? "came_to." + api_.steps_done() : "a.steps");
  text =
      replaced(text, "$END",
               api_.has_results() ? "  return status ? status : of_results;" : "  return status;");
  text = replaced(text, "$PRINT",
                  api_.has_results() ? "  print_results(a.steps);\n"
                                       "  const int of_results = status_of_results();\n"
                                     : "");
  out_.verbatim(text);
}

void MainProgram::main_function() {
  out_.line("int main(int argc, char** argv) { return self_check::program(argc, argv); }");
}

}  // namespace

void main_program(Text& out, const Module& module, const HostApi& api, const HostModules& host,
                  const Dialect& dialect) {
  MainProgram(out, module, api, host, dialect).write();
}

}  // namespace stencil::emit
