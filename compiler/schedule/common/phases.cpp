#include "compiler/schedule/common/phases.h"

#include <iterator>
#include <utility>

#include "compiler/schedule/common/exchange.h"
#include "compiler/schedule/common/reduction.h"

namespace stencil::schedule {

namespace {

// What `add` appends to the plan, as a loop of its own.
kernel::Loop loop_of(kernel::Plan& plan, const std::function<void()>& add) {
  kernel::Loop& open = plan;
  kernel::Loop outer = std::exchange(open, {});
  add();
  return std::exchange(open, std::move(outer));
}

// Appends actions that run once per iteration of the open loop: their tiles have one iteration.
void append_once(kernel::Plan& plan, const std::function<void()>& add) {
  kernel::Loop added = loop_of(plan, add);
  for (kernel::Action& action : added.actions) {
    if (auto* launch = std::get_if<kernel::Launch>(&action)) launch->steps = 0;
  }
  std::move(added.actions.begin(), added.actions.end(), std::back_inserter(plan.actions));
}

// Appends the parts of a step, those of a loop in a repeat.
class PartAppender {
 public:
  PartAppender(const ir::Program& program, const Interface& interface, kernel::Module& module,
               const std::function<void(const ir::Phase&)>& add)
      : program_(program),
        interface_(interface),
        module_(module),
        add_(add),
        reductions_(program, interface, module) {}

  void take(const std::vector<ir::StepPart>& parts) {
    for (const ir::StepPart& part : parts) {
      std::visit([&](const auto& kind) { take(kind); }, part.kind);
    }
  }

 private:
  void take(const ir::Evaluations& evaluations) {
    halo(false);
    reductions_.append(evaluations);
  }
  void take(const ir::Phase& phase) {
    const bool repeats = phase.iterations > 1;
    const auto append = [&] {
      halo(repeats);
      add_(phase);
    };
    if (repeats) {
      append_repeat(module_.plan, phase.iterations, append);
    } else {
      append_once(module_.plan, append);
    }
  }
  void take(const ir::Loop& loop) {
    append_repeat(module_.plan, loop.iterations, [&] { take(loop.body); });
  }

  void halo(bool counts_tiles) {
    append_halo(program_, interface_, occasion_++, counts_tiles, module_);
  }

  const ir::Program& program_;
  const Interface& interface_;
  kernel::Module& module_;
  const std::function<void(const ir::Phase&)>& add_;
  StepReductions reductions_;
  size_t occasion_ = 0;
};

}  // namespace

void append_repeat(kernel::Plan& plan, int64_t iterations, const std::function<void()>& add) {
  plan.actions.push_back(kernel::Repeat{loop_of(plan, add), iterations});
}

void append_phases(const ir::Program& program, const Interface& interface, kernel::Module& module,
                   const std::function<void(const ir::Phase&)>& add) {
  if (!program.start.empty()) {
    kernel::Loop start = loop_of(module.plan, [&] {
      PartAppender(program, interface, module, add).take(ir::parts_of_start(program));
    });
    module.plan.start = std::move(start);
  }
  if (ir::cuts_steps(program)) {
    PartAppender(program, interface, module, add).take(ir::parts_of_step(program));
  } else {
    for (const ir::Phase& phase : ir::phases(program)) add(phase);
  }
}

}  // namespace stencil::schedule
