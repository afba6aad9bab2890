#include "runtime/tune/main_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "compiler/kernel/count.h"

namespace stencil::tune {

namespace {

using kernel::Count;
using kernel::Tally;
using runtime::InstructionMix;
using runtime::MachineLoop;
using runtime::MachineWork;
using schedule::Issued;

// Visible effects of an iteration, per thread.
struct Marks {
  double global_written = 0, shared_written = 0;  // bytes
  double shuffled = 0;                            // values
};

// Adds both sides of conditions, as in machine-code loops; inner loops are not included.
void add_all(const Count& count, Tally& threads) {
  threads.add(count.threads);
  for (const Count::Choice& choice : count.choices) {
    add_all(choice.then, threads);
    add_all(choice.otherwise, threads);
  }
}

bool has_loops(const Count& count) {
  return !count.loops.empty() ||
         std::any_of(count.choices.begin(), count.choices.end(), [](const Count::Choice& choice) {
           return has_loops(choice.then) || has_loops(choice.otherwise);
         });
}

void find_loops(const Count& count, std::vector<const Count::Loop*>& out) {
  for (const Count::Loop& loop : count.loops) out.push_back(&loop);
  for (const Count::Choice& choice : count.choices) {
    find_loops(choice.then, out);
    find_loops(choice.otherwise, out);
  }
}

Marks marks_of(const Count::Loop& loop, double threads) {
  Tally all;
  add_all(loop.iteration, all);
  const double each = threads * loop.starts;
  return {all.of(kernel::Space::Global).written / each,
          all.of(kernel::Space::Shared).written / each, all.shuffle / each};
}

// Whether `amount` is a whole multiple of `once`. If `times` is set, the factor must equal it; if
// not, sets it to the factor.
bool is_so_often(double amount, double once, double& times) {
  constexpr double kRounding = 1e-6;
  if (once == 0) return amount == 0;
  const double ratio = amount / once;
  if (ratio < 1 - kRounding || std::abs(ratio - std::round(ratio)) > kRounding) return false;
  if (times != 0 && times != std::round(ratio)) return false;
  times = std::round(ratio);
  return true;
}

// Kernel iterations per trip of a machine-code loop. A double is shuffled by two instructions.
std::optional<double> trip_of(const InstructionMix& mix, const Marks& marks) {
  double times = 0;
  if (!is_so_often(static_cast<double>(mix.global_written), marks.global_written, times) ||
      !is_so_often(static_cast<double>(mix.shared_written), marks.shared_written, times)) {
    return std::nullopt;
  }
  const double shuffled = marks.shuffled * times;
  const auto shuffles = static_cast<double>(mix.shuffles);
  if (shuffles < shuffled || shuffles > 2 * shuffled) return std::nullopt;
  return times;
}

Issued issued_of(const InstructionMix& mix, double iterations) {
  const auto each = [&](int64_t count) { return static_cast<double>(count) / iterations; };
  Issued out;
  out.all = each(mix.all);
  out.singles = each(mix.singles);
  out.doubles = each(mix.doubles);
  out.global = each(mix.global);
  out.shared = each(mix.shared);
  out.local = each(mix.local);
  out.shuffles = each(mix.shuffles);
  out.barriers = each(mix.barriers);
  out.branches = each(mix.branches);
  return out;
}

MainLoop unmatched(std::string why) {
  return {.unmatched = std::move(why)};
}

// Loops that store to global memory and contain no such loop.
std::vector<size_t> storing_loops(const MachineWork& work) {
  std::set<int> outer;
  for (const MachineLoop& loop : work.loops) {
    if (loop.mix.global_written > 0) outer.insert(loop.outer);
  }
  std::vector<size_t> out;
  for (size_t l = 0; l < work.loops.size(); ++l) {
    if (work.loops[l].mix.global_written > 0 && outer.count(static_cast<int>(l)) == 0) {
      out.push_back(l);
    }
  }
  return out;
}

// Whether an inner loop does more than wait for a copy; its number of iterations is unknown.
bool has_work_in_loops(const MachineWork& work, size_t loop) {
  constexpr int64_t kWait = 16;  // instructions
  return std::any_of(work.loops.begin(), work.loops.end(), [&](const MachineLoop& inner) {
    const InstructionMix& mix = inner.mix;
    return inner.outer == static_cast<int>(loop) &&
           (mix.all > kWait || mix.arithmetic() + mix.global + mix.shared + mix.shuffles > 0);
  });
}

// Chooses among matching machine-code loops, by instructions per iteration.
MainLoop pick(std::vector<MainLoop> loops, double copies) {
  const auto most = std::max_element(
      loops.begin(), loops.end(),
      [](const MainLoop& a, const MainLoop& b) { return a.iterations < b.iterations; });
  // The remainder of an unrolled loop executes the last iterations one by one.
  const double iterations = most->iterations;
  std::erase_if(loops, [&](const MainLoop& each) { return each.iterations < iterations; });
  std::stable_sort(loops.begin(), loops.end(), [](const MainLoop& a, const MainLoop& b) {
    return a.inside.all < b.inside.all;
  });
  MainLoop out = loops.front();
  const auto found = static_cast<double>(loops.size());
  if (found == copies) {
    if (found > 1) out.at_edge = loops[1].inside;
    return out;
  }
  // Compilers may duplicate a loop because of a loop-invariant condition.
  constexpr double kAlike = 1.1;
  if (copies == 1 && loops.back().inside.all <= kAlike * out.inside.all) return out;
  return unmatched(
      fmt::format("versions of the loop: {} in the kernel, {} in the machine code", copies, found));
}

}  // namespace

MainLoop main_loop_of(const kernel::Kernel& kernel,
                      const std::vector<kernel::NamedConstant>& constants,
                      const MachineWork& work) {
  const Count whole = kernel::count(kernel, constants);
  std::vector<const Count::Loop*> loops;
  find_loops(whole, loops);
  if (loops.empty()) {
    if (!work.loops.empty()) return unmatched("the machine code has loops, the kernel has none");
    const Issued all = issued_of(work.reached, 1);
    return {.inside = all, .at_edge = all};
  }
  const auto threads = static_cast<double>(kernel.threads.product());
  std::erase_if(
      loops, [&](const Count::Loop* loop) { return marks_of(*loop, threads).global_written == 0; });
  if (loops.empty()) return unmatched("no loop of the kernel stores results");
  if (loops.size() > 1) return unmatched("several loops of the kernel store results");
  const Count::Loop& loop = *loops.front();
  if (has_loops(loop.iteration)) return unmatched("the kernel's main loop contains other loops");

  const Marks marks = marks_of(loop, threads);
  std::vector<MainLoop> found;
  const std::vector<size_t> storing = storing_loops(work);
  if (storing.empty()) return unmatched("no loop of the machine code stores results");
  for (const size_t l : storing) {
    const auto trip = trip_of(work.loops[l].mix, marks);
    if (!trip)
      return unmatched("a loop of the machine code does not cover a whole number of iterations");
    if (has_work_in_loops(work, l))
      return unmatched("the machine code's loop contains other loops");
    MainLoop each;
    each.iterations = *trip * static_cast<double>(loop.step);
    each.inside = each.at_edge = issued_of(work.loops[l].mix, each.iterations);
    found.push_back(each);
  }
  return pick(std::move(found), loop.copies);
}

}  // namespace stencil::tune
