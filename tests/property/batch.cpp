// Shared by the devices that run a batch.
#include "tests/property/batch.h"

#include "runtime/cluster/decomposed.h"

namespace stencil::property {

std::vector<Piece> pieces_of(const Item& item) {
  if (item.boxed) return {{&item.boxed->box.program, &item.module}};
  if (!item.cut) return {{&item.program, &item.module}};
  std::vector<Piece> out;
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
