// A merged kernel for the actions  launch a; swap u; repeat 3 { launch b; swap u }:
//
//   for (tile = 0; tile < blocks of a; ++tile) { body of a with block = tile }   u, u_next
//   barrier
//   for (iteration = 0; iteration < 1; ++iteration) {
//     body of b; barrier                                                         u_next, u
//     body of b; barrier                                                         u, u_next
//   }
//   body of b                                                                    u_next, u
//
// Swaps are known here, so they cost nothing: the bodies name the slots that have the roles at
// their place. A repeat whose body changes the roles is unrolled until they are back. The swaps
// that remain at the end stay actions of the plan.
#include "compiler/kernel/merge.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "compiler/kernel/evaluate.h"
#include "compiler/kernel/rewrite.h"

namespace stencil::kernel {

namespace {

constexpr int kMostTurns = 8;       // iterations of a repeat until the roles of its slots are back
constexpr int64_t kMostParts = 96;  // of a kernel: longer ones take long to compile

// By array: the slot at the beginning that has the role of slot k now.
using Roles = std::map<int, std::vector<int>>;

class Merger {
 public:
  Merger(Module& module, const std::set<int>& kernels, std::string name)
      : module_(module), kernels_(kernels), name_(std::move(name)) {}

  void loop(Loop& loop) {
    std::vector<Action> out;
    for (size_t begin = 0; begin < loop.actions.size();) {
      size_t end = begin;
      int64_t parts = 0;
      while (end < loop.actions.size() && is_mergeable(loop.actions[end])) {
        parts += parts_in({loop.actions[end]});
        if (parts > kMostParts && end > begin) break;
        ++end;
      }
      // Swaps at the end move nothing into the kernel.
      while (end > begin && !launches(loop.actions[end - 1])) --end;
      const auto first = loop.actions.begin() + static_cast<std::ptrdiff_t>(begin);
      std::vector<Action> some(first, first + static_cast<std::ptrdiff_t>(end - begin));
      if (launches_of(some) > 1 && loop.time_tile == 1) {
        merge(some, out);
      } else {
        if (end == begin) ++end;
        for (size_t a = begin; a < end; ++a) {
          out.push_back(std::move(loop.actions[a]));
          if (auto* repeat = std::get_if<Repeat>(&out.back())) this->loop(*repeat);
        }
      }
      begin = end;
    }
    loop.actions = std::move(out);
  }

 private:
  static bool launches(const Action& action) {
    return std::holds_alternative<Launch>(action) || std::holds_alternative<Repeat>(action);
  }
  static int64_t launches_of(const std::vector<Action>& actions) {
    int64_t count = 0;
    for (const Action& action : actions) {
      if (std::holds_alternative<Launch>(action)) ++count;
      const auto* repeat = std::get_if<Repeat>(&action);
      if (repeat) count += repeat->iterations * launches_of(repeat->actions);
    }
    return count;
  }

  // The parts of a kernel that does these actions (repeat()).
  int64_t parts_in(const std::vector<Action>& actions) const {
    int64_t count = 0;
    for (const Action& action : actions) {
      if (std::holds_alternative<Launch>(action)) ++count;
      const auto* repeat = std::get_if<Repeat>(&action);
      if (!repeat) continue;
      const int turns = turns_of(*repeat);
      count += (turns + repeat->iterations % turns) * parts_in(repeat->actions);
    }
    return count;
  }

  std::optional<int64_t> blocks_of(const Launch& launch) const {
    return evaluate(launch.blocks, [&](const std::string& name) -> std::optional<int64_t> {
      for (const NamedConstant& constant : module_.constants) {
        if (constant.name == name) return constant.value;
      }
      return std::nullopt;
    });
  }

  bool is_mergeable(const Action& action) const {
    if (const auto* launch = std::get_if<Launch>(&action)) {
      if (kernels_.count(launch->kernel) == 0) return false;
      const auto& buffers = module_.kernels[static_cast<size_t>(launch->kernel)].buffers;
      const bool all_global = std::all_of(buffers.begin(), buffers.end(), [](const Buffer& buffer) {
        return buffer.space == Space::Global;
      });
      return all_global && launch->steps == 0 && launch->exchange == kNoExchange &&
             launch->bulk_sources.empty() && blocks_of(*launch).has_value();
    }
    if (const auto* rotate = std::get_if<Rotate>(&action)) return rotate->steps == 1;
    if (std::holds_alternative<SwapSlots>(action)) return true;
    const auto* repeat = std::get_if<Repeat>(&action);
    return repeat && repeat->time_tile == 1 && turns_of(*repeat) <= kMostTurns &&
           std::all_of(repeat->actions.begin(), repeat->actions.end(),
                       [&](const Action& inner) { return is_mergeable(inner); });
  }

  // --- Roles of slots

  std::vector<int>& roles_of(int array, Roles& roles) const {
    std::vector<int>& slots = roles[array];
    if (slots.empty()) {
      slots.resize(static_cast<size_t>(module_.plan.arrays[array].copies));
      std::iota(slots.begin(), slots.end(), 0);
    }
    return slots;
  }
  void turn(const std::vector<Action>& actions, Roles& roles) const {
    for (const Action& action : actions) {
      if (const auto* rotate = std::get_if<Rotate>(&action)) {
        auto& slots = roles_of(rotate->array, roles);
        std::rotate(slots.begin(), slots.end() - 1, slots.end());
      } else if (const auto* swap = std::get_if<SwapSlots>(&action)) {
        auto& slots = roles_of(swap->array, roles);
        std::swap(slots[static_cast<size_t>(swap->a)], slots[static_cast<size_t>(swap->b)]);
      } else if (const auto* repeat = std::get_if<Repeat>(&action)) {
        for (int64_t i = 0; i < repeat->iterations % turns_of(*repeat); ++i) {
          turn(repeat->actions, roles);
        }
      }
    }
  }
  static bool are_back(const Roles& roles) {
    return std::all_of(roles.begin(), roles.end(), [](const auto& entry) {
      return std::is_sorted(entry.second.begin(), entry.second.end());
    });
  }
  // The number of iterations after which the roles are as before; kMostTurns + 1 if it is larger.
  int turns_of(const Repeat& repeat) const {
    Roles roles;
    for (int turns = 1; turns <= kMostTurns; ++turns) {
      turn(repeat.actions, roles);
      if (are_back(roles)) return turns;
    }
    return kMostTurns + 1;
  }

  // --- The merged kernel

  void merge(const std::vector<Action>& actions, std::vector<Action>& out) {
    std::vector<Action>& made = merged_[text_of(actions)];
    if (made.empty()) make(actions, made);
    out.insert(out.end(), made.begin(), made.end());
  }

  // Equal for actions that do the same.
  static std::string text_of(const std::vector<Action>& actions) {
    std::string out;
    const auto add = [&](const char* what, int64_t a, int64_t b = 0, int64_t c = 0) {
      out += what + std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(c) + ";";
    };
    for (const Action& action : actions) {
      if (const auto* launch = std::get_if<Launch>(&action)) {
        add("launch ", launch->kernel);
        for (const ArrayArgument& array : launch->arrays) add("array ", array.array, array.slot);
      } else if (const auto* rotate = std::get_if<Rotate>(&action)) {
        add("rotate ", rotate->array);
      } else if (const auto* swap = std::get_if<SwapSlots>(&action)) {
        add("swap ", swap->array, swap->a, swap->b);
      } else if (const auto* repeat = std::get_if<Repeat>(&action)) {
        add("repeat ", repeat->iterations);
        out += "{" + text_of(repeat->actions) + "}";
      }
    }
    return out;
  }

  void make(const std::vector<Action>& actions, std::vector<Action>& out) {
    kernel_ = {};
    launch_ = {};
    buffers_.clear();
    parts_.clear();
    Roles roles;
    Body body;
    append(actions, roles, body);
    if (!body.empty() && std::holds_alternative<Barrier>(body.back().kind)) body.pop_back();
    kernel_.name = number_++ == 0 ? name_ : name_ + "_" + std::to_string(number_);
    kernel_.comment = "One block computes small sweeps one after another:\n" + listed();
    kernel_.body = std::move(body);
    launch_.kernel = static_cast<int>(module_.kernels.size());
    launch_.blocks = integer(1, Scalar::I64);
    module_.kernels.push_back(std::move(kernel_));
    out.push_back(std::move(launch_));
    restore(std::move(roles), out);
  }

  std::string listed() const {
    constexpr size_t kMostListed = 12;
    std::string out;
    for (size_t p = 0; p < parts_.size() && p < kMostListed; ++p) {
      out += (p == 0 ? "" : ", ") + parts_[p];
    }
    return parts_.size() > kMostListed ? out + ", ..." : out + ".";
  }

  // Swaps that give the slots their final roles.
  static void restore(Roles roles, std::vector<Action>& out) {
    for (auto& [array, slots] : roles) {
      // `slots` is built from the identity, one exchange at a time.
      std::vector<int> now(slots.size());
      std::iota(now.begin(), now.end(), 0);
      for (size_t k = 0; k < slots.size(); ++k) {
        const auto at = std::find(now.begin(), now.end(), slots[k]) - now.begin();
        if (static_cast<size_t>(at) == k) continue;
        out.push_back(SwapSlots{array, static_cast<int>(k), static_cast<int>(at)});
        std::swap(now[k], now[static_cast<size_t>(at)]);
      }
    }
  }

  void append(const std::vector<Action>& actions, Roles& roles, Body& to) {
    for (const Action& action : actions) {
      if (const auto* launch = std::get_if<Launch>(&action)) {
        part(*launch, roles, to);
      } else if (const auto* repeat = std::get_if<Repeat>(&action)) {
        this->repeat(*repeat, roles, to);
      } else {
        turn({action}, roles);
      }
    }
  }

  void repeat(const Repeat& repeat, Roles& roles, Body& to) {
    const int turns = turns_of(repeat);
    const int64_t rounds = repeat.iterations / turns;
    Body body;
    for (int i = 0; i < turns && rounds > 0; ++i) append(repeat.actions, roles, body);
    if (rounds == 1) {
      std::move(body.begin(), body.end(), std::back_inserter(to));
    } else if (rounds > 1) {
      const std::string name = "iteration" + std::to_string(++loops_);
      to.push_back({For{LoopKind::Rolled, name, integer(0), integer(rounds), 1, std::move(body)}});
    }
    for (int64_t i = rounds * turns; i < repeat.iterations; ++i) append(repeat.actions, roles, to);
  }

  // The blocks of one launch, then a barrier.
  void part(const Launch& launch, Roles& roles, Body& to) {
    const Kernel& source = module_.kernels[static_cast<size_t>(launch.kernel)];
    parts_.push_back(source.name);
    kernel_.threads = source.threads;
    std::map<BufferId, BufferId> renumbered;
    for (size_t b = 0; b < source.buffers.size(); ++b) {
      renumbered[static_cast<BufferId>(b)] =
          buffer(source.buffers[static_cast<BufferId>(b)], launch.arrays[b], roles);
    }
    for (size_t s = 0; s < source.scalars.size(); ++s) {
      const auto same = [&](const ScalarArgument& scalar) {
        return scalar.name == source.scalars[s].name;
      };
      if (std::any_of(kernel_.scalars.begin(), kernel_.scalars.end(), same)) continue;
      kernel_.scalars.push_back(source.scalars[s]);
      launch_.scalars.push_back(launch.scalars[s]);
    }
    const int64_t blocks = *blocks_of(launch);
    const std::string name = "tile" + std::to_string(++loops_);
    const Expr block = blocks == 1 ? integer(0, Scalar::I64) : variable(name, Scalar::I64);
    Rewriter rewriter(
        [&](const Expr& expr) -> Expr {
          const auto* read = std::get_if<Variable>(&expr->kind);
          return read && read->name == "block" ? block : nullptr;
        },
        [&](BufferId id) { return renumbered.at(id); });
    Body body = rewriter.body(source.body);
    if (blocks == 1) {
      to.push_back({Scope{std::move(body)}});
    } else {
      to.push_back({For{LoopKind::Rolled, name, integer(0, Scalar::I64),
                        integer(blocks, Scalar::I64), 1, std::move(body)}});
    }
    to.push_back({Barrier{true}});
  }

  // The merged kernel's buffer for an argument of a launch.
  BufferId buffer(const Buffer& source, const ArrayArgument& argument, Roles& roles) {
    const int slot = argument.slot == kScratch
                         ? kScratch
                         : roles_of(argument.array, roles)[static_cast<size_t>(argument.slot)];
    const auto [place, fresh] =
        buffers_.try_emplace({argument.array, slot}, static_cast<int>(kernel_.buffers.size()));
    if (fresh) {
      Buffer added = source;
      added.name = unique(source.name);
      kernel_.buffers.push_back(std::move(added));
      launch_.arrays.push_back({argument.array, slot});
    }
    kernel_.buffers[place->second].read_only &= source.read_only;
    return place->second;
  }

  std::string unique(const std::string& wanted) const {
    std::string name = wanted;
    for (int n = 2; std::any_of(kernel_.buffers.begin(), kernel_.buffers.end(),
                                [&](const Buffer& buffer) { return buffer.name == name; });
         ++n) {
      name = wanted + "_slot" + std::to_string(n);
    }
    return name;
  }

  Module& module_;
  const std::set<int>& kernels_;
  const std::string name_;
  int number_ = 0, loops_ = 0;
  std::map<std::string, std::vector<Action>> merged_;  // by text_of() of what they replace
  Kernel kernel_;
  Launch launch_;
  std::map<std::pair<int, int>, BufferId> buffers_;  // by array and slot at the beginning
  std::vector<std::string> parts_;                   // names of the kernels
};

}  // namespace

void merge_launches(Module& module, Loop& loop, const std::set<int>& kernels,
                    const std::string& name) {
  Merger(module, kernels, name).loop(loop);
}

void drop_unused_kernels(Module& module) {
  std::vector<int> number(module.kernels.size(), -1);
  for_each_launch(module.plan,
                  [&](const Launch& launch) { number[static_cast<size_t>(launch.kernel)] = 0; });
  std::vector<Kernel> kept;
  for (size_t k = 0; k < number.size(); ++k) {
    if (number[k] < 0) continue;
    number[k] = static_cast<int>(kept.size());
    kept.push_back(std::move(module.kernels[k]));
  }
  module.kernels = std::move(kept);
  for_each_launch(module.plan, [&](Launch& launch) {
    launch.kernel = number[static_cast<size_t>(launch.kernel)];
  });
}

}  // namespace stencil::kernel
