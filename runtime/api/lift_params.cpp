// Programs whose params are macros or constants. In the compiled original a macro is a number, so
// the lifted expressions must use the same number. The file is lifted again for each tested value,
// and the symbol is replaced by the value wherever sizes are chosen. The program keeps its param,
// with that value as the default.
#include "runtime/api/lift_params.h"

#include <fmt/format.h>

#include <algorithm>

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
  const lifter::SymbolInfo& symbol(int id) const {
    return lifted_.execution.symbols[static_cast<size_t>(id)];
  }
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

constexpr int64_t kSizes[] = {14, 23, 19, 40, 66};  // of the first param; the others are larger
constexpr size_t kRuns = 3;

// Checks that a program that was not run compiles at all.
Result<LiftProof> a_program(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                            LiftProof proof) {
  if (const auto& sized = lifted.program.sized) {
    return runtime::shown_in_c(request.file.path, lifted.tree.files, *sized);
  }
  const auto program = Program::from_text(lifted.program.text, {}, "lifted.stn");
  if (program.ok()) return proof;
  return Failure{"C029", "the lifted text is not a valid program: " + program.failure().message,
                 "this is a limit of the lifter; --no-verify writes it all the same"};
}

std::vector<Outcome> in_both(const std::vector<Outcome>& a, const std::vector<Outcome>& b) {
  std::vector<Outcome> out;
  for (const Outcome& one : a) {
    if (std::any_of(b.begin(), b.end(),
                    [&](const Outcome& other) { return other.text() == one.text(); }))
      out.push_back(one);
  }
  return out;
}

// The outcomes of the file with its own numbers; none if it cannot be compiled so.
Outcomes own_outcomes(const runtime::LiftRequest& request) {
  auto lifted = runtime::lift_as_it_stands(request);
  if (!lifted.ok()) return {};
  Fixing(lifted.value()).run();
  Original original(lifted.value());
  const auto compiled = original.compile(request);
  return compiled.ok() && compiled.value().empty() ? original.outcomes() : Outcomes();
}

Result<LiftProof> prove_at_values(const runtime::LiftRequest& request, uint64_t seed,
                                  double search) {
  std::vector<std::string> done;
  std::vector<Outcome> missing;
  const Outcomes own = own_outcomes(request);
  std::string first, last = "no tested value of its params works";
  for (int64_t size : kSizes) {
    if (done.size() == kRuns) break;
    runtime::NamedValues values;
    std::string told;
    for (const std::string& param : request.options.params) {
      told += fmt::format("{}{}={}", told.empty() ? "" : " ", param, size);
      values[param] = size;
      size += 3;  // distinct values, so that swapped dimensions are detected
    }
    runtime::LiftRequest changed = request;
    auto file = runtime::at_values(request.file, values);
    if (!file.ok()) return file.failure();
    changed.file = std::move(file).value();
    auto here = runtime::lift_as_it_stands(changed);
    if (!here.ok()) {
      last = fmt::format("with {}: {}", told, here.failure().message);
      continue;
    }
    Fixing(here.value()).run();
    const auto proof = prove(here.value(), changed, seed + done.size(), search);
    if (!proof.ok()) return proof.failure();
    // outcomes that these runs missed may be taken at another value
    if (!proof.value().compared && proof.value().missing.empty()) {
      last = fmt::format("with {}: {}", told, proof.value().text);
      continue;
    }
    std::vector<Outcome> here_missing = own.removed_in(proof.value().outcomes);
    here_missing.insert(here_missing.end(), proof.value().missing.begin(),
                        proof.value().missing.end());
    missing = done.empty() ? here_missing : in_both(missing, here_missing);
    if (done.empty()) first = proof.value().runs;
    done.push_back(told);
  }
  LiftProof out;
  out.text = last;
  if (done.empty()) return out;
  out.runs = fmt::format("with {}, {}", done[0], first);
  for (size_t k = 1; k < done.size(); ++k) out.runs += fmt::format("; the same with {}", done[k]);
  out.ran = true;
  out.missing = missing;
  out.compared = missing.empty();
  out.text = out.compared ? out.runs : text_of(missing) + "; " + out.runs;
  return out;
}

}  // namespace

Result<LiftProof> prove_lifted(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                               uint64_t seed, double search) {
  auto proof = request.options.params.empty() ? prove_or_shrink(lifted, request, seed, search)
                                              : prove_at_values(request, seed, search);
  if (!proof.ok() || proof.value().ran) return proof;
  return a_program(lifted, request, std::move(proof).value());
}

}  // namespace stencil::api
