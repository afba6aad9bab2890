// Splits a step into phases. A reduction that the step reads must see all points of the functions
// before it, so no time tile may extend across its place. The iterations of a repeat belong to one
// step, so a tile must not mix them with functions outside of the repeat. A tile has the points of
// one domain. The step is therefore cut at these places. Schedules handle each phase as a program
// of its own.
//
// In a program with several domains, a repeat gives its first and last iterations to the functions
// beside it, which saves passes over memory:  correct; repeat 6 { smooth }; residual  becomes the
// phases  correct, smooth, smooth, smooth  and  smooth, smooth, smooth, residual.
#include <algorithm>
#include <set>
#include <utility>

#include "compiler/ir/program.h"
#include "compiler/ir/rewrite.h"

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

bool reads_finer(const Piece& piece) {
  const auto found = accesses(piece.graph, piece.results);
  return std::any_of(found.begin(), found.end(), [](const auto& read) {
    const std::vector<IndexMap>& maps = read.second->maps;
    return std::any_of(maps.begin(), maps.end(), [](const IndexMap& map) { return map.scale > 1; });
  });
}

// Appends the parts of a sequence to a list. `advanced`: see Phase; it grows with each phase.
class Cutter {
 public:
  Cutter(const Program& program, std::vector<StepPart>& to, std::vector<bool>& advanced,
         int64_t times, bool evaluates = true)
      : program_(program), to_(to), advanced_(advanced), times_(times), evaluates_(evaluates) {}

  void take(const Sequence& sequence) {
    for (size_t s = 0; s < sequence.size(); ++s) {
      const auto* repeat = std::get_if<Repeat>(&sequence[s].kind);
      if (repeat && gives_away(*repeat)) {
        share(*repeat, s + 1 < sequence.size() ? &sequence[s + 1] : nullptr);
        continue;
      }
      std::visit([&](const auto& kind) { take(kind); }, sequence[s].kind);
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

  // --- Iterations of a repeat in the phases beside it

  // Applications that a repeat gives to a neighbour, at most. A phase then has as many stages as a
  // time tile of four steps.
  static constexpr int64_t kMostShared = 3;

  bool gives_away(const Repeat& repeat) const {
    if (program_.domains.size() == 1) return false;
    const auto size = static_cast<int64_t>(repeat.body.size());
    if (size == 0 || size > kMostShared || repeat.iterations < 2) return false;
    return std::all_of(repeat.body.begin(), repeat.body.end(), [&](const Step& step) {
      const auto* apply = std::get_if<Apply>(&step.kind);
      if (!apply || domain_of(apply->function) != domain_of(first_of(repeat))) return false;
      const Function& function = program_.functions[apply->function];
      return std::all_of(function.targets.begin(), function.targets.end(),
                         [&](FieldId target) { return program_.fields[target].history == 1; });
    });
  }
  static size_t first_of(const Repeat& repeat) {
    return std::get<Apply>(repeat.body.front().kind).function;
  }
  // Whether a function may share a phase with iterations of the repeat. Not if it reads a finer
  // grid: a tile would read many points again in its halo.
  bool is_neighbour(size_t function, const Repeat& repeat) const {
    const Function& other = program_.functions[function];
    if (other.domain != domain_of(first_of(repeat))) return false;
    return std::none_of(other.pieces.begin(), other.pieces.end(), reads_finer);
  }
  void share(const Repeat& repeat, const Step* next) {
    const bool before = phase_.functions.size() == 1 && is_neighbour(phase_.functions[0], repeat);
    const auto* apply = next ? std::get_if<Apply>(&next->kind) : nullptr;
    const bool after = apply && is_neighbour(apply->function, repeat);
    const int64_t most = kMostShared / static_cast<int64_t>(repeat.body.size());
    const int64_t last = after ? std::min(most, repeat.iterations / (before ? 2 : 1)) : 0;
    const int64_t first = before ? std::min(most, repeat.iterations - last) : 0;
    apply_times(first, repeat.body);
    end_phase();
    if (const int64_t rest = repeat.iterations - first - last; rest > 0) {
      apply_times(1, repeat.body);
      phase_.iterations = rest;
      end_phase();
    }
    apply_times(last, repeat.body);
  }
  void apply_times(int64_t times, const Sequence& body) {
    for (int64_t i = 0; i < times; ++i) {
      for (const Step& step : body) {
        phase_.functions.push_back(std::get<Apply>(step.kind).function);
      }
    }
  }

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
