// Stencil functions with several targets. Every family computes common subexpressions once per
// point and writes each target by its own rule.
#include <map>

#include "compiler/kernel/count.h"
#include "compiler/schedule/common/sweep.h"
#include "compiler/schedule/schedule.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

const std::string kHead = R"(
grid G = [0..99, 0..99] steps 8;
subgrid I of G = [1..98, 1..98];
field u : real on G;
field A, B, C : real on G;
)";
const std::string kTogether = kHead + R"(
stencil s : A, B, C {
  let q = (u[0,0] + u[0,1]) / (2 + u[1,0] * u[1,0]);
  I = { A = A[0,0] + q, B = B[0,0] - q, C = C[0,0] * q };
}
)";
const std::string kApart = kHead + R"(
function q() = (u[0,0] + u[0,1]) / (2 + u[1,0] * u[1,0]);
stencil a : A on I = A[0,0] + q();
stencil b : B on I = B[0,0] - q();
stencil c : C on I = C[0,0] * q();
)";

// The number of divisions in all kernels.
double divisions(const std::string& text, const std::string& line) {
  const ir::Program program = test::load(text);
  Diagnostics diagnostics;
  const auto schedule = parse(line, program, diagnostics);
  const auto module = schedule ? lower(program, *schedule, diagnostics) : std::nullopt;
  if (!module) {
    ADD_FAILURE() << line;
    return 0;
  }
  double out = 0;
  for (const kernel::Kernel& kernel : module->kernels) {
    const kernel::Count count = kernel::count(kernel, module->constants);
    out += count.total([](const auto&) { return 1.0; }, [](const auto&) { return 1.0; })
               .threads.single.divide /
           static_cast<double>(kernel.threads.product());
  }
  return out;
}

TEST(SeveralTargets, CommonSubexpressionsAreComputedOnce) {
  for (const std::string line :
       {"direct block=32x4 elements=1x1", "overlapped T=1 block=32x8 elements=1x1",
        "streaming T=1 block=32x1 elements=1x1 unroll=1", "planes T=1 block=32"}) {
    const double together = divisions(kTogether, line), apart = divisions(kApart, line);
    EXPECT_GT(together, 0) << line;
    EXPECT_DOUBLE_EQ(apart, 3 * together) << line;
  }
}

TEST(SeveralTargets, EachIsSweptInPlaceIfPossible) {
  const ir::Program program = test::load(
      "grid G = [0..9] steps 1; field A, B : real on G; field H : real on G history 2;"
      "stencil s : A, B, H on [1..8] = { A = B[1], B = A[0], H = H@-1[0] };"
      "stencil t : H on [1..8] = H[0] + A[1];");
  const std::vector<Sweep> sweeps = plan_sweeps(program);
  ASSERT_EQ(sweeps.size(), 2u);
  ASSERT_EQ(sweeps[0].targets.size(), 3u);
  EXPECT_TRUE(sweeps[0].targets[0].in_place);
  EXPECT_FALSE(sweeps[0].targets[1].in_place) << "read at another point";
  EXPECT_FALSE(sweeps[0].targets[1].carries) << "no other function writes it";
  EXPECT_FALSE(sweeps[0].targets[2].in_place) << "its levels shift";
  EXPECT_TRUE(sweeps[0].targets[2].carries);
  EXPECT_FALSE(sweeps[0].in_place());
  EXPECT_EQ(sweeps[0].domain, program.grid()) << "one target must be copied outside the region";
  EXPECT_TRUE(sweeps[1].in_place());
  EXPECT_FALSE(sweeps[1].targets[0].advances);
}

// The number of stores by array name.
std::map<std::string, int> stores(const std::string& text) {
  const ir::Program program = test::load(text);
  Diagnostics diagnostics;
  const auto module = lower(program, *parse("direct", program, diagnostics), diagnostics);
  std::map<std::string, int> out;
  for (const kernel::Kernel& kernel : module->kernels) {
    for (const kernel::Buffer& buffer : kernel.buffers)
      out[buffer.name] += buffer.read_only ? 0 : 1;
  }
  return out;
}

TEST(SeveralTargets, WritingAMemberStoresNoOther) {
  const auto found = stores(
      "grid G = [0..9] steps 1; type cell = { rho : real, v : vector 2 of real };"
      "field S : cell on G; stencil s : S.v on G = S[0].rho * S[0].v;");
  EXPECT_EQ(found.at("S_rho"), 0);
  EXPECT_EQ(found.at("S_v_0"), 1);
  EXPECT_EQ(found.at("S_v_1"), 1);
}

}  // namespace
}  // namespace stencil::schedule
