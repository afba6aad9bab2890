// Legalization is a list of small passes (passes.h). The dialect's table decides which of them run.
#include "compiler/emit/legalise.h"

#include "compiler/emit/passes.h"
#include "compiler/kernel/passes.h"
#include "compiler/support/pass_log.h"

namespace stencil::emit {

namespace {

struct Pass {
  const char* name;  // for --time-passes and --print-after
  bool (*is_for)(const Dialect& dialect);
  kernel::Kernel (*run)(kernel::Kernel kernel, kernel::FreshNames& fresh);
};

bool lacks_bulk_copies(const Dialect& dialect) {
  return dialect.tensor_map.empty();
}

// In this order.
constexpr Pass kPasses[] = {
    {"expand-shuffles", [](const Dialect& d) { return d.implicit_threads && d.shuffle[0].empty(); },
     expand_shuffles},
    {"expand-async-copies", [](const Dialect& d) { return !d.async_copies; }, expand_async_copies},
    {"expand-copies",
     [](const Dialect& d) { return d.vectors[0][static_cast<size_t>(Scalar::F32)].empty(); },
     expand_copies},
    {"expand-bulk-copies", lacks_bulk_copies, expand_bulk_copies},
    {"write-out-barrier-loops",
     [](const Dialect& d) { return d.duplicates_after_barriers && d.implicit_threads; },
     write_out_barrier_loops},
    {"zero-by-loops", [](const Dialect& d) { return d.implicit_threads; }, zero_by_loops},
    {"drop-dead-code", [](const Dialect& d) { return d.implicit_threads; }, drop_dead_code},
    {"split-deep-expressions", [](const Dialect& d) { return d.implicit_threads; },
     split_deep_expressions},
    {"make-thread-loops", [](const Dialect& d) { return !d.implicit_threads; }, make_thread_loops},
};

}  // namespace

kernel::Module legalise(kernel::Module module, const Dialect& dialect) {
  kernel::FreshNames fresh(module);
  for (kernel::Kernel& kernel : module.kernels) {
    for (const Pass& pass : kPasses) {
      if (!pass.is_for(dialect)) continue;
      kernel = run_pass(
          pass.name, [&] { return pass.run(std::move(kernel), fresh); },
          [](const kernel::Kernel& made) { return kernel::print(made); },
          [&](const kernel::Kernel& made) { return kernel::verify(module, made); });
    }
  }
  if (lacks_bulk_copies(dialect)) {
    kernel::for_each_launch(module.plan,
                            [](kernel::Launch& launch) { launch.bulk_sources.clear(); });
  }
  return module;
}

}  // namespace stencil::emit
