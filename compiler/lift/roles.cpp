// Buffers that rotate are the levels of one field. The buffer that a step writes is the newest
// level in the next step. Let s map each array to the array that takes its place. Level k is then
// the array from which k+1 applications of s lead to the written array.
#include "compiler/lift/roles.h"

#include <fmt/format.h>

namespace stencil::lifter {

namespace {

std::string plain_name(const Execution& execution, const ArrayPart& part) {
  std::string out = execution.arrays[part.array].name;
  for (int64_t number : part.fixed) out += fmt::format("_{}", number);
  return out;
}

}  // namespace

Roles roles_of(const Execution& execution, const Shapes& shapes,
               const std::vector<StepFunction>& functions, const std::set<ArrayPart>& parts) {
  Roles out;
  std::set<ArrayPart> written;
  for (const StepFunction& function : functions)
    written.insert(function.targets.begin(), function.targets.end());
  // Collect buffers selected by t % 2.
  std::set<ArrayPart> alternating;
  for (const ArrayPart& part : parts) {
    if (part.buffer_slot >= 0) alternating.insert({part.array, part.fixed, -1});
  }
  for (const ArrayPart& base : alternating) {
    const int copies = static_cast<int>(shapes.shape(base.array).copies);
    int target = -1, targets = 0;
    for (int buffer_slot = 0; buffer_slot < copies; ++buffer_slot) {
      if (written.count({base.array, base.fixed, buffer_slot}) == 0) continue;
      target = buffer_slot;
      ++targets;
    }
    const std::string name = plain_name(execution, base);
    if (targets > 1) {
      throw Refusal{"C014", functions[0].place,
                    fmt::format("a step writes several buffers of '{}'", name),
                    "each step may write only the buffer with the oldest values"};
    }
    for (int buffer_slot = 0; buffer_slot < copies; ++buffer_slot) {
      const int level = ((target - 1 - buffer_slot) % copies + copies) % copies;
      out.of[{base.array, base.fixed, buffer_slot}] = {name, targets == 0 ? buffer_slot : level,
                                                       copies};
    }
    if (targets == 0) {
      throw Refusal{"C014", functions[0].place,
                    fmt::format("no step writes '{}', whose buffers alternate", name), ""};
    }
  }
  // Collect pointers that rotate.
  std::map<int, int> next, previous;
  for (const Rotation& rotation : execution.rotations) {
    const bool again = next.count(rotation.before) > 0 && next[rotation.before] != rotation.after;
    const bool shared =
        previous.count(rotation.after) > 0 && previous[rotation.after] != rotation.before;
    if (again || shared) {
      throw Refusal{"C014", execution.place, "two swapped pointers point to the same array",
                    "each of the swapped pointers needs its own array"};
    }
    next[rotation.before] = rotation.after;
    previous[rotation.after] = rotation.before;
  }
  for (const auto& [before, after] : next) {
    if (previous.count(before) > 0 && next.count(after) > 0) continue;
    throw Refusal{
        "C014", execution.place,
        fmt::format("no pointer refers to the array of '{}' after the pointers are reassigned",
                    execution.arrays[before].c_expression),
        "pointers may only be swapped or rotated among each other"};
  }
  std::set<int> done;
  for (const auto& [start, unused] : next) {
    if (done.count(start) > 0) continue;
    std::vector<int> cycle;
    for (int at = start; done.insert(at).second; at = next[at]) cycle.push_back(at);
    int target = -1, targets = 0;
    bool components = false;
    for (int array : cycle) {
      bool stores = false;
      for (const ArrayPart& part : written) stores = stores || part.array == array;
      components = components || !shapes.shape(array).fixed.empty();
      if (stores) ++targets, target = array;
    }
    const int copies = static_cast<int>(cycle.size());
    if (components || targets == 0) {
      throw Refusal{"C014", execution.place,
                    "the swapped arrays have several components, or no step writes them", ""};
    }
    if (targets > 1) {
      for (int array : cycle) {
        const ArrayPart from{next[array], {}, -1}, to{array, {}, -1};
        out.of[to] = {plain_name(execution, to), 0, 1};
        out.moves.emplace_back(to, from);
      }
      continue;
    }
    int at = target;
    std::string name;
    for (int level = 0; level < copies; ++level) {
      at = previous[at];
      const ArrayPart part{at, {}, -1};
      if (level == 0) name = plain_name(execution, part);
      out.of[part] = {name, level, copies};
    }
  }
  for (const ArrayPart& part : parts) {
    if (out.of.count(part) == 0) out.of[part] = {plain_name(execution, part), 0, 1};
  }
  return out;
}

}  // namespace stencil::lifter
