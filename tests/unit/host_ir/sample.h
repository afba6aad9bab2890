// A module whose kernels do nothing: one array in two copies, tiles of up to four steps.
#pragma once

#include "compiler/kernel/plan.h"

namespace stencil::host_ir::samples {

inline kernel::Buffer buffer(const char* name, bool read_only) {
  return {name,       Scalar::F32, kernel::Space::Global, {kernel::integer(8)}, read_only,
          !read_only, ""};
}

// Kernel 0 makes the next level of A from the newest one.
inline kernel::Module tiles() {
  kernel::Module module;
  module.name = "sample";
  kernel::Kernel kernel;
  kernel.name = "advance";
  kernel.buffers = {buffer("A", true), buffer("A_next", false)};
  kernel.scalars = {{"first", Scalar::I32}, {"count", Scalar::I32}};
  module.kernels = {kernel};
  kernel::Array array;
  array.name = "A";
  array.type = Scalar::F32;
  array.extents = {kernel::integer(8)};
  array.copies = 2;
  array.written = true;
  module.plan.arrays = {array};
  module.plan.time_tile = 4;
  module.plan.actions = {kernel::Launch{0,
                                        {{0, 0}, {0, 1}},
                                        {kernel::FirstStep{}, kernel::StepCount{}},
                                        kernel::integer(5, Scalar::I64)},
                         kernel::Rotate{0}};
  module.plan.points = kernel::integer(8, Scalar::I64);
  return module;
}

// Also an integer `total` every `every` steps, and a run that stops on it.
inline kernel::Module stopping(int64_t every = 6) {
  kernel::Module module = tiles();
  kernel::Kernel total, hold;
  total.name = "total";
  total.buffers = {buffer("A", true), buffer("sum", false)};
  hold.name = "hold";
  hold.buffers = {buffer("sum", true), buffer("stop", false)};
  module.kernels.push_back(total);
  module.kernels.push_back(hold);
  module.plan.scratch = {{"sum", Scalar::I32, kernel::integer(1, Scalar::I64)},
                         {"stop", Scalar::I32, kernel::integer(1, Scalar::I64)}};
  const kernel::Expr one = kernel::integer(1, Scalar::I64);
  kernel::Reduction reduction;
  reduction.name = "total";
  reduction.type = Scalar::I32;
  reduction.every = every;
  reduction.launches = {kernel::Launch{1, {{0, 0}, {0, kernel::kScratch}}, {}, one}};
  reduction.result = 0;
  module.plan.reductions = {reduction};
  module.plan.stop = kernel::Stop{
      {0}, kernel::Launch{2, {{0, kernel::kScratch}, {1, kernel::kScratch}}, {}, one}, 1};
  return module;
}

// The first module as a subdomain: a halo exchange every two common tiles of four steps. The first
// and the last block of the kernel touch the halos.
inline kernel::Module subdomain() {
  kernel::Module module = tiles();
  module.kernels[0].scalars.push_back({"first_block", Scalar::I64});
  auto& launch = std::get<kernel::Launch>(module.plan.actions[0]);
  launch.scalars = {kernel::FirstStep{}, kernel::StepCount{}, kernel::FirstBlock{}};
  launch.outer_blocks = {1, 1};
  module.plan.exchanges = {kernel::Exchange{}};
  module.plan.actions.insert(module.plan.actions.begin(), kernel::HaloExchange{0, 4, 2});
  return module;
}

// The first module with its actions in a repeat of 7 iterations, in tiles of up to three.
inline kernel::Module repeating() {
  kernel::Module module = tiles();
  module.plan.actions = {kernel::Repeat{{3, {}, std::move(module.plan.actions)}, 7}};
  module.plan.time_tile = 1;
  return module;
}

// A repeat of two iterations around this one, each of which also rotates A.
inline kernel::Module nested() {
  kernel::Module module = repeating();
  module.plan.actions = {
      kernel::Repeat{{1, {}, {std::move(module.plan.actions[0]), kernel::Rotate{0}}}, 2}};
  return module;
}

}  // namespace stencil::host_ir::samples
