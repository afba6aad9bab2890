// Splits a step into phases. A reduction that the step reads must see all points of the functions
// before it, so no time tile may extend across its place. The iterations of a repeat belong to one
// step, so a tile must not mix them with functions outside of the repeat. The step is therefore cut
// at these places. Schedules handle each phase as a program of its own.
#include <algorithm>
#include <set>

#include "compiler/ir/program.h"

namespace stencil::ir {

std::vector<Phase> phases(const Program& program) {
  std::set<size_t> cuts = {0, program.functions.size()};
  for (const Reduction& reduction : program.reductions) {
    if (reduction.place) cuts.insert(*reduction.place);
  }
  for (const Repeat& repeat : program.repeats) cuts.insert({repeat.first, repeat.end});
  std::vector<Phase> out;
  for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
    const auto repeat = std::find_if(program.repeats.begin(), program.repeats.end(),
                                     [&](const Repeat& other) { return other.first == *cut; });
    const bool repeats = repeat != program.repeats.end();
    out.push_back({*cut, *std::next(cut), repeats ? repeat->iterations : 1});
  }
  return out;
}

bool cuts_steps(const Program& program) {
  return reduces_in_steps(program) || !program.repeats.empty();
}

Program phase_program(const Program& whole, const Phase& phase) {
  Program out = whole;
  const auto first = whole.functions.begin();
  out.functions.assign(first + static_cast<std::ptrdiff_t>(phase.first),
                       first + static_cast<std::ptrdiff_t>(phase.end));
  out.repeats.clear();
  out.inits.clear();
  out.reductions.clear();
  out.stop.reset();
  out.phase_of = {&whole, phase};
  return out;
}

const Program& whole_of(const Program& program) {
  return program.phase_of ? *program.phase_of->whole : program;
}

bool time_stands_still(const Program& program) {
  return program.phase_of && program.phase_of->phase.iterations > 1;
}

std::vector<bool> advanced_before(const Program& program) {
  std::vector<bool> advanced(program.fields.size(), false);
  if (!program.phase_of) return advanced;
  for (size_t f = 0; f < program.phase_of->phase.first; ++f) {
    for (const FieldId target : program.phase_of->whole->functions[f].targets) {
      advanced[target] = true;
    }
  }
  return advanced;
}

}  // namespace stencil::ir
