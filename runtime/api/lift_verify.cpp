// Sizes are searched for: values of the integer params for which every loop has points and every
// access is within its array, small, and different from each other so that dimensions cannot be
// mixed up. Data are between 0.5 and 1.5: no overflow, no division by zero.
//
// Both sides compute in strict mode: C with -ffp-contract=off, the program with --fp strict.
#include "runtime/api/lift_verify.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>

#include "compiler/lift/numbers.h"
#include "runtime/api/in_child.h"
#include "runtime/api/lift_memory.h"
#include "runtime/api/lift_wrapper.h"
#include "stencil/simulation.h"

namespace stencil::api {

using lifter::CScalar;
using lifter::FieldBinding;

namespace {

constexpr int64_t kMostPoints = int64_t{1} << 22;  // of all arrays
constexpr double kMostUpdates = 3e8;               // points times steps
constexpr const char* kDiffers =
    "this is a bug of the lifter, or an assumption that does not hold; please report the file";

class Prover {
 public:
  Prover(const lifter::Lifted& lifted, const runtime::LiftRequest& request, uint64_t seed)
      : lifted_(lifted), request_(request), random_(seed) {}

  Result<LiftProof> run() {
    const CallOfOriginal call = call_of_original(lifted_);
    if (!call.impossible.empty())
      return LiftProof{false, "the original cannot be called: " + call.impossible};
    for (const auto& array : lifted_.execution.arrays) {
      if (array.local)
        return LiftProof{
            false,
            fmt::format("'{}' belongs to the function, and what it holds at first is not known",
                        array.in_c)};
    }
    auto cases = sizes();
    if (cases.empty())
      return LiftProof{false,
                       "no small sizes were found at which all accesses are within the arrays" +
                           (why_.empty() ? "" : " (" + why_ + ")")};
    const auto& library = runtime::HostLibrary::open();
    if (!library.ok()) return library.failure();
    const auto object = library.value().compile_c(request_.file, call.text);
    if (!object.ok()) return LiftProof{false, object.failure().message};
    const auto loaded = library.value().load_c(object.value());
    if (!loaded.ok()) return LiftProof{false, loaded.failure().message};
    original_ = library.value().interface().find(loaded.value().get(), "stencil_lift_call");
    if (original_ == nullptr)
      return LiftProof{false, "functions that the file calls are not there"};

    int64_t least = INT64_MAX, most = 0;
    for (LiftCase& one : cases) {
      const Result<bool> same = compare(one);
      if (!same.ok()) return same.failure();
      if (!same.value()) return LiftProof{false, why_};
      least = std::min(least, one.steps);
      most = std::max(most, one.steps);
    }
    const bool timed = lifted_.program.steps != nullptr;
    return LiftProof{
        true, fmt::format("{} on random data ({}{}{}), {} array{}{}: {}",
                          cases.size() == 1 ? "one run" : fmt::format("{} runs", cases.size()),
                          sizes_text(cases),
                          timed ? least == most ? fmt::format(", {} steps", least)
                                                : fmt::format(", {} to {} steps", least, most)
                                : "",
                          lifted_.execution.stop == nullptr
                              ? ""
                              : fmt::format(", {} ended by the condition", stopped_),
                          lifted_.execution.arrays.size(),
                          lifted_.execution.arrays.size() == 1 ? "" : "s",
                          results_ > 0 ? " and what scalars hold behind them" : "",
                          sums_differ_ ? "the same up to the last places of sums, which have an "
                                         "order of their own"
                          : powers_differ_ ? "the same up to the last places of library functions"
                                           : "every bit is the same")};
  }

 private:
  // ---- sizes

  std::string sizes_text(const std::vector<LiftCase>& cases) const {
    std::string out;
    for (const LiftCase& one : cases) {
      std::string text;
      for (const auto& [symbol, value] : one.integers) {
        if (in_shape_.count(symbol) == 0) continue;
        text += fmt::format("{}{}={}", text.empty() ? "" : " ",
                            lifted_.execution.symbols[static_cast<size_t>(symbol)].name, value);
      }
      if (!text.empty()) out += (out.empty() ? "" : "; ") + text;
    }
    return out.empty() ? "its one size" : out;
  }

  void note_symbols(lifter::X x, std::set<int>& into) {
    lifter::each_node(x, [&](lifter::X n) {
      if (n->kind == lifter::XKind::Symbol) into.insert(n->id);
    });
  }
  void note_symbols(const lifter::Poly& p, std::set<int>& into) {
    for (lifter::X atom : p.atoms()) note_symbols(atom, into);
  }

  // Room for points, and rows of records that are apart.
  bool points_fit(const LiftCase& one) const {
    const lifter::X all = lifted_.program.steps;
    const auto rows =
        all == nullptr ? std::optional<int64_t>(1) : lifter::number_of(all, one.integers);
    for (const lifter::PointFieldBinding& field : lifted_.program.point_fields) {
      const auto memory = memory_.strided(field, one);
      if (!memory || memory->offset < 0) return false;
      // rows of a record are apart
      const bool apart = memory->count * memory->by_point <= memory->by_step ||
                         rows.value_or(0) * memory->by_step <= memory->by_point;
      if (field.written && !apart) return false;
    }
    for (const lifter::PointSetBinding& set : lifted_.program.point_sets) {
      const auto count = lifter::number_of(set.count, one.integers);
      int64_t places = 1;
      for (const auto& coordinate : set.place) {
        const auto extent = lifter::number_of(coordinate.extent, one.integers);
        if (extent && coordinate.array >= 0) places *= *extent;
      }
      if (!count || *count < 1 || (set.given && *count > places)) return false;
    }
    return true;
  }

  // Every store's loops and every array at these values: false if something is empty or outside.
  bool feasible(LiftCase& one) {
    const auto value = [&](const lifter::Poly& p) { return lifter::number_of(p, one.integers); };
    one.points = 0;
    for (const FieldBinding& field : lifted_.program.fields) {
      double size = 1;
      for (lifter::X extent : field.extents) {
        const auto length = lifter::number_of(extent, one.integers);
        if (!length || *length < 1) return false;
        size *= static_cast<double>(*length);
      }
      one.points += size;
    }
    if (one.points > static_cast<double>(kMostPoints)) return false;
    if (!points_fit(one)) return false;
    for (const auto& [condition, why] : lifted_.execution.requirements) {
      bool real = false;  // decided when the run begins
      lifter::each_node(condition,
                        [&](lifter::X n) { real = real || lifter::is_floating(n->type); });
      if (real) continue;
      const auto holds = lifter::number_of(condition, one.integers);
      if (!holds || *holds == 0) return false;
    }
    for (const auto& nest : lifted_.execution.nests) {
      for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
        for (const auto& leaf : *leaves) {
          for (const lifter::Store& store : leaf) {
            for (const lifter::Domain& domain : store.domain) {
              const auto low = value(domain.low), high = value(domain.high);
              if (!low || !high || *low > *high) return false;
            }
          }
        }
      }
    }
    if (lifted_.program.steps != nullptr) {
      const auto steps = lifter::number_of(lifted_.program.steps, one.integers);
      if (!steps || *steps < 0) return false;
      one.steps = one.rows = *steps;
    }
    return one.points * static_cast<double>(most_steps(one)) <= kMostUpdates;
  }

  // A loop that ends by a condition is given time to.
  int64_t most_steps(const LiftCase& one) const {
    if (lifted_.execution.stop == nullptr) return one.steps;
    const double room = kMostUpdates / std::max(one.points, 1.0);
    return std::min(one.steps, static_cast<int64_t>(std::min(room, 2e5)));
  }

  bool runs(const LiftCase& one) {
    const auto program = program_of(one);
    if (!program.ok()) {
      why_ = program.failure().message;
      return false;
    }
    const auto state = program.value().initial_state(values_of(one));
    if (!state.ok()) why_ = state.failure().message;
    return state.ok();
  }

  std::vector<LiftCase> sizes() {
    std::set<int> in_steps, integers;
    for (const FieldBinding& field : lifted_.program.fields) {
      for (lifter::X extent : field.extents) note_symbols(extent, in_shape_);
    }
    for (const auto& nest : lifted_.execution.nests) {
      for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
        for (const auto& leaf : *leaves) {
          for (const lifter::Store& store : leaf) {
            for (const lifter::Domain& d : store.domain) {
              note_symbols(d.low, in_shape_);
              note_symbols(d.high, in_shape_);
            }
          }
        }
      }
    }
    if (lifted_.program.steps != nullptr) note_symbols(lifted_.program.steps, in_steps);
    for (size_t s = 0; s < lifted_.execution.symbols.size(); ++s) {
      if (lifter::is_integer(lifted_.execution.symbols[s].type))
        integers.insert(static_cast<int>(s));
    }
    std::vector<LiftCase> out;
    // sizes that C fixes come first: params may not be larger
    std::vector<int64_t> candidates;
    for (const FieldBinding& field : lifted_.program.fields) {
      for (lifter::X extent : field.extents) {
        if (extent->kind == lifter::XKind::Int && extent->integer > 3)
          candidates.insert(candidates.end(),
                            {extent->integer, extent->integer - 1, extent->integer * 2 / 3});
      }
    }
    if (candidates.size() > 12) candidates.resize(12);
    const size_t fixed = candidates.size();
    for (int64_t size : {24, 17, 33, 20, 41, 29, 13, 9, 7, 50, 1, 2, 3, 5, 4, 8, 66, 130, 0}) {
      candidates.push_back(size);
    }
    const bool stops = lifted_.execution.stop != nullptr;
    std::set<int> tolerances;
    if (stops) note_symbols(lifted_.execution.stop, tolerances);
    const std::vector<int64_t> step_counts = stops
                                                 ? std::vector<int64_t>{700, 0, 57, 301, 2000, 7, 1}
                                                 : std::vector<int64_t>{5, 0, 1, 2, 4, 7, 3, 6};
    int tried = 0;
    for (int attempt = 0; attempt < 30000 && out.size() < 3 && tried < 200; ++attempt) {
      LiftCase one;
      const size_t range = std::min(
          candidates.size(), std::max<size_t>(fixed, 7) + static_cast<size_t>(attempt) / 300);
      for (int symbol : integers) {
        const bool size = in_shape_.count(symbol) > 0;
        if (in_steps.count(symbol) > 0 && !size) {
          one.integers[symbol] =
              step_counts[out.size() == 1 && attempt % 2 == 0 ? 1 : random_() % step_counts.size()];
        } else if (size) {
          one.integers[symbol] = candidates[random_() % range];
        } else {
          one.integers[symbol] = random_() % 3 == 0 ? 0 : static_cast<int64_t>(1 + random_() % 9);
        }
      }
      one.alike = stops && (out.size() != 1 || lifted_.program.steps->kind == lifter::XKind::Int);
      if (!feasible(one)) continue;
      constexpr double kTolerances[] = {0.03, 0.2, 0.002};
      for (int symbol : tolerances) {
        if (integers.count(symbol) == 0)
          one.reals[symbol] = rounded(symbol, kTolerances[out.size()] * real(symbol));
      }
      ++tried;
      if (!runs(one)) continue;
      out.push_back(std::move(one));
      if (integers.empty()) break;
    }
    return out;
  }

  // ---- both sides

  Result<Program> program_of(const LiftCase& one) {
    Options options;
    options.fp = FloatingPoint::Strict;
    for (const auto& [symbol, value] : one.integers) {
      for (const auto& param : lifted_.program.params) {
        if (param.symbol == symbol)
          options.definitions.insert_or_assign(param.param, ParamValue(value));
      }
    }
    return Program::from_text(lifted_.program.text, options, "lifted.stn");
  }

  ParamValues values_of(const LiftCase& one) {
    ParamValues out;
    for (const auto& param : lifted_.program.params) {
      const auto& symbol = lifted_.execution.symbols[static_cast<size_t>(param.symbol)];
      if (lifter::is_floating(symbol.type))
        out.insert_or_assign(param.param, ParamValue(real_of(one, param.symbol)));
    }
    return out;
  }

  double rounded(int symbol, double value) const {
    const bool single = lifted_.execution.symbols[static_cast<size_t>(symbol)].type == CScalar::F32;
    return single ? static_cast<double>(static_cast<float>(value)) : value;
  }
  double real_of(const LiftCase& one, int symbol) {
    const auto found = one.reals.find(symbol);
    return found != one.reals.end() ? found->second : real(symbol);
  }

  double real(int symbol) {
    const auto found = reals_.find(symbol);
    if (found != reals_.end()) return found->second;
    const double value = 0.5 + std::uniform_real_distribution<double>(0, 1)(random_);
    return reals_[symbol] = rounded(symbol, value);
  }

  // "", or how the original ended.
  std::string call_original(const LiftCase& one, std::vector<OriginalArray>& arrays) {
    const auto& symbols = lifted_.execution.symbols;
    std::vector<std::array<char, 8>> scalars(symbols.size());
    std::vector<void*> arguments;
    for (size_t s = 0; s < symbols.size(); ++s) {
      const auto integer = one.integers.find(static_cast<int>(s));
      const int64_t whole = integer != one.integers.end() ? integer->second : 0;
      const double value =
          lifter::is_floating(symbols[s].type) ? real_of(one, static_cast<int>(s)) : 0;
      const float single = static_cast<float>(value);
      if (symbols[s].type == CScalar::F64) {
        std::memcpy(scalars[s].data(), &value, sizeof value);
      } else if (symbols[s].type == CScalar::F32) {
        std::memcpy(scalars[s].data(), &single, sizeof single);
      } else {
        std::memcpy(scalars[s].data(), &whole, sizeof whole);
      }
      arguments.push_back(scalars[s].data());
    }
    std::vector<int64_t> lengths;
    // with room around: C may read beyond what the program needs, where nothing comes of it
    std::vector<std::unique_ptr<SharedMemory>> memory;
    size_t largest = 4096;
    for (const OriginalArray& array : arrays) largest = std::max(largest, array.bytes.size());
    const size_t room = std::max(largest, std::min<size_t>(32 * largest, size_t{1} << 20));
    for (size_t a = 0; a < arrays.size(); ++a) {
      memory.push_back(std::make_unique<SharedMemory>(room + largest + room));
      std::memcpy(memory[a]->data() + room, arrays[a].bytes.data(), arrays[a].bytes.size());
      arguments.push_back(memory[a]->data() + room);
      const size_t ranks = lifted_.execution.arrays[a].extents.size() + 8;
      for (size_t d = 0; d < ranks; ++d) {
        const bool linear = lifted_.execution.arrays[a].extents.size() == 1 && d == 0;
        const int64_t all =
            arrays[a].extents.empty() ? 0 : arrays[a].strides[0] * arrays[a].extents[0];
        lengths.push_back(linear ? all : d < arrays[a].extents.size() ? arrays[a].extents[d] : 0);
      }
    }
    arguments.push_back(lengths.data());
    SharedMemory results(std::max<size_t>(8 * lifted_.execution.left.size(), 8));
    arguments.push_back(results.data());
    constexpr int kPatience = 60;  // seconds
    const std::string end = run_in_child([&] { original_(arguments.data(), 0, 0); }, kPatience);
    for (size_t a = 0; a < arrays.size(); ++a) {
      std::memcpy(arrays[a].bytes.data(), memory[a]->data() + room, arrays[a].bytes.size());
    }
    left_.assign(results.data(), results.data() + 8 * lifted_.execution.left.size());
    return end;
  }

  static std::string level(const FieldBinding& field) {
    return field.level == 0 ? field.field : fmt::format("{}@-{}", field.field, field.level);
  }

  Result<bool> compare(LiftCase& one) {
    const auto program = program_of(one);
    if (!program.ok()) return program.failure();
    KernelOptions kernel_options;
    kernel_options.device = "host";
    kernel_options.schedule = "direct";
    auto kernel = program.value().compile(kernel_options);
    if (!kernel.ok()) return kernel.failure();
    std::vector<OriginalArray> arrays = memory_.allocate(one);
    auto simulation = kernel.value().start(values_of(one));
    if (!simulation.ok()) return simulation.failure();
    Simulation& run = simulation.value();
    for (const FieldBinding& field : lifted_.program.fields) {
      const Status set = run.set(level(field), memory_.part_of(field, one, arrays, 0));
      if (!set.ok()) return set.failure();
    }
    if (const Status done = memory_.set_points(run, one, arrays); !done.ok()) return done.failure();
    const int64_t most = most_steps(one);
    const auto report = run.advance(most);
    if (!report.ok()) return report.failure();
    if (!report.value().stopped && most < one.steps) {
      why_ = fmt::format("the condition that ends the loop did not hold within {} steps ({})", most,
                         sizes_text({one}));
      return false;
    }
    one.steps = report.value().steps;
    stopped_ += report.value().stopped ? 1 : 0;
    std::vector<OriginalArray> lifted = arrays;
    if (const std::string end = call_original(one, arrays); !end.empty()) {
      return Failure{
          "C031",
          fmt::format("the original does not come back at sizes at which the program runs ({}): {}",
                      sizes_text({one}), end),
          "it reads or writes where nothing it is given is, so its arrays are not what they seem; "
          "--no-verify writes the program all the same"};
    }
    for (const FieldBinding& field : lifted_.program.fields) {
      if (!field.written) continue;
      const Status got = run.get(level(field), memory_.part_of(field, one, lifted, one.steps));
      if (!got.ok()) return got.failure();
    }
    for (const lifter::PointFieldBinding& field : lifted_.program.point_fields) {
      if (!field.written) continue;
      const Status got = run.get(field.field, memory_.points_of(field, one, lifted));
      if (!got.ok()) return got.failure();
    }
    for (size_t a = 0; a < arrays.size(); ++a) {
      const Status same = equal(a, arrays[a], lifted[a], one);
      if (!same.ok()) return same.failure();
    }
    const Status same = equal_results(run, report.value(), one);
    if (!same.ok()) return same.failure();
    return true;
  }

  // What scalars hold behind the loop, and what is returned.
  Status equal_results(Simulation& run, const Report& report, const LiftCase& one) {
    using lifter::XKind;
    const auto reductions = run.reductions();
    if (!reductions.ok()) return reductions.failure();
    lifter::Pool pool;
    const auto leaf = [&](lifter::X n) -> lifter::X {
      if (n->kind == XKind::Symbol) {
        const auto whole = one.integers.find(n->id);
        if (whole != one.integers.end()) return pool.integer(whole->second, n->type);
        return pool.real(real_of(one, n->id), n->type);
      }
      if (n->kind == XKind::Outcome)
        return pool.integer(n->id == lifter::kStepsTaken ? report.steps : report.stopped, n->type);
      if (n->kind != XKind::Reduced) return nullptr;
      const std::string& name = lifted_.program.reductions[static_cast<size_t>(n->id)];
      for (const ReductionValue& r : reductions.value()) {
        if (r.name != name) continue;
        if (lifter::is_integer(n->type)) return pool.integer(r.integer, n->type);
        return pool.real(r.value, n->type);
      }
      return nullptr;
    };
    for (size_t l = 0; l < lifted_.execution.left.size(); ++l) {
      const lifter::Left& left = lifted_.execution.left[l];
      if (left.value == nullptr) continue;
      lifter::X value = lifter::evaluated(pool, left.value, leaf);
      if (!lifter::is_constant(value)) continue;
      ++results_;
      const char* at = left_.data() + 8 * l;
      double x = 0,
             y = value->kind == XKind::Int ? static_cast<double>(value->integer) : value->real;
      if (left.type == CScalar::F64) {
        std::memcpy(&x, at, sizeof x);
      } else if (left.type == CScalar::F32) {
        float single = 0;
        std::memcpy(&single, at, sizeof single);
        x = static_cast<double>(single);
      } else {
        int64_t whole = 0;
        std::memcpy(&whole, at, static_cast<size_t>(bytes_of(left.type)));
        x = static_cast<double>(integer_of(whole, left.type));
      }
      if (same_value(left.type, x, y, lifted_.program.sums)) continue;
      return Failure{
          "C030",
          fmt::format("the lifted program differs from the original in {}: {} instead of {} ({}, "
                      "{} steps)",
                      left.in_c.empty() ? "what it returns" : left.in_c, y, x, sizes_text({one}),
                      one.steps),
          kDiffers};
    }
    return Done{};
  }

  // Bit for bit, or as near as the order of sums and products of powers allow.
  bool same_value(CScalar type, double x, double y, bool sums) {
    if (x == y || (std::isnan(x) && std::isnan(y))) return true;
    if (!lifter::is_floating(type)) return false;
    const double near = (type == CScalar::F32 ? 1e-4 : 1e-9) * std::max(std::abs(x), std::abs(y));
    if (!(std::abs(x - y) <= near)) return false;
    if (sums) {
      sums_differ_ = true;
    } else if (lifted_.program.powers) {
      powers_differ_ = true;
    }
    return sums || lifted_.program.powers;
  }

  Status equal(size_t a, const OriginalArray& original, const OriginalArray& lifted,
               const LiftCase& one) {
    const CScalar type = lifted_.execution.arrays[a].element;
    const int64_t size = bytes_of(type);
    if (original.extents.empty()) return Done{};
    for (int64_t i = 0; i * size < static_cast<int64_t>(original.bytes.size()); ++i) {
      const char *p = original.bytes.data() + i * size, *q = lifted.bytes.data() + i * size;
      if (std::memcmp(p, q, static_cast<size_t>(size)) == 0) continue;
      std::string at;
      std::vector<int64_t> subscripts;
      int64_t rest = i;
      for (size_t d = 0; d < original.extents.size(); ++d) {
        subscripts.push_back(rest / original.strides[d]);
        at += fmt::format("[{}]", subscripts.back());
        rest %= original.strides[d];
      }
      if (memory_.is_ghost(a, one, subscripts)) continue;
      double x = 0, y = 0;
      if (lifter::is_floating(type)) {
        x = type == CScalar::F32 ? static_cast<double>(*reinterpret_cast<const float*>(p))
                                 : *reinterpret_cast<const double*>(p);
        y = type == CScalar::F32 ? static_cast<double>(*reinterpret_cast<const float*>(q))
                                 : *reinterpret_cast<const double*>(q);
        // zeros of different signs are not the same
        if (x != y && same_value(type, x, y, lifted_.program.sums_in_step)) continue;
      }
      return Failure{
          "C030",
          fmt::format("the lifted program differs from the original in {}{}: {} instead of {} ({}, "
                      "{} steps)",
                      lifted_.execution.arrays[a].in_c, at, y, x, sizes_text({one}), one.steps),
          kDiffers};
    }
    return Done{};
  }

  const lifter::Lifted& lifted_;
  const runtime::LiftRequest& request_;
  std::mt19937_64 random_;
  OriginalMemory memory_{lifted_, random_};
  std::map<int, double> reals_;
  std::set<int> in_shape_;
  StencilHostKernel original_ = nullptr;
  bool sums_differ_ = false, powers_differ_ = false;
  std::vector<char> left_;  // what the original left in scalars
  int results_ = 0;
  int stopped_ = 0;  // runs that the condition of the loop ended
  std::string why_;
};

}  // namespace

Result<LiftProof> prove(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                        uint64_t seed) {
  return Prover(lifted, request, seed).run();
}

Result<LiftProof> prove_or_shrink(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                                  uint64_t seed) {
  auto proof = prove(lifted, request, seed);
  if (!proof.ok() || proof.value().compared) return proof;
  std::map<std::string, int64_t> macros;
  for (const lifter::CNode& node : lifted.tree.nodes) {
    if (node.kind == lifter::CKind::Int && !node.text.empty() && node.integer >= 12) {
      macros[node.text] = node.integer;
    }
  }
  if (macros.empty() || macros.size() > 8) return proof;
  runtime::LiftRequest smaller = request;
  std::string told;
  int64_t size = 14;  // different ones, so that dimensions cannot be mixed up
  for (const auto& [name, value] : macros) {
    smaller.file.flags.push_back(fmt::format("-D{}={}", name, size));
    told += fmt::format("{}{}={} instead of {}", told.empty() ? "" : ", ", name, size, value);
    size += 3;
  }
  const auto again = runtime::lift_file(smaller);
  if (!again.ok() || again.value().program.text == lifted.program.text) return proof;
  const auto small = prove(again.value(), smaller, seed);
  if (!small.ok()) return small;
  if (!small.value().compared) return proof;
  return LiftProof{true, fmt::format("with {}, {}", told, small.value().text)};
}

}  // namespace stencil::api
