#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/host_ir/passes.h"
#include "compiler/kernel/passes.h"
#include "compiler/kernel/verify.h"
#include "compiler/kernel/walk.h"

namespace stencil::host_ir {

namespace {

class Verifier {
 public:
  Verifier(const Program& program, const kernel::Module& module)
      : program_(program), module_(module), plan_(module.plan) {}

  std::vector<std::string> run() {
    for (const Variable& variable : program_.variables) {
      if (!names_.insert(variable.name).second) fail("variable " + variable.name + " twice");
      if (variable.type != Scalar::Bool && variable.type != Scalar::I32 &&
          variable.type != Scalar::I64) {
        fail("variable " + variable.name + " is no Bool, I32 or I64");
      }
      if (variable.kind != VariableKind::Local) defined_.insert(variable.name);
    }
    part_ = kBegin;
    body(program_.begin);
    allocated();
    part_ = kSteps;
    body(program_.steps);
    if (asked_) fail("an ask without an answer");
    part_ = kEnd;
    body(program_.end);
    if (program_.end.empty() || !std::holds_alternative<Return>(program_.end.back().kind)) {
      fail("the program does not return");
    }
    return std::move(lines_);
  }

  void operator()(const Take& take) {
    within(kBegin, "take");
    if (!exists(plan_.arrays, take.array, "array", "take")) return;
    for (int slot = 0; slot < plan_.arrays[static_cast<size_t>(take.array)].levels; ++slot) {
      provided({take.array, slot});
    }
  }
  void operator()(const Alloc& alloc) {
    within(kBegin, "alloc");
    const auto [array, slot] = alloc.memory;
    if (slot == kernel::kScratch) {
      scratch(array, "alloc");
    } else if (exists(plan_.arrays, array, "array", "alloc")) {
      const kernel::Array& of = plan_.arrays[static_cast<size_t>(array)];
      if (slot < of.levels || slot > of.copies) {
        fail(fmt::format("alloc of slot {} of {}", slot, of.name));
      }
    }
    provided(alloc.memory);
  }
  void operator()(const Copy& copy) {
    within(kBegin, "copy");
    for (int slot : {copy.to, copy.from}) this->slot({copy.array, slot}, "copy");
  }
  void operator()(const Slots& slots) {
    within(kBegin, "slots");
    exists(plan_.arrays, slots.array, "array", "slots");
    moving_.insert(slots.array);
  }
  void operator()(const Flag&) {
    within(kBegin, "flag");
    flag_ = true;
  }
  void operator()(const Restore& restore) {
    within(kBegin, "restore");
    exists(plan_.reductions, restore.reduction, "reduction", "restore");
  }
  void operator()(const Place& place) {
    within(kBegin, "place");
    exists(plan_.point_sets, place.set, "set of points", "place");
  }

  void operator()(const Define& define) {
    expr(define.value, type_of(define.name), "definition of " + define.name);
    this->define(define.name);
  }
  void operator()(const Assign& assign) {
    const Variable* variable = program_.find(assign.name);
    if (variable && variable->kind == VariableKind::Input)
      fail("assignment to input " + assign.name);
    if (!defined_.count(assign.name)) fail(assign.name + " is assigned but not defined");
    expr(assign.value, type_of(assign.name), "assignment to " + assign.name);
  }
  void operator()(const If& chosen) {
    expr(chosen.condition, Scalar::Bool, "a condition");
    const bool asked = asked_;
    body(chosen.then);
    const bool then = std::exchange(asked_, asked);
    body(chosen.otherwise);
    // What may have been asked must be answered, unless a condition on `awaited` says that it was.
    asked_ = asked_ || then;
    const auto* variable = std::get_if<kernel::Variable>(&chosen.condition->kind);
    if (variable && variable->name == kAwaited) asked_ = then;
  }
  void operator()(const Block& block) { body(block.body); }
  void operator()(const For& loop) {
    const Scalar type = type_of(loop.name);
    const std::string what = "the loop over " + loop.name;
    expr(loop.begin, type, what);
    expr(loop.end, type, what);
    if (loop.step) expr(loop.step, type, what);
    const bool continues = loop.continues();
    if (!continues) define(loop.name);
    if (loop.is_over_steps() && std::exchange(has_loop_, true)) fail("two loops over the steps");
    if (loop.cycle != 0 && (loop.cycle < 0 || !loop.is_over_steps())) {
      fail("a cycle of " + what);
    }
    ++loops_;
    // An iteration begins with whatever the previous one has asked.
    const bool asked = asked_;
    asked_ = asked_ || asks(loop.body);
    body(loop.body);
    asked_ = asked_ || asked;
    --loops_;
    if (!continues) defined_.erase(loop.name);
  }
  void operator()(const Leave&) {
    within(kSteps, "leave");
    if (loops_ == 0) fail("leave outside of the loop");
  }

  void operator()(const Tile& tile) {
    within(kSteps, "tile");
    body(tile.body);
  }
  void operator()(const Replay& replay) {
    within(kSteps, "replay");
    replayed(replay.body);
    body(replay.body);
  }
  void operator()(const Launch& launch) {
    within(kSteps, "launch");
    this->launch(launch);
  }
  void operator()(const Rotate& rotate) { turn(rotate.array, "rotate"); }
  void operator()(const Swap& swap) {
    turn(swap.array, "swap");
    for (int slot : {swap.a, swap.b}) this->slot({swap.array, slot}, "swap");
  }
  void operator()(const Exchange& exchange) {
    within(kSteps, "exchange");
    const auto index = static_cast<size_t>(exchange.exchange);
    if (index >= plan_.exchanges.size()) fail(fmt::format("exchange {}", exchange.exchange));
  }
  void operator()(const Read& read) { answer(read.scratch, "read"); }
  void operator()(const Ask& ask) {
    answer(ask.scratch, "ask");
    if (!flag_) fail("an ask without a flag");
    if (asked_) fail("two asks without an answer");
    asked_ = true;
  }
  void operator()(const Answer& answer) {
    this->answer(answer.scratch, "answer");
    if (!asked_) fail("an answer without an ask");
    asked_ = false;
  }

  void operator()(const Lane& lane) {
    within(kSteps, "lane");
    if (lane.lane != 0 && lane.lane != 1) fail(fmt::format("lane {}", lane.lane));
  }
  void operator()(const Mark&) { within(kSteps, "mark"); }
  void operator()(const Await&) { within(kSteps, "await"); }
  void operator()(const Bind& bind) {
    within(kSteps, "bind");
    launch(bind.launch);
    if (bound_) fail("a bound launch that does not run");
    bound_ = true;
  }
  void operator()(const LaunchBound&) {
    within(kSteps, "launch");
    if (!bound_) fail("a bound launch without its bind");
    bound_ = false;
  }

  void operator()(const Home& home) {
    within(kEnd, "home");
    if (exists(plan_.arrays, home.array, "array", "home") && !moving_.count(home.array)) {
      fail("home of an array whose slots do not change roles");
    }
  }
  void operator()(const Collect&) { within(kEnd, "collect"); }
  void operator()(const Return&) { within(kEnd, "return"); }

 private:
  enum Part { kBegin, kSteps, kEnd };

  void fail(const std::string& message) {
    const std::string line = "host program: " + message;
    if (std::find(lines_.begin(), lines_.end(), line) == lines_.end()) lines_.push_back(line);
  }
  void within(Part part, const std::string& what) {
    if (part != part_) fail(what + " in the wrong part of the program");
  }

  void body(const Body& body) {
    const std::set<std::string> defined = defined_;
    for (const Statement& statement : body) std::visit(*this, statement.kind);
    defined_ = defined;
  }

  Scalar type_of(const std::string& name) {
    const Variable* variable = program_.find(name);
    if (!variable) fail("variable " + name + " does not exist");
    return variable ? variable->type : Scalar::I64;
  }
  void define(const std::string& name) {
    const Variable* variable = program_.find(name);
    if (variable && variable->kind != VariableKind::Local) fail(name + " is not local");
    if (!defined_.insert(name).second) fail(name + " is defined twice");
  }
  void expr(const Expr& expr, Scalar type, const std::string& what) {
    if (!expr) return fail(what + " is missing");
    if (expr->type != type) {
      fail(fmt::format("{}: '{}' is {} instead of {}", what, kernel::print(expr), name(expr->type),
                       name(type)));
    }
    kernel::for_each_node(expr, [&](const Expr& node) {
      if (const auto* variable = std::get_if<kernel::Variable>(&node->kind)) {
        const Variable* known = program_.find(variable->name);
        if (!defined_.count(variable->name)) fail(variable->name + " is read before it is defined");
        if (known && known->type != node->type) fail(variable->name + " has two types");
      } else if (const auto* operation = std::get_if<kernel::Operation>(&node->kind)) {
        if (!kernel::well_typed(*operation, node->type)) {
          fail(fmt::format("operand types of '{}'", kernel::print(node)));
        }
      } else if (!std::holds_alternative<kernel::IntegerLiteral>(node->kind)) {
        fail(fmt::format("'{}' is no value of the host", kernel::print(node)));
      }
    });
  }

  template <class Item>
  bool exists(const std::vector<Item>& all, int index, const char* kind, const std::string& what) {
    if (static_cast<size_t>(index) < all.size()) return true;
    fail(fmt::format("{} of {} {}, which does not exist", what, kind, index));
    return false;
  }
  void provided(const kernel::ArrayArgument& memory) {
    if (memory_.insert({memory.array, memory.slot}).second) return;
    fail(fmt::format("memory {}[{}] is provided twice", memory.array, memory.slot));
  }
  void slot(const kernel::ArrayArgument& memory, const std::string& what) {
    if (!exists(plan_.arrays, memory.array, "array", what)) return;
    const kernel::Array& array = plan_.arrays[static_cast<size_t>(memory.array)];
    if (memory.slot < 0 || memory.slot >= array.copies) {
      return fail(fmt::format("{}: slot {} of {}", what, memory.slot, array.name));
    }
    if (!memory_.count({memory.array, memory.slot})) {
      fail(fmt::format("{}: slot {} of {} has no memory", what, memory.slot, array.name));
    }
  }
  void scratch(int index, const std::string& what) {
    exists(plan_.scratch, index, "scratch memory", what);
  }

  void allocated() {
    for (size_t a = 0; a < plan_.arrays.size(); ++a) {
      for (int slot = 0; slot < plan_.arrays[a].copies; ++slot) {
        this->slot({static_cast<int>(a), slot}, "the steps");
      }
    }
    for (size_t s = 0; s < plan_.scratch.size(); ++s) {
      if (memory_.count({static_cast<int>(s), kernel::kScratch})) continue;
      fail("scratch memory " + plan_.scratch[s].name + " has no memory");
    }
  }

  void turn(int array, const std::string& what) {
    within(kSteps, what);
    if (!exists(plan_.arrays, array, "array", what) || moving_.count(array)) return;
    fail(fmt::format("{} {} without its slots", what,
                     plan_.arrays[static_cast<size_t>(array)].name));
  }

  // A replay skips its statements, so nothing else may depend on their having been executed.
  void replayed(const Body& body) {
    if (loops_ == 0) fail("a replay outside of the loop");
    if (!holds_only_launches(body)) fail("a replay of other statements than launches");
    for (const std::string& name : inputs_of(body)) {
      for_each_statement(body, [&](const Statement& statement) {
        const auto* assign = std::get_if<Assign>(&statement.kind);
        if (assign && assign->name == name) fail("a replay that assigns " + name);
      });
    }
    for (const Statement& statement : body) {
      const auto* define = std::get_if<Define>(&statement.kind);
      if (define) fail("a replay that defines " + define->name);
    }
  }
  void launch(const Launch& launch) {
    if (!launch.launch) return fail("a launch of nothing");
    const kernel::Launch& of = *launch.launch;
    if (!exists(module_.kernels, of.kernel, "kernel", "launch")) return;
    const kernel::Kernel& kernel = module_.kernels[static_cast<size_t>(of.kernel)];
    const auto buffers = static_cast<size_t>(
        std::count_if(kernel.buffers.begin(), kernel.buffers.end(),
                      [](const auto& buffer) { return buffer.space == kernel::Space::Global; }));
    if (of.arrays.size() != buffers || of.scalars.size() != kernel.scalars.size()) {
      fail("arguments of kernel " + kernel.name);
    }
    for (const kernel::ArrayArgument& argument : of.arrays) {
      if (argument.slot == kernel::kScratch) {
        scratch(argument.array, "kernel " + kernel.name);
      } else {
        slot(argument, "kernel " + kernel.name);
      }
    }
    bool takes_step = false, takes_count = false, takes_block = false;
    for (const kernel::ScalarValue& value : of.scalars) {
      takes_step = takes_step || std::holds_alternative<kernel::FirstStep>(value);
      takes_count = takes_count || std::holds_alternative<kernel::StepCount>(value);
      takes_block = takes_block || std::holds_alternative<kernel::FirstBlock>(value);
    }
    if (takes_step != (launch.step != nullptr)) fail("the step of kernel " + kernel.name);
    if (takes_count != (launch.count != nullptr)) fail("the count of kernel " + kernel.name);
    if (launch.step) integer(launch.step, "the step of kernel " + kernel.name);
    if (launch.count) expr(launch.count, Scalar::I32, "the count of kernel " + kernel.name);
    if (launch.part == host_ir::Part::All) return;
    if (!takes_block || of.outer_blocks[0] + of.outer_blocks[1] == 0) {
      fail("kernel " + kernel.name + " cannot be launched in parts");
    }
  }
  void integer(const Expr& value, const std::string& what) {
    expr(value, value->type == Scalar::I32 ? Scalar::I32 : Scalar::I64, what);
  }

  void answer(int index, const std::string& what) {
    within(kSteps, what);
    scratch(index, what);
    if (!plan_.stop || plan_.stop->result != index) {
      fail(what + " of memory that is not the stop condition's");
    }
    if (!program_.find(kStopped)) fail(what + " without a variable for the answer");
  }

  static bool asks(const Body& body) {
    bool found = false;
    for_each_statement(body, [&](const Statement& statement) {
      found = found || std::holds_alternative<Ask>(statement.kind);
    });
    return found;
  }

  const Program& program_;
  const kernel::Module& module_;
  const kernel::Plan& plan_;
  std::vector<std::string> lines_;
  std::set<std::string> names_, defined_;
  std::set<std::pair<int, int>> memory_;  // allocated: array and slot
  std::set<int> moving_;                  // arrays whose slots change roles
  Part part_ = kBegin;
  bool flag_ = false, has_loop_ = false, bound_ = false;
  bool asked_ = false;  // an answer may be pending
  int loops_ = 0;
};

}  // namespace

std::vector<std::string> verify(const Program& program, const kernel::Module& module) {
  return Verifier(program, module).run();
}

}  // namespace stencil::host_ir
