#include "tests/property/case.h"

#include <fmt/format.h>

#include <limits>

#include "compiler/driver/frontend.h"
#include "compiler/emit/emit.h"
#include "compiler/ir/passes.h"
#include "compiler/kernel/passes.h"
#include "compiler/reference/interpreter.h"
#include "runtime/verify/compare.h"
#include "tests/property/random.h"
#include "tests/property/schedules.h"

namespace stencil::property {

namespace {

// A random NaN or infinity.
double non_finite(Random& random) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return random.pick<double>({std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity});
}

// Fills a state with random values. One state in ten holds numbers so small that most operations
// underflow. Exact programs get small integers. Unless values must be finite, some are NaN or
// infinite in one of five programs (in half of the exact ones).
void fill(uint64_t seed, bool exact, bool finite, reference::State& state) {
  Random random(seed);
  const bool small = random.chance(10);
  const bool some = random.chance(exact ? 50 : 20) && !finite;
  const int holes = some ? random.pick<int>({1, 5, 50}) : 0;  // percent
  for (reference::FieldData& field : state.fields) {
    for (size_t level = 0; level < field.levels.size(); ++level) {
      for (int c = 0; c < field.component_count(); ++c) {
        for (int64_t p = 0; p < field.points; ++p) {
          const Scalar type = field.types[c];
          if (!is_float(type)) {
            const int values = type == Scalar::Bool ? 2 : is_storage(type) ? 65536 : 8;
            field.set_integer(static_cast<int>(level), c, p, random.below(values));
          } else if (holes > 0 && random.chance(holes)) {
            field.set_real(static_cast<int>(level), c, p, non_finite(random));
          } else if (exact) {
            field.set_real(static_cast<int>(level), c, p, random.between(-4, 4));
          } else {
            const double scale = !small ? 1 : type == Scalar::F64 ? 0x1p-1060 : 0x1p-138;
            field.set_real(static_cast<int>(level), c, p, scale * (2 * random.unit() - 1));
          }
        }
      }
    }
  }
}

// Gives the points of a set random valid positions: on grid points or between them, at the edges,
// several at one position. Points of exact programs get exact weights.
void scatter(uint64_t seed, bool exact, const ir::Program& program, reference::State& state) {
  Random random(seed + 1);
  for (size_t f = 0; f < program.fields.size(); ++f) {
    const ir::Field& set = program.fields[f];
    if (!set.is_point_set()) continue;
    const auto within = reference::concrete(set.as_point_set()->within, state.integer_params);
    reference::FieldData& data = state.fields[f];
    const int rank = static_cast<int>(within->size());
    for (int64_t p = 0; p < data.points; ++p) {
      for (int d = 0; d < rank; ++d) {
        const auto [low, high] = (*within)[d];
        const auto span = static_cast<double>(high - low);
        double at = static_cast<double>(low) + std::floor(random.unit() * (span + 1));
        if (!exact && random.chance(60)) at = static_cast<double>(low) + random.unit() * span;
        if (random.chance(10)) at = static_cast<double>(random.chance(50) ? low : high);
        if (p > 0 && random.chance(20)) at = data.real(0, d, p - 1);
        data.set_real(0, d, p, std::min(at, static_cast<double>(high)));
      }
      for (int c = rank; exact && c < data.component_count(); ++c) {
        data.set_real(0, c, p, random.below(2));
      }
    }
  }
}

void drop_signs_of_zeros(reference::State& state) {
  for (reference::FieldData& field : state.fields) {
    for (size_t level = 0; level < field.levels.size(); ++level) {
      for (int c = 0; c < field.component_count(); ++c) {
        for (int64_t p = 0; p < field.points; ++p) {
          if (field.real(static_cast<int>(level), c, p) == 0) {
            field.set_real(static_cast<int>(level), c, p, 0);
          }
        }
      }
    }
  }
}

}  // namespace

std::string label(const Recipe& recipe) {
  std::string out =
      fmt::format("seed {} --fp {} --real {}", recipe.seed, name(recipe.fp), name(recipe.real));
  for (const auto& [param, value] : recipe.program.integers) {
    out += fmt::format(" -D {}={}", param, value);
  }
  for (const auto& [param, value] : recipe.program.reals) {
    out += fmt::format(" -D {}={}", param, value);
  }
  for (const std::string& param : recipe.fixed) out += " --fix " + param;
  if (recipe.open) out += " (sizes open)";
  if (!recipe.cuts.empty()) {
    out += fmt::format(" {} {} --exchange {}", recipe.boxes ? "boxes" : "--gpus",
                       decompose::print(recipe.cuts), recipe.exchange);
  }
  for (const std::string& line : recipe.relay) out += fmt::format(" in turn with \"{}\"", line);
  return out + fmt::format(" --schedule \"{}\" --steps {}", recipe.schedule, recipe.steps);
}

std::optional<ir::Program> load(const Recipe& recipe, Diagnostics& diagnostics) {
  ProgramOptions options;
  options.name = recipe.name;
  options.fp = recipe.fp;
  options.real = recipe.real;
  if (!recipe.open) {
    for (const auto& [param, value] : recipe.program.integers) {
      options.definitions[param] = std::to_string(value);
    }
  }
  options.fixed = recipe.fixed;
  for (const auto& [param, value] : recipe.program.reals) {
    if (recipe.fixed.count(param)) options.definitions[param] = fmt::format("{}", value);
  }
  return load_program(Source(fmt::format("seed{}.stn", recipe.seed), recipe.program.text), options,
                      diagnostics);
}

// The compile-time value of a param if it differs from the run-time value; else "".
static std::string other_at_compile_time(const Recipe& recipe, const std::vector<int64_t>& integers,
                                         const std::vector<double>& reals) {
  Recipe closed = recipe;
  closed.open = false;
  for (const auto& [param, value] : recipe.program.reals) closed.fixed.insert(param);
  Diagnostics diagnostics;
  const auto program = load(closed, diagnostics);
  if (!program) return render(Source("", recipe.program.text), diagnostics);
  for (size_t p = 0; p < program->params.size(); ++p) {
    const ir::Param& param = program->params[p];
    const double real = param.real_value.value_or(0);
    const bool same = is_integer(param.type) ? param.integer_value == integers[p]
                      : param.type == Scalar::F32
                          ? static_cast<float>(real) == static_cast<float>(reals[p])
                          : real == reals[p];
    if (same) continue;
    return fmt::format("param {} is {} {} at compile time, and {} {} at run time", param.name,
                       param.integer_value.value_or(0), real, integers[p], reals[p]);
  }
  return "";
}

// Checks that the module and its legalised form verify.
static bool is_sound(const Recipe& recipe, const kernel::Module& module, std::string& problem) {
  const auto problems = kernel::verify(module);
  if (!problems.empty()) {
    problem = "kernel IR: " + problems[0];
    return false;
  }
  // One target per program, because the checks take as long as lowering.
  emit::Options options;
  options.target = emit::targets()[recipe.seed % emit::targets().size()].target;
  const auto of_target = kernel::verify(emit::legalise(module, options));
  if (!of_target.empty()) {
    problem = "kernel IR for a target: " + of_target[0];
    return false;
  }
  return true;
}

// Prepares the case except for its module.
static std::optional<Case> with_state(const Recipe& recipe, const ir::Program& program,
                                      std::string& problem) {
  std::vector<int64_t> integers(program.params.size(), 0);
  std::vector<double> reals(program.params.size(), 0);
  std::vector<bool> given(program.params.size(), false);
  for (size_t p = 0; p < program.params.size(); ++p) {
    for (const auto& [param, value] : recipe.program.integers) {
      if (program.params[p].name != param) continue;
      integers[p] = value;
      given[p] = true;
    }
    for (const auto& [param, value] : recipe.program.reals) {
      if (program.params[p].name != param) continue;
      reals[p] = value;
      given[p] = true;
    }
    // A param without a value in the recipe is a compile-time constant or derived.
    if (!given[p]) integers[p] = program.params[p].integer_value.value_or(0);
    if (!given[p]) reals[p] = program.params[p].real_value.value_or(0);
  }
  if (const auto fault = ir::derive_params(program, given, integers, reals)) {
    problem = fault->message + "; " + fault->hint;
    return std::nullopt;
  }
  problem = other_at_compile_time(recipe, integers, reals);
  if (!problem.empty()) return std::nullopt;
  const Diagnostics checks = ir::failed_checks(program, integers, reals);
  if (checks.has_errors()) {
    problem = render(Source("", ""), checks);
    return std::nullopt;
  }
  auto state = reference::allocate(program, integers, reals, problem);
  if (!state) return std::nullopt;
  fill(recipe.data_seed, recipe.fp == FpMode::Fast,
       recipe.fp == FpMode::Fast && recipe.program.finite, *state);
  scatter(recipe.data_seed, recipe.fp == FpMode::Fast, program, *state);
  Case made;
  made.as_written = program;
  if (!recipe.fixed.empty()) {
    Recipe unfixed = recipe;
    unfixed.fixed.clear();
    Diagnostics diagnostics;
    auto as_written = load(unfixed, diagnostics);
    if (!as_written) {
      problem = render(Source("", recipe.program.text), diagnostics);
      return std::nullopt;
    }
    made.as_written = std::move(*as_written);
  }
  made.recipe = recipe;
  made.expected = *state;
  made.item.program = program;
  made.item.state = std::move(*state);
  made.item.given = std::move(given);
  made.item.steps = recipe.steps;
  return made;
}

std::optional<Case> prepare(const Recipe& recipe, const ir::Program& program, kernel::Module module,
                            std::string& problem) {
  if (!is_sound(recipe, module, problem)) return std::nullopt;
  auto made = with_state(recipe, program, problem);
  if (made) made->item.module = std::move(module);
  return made;
}

std::optional<Case> prepare_cut(const Recipe& recipe, const ir::Program& program,
                                schedule::Schedule& schedule, std::string& refusal,
                                std::string& problem) {
  auto made = with_state(recipe, program, problem);
  if (!made) return std::nullopt;
  auto at_sizes = decompose::at_sizes(program, made->item.state.integer_params);
  if (!at_sizes) {
    problem = "sizes overflow";
    return std::nullopt;
  }
  auto decomposition = cut_of(recipe, *at_sizes, refusal);
  if (!decomposition) return std::nullopt;
  made->item.cut =
      lower_subdomains(std::move(*at_sizes), std::move(*decomposition), schedule, refusal, problem);
  if (!made->item.cut) return std::nullopt;
  for (const kernel::Module& module : made->item.cut->modules) {
    if (!is_sound(recipe, module, problem)) return std::nullopt;
  }
  return made;
}

std::optional<Case> prepare_boxed(const Recipe& recipe, const ir::Program& program,
                                  schedule::Schedule& schedule, std::string& refusal,
                                  std::string& problem) {
  auto made = with_state(recipe, program, problem);
  if (!made) return std::nullopt;
  made->item.boxed = box_up(recipe, program, made->item.state.integer_params, refusal, problem);
  if (!made->item.boxed) return std::nullopt;
  schedule.rows = schedule::Rows::Dense;  // as in emitted files
  auto module = lower_somehow(made->item.boxed->box.program, schedule, refusal);
  if (!module || kernel::is_padded(module->plan)) return std::nullopt;
  if (!is_sound(recipe, *module, problem)) return std::nullopt;
  made->item.module = std::move(*module);
  return made;
}

void expect(Case& made) {
  reference::advance(made.as_written, made.expected, made.item.steps);
}

std::string judge(Case& ran) {
  if (!ran.item.problem.empty()) return ran.item.problem;
  if (ran.item.boxed) ran.item.state.reductions = ran.expected.reductions;  // not computed in boxes
  if (ran.recipe.fp == FpMode::Fast) {
    drop_signs_of_zeros(ran.expected);
    drop_signs_of_zeros(ran.item.state);
  }
  const auto found = runtime::compare(ran.item.program, ran.expected, ran.item.state);
  if (!found) return "";
  return fmt::format("{} value(s) differ, the first is {}: expected {}, got {}", found->count,
                     found->where, found->expected, found->actual);
}

}  // namespace stencil::property
