// A launch is executed once for each tile size in which it occurs. Its counts are multiplied by the
// number of tiles of that size. Blocks are independent, so several host threads execute them.
#include "compiler/kernel/trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "compiler/kernel/trace_block.h"
#include "compiler/kernel/walk.h"
#include "compiler/support/threads.h"

namespace stencil::kernel {

namespace {

// A pseudo-random number that is the same everywhere: the finaliser of splitmix64.
uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Block `i` of a sample of `count` out of `blocks` blocks.
int64_t sampled_block(int64_t i, int64_t count, int64_t blocks) {
  if (count == blocks) return i;
  const auto bound = [&](int64_t n) {
    return static_cast<int64_t>(static_cast<__int128>(n) * blocks / count);
  };
  const int64_t begin = bound(i), size = bound(i + 1) - begin;
  return begin +
         static_cast<int64_t>(mixed(static_cast<uint64_t>(i)) % static_cast<uint64_t>(size));
}

double flops_of(const FloatOperations& o) {
  return o.add + o.multiply + 2 * o.fma + o.divide + o.root + o.function;
}

class Tracer {
 public:
  Tracer(const Module& module, const TraceOptions& options, std::string& problem)
      : module_(module), options_(options), problem_(problem) {
    for (const NamedConstant& constant : module.constants) {
      values_[constant.name] = constant.value;
    }
    for (const Parameter& parameter : module.plan.parameters) {
      if (is_float(parameter.type)) continue;
      if (const auto value = value_of(parameter)) values_[parameter.name] = *value;
    }
  }

  std::optional<Trace> tile() {
    const Plan& plan = module_.plan;
    Trace out;
    out.steps = steps_of_tile(plan, plan.time_tile);
    const auto points = evaluated(plan.points);
    if (!points) {
      problem_ = unknown("the number of points", plan.points);
      return std::nullopt;
    }
    out.points = *points;
    bool known = true;
    for_each_launch_of_tile(plan, out.steps, 1,
                            [&](const Launch& launch, int64_t count, int64_t times) {
                              known = known && add(launch, count, times, out.kernels);
                            });
    if (!known) return std::nullopt;
    for (const Reduction& reduction : plan.reductions) {
      for (const Launch& launch : reduction.launches) {
        if (!add(launch, out.steps, 1, out.reductions)) return std::nullopt;
      }
    }
    if (plan.stop && !add(plan.stop->launch, out.steps, 1, out.reductions)) return std::nullopt;
    return out;
  }

 private:
  std::optional<int64_t> value_of(const Parameter& parameter) const {
    if (options_.known) {
      if (const auto value = options_.known(parameter.name)) return value;
    }
    if (!parameter.derived) return parameter.integer_default;
    return evaluated(parameter.derived);
  }
  std::optional<int64_t> evaluated(const Expr& expr) const {
    return evaluate(expr, [this](const std::string& name) -> std::optional<int64_t> {
      const auto found = values_.find(name);
      return found == values_.end() ? std::nullopt : std::optional<int64_t>(found->second);
    });
  }
  // The message for an expression that has no value.
  std::string unknown(const std::string& what, const Expr& expr) const {
    std::set<std::string> names;
    for_each_node(expr, [&](const Expr& node) {
      const auto* variable = std::get_if<Variable>(&node->kind);
      if (variable && values_.count(variable->name) == 0) names.insert(variable->name);
    });
    if (names.empty()) return what + " overflows";
    return fmt::format("{} depends on {}, which has no value", what, fmt::join(names, ", "));
  }

  bool add(const Launch& launch, int64_t count, int64_t times, std::vector<TracedKernel>& out) {
    const Kernel& kernel = module_.kernels[launch.kernel];
    const auto blocks = evaluated(launch.blocks);
    if (kernel.thread_loops || kernel.threads.product() > kBlockThreads) {
      problem_ = fmt::format("kernel {} has {}", kernel.name,
                             kernel.thread_loops
                                 ? "loops in place of threads"
                                 : fmt::format("{} threads per block", kernel.threads.product()));
      return false;
    }
    if (!blocks) {
      problem_ = unknown("the number of blocks of kernel " + kernel.name, launch.blocks);
      return false;
    }
    const TracedKernel traced = trace(launch, count, std::max<int64_t>(*blocks, 0));
    auto place = std::find_if(out.begin(), out.end(), [&](const TracedKernel& other) {
      return other.kernel == launch.kernel;
    });
    if (place == out.end()) {
      place = out.insert(place, TracedKernel{launch.kernel});
      place->threads = static_cast<int>(kernel.threads.product());
      place->shared_bytes = shared_bytes(kernel, module_.constants);
    }
    place->launches += times;
    place->blocks += times * traced.blocks;
    place->counts.add(traced.counts, static_cast<double>(times));
    place->data_dependent = place->data_dependent || traced.data_dependent;
    place->sampled = place->sampled || traced.sampled;
    return true;
  }

  int64_t blocks_to_execute(const tracing::KernelCode& code,
                            const std::map<std::string, int64_t>& values, int64_t blocks) const {
    constexpr int64_t kLeast = 32;
    if (options_.most_work <= 0 || blocks <= kLeast) return blocks;
    tracing::BlockTracer tracer(code, values);
    tracer.run(blocks / 2);
    const int64_t affordable = options_.most_work / std::max<int64_t>(tracer.work(), 1);
    return std::min(blocks, std::max(affordable, kLeast));
  }

  // One launch in a tile of `count` steps.
  TracedKernel trace(const Launch& launch, int64_t count, int64_t blocks) {
    const Kernel& kernel = module_.kernels[launch.kernel];
    std::map<std::string, int64_t> values;
    for (const NamedConstant& constant : module_.constants) {
      values[constant.name] = constant.value;
    }
    for (size_t s = 0; s < kernel.scalars.size(); ++s) {
      const std::string& name = kernel.scalars[s].name;
      values.erase(name);
      if (std::holds_alternative<FirstStep>(launch.scalars[s])) values[name] = 0;
      if (std::holds_alternative<FirstBlock>(launch.scalars[s])) values[name] = 0;
      if (std::holds_alternative<StepCount>(launch.scalars[s])) values[name] = count;
      const auto* argument = std::get_if<ParameterArgument>(&launch.scalars[s]);
      if (!argument) continue;
      const auto known = values_.find(module_.plan.parameters[argument->parameter].name);
      if (known != values_.end()) values[name] = known->second;
    }
    const tracing::KernelCode code = tracing::code_of(kernel, module_.constants);
    const int64_t executed = blocks_to_execute(code, values, blocks);
    TracedKernel out{launch.kernel};
    out.blocks = blocks;
    out.sampled = executed < blocks;
    std::mutex mutex;
    const int64_t grain = std::max<int64_t>(1, executed / (8 * int64_t{wanted_threads()}));
    in_ranges(executed, grain, [&](int64_t begin, int64_t end) {
      tracing::BlockTracer tracer(code, values);
      for (int64_t i = begin; i < end; ++i) tracer.run(sampled_block(i, executed, blocks));
      const std::lock_guard lock(mutex);
      out.counts.add(tracer.counts());
      out.data_dependent = out.data_dependent || tracer.data_dependent();
    });
    const double flops = flops_of(out.counts.single) + flops_of(out.counts.real);
    out.counts.flops = std::llround(flops);
    if (!out.sampled) return out;
    Counters scaled;
    scaled.add(out.counts, static_cast<double>(blocks) / static_cast<double>(executed));
    out.counts = scaled;
    return out;
  }

  const Module& module_;
  const TraceOptions& options_;
  std::string& problem_;
  std::map<std::string, int64_t> values_;  // of constants and params
};

}  // namespace

const std::vector<CounterName>& counter_names() {
  static const std::vector<CounterName> names = {
      {"global_loads", &Counters::global_loads},
      {"global_stores", &Counters::global_stores},
      {"loads64", &Counters::loads64},
      {"stores64", &Counters::stores64},
      {"loads32", &Counters::loads32},
      {"stores32", &Counters::stores32},
      {"load_bytes", &Counters::load_bytes},
      {"store_bytes", &Counters::store_bytes},
      {"load_requests", &Counters::load_requests},
      {"store_requests", &Counters::store_requests},
      {"load_sectors", &Counters::load_sectors},
      {"store_sectors", &Counters::store_sectors},
      {"load_lines", &Counters::load_lines},
      {"store_lines", &Counters::store_lines},
      {"shared_loads", &Counters::shared_loads},
      {"shared_stores", &Counters::shared_stores},
      {"shared_load_wavefronts", &Counters::shared_load_wavefronts},
      {"shared_store_wavefronts", &Counters::shared_store_wavefronts},
      {"divergent_branches", &Counters::divergent_branches},
      {"branches", &Counters::branches},
      {"barriers", &Counters::barriers},
      {"shuffles", &Counters::shuffles},
      {"flops", &Counters::flops},
      {"operations", &Counters::operations},
  };
  return names;
}

void Counters::add(const Counters& other, double times) {
  for (const CounterName& name : counter_names()) {
    this->*name.value += times == 1 ? other.*name.value
                                    : std::llround(times * static_cast<double>(other.*name.value));
  }
  add_operations(single, other.single, times);
  add_operations(real, other.real, times);
}

TracedKernel Trace::total() const {
  TracedKernel out;
  for (const TracedKernel& kernel : kernels) {
    out.launches += kernel.launches;
    out.blocks += kernel.blocks;
    out.threads = std::max(out.threads, kernel.threads);
    out.shared_bytes = std::max(out.shared_bytes, kernel.shared_bytes);
    out.counts.add(kernel.counts);
    out.data_dependent = out.data_dependent || kernel.data_dependent;
    out.sampled = out.sampled || kernel.sampled;
  }
  return out;
}

std::optional<Trace> trace(const Module& module, const TraceOptions& options,
                           std::string& problem) {
  return Tracer(module, options, problem).tile();
}

}  // namespace stencil::kernel
