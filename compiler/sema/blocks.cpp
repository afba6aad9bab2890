// Expands blocks of statements into the tree of a step.
//
//   step { v }                       the cycle v on level 0
//   cycle v {                        smooth      on level 0
//     smooth;                        restrict    on level 1
//     if level < L - 1 {      -->    smooth      on level 1
//       coarser { restrict; v; }     correct     on level 1
//       correct;                     ...
//     }
//   }
//
// Conditions and numbers of iterations are constants of the level, so the expansion ends if the
// recursion does. A stencil function becomes one ir::Function for each level on which it is
// applied.
#include "compiler/sema/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "compiler/ir/passes.h"
#include "compiler/sema/ast_names.h"
#include "compiler/sema/bounds.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/pieces.h"

namespace stencil::sema {
namespace {

constexpr size_t kMostApplications = 200'000;   // per step, without the iterations of repeats
constexpr size_t kMostCycles = 200;             // within each other
constexpr int64_t kMostIterations = 1'000'000;  // per step, of a repeat and those around it
// A repeat with at most this many applications becomes a sequence, which schedules can tile
// together with the functions around it.
constexpr int64_t kMostUnrolled = 4;

// A stencil function on a level.
struct Instance {
  const ast::Stencil* stencil;
  int level;
  uint32_t first, last;  // positions of its applications
  Span applied_at;
};

class BlockExpander {
 public:
  BlockExpander(Environment& env, const ast::Program& program) : env_(env) {
    for (const ast::Item& item : program.items) {
      if (const auto* stencil = std::get_if<ast::Stencil>(&item.kind)) {
        stencils_.emplace(stencil->name.name, stencil);
      }
      if (const auto* cycle = std::get_if<ast::Cycle>(&item.kind)) declare(*cycle);
      if (const auto* function = std::get_if<ast::Function>(&item.kind)) {
        functions_.emplace(function->name.name, function);
      }
    }
  }

  ir::Sequence step(const ast::Block& block) {
    note_names(block);
    ir::Sequence out;
    statements(block, 1, out);
    return out;
  }
  ir::Sequence start(const ast::Block& block) {
    note_names(block);
    ir::Sequence out;
    in_start_ = true;
    statements(block, 1, out);
    in_start_ = false;
    return out;
  }

  const std::vector<Instance>& instances() const { return instances_; }
  bool failed() const { return failed_; }
  // The name of the function: that of the stencil, with the level if it is not the finest one.
  std::string name_of(const Instance& instance) const {
    std::string name = instance.stencil->name.name;
    if (instance.level == 0) return name;
    name += fmt::format("_{}", instance.level);
    while (stencils_.count(name) || env_.is_declared(name)) name += "_";
    return name;
  }
  // The positions of the reductions that the block evaluates.
  const std::map<ir::ReductionId, uint32_t>& reductions() const { return reductions_; }

  // Warns of stencil functions and cycles that no block names. Those in a branch that is not taken
  // may be the choice of a param: they count as used, and so do the names in them.
  void warn_of_unused() {
    const auto warn = [&](const ast::Identifier& name, const char* what) {
      env_.report.warning("S108", name.span,
                          fmt::format("{} '{}' is not applied by the step", what, name.name));
    };
    for (const auto& entry : stencils_) {
      const ast::Stencil* stencil = entry.second;
      const bool applied =
          std::any_of(instances_.begin(), instances_.end(),
                      [&](const Instance& instance) { return instance.stencil == stencil; });
      if (applied) continue;
      if (named_.count(entry.first)) {
        use_names(*stencil);
      } else {
        warn(stencil->name, "stencil function");
      }
    }
    for (const auto& [name, cycle] : cycles_) {
      if (!named_.count(name)) warn(cycle.syntax->name, "cycle");
    }
  }

  // Checks the names in branches that are not taken, and in functions and cycles that are not
  // applied, because these are never expanded.
  void check_names_outside(const std::vector<const ast::Block*>& blocks) {
    for (const ast::Block* block : blocks) check_names(*block);
    for (const auto& entry : cycles_) check_names(entry.second.syntax->body);
    for (const auto& entry : stencils_) check_names_in(env_, *entry.second, true);
  }

 private:
  struct Cycle {
    const ast::Cycle* syntax;
  };

  void check_names(const ast::Block& block) {
    for (const ast::Statement& statement : block.statements) {
      if (const auto* apply = std::get_if<ast::ApplyStatement>(&statement.kind)) {
        const std::string& name = apply->name.name;
        const auto declared = env_.names.find(name);
        const bool known = stencils_.count(name) || cycles_.count(name) ||
                           (declared != env_.names.end() &&
                            (declared->second.broken || reduction_named(declared->second)));
        if (!known) unknown(apply->name);
      } else if (const auto* repeat = std::get_if<ast::RepeatStatement>(&statement.kind)) {
        env_.check_names(*repeat->count, {});
        check_names(repeat->body);
      } else if (const auto* choice = std::get_if<ast::IfStatement>(&statement.kind)) {
        env_.check_names(*choice->condition, {});
        check_names(choice->then);
        check_names(choice->otherwise);
      } else {
        check_names(std::get<ast::CoarserStatement>(statement.kind).body);
      }
    }
  }

  void declare(const ast::Cycle& cycle) {
    const auto stencil = stencils_.find(cycle.name.name);
    const auto [place, fresh] = cycles_.emplace(cycle.name.name, Cycle{&cycle});
    if (fresh && stencil == stencils_.end()) return;
    Diagnostic& error =
        fail("S002", cycle.name.span, fmt::format("'{}' is declared twice", cycle.name.name));
    error.related.push_back({fresh ? stencil->second->name.span : place->second.syntax->name.span,
                             "first declared here"});
  }

  // Notes all names that a block and the cycles in it apply, in branches that are not taken too.
  void note_names(const ast::Block& block) {
    for (const ast::Statement& statement : block.statements) {
      if (const auto* apply = std::get_if<ast::ApplyStatement>(&statement.kind)) {
        const auto cycle = cycles_.find(apply->name.name);
        const bool fresh = named_.insert(apply->name.name).second;
        if (fresh && cycle != cycles_.end()) note_names(cycle->second.syntax->body);
      } else if (const auto* repeat = std::get_if<ast::RepeatStatement>(&statement.kind)) {
        note_names(repeat->body);
      } else if (const auto* choice = std::get_if<ast::IfStatement>(&statement.kind)) {
        note_names(choice->then);
        note_names(choice->otherwise);
      } else if (const auto* coarser = std::get_if<ast::CoarserStatement>(&statement.kind)) {
        note_names(coarser->body);
      }
    }
  }

  void use_names(const ast::Stencil& stencil) {
    for (const ast::Target& target : stencil.targets) env_.find(target.field.name);
    for (const ast::Let& let : stencil.lets) use_names(let.value.get());
    for (const ast::Piece& piece : stencil.pieces) {
      if (const auto* named = std::get_if<ast::NamedRegion>(&piece.region)) {
        env_.find(named->name.name);
      }
      use_names(piece.where.get());
      use_names(piece.value.get());
    }
  }
  void use_names(const ast::Expr* expr) {
    if (!expr) return;
    for_each_free_name(*expr, [&](const std::string& name, Span) {
      const auto function = functions_.find(name);
      env_.find(name);
      if (function == functions_.end() || !functions_used_.insert(name).second) return;
      for (const ast::Let& let : function->second->lets) use_names(let.value.get());
      use_names(function->second->value.get());
    });
  }

  Diagnostic& fail(const char* code, Span span, std::string message) {
    failed_ = true;
    return env_.report.error(code, span, std::move(message));
  }

  // `times`: the iterations of the repeats around the block, per step.
  void statements(const ast::Block& block, int64_t times, ir::Sequence& out) {
    for (const ast::Statement& statement : block.statements) {
      if (failed_) return;
      std::visit([&](const auto& kind) { take(kind, statement.span, times, out); }, statement.kind);
    }
  }

  void take(const ast::ApplyStatement& apply, Span, int64_t times, ir::Sequence& out) {
    const std::string& name = apply.name.name;
    const auto stencil = stencils_.find(name);
    const auto cycle = cycles_.find(name);
    const auto declared = env_.names.find(name);
    const auto reduction =
        declared == env_.names.end() ? std::nullopt : reduction_named(declared->second);
    const bool function = stencil != stencils_.end();
    if (reduction && (function || cycle != cycles_.end())) {
      return ambiguous(apply.name, function ? "a stencil function" : "a cycle",
                       declared->second.span);
    }
    if (function) return this->apply(*stencil->second, apply.name.span, out);
    if (cycle != cycles_.end()) return run(cycle->second, apply.name.span, times, out);
    if (declared != env_.names.end() && declared->second.broken) return void(failed_ = true);
    if (reduction) return evaluate(*reduction, apply.name.span, times, out);
    unknown(apply.name);
  }

  std::optional<ir::ReductionId> reduction_named(const Declaration& declaration) const {
    if (declaration.kind == Declared::Reduction) return ir::ReductionId(declaration.index);
    if (declaration.kind != Declared::Field) return std::nullopt;
    return env_.reduction_into(declaration.index);
  }

  void ambiguous(const ast::Identifier& name, const char* what, Span reduction) {
    Diagnostic& error = fail("S201", name.span, fmt::format("'{}' has two meanings", name.name));
    error.found = fmt::format("{} and a reduction", what);
    error.related.push_back({reduction, "the reduction"});
    error.hint = "rename one of them";
  }

  void unknown(const ast::Identifier& name) {
    Diagnostic& error = fail("S201", name.span, fmt::format("'{}' cannot be applied", name.name));
    error.expected = "a stencil function, a cycle or a reduction";
    const auto declared = env_.names.find(name.name);
    if (declared != env_.names.end()) error.found = describe(declared->second.kind);
    std::vector<std::string> known;
    for (const auto& [other, stencil] : stencils_) known.push_back(other);
    for (const auto& [other, cycle] : cycles_) known.push_back(other);
    const std::string near = suggestion(name.name, known);
    if (!near.empty()) error.hint = fmt::format("did you mean '{}'?", near);
  }

  void apply(const ast::Stencil& stencil, Span span, ir::Sequence& out) {
    if (++applications_ > kMostApplications) {
      Diagnostic& error = fail("S203", span, "the step applies too many stencil functions");
      error.expected = fmt::format("at most {}, after cycles are expanded", kMostApplications);
      error.hint = "write 'repeat n { ... }' instead of repeated statements, or use fewer levels";
      return;
    }
    const uint32_t position = ++position_;
    const auto [place, fresh] = numbers_.try_emplace({&stencil, env_.level}, instances_.size());
    if (fresh) instances_.push_back({&stencil, env_.level, position, position, span});
    instances_[place->second].last = position;
    out.push_back(ir::Apply{place->second});
  }

  void run(const Cycle& cycle, Span span, int64_t times, ir::Sequence& out) {
    if (depth_ >= kMostCycles) {
      Diagnostic& error =
          fail("S202", span, fmt::format("cycle '{}' does not end", cycle.syntax->name.name));
      error.expected = fmt::format("at most {} cycles within each other", kMostCycles);
      error.hint =
          "a cycle that applies itself needs 'coarser' and an end: if level < L - 1 { ... }";
      return;
    }
    ++depth_;
    statements(cycle.syntax->body, times, out);
    --depth_;
  }

  void evaluate(ir::ReductionId id, Span span, int64_t times, ir::Sequence& out) {
    const ReductionInfo& info = env_.reductions[id];
    const std::string& name = info.syntax->name.name;
    if (info.syntax->at) {
      fail("S204", span, fmt::format("record '{}' cannot be evaluated within a step", name)).hint =
          "omit it: a record samples the fields at the end of a step";
      return;
    }
    if (in_start_) {
      fail("S204", span, fmt::format("'{}' is evaluated in 'start'", name)).expected =
          "stencil functions and cycles: reductions have a value after a step";
      return;
    }
    if (times != 1 || env_.level > 0) {
      Diagnostic& error =
          fail("S204", span, fmt::format("reduction '{}' has one value per step", name));
      error.expected = "a place outside of 'repeat' and 'coarser'";
      return;
    }
    if (reductions_.count(id)) {
      fail("S204", span, fmt::format("the step evaluates '{}' twice", name)).expected =
          "one place in the step";
      return;
    }
    if (!reductions_.empty() && reductions_.rbegin()->first > id) {
      Diagnostic& error = fail(
          "S204", span, fmt::format("'{}' is evaluated after a reduction declared below it", name));
      error.expected = "reductions in the order of their declarations";
      return;
    }
    reductions_[id] = ++position_;
    out.push_back(ir::Reduce{id});
  }

  void take(const ast::RepeatStatement& repeat, Span span, int64_t times, ir::Sequence& out) {
    const auto count =
        constant_in(env_, *repeat.count, "the number of iterations", 0, kMostIterations / times);
    if (!count) return void(failed_ = true);
    if (*count == 0) return;
    ir::Sequence body;
    statements(repeat.body, times * *count, body);
    if (failed_ || body.empty()) return;
    const bool plain = std::all_of(body.begin(), body.end(), [](const ir::Step& step) {
      return std::holds_alternative<ir::Apply>(step.kind);
    });
    const auto size = static_cast<int64_t>(body.size());
    if (*count == 1 || (plain && size * *count <= kMostUnrolled)) {
      for (int64_t i = 0; i < *count; ++i) out.insert(out.end(), body.begin(), body.end());
    } else {
      out.push_back(ir::Repeat{*count, std::move(body), span});
    }
  }

  void take(const ast::IfStatement& choice, Span, int64_t times, ir::Sequence& out) {
    ir::Graph scratch;
    Elaborator elaborator(env_, kConstantSite, scratch);
    const Value value = elaborator.elaborate(*choice.condition);
    if (!value.ok()) return void(failed_ = true);
    const auto* known = std::get_if<Constant>(&value.leaves[0]);
    if (!value.type->scalar() || !known || known->type != Scalar::Bool) {
      Diagnostic& error = fail("S205", choice.condition->span, "a condition that is not constant");
      error.expected = "a condition of the level and of params that are known at compile time";
      return;
    }
    statements(*known->integer ? choice.then : choice.otherwise, times, out);
  }

  void take(const ast::CoarserStatement& coarser, Span span, int64_t times, ir::Sequence& out) {
    if (env_.level + 1 >= static_cast<int>(env_.levels.size())) {
      if (env_.levels_failed) return void(failed_ = true);
      const Span place = {span.begin, coarser.body.span.begin};
      Diagnostic& error =
          fail("S206", place.valid() ? place : span,
               env_.levels.empty() ? std::string("the grid has no coarser level")
                                   : fmt::format("level {} has no coarser level", env_.level));
      error.expected =
          env_.levels.empty() ? std::string("a grid with levels: grid G = [...] levels 5 by 2")
          : env_.levels.size() == 1 ? std::string("more levels: grid G = [...] levels 5 by 2")
                                    : fmt::format("a level in 0..{}", env_.levels.size() - 2);
      error.hint = env_.levels.empty() ? "" : "end the recursion earlier: if level < L - 1 { ... }";
      return;
    }
    const AtLevel at(env_, env_.level + 1);
    statements(coarser.body, times, out);
  }

  Environment& env_;
  std::map<std::string, const ast::Stencil*> stencils_;
  std::map<std::string, Cycle> cycles_;
  std::map<std::string, const ast::Function*> functions_;
  std::set<std::string> named_;           // by blocks
  std::set<std::string> functions_used_;  // by functions that are not applied
  std::vector<Instance> instances_;
  std::map<std::pair<const ast::Stencil*, int>, size_t> numbers_;
  std::map<ir::ReductionId, uint32_t> reductions_;
  bool in_start_ = false;
  uint32_t position_ = 0;
  size_t applications_ = 0, depth_ = 0;
  bool failed_ = false;
};

// Positions of the reductions: those of the block have theirs, the others follow after the step.
void place_in_step(Environment& env, const std::map<ir::ReductionId, uint32_t>& positions) {
  constexpr uint32_t kAfterStep = uint32_t{1} << 31;
  for (size_t r = 0; r < env.reductions.size(); ++r) {
    const auto id = static_cast<ir::ReductionId>(r);
    const auto placed = positions.find(id);
    ReductionInfo& info = env.reductions[id];
    info.in_block = placed != positions.end();
    info.position = info.in_block ? placed->second : kAfterStep + static_cast<uint32_t>(r);
  }
}

// The only block of this kind; null if there is none. S036 for a second one.
template <class Kind>
const Kind* only_block(Environment& env, const ast::Program& program, const char* name) {
  const Kind* found = nullptr;
  for (const ast::Item& item : program.items) {
    const auto* block = std::get_if<Kind>(&item.kind);
    if (!block) continue;
    if (!found) {
      found = block;
      continue;
    }
    env.report.error("S036", item.span, fmt::format("second '{}' block", name))
        .related.push_back({found->body.span, "the first"});
  }
  return found;
}

}  // namespace

bool refuse_blocks_without_step(Environment& env, const ast::Program& program) {
  for (const ast::Item& item : program.items) {
    const bool block = std::holds_alternative<ast::Cycle>(item.kind) ||
                       std::holds_alternative<ast::StartBlock>(item.kind);
    if (!block) continue;
    Diagnostic& error = env.report.error("S207", item.span, "a program without a 'step' block");
    error.expected = "a block that says what a step applies";
    error.hint = "write 'step { ... }' with the names of stencil functions and cycles";
    return true;
  }
  return false;
}

bool has_step_block(const ast::Program& program) {
  return std::any_of(program.items.begin(), program.items.end(), [](const ast::Item& item) {
    return std::holds_alternative<ast::StepBlock>(item.kind);
  });
}

void analyze_blocks(Environment& env, const ast::Program& program) {
  for (const ast::Item& item : program.items) {
    if (std::holds_alternative<ast::Repeat>(item.kind)) {
      Diagnostic& error = env.report.error("S205", item.span, "a repeat beside a 'step' block");
      error.hint = "write the repeat in the block: step { repeat 20 { smooth; } }";
      return;
    }
  }
  const auto* start = only_block<ast::StartBlock>(env, program, "start");
  const auto* step = only_block<ast::StepBlock>(env, program, "step");
  BlockExpander expander(env, program);
  if (start) env.program.start = expander.start(start->body);
  ir::Sequence body = expander.step(step->body);
  if (expander.failed()) return;
  if (expander.instances().empty()) {
    env.report.error("S041", step->body.span, "the step applies no stencil function").hint =
        "name one: step { smooth; }";
    return;
  }
  expander.warn_of_unused();
  std::vector<const ast::Block*> blocks = {&step->body};
  if (start) blocks.push_back(&start->body);
  expander.check_names_outside(blocks);
  if (expander.failed()) return;
  place_in_step(env, expander.reductions());
  for (const Instance& instance : expander.instances()) {
    const AtLevel at(env, instance.level);
    if (instance.level > 0) {
      env.report.at({instance.applied_at, fmt::format("applied on level {}", instance.level)});
    }
    env.reader = instance.first;
    const size_t before = env.program.functions.size();
    analyze_stencil(env, *instance.stencil);
    env.report.at({});
    env.instances.push_back({instance.stencil, instance.first, instance.last});
    if (env.program.functions.size() == before) continue;  // an error was reported
    env.program.functions.back().name = expander.name_of(instance);
  }
  env.program.run.body = std::move(body);
}

void check_readers(Environment& env) {
  for (size_t f = 0; f < env.instances.size() && f < env.program.functions.size(); ++f) {
    const auto& [stencil, first, last] = env.instances[f];
    for (size_t r = 0; r < env.reductions.size(); ++r) {
      const auto id = static_cast<ir::ReductionId>(r);
      const ReductionInfo& info = env.reductions[id];
      if (info.position < first || info.position > last) continue;
      const auto& pieces = env.program.functions[f].pieces;
      const bool reads = std::any_of(pieces.begin(), pieces.end(), [&](const ir::Piece& piece) {
        const auto read = ir::reductions_read(piece.graph);
        const auto& nodes = piece.graph.nodes();
        return std::find(read.begin(), read.end(), id) != read.end() ||
               std::any_of(nodes.begin(), nodes.end(), [&](const ir::Node& node) {
                 const auto* access = std::get_if<ir::Access>(&node.kind);
                 return access && info.profile == access->field;
               });
      });
      if (!reads) continue;
      Diagnostic& error = env.report.error(
          "S204", stencil->name.span,
          fmt::format("'{}' reads '{}' and is applied before and after its evaluation",
                      stencil->name.name, info.syntax->name.name));
      error.related.push_back({info.syntax->name.span, "the reduction"});
      error.hint = "declare two stencil functions, one for each place";
    }
  }
}

}  // namespace stencil::sema
