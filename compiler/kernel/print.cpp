// The kernel IR as text, for --emit kernel-ir, golden tests and verifier messages. The text uses
// the IR's own words (support/scalar.h names the operators), not those of a target. It shows what
// lowering decided, before any writer changes the spelling.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "compiler/kernel/passes.h"

namespace stencil::kernel {

namespace {

// Empty: the operator is printed as a call.
std::string_view infix(Op op) {
  const bool is_sum = op >= Op::Add && op <= Op::Mod;
  return is_sum || is_comparison(op) || op == Op::And || op == Op::Or ? spelling(op) : "";
}

class Printer {
 public:
  explicit Printer(const Kernel* kernel) : kernel_(kernel) {}

  std::string expr(const Expr& expr, bool nested = false) const {
    struct Visitor {
      const Printer& printer;
      const ExprNode& node;
      bool nested;
      std::string operator()(const IntegerLiteral& literal) const {
        if (node.type == Scalar::Bool) return literal.value ? "true" : "false";
        if (printer.kernel_ && !literal.name.empty()) return literal.name;
        return std::to_string(literal.value) + (node.type == Scalar::I64 ? "L" : "");
      }
      std::string operator()(const RealLiteral& literal) const {
        if (node.type == Scalar::F32) return fmt::format("{}f", static_cast<float>(literal.value));
        return fmt::format("{}d", literal.value);
      }
      std::string operator()(const Variable& variable) const { return variable.name; }
      std::string operator()(const Operation& operation) const {
        return printer.operation(operation, node.type, nested);
      }
      std::string operator()(const Load& load) const {
        return printer.element(load.buffer, load.index);
      }
    };
    return std::visit(Visitor{*this, *expr, nested}, expr->kind);
  }

  std::string element(BufferId buffer, const std::vector<Expr>& index) const {
    const bool known = kernel_ && buffer >= 0 && buffer < static_cast<int>(kernel_->buffers.size());
    std::string text = known ? kernel_->buffers[buffer].name : fmt::format("buffer#{}", buffer);
    return text + "[" + list(index) + "]";
  }

  // The box of a bulk copy: "box A[z, y, x]", where the index is that of its first element.
  std::string box(int source, const std::vector<Expr>& origin) const {
    const bool known =
        kernel_ && source >= 0 && source < static_cast<int>(kernel_->bulk_sources.size());
    const std::string name =
        known ? kernel_->bulk_sources[source].name : fmt::format("source#{}", source);
    return "box " + name + "[" + list(origin) + "]";
  }

  void body(const Body& body, int depth, std::string& out) const {
    struct Visitor {
      const Printer& printer;
      int depth;
      std::string& out;
      void line(const std::string& text) const {
        out += std::string(static_cast<size_t>(2 * depth), ' ') + text + "\n";
      }
      void nested(const std::string& head, const Body& inner) const {
        line(head + " {");
        printer.body(inner, depth + 1, out);
        line("}");
      }
      void operator()(const Comment& comment) const {
        size_t begin = 0;
        for (size_t end; begin <= comment.text.size(); begin = end + 1) {
          end = std::min(comment.text.find('\n', begin), comment.text.size());
          line("# " + comment.text.substr(begin, end - begin));
        }
      }
      void operator()(const Let& let) const {
        line(fmt::format("{} {}: {} = {}", let.cases ? "cases" : "let", let.name,
                         name(let.value->type), printer.expr(let.value)));
      }
      void operator()(const Store& store) const {
        line(printer.element(store.buffer, store.index) + " = " + printer.expr(store.value));
      }
      void operator()(const Copy& copy) const {
        line(fmt::format("{}copy {}: {} = {}", copy.async ? "async " : "", copy.count,
                         printer.element(copy.to, copy.to_index),
                         printer.element(copy.from, copy.from_index)));
      }
      void operator()(const CommitCopies&) const { line("commit copies"); }
      void operator()(const AwaitCopies& await) const {
        line(fmt::format("await copies, {} batches pending", await.pending));
      }
      void operator()(const For& loop) const {
        constexpr std::array kinds = {"for", "unrolled", "steps", "rolled"};
        const std::string by =
            loop.step_name.empty() ? fmt::format("{}", loop.step) : loop.step_name;
        const std::string step = loop.step == 1 ? "" : " step " + by;
        nested(fmt::format("{} {} in {} .. {}{}", kinds[static_cast<size_t>(loop.kind)], loop.name,
                           printer.expr(loop.begin), printer.expr(loop.end), step),
               loop.body);
      }
      void operator()(const If& branch) const {
        nested("if " + printer.expr(branch.condition), branch.then);
        if (!branch.otherwise.empty()) nested("else", branch.otherwise);
      }
      void operator()(const Threads& threads) const {
        std::string head = "threads";
        for (const Expr& condition : threads.conditions) {
          head += (&condition == &threads.conditions.front() ? " if " : " and ") +
                  printer.expr(condition, true);
        }
        for (const ThreadLoop& loop : threads.loops) {
          head += fmt::format("{} {} in {} .. {}", &loop == &threads.loops.front() ? " for" : ",",
                              loop.name, printer.expr(loop.begin), printer.expr(loop.end));
          if (loop.condition) head += " if " + printer.expr(loop.condition, true);
        }
        nested(head, threads.body);
      }
      void operator()(const Barrier& barrier) const {
        line(barrier.global ? "barrier for memory" : "barrier");
      }
      void operator()(const Shuffle& shuffle) const {
        line(shuffle.count == 1
                 ? "shuffle {"
                 : fmt::format("shuffle {} in 0 .. {} {{", shuffle.name, shuffle.count));
        for (const Shuffle::Move& move : shuffle.moves) {
          const Visitor inside{printer, depth + 1, out};
          inside.line(fmt::format("{} = {} of lane {:+}", printer.element(move.to, move.to_index),
                                  printer.element(move.from, move.from_index), move.lane));
        }
        line("}");
      }
      void operator()(const BulkCopies& bulk) const {
        line(fmt::format("bulk copies, batch {} {{", printer.expr(bulk.batch)));
        for (const BulkCopy& copy : bulk.copies) {
          const Visitor inside{printer, depth + 1, out};
          inside.line(fmt::format("{} = {}", printer.element(copy.to, copy.to_index),
                                  printer.box(copy.source, copy.origin)));
        }
        line("}");
      }
      void operator()(const AwaitBulk& await) const {
        line(fmt::format("await bulk copies, batch {}", printer.expr(await.batch)));
      }
      void operator()(const Scope& scope) const { nested("scope", scope.body); }
    };
    for (const Statement& statement : body) std::visit(Visitor{*this, depth, out}, statement.kind);
  }

 private:
  std::string list(const std::vector<Expr>& items) const {
    std::string text;
    for (const Expr& item : items) text += (text.empty() ? "" : ", ") + expr(item);
    return text;
  }

  std::string operation(const Operation& operation, Scalar type, bool nested) const {
    const std::string_view symbol = infix(operation.op);
    if (!symbol.empty() && operation.operands.size() == 2) {
      const std::string text = fmt::format("{} {} {}", expr(operation.operands[0], true), symbol,
                                           expr(operation.operands[1], true));
      return nested ? "(" + text + ")" : text;
    }
    const std::string_view function =
        operation.op == Op::Convert ? stencil::name(type) : stencil::name(operation.op);
    return fmt::format("{}({})", function, list(operation.operands));
  }

  const Kernel* kernel_;
};

std::string_view space_name(Space space) {
  switch (space) {
    case Space::Global:
      return "global";
    case Space::Shared:
      return "shared";
    case Space::Block:
      return "block";
    case Space::Thread:
      return "thread";
  }
  return "";
}

std::string print_extents(const std::vector<Expr>& extents, const Kernel* kernel) {
  std::string text;
  for (const Expr& extent : extents)
    text += (text.empty() ? "" : ", ") + Printer(kernel).expr(extent);
  return "[" + text + "]";
}

std::string print_rows(const Array& array) {
  if (!is_padded(array)) return "";
  return fmt::format(" pitch {} lead {}", print(array.row_pitch), print(lead_of(array)));
}

void print_kernel(const Kernel& kernel, std::string& out) {
  out += fmt::format("\nkernel {} threads {}", kernel.name,
                     stencil::print(kernel.threads, std::max(3, kernel.threads.rank())));
  if (kernel.min_blocks > 0) out += fmt::format(" min_blocks {}", kernel.min_blocks);
  if (kernel.thread_loops) out += " thread_loops";
  out += "\n";
  for (const Buffer& buffer : kernel.buffers) {
    out += fmt::format("  {} {}: {}{}{}{}{}{}{}\n", space_name(buffer.space), buffer.name,
                       name(buffer.type), print_extents(buffer.extents, &kernel),
                       buffer.read_only ? " read_only" : "", buffer.wide ? " wide" : "",
                       buffer.zeroed ? " zeroed" : "", buffer.local ? " local" : "",
                       buffer.alignment == 16 ? "" : fmt::format(" align {}", buffer.alignment));
  }
  for (const ScalarArgument& scalar : kernel.scalars) {
    out += fmt::format("  scalar {}: {}\n", scalar.name, name(scalar.type));
  }
  for (const BulkSource& source : kernel.bulk_sources) {
    const bool known =
        source.buffer >= 0 && source.buffer < static_cast<int>(kernel.buffers.size());
    out += fmt::format(
        "  boxes {}: {} of {}\n", source.name, fmt::join(source.box, "x"),
        known ? kernel.buffers[source.buffer].name : fmt::format("buffer#{}", source.buffer));
  }
  if (kernel.bulk_batches > 0) out += fmt::format("  bulk_batches {}\n", kernel.bulk_batches);
  out += "{\n";
  Printer(&kernel).body(kernel.body, 1, out);
  out += "}\n";
}

struct ActionPrinter {
  const Module& module;
  std::string array(int index) const { return module.plan.arrays[index].name; }
  std::string operator()(const Launch& launch) const {
    std::string arguments;
    for (const ArrayArgument& argument : launch.arrays) {
      if (!arguments.empty()) arguments += ", ";
      arguments += argument.slot == kScratch
                       ? module.plan.scratch[argument.array].name
                       : fmt::format("{}[{}]", array(argument.array), argument.slot);
    }
    for (const ScalarValue& value : launch.scalars) {
      struct Name {
        const Plan& plan;
        std::string operator()(const ParameterArgument& argument) const {
          return plan.parameters[argument.parameter].name;
        }
        std::string operator()(const FirstStep&) const { return "first_step"; }
        std::string operator()(const StepCount&) const { return "count"; }
        std::string operator()(const FirstBlock&) const { return "first_block"; }
      };
      arguments += (arguments.empty() ? "" : ", ") + std::visit(Name{module.plan}, value);
    }
    for (const ArrayArgument& argument : launch.bulk_sources) {
      arguments += fmt::format(", boxes of {}[{}]", array(argument.array), argument.slot);
    }
    const std::string when = launch.steps ? fmt::format(" if count is {}", launch.steps) : "";
    return fmt::format("launch {}({}) blocks {}{}", module.kernels[launch.kernel].name, arguments,
                       print(launch.blocks), when);
  }
  std::string operator()(const Rotate& rotate) const {
    const std::string when =
        rotate.steps == 1 ? "" : fmt::format(" in tiles of {} steps or more", rotate.steps);
    return "rotate " + array(rotate.array) + when;
  }
  std::string operator()(const SwapSlots& swap) const {
    return fmt::format("swap {}[{}] [{}]", array(swap.array), swap.a, swap.b);
  }
  std::string operator()(const HaloExchange& halo) const {
    if (halo.common_tile == 0) return fmt::format("exchange {}", halo.exchange);
    return fmt::format("exchange {} before every {} tiles of {}", halo.exchange,
                       halo.tiles_per_exchange, halo.common_tile);
  }
  std::string operator()(const Repeat& repeat) const {
    const auto& sizes = repeat.tile_sizes;
    return fmt::format("repeat {} iterations time_tile {}{}", repeat.iterations, repeat.time_tile,
                       sizes.empty() ? "" : fmt::format(" tile_sizes {}", fmt::join(sizes, " ")));
  }
};

void print_actions(const Module& module, const Loop& loop, size_t indent, std::string& out) {
  for (const Action& action : loop.actions) {
    out += std::string(2 * indent, ' ') + std::visit(ActionPrinter{module}, action) + "\n";
    const auto* repeat = std::get_if<Repeat>(&action);
    if (repeat) print_actions(module, *repeat, indent + 1, out);
  }
}

void print_plan(const Module& module, std::string& out) {
  const Plan& plan = module.plan;
  out += fmt::format("\nplan time_tile {}\n", plan.time_tile);
  if (!plan.tile_sizes.empty()) {
    out += fmt::format("  tile_sizes {}\n", fmt::join(plan.tile_sizes, " "));
  }
  for (const Parameter& parameter : plan.parameters) {
    out += fmt::format("  parameter {}: {}", parameter.name, name(parameter.type));
    if (parameter.integer_default) out += fmt::format(" = {}", *parameter.integer_default);
    if (parameter.real_default) out += fmt::format(" = {}", *parameter.real_default);
    if (parameter.derived) out += " from " + print(parameter.derived);
    out += parameter.is_size ? " size\n" : "\n";
  }
  for (const Array& array : plan.arrays) {
    out += fmt::format("  array {}: {}{} levels {} copies {}{}{}\n", array.name, name(array.type),
                       print_extents(array.extents, nullptr), array.levels, array.copies,
                       array.written ? "" : " constant", print_rows(array));
  }
  for (const Check& check : plan.checks) {
    out += fmt::format("  check {} \"{}\"\n", print(check.condition), check.message);
  }
  for (const StepLimit& limit : plan.step_limits) {
    out += fmt::format("  at most {} steps \"{}\"\n", print(limit.steps), limit.message);
  }
  if (plan.default_steps) out += fmt::format("  steps {}\n", print(*plan.default_steps));
  if (!plan.start.actions.empty()) {
    out += "  start\n";
    print_actions(module, plan.start, 2, out);
  }
  print_actions(module, plan, 1, out);
  for (const Scratch& scratch : plan.scratch) {
    out += fmt::format("  scratch {}: {}[{}]\n", scratch.name, name(scratch.type),
                       print(scratch.elements));
  }
  for (const PointSet& set : plan.point_sets) {
    out += fmt::format("  points {}: {} of {}{}, weighing {} in a dimension\n", set.name,
                       print(set.points), plan.arrays[set.arrays].name,
                       set.weighted ? " with weights" : "", set.width);
  }
  for (const Reduction& reduction : plan.reductions) {
    out += fmt::format("  reduction {}: {} ", reduction.name, name(reduction.type));
    out += reduction.in_step ? "in the step\n" : fmt::format("every {}\n", reduction.every);
    if (reduction.array != kNoArray) {
      const auto& array = plan.arrays[reduction.array];
      out += fmt::format("    values in {}\n", array.name);
    }
    if (reduction.first_nan != kNoScratch) {
      const auto& memory = plan.scratch[reduction.first_nan];
      out += fmt::format("    when first NaN in {}, 0 before the run\n", memory.name);
    }
    for (const Launch& launch : reduction.launches) {
      out += "    " + ActionPrinter{module}(launch) + "\n";
    }
  }
  if (plan.stop) {
    std::vector<std::string> named;
    for (int r : plan.stop->reductions) named.push_back(plan.reductions[r].name);
    out += fmt::format("  stop by {}\n    {}\n", fmt::join(named, " "),
                       ActionPrinter{module}(plan.stop->launch));
  }
  if (plan.points) out += fmt::format("  points {}\n", print(plan.points));
}

}  // namespace

std::string print(const Expr& expr) {
  return Printer(nullptr).expr(expr);
}

std::string print(const Kernel& kernel) {
  std::string out;
  print_kernel(kernel, out);
  return out;
}

std::string print(const Module& module) {
  std::string out = fmt::format("module {} fp {}\n", module.name, name(module.fp));
  for (const NamedConstant& constant : module.constants) {
    out += fmt::format("constant {}: {} = {}", constant.name, name(constant.type), constant.value);
    out += constant.comment.empty() ? "\n" : "  # " + constant.comment + "\n";
  }
  for (const Kernel& kernel : module.kernels) print_kernel(kernel, out);
  print_plan(module, out);
  return out;
}

}  // namespace stencil::kernel
