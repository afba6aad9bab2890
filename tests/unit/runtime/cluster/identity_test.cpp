#include "runtime/cluster/identity.h"

#include <gtest/gtest.h>

#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

constexpr const char* kText = R"(
param N : integer = 40;
param k : real = 0.2;
grid G = [0..N-1, 0..9] steps 5;
field A : real on G;
stencil s : A on G = k * A[0,0];
)";

std::string identity(const char* text, const ProgramOptions& options = {}) {
  return identity_of(program_of(text, options));
}

std::string difference(const std::string& other) {
  const Status compared = compare_identities({identity(kText), other, identity(kText)});
  if (compared.ok()) return "";
  EXPECT_EQ(compared.failure().code, "R097");
  return compared.failure().message;
}

TEST(Identity, NamesTheDifference) {
  const std::string begin = "rank 1 does not compute what rank 0 computes: it has ";
  EXPECT_EQ(difference(identity(kText)), "");
  ProgramOptions options;
  options.real = Scalar::F64;
  EXPECT_EQ(difference(identity(kText, options)), begin + "--real double (rank 0: float)");
  options = {};
  options.fp = FpMode::Fast;
  EXPECT_EQ(difference(identity(kText, options)), begin + "--fp fast (rank 0: contract)");
  options = {};
  options.definitions = {{"N", "41"}};
  EXPECT_EQ(difference(identity(kText, options)),
            begin + "param N 41 (rank 0: 40), a grid of 41x10 (rank 0: 40x10)");
  std::string text = kText;
  text.replace(text.find("k * A"), 1, "2");
  EXPECT_EQ(difference(identity(text.c_str())), begin + "another program");
  text = kText;
  text.replace(text.find("0..9"), 4, "0..8");
  EXPECT_EQ(difference(identity(text.c_str())), begin + "a grid of 40x9 (rank 0: 40x10)");
}

// Rank 0 decides the number of steps and the real params.
TEST(Identity, IgnoresStepsAndRealParams) {
  ProgramOptions options;
  options.definitions = {{"k", "0.3"}};
  options.steps = 7;
  EXPECT_EQ(difference(identity(kText, options)), "");
}

TEST(Identity, CountsTheOtherRanks) {
  ProgramOptions options;
  options.fp = FpMode::Fast;
  const std::string other = identity(kText, options), own = identity(kText);
  EXPECT_EQ(compare_identities({own, own, other, own, other}).failure().message,
            "rank 2 does not compute what rank 0 computes: it has --fp fast (rank 0: contract); 1 "
            "more rank differs");
}

}  // namespace
}  // namespace stencil::runtime
