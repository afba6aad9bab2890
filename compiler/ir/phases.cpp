// Splits a step into phases. A reduction that the step reads must see all points of the functions
// before it, so no time tile may extend across its place. The iterations of a repeat belong to one
// step, so a tile must not mix them with functions outside of the repeat. A tile has the points of
// one domain. The step is therefore cut at these places. Schedules handle each phase as a program
// of its own.
#include <algorithm>
#include <set>
#include <utility>

#include "compiler/ir/program.h"

namespace stencil::ir {

namespace {

bool only_applies(const Sequence& sequence) {
  return std::all_of(sequence.begin(), sequence.end(), [](const Step& step) {
    if (const auto* inner = std::get_if<Sequence>(&step.kind)) return only_applies(*inner);
    return std::holds_alternative<Apply>(step.kind);
  });
}

bool in_one_domain(const Program& program, const Sequence& sequence) {
  std::set<DomainId> domains;
  for_each_step(sequence, [&](const Step& step) {
    const auto* apply = std::get_if<Apply>(&step.kind);
    if (apply) domains.insert(program.functions[apply->function].domain);
  });
  return domains.size() <= 1;
}

// Appends the parts of a sequence to a list. `advanced`: see Phase; it grows with each phase.
class Cutter {
 public:
  Cutter(const Program& program, std::vector<StepPart>& to, std::vector<bool>& advanced,
         int64_t times, bool evaluates = true)
      : program_(program), to_(to), advanced_(advanced), times_(times), evaluates_(evaluates) {}

  void take(const Sequence& sequence) {
    for (const Step& step : sequence) {
      std::visit([&](const auto& kind) { take(kind); }, step.kind);
    }
  }
  // The last functions, then the last reductions.
  void finish() {
    end_phase();
    if (!reductions_.empty()) end_reductions();
  }
  void end_phase() {
    if (phase_.functions.empty()) return;
    end_reductions();
    phase_.times = times_;
    phase_.advanced = advanced_;
    for (const size_t f : phase_.functions) {
      for (const FieldId target : program_.functions[f].targets) advanced_[target] = true;
    }
    to_.push_back({std::exchange(phase_, {})});
  }
  void end_reductions() {
    if (evaluates_) to_.push_back({Evaluations{std::exchange(reductions_, {})}});
  }

 private:
  DomainId domain_of(size_t function) const { return program_.functions[function].domain; }
  void take(const Apply& apply) {
    const bool open = !phase_.functions.empty();
    if (open && domain_of(phase_.functions[0]) != domain_of(apply.function)) end_phase();
    phase_.functions.push_back(apply.function);
  }
  void take(const Reduce& reduce) {
    end_phase();
    reductions_.push_back(reduce.reduction);
  }
  void take(const Repeat& repeat) {
    end_phase();
    if (only_applies(repeat.body) && in_one_domain(program_, repeat.body)) {
      take(repeat.body);
      phase_.iterations = repeat.iterations;
      return end_phase();
    }
    if (!reductions_.empty()) end_reductions();
    Loop loop{repeat.iterations, {}};
    Cutter inner(program_, loop.body, advanced_, times_ * repeat.iterations, evaluates_);
    inner.take(repeat.body);
    inner.finish();
    to_.push_back({std::move(loop)});
  }
  void take(const While&) {}  // verify() admits none within a step

  const Program& program_;
  std::vector<StepPart>& to_;
  std::vector<bool>& advanced_;
  const int64_t times_;
  const bool evaluates_;                 // reductions may stand before each phase
  Phase phase_;                          // not yet in the list
  std::vector<ReductionId> reductions_;  // stand before the phase
};

void append_leaves(const std::vector<StepPart>& parts,
                   std::vector<std::variant<Evaluations, Phase>>& to) {
  for (const StepPart& part : parts) {
    if (const auto* loop = std::get_if<Loop>(&part.kind)) {
      append_leaves(loop->body, to);
    } else if (const auto* phase = std::get_if<Phase>(&part.kind)) {
      to.push_back(*phase);
    } else {
      to.push_back(std::get<Evaluations>(part.kind));
    }
  }
}

}  // namespace

std::vector<StepPart> parts_of_step(const Program& program) {
  std::vector<StepPart> out;
  std::vector<bool> advanced(program.fields.size(), false);
  Cutter cutter(program, out, advanced, 1);
  cutter.take(program.run.body);
  cutter.end_phase();
  cutter.end_reductions();
  return out;
}

std::vector<StepPart> parts_of_start(const Program& program) {
  std::vector<StepPart> out;
  std::vector<bool> advanced(program.fields.size(), false);
  Cutter cutter(program, out, advanced, 1, false);
  cutter.take(program.start);
  cutter.end_phase();
  return out;
}

std::vector<std::variant<Evaluations, Phase>> leaves_of_step(const Program& program) {
  std::vector<std::variant<Evaluations, Phase>> out;
  append_leaves(parts_of_step(program), out);
  return out;
}

namespace {

std::vector<Phase> phases_among(const std::vector<StepPart>& parts) {
  std::vector<std::variant<Evaluations, Phase>> leaves;
  append_leaves(parts, leaves);
  std::vector<Phase> out;
  for (const auto& leaf : leaves) {
    if (const auto* phase = std::get_if<Phase>(&leaf)) out.push_back(*phase);
  }
  return out;
}

}  // namespace

std::vector<Phase> phases(const Program& program) {
  return phases_among(parts_of_step(program));
}

std::vector<Phase> phases_of_start(const Program& program) {
  return phases_among(parts_of_start(program));
}

bool cuts_steps(const Program& program) {
  const auto elsewhere = [&](const Function& function) {
    return function.domain != program.domain_id();
  };
  return !only_applies(program.run.body) || !applies_in_order(program) ||
         std::any_of(program.functions.begin(), program.functions.end(), elsewhere);
}

bool repeats_in_steps(const Program& program) {
  bool found = false;
  for_each_step(program.run.body,
                [&](const Step& step) { found |= std::holds_alternative<Repeat>(step.kind); });
  return found;
}

Sequence applied_in_order(size_t functions) {
  Sequence out;
  for (size_t f = 0; f < functions; ++f) out.push_back(Apply{f});
  return out;
}

bool applies_in_order(const Program& program) {
  size_t applied = 0;
  bool ordered = true;
  for_each_step(program.run.body, [&](const Step& step) {
    const auto* apply = std::get_if<Apply>(&step.kind);
    if (apply) ordered &= apply->function == applied++;
  });
  return ordered && applied == program.functions.size();
}

bool applied_before(const Program& program, size_t function, ReductionId reduction) {
  bool before = false, seen = false;
  for_each_step(program.start, [&](const Step& step) {
    const auto* apply = std::get_if<Apply>(&step.kind);
    before |= apply && apply->function == function;
  });
  for_each_step(program.run.body, [&](const Step& step) {
    const auto* apply = std::get_if<Apply>(&step.kind);
    const auto* reduce = std::get_if<Reduce>(&step.kind);
    if (apply && apply->function == function) before |= !seen;
    if (reduce && reduce->reduction == reduction) seen = true;
  });
  return seen && before;
}

bool are_alike(const Program& program, const Phase& a, const Phase& b) {
  if (a.functions != b.functions || a.iterations != b.iterations) return false;
  for (size_t f = 0; f < program.fields.size(); ++f) {  // a field with one level needs no turn
    const Field& field = program.fields[static_cast<FieldId>(f)];
    if (field.history > 1 && a.advanced[f] != b.advanced[f]) return false;
  }
  return true;
}

std::optional<size_t> functions_before(const Program& program, ReductionId reduction) {
  std::optional<size_t> found;
  size_t functions = 0;
  for_each_step(program.run.body, [&](const Step& step) {
    if (std::holds_alternative<Apply>(step.kind)) ++functions;
    const auto* reduce = std::get_if<Reduce>(&step.kind);
    if (reduce && reduce->reduction == reduction) found = functions;
  });
  return found;
}

Program phase_program(const Program& whole, const Phase& phase) {
  Program out = whole;
  out.functions.clear();
  for (const size_t f : phase.functions) out.functions.push_back(whole.functions[f]);
  out.start.clear();
  out.run = {{}, applied_in_order(out.functions.size())};
  out.inits.clear();
  out.reductions.clear();
  out.origin.phase = {&whole, phase};
  return out;
}

const Program& whole_of(const Program& program) {
  return program.origin.phase ? *program.origin.phase->whole : program;
}

bool time_stands_still(const Program& program) {
  return program.origin.phase && program.origin.phase->phase.iterations > 1;
}

std::vector<bool> advanced_before(const Program& program) {
  if (program.origin.phase) return program.origin.phase->phase.advanced;
  return std::vector<bool>(program.fields.size(), false);
}

}  // namespace stencil::ir
