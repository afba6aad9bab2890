// Host programs as text, for --emit host-ir, tests and messages of the verifier. Kernels, arrays,
// scratch memory and reductions have their names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/host_ir/passes.h"
#include "compiler/kernel/passes.h"

namespace stencil::host_ir {

namespace {

const char* mark_name(MarkName name) {
  switch (name) {
    case MarkName::Inside:
      return "inside";
    case MarkName::Outer:
      return "outer";
    case MarkName::Begun:
      return "begun";
    case MarkName::Exchanged:
      return "exchanged";
  }
  return "";
}

class Printer {
 public:
  explicit Printer(const kernel::Module& module) : module_(module), plan_(module.plan) {}

  std::string print(const Body& body, int indent) {
    for (const Statement& statement : body) {
      indent_ = indent;
      std::visit(*this, statement.kind);
    }
    return std::move(out_);
  }

  void operator()(const Take& take) { line("take " + array(take.array)); }
  void operator()(const Alloc& alloc) { line("alloc " + memory(alloc.memory)); }
  void operator()(const Copy& copy) {
    line(fmt::format("copy {} from {}", memory({copy.array, copy.to}),
                     memory({copy.array, copy.from})));
  }
  void operator()(const Slots& slots) { line("slots " + array(slots.array)); }
  void operator()(const Flag&) { line("flag"); }
  void operator()(const Restore& restore) { line("restore " + reduction(restore.reduction)); }
  void operator()(const Place& place) {
    line("place points " + plan_.point_sets[static_cast<size_t>(place.set)].name);
  }
  void operator()(const Define& define) {
    line(fmt::format("let {} = {}", define.name, kernel::print(define.value)));
  }
  void operator()(const Assign& assign) {
    line(fmt::format("{} = {}", assign.name, kernel::print(assign.value)));
  }
  void operator()(const If& chosen) {
    inside(fmt::format("if {}", kernel::print(chosen.condition)), chosen.then);
    if (!chosen.otherwise.empty()) inside("else", chosen.otherwise);
  }
  void operator()(const Block& block) { inside("block", block.body); }
  void operator()(const For& loop) {
    const std::string step = loop.step ? " step " + kernel::print(loop.step) : "";
    const std::string cycle = loop.cycle ? fmt::format(" cycle {}", loop.cycle) : "";
    inside(fmt::format("for {} = {} to {}{}{}", loop.name, kernel::print(loop.begin),
                       kernel::print(loop.end), step, cycle),
           loop.body);
  }
  void operator()(const Leave&) { line("leave"); }
  void operator()(const Tile& tile) { inside("tile", tile.body); }
  void operator()(const Replay& replay) { inside("replay", replay.body); }
  void operator()(const Launch& launch) { line(launched(launch)); }
  void operator()(const Rotate& rotate) { line("rotate " + array(rotate.array)); }
  void operator()(const Swap& swap) {
    line(fmt::format("swap {} {}", memory({swap.array, swap.a}), memory({swap.array, swap.b})));
  }
  void operator()(const Exchange& exchange) { line(fmt::format("exchange {}", exchange.exchange)); }
  void operator()(const Read& read) {
    line(fmt::format("stopped = read {}", scratch(read.scratch)));
  }
  void operator()(const Ask& ask) { line("ask " + scratch(ask.scratch)); }
  void operator()(const Answer& answer) {
    line(fmt::format("stopped = answer {}", scratch(answer.scratch)));
  }
  void operator()(const Lane& lane) { line(fmt::format("lane {}", lane.lane)); }
  void operator()(const Mark& mark) { line(fmt::format("mark {}", mark_name(mark.name))); }
  void operator()(const Await& await) { line(fmt::format("await {}", mark_name(await.name))); }
  void operator()(const Bind& bind) { line("bind " + launched(bind.launch)); }
  void operator()(const LaunchBound&) { line("launch bound"); }
  void operator()(const Home& home) { line("home " + array(home.array)); }
  void operator()(const Collect&) { line("collect reductions"); }
  void operator()(const Return&) { line("return"); }

 private:
  void line(const std::string& text) {
    out_ += std::string(static_cast<size_t>(indent_) * 2, ' ') + text + "\n";
  }
  void inside(const std::string& head, const Body& body) {
    line(head);
    ++indent_;
    for (const Statement& statement : body) std::visit(*this, statement.kind);
    --indent_;
  }

  // Modules that the verifier refuses may name things that do not exist.
  template <class Named>
  static std::string name_in(const std::vector<Named>& all, int index) {
    const auto position = static_cast<size_t>(index);
    return position < all.size() ? all[position].name : fmt::format("?{}", index);
  }
  std::string array(int index) const { return name_in(plan_.arrays, index); }
  std::string scratch(int index) const { return name_in(plan_.scratch, index); }
  std::string reduction(int index) const { return name_in(plan_.reductions, index); }
  std::string memory(const kernel::ArrayArgument& memory) const {
    if (memory.slot == kernel::kScratch) return scratch(memory.array);
    return fmt::format("{}[{}]", array(memory.array), memory.slot);
  }

  std::string launched(const Launch& launch) const {
    const auto value = [](const Expr& given) { return given ? kernel::print(given) : "?"; };
    std::vector<std::string> arguments =
        arguments_of(launch, {[&](const auto& memory) { return this->memory(memory); },
                              [&](int parameter) { return name_in(plan_.parameters, parameter); },
                              value, value, "first_block"});
    for (const kernel::ArrayArgument& source : launch.launch->bulk_sources) {
      arguments.push_back("boxes of " + memory(source));
    }
    const std::string part = launch.part == Part::Outer   ? " outer"
                             : launch.part == Part::Inner ? " inner"
                                                          : "";
    return fmt::format("launch {}({}) blocks {}{}", name_in(module_.kernels, launch.launch->kernel),
                       fmt::join(arguments, ", "), kernel::print(launch.launch->blocks), part);
  }

  const kernel::Module& module_;
  const kernel::Plan& plan_;
  std::string out_;
  int indent_ = 0;
};

}  // namespace

std::string print(const Body& body, const kernel::Module& module, int indent) {
  return Printer(module).print(body, indent);
}

std::string print(const Program& program, const kernel::Module& module) {
  std::string out = fmt::format("host program {}\n", module.name);
  for (const Variable& variable : program.variables) {
    if (variable.kind == VariableKind::Local) continue;
    out += fmt::format("  {} {}: {}\n", variable.kind == VariableKind::Input ? "input" : "state",
                       variable.name, name(variable.type));
  }
  for (const auto& [title, body] :
       {std::pair("begin", &program.begin), {"steps", &program.steps}, {"end", &program.end}}) {
    out += fmt::format("{}\n{}", title, print(*body, module, 1));
  }
  return out;
}

}  // namespace stencil::host_ir
