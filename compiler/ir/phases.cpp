// Splits a step into phases. A reduction that the step reads must see all points of the functions
// before it, so no time tile may extend across its place. The iterations of a repeat belong to one
// step, so a tile must not mix them with functions outside of the repeat. The step is therefore cut
// at these places. Schedules handle each phase as a program of its own.
#include <algorithm>
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

// Appends the parts of a sequence to a list.
class Cutter {
 public:
  Cutter(std::vector<StepPart>& to, int64_t times) : to_(to), times_(times) {}

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
    if (phase_.first == phase_.end) return;
    end_reductions();
    to_.push_back({std::exchange(phase_, {})});
  }
  void end_reductions() { to_.push_back({Evaluations{std::exchange(reductions_, {})}}); }

 private:
  void take(const Apply& apply) {
    if (phase_.first == phase_.end) phase_ = {apply.function, apply.function, 1, times_};
    phase_.end = apply.function + 1;
  }
  void take(const Reduce& reduce) {
    end_phase();
    reductions_.push_back(reduce.reduction);
  }
  void take(const Repeat& repeat) {
    end_phase();
    if (only_applies(repeat.body)) {
      take(repeat.body);
      phase_.iterations = repeat.iterations;
      return end_phase();
    }
    if (!reductions_.empty()) end_reductions();
    Loop loop{repeat.iterations, {}};
    Cutter inner(loop.body, times_ * repeat.iterations);
    inner.take(repeat.body);
    inner.finish();
    to_.push_back({std::move(loop)});
  }
  void take(const While&) {}  // verify() admits none within a step

  std::vector<StepPart>& to_;
  const int64_t times_;
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
  Cutter cutter(out, 1);
  cutter.take(program.run.body);
  cutter.end_phase();
  cutter.end_reductions();
  return out;
}

std::vector<std::variant<Evaluations, Phase>> leaves_of_step(const Program& program) {
  std::vector<std::variant<Evaluations, Phase>> out;
  append_leaves(parts_of_step(program), out);
  return out;
}

std::vector<Phase> phases(const Program& program) {
  std::vector<Phase> out;
  for (const auto& leaf : leaves_of_step(program)) {
    if (const auto* phase = std::get_if<Phase>(&leaf)) out.push_back(*phase);
  }
  return out;
}

bool cuts_steps(const Program& program) {
  return !only_applies(program.run.body);
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
  const auto first = whole.functions.begin();
  out.functions.assign(first + static_cast<std::ptrdiff_t>(phase.first),
                       first + static_cast<std::ptrdiff_t>(phase.end));
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
  std::vector<bool> advanced(program.fields.size(), false);
  if (!program.origin.phase) return advanced;
  for (size_t f = 0; f < program.origin.phase->phase.first; ++f) {
    for (const FieldId target : program.origin.phase->whole->functions[f].targets) {
      advanced[target] = true;
    }
  }
  return advanced;
}

}  // namespace stencil::ir
