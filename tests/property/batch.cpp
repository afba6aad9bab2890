// Shared by the devices that run a batch.
#include "tests/property/batch.h"

#include <algorithm>

#include "runtime/cluster/decomposed.h"

namespace stencil::property {

std::vector<Piece> pieces_of(const Item& item) {
  if (item.boxed) return {{&item.boxed->box.program, &item.module}};
  std::vector<Piece> out;
  if (!item.cut) out.push_back({&item.program, &item.module});
  if (item.relay) {
    for (const kernel::Module& module : item.relay->modules) {
      out.push_back({&item.program, &module});
    }
  }
  if (!item.cut) return out;
  for (size_t p = 0; p < item.cut->subdomains.size(); ++p) {
    out.push_back({&item.cut->subdomains[p], &item.cut->modules[p]});
  }
  return out;
}

namespace {

// Runs a program on from the state's step and updates the state.
// Returns a description of any failure.
std::string run_for(const runtime::LoadedProgram& program, reference::State& state, int64_t steps) {
  auto session = program.start(state);
  if (!session.ok()) return session.failure().message;
  const auto ran = session.value()->advance(steps);
  if (!ran.ok()) return ran.failure().message;
  const auto finished = session.value()->finish();
  return finished.ok() ? "" : finished.failure().message;
}

// The modules advance the run in turn. Each module takes over from the previous module.
std::string run_in_turn(const std::vector<std::unique_ptr<runtime::LoadedProgram>>& programs,
                        Item& item) {
  const std::vector<int64_t>& lengths = item.relay->lengths;
  auto session = programs[0]->start(item.state);
  if (!session.ok()) return session.failure().message;
  int64_t left = item.steps;
  for (size_t turn = 0;; ++turn) {
    const int64_t steps = std::min(left, lengths[turn % lengths.size()]);
    const auto ran = session.value()->advance(steps);
    if (!ran.ok()) return ran.failure().message;
    left -= steps;
    if (left == 0) break;
    auto next = programs[(turn + 1) % programs.size()]->take_over(item.state, *session.value());
    if (!next.ok()) return next.failure().message;
    session = std::move(next);
  }
  const auto finished = session.value()->finish();
  return finished.ok() ? "" : finished.failure().message;
}

void run_in_boxes(const runtime::LoadedProgram& program, Item& item) {
  const Boxed& boxed = *item.boxed;
  test::InBoxes boxes(boxed.whole, boxed.box, boxed.bounds, item.state, item.given);
  item.problem = boxes.problem;
  if (!item.problem.empty()) return;
  boxes.advance(item.steps, boxed.lengths, [&](reference::State& state, int64_t steps) {
    const std::string problem = run_for(program, state, steps);
    if (item.problem.empty()) item.problem = problem;
  });
}

}  // namespace

void run_loaded(std::vector<std::unique_ptr<runtime::LoadedProgram>> pieces, Item& item) {
  if (item.relay) {
    item.problem = run_in_turn(pieces, item);
    return;
  }
  std::unique_ptr<runtime::LoadedProgram> program;
  if (item.cut) {
    program = runtime::assemble_subdomains(item.cut->whole, item.cut->decomposition,
                                           item.cut->subdomains, std::move(pieces));
  } else {
    program = std::move(pieces[0]);
  }
  if (item.boxed) return run_in_boxes(*program, item);
  item.problem = run_for(*program, item.state, item.steps);
}

}  // namespace stencil::property
