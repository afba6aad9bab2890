// Prints a host program (host_ir/program.h) for people who write the host themselves: first the
// buffers, then the run as C in which launches, rotations and swaps of slots are described in
// words.
#include "compiler/emit/plan_comment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "compiler/emit/host_variables.h"
#include "compiler/kernel/walk.h"
#include "compiler/support/pass_log.h"

namespace stencil::emit {

using kernel::Expr;

namespace {

class PlanComment {
 public:
  PlanComment(Text& out, const kernel::Module& module, const host_ir::Program& program,
              Names& names)
      : out_(out),
        module_(module),
        plan_(module.plan),
        program_(program),
        names_(names),
        sizes_(cpp_dialect(), module, names),
        host_names_(Names(module, cpp_dialect()).for_host(module)),
        expressions_(cpp_dialect(), module, host_names_),
        variables_(expressions_) {
    for (const host_ir::Variable& variable : program.variables) {
      variables_.spell(variable.name, host_names_.fresh(variable.name));
    }
    for (size_t r = 0; r < plan_.reductions.size(); ++r) {
      const std::string name = plan_.reductions[r].name + "_evaluations";
      variables_.spell(host_ir::evaluations_of(r), host_names_.fresh(name));
    }
  }

  void write() {
    out_.comment(
        "\nBuffers (row-major, last index contiguous; each slot is a buffer, slot 0 the "
        "newest):");
    body(program_.begin);
    end_buffer();
    out_.comment(explained("\nRun"));
    for (const std::string& statement : prepared_) line(statement);
    for (const host_ir::Variable& state : program_.variables) {
      if (state.kind != host_ir::VariableKind::State || !is_read(state.name)) continue;
      line(fmt::format("{} {} = {};", cpp_dialect().type(state.type),
                       variables_.spelling(state.name),
                       state.type == Scalar::Bool ? "false" : "0"));
    }
    body(program_.steps);
    body(program_.end);
  }

  // --- Memory

  void operator()(const host_ir::Take& take) {
    end_buffer();
    array_ = take.array;
    slots_ = plan_.arrays[static_cast<size_t>(take.array)].levels;
  }
  void operator()(const host_ir::Alloc& alloc) {
    const auto index = static_cast<size_t>(alloc.memory.array);
    if (alloc.memory.slot != kernel::kScratch) {
      // The slot through which levels return to the caller's arrays is not needed: see Home.
      if (alloc.memory.slot < plan_.arrays[index].copies) ++slots_;
      return;
    }
    end_buffer();
    const kernel::Scratch& scratch = plan_.scratch[index];
    line(fmt::format("{} {}[{}]: scratch memory", name(scratch.type), scratch.name,
                     size(scratch.elements)));
  }
  void operator()(const host_ir::Copy& copy) { copies_[copy.from].push_back(copy.to); }
  void operator()(const host_ir::Restore& restore) {
    const int first_nan = plan_.reductions[static_cast<size_t>(restore.reduction)].first_nan;
    if (first_nan != kernel::kNoScratch)
      prepared_.push_back("write 0 to " + element(first_nan) + ";");
  }
  void operator()(const host_ir::Place& place) {
    const kernel::PointSet& set = plan_.point_sets[static_cast<size_t>(place.set)];
    std::vector<std::string> tables;
    for (int table : {set.slabs, set.starts, set.columns, set.numbers, set.weights, set.entries,
                      set.firsts, set.counts}) {
      tables.push_back(plan_.scratch[static_cast<size_t>(table)].name);
    }
    prepared_.push_back(fmt::format("fill {} from the positions of the points {};",
                                    fmt::join(tables, ", "), set.name));
  }
  void operator()(const host_ir::Slots&) {}

  // --- Control flow

  void operator()(const host_ir::Define& define) {
    line(fmt::format("{} {} = {};", cpp_dialect().type(define.value->type),
                     variables_.spelling(define.name), text(define.value)));
  }
  void operator()(const host_ir::Assign& assign) {
    if (is_read(assign.name)) line(plain(variables_.assignment(assign)));
  }
  void operator()(const host_ir::If& chosen) {
    inside(fmt::format("if ({})", text(chosen.condition)), chosen.then);
    if (!chosen.otherwise.empty()) inside("else", chosen.otherwise);
  }
  void operator()(const host_ir::Block& block) { body(block.body); }
  void operator()(const host_ir::For& loop) { inside(plain(variables_.loop(loop)), loop.body); }
  void operator()(const host_ir::Leave&) { line("break;"); }

  // --- Steps

  void operator()(const host_ir::Tile& tile) { body(tile.body); }
  void operator()(const host_ir::Launch& launched) {
    const kernel::Launch& launch = *launched.launch;
    const kernel::Kernel& kernel = module_.kernels[static_cast<size_t>(launch.kernel)];
    const auto memory = [&](const kernel::ArrayArgument& argument) {
      const auto index = static_cast<size_t>(argument.array);
      return argument.slot == kernel::kScratch
                 ? plan_.scratch[index].name
                 : fmt::format("{}[{}]", plan_.arrays[index].name, argument.slot);
    };
    const std::vector<std::string> arguments = host_ir::arguments_of(
        launched,
        {memory,
         [&](int parameter) { return plan_.parameters[static_cast<size_t>(parameter)].name; },
         [&](const Expr& step) { return variables_.step_argument(step); },
         [&](const Expr& count) { return text(count); }, "0"});
    const auto [x, y, z] = kernel::hardware_threads(kernel);
    const Expr total =
        kernel::mul(kernel::convert(launch.blocks, Scalar::I64), kernel::integer(x, Scalar::I64));
    line(fmt::format("launch {}({}), local size {{{}, {}, {}}}, global size {{{}, {}, {}}};",
                     names_.spell(kernel.name), fmt::join(arguments, ", "), x, y, z, size(total), y,
                     z));
  }
  void operator()(const host_ir::Rotate& rotate) {
    line(fmt::format("rotate {};", plan_.arrays[static_cast<size_t>(rotate.array)].name));
  }
  void operator()(const host_ir::Swap& swap) {
    line(fmt::format("swap slots {} and {} of {};", swap.a, swap.b,
                     plan_.arrays[static_cast<size_t>(swap.array)].name));
  }
  void operator()(const host_ir::Read& read) {
    line(fmt::format("{} = read {} != 0;", variables_.spelling(host_ir::kStopped),
                     element(read.scratch)));
  }

  // --- End

  void operator()(const host_ir::Home&) {}  // the host reads levels where they are
  void operator()(const host_ir::Collect&) {
    for (const kernel::Reduction& reduction : plan_.reductions) {
      if (kernel::has_value(reduction)) {
        const char* when = reduction.every == 1 ? "" : ", if it was evaluated";
        line(fmt::format("read {} from {}{};", reduction.name, element(reduction.result), when));
      }
      if (reduction.first_nan != kernel::kNoScratch) {
        line(fmt::format("read the steps after which {} was first NaN, or 0, from {};",
                         reduction.name, element(reduction.first_nan)));
      }
    }
  }
  void operator()(const host_ir::Return&) {}

  // The described host waits for the stop condition, has no other subdomains and one queue.
  void operator()(const host_ir::Flag&) { refuse(); }
  void operator()(const host_ir::Replay&) { refuse(); }
  void operator()(const host_ir::Ask&) { refuse(); }
  void operator()(const host_ir::Answer&) { refuse(); }
  void operator()(const host_ir::Exchange&) { refuse(); }
  void operator()(const host_ir::Lane&) { refuse(); }
  void operator()(const host_ir::Mark&) { refuse(); }
  void operator()(const host_ir::Await&) { refuse(); }
  void operator()(const host_ir::Bind&) { refuse(); }
  void operator()(const host_ir::LaunchBound&) { refuse(); }

 private:
  static void refuse() {
    require_sound("write", {"the host program of a file without host code is that of a session"});
  }
  void line(const std::string& text) {
    out_.comment(std::string(2 * static_cast<size_t>(indent_), ' ') + head_ + text);
    head_.clear();
  }
  void body(const host_ir::Body& body) {
    for (const host_ir::Statement& statement : body) std::visit(*this, statement.kind);
  }
  // A single simple statement stands behind its head.
  void inside(const std::string& head, const host_ir::Body& inner) {
    std::vector<const host_ir::Statement*> shown;
    for (const host_ir::Statement& statement : inner) {
      const auto* assign = std::get_if<host_ir::Assign>(&statement.kind);
      if (!assign || is_read(assign->name)) shown.push_back(&statement);
    }
    if (shown.size() == 1 && host_ir::bodies_of(*shown[0]).empty()) {
      head_ = head + " ";
      return body(inner);
    }
    line(head + " {");
    ++indent_;
    body(inner);
    --indent_;
    line("}");
  }

  // Describes the array whose slots have been counted since its Take.
  void end_buffer() {
    if (array_ == kernel::kNoArray) return;
    const kernel::Array& array = plan_.arrays[static_cast<size_t>(array_)];
    array_ = kernel::kNoArray;
    std::string extents;
    for (const Expr& extent : kernel::stored_extents(array)) extents += "[" + size(extent) + "]";
    std::vector<std::string> notes{fmt::format("{} slot{}{}", slots_, slots_ == 1 ? "" : "s",
                                               array.written ? "" : ", read only")};
    if (kernel::is_padded(array)) {
      notes.push_back(fmt::format("rows have {} points, from element {} on",
                                  size(array.extents.back()), size(kernel::lead_of(array))));
    }
    for (const auto& [from, to] : copies_) {
      notes.push_back(
          to.size() == 1
              ? fmt::format("slot {} starts as a copy of slot {}", to[0], from)
              : fmt::format("slots {} start as copies of slot {}", fmt::join(to, ", "), from));
    }
    copies_.clear();
    line(fmt::format("{} {}{}: {}", name(array.type), array.name, extents, fmt::join(notes, "; ")));
  }

  // "Run:", with what needs to be said about the statements.
  std::string explained(const std::string& title) const {
    bool rotates = false, unknown_size = false;
    host_ir::for_each_statement(program_, [&](const host_ir::Statement& statement) {
      rotates |= std::holds_alternative<host_ir::Rotate>(statement.kind);
      const auto* launch = std::get_if<host_ir::Launch>(&statement.kind);
      unknown_size |=
          launch && !std::holds_alternative<kernel::IntegerLiteral>(launch->launch->blocks->kind);
    });
    std::vector<std::string> notes;
    if (rotates) notes.emplace_back("rotate: slot k becomes slot k+1, the last becomes slot 0");
    if (unknown_size) notes.emplace_back("omit launches of global size 0");
    return notes.empty() ? title + ":" : fmt::format("{} ({}):", title, fmt::join(notes, "; "));
  }

  // True if an expression reads the variable, other than to change it.
  bool is_read(const std::string& name) const {
    bool found = false;
    host_ir::for_each_statement(program_, [&](const host_ir::Statement& statement) {
      const auto* assign = std::get_if<host_ir::Assign>(&statement.kind);
      if (assign && assign->name == name) return;
      for (const Expr& expr : host_ir::expressions_of(statement)) {
        found |= kernel::variables_in(expr).count(name) > 0;
      }
    });
    return found;
  }

  std::string text(const Expr& expr) const { return plain(variables_.text(expr)); }
  std::string size(const Expr& expr) { return plain(sizes_.print(expr)); }
  std::string element(int scratch) const {
    return plan_.scratch[static_cast<size_t>(scratch)].name + "[0]";
  }

  Text& out_;
  const kernel::Module& module_;
  const kernel::Plan& plan_;
  const host_ir::Program& program_;
  Names& names_;             // in the file
  ExpressionPrinter sizes_;  // over params
  Names host_names_;         // of variables
  ExpressionPrinter expressions_;
  HostVariables variables_;
  int indent_ = 1;
  std::string head_;                        // stands before the next line
  int array_ = kernel::kNoArray;            // the array of the last Take
  int slots_ = 0;                           // of this array
  std::map<int, std::vector<int>> copies_;  // between its slots: from one to others
  std::vector<std::string> prepared_;       // statements before the steps
};

}  // namespace

void plan_comment(Text& out, const kernel::Module& module, Names& names) {
  const host_ir::Program program = host_ir::lower(module, kDescribedHost);
  PlanComment(out, module, program, names).write();
}

}  // namespace stencil::emit
