// Fields that become NaN or infinite during a run: counted on every device that needs only a
// compiler, and across subdomains.
#include <stdlib.h>

#include <cmath>
#include <limits>

#include "tests/unit/api/programs.h"

namespace stencil::api {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Where {
  const char* device;
  const char* parts;
  const char* opencl_cpu = nullptr;  // STENCIL_OPENCL_CPU: run work-items as a GPU does
};

class FieldsOn : public testing::TestWithParam<Where> {
 protected:
  void SetUp() override {
    const auto device = choose_device(GetParam().device);
    if (!device.ok()) GTEST_SKIP() << device.failure().message;
    if (GetParam().opencl_cpu) ::setenv("STENCIL_OPENCL_CPU", GetParam().opencl_cpu, 1);
  }
  void TearDown() override { ::unsetenv("STENCIL_OPENCL_CPU"); }
  static Simulation start(const char* text) {
    const Program program = program_of(text);
    const auto kernel = program.compile({.device = GetParam().device, .parts = GetParam().parts});
    return kernel.or_throw().start().or_throw();
  }
};
INSTANTIATE_TEST_SUITE_P(All, FieldsOn,
                         testing::Values(Where{"reference", ""}, Where{"host", ""},
                                         Where{"opencl", ""}, Where{"opencl", "", "work-items"},
                                         Where{"host", "2x2"}, Where{"opencl", "2", "work-items"}));

// The second field overflows in one half of the grid.
constexpr const char* kGrowing = R"(
grid G = [0..49, 0..36] steps 200;
field c : real on G constant;
field A, B : real on G;
stencil a : A on G = 0.5 * A[0,0];
stencil b : B[0..49, 20..36] = B[0,0] * (2 + c[0,0]);
init A[i,j] = 1;
init B[i,j] = 1;
init c[i,j] = select(i == 7, 1, 0);
)";

TEST_P(FieldsOn, ThatOverflowAreReportedAtTheEnd) {
  Simulation simulation = start(kGrowing);
  const Report report = simulation.run().or_throw();
  EXPECT_EQ(report.steps, 200);
  EXPECT_FALSE(report.nan);
  ASSERT_EQ(report.became_non_finite.size(), 1u);
  const NonFinite& found = report.became_non_finite[0];
  EXPECT_EQ(found.field, "B");
  EXPECT_EQ(found.values, 50 * 37);
  EXPECT_EQ(found.nans, 0);
  EXPECT_EQ(found.infinities, 50 * 17);
  EXPECT_EQ(found.first, (std::vector<int64_t>{0, 20}));
  EXPECT_EQ(found.step, 200);
  EXPECT_TRUE(simulation.run().or_throw().became_non_finite.empty()) << "no steps were left";
}

TEST_P(FieldsOn, AreNotCheckedOnRequest) {
  EXPECT_TRUE(start(kGrowing).run({}, OnNan::Ignore).or_throw().became_non_finite.empty());
  EXPECT_EQ(start(kGrowing).run({}, OnNan::Continue).or_throw().became_non_finite.size(), 1u);
  EXPECT_EQ(start(kGrowing).run(RunFiles{}).or_throw().became_non_finite.size(), 1u);
}

// NaN in the inputs (a coefficient or an older level) is treated as an intended mask.
TEST_P(FieldsOn, ThatStartNonFiniteAreNotReported) {
  for (const char* field : {"c", "A"}) {
    Simulation simulation = start(kGrowing);
    std::vector<float> values = simulation.get<float>(field).or_throw();
    values[3 * 37 + 30] = kNan;
    simulation.set(field, View<float>(values, {50, 37})).or_throw();
    const Report report = simulation.run().or_throw();
    EXPECT_TRUE(report.became_non_finite.empty()) << field;
    EXPECT_FALSE(simulation.non_finite().or_throw().empty()) << field;
  }
  Simulation older = start(R"(
grid G = [0..29, 0..9] steps 2;
field U : real on G history 2;
stencil s : U on G = U@-1[0,0];
)");
  std::vector<float> values(300, 0.0f);
  values[123] = kNan;
  older.set("U@-1", View<float>(values, {30, 10})).or_throw();
  EXPECT_TRUE(older.run().or_throw().became_non_finite.empty());
}

// All floating-point types, components, padded rows, and points at every subdomain edge.
constexpr const char* kCopied = R"(
grid G = [0..12, 0..10, 0..32] steps 1;
subgrid I of G = [2..11, 1..9, 3..30];
field S : { a : real, b : double } on G;
field h : half on I;
field d : double on G;
field n : integer on G;
stencil s : S on G = S[0,0,0];
stencil t : h on I = h[0,0,0];
stencil u : d on G = d[0,0,0];
stencil v : n on G = n[0,0,0];
)";

TEST_P(FieldsOn, AreCountedInAllTypes) {
  Simulation simulation = start(kCopied);
  constexpr int64_t kPoints = 13 * 11 * 33;
  std::vector<float> a(kPoints, 1.0f);
  std::vector<double> b(kPoints, -1.0), d(kPoints, 0.0);
  std::vector<float> h(10 * 9 * 28, 2.0f);
  a[kPoints - 1] = kNan;              // the last point
  a[(6 * 11 + 5) * 33 + 16] = -kNan;  // beside the cut
  a[(7 * 11 + 5) * 33 + 17] = -HUGE_VALF;
  for (int64_t x = 0; x < 33; ++x) b[x] = HUGE_VAL;  // the first row
  h[28 * 9 + 1] = HUGE_VALF;
  h[28 * 9 + 2] = kNan;
  simulation.set("S.a", View<float>(a, {13, 11, 33})).or_throw();
  simulation.set("S.b", View<double>(b, {13, 11, 33})).or_throw();
  simulation.set("h", View<float>(h, {10, 9, 28})).or_throw();
  simulation.set("d", View<double>(d, {13, 11, 33})).or_throw();
  simulation.advance(1).or_throw();
  const auto found = simulation.non_finite().or_throw();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].field, "S.a");
  EXPECT_EQ(found[0].nans, 2);
  EXPECT_EQ(found[0].infinities, 1);
  EXPECT_EQ(found[0].first, (std::vector<int64_t>{6, 5, 16}));
  EXPECT_EQ(found[1].field, "S.b");
  EXPECT_EQ(found[1].infinities, 33);
  EXPECT_EQ(found[1].first, (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(found[2].field, "h");
  EXPECT_EQ(found[2].nans, 1);
  EXPECT_EQ(found[2].infinities, 1);
  EXPECT_EQ(found[2].first, (std::vector<int64_t>{3, 1, 4}));
}

}  // namespace
}  // namespace stencil::api
