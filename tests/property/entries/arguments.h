// Random arguments for calls of entry points: numbers, and memory that the script fills.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "compiler/ir/passes.h"
#include "compiler/reference/interpreter.h"
#include "compiler/reference/points.h"
#include "tests/property/entries/calls.h"

namespace stencil::property {

constexpr int64_t kMostBytes = int64_t{1} << 17;  // of all arrays of a call
constexpr int64_t kMostCallSteps = 24;            // of a possibly valid call

enum class Expected { None, Error, Any };

inline std::string text(Expected expected) {
  return expected == Expected::None ? "none" : expected == Expected::Error ? "error" : "any";
}

// A param in a call: left out, or a value.
struct Given {
  bool left_out = true;
  int64_t integer = 0;
  double real = 0;
};

// The values of all params after derivation and checks.
struct Outcome {
  bool refused = false;
  std::vector<int64_t> integers;  // by ParamId
  std::vector<double> reals;
};

class DrawnArguments {
 protected:
  DrawnArguments(const Callee& callee, Random& random)
      : callee_(callee), program_(callee.program), plan_(callee.module.plan), random_(random) {}

  int id() { return next_++; }
  template <class... T>
  void line(fmt::format_string<T...> text, T&&... arguments) {
    out_ += fmt::format(text, std::forward<T>(arguments)...) + "\n";
  }

  // --- Numbers -----------------------------------------------------------------------------------

  int64_t hostile_integer() {
    const int64_t least = INT32_MIN, most = INT32_MAX;
    return random_.pick<int64_t>({0, -1, 1, 2, 3, 5, 17, least, least + 1, most, most - 1, 1 << 30,
                                  (1 << 30) + 1, -(1 << 30), 1 << 16, 46341, -46341, 1 << 28});
  }
  int64_t hostile_long() {
    return random_.pick<int64_t>({INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1, INT64_MAX - 7,
                                  int64_t{1} << 62, int64_t{1} << 31, (int64_t{1} << 31) - 1,
                                  (int64_t{1} << 31) - 5, (int64_t{1} << 32) + 1, -1, -5,
                                  -1000000007, int64_t{1} << 40});
  }
  double hostile_real(Scalar type) {
    const double huge = type == Scalar::F64 ? 1e308 : 3e38,
                 tiny = type == Scalar::F64 ? 5e-324 : 1e-45;
    return random_.pick<double>(
        {NAN, INFINITY, -INFINITY, 0.0, -0.0, huge, -huge, tiny, 1.0, -1.0});
  }

  std::vector<Given> draw_params(bool hostile) {
    std::vector<Given> out;
    for (const kernel::Parameter& parameter : plan_.parameters) {
      Given given;
      const bool real = is_float(parameter.type);
      given.left_out = random_.chance(parameter.derived ? 80 : 50);
      if (!real) given.integer = parameter.integer_default.value_or(random_.between(1, 6));
      if (real)
        given.real = parameter.real_default.value_or(0.5) * random_.pick<double>({1, 0.5, 0.9});
      for (const auto& [name, value] : callee_.integers) {
        if (program_.params[parameter.param].name != name) continue;
        given.left_out = false;
        given.integer = value;
      }
      if (hostile && random_.chance(25)) {
        given.left_out = false;
        given.integer = parameter.type == Scalar::I64 && random_.chance(50) ? hostile_long()
                                                                            : hostile_integer();
        if (real) given.real = hostile_real(parameter.type);
      }
      if (parameter.type == Scalar::F32) given.real = static_cast<float>(given.real);
      out.push_back(given);
    }
    return out;
  }

  // Whether the value marks a param that is not given.
  static bool is_nothing(const kernel::Parameter& parameter, const Given& given) {
    if (is_float(parameter.type)) return std::isnan(given.real);
    return given.integer == (parameter.type == Scalar::I64 ? INT64_MIN : INT32_MIN);
  }

  // The result that the program's checks require for these params. `of`: the program or its box
  // program. `box`: values of its params from number `first_of_box` on.
  Outcome outcome(const ir::Program& of, const std::vector<Given>& params,
                  const std::vector<int64_t>& box = {}, int first_of_box = 0) {
    Outcome out;
    out.integers.assign(of.params.size(), 0);
    out.reals.assign(of.params.size(), 0);
    std::vector<bool> given(of.params.size(), false);
    for (size_t p = 0; p < of.params.size(); ++p) {
      out.integers[p] = of.params[p].integer_value.value_or(0);
      out.reals[p] = of.params[p].real_value.value_or(0);
    }
    for (size_t p = 0; p < params.size(); ++p) {
      const kernel::Parameter& parameter = plan_.parameters[p];
      const auto param = static_cast<size_t>(parameter.param);
      const bool nothing = is_nothing(parameter, params[p]);
      const bool has_default = parameter.real_default || parameter.integer_default;
      if (params[p].left_out && !parameter.derived && !has_default) out.refused = true;
      if (params[p].left_out) continue;
      if (nothing && !parameter.derived) out.refused = true;
      if (nothing) continue;
      if (is_float(parameter.type) && !std::isfinite(params[p].real)) out.refused = true;
      given[param] = true;
      out.integers[param] = params[p].integer;
      out.reals[param] = params[p].real;
    }
    for (size_t b = 0; b < box.size(); ++b) {
      given[static_cast<size_t>(first_of_box) + b] = true;
      out.integers[static_cast<size_t>(first_of_box) + b] = box[b];
    }
    if (out.refused) return out;
    // Params that are left out and not derived have their defaults.
    out.refused = ir::derive_params(of, given, out.integers, out.reals).has_value();
    if (!out.refused) out.refused = ir::failed_checks(of, out.integers, out.reals).has_errors();
    return out;
  }

  bool takes(int64_t steps, int64_t first, const Outcome& params) const {
    if (steps < 0 || first < 0 || steps > ir::most_steps(program_) - first) return false;
    return std::all_of(program_.step_limits.begin(), program_.step_limits.end(),
                       [&](const ir::StepLimit& limit) {
                         const auto most = ir::evaluate(limit.steps, params.integers);
                         return most && first + steps <= *most;
                       });
  }

  // --- Memory ------------------------------------------------------------------------------------

  // The memory of an array, and how it is filled.
  struct Memory {
    int id = 0;
    int64_t bytes = 0;
    char how = 'x';
    bool written = false;
    bool places = false;   // positions and weights of a set of points
    bool refused = false;  // some position is invalid
  };

  static char filling(Scalar type) {
    switch (type) {
      case Scalar::Bool:
        return 'b';
      case Scalar::F16:
      case Scalar::BF16:
        return 'h';
      case Scalar::I32:
        return 'i';
      case Scalar::I64:
        return 'l';
      case Scalar::F32:
        return 'f';
      case Scalar::F64:
        return 'd';
      default:
        return 'x';
    }
  }

  // The bytes of each array. nullopt if they exceed kMostBytes, or if an array is empty, which
  // emitted files refuse. Also nullopt if the grid has many points, because a run would take long.
  std::optional<std::vector<int64_t>> sizes(const ir::Program& of, const kernel::Plan& plan,
                                            const Outcome& params) const {
    std::string error;
    const auto state = reference::lay_out(of, params.integers, params.reals, error);
    if (!state) return std::nullopt;
    const auto grid = reference::concrete(of.grid(), params.integers);
    const auto points = grid ? reference::count_points(*grid) : std::nullopt;
    if (!points || *points > kMostBytes) return std::nullopt;
    std::vector<int64_t> out;
    int64_t sum = 0;
    for (const kernel::Array& array : plan.arrays) {
      const auto& field = state->fields[array.field];
      out.push_back(field.size_in_bytes(array.component));
      if (out.back() > kMostBytes || out.back() == 0) return std::nullopt;
      sum += out.back() * array.copies;
    }
    return sum <= kMostBytes ? std::optional(out) : std::nullopt;
  }

  // The positions and weights of a set of points; some positions are invalid.
  Memory places(const ir::Program& of, const kernel::Array& array, const Outcome& params,
                int64_t bytes) {
    const ir::Field& set = of.fields[array.field];
    const auto within = reference::concrete(set.as_point_set()->within, params.integers);
    const bool weights = array.component >= of.grid().rank();
    Memory out{id(), bytes, 'd', array.written, true};
    std::string values;
    for (int64_t p = 0; p < bytes / 8; ++p) {
      double value = random_.unit();
      if (!weights) {
        const auto [low, high] = (*within)[array.component];
        value = static_cast<double>(low) + value * static_cast<double>(high - low);
        if (random_.chance(1)) {
          value = random_.pick<double>({NAN, INFINITY, -1e300, 1e18, static_cast<double>(high) + 1,
                                        static_cast<double>(low) - 1});
          out.refused = true;
        }
      }
      values += fmt::format(" {}", value);
    }
    line("doubles {} {}{}", out.id, bytes / 8, values);
    return out;
  }

  Memory memory(const ir::Program& of, const kernel::Array& array, const Outcome& params,
                int64_t bytes, uint64_t seed) {
    if (of.fields[array.field].is_point_set()) {
      return places(of, array, params, bytes);
    }
    Memory out{id(), bytes, filling(array.type), array.written};
    line("block {} {} 0 {} {}", out.id, bytes, out.how, seed);
    return out;
  }

  // The fault in the arrays of a call.
  enum class Fault { None, Null, Same, Within, Misaligned };

  // Draws memory for all pointers of a plan. If `slots`, each written array has a pointer per
  // buffer. If `hostile`, one pointer may be faulty. Returns whether the call must be refused.
  bool arrays(const ir::Program& of, const kernel::Plan& plan, const Outcome& params,
              const std::vector<int64_t>& bytes, bool slots, bool hostile,
              std::vector<Memory>& out) {
    bool refused = false;
    for (size_t a = 0; a < plan.arrays.size(); ++a) {
      const kernel::Array& array = plan.arrays[a];
      const int count = slots && array.written ? array.copies : array.levels;
      for (int copy = 0; copy < count; ++copy) {
        out.push_back(memory(of, array, params, bytes[a], random_.next()));
        refused |= out.back().refused;
      }
    }
    if (!hostile || random_.chance(50)) return refused;
    const auto at = static_cast<size_t>(random_.below(static_cast<int>(out.size())));
    const auto from = static_cast<size_t>(random_.below(static_cast<int>(out.size())));
    Memory& faulty = out[at];
    switch (random_.pick<Fault>({Fault::Null, Fault::Same, Fault::Within, Fault::Misaligned})) {
      case Fault::Null:
        line("null {}", faulty.id);
        return true;
      case Fault::Same:
        if (at == from) return refused;
        if (!faulty.written && !out[from].written) {  // arrays that are only read may be the same
          if (out[from].bytes != faulty.bytes || faulty.places || out[from].places) return refused;
          line("at {} {} 0", faulty.id, out[from].id);
          return refused;
        }
        line("at {} {} 0", faulty.id, out[from].id);
        return true;
      case Fault::Within: {
        if (at == from || !(faulty.written || out[from].written)) return refused;
        const int64_t most = (out[from].bytes - 1) / 8 * 8;
        line("at {} {} {}", faulty.id, out[from].id, random_.chance(50) ? most : most / 16 * 8);
        return true;
      }
      case Fault::Misaligned:
        if (faulty.how == 'x' || faulty.how == 'b') return refused;
        line("block {} {} 1 z 0", faulty.id, faulty.bytes);
        return true;
      default:
        return refused;
    }
  }

  // NAME_params, or sometimes NULL if all params are left out.
  int params_block(const std::vector<Given>& params) {
    const int at = id();
    const bool none = std::all_of(params.begin(), params.end(), [](auto& p) { return p.left_out; });
    if (none && random_.chance(70)) {
      line("null {}", at);
      return at;
    }
    std::string bytes;
    for (size_t p = 0; p < params.size(); ++p) {
      const kernel::Parameter& parameter = plan_.parameters[p];
      Given given = params[p];
      if (given.left_out) {  // the value from NAME_default_params
        given.real = parameter.derived ? NAN : parameter.real_default.value_or(NAN);
        given.integer = parameter.derived || !parameter.integer_default
                            ? (parameter.type == Scalar::I64 ? INT64_MIN : INT32_MIN)
                            : *parameter.integer_default;
      }
      append(bytes, value_bytes(parameter, given));
    }
    while (bytes.size() % 8 != 0) bytes += '\0';
    put_bytes(at, bytes);
    return at;
  }

  static std::string value_bytes(const kernel::Parameter& parameter, const Given& given) {
    const auto as = [](auto value) {
      return std::string(reinterpret_cast<const char*>(&value), sizeof value);
    };
    if (parameter.type == Scalar::F64) return as(given.real);
    if (parameter.type == Scalar::F32) return as(static_cast<float>(given.real));
    if (parameter.type == Scalar::I64) return as(given.integer);
    return as(static_cast<int32_t>(given.integer));
  }
  // Appends the value at the next multiple of its size.
  static void append(std::string& to, const std::string& value) {
    while (to.size() % value.size() != 0) to += '\0';
    to += value;
  }
  void put_bytes(int at, const std::string& bytes) {
    std::string hex = "#";
    for (const char byte : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    line("bytes {} {} {}", at, bytes.size(), hex);
  }

  int64_t result_words() const {
    int64_t words = 2;
    for (const kernel::Reduction& reduction : plan_.reductions) {
      words += 1 + kernel::has_value(reduction) + (reduction.first_nan != kernel::kNoScratch);
    }
    return words;
  }
  int results(char how = 'z') {
    const int at = id();
    line("block {} {} 0 {} 1", at, 8 * result_words(), how);
    return at;
  }

  void call(const std::string& entry, Expected expected, const std::vector<int>& pointers,
            const std::vector<int64_t>& numbers) {
    line("call {}_{} {} {} {} {} {} {}", callee_.module.name, entry, text(expected), number_,
         pointers.size(), fmt::join(pointers, " "), numbers.size(), fmt::join(numbers, " "));
  }

  static std::vector<int> ids(const std::vector<Memory>& memories) {
    std::vector<int> out;
    for (const Memory& memory : memories) out.push_back(memory.id);
    return out;
  }

  int table(const std::vector<int>& of) {
    const int at = id();
    line("table {} {} {}", at, of.size(), fmt::join(of, " "));
    return at;
  }

  // The argument `parameters` of NAME_run_packed.
  int packed_params(const std::vector<Given>& params) {
    std::vector<int> values;
    for (size_t p = 0; p < params.size(); ++p) {
      values.push_back(id());
      if (params[p].left_out) {
        line("null {}", values.back());
      } else {
        put_bytes(values.back(), value_bytes(plan_.parameters[p], params[p]));
      }
    }
    return table(values);
  }

  const Callee& callee_;
  const ir::Program& program_;
  const kernel::Plan& plan_;
  Random& random_;
  std::string out_;
  int next_ = 0, number_ = 0;
};

}  // namespace stencil::property
