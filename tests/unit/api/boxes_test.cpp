// Reading and setting boxes of a field: on the host, on a device, and across subdomains.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "runtime/api/simulation.h"
#include "tests/unit/api/programs.h"

namespace stencil::api {
namespace {

using Floats = std::vector<float>;

constexpr const char* kCube = R"(
param N : integer = 20;
grid G = [0..N-1, -3..N+1, 5..N+30] steps 6;
subgrid H of G = [2..N-3, -1..N-1, 8..N+20];
field h : real on H;
field U : vector 2 of real on G history 2;
field b : half on G;
field m : bool on G constant;
field p : real on G along 1 constant;
stencil s : U on G = { U[0,0,0][1] + 0.5 * U@-1[0,0,0][0] + p[0], U[0,0,0][0] };
stencil t : b on G = U[0,0,0][0] * 0.125;
stencil v : h on H = h[0,0,0] * 0.5 + U[0,0,0][1];
init h[k,j,i] = k + 20 * j + 0.125 * i;
init U[k,j,i] = { k + 10 * j, 0.01 * i * k };
init m[k,j,i] = (i + j + k) % 3 == 0;
init p[j] = 0.5 * j;
)";

struct Way {
  const char* device;
  const char* schedule;
  const char* parts;
};
void PrintTo(const Way& way, std::ostream* out) {
  *out << way.device << " " << way.schedule << " " << way.parts;
}

class Boxes : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    const auto device = choose_device(GetParam().device);
    if (!device.ok()) GTEST_SKIP() << device.failure().message;
  }
  Simulation started() const {
    return program_
        .compile({.device = GetParam().device,
                  .schedule = GetParam().schedule,
                  .parts = GetParam().parts})
        .or_throw()
        .start()
        .or_throw();
  }
  const Program program_ = program_of(kCube);
};
INSTANTIATE_TEST_SUITE_P(All, Boxes,
                         testing::Values(Way{"reference", "auto", ""}, Way{"host", "direct", ""},
                                         Way{"host", "direct rows=padded", ""},
                                         Way{"opencl", "direct rows=padded", ""},
                                         Way{"host", "direct", "2x2x1"},
                                         Way{"host", "direct rows=padded", "1x3x2"}));

// The values of a box of `whole`, which has `components` values per point.
template <class T>
std::vector<T> cut(const std::vector<T>& whole, const FieldInfo& info, const FieldBox& box,
                   int64_t components) {
  std::vector<T> out;
  for (int64_t z = 0; z < box.shape[0]; ++z) {
    for (int64_t y = 0; y < box.shape[1]; ++y) {
      for (int64_t x = 0; x < box.shape[2] * components; ++x) {
        const int64_t row = (z + box.origin[0] - info.origin[0]) * info.shape[1] + y +
                            box.origin[1] - info.origin[1];
        const int64_t at = (row * info.shape[2] + box.origin[2] - info.origin[2]) * components + x;
        out.push_back(whole[at]);
      }
    }
  }
  return out;
}

const std::vector<FieldBox> kBoxes = {
    {{0, -3, 5}, {20, 25, 46}},  // the whole field
    {{0, -3, 5}, {1, 1, 1}},    {{19, 21, 50}, {1, 1, 1}}, {{7, 4, 20}, {6, 9, 13}},
    {{3, -3, 27}, {1, 25, 2}},  {{0, 10, 5}, {20, 1, 46}},
};

TEST_P(Boxes, ReadTheValuesOfTheField) {
  Simulation simulation = started();
  Simulation expected = program_.compile({.device = "reference"}).or_throw().start().or_throw();
  for (const int64_t steps : {0, 3}) {
    simulation.advance(steps).or_throw();
    expected.advance(steps).or_throw();
    for (const FieldBox& box : kBoxes) {
      const std::string where =
          fmt::format("step {}, box at {}", expected.step(), fmt::join(box.origin, " "));
      for (const auto& [field, components] :
           {std::pair{"U", 2}, std::pair{"U[1]", 1}, std::pair{"U@-1", 2}, std::pair{"b", 1}}) {
        const auto info = program_.field(field).or_throw();
        EXPECT_EQ(simulation.get<float>(field, box).or_throw(),
                  cut(expected.get<float>(field).or_throw(), info, box, components))
            << field << ", " << where;
      }
      EXPECT_EQ(simulation.get<uint8_t>("m", box).or_throw(),
                cut(expected.get<uint8_t>("m").or_throw(), program_.field("m").or_throw(), box, 1))
          << where;
    }
    for (const FieldBox& box :
         std::vector<FieldBox>{{{2, -1, 8}, {16, 21, 33}}, {{5, 3, 11}, {4, 7, 9}}}) {
      EXPECT_EQ(simulation.get<float>("h", box).or_throw(),
                cut(expected.get<float>("h").or_throw(), program_.field("h").or_throw(), box, 1))
          << "step " << expected.step();
    }
    EXPECT_EQ(simulation.get<float>("p", {{2}, {3}}).or_throw(), (Floats{1, 1.5, 2}));
  }
  const SimulationData& data = SimulationData::of(simulation);
  EXPECT_EQ(data.present[1], std::string(GetParam().device) == "reference" ? 2 : 0)
      << "only fields on the host need whole levels";
  EXPECT_EQ(data.is_stored(1), std::string(GetParam().parts).empty());
}

TEST_P(Boxes, SetOnlyTheirOwnPoints) {
  Simulation simulation = started();
  Simulation expected = program_.compile({.device = "reference"}).or_throw().start().or_throw();
  const FieldBox box = {{7, 4, 20}, {6, 9, 13}};
  Floats values(6 * 9 * 13);
  std::iota(values.begin(), values.end(), 1.0f);
  const auto info = program_.field("U").or_throw();
  for (const int64_t steps : {0, 2}) {
    simulation.advance(steps).or_throw();
    expected.advance(steps).or_throw();
    simulation.set("U[0]@-1", box, View(values, {6, 9, 13})).or_throw();
    Floats whole = expected.get<float>("U[0]@-1").or_throw();
    size_t next = 0;
    for (int64_t z = 7; z < 13; ++z) {
      for (int64_t y = 4; y < 13; ++y) {
        for (int64_t x = 20; x < 33; ++x) {
          const int64_t at = (z * info.shape[1] + y + 3) * info.shape[2] + x - 5;
          whole[at] = values[next++];
        }
      }
    }
    expected.set("U[0]@-1", View(whole, info.shape)).or_throw();
    EXPECT_EQ(simulation.get<float>("U[0]@-1", box).or_throw(), values);
  }
  simulation.run().or_throw();
  expected.run().or_throw();
  EXPECT_EQ(simulation.get<float>("U").or_throw(), expected.get<float>("U").or_throw());
}

TEST(FieldBoxes, AreRefusedOutsideTheField) {
  State state = program_of(kCube).initial_state().or_throw();
  const std::string field = "; the field is at (0, -3, 5) and has 20 x 25 x 46 points";
  EXPECT_EQ(message(state.get<float>("U[0]", {{0, -3, 4}, {1, 1, 1}})),
            "R082: the box at (0, -3, 4) of 1 x 1 x 1 points is not in 'U[0]'" + field);
  for (const FieldBox& box : std::vector<FieldBox>{{{0, -3, 5}, {21, 1, 1}},
                                                   {{0, 22, 5}, {1, 1, 1}},
                                                   {{0, -3, 5}, {1, 0, 1}},
                                                   {{0, -3, 5}, {1, 1, INT64_MAX}},
                                                   {{0, -3}, {1, 1}},
                                                   {{0, -3, 5}, {1, 1}},
                                                   {{}, {}}}) {
    EXPECT_EQ(code_of(state.get<float>("U[0]", box)), "R082");
    Floats one(1);
    EXPECT_EQ(code_of(state.set("U[0]", box, View(one, {1, 1, 1}))), "R082");
  }
  Floats two(2);
  const FieldBox box = {{0, 0, 7}, {1, 2, 1}};
  EXPECT_EQ(message(state.get("U", box, View(two, {1, 2, 1}))),
            "R071: the array for 'U' has the shape 1 x 2 x 1, but the box has 1 x 2 x 1 x 2");
  EXPECT_EQ(code_of(state.get<double>("U[0]", box)), "R072");
  EXPECT_EQ(code_of(state.get<float>("V", box)), "R070");
  EXPECT_EQ(code_of(state.get<float>("U@-2", box)), "R070");
}

}  // namespace
}  // namespace stencil::api
