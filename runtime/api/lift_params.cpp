// Programs whose params are macros or constants. In the compiled original a macro is a number, so
// the lifted expressions must use the same number. The file is lifted again for each tested value,
// and the symbol is replaced by the value wherever sizes are chosen. The program keeps its param,
// with that value as the default.
#include "runtime/api/lift_params.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/support/try.h"
#include "runtime/api/lift_original.h"
#include "runtime/lifting/params.h"

namespace stencil::api {

using lifter::Poly;
using lifter::X;

namespace {

// Replaces the symbols of macros and constants by their values.
class Fixing {
 public:
  explicit Fixing(lifter::Lifted& lifted) : lifted_(lifted), pool_(*lifted.pool) {}

  void run() {
    lifter::Execution& execution = lifted_.execution;
    for (auto& array : execution.arrays) all(array.extents);
    for (auto& nest : execution.nests) {
      for (auto* leaves : {&nest.leaves, &nest.ordered}) {
        for (auto& leaf : *leaves) {
          for (lifter::Store& store : leaf) fix(store);
        }
      }
    }
    for (X* x : {&execution.steps, &execution.first, &execution.stop, &lifted_.program.steps})
      *x = at(*x);
    for (auto& reduction : execution.reductions) {
      reduction.value = at(reduction.value);
      fix(reduction.point);
    }
    for (auto& point : execution.points) fix(point.store);
    for (auto& left : execution.left) left.value = at(left.value);
    for (auto& [condition, why] : execution.requirements) condition = at(condition);
    for (Poly& fact : execution.facts) fact = at(fact);
    bindings(lifted_.program);
  }

 private:
  const lifter::SymbolInfo& symbol(int id) const { return lifted_.execution.symbols[id]; }
  void bindings(lifter::LiftedProgram& program) {
    for (auto& field : program.fields) {
      for (auto* list : {&field.extents, &field.lows, &field.lengths}) all(*list);
    }
    for (auto& set : program.point_sets) {
      set.count = at(set.count);
      for (auto& c : set.place) {
        for (X* x : {&c.offset, &c.stride, &c.constant, &c.extent}) *x = at(*x);
      }
    }
    for (auto& field : program.point_fields) {
      for (X* x : {&field.count, &field.offset, &field.point_stride, &field.time_stride})
        *x = at(*x);
    }
    auto& params = program.params;
    params.erase(std::remove_if(params.begin(), params.end(),
                                [&](const lifter::ParamBinding& param) {
                                  return symbol(param.symbol).value.has_value();
                                }),
                 params.end());
  }
  void all(std::vector<X>& list) {
    for (X& x : list) x = at(x);
  }
  void fix(lifter::Store& store) {
    all(store.subscripts);
    store.value = at(store.value);
    for (lifter::Domain& domain : store.domain) {
      domain.low = at(domain.low);
      domain.high = at(domain.high);
    }
  }
  X at(X x) {
    if (x == nullptr) return x;
    return lifter::transformed(pool_, x, done_, [&](X n) -> X {
      if (n->kind != lifter::XKind::Symbol || !symbol(n->id).value) return nullptr;
      return pool_.integer(*symbol(n->id).value, n->type);
    });
  }
  Poly at(const Poly& p) { return Poly::of(at(p.expression(pool_, lifter::CScalar::I64))); }

  lifter::Lifted& lifted_;
  lifter::Pool& pool_;
  std::map<X, X> done_;
};

constexpr int64_t kSizes[] = {14, 23, 19, 40, 66};  // of the first param
constexpr size_t kRuns = 3;

// Checks that a program compiles although no comparison ran it.
Result<LiftProof> a_program(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                            LiftProof proof) {
  if (const auto& sized = lifted.program.sized) {
    return runtime::shown_in_c(request.file.path, lifted.tree.files, *sized);
  }
  const auto program = Program::from_text(lifted.program.text, {}, "lifted.stn");
  if (program.ok()) return proof;
  return Failure{"C029", "the lifted text is not a valid program: " + program.failure().message,
                 "this is a limit of the lifter; --no-verify writes the text anyway"};
}

// Ignores columns, because they change with the number of digits before them.
bool is_same(const Outcome& a, const Outcome& b) {
  return a.file == b.file && a.line == b.line && a.kind == b.kind && a.outcome == b.outcome;
}

std::vector<Outcome> in_both(const std::vector<Outcome>& a, const std::vector<Outcome>& b) {
  std::vector<Outcome> out;
  for (const Outcome& one : a) {
    if (std::any_of(b.begin(), b.end(), [&](const Outcome& other) { return is_same(one, other); }))
      out.push_back(one);
  }
  return out;
}

// The outcomes of the file with its own numbers; empty if it cannot be compiled with them.
Outcomes own_outcomes(const runtime::LiftRequest& request) {
  auto lifted = runtime::lift_as_it_stands(request);
  if (!lifted.ok()) return {};
  Fixing(lifted.value()).run();
  Original original(lifted.value());
  const auto compiled = original.compile(request);
  return compiled.ok() && compiled.value().empty() ? original.outcomes() : Outcomes();
}

std::string text_of(const runtime::NamedValues& values, const std::vector<std::string>& params) {
  std::string out;
  for (const std::string& param : params)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", param, values.at(param));
  return out;
}

// Proves the file at several values of its params. Every branch outcome must be taken at one of
// these values. If the usual values miss an outcome, values next to the integers in the file are
// tried.
class AtValues {
 public:
  AtValues(const runtime::LiftRequest& request, uint64_t seed, double search)
      : request_(request), seed_(seed), search_(search), own_(own_outcomes(request)) {}

  Result<LiftProof> run() {
    const auto& params = request_.options.params;
    for (const auto& values : runtime::values_to_test(params, {kSizes, std::end(kSizes)})) {
      if (done_.size() == kRuns) break;
      TRY(at(values));
    }
    if (!done_.empty() && !missing_.empty()) {
      std::vector<int64_t> beside = runtime::values_beside_integers(request_.file);
      std::reverse(beside.begin(), beside.end());
      for (const auto& values : runtime::values_to_test(params, beside)) {
        if (missing_.empty()) break;
        TRY(at(values));
      }
    }
    LiftProof out;
    out.text = last_;
    if (done_.empty()) return out;
    out.runs = fmt::format("with {}, {}", done_[0], first_);
    for (size_t k = 1; k < done_.size(); ++k)
      out.runs += fmt::format("; the same with {}", done_[k]);
    out.ran = true;
    out.missing = missing_;
    out.compared = missing_.empty();
    out.text = out.compared ? out.runs : api::text_of(missing_) + "; " + out.runs;
    return out;
  }

 private:
  Status at(const runtime::NamedValues& values) {
    const std::string told = text_of(values, request_.options.params);
    if (std::find(done_.begin(), done_.end(), told) != done_.end()) return Done{};
    runtime::LiftRequest changed = request_;
    auto file = TRY(runtime::at_values(request_.file, values));
    changed.file = std::move(file);
    auto here = runtime::lift_as_it_stands(changed);
    if (!here.ok()) {
      last_ = fmt::format("with {}: {}", told, here.failure().message);
      return Done{};
    }
    Fixing(here.value()).run();
    const auto proof = TRY(prove(here.value(), changed, seed_ + done_.size(), search_));
    // Missed outcomes are no failure here: they may be taken at another value.
    if (!proof.compared && proof.missing.empty()) {
      last_ = fmt::format("with {}: {}", told, proof.text);
      return Done{};
    }
    std::vector<Outcome> missing = own_.removed_in(proof.outcomes);
    for (const auto& more : {proof.missing, proof.outcomes.folded_away(request_.options.params)}) {
      for (const Outcome& one : more) {
        const bool known = std::any_of(missing.begin(), missing.end(), [&](const Outcome& other) {
          return other.text() == one.text();
        });
        if (!known) missing.push_back(one);
      }
    }
    missing_ = done_.empty() ? missing : in_both(missing_, missing);
    if (done_.empty()) first_ = proof.runs;
    done_.push_back(told);
    return Done{};
  }

  const runtime::LiftRequest& request_;
  uint64_t seed_;
  double search_;
  Outcomes own_;  // with the numbers of the file
  std::vector<std::string> done_;
  std::vector<Outcome> missing_;
  std::string first_, last_ = "no tested value of its params works";
};

}  // namespace

Result<LiftProof> prove_lifted(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                               uint64_t seed, double search) {
  auto proof = request.options.params.empty() ? prove_or_shrink(lifted, request, seed, search)
                                              : AtValues(request, seed, search).run();
  if (!proof.ok() || proof.value().ran) return proof;
  return a_program(lifted, request, std::move(proof).value());
}

}  // namespace stencil::api
