// Semantic analysis. It follows dependencies, not the order of the file: a field may be declared
// after the stencil that writes it. Among params, types, sub-grids or functions, a declaration can
// only use earlier ones of its kind.
//
// Each step reports its errors and continues. A program is returned only if there are no errors.
// Facts about open params (`require`, a grid that is not empty) are collected before the first
// proof needs them.
#include "compiler/sema/analyze.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/axes.h"
#include "compiler/ir/known.h"
#include "compiler/ir/lower/passes.h"
#include "compiler/ir/passes.h"
#include "compiler/sema/blocks.h"
#include "compiler/sema/complete.h"
#include "compiler/sema/coordinates.h"
#include "compiler/sema/declare.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/fixed_edges.h"
#include "compiler/sema/pieces.h"
#include "compiler/sema/reductions.h"
#include "compiler/sema/step.h"
#include "compiler/support/pass_log.h"

namespace stencil {
namespace {

using namespace sema;

// Calls `visit(item, span)` for every item of kind T.
template <typename T, typename Visit>
void for_each(const ast::Program& program, Visit visit) {
  for (const ast::Item& item : program.items) {
    if (const T* found = std::get_if<T>(&item.kind)) visit(*found, item.span);
  }
}

// Whether an item with a syntax error may have been one with this keyword.
bool may_be_unparsed(const ast::Program& program, const std::string& keyword) {
  return std::any_of(program.broken.begin(), program.broken.end(), [&](const auto& item) {
    return item.keyword == keyword || item.keyword.empty();
  });
}

// Finds the first grid. There must be exactly one that is not derived from another one, and without
// it no other item can be analysed.
const ast::Grid* find_grid(Environment& env, const ast::Program& program) {
  const ast::Grid* grid = nullptr;
  for_each<ast::Grid>(program, [&](const ast::Grid& found, Span span) {
    if (found.parent) return;
    if (!grid) {
      grid = &found;
      return;
    }
    Diagnostic& error = env.report.error("S001", span, "second grid");
    error.expected =
        "one grid per program; subgrids name parts of it, and 'grid C of G by 2' a coarser one";
    error.related.push_back({grid->name.span, "the first"});
  });
  if (!grid && !may_be_unparsed(program, "grid")) {
    env.report.error("S001", Span{}, "the program has no grid").hint =
        "declare one: grid G = [0..N-1] steps 100;";
  }
  return grid;
}

void check_stencil_names(Environment& env, const ast::Program& program) {
  std::unordered_map<std::string, Span> names;
  for_each<ast::Stencil>(program, [&](const ast::Stencil& stencil, Span) {
    const auto [place, fresh] = names.emplace(stencil.name.name, stencil.name.span);
    if (fresh) return;
    Diagnostic& error =
        env.report.error("S002", stencil.name.span,
                         fmt::format("stencil '{}' is declared twice", stencil.name.name));
    error.related.push_back({place->second, "first declared here"});
  });
  const bool may_have_one =
      may_be_unparsed(program, "stencil") || may_be_unparsed(program, "repeat");
  if (names.empty() && !may_have_one) {
    env.report.error("S041", Span{}, "the program has no stencil").hint =
        "declare one: stencil smooth : A on G = ...;";
  }
}

void warn_of_unused(Environment& env) {
  for (const auto& [name, declaration] : env.names) {
    if (declaration.used || declaration.broken || declaration.kind == Declared::Grid ||
        declaration.kind == Declared::Reduction) {
      continue;
    }
    env.report.warning("S101", declaration.span, fmt::format("'{}' is never used", name));
  }
}

// Reports sizes that overflow (S040). Sizes are known only in a program without open params.
void check_sizes(Environment& env, Diagnostics& diagnostics) {
  std::vector<int64_t> integers;
  std::vector<double> reals;
  for (const ir::Param& param : env.program.params) {
    if (param.open() || (is_float(param.type) && !param.real_value)) return;
    integers.push_back(param.integer_value.value_or(0));
    reals.push_back(param.real_value.value_or(0));
  }
  const Diagnostics failed = ir::failed_checks(env.program, integers, reals);
  for (const Diagnostic& failure : failed.items()) {
    if (failure.code == "S040") diagnostics.add(failure);
  }
}

// Decides the requirements that read no run-time param: all their params are fixed, or they concern
// the spacing of the grid. Such a requirement holds or is an error (S035).
void settle_requirements(ir::Program& program, Diagnostics& diagnostics) {
  std::erase_if(program.requirements, [&](const ir::Requirement& requirement) {
    const auto& nodes = requirement.graph.nodes();
    const bool known = std::none_of(nodes.begin(), nodes.end(), [](const ir::Node& node) {
      return std::holds_alternative<ir::ParamRef>(node.kind);
    });
    if (!known) return false;
    const auto values = ir::evaluate_on_params(requirement.graph, {}, {});
    if (values[requirement.condition].integer == 0) {
      diagnostics.error("S035", requirement.span, "requirement not met").expected =
          requirement.text;
    }
    return true;
  });
}

// Chooses the type in which the weights of each set of points are stored: the widest type with
// which an expression combines them. Weights stored in double give the same bits in float
// expressions.
void hold_weights(ir::Program& program) {
  const auto widen = [&](ir::FieldId set) {
    std::get<ir::PointSet>(program.fields[set].kind).weight = Scalar::F64;
  };
  const auto hold = [&](const ir::Graph& graph) {
    for (const ir::Node& node : graph.nodes()) {
      const auto* access = std::get_if<ir::Access>(&node.kind);
      if (!access || !access->at_points || node.type != Scalar::F64) continue;
      widen(*program.fields[access->field].set());
    }
  };
  for (const ir::Function& function : program.functions) {
    for (const ir::Piece& piece : function.pieces) hold(piece.graph);
  }
  for (const ir::Reduction& reduction : program.reductions) {
    hold(reduction.piece.graph);
    if (reduction.at && ir::value_type(reduction) == Scalar::F64) widen(*reduction.at);
  }
}

// Reports K002 for each part that is missing from the program although no error was reported.
void check_complete(const Environment& env, const ast::Program& program, Diagnostics& diagnostics) {
  for (const Span place : parts_left_out(env, program)) {
    diagnostics
        .error("K002", place, "internal error: this part has no result, but no error was reported")
        .hint = "this is a bug of stencilc; please report the program";
  }
}

void declare_reductions(Environment& env, const ast::Program& program) {
  for_each<ast::Reduce>(
      program, [&](const ast::Reduce& reduce, Span span) { declare_reduction(env, reduce, span); });
  declare_profiles(env);
}

void analyze_items(Environment& env, const ast::Program& program) {
  for_each<ast::Param>(program, [&](const auto& item, Span) { declare_param(env, item); });
  check_definitions(env);
  for (const ast::Item& item : program.items) {  // types may use tables, and tables may use types
    if (const auto* table = std::get_if<ast::Table>(&item.kind)) declare_table(env, *table);
    if (const auto* type = std::get_if<ast::TypeDecl>(&item.kind)) declare_type(env, *type);
  }
  const ast::Grid* grid = find_grid(env, program);
  if (!grid) return;
  // The facts of a requirement decide whether accesses stay inside the grid.
  if (may_be_unparsed(program, "require")) return;
  for_each<ast::Require>(program, [&](const auto& item, Span) { assume_requirement(env, item); });
  declare_grid(env, *grid);
  if (env.rank() == 0) return;
  for_each<ast::Grid>(program, [&](const auto& item, Span) {
    if (item.parent) declare_coarse_grid(env, item);
  });
  for_each<ast::Subgrid>(program, [&](const auto& item, Span) { declare_subgrid(env, item); });
  for_each<ast::Points>(program,
                        [&](const auto& item, Span span) { declare_points(env, item, span); });
  for_each<ast::Field>(program,
                       [&](const auto& item, Span span) { declare_field(env, item, span); });
  for_each<ast::Series>(program,
                        [&](const auto& item, Span span) { declare_series(env, item, span); });
  for_each<ast::Function>(program, [&](const auto& item, Span) { declare_function(env, item); });

  declare_reductions(env, program);
  for_each<ast::Function>(program,
                          [&](const auto& item, Span) { check_function_names(env, item); });
  declare_coordinates(env, *grid);
  for_each<ast::Require>(program, [&](const auto& item, Span) { analyze_requirement(env, item); });
  check_stencil_names(env, program);
  const bool by_block = has_step_block(program);
  if (by_block) {
    analyze_blocks(env, program);
  } else if (!refuse_blocks_without_step(env, program)) {
    for_each<ast::Stencil>(program, [&](const ast::Stencil& item, Span) {
      env.reader = item.name.span.begin;
      analyze_stencil(env, item);
    });
  }
  for_each<ast::Init>(program, [&](const auto& item, Span span) {
    env.init_places.emplace(item.field.name, span);
  });
  for_each<ast::Init>(program, [&](const auto& item, Span span) { analyze_init(env, item, span); });
  for (size_t r = 0; r < env.reductions.size(); ++r) analyze_reduce(env, static_cast<int>(r));
  place_reductions(env);
  if (by_block) {
    // After an error, functions may be missing from the program.
    if (!env.report.failed()) {
      check_readers(env);
      refuse_repeated_levels(env);
    }
  } else if (!program.has_errors) {
    build_step(env, program);
  }
  for_each<ast::Stop>(program, [&](const auto& item, Span span) { analyze_stop(env, item, span); });
  elaborate_all_rules(env);
  if (env.options.steps && grid->steps) settle_replaced_steps(env, *grid->steps);
}

struct Analyzed {
  ir::Program mathematics, lowered;
};

std::optional<Analyzed> analyze_both(const ast::Program& program, const Source& source,
                                     const ProgramOptions& options, Diagnostics& diagnostics) {
  Diagnostics own;
  Environment env(program, source, options, own);
  env.program.name = options.name;
  env.program.real = options.real;
  env.program.fp = options.fp;

  run_pass(
      "elaborate",
      [&] {
        analyze_items(env, program);
        // an item with a syntax error may have been the stencil function that writes the field
        if (!own.has_errors() && program.broken.empty()) check_fixed_fields(env);
        if (!own.has_errors()) hold_weights(env.program);
        return !own.has_errors();
      },
      [&](bool sound) { return sound ? ir::print(env.program) : ""; },
      [&](bool sound) {
        return sound && !program.has_errors && program.broken.empty()
                   ? ir::verify(env.program, ir::Form::Mathematics)
                   : std::vector<std::string>();
      });
  const auto sound = [&] { return !program.has_errors && !own.has_errors(); };
  if (sound()) check_complete(env, program, own);
  if (sound()) check_sizes(env, own);
  std::optional<ir::Program> result;
  if (sound()) {
    env.program.facts = env.facts;
    result = ir::lower(env.program, own);
  }
  if (sound()) warn_of_unused(env);

  own.sort_by_place();
  const bool failed = !sound();
  for (const Diagnostic& diagnostic : own.items()) {
    if (!env.report.is_explained(diagnostic)) diagnostics.add(diagnostic);
  }
  if (failed) return std::nullopt;
  Diagnostics unmet;
  settle_requirements(*result, unmet);
  ir::check_known_axes(*result, unmet);
  for (const Diagnostic& diagnostic : unmet.items()) diagnostics.add(diagnostic);
  if (unmet.has_errors()) return std::nullopt;
  return Analyzed{std::move(env.program), std::move(*result)};
}

}  // namespace

std::optional<ir::Program> analyze_mathematics(const ast::Program& program, const Source& source,
                                               const ProgramOptions& options,
                                               Diagnostics& diagnostics) {
  auto analyzed = analyze_both(program, source, options, diagnostics);
  return analyzed ? std::optional(std::move(analyzed->mathematics)) : std::nullopt;
}

std::optional<ir::Program> analyze(const ast::Program& program, const Source& source,
                                   const ProgramOptions& options, Diagnostics& diagnostics) {
  auto analyzed = analyze_both(program, source, options, diagnostics);
  return analyzed ? std::optional(std::move(analyzed->lowered)) : std::nullopt;
}

}  // namespace stencil
