#include "compiler/schedule/common/phases.h"

#include <iterator>
#include <map>
#include <utility>
#include <vector>

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
  // `halos`: before each phase or group of reductions; null: there are none.
  PartAppender(const ir::Program& program, const Interface& interface, kernel::Module& module,
               const std::vector<ir::HaloExchange>* halos,
               const std::function<void(const ir::Phase&)>& add)
      : interface_(interface),
        module_(module),
        halos_(halos),
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

  // Exchanges that are the same share their kernels. Those that count tiles have a counter each.
  void halo(bool counts_tiles) {
    if (!halos_) return;
    const ir::HaloExchange& halo = (*halos_)[occasion_++];
    const auto known = shared_.find(halo.same_as);
    if (!counts_tiles && known != shared_.end()) {
      module_.plan.actions.push_back(kernel::HaloExchange{known->second});
      return;
    }
    const auto exchange = append_halo(halo, interface_, counts_tiles, module_);
    if (!counts_tiles && exchange) shared_[halo.same_as] = *exchange;
  }

  const Interface& interface_;
  kernel::Module& module_;
  const std::vector<ir::HaloExchange>* const halos_;
  const std::function<void(const ir::Phase&)>& add_;
  StepReductions reductions_;
  size_t occasion_ = 0;
  std::map<size_t, size_t> shared_;  // exchanges of the plan, by ir::HaloExchange::same_as
};

}  // namespace

void append_repeat(kernel::Plan& plan, int64_t iterations, const std::function<void()>& add) {
  plan.actions.push_back(kernel::Repeat{loop_of(plan, add), iterations});
}

void append_phases(const ir::Program& program, const Interface& interface, kernel::Module& module,
                   const std::function<void(const ir::Phase&)>& add) {
  const ir::Subdomain* subdomain = program.origin.subdomain.get();
  if (!program.start.empty()) {
    const auto* halos = subdomain ? &subdomain->start_exchanges : nullptr;
    kernel::Loop start = loop_of(module.plan, [&] {
      PartAppender(program, interface, module, halos, add).take(ir::parts_of_start(program));
    });
    module.plan.start = std::move(start);
  }
  if (ir::cuts_steps(program)) {
    const auto* halos = subdomain ? &subdomain->halo_exchanges : nullptr;
    PartAppender(program, interface, module, halos, add).take(ir::parts_of_step(program));
  } else {
    for (const ir::Phase& phase : ir::phases(program)) add(phase);
  }
}

}  // namespace stencil::schedule
