// Runs the original and the program on the same data and compares every bit. The proof covers only
// what these runs executed. The original therefore records both outcomes of each branch
// (runtime/host/c/outcomes.h), and runs continue until all were taken or a few seconds have passed.
//
// Runs in which the original has undefined behaviour are discarded. Both sides compute in strict
// mode: C with -ffp-contract=off, the program with --fp strict.
#include "runtime/api/lift_verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>

#include "compiler/lift/numbers.h"
#include "compiler/support/try.h"
#include "runtime/api/lift_original.h"
#include "runtime/api/lift_outside.h"
#include "runtime/api/lift_plan.h"
#include "runtime/api/lift_zeros.h"
#include "stencil/simulation.h"

namespace stencil::api {

using lifter::CScalar;
using lifter::FieldBinding;

namespace {

constexpr const char* kDiffers =
    "this is a bug of the lifter, or an assumption that does not hold; please report the file";
constexpr double kPlanned = 1.5;  // seconds for planned runs; the first kFirstRuns do not count
constexpr size_t kMostRuns = 600;
constexpr size_t kFirstRuns = 2;
constexpr size_t kFewestRuns = 24;  // if time permits

class Prover {
 public:
  Prover(const lifter::Lifted& lifted, const runtime::LiftRequest& request, uint64_t seed,
         double search)
      : lifted_(lifted), request_(request), search_(search), values_(lifted, seed) {}

  Result<LiftProof> run() {
    TRY(all_runs());
    LiftProof proof;
    proof.outcomes = original_.outcomes();
    if (runs_.empty()) {
      proof.text = !why_.empty()
                       ? why_
                       : "no small sizes were found at which all accesses are within the arrays" +
                             (rejected_.empty() ? "" : " (" + rejected_ + ")");
      return proof;
    }
    proof.ran = true;
    proof.missing = original_.missing();
    proof.runs = runs_text();
    if (!why_.empty()) {
      proof.text = why_;
    } else if (!not_computed_.empty()) {
      proof.text = fmt::format("the program does not compute {}; {}",
                               fmt::join(not_computed_, ", "), proof.runs);
    } else if (const auto symbol = plan_.bounded_above()) {
      proof.text =
          fmt::format("an assumption bounds '{}' from above, which the original does not; {}",
                      lifted_.execution.symbols[*symbol].c_expression, proof.runs);
    } else if (const std::string outside = outside_.text(lifted_, plan_, runs_); !outside.empty()) {
      proof.text = fmt::format("{}; {}", outside, proof.runs);
    } else {
      judge(proof);
    }
    return proof;
  }

 private:
  // ---- selection of runs

  Status all_runs() {
    const auto compiled = TRY(original_.compile(request_));
    if (!compiled.empty()) {
      why_ = compiled;
      return Done{};
    }
    open_program();
    const auto begin = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    std::set<std::pair<int, int64_t>> covered;
    for (const LiftPlan::Target& target : plan_.targets()) {
      if (covered.count({target.symbol, target.value}) > 0) continue;
      if (runs_.size() >= kFirstRuns && seconds() > kPlanned) break;
      // the program may reject a case by its own checks
      for (int attempt = 0; attempt < (target.symbol < 0 ? 60 : 6); ++attempt) {
        const auto one = plan_.aim(target, drawn_++);
        if (!one) break;
        const auto same = TRY(compare(*one));
        if (!why_.empty()) return Done{};
        if (!same && runs_.empty() && seconds() > search_) break;
        if (!same) continue;
        for (const auto& [symbol, value] : one->integers) covered.insert({symbol, value});
        break;
      }
    }
    while (!runs_.empty() && runs_.size() < kFewestRuns && drawn_ < 4 * kFewestRuns &&
           plan_.has_integers() && seconds() < kPlanned) {
      const auto one = plan_.any(drawn_++);
      if (!one) continue;
      TRY(compare(*one));
      if (!why_.empty()) return Done{};
    }
    if (!runs_.empty() && !original_.missing().empty()) probe_excluded();
    while (!runs_.empty() && !original_.missing().empty() && drawn_ < kMostRuns &&
           seconds() < search_) {
      const auto one = plan_.any(drawn_++);
      if (!one) continue;
      TRY(compare(*one));
      if (!why_.empty()) return Done{};
    }
    return Done{};
  }

  // The report lists the assumptions that exclude some sizes. Outcomes taken only at these sizes
  // are therefore no gap in the proof.
  void probe_excluded() {
    constexpr size_t kProbes = 40;
    for (size_t number = 0; number < kProbes && !original_.missing().empty(); ++number) {
      const auto one = plan_.excluded(number);
      if (!one) return;
      original_.probe(*one, memory_.allocate(*one));
    }
  }

  // ---- reporting

  static std::string steps_text(const LiftCase& one) {
    return fmt::format("{} step{}", one.steps, one.steps == 1 ? "" : "s");
  }

  std::string runs_text() const {
    int64_t least = INT64_MAX, most = 0;
    for (const LiftCase& one : runs_) {
      least = std::min(least, one.steps);
      most = std::max(most, one.steps);
    }
    std::string text =
        fmt::format("{} on random data ({}",
                    runs_.size() == 1 ? "one run" : fmt::format("{} runs", runs_.size()),
                    plan_.sizes_text(runs_));
    if (lifted_.program.steps != nullptr) {
      text += least == most ? fmt::format("; {} step{}", least, least == 1 ? "" : "s")
                            : fmt::format("; {} to {} steps", least, most);
    }
    if (lifted_.execution.stop != nullptr)
      text += fmt::format(", {} ended by the condition", stopped_);
    text += ")";
    if (const std::string only = only_where(); !only.empty()) text += ", only where " + only;
    return text;
  }

  // The assumptions about sizes. They may exclude sizes that are valid for the original.
  std::string only_where() const {
    std::string out;
    size_t next = 0;
    const auto& assumed = lifted_.program.assumed;
    for (const auto& [condition, why] : lifted_.execution.requirements) {
      const std::string end = " (" + why + ")";
      while (next < assumed.size() && !assumed[next].ends_with(end)) ++next;
      if (next == assumed.size()) break;
      const std::string text = assumed[next].substr(0, assumed[next].size() - end.size());
      out += (out.empty() ? "" : " and ") + text;
      ++next;
    }
    // comparisons in C skip a NaN, reductions of the language propagate it
    if (!lifted_.execution.reductions.empty())
      out += std::string(out.empty() ? "" : " and ") + "no reduced value is NaN";
    return out;
  }

  void judge(LiftProof& proof) const {
    proof.compared = proof.missing.empty();
    const size_t arrays = lifted_.execution.arrays.size();
    const std::string same =
        sums_differ_ ? "the same up to the last digits of sums, which are added in another order"
        : powers_differ_ ? "the same up to the last digits of library functions"
                         : same_bits(lifted_, zeros_differ_);
    proof.runs = fmt::format("{}, {} array{}{}: {}", proof.runs, arrays, arrays == 1 ? "" : "s",
                             results_ > 0 ? " and the final scalars" : "", same);
    proof.text = proof.compared ? proof.runs
                                : fmt::format("{}; {}{}", text_of(proof.missing), proof.runs,
                                              discarded_text());
  }

  std::string discarded_text() const {
    if (undefined_.empty()) return "";
    return fmt::format("; runs with undefined behaviour of the original were discarded ({})",
                       undefined_);
  }

  // ---- execution of both sides

  // Compiles the program once, if its sizes can be set at run time.
  void open_program() {
    if (lifted_.program.sized) return;
    Options options;
    options.fp = FloatingPoint::Strict;
    for (const auto& param : lifted_.program.params) {
      if (is_integer(param.symbol)) options.open.push_back(param.param);
    }
    const auto program = Program::from_text(lifted_.program.text, options, "lifted.stn");
    if (!program.ok()) return;
    auto kernel = program.value().compile(kernel_options());
    if (kernel.ok()) open_ = std::move(kernel).value();
  }

  static KernelOptions kernel_options() {
    KernelOptions options;
    options.device = "host";
    options.schedule = "direct";
    return options;
  }

  bool is_integer(int symbol) const {
    return lifter::is_integer(lifted_.execution.symbols[symbol].type);
  }

  ParamValues values_of(const LiftCase& one, bool integers) const {
    ParamValues out;
    for (const auto& param : lifted_.program.params) {
      if (!is_integer(param.symbol)) {
        out.insert_or_assign(param.param, ParamValue(one.reals.at(param.symbol)));
      } else if (const auto found = one.integers.find(param.symbol);
                 integers && found != one.integers.end()) {
        out.insert_or_assign(param.param, ParamValue(found->second));
      }
    }
    return out;
  }

  // Starts the program with the values of a case; fails if they are not valid for it.
  Result<Simulation> started(const LiftCase& one) {
    if (open_) return open_->start(values_of(one, true));
    Options options;
    options.fp = FloatingPoint::Strict;
    for (const auto& param : lifted_.program.params) {
      const auto found = one.integers.find(param.symbol);
      if (found != one.integers.end())
        options.definitions.insert_or_assign(param.param, ParamValue(found->second));
    }
    const auto program = TRY(Program::from_text(lifted_.program.text, options, "lifted.stn"));
    TRY(program.initial_state(values_of(one, false)));
    const auto kernel = TRY(program.compile(kernel_options()));
    return kernel.start(values_of(one, false));
  }

  static std::string level(const FieldBinding& field) {
    return field.level == 0 ? field.field : fmt::format("{}@-{}", field.field, field.level);
  }

  Status give(Simulation& run, const LiftCase& one, std::vector<OriginalArray>& arrays) {
    for (const FieldBinding& field : lifted_.program.fields) {
      TRY(run.set(level(field), memory_.part_of(field, one, arrays, 0)));
    }
    return memory_.set_points(run, one, arrays);
  }

  Status take(Simulation& run, const LiftCase& one, std::vector<OriginalArray>& arrays) {
    for (const FieldBinding& field : lifted_.program.fields) {
      if (!field.written) continue;
      TRY(run.get(level(field), memory_.part_of(field, one, arrays, one.steps)));
    }
    for (const lifter::PointFieldBinding& field : lifted_.program.point_fields) {
      if (!field.written) continue;
      TRY(run.get(field.field, memory_.points_of(field, one, arrays)));
    }
    return Done{};
  }

  // Whether the case counts as evidence; `rejected_` and `undefined_` give the reason if not.
  Result<bool> compare(LiftCase one) {
    auto simulation = started(one);
    if (!simulation.ok()) {
      rejected_ = simulation.failure().message;
      return false;
    }
    Simulation& run = simulation.value();
    std::vector<OriginalArray> arrays = memory_.allocate(one);
    std::vector<OriginalArray> lifted = arrays;
    first_ = arrays;
    TRY(give(run, one, lifted));
    // Run the program first. If it does not reach its stop condition, the original must not run:
    // its loop would be endless.
    const bool stops = lifted_.execution.stop != nullptr;
    std::optional<Report> report;
    if (stops) {
      const int64_t most = plan_.most_steps(one);
      auto advanced = TRY(run.advance(most));
      if (!advanced.stopped && most < one.steps) {
        rejected_ =
            fmt::format("the condition that ends the loop did not hold within {} steps ({})", most,
                        plan_.sizes_text({one}));
        return false;
      }
      report = std::move(advanced);
    }
    const Result<bool> usable = call_original(one, arrays);
    if (!usable.ok() || !usable.value()) return usable;
    if (!stops) {
      auto advanced = TRY(run.advance(one.steps));
      report = std::move(advanced);
    }
    one.steps = report->steps;
    stopped_ += report->stopped ? 1 : 0;
    TRY(take(run, one, lifted));
    const Status same = all_equal(run, *report, one, arrays, lifted);
    if (!same.ok()) {
      if (const auto local = depends_on_local(one, lifted)) {
        why_ =
            fmt::format("'{}' is local to the function and is read before it is written", *local);
        return false;
      }
      if (const auto array = original_.reads_outside(one, first_)) {
        outside_.note(*array, one);
        rejected_ = "the original reads outside of its arrays";
        return false;
      }
      return same.failure();
    }
    runs_.push_back(std::move(one));
    return true;
  }

  Result<bool> call_original(const LiftCase& one, std::vector<OriginalArray>& arrays) {
    constexpr int kPatience = 20, kLess = 5;  // seconds
    const OriginalRun run = original_.call(one, arrays, runs_.empty() ? kPatience : kLess);
    if (run.end.kind == ChildEnd::Kind::Unconfined) {
      why_ = "the original was not run: " + run.end.text;
      return false;
    }
    if (!run.undefined.empty()) {
      undefined_ = run.undefined;
      rejected_ = "the original has undefined behaviour: " + run.undefined;
      return false;
    }
    // C may be undefined at a size or value that the program accepts. The report lists the sizes
    // that were run.
    if (!runs_.empty() && !(run.end.returned() && run.outside.empty())) {
      for (size_t a = 0; a < arrays.size() && !run.outside.empty(); ++a) {
        if (lifted_.execution.arrays[a].c_expression == run.outside) outside_.note(a, one);
      }
      rejected_ = run.outside.empty() ? run.end.text
                                      : fmt::format("it writes outside of '{}'", run.outside);
      return false;
    }
    if (!run.end.returned()) {
      return Failure{
          "C031",
          fmt::format("the original does not return at sizes at which the program runs ({}): {}",
                      plan_.sizes_text({one}), run.end.text),
          std::string(
              run.end.kind == ChildEnd::Kind::Late
                  ? ""
                  : "it accesses memory outside of its arguments, or makes a system call; ") +
              "--no-verify writes the program without this check"};
    }
    if (!run.outside.empty()) {
      return Failure{
          "C031",
          fmt::format("the original writes outside of '{}' at sizes at which the program runs ({})",
                      run.outside, plan_.sizes_text({one})),
          "its arrays are too short for its accesses; --no-verify writes the program without this "
          "check"};
    }
    return true;
  }

  Status all_equal(Simulation& run, const Report& report, const LiftCase& one,
                   const std::vector<OriginalArray>& arrays,
                   const std::vector<OriginalArray>& lifted) {
    const double scale = one.data == LiftData::Mild ? 0 : scale_of(arrays);
    for (size_t a = 0; a < arrays.size(); ++a) {
      if (lifted_.execution.arrays[a].local) continue;
      TRY(equal(a, arrays[a], lifted[a], one, scale));
    }
    return equal_results(run, report, one, scale * std::max(one.points, 1.0));
  }

  // The largest number in any array; 0 for bitwise comparison.
  double scale_of(const std::vector<OriginalArray>& arrays) const {
    if (!lifted_.program.sums && !lifted_.program.powers) return 0;
    double out = 0;
    for (size_t a = 0; a < arrays.size(); ++a) {
      const CScalar type = lifted_.execution.arrays[a].element;
      if (!lifter::is_floating(type)) continue;
      for (size_t at = 0; at + static_cast<size_t>(bytes_of(type)) <= arrays[a].bytes.size();
           at += static_cast<size_t>(bytes_of(type))) {
        const double value = number_at(arrays[a].bytes.data() + at, type);
        if (std::isfinite(value)) out = std::max(out, std::abs(value));
      }
    }
    return out;
  }
  static double number_at(const char* at, CScalar type) {
    if (type == CScalar::F32) {
      float single = 0;
      std::memcpy(&single, at, sizeof single);
      return static_cast<double>(single);
    }
    double value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }

  // The name of a local array whose initial contents affect the program's results.
  std::optional<std::string> depends_on_local(const LiftCase& one,
                                              const std::vector<OriginalArray>& before) {
    std::optional<std::string> name;
    for (const auto& array : lifted_.execution.arrays) {
      if (array.local) name = array.c_expression;
    }
    if (!name) return std::nullopt;
    // the same data, except in local arrays
    std::vector<OriginalArray> again = first_;
    memory_.refill_local(again, one);
    auto simulation = started(one);
    if (!simulation.ok() || !give(simulation.value(), one, again).ok()) return std::nullopt;
    const auto report = simulation.value().advance(plan_.most_steps(one));
    if (!report.ok() || !take(simulation.value(), one, again).ok()) return std::nullopt;
    for (size_t a = 0; a < again.size(); ++a) {
      if (!lifted_.execution.arrays[a].local && again[a].bytes != before[a].bytes) return name;
    }
    return std::nullopt;
  }

  // Compares final scalars and the return value.
  Status equal_results(Simulation& run, const Report& report, const LiftCase& one, double scale) {
    using lifter::XKind;
    const auto reductions = TRY(run.reductions());
    lifter::Pool pool;
    const auto leaf = [&](lifter::X n) -> lifter::X {
      if (n->kind == XKind::Symbol) {
        const auto whole = one.integers.find(n->id);
        if (whole != one.integers.end()) return pool.integer(whole->second, n->type);
        return pool.real(one.reals.at(n->id), n->type);
      }
      if (n->kind == XKind::Outcome)
        return pool.integer(n->id == lifter::kStepsTaken ? report.steps : report.stopped, n->type);
      if (n->kind != XKind::Reduced) return nullptr;
      const std::string& name = lifted_.program.reductions[n->id];
      for (const ReductionValue& r : reductions) {
        if (r.name != name) continue;
        if (lifter::is_integer(n->type)) return pool.integer(r.integer, n->type);
        return pool.real(r.value, n->type);
      }
      return nullptr;
    };
    for (size_t l = 0; l < lifted_.execution.left.size(); ++l) {
      const lifter::Left& left = lifted_.execution.left[l];
      if (left.value == nullptr) {
        if (left.c_expression.empty()) not_computed_.insert("the return value");
        continue;
      }
      lifter::X value = lifter::evaluated(pool, left.value, leaf);
      if (!lifter::is_constant(value)) {
        not_computed_.insert(left.c_expression.empty() ? "the return value" : left.c_expression);
        continue;
      }
      ++results_;
      const char* at = original_.left().data() + 8 * l;
      double x = 0,
             y = value->kind == XKind::Int ? static_cast<double>(value->integer) : value->real;
      if (left.type == CScalar::F64) {
        std::memcpy(&x, at, sizeof x);
      } else if (left.type == CScalar::F32) {
        float single = 0;
        std::memcpy(&single, at, sizeof single);
        x = static_cast<double>(single);
      } else {
        int64_t whole = 0;
        std::memcpy(&whole, at, static_cast<size_t>(bytes_of(left.type)));
        x = static_cast<double>(integer_of(whole, left.type));
      }
      if (same_value(left.type, x, y, lifted_.program.sums, scale)) continue;
      return Failure{
          "C030",
          fmt::format("the lifted program differs from the original in {}: {} instead of {} ({}, "
                      "{})",
                      left.c_expression.empty() ? "the return value" : left.c_expression, y, x,
                      plan_.sizes_text({one}), steps_text(one)),
          kDiffers};
    }
    return Done{};
  }

  // Whether numbers are equal, up to rounding from the order of sums or from powers as products.
  // `scale`: magnitude of the summands, since terms of both signs may cancel. All NaNs are equal,
  // because C leaves open which operand's NaN is propagated.
  bool same_value(CScalar type, double x, double y, bool sums, double scale) {
    if (x == y || (std::isnan(x) && std::isnan(y))) return true;
    if (!lifter::is_floating(type)) return false;
    const double near = (type == CScalar::F32 || lifted_.program.single ? 1e-4 : 1e-9) *
                        std::max({std::abs(x), std::abs(y), scale});
    if (!(std::abs(x - y) <= near)) return false;
    if (sums) {
      sums_differ_ = true;
    } else if (lifted_.program.powers) {
      powers_differ_ = true;
    }
    return sums || lifted_.program.powers;
  }

  Status equal(size_t a, const OriginalArray& original, const OriginalArray& lifted,
               const LiftCase& one, double scale) {
    const CScalar type = lifted_.execution.arrays[a].element;
    const int64_t size = bytes_of(type);
    if (original.extents.empty()) return Done{};
    for (int64_t i = 0; i * size < static_cast<int64_t>(original.bytes.size()); ++i) {
      const char *p = original.bytes.data() + i * size, *q = lifted.bytes.data() + i * size;
      if (std::memcmp(p, q, static_cast<size_t>(size)) == 0) continue;
      std::string at;
      std::vector<int64_t> subscripts;
      int64_t rest = i;
      for (size_t d = 0; d < original.extents.size(); ++d) {
        subscripts.push_back(rest / original.strides[d]);
        at += fmt::format("[{}]", subscripts.back());
        rest %= original.strides[d];
      }
      if (memory_.is_ghost(a, one, subscripts)) continue;
      double x = 0, y = 0;
      if (lifter::is_floating(type)) {
        x = type == CScalar::F32 ? static_cast<double>(*reinterpret_cast<const float*>(p))
                                 : *reinterpret_cast<const double*>(p);
        y = type == CScalar::F32 ? static_cast<double>(*reinterpret_cast<const float*>(q))
                                 : *reinterpret_cast<const double*>(q);
        // zeros of different signs are equal only if the language adds sources to a zero or C
        // leaves the sign open
        if (x == 0 && y == 0 &&
            (!lifted_.program.point_sets.empty() || lifted_.execution.zeros_open)) {
          zeros_differ_ = true;
          continue;
        }
        if (x != y && same_value(type, x, y, lifted_.program.sums_in_step, scale)) continue;
      } else {
        int64_t a_low = 0, b_low = 0;
        std::memcpy(&a_low, p, static_cast<size_t>(size));
        std::memcpy(&b_low, q, static_cast<size_t>(size));
        x = static_cast<double>(stored_as(a_low, type));
        y = static_cast<double>(stored_as(b_low, type));
      }
      return Failure{
          "C030",
          fmt::format("the lifted program differs from the original in {}{}: {} instead of {} ({}, "
                      "{})",
                      lifted_.execution.arrays[a].c_expression, at, y, x, plan_.sizes_text({one}),
                      steps_text(one)),
          kDiffers};
    }
    return Done{};
  }

  const lifter::Lifted& lifted_;
  const runtime::LiftRequest& request_;
  const double search_;
  LiftValues values_;
  OriginalMemory memory_{lifted_, values_};
  LiftPlan plan_{lifted_, values_, memory_};
  Original original_{lifted_};
  std::optional<Kernel> open_;
  std::vector<LiftCase> runs_;        // with equal results
  std::vector<OriginalArray> first_;  // initial data of the last run
  size_t drawn_ = 0;
  bool sums_differ_ = false, powers_differ_ = false, zeros_differ_ = false;
  std::set<std::string> not_computed_;  // results that the program does not compute
  int results_ = 0;
  int stopped_ = 0;                   // runs ended by the stop condition
  std::string rejected_, undefined_;  // why the last such case was discarded
  std::string why_;                   // why there is no proof
  LiftOutside outside_;
};

}  // namespace

Result<LiftProof> prove(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                        uint64_t seed, double search) {
  return Prover(lifted, request, seed, search).run();
}

}  // namespace stencil::api
