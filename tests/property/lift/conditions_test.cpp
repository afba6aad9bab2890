// Tests whether the lifter's proofs are right. Random C functions that branch on data are lifted.
// If the proof succeeds, the original and the program are compared on data that the proof did not
// use.
//
//   property_conditions [--programs n] [--first-seed s] [--print seed]
//
// Neither side uses the code of the proof: the original is compiled as C++ without optimisation or
// counters, and the reference interpreter runs the program.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>

#include "compiler/lift/numbers.h"
#include "compiler/support/numbers.h"
#include "runtime/api/lift_memory.h"
#include "runtime/api/lift_params.h"
#include "runtime/devices/host_library.h"
#include "stencil/simulation.h"
#include "tests/property/lift/c_conditions.h"

namespace stencil::property {
namespace {

using Type = ConditionalCode::Type;
using api::LiftCase;
using api::OriginalArray;

constexpr int kTrials = 12;      // data sets per function
constexpr double kSearch = 0.5;  // seconds that the proof may search for data for missed branches

struct Outcome {
  enum class End { Same, Refused, NotVerified, Wrong };
  End end = End::Same;
  std::string what;
  std::string program = {};
};

// The values of one call.
struct Call {
  int64_t n = 1, m = 1, steps = 1;
  std::vector<double> scalars;  // as ConditionalCode::scalars; integers up to 2^53
  std::vector<std::vector<char>> arrays;
  std::array<char, 8> result{};
};

class Trial {
 public:
  Trial(uint64_t seed, std::string path)
      : seed_(seed),
        random_(seed * 31 + 5),
        path_(std::move(path)),
        code_(conditional_code(seed)) {}

  const std::string& text() const { return code_.text; }

  Outcome run() {
    std::ofstream(path_) << code_.text;
    runtime::LiftRequest request;
    request.file = {path_, "f", {}, ""};
    auto lifted = runtime::lift_file(request);
    if (!lifted.ok())
      return {Outcome::End::Refused, lifted.failure().code + ": " + lifted.failure().message};
    lifted_ = std::move(lifted).value();
    const std::string& program = lifted_.program.text;
    const auto proof = api::prove_lifted(lifted_, request, seed_, kSearch);
    if (!proof.ok()) {
      const Failure& failure = proof.failure();
      const bool limit = failure.code == "C029";
      return {limit ? Outcome::End::Refused : Outcome::End::Wrong,
              failure.code + ": " + failure.message, program};
    }
    if (!proof.value().compared) return {Outcome::End::NotVerified, proof.value().text, program};
    std::string problem = compile();
    for (int trial = 0; trial < kTrials && problem.empty(); ++trial) problem = compare();
    return {problem.empty() ? Outcome::End::Same : Outcome::End::Wrong, problem, program};
  }

 private:
  std::string compile() {
    const auto& library = runtime::HostLibrary::open().value();
    std::string text = code_.text;
    const std::string declared = "double fabs(double);\n";
    text.replace(text.find(declared), declared.size(), "#define fabs __builtin_fabs\n");
    const auto object =
        library.compile("extern \"C\" {\n" + text + code_.call + "}\n", FpMode::Strict, 0);
    if (!object.ok()) return object.failure().message;
    auto loaded = library.load(object.value());
    if (!loaded.ok()) return loaded.failure().message;
    original_ = std::move(loaded).value();
    entry_ = library.interface().find(original_.get(), "call");
    Options options;
    options.fp = FloatingPoint::Strict;
    for (const auto& param : lifted_.program.params) {
      if (is_integer(param.symbol)) options.open.push_back(param.param);
    }
    const auto program = Program::from_text(lifted_.program.text, options, "lifted.stn");
    if (!program.ok()) return "";  // the program needs sizes with values; nothing is compared
    KernelOptions kernel;
    kernel.device = "reference";
    auto made = program.value().compile(kernel);
    if (!made.ok()) return made.failure().message;
    kernel_ = std::move(made).value();
    return "";
  }

  bool is_integer(int symbol) const {
    return lifter::is_integer(lifted_.execution.symbols[symbol].type);
  }

  // ---- data

  double real() {
    static const std::vector<double> kSpecial = {0.0,
                                                 -0.0,
                                                 1,
                                                 -1,
                                                 0.5,
                                                 -0.5,
                                                 2,
                                                 1e300,
                                                 -1e300,
                                                 5e-324,
                                                 std::numeric_limits<double>::infinity(),
                                                 -std::numeric_limits<double>::infinity(),
                                                 std::numeric_limits<double>::quiet_NaN()};
    switch (random_.below(6)) {
      case 0:
        return special_ ? random_.pick(kSpecial) : kSpecial[random_.below(7)];
      case 1:
        if (!code_.constants.empty()) {
          const double value = random_.pick(code_.constants);
          return random_.chance(50) ? value
                                    : std::nextafter(value, random_.chance(50) ? 1e9 : -1e9);
        }
        [[fallthrough]];
      case 2:
        return random_.between(-3, 3);
      default:
        return 6 * random_.unit() - 3;
    }
  }

  int64_t whole(Type type, const std::vector<double>& constants) {
    int64_t value = random_.between(-9, 9);
    if (!constants.empty() && random_.chance(50))
      value = static_cast<int64_t>(random_.pick(constants)) + random_.between(-1, 1);
    if (random_.chance(20)) value = random_.between(-1000, 1000);
    if (type == Type::Long && random_.chance(10)) value = 5000000000;
    if (type == Type::Unsigned) value = random_.chance(10) ? 4294967290 : std::abs(value);
    if (type == Type::Char) value = static_cast<int8_t>(value);
    if (type == Type::Uchar) value = static_cast<uint8_t>(value);
    return value;
  }

  Call draw() {
    static const std::vector<int> kSizes = {1, 2, 3, 4, 5, 6, 7, 8, 11, 19, 30};
    Call out;
    special_ = random_.chance(40) && !code_.reduces;  // see docs/guide/lift.md
    out.n = random_.pick(kSizes);
    out.m = code_.rank == 2 ? random_.pick(kSizes) : 1;
    out.steps = code_.timed ? random_.between(0, 4) : 1;
    for (const auto& scalar : code_.scalars) {
      out.scalars.push_back(scalar.type == Type::Double
                                ? real()
                                : static_cast<double>(whole(scalar.type, scalar.constants)));
    }
    for (const auto& array : code_.arrays) {
      std::vector<char> bytes;
      for (int64_t k = 0; k < out.n * out.m; ++k) {
        const double value = real();
        const int64_t integer = whole(array.type, code_.constants);
        const char* at = array.type == Type::Double ? reinterpret_cast<const char*>(&value)
                                                    : reinterpret_cast<const char*>(&integer);
        bytes.insert(bytes.end(), at, at + size_of(array.type));
      }
      out.arrays.push_back(std::move(bytes));
    }
    return out;
  }

  void call_original(Call& call) {
    std::vector<std::array<char, 8>> values(3 + code_.scalars.size());
    const auto put = [&](size_t at, int64_t value) { std::memcpy(values[at].data(), &value, 8); };
    put(0, call.n);
    put(1, call.m);
    put(2, call.steps);
    for (size_t s = 0; s < code_.scalars.size(); ++s) {
      if (code_.scalars[s].type == Type::Double) {
        std::memcpy(values[3 + s].data(), &call.scalars[s], 8);
      } else {
        put(3 + s, static_cast<int64_t>(call.scalars[s]));
      }
    }
    std::vector<void*> arguments;
    for (auto& array : call.arrays) arguments.push_back(array.data());
    for (auto& value : values) arguments.push_back(value.data());
    arguments.push_back(call.result.data());
    entry_(arguments.data(), 0, 0);
  }

  // ---- the program

  // The first difference; "" if there is none, or if the program refuses these values.
  std::string compare() {
    if (!kernel_) return "";
    const Call before = draw();
    Call expected = before;
    call_original(expected);
    LiftCase one;
    ParamValues params;
    for (size_t s = 0; s < lifted_.execution.symbols.size(); ++s) {
      const auto& symbol = lifted_.execution.symbols[s];
      const int id = static_cast<int>(s);
      double value = 0;
      if (symbol.c_expression == "n") value = static_cast<double>(before.n);
      if (symbol.c_expression == "m") value = static_cast<double>(before.m);
      if (symbol.c_expression == "steps") value = static_cast<double>(before.steps);
      std::string c_expression = symbol.c_expression;
      if (c_expression.rfind("(*p).", 0) == 0) c_expression = "p->" + c_expression.substr(5);
      for (size_t k = 0; k < code_.scalars.size(); ++k) {
        if (code_.scalars[k].name == c_expression) value = before.scalars[k];
      }
      if (symbol.array >= 0) value = element_of(symbol, before);
      if (lifter::is_integer(symbol.type)) {
        one.integers[id] = static_cast<int64_t>(value);
      } else {
        one.reals[id] = value;
      }
    }
    for (const auto& param : lifted_.program.params) {
      params.insert_or_assign(param.param, is_integer(param.symbol)
                                               ? ParamValue(one.integers.at(param.symbol))
                                               : ParamValue(one.reals.at(param.symbol)));
    }
    auto started = kernel_->start(params);
    if (!started.ok()) return "";
    one.steps = before.steps;
    std::vector<OriginalArray> arrays = arrays_of(before, one);
    Simulation& run = started.value();
    api::LiftValues values(lifted_, 1);
    api::OriginalMemory memory(lifted_, values);
    const auto level = [](const lifter::FieldBinding& field) {
      return field.level == 0 ? field.field : fmt::format("{}@-{}", field.field, field.level);
    };
    for (const auto& field : lifted_.program.fields) {
      if (!run.set(level(field), memory.part_of(field, one, arrays, 0)).ok())
        return "field " + field.field + " cannot be set";
    }
    const auto report = run.advance(one.steps);
    if (!report.ok()) return report.failure().message;
    for (const auto& field : lifted_.program.fields) {
      if (field.written &&
          !run.get(level(field), memory.part_of(field, one, arrays, one.steps)).ok())
        return "field " + field.field + " cannot be read";
    }
    for (size_t a = 0; a < arrays.size(); ++a) {
      const std::string& name = lifted_.execution.arrays[a].c_expression;
      for (size_t k = 0; k < code_.arrays.size(); ++k) {
        if (code_.arrays[k].name != name) continue;
        const std::string differs =
            difference(code_.arrays[k], expected.arrays[k], arrays[a].bytes);
        if (!differs.empty()) return differs + values_text(before);
      }
    }
    return returned(run, report.value(), one, expected, before);
  }

  // An element that is a scalar of the program; 0 if the array is too short, so that no run reads
  // it.
  double element_of(const lifter::SymbolInfo& symbol, const Call& call) const {
    const std::string& name = lifted_.execution.arrays[symbol.array].c_expression;
    for (size_t k = 0; k < code_.arrays.size(); ++k) {
      const auto size = static_cast<size_t>(size_of(code_.arrays[k].type));
      const size_t at = size * static_cast<size_t>(symbol.element[0]);
      if (code_.arrays[k].name == name && at + size <= call.arrays[k].size())
        return shown(code_.arrays[k].type, call.arrays[k].data() + at);
    }
    return 0;
  }

  std::vector<OriginalArray> arrays_of(const Call& call, const LiftCase& one) const {
    std::vector<OriginalArray> out(lifted_.execution.arrays.size());
    for (size_t a = 0; a < out.size(); ++a) {
      for (size_t k = 0; k < code_.arrays.size(); ++k) {
        if (code_.arrays[k].name == lifted_.execution.arrays[a].c_expression)
          out[a].bytes = call.arrays[k];
      }
    }
    for (const auto& field : lifted_.program.fields) {
      OriginalArray& array = out[field.array];
      if (!array.extents.empty()) continue;
      for (lifter::X extent : field.extents)
        array.extents.push_back(lifter::number_of(extent, one.integers).value_or(1));
      array.strides.assign(array.extents.size(), 1);
      for (size_t d = array.extents.size(); d-- > 1;)
        array.strides[d - 1] = array.strides[d] * array.extents[d];
    }
    return out;
  }

  static bool same(Type type, const char* a, const char* b) {
    if (std::memcmp(a, b, static_cast<size_t>(size_of(type))) == 0) return true;
    double x = 0, y = 0;
    if (type != Type::Double) return false;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    return std::isnan(x) && std::isnan(y);
  }
  static double shown(Type type, const char* at) {
    double real = 0;
    int64_t whole = 0;
    if (type == Type::Double) {
      std::memcpy(&real, at, sizeof real);
      return real;
    }
    std::memcpy(&whole, at, static_cast<size_t>(size_of(type)));
    return static_cast<double>(type == Type::Int ? static_cast<int32_t>(whole) : whole);
  }

  static std::string difference(const ConditionalCode::Array& array,
                                const std::vector<char>& expected, const std::vector<char>& got) {
    const auto size = static_cast<size_t>(size_of(array.type));
    for (size_t at = 0; at + size <= std::min(expected.size(), got.size()); at += size) {
      if (same(array.type, expected.data() + at, got.data() + at)) continue;
      return fmt::format("{}[{}] is {} instead of {}", array.name, at / size,
                         shown(array.type, got.data() + at),
                         shown(array.type, expected.data() + at));
    }
    return "";
  }

  std::string values_text(const Call& call) const {
    std::string out = fmt::format(" (n={} m={} steps={}", call.n, call.m, call.steps);
    for (size_t s = 0; s < call.scalars.size(); ++s)
      out += fmt::format(" {}={}", code_.scalars[s].name, call.scalars[s]);
    return out + ")";
  }

  std::string returned(Simulation& run, const Report& report, const LiftCase& one,
                       const Call& expected, const Call& before) {
    using lifter::XKind;
    const auto reductions = run.reductions();
    if (!reductions.ok()) return reductions.failure().message;
    lifter::Pool pool;
    const auto leaf = [&](lifter::X n) -> lifter::X {
      if (n->kind == XKind::Symbol) {
        return lifter::is_integer(n->type) ? pool.integer(one.integers.at(n->id), n->type)
                                           : pool.real(one.reals.at(n->id), n->type);
      }
      if (n->kind == XKind::Outcome)
        return pool.integer(n->id == lifter::kStepsTaken ? report.steps : report.stopped, n->type);
      if (n->kind != XKind::Reduced) return nullptr;
      for (const ReductionValue& r : reductions.value()) {
        if (r.name != lifted_.program.reductions[n->id]) continue;
        return lifter::is_integer(n->type) ? pool.integer(r.integer, n->type)
                                           : pool.real(r.value, n->type);
      }
      return nullptr;
    };
    for (const lifter::Left& left : lifted_.execution.left) {
      if (!left.c_expression.empty() || !code_.returns) continue;
      if (left.value == nullptr) return "what it returns is not known";
      lifter::X value = lifter::evaluated(pool, left.value, leaf);
      if (!lifter::is_constant(value)) return "what it returns is not computed";
      const double got =
          value->kind == XKind::Int ? static_cast<double>(value->integer) : value->real;
      const double wanted = shown(code_.result, expected.result.data());
      if (got == wanted || (std::isnan(got) && std::isnan(wanted))) continue;
      return fmt::format("it returns {} instead of {}", got, wanted) + values_text(before);
    }
    return "";
  }

  uint64_t seed_;
  Random random_;
  std::string path_;
  ConditionalCode code_;
  lifter::Lifted lifted_;
  runtime::HostKernels original_;
  StencilHostKernel entry_ = nullptr;
  std::optional<Kernel> kernel_;
  bool special_ = false;
};

// The message without quoted names and numbers.
std::string kind_of(const std::string& what) {
  std::string out;
  bool quoted = false;
  for (const char c : what.substr(0, what.find('\n'))) {
    if (c == '\'') quoted = !quoted;
    if (!quoted && !std::isdigit(static_cast<unsigned char>(c))) out += c;
  }
  return out.substr(0, 90);
}

int main_with(int argc, char** argv) {
  int64_t programs = 40, seed = 1, print = -1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    const auto value = parse_integer(argv[i + 1], 0, INT64_MAX);
    if (!value) return 2;
    if (option == "--programs") programs = *value;
    if (option == "--first-seed") seed = *value;
    if (option == "--print") print = *value;
  }
  if (const auto& library = runtime::HostLibrary::open(); !library.ok()) {
    fmt::print("SKIPPED: {}\n", library.failure().message);
    return 77;
  }
  const char* longer = std::getenv("STENCIL_LONG");
  if (longer != nullptr && *longer == '1') programs = std::max<int64_t>(programs, 5000);
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("stencil_conditions_{}.c", getpid());
  if (print >= 0) seed = print, programs = 1;
  int64_t same = 0, wrong = 0, not_verified = 0, refused = 0;
  std::map<std::string, std::pair<int64_t, int64_t>> others;  // count, first seed
  for (int64_t last = seed + programs; seed < last && wrong < 20; ++seed) {
    Trial trial(static_cast<uint64_t>(seed), path.string());
    const Outcome outcome = trial.run();
    if (print >= 0) fmt::print("{}\n{}\n{}\n", trial.text(), outcome.program, outcome.what);
    switch (outcome.end) {
      case Outcome::End::Same:
        ++same;
        continue;
      case Outcome::End::Wrong:
        ++wrong;
        fmt::print("FAILED: seed {}: {}\n{}\n{}\n", seed, outcome.what, trial.text(),
                   outcome.program);
        continue;
      case Outcome::End::Refused:
        ++refused;
        break;
      case Outcome::End::NotVerified:
        ++not_verified;
        break;
    }
    auto& [count, first] = others[kind_of(outcome.what)];
    if (++count == 1) first = seed;
  }
  std::filesystem::remove(path);
  for (const auto& [what, count] : others)
    fmt::print("  {:5}  {} (seed {})\n", count.first, what, count.second);
  fmt::print("{} verified and right, {} wrong, {} not verified, {} refused\n", same, wrong,
             not_verified, refused);
  if (wrong > 0) return 1;
  // If few functions are verified, the test compares too little.
  if (programs >= 20 && same * 4 < programs) {
    fmt::print("FAILED: too few functions are verified\n");
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace stencil::property

int main(int argc, char** argv) {
  setenv("STENCIL_CACHE", "off", 0);
  return stencil::property::main_with(argc, argv);
}
