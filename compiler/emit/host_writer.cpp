#include "compiler/emit/host_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/host_ir/passes.h"
#include "compiler/kernel/walk.h"
#include "compiler/support/pass_log.h"

namespace stencil::emit {

using kernel::Array;
using kernel::Expr;

HostWriter::HostWriter(HostOperations& host, const kernel::Module& module, const HostApi& api,
                       Names& names, ExpressionPrinter& expressions, const Dialect& dialect,
                       const std::string& first_step, const std::string& given)
    : host_(host),
      out_(host.out),
      module_(module),
      plan_(module.plan),
      api_(api),
      names_(names),
      variables_(expressions),
      dialect_(dialect),
      device_(host.has_device()),
      first_step_(first_step),
      given_(given) {
  for (const kernel::Scratch& scratch : plan_.scratch)
    scratch_.push_back(names.spell(scratch.name));
  variables_.spell(host_ir::kSteps, api.steps());
  variables_.spell(host_ir::kFirst, first_step);
  variables_.spell(host_ir::kStopped, result(api.stopped()));
  for (size_t r = 0; r < plan_.reductions.size(); ++r) {
    variables_.spell(host_ir::evaluations_of(r), result(api.reductions()[r].evaluations));
  }
}

void HostWriter::write(const host_ir::Program& program) {
  program_ = &program;
  if (plan_.stop) {
    holds_ = names_.fresh("holds");
    flag_ = names_.fresh("flag");
    variables_.spell(host_ir::kAwaited, flag_ + ".awaited");
  }
  for (const host_ir::Variable& local : program.variables) {
    if (local.kind != host_ir::VariableKind::Local) continue;
    variables_.spell(local.name, names_.fresh(local.name));
  }
  copies_.assign(plan_.arrays.size(), {});
  for (const Pointer& pointer : api_.pointers()) {
    copies_[static_cast<size_t>(pointer.array)].homes.push_back(pointer.name);
  }
  unused_arguments();
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    if (is_copied(a)) host_.size(a);
  }
  body(program.begin);
  block_counts();
  body(program.steps);
  body(program.end);
  out_.close();
  out_.blank();
}

void HostWriter::refuse() {
  require_sound("write", {"an emitted driver cannot exchange halos"});
}

void HostWriter::body(const host_ir::Body& body) {
  for (const host_ir::Statement& statement : body) std::visit(*this, statement.kind);
}

// --- Variables

std::string HostWriter::result(const std::string& member) const {
  return fmt::format("{}->{}", api_.results(), member);
}

// Uses up the arguments that the function does not need, so that compilers do not warn.
void HostWriter::unused_arguments() {
  std::set<std::string> used;
  std::set<std::pair<int, int>> slots;
  const auto add = [&](const Expr& expr) { used.merge(kernel::variables_in(expr)); };
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    if (!is_copied(a)) continue;
    for (int slot = 0; slot < plan_.arrays[a].levels; ++slot) slots.emplace(a, slot);
    for (const Expr& extent : kernel::stored_extents(plan_.arrays[a])) add(extent);
  }
  for (const kernel::Scratch& scratch : plan_.scratch) add(scratch.elements);
  for (const kernel::PointSet& set : plan_.point_sets) {
    add(set.points);
    for (const auto* bounds : {&set.low, &set.high, &set.first, &set.last}) {
      for (const Expr& bound : *bounds) add(bound);
    }
    for (int a = 0; a < kernel::arrays_of(set); ++a) slots.emplace(set.arrays + a, 0);
  }
  kernel::for_each_launch(plan_, [&](const kernel::Launch& launch) {
    add(launch.blocks);
    for (const kernel::ArrayArgument& argument : launch.arrays)
      slots.emplace(argument.array, argument.slot);
    for (const kernel::ScalarValue& value : launch.scalars) {
      const auto* parameter = std::get_if<kernel::ParameterArgument>(&value);
      if (parameter) used.insert(plan_.parameters[parameter->parameter].name);
    }
  });
  for (const Pointer& pointer : api_.pointers()) {
    if (slots.count({pointer.array, pointer.level})) continue;
    if (!api_.has_slots(static_cast<size_t>(pointer.array)) || pointer.level == 0)
      out_.line(fmt::format("(void){};", pointer.name));
  }
  for (size_t p = 0; p < plan_.parameters.size(); ++p) {
    if (used.count(plan_.parameters[p].name)) continue;
    out_.line(fmt::format("(void){};", api_.parameter_name(static_cast<int>(p))));
  }
  if (program_->find(host_ir::kFirst) && !host_ir::reads(*program_, host_ir::kFirst)) {
    out_.line(fmt::format("(void){};", first_step_));
  }
}

// --- Memory

// The run needs more copies of the array than the caller gives.
bool HostWriter::is_copied(size_t array) const {
  if (api_.has_slots(array)) return false;
  return std::any_of(program_->begin.begin(), program_->begin.end(), [&](const auto& statement) {
    const auto* alloc = std::get_if<host_ir::Alloc>(&statement.kind);
    return alloc && alloc->memory.slot != kernel::kScratch &&
           alloc->memory.array == static_cast<int>(array);
  });
}

void HostWriter::operator()(const host_ir::Take& take) {
  const auto index = static_cast<size_t>(take.array);
  Copies& copies = copies_[index];
  copies.slots = copies.homes;
  if (api_.has_slots(index)) copies.pointers = names_.spell(plan_.arrays[index].name);
}

void HostWriter::operator()(const host_ir::Alloc& alloc) {
  const auto index = static_cast<size_t>(alloc.memory.array);
  if (alloc.memory.slot == kernel::kScratch) {
    const kernel::Scratch& scratch = plan_.scratch[index];
    const bool one = std::holds_alternative<kernel::IntegerLiteral>(scratch.elements->kind);
    const std::string element =
        fmt::format("(int64_t)sizeof({})", cpp_dialect().type(scratch.type));
    const std::string elements = host_.text(scratch.elements);
    return host_.allocate(scratch_[index], scratch.name,
                          elements == "1" ? element
                          : one           ? element + " * " + elements
                                          : fmt::format("{} * ({})", element, elements));
  }
  if (api_.has_slots(index)) return;  // slots are the caller's
  const Array& array = plan_.arrays[index];
  const int slot = alloc.memory.slot;
  Copies& copies = copies_[index];
  const std::string suffix = slot == array.levels ? "_spare" : "_spare_" + std::to_string(slot);
  const std::string name = names_.fresh(array.name + suffix);
  host_.allocate(name, array.name, host_.bytes(index));
  copies.memory[slot] = name + ".pointer";
  if (copies.spare.empty()) copies.spare = name + ".pointer";
  if (slot < array.copies) {
    copies.slots.push_back(fmt::format("({}*){}.pointer", api_.type(array), name));
  }
}

void HostWriter::operator()(const host_ir::Copy& copy) {
  const auto index = static_cast<size_t>(copy.array);
  if (api_.has_slots(index)) return;
  const Copies& copies = copies_[index];
  host_.copy(copies.memory.at(copy.to), copies.slots[copy.from], host_.bytes(index),
             "DeviceToDevice", plan_.arrays[index].name);
}

void HostWriter::operator()(const host_ir::Slots& slots) {
  const auto index = static_cast<size_t>(slots.array);
  if (api_.has_slots(index)) return;
  const Array& array = plan_.arrays[index];
  Copies& copies = copies_[index];
  copies.pointers = names_.fresh(array.name + "_slots");
  out_.line(fmt::format("{}* {}[] = {{{}}};", api_.type(array), copies.pointers,
                        comma_list(copies.slots)));
  for (size_t s = 0; s < copies.slots.size(); ++s) {
    copies.slots[s] = fmt::format("{}[{}]", copies.pointers, s);
  }
}

void HostWriter::operator()(const host_ir::Home& home) {
  const auto index = static_cast<size_t>(home.array);
  if (api_.has_slots(index)) return;
  const Array& array = plan_.arrays[index];
  const Copies& copies = copies_[index];
  if (array.levels == 1) {
    out_.open(fmt::format("if ({} != {}) {{", copies.slots[0], copies.homes[0]));
    host_.copy(copies.homes[0], copies.slots[0], host_.bytes(index), "DeviceToDevice", array.name);
    out_.close();
    return;
  }
  const std::string name = names_.fresh(array.name + "_homes");
  out_.line(
      fmt::format("{}* const {}[] = {{{}}};", api_.type(array), name, comma_list(copies.homes)));
  const std::string call =
      fmt::format("stencil_bring_home({},{}{},{}({}*){},{}{}{})", copies.pointers, soft_space(1),
                  name, soft_space(1), api_.type(array), copies.spare, soft_space(1),
                  host_.bytes(index), device_ ? ", " + api_.stream() : "");
  if (device_) {
    out_.line(
        fmt::format("STENCIL_TRY(\"copying array {}\",{}{});", array.name, soft_space(0), call));
  } else {
    out_.line(call + ";");
  }
}

// --- Control flow

void HostWriter::operator()(const host_ir::Define& define) {
  bool changes = false;
  host_ir::for_each_statement(*program_, [&](const host_ir::Statement& statement) {
    const auto* assign = std::get_if<host_ir::Assign>(&statement.kind);
    changes = changes || (assign && assign->name == define.name);
  });
  out_.line(fmt::format("{}{} {} = {};", changes ? "" : "const ",
                        cpp_dialect().type(define.value->type), variables_.spelling(define.name),
                        variables_.text(define.value)));
}

void HostWriter::operator()(const host_ir::Assign& assign) {
  out_.line(variables_.assignment(assign));
  if (assign.name == host_ir::kStep && api_.has_results()) {
    out_.line(
        fmt::format("{} = {};", result(api_.steps_done()), variables_.spelling(host_ir::kStep)));
  }
}

// A short statement stands behind its condition.
void HostWriter::operator()(const host_ir::If& chosen) {
  const std::string condition = variables_.text(chosen.condition);
  if (chosen.then.size() == 1 && chosen.otherwise.empty()) {
    std::string statement;
    if (const auto* assign = std::get_if<host_ir::Assign>(&chosen.then[0].kind)) {
      statement = variables_.assignment(*assign);
    } else if (const auto* rotate = std::get_if<host_ir::Rotate>(&chosen.then[0].kind)) {
      statement = rotation(*rotate);
    } else if (std::holds_alternative<host_ir::Leave>(chosen.then[0].kind)) {
      statement = "break;";
    }
    if (!statement.empty()) return out_.line(fmt::format("if ({}) {}", condition, statement));
  }
  out_.open(fmt::format("if ({}) {{", condition));
  body(chosen.then);
  out_.close();
  if (chosen.otherwise.empty()) return;
  out_.open("else {");
  body(chosen.otherwise);
  out_.close();
}

void HostWriter::operator()(const host_ir::Block& block) {
  out_.open("{");
  body(block.body);
  out_.close();
}

// Defines the objects of the replays in a loop, with the slots that change roles.
void HostWriter::replays_in(const host_ir::For& loop) {
  host_ir::for_each_statement(loop.body, [&](const host_ir::Statement& statement) {
    const auto* replay = std::get_if<host_ir::Replay>(&statement.kind);
    if (!replay) return;
    std::vector<std::string> slots;
    for (const int array : host_ir::arrays_of(replay->body)) {
      const std::string& pointers = copies_[static_cast<size_t>(array)].pointers;
      if (!pointers.empty()) slots.push_back(fmt::format("{{{0}, sizeof {0}}}", pointers));
    }
    std::string& name = replays_[replay] = names_.fresh("launches");
    out_.line(
        fmt::format("stencil_launches {}({}, {{{}}});", name, api_.stream(), comma_list(slots)));
  });
}

void HostWriter::operator()(const host_ir::Replay& replay) {
  const std::string launch = names_.fresh("launch");
  out_.open(fmt::format("const auto {} = [&]() -> const char* {{", launch));
  body(replay.body);
  out_.line("return NULL;");
  out_.close("};");
  std::vector<std::string> inputs;
  for (const std::string& name : host_ir::inputs_of(replay.body)) {
    inputs.push_back(variables_.spelling(name));
  }
  out_.line(fmt::format("if (const char* error = {}.run({}, {{{}}})) return error;",
                        replays_.at(&replay), launch, comma_list(inputs)));
}

// Loops with a cycle are those over all steps.
void HostWriter::operator()(const host_ir::For& loop) {
  if (loop.is_over_steps()) replays_in(loop);
  const std::string replay = loop.cycle > 0 ? names_.fresh("replay") : "";
  if (loop.cycle > 0) {
    out_.line(fmt::format("stencil_replay {}({}, {});", replay, api_.stream(), loop.cycle));
  }
  out_.open(variables_.loop(loop) + " {");
  if (loop.cycle > 0) {
    out_.line(fmt::format("STENCIL_TRY(\"replaying steps\", {}.skip(&{}, {}));", replay,
                          variables_.spelling(loop.name), variables_.text(loop.end)));
  }
  body(loop.body);
  out_.close();
}

// Without common tiles, the loop over the steps contains no other loop with a Leave.
void HostWriter::operator()(const host_ir::Leave&) {
  out_.line("break;");
}

// --- A tile

void HostWriter::operator()(const host_ir::Tile& tile) {
  body(tile.body);
}

std::string HostWriter::rotation(const host_ir::Rotate& rotate) const {
  const Copies& copies = copies_[static_cast<size_t>(rotate.array)];
  const size_t count = copies.slots.size();  // the last becomes the first
  return fmt::format("std::rotate({0}, {0} + {1}, {0} + {2});", copies.pointers, count - 1, count);
}
void HostWriter::operator()(const host_ir::Rotate& rotate) {
  out_.line(rotation(rotate));
}

void HostWriter::operator()(const host_ir::Swap& swap) {
  const auto& slots = copies_[static_cast<size_t>(swap.array)].slots;
  out_.line(fmt::format("std::swap({}, {});", slots[swap.a], slots[swap.b]));
}

void HostWriter::operator()(const host_ir::Return&) {
  out_.line("return NULL;");
}

}  // namespace stencil::emit
