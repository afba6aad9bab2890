// Both programs start from the same random arrays in the layout of the C program. After the steps,
// the arrays of the lifted program must hold the fields of the original, at the places that the C
// program uses.
#include "tests/property/lift/round_trip.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <fstream>

#include "compiler/driver/frontend.h"
#include "compiler/ir/passes.h"
#include "compiler/lift/numbers.h"
#include "compiler/reference/interpreter.h"
#include "compiler/support/numbers.h"
#include "runtime/api/lift_verify.h"
#include "runtime/lifting/lifting.h"
#include "tests/property/generator.h"
#include "tests/property/types.h"

namespace stencil::property {

namespace {

using lifter::FieldBinding;

constexpr int64_t kMostPoints = 40000;

// The elements of a C array as bytes, row-major.
struct Memory {
  std::vector<int64_t> extents;
  Scalar type = Scalar::F32;
  std::vector<char> bytes;

  char* at(const std::vector<int64_t>& subscripts) {
    int64_t element = 0;
    for (size_t d = 0; d < subscripts.size(); ++d) element = element * extents[d] + subscripts[d];
    return at(element);
  }
  char* at(int64_t element) {
    const int64_t byte = element * size_in_bytes(type);
    if (byte < 0 || byte >= static_cast<int64_t>(bytes.size())) return nullptr;
    return bytes.data() + byte;
  }
};

class Trip {
 public:
  Trip(uint64_t seed, std::string directory, bool prove)
      : seed_(seed), random_(seed * 7919 + 17), directory_(std::move(directory)), prove_(prove) {}

  RoundTrip run() {
    try {
      if (!make()) return std::move(out_);
      run_original();
      if (lift()) compare();
    } catch (const Unsayable& unsayable) {
      end(RoundTrip::End::Unsayable, unsayable.what);
    }
    return std::move(out_);
  }

 private:
  bool end(RoundTrip::End how, const std::string& what) {
    out_.end = how;
    out_.what = what;
    return false;
  }

  // ---- the original

  Choices choices() const {
    Choices out;
    out.ranks = {25, 45, 30};
    out.numbers[static_cast<size_t>(Number::Half)] = 0;
    out.numbers[static_cast<size_t>(Number::Bfloat)] = 0;
    out.statistics = out.records = out.reductions = out.hostile_names = 0;
    out.huge_offset = 0;
    out.several_grids = false;
    return out;
  }

  bool make() {
    const GeneratedProgram generated = random_program(seed_, choices());
    const bool open = !generated.sizes_known && random_.chance(60);
    ProgramOptions options;
    options.name = "original";
    options.fp = FpMode::Strict;
    options.real = random_.chance(50) ? Scalar::F32 : Scalar::F64;
    if (!open) {
      for (const auto& [param, value] : generated.integers)
        options.definitions[param] = std::to_string(value);
    }
    Diagnostics diagnostics;
    const Source source("original.stn", generated.text);
    auto program = load_program(source, options, diagnostics);
    if (!program) return end(RoundTrip::End::Wrong, render(source, diagnostics));
    program_ = std::move(*program);
    program_.run.until.reset();
    values(generated);
    std::string problem;
    auto state = reference::allocate(program_, integers_, reals_, problem);
    if (!state) return end(RoundTrip::End::Unsayable, "sizes that the interpreter refuses");
    for (const reference::FieldData& field : state->fields) {
      if (field.points > kMostPoints) return end(RoundTrip::End::Unsayable, "a large grid");
    }
    original_ = std::move(*state);
    steps_ = random_.between(0, 5);
    for (const ir::StepLimit& limit : program_.step_limits) {
      steps_ = std::min(steps_, ir::evaluate(limit.steps, integers_).value_or(0));
    }
    CStyle style = random_style(random_);
    out_.label = fmt::format("seed {}, {}, {} steps, sizes {}", seed_, describe(style), steps_,
                             open ? "open" : "fixed");
    auto written = write_c(program_, style, integers_, steps_, seed_);
    if (const auto* no = std::get_if<Unsayable>(&written)) throw *no;
    c_ = std::get<CProgram>(std::move(written));
    out_.text = c_.text;
    return true;
  }

  void values(const GeneratedProgram& generated) {
    integers_.assign(program_.params.size(), 0);
    reals_.assign(program_.params.size(), 0);
    std::vector<bool> given(program_.params.size(), false);
    for (size_t p = 0; p < program_.params.size(); ++p) {
      const ir::Param& param = program_.params[p];
      integers_[p] = param.integer_value.value_or(0);
      reals_[p] = param.real_value.value_or(0);
      for (const auto& [name, value] : generated.integers) {
        if (param.name == name) integers_[p] = value, given[p] = true;
      }
      for (const auto& [name, value] : generated.reals) {
        if (param.name == name) reals_[p] = value, given[p] = true;
      }
    }
    if (ir::derive_params(program_, given, integers_, reals_))
      throw Unsayable{"params that do not follow"};
    for (size_t p = 0; p < program_.params.size(); ++p) {
      if (program_.params[p].type == Scalar::F32)
        reals_[p] = static_cast<double>(static_cast<float>(reals_[p]));
    }
  }

  void fill(Memory& memory) {
    const int64_t count = static_cast<int64_t>(memory.bytes.size()) / size_in_bytes(memory.type);
    for (int64_t i = 0; i < count; ++i) {
      char* at = memory.at(i);
      const double real = 2 * random_.unit() - 1;
      if (memory.type == Scalar::F64) {
        std::memcpy(at, &real, sizeof real);
      } else if (memory.type == Scalar::F32) {
        const float single = static_cast<float>(real);
        std::memcpy(at, &single, sizeof single);
      } else {
        const int64_t whole = random_.below(memory.type == Scalar::Bool ? 2 : 8);
        std::memcpy(at, &whole, static_cast<size_t>(size_in_bytes(memory.type)));
      }
    }
  }

  // Calls visit(bytes of the field, bytes of C, size) for all elements of all levels.
  template <class Visit>
  void each_element(std::vector<Memory>& memory, int64_t steps, const Visit& visit) {
    for (size_t f = 0; f < program_.fields.size(); ++f) {
      reference::FieldData& field = original_.fields[f];
      for (size_t level = 0; level < field.levels.size(); ++level) {
        for (int c = 0; c < field.component_count(); ++c) {
          const CLevel place = c_.place(static_cast<int>(f), c, static_cast<int>(level), steps);
          Memory& array = memory[place.array];
          const int64_t size = size_in_bytes(array.type);
          for (int64_t p = 0; p < field.points; ++p) {
            std::vector<int64_t> subscripts = place.before;
            const std::vector<int64_t> point = field.point(p);
            for (size_t d = 0; d < point.size(); ++d)
              subscripts.push_back(point[d] - field.box[d][0]);
            subscripts.insert(subscripts.end(), place.after.begin(), place.after.end());
            visit(reinterpret_cast<char*>(field.data(static_cast<int>(level), c)) + p * size,
                  array.at(subscripts), size, place.array, subscripts);
          }
        }
      }
    }
  }

  void run_original() {
    for (const CArray& array : c_.arrays) {
      Memory memory{array.extents, array.type, {}};
      int64_t bytes = size_in_bytes(array.type);
      for (const int64_t extent : array.extents) bytes *= extent;
      memory.bytes.resize(static_cast<size_t>(bytes));
      fill(memory);
      memory_.push_back(std::move(memory));
    }
    each_element(memory_, 0, [](char* field, const char* c, int64_t size, int, const auto&) {
      std::memcpy(field, c, static_cast<size_t>(size));
    });
    reference::advance(program_, original_, steps_);
  }

  // ---- the lifted program

  bool lift() {
    const std::string path = directory_ + "/step" + c_.extension;
    std::ofstream(path) << c_.text;
    runtime::LiftRequest request;
    request.file = {path, "step", {"-I" STENCIL_SOURCE_DIR}, ""};
    auto lifted = runtime::lift_file(request);
    if (!lifted.ok()) {
      const Failure& failure = lifted.failure();
      return end(RoundTrip::End::Refused, failure.code + ": " + failure.message);
    }
    lifted_ = std::move(lifted).value();
    out_.lifted = lifted_.program.text;
    if (!prove_) return true;
    const auto proof = api::prove(lifted_, request, seed_);
    if (!proof.ok()) return end(RoundTrip::End::Wrong, proof.failure().text());
    return true;
  }

  // Sets the symbol of an element that is a scalar of the lifted program, such as "f1[2][0]".
  void element(int id, const std::string& name) {
    const size_t bracket = name.find('[');
    for (size_t a = 0; bracket != std::string::npos && a < c_.arrays.size(); ++a) {
      if (c_.arrays[a].name != name.substr(0, bracket)) continue;
      std::vector<int64_t> subscripts;
      for (size_t at = bracket; at != std::string::npos; at = name.find('[', at + 1)) {
        subscripts.push_back(
            parse_integer(name.substr(at + 1, name.find(']', at) - at - 1), 0, INT64_MAX)
                .value_or(0));
      }
      const bool linear = subscripts.size() < memory_[a].extents.size();
      const char* value = linear ? memory_[a].at(subscripts[0]) : memory_[a].at(subscripts);
      symbol_reals_[id] = shown(value, static_cast<int>(a));
      symbol_integers_[id] = static_cast<int64_t>(symbol_reals_[id]);
    }
  }

  // Sets the symbols to the arguments of the C function.
  void symbols() {
    for (size_t s = 0; s < lifted_.execution.symbols.size(); ++s) {
      const std::string& name = lifted_.execution.symbols[s].c_expression;
      const int id = static_cast<int>(s);
      element(id, name);
      if (name == "steps") symbol_integers_[id] = steps_;
      for (size_t p = 0; p < c_.params.size(); ++p) {
        if (c_.params[p] != name || name.empty()) continue;
        symbol_integers_[id] = integers_[p];
        symbol_reals_[id] = reals_[p];
      }
    }
  }

  // Calls visit(bytes of the lifted field, bytes of C, size) for all points of the field, at their
  // places in C after `steps` steps.
  template <class Visit>
  bool each_bound(const ir::Program& program, reference::State& state, const FieldBinding& binding,
                  std::vector<Memory>& memory, int64_t steps, const Visit& visit) {
    size_t f = 0;
    while (f < program.fields.size() && program.fields[f].name != binding.field) ++f;
    if (f == program.fields.size()) return end(RoundTrip::End::Wrong, "no field " + binding.field);
    reference::FieldData& field = state.fields[f];
    int array = binding.array;
    for (int64_t s = 0; s < steps; ++s) {
      if (lifted_.execution.arrays[array].sequence && contents()) break;
      for (const auto& rotation : lifted_.execution.rotations) {
        if (rotation.before != array) continue;
        array = rotation.after;
        break;
      }
    }
    const std::string& name = lifted_.execution.arrays[array].c_expression;
    size_t a = 0;
    while (a < c_.arrays.size() && c_.arrays[a].name != name) ++a;
    if (a == c_.arrays.size()) return end(RoundTrip::End::Wrong, "no array " + name);
    std::vector<int64_t> extents;
    for (lifter::X extent : binding.extents) {
      extents.push_back(lifter::number_of(extent, symbol_integers_).value_or(-1));
    }
    // The lifter may know only lower bounds of row lengths, so the actual ones are used, except for
    // linear subscripts.
    if (extents.size() == memory[a].extents.size()) extents = memory[a].extents;
    const int64_t size = size_in_bytes(memory[a].type);
    const bool boolean = memory[a].type == Scalar::Bool && field.types[0] == Scalar::U8;
    if (field.types[0] != memory[a].type && !boolean)
      return end(RoundTrip::End::Wrong, "the type of " + binding.field);
    for (int64_t p = 0; p < field.points; ++p) {
      const std::vector<int64_t> point = field.point(p);
      int64_t element = 0;
      size_t space = 0;
      for (size_t d = 0; d < binding.subscripts.size(); ++d) {
        int64_t at = binding.subscripts[d];
        if (at == lifter::kSpace) at = point[space++];
        if (at == lifter::kBufferSlot) at = (binding.buffer_slot + steps) % extents[d];
        element = element * extents[d] + at;
      }
      char* c = memory[a].at(element);
      if (c == nullptr)
        return end(RoundTrip::End::Wrong, fmt::format("{} goes beyond {}", binding.field, name));
      visit(reinterpret_cast<char*>(field.data(binding.level, 0)) + p * size, c, size);
    }
    return true;
  }
  bool contents() const { return c_.text.find("std::vector") != std::string::npos; }

  void compare() {
    symbols();
    ProgramOptions options;
    options.name = "lifted";
    options.fp = FpMode::Strict;
    Diagnostics diagnostics;
    const Source source("lifted.stn", lifted_.program.text);
    for (const lifter::ParamBinding& binding : lifted_.program.params) {
      if (lifter::is_integer(lifted_.execution.symbols[binding.symbol].type)) {
        options.definitions[binding.param] = std::to_string(symbol_integers_[binding.symbol]);
      }
    }
    const auto program = load_program(source, options, diagnostics);
    if (!program) {
      const std::string text = render(source, diagnostics);
      if (text.find("error S035") != std::string::npos)
        return (void)end(RoundTrip::End::Unmet, text);
      // The proof of the lifter reports this code.
      return (void)end(RoundTrip::End::Refused, "C029: " + text);
    }
    std::vector<int64_t> integers(program->params.size(), 0);
    std::vector<double> reals(program->params.size(), 0);
    std::vector<bool> given(program->params.size(), false);
    for (size_t p = 0; p < program->params.size(); ++p) {
      for (const lifter::ParamBinding& binding : lifted_.program.params) {
        if (binding.param != program->params[p].name) continue;
        integers[p] = symbol_integers_[binding.symbol];
        reals[p] = symbol_reals_[binding.symbol];
        given[p] = true;
      }
    }
    if (const auto fault = ir::derive_params(*program, given, integers, reals))
      return (void)end(RoundTrip::End::Wrong, fault->message);
    const Diagnostics checks = ir::failed_checks(*program, integers, reals);
    if (checks.has_errors()) return (void)end(RoundTrip::End::Unmet, render(source, checks));
    std::string problem;
    auto state = reference::allocate(*program, integers, reals, problem);
    if (!state) return (void)end(RoundTrip::End::Unmet, problem);
    std::vector<Memory> lifted = memory_, expected = memory_;
    for (const FieldBinding& binding : lifted_.program.fields) {
      if (!each_bound(*program, *state, binding, lifted, 0, [](char* field, char* c, int64_t size) {
            std::memcpy(field, c, static_cast<size_t>(size));
          }))
        return;
    }
    reference::advance(*program, *state, steps_);
    for (const FieldBinding& binding : lifted_.program.fields) {
      if (!binding.written) continue;
      if (!each_bound(*program, *state, binding, lifted, steps_,
                      [](char* field, char* c, int64_t size) {
                        std::memcpy(c, field, static_cast<size_t>(size));
                      }))
        return;
    }
    each_element(lifted, steps_,
                 [&](const char* field, const char* c, int64_t size, int array, const auto& at) {
                   if (out_.end == RoundTrip::End::Wrong || same(field, c, size, array)) return;
                   end(RoundTrip::End::Wrong,
                       fmt::format("{}[{}] differs: {} instead of {}", c_.arrays[array].name,
                                   fmt::join(at, "]["), shown(c, array), shown(field, array)));
                 });
  }

  double shown(const char* at, int array) const {
    const Scalar type = memory_[array].type;
    double out = 0;
    float single = 0;
    int64_t whole = 0;
    if (type == Scalar::F64) {
      std::memcpy(&out, at, sizeof out);
      return out;
    }
    if (type == Scalar::F32) {
      std::memcpy(&single, at, sizeof single);
      return static_cast<double>(single);
    }
    std::memcpy(&whole, at, static_cast<size_t>(size_in_bytes(type)));
    const int unused = 64 - 8 * size_in_bytes(type);
    const bool sign = type != Scalar::Bool && type != Scalar::U8 && type != Scalar::U16;
    if (sign) whole = static_cast<int64_t>(static_cast<uint64_t>(whole) << unused) >> unused;
    return static_cast<double>(whole);
  }

  bool same(const char* a, const char* b, int64_t size, int array) const {
    if (std::memcmp(a, b, static_cast<size_t>(size)) == 0) return true;
    if (!is_float(memory_[array].type)) return false;
    return std::isnan(shown(a, array)) && std::isnan(shown(b, array));
  }

  uint64_t seed_;
  Random random_;
  std::string directory_;
  bool prove_;
  RoundTrip out_;
  ir::Program program_;
  reference::State original_;
  std::vector<int64_t> integers_;
  std::vector<double> reals_;
  int64_t steps_ = 0;
  CProgram c_;
  std::vector<Memory> memory_;  // the C arrays before the first step
  lifter::Lifted lifted_;
  std::map<int, int64_t> symbol_integers_;
  std::map<int, double> symbol_reals_;
};

}  // namespace

RoundTrip round_trip(uint64_t seed, const std::string& directory, bool prove) {
  return Trip(seed, directory, prove).run();
}

}  // namespace stencil::property
