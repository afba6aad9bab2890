// Random valid and invalid calls of the public API. The arguments determine what a call must
// return. A failed call changes nothing, and no call touches memory outside a view.
#include <cmath>
#include <limits>
#include <random>

#include "tests/unit/api/programs.h"

namespace stencil::api {
namespace {

// U has 9 x 7 points, the first at (-2, 1), and two levels. A run has at most 60 steps.
constexpr const char* kProbe = R"(
param a : real = 0.25;
require a < 1;
grid G = [-2..6, 1..7] steps 10;
field U : real on G history 2 boundary clamp;
points P [0..2] on G;
record trace [0..59] = U[0,0] at P;
stencil s : U on G = a * (U[1,0] + U@-1[0,-1]) + 0.5 * U[0,0];
init U[i,j] = i + 0.25 * j;
init P[p] = {p, 2 + p};
reduce total = sum(U[0,0]) on G every 3;
)";
constexpr int64_t kLast = 60;
constexpr int64_t kOrigin[] = {-2, 1}, kShape[] = {9, 7};

class Caller {
 public:
  Caller(const Kernel& kernel, unsigned seed)
      : random_(seed), tested_(kernel.start().or_throw()), model_(on_reference(kProbe)) {}

  void run(int calls) {
    for (call_ = 0; call_ < calls && !testing::Test::HasFailure(); ++call_) {
      SCOPED_TRACE(call_);
      switch (below(6)) {
        case 0:
          advance();
          break;
        case 1:
        case 2:
          box();
          break;
        case 3:
          whole();
          break;
        case 4:
          param();
          break;
        default:
          names();
          break;
      }
      EXPECT_EQ(tested_.step(), model_.step());
    }
    for (const char* field : {"U", "U@-1", "trace"}) {
      EXPECT_EQ(tested_.get<float>(field).or_throw(), model_.get<float>(field).or_throw()) << field;
    }
  }

 private:
  static constexpr size_t kGuard = 80;
  static constexpr float kUntouched = -12345.0f;

  int64_t below(int64_t n) { return std::uniform_int_distribution<int64_t>(0, n - 1)(random_); }
  bool chance(int percent) { return below(100) < percent; }
  int64_t hostile() {
    const int64_t all[] = {-1,        INT64_MIN,       INT64_MAX,        INT64_MAX - 15,
                           INT32_MAX, INT32_MIN,       int64_t{1} << 31, 61,
                           0,         int64_t{1} << 62};
    return all[below(std::size(all))];
  }

  // Makes a call on the tested simulation. A valid call is also made on the model; another call
  // must fail.
  template <class Call>
  void expect(bool valid, Call call) {
    const auto result = call(tested_);
    EXPECT_EQ(result.ok(), valid) << message(result);
    if (valid) {
      EXPECT_TRUE(call(model_).ok());
    }
    if (!result.ok()) {
      EXPECT_FALSE(result.failure().message.empty());
    }
  }

  void advance() {
    const int64_t steps = chance(60) ? below(4) : hostile();
    const bool valid = steps >= 0 && steps <= kLast - model_.step();
    const auto result = tested_.advance(steps);
    EXPECT_EQ(result.ok(), valid) << steps << " " << message(result);
    if (valid) {
      EXPECT_EQ(model_.advance(steps).or_throw().steps, steps);
    }
  }

  // A view into guarded memory.
  struct Guarded {
    std::vector<float> memory;
    float* data() { return memory.data() + kGuard; }
    bool untouched(size_t from) const {
      for (size_t i = 0; i < memory.size(); ++i) {
        const bool inside = i >= kGuard && i < kGuard + from;
        if (!inside && memory[i] != kUntouched) return false;
      }
      return true;
    }
  };
  Guarded guarded(size_t count) {
    Guarded out;
    out.memory.assign(count + 2 * kGuard, kUntouched);
    for (size_t i = 0; i < count; ++i) out.data()[i] = static_cast<float>(below(16)) / 8;
    return out;
  }

  void box() {
    FieldBox box;
    bool valid = true;
    for (int d = 0; d < 2; ++d) {
      const int64_t first = chance(85) ? below(kShape[d]) : hostile();
      const int64_t count = chance(85) ? 1 + below(kShape[d]) : hostile();
      valid = valid && first >= 0 && first < kShape[d] && count >= 1 && count <= kShape[d] - first;
      box.origin.push_back(first == INT64_MAX ? first
                                              : kOrigin[d] + std::max(first, INT64_MIN + 2));
      box.shape.push_back(count);
    }
    if (chance(5)) {
      valid = false;
      box.shape.pop_back();
    }
    EXPECT_EQ(tested_.shape_of("U", box).ok(), valid);
    const auto count = static_cast<size_t>(valid ? box.shape[0] * box.shape[1] : 1);
    Guarded memory = guarded(count);
    const std::string field = chance(50) ? "U" : "U@-1";
    const View<float> view(memory.data(), box.shape);
    if (chance(50)) {
      expect(valid, [&](Simulation& s) { return s.set(field, box, view); });
    } else {
      expect(valid, [&](Simulation& s) { return s.get(field, box, view); });
    }
    EXPECT_TRUE(memory.untouched(count));
  }

  void whole() {
    Extents shape = {kShape[0], kShape[1]}, strides = {kShape[1], 1};
    bool valid = true;
    size_t count = 63;
    if (chance(25)) {
      valid = false;
      shape[below(2)] = hostile();
    } else if (chance(30)) {  // columns
      strides = {1, kShape[0]};
    } else if (chance(30)) {  // padded rows
      strides = {9, 1};
      count = 79;
    }
    Guarded memory = guarded(count);
    const View<float> strided(memory.data(), shape, strides);
    const bool sets = chance(50);
    if (valid && chance(20)) {  // less memory than the span claims
      const auto few = View(std::span(memory.data(), count - 1), shape);
      valid = count - 1 >= 63;
      expect(valid, [&](Simulation& s) { return sets ? s.set("U", few) : s.get("U", few); });
    } else if (valid && chance(10)) {
      const View<float> none(nullptr, shape);
      expect(false, [&](Simulation& s) { return sets ? s.set("U", none) : s.get("U", none); });
    } else {
      expect(valid,
             [&](Simulation& s) { return sets ? s.set("U", strided) : s.get("U", strided); });
    }
    EXPECT_TRUE(memory.untouched(count));
  }

  void param() {
    const double values[] = {0.5,   0.125, -0.25, 1, 2, std::numeric_limits<double>::infinity(),
                             -1e300};
    const double value = values[below(std::size(values))];
    const bool valid = std::isfinite(static_cast<float>(value)) && value < 1;
    expect(valid, [&](Simulation& s) { return s.set_param("a", value); });
    expect(false, [&](Simulation& s) {
      return s.set_param("a", std::numeric_limits<double>::quiet_NaN());
    });
  }

  void names() {
    const char* all[] = {"",    "U@", "U@-2",  "U@1",    "U@-99999999999999999999",
                         "@-1", ".",  "U.x",   "V",      "U[0]",
                         "P.q", "a",  "total", "U@-1@-1"};
    const std::string name = all[below(std::size(all))];
    Guarded memory = guarded(63);
    const View<float> view(memory.data(), {kShape[0], kShape[1]});
    expect(false, [&](Simulation& s) { return s.get(name, view); });
    expect(false, [&](Simulation& s) { return s.set(name, view); });
    EXPECT_TRUE(memory.untouched(63));
    EXPECT_FALSE(tested_.shape_of(name).ok());
  }

  std::mt19937 random_;
  Simulation tested_, model_;
  int call_ = 0;
};

class RandomCalls : public testing::TestWithParam<const char*> {};

TEST_P(RandomCalls, SucceedExactlyOrChangeNothing) {
  const auto device = choose_device(GetParam());
  if (!device.ok()) GTEST_SKIP() << device.failure().message;
  const Kernel kernel = program_of(kProbe).compile({.device = GetParam()}).or_throw();
  const bool longer = std::getenv("STENCIL_LONG") != nullptr;
  for (unsigned seed = 1; seed <= (longer ? 200u : 12u) && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Caller(kernel, seed).run(80);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RandomCalls, testing::Values("reference", "host", "opencl"));

}  // namespace
}  // namespace stencil::api
