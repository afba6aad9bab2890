// Rules that wrap around with a sign: what lowering makes of them, and when they are refused.
#include "tests/unit/sema/fixture.h"

namespace stencil {
namespace {

using test::analyze_text;
using test::program_of;

std::string value_of(const ir::Program& program) {
  const ir::Piece& piece = program.functions[0].pieces[0];
  return test::expression(program, piece.graph, piece.results[0]);
}

TEST(Antiperiodic, TheImageIsPeriodicAndItsSignIsSelected) {
  const ir::Program program = program_of(
      "grid G = [0..7, 0..5] steps 1;\n"
      "field U : real on G boundary [antiperiodic, periodic];\n"
      "stencil s : U on G = U[-2,1];\n");
  EXPECT_TRUE(program.fields[0].boundary[0].periodic());
  EXPECT_TRUE(program.fields[0].boundary[1].periodic());
  EXPECT_EQ(value_of(program), "select(lt(#0, 2), neg(U[-2,1]), U[-2,1])");
}

TEST(Antiperiodic, SignsOfTwoDimensionsMultiply) {
  const ir::Program program = program_of(
      "grid G = [0..7, 0..5] steps 1;\n"
      "field U : double on G boundary antiperiodic;\n"
      "stencil s : U on G = U[1,-1];\n");
  EXPECT_EQ(value_of(program),
            "select(gt(#0, 6), neg(select(lt(#1, 1), neg(U[1,-1]), U[1,-1])), "
            "select(lt(#1, 1), neg(U[1,-1]), U[1,-1]))");
}

TEST(Antiperiodic, AnIndexWrapsAroundOnce) {
  const auto read = [](const std::string& offset, const std::string& high) {
    return analyze_text("param N : integer;\ngrid G = [0.." + high +
                        "] steps 1;\nfield U : real on G boundary antiperiodic;\n"
                        "stencil s : U on G = U[" +
                        offset + "];\n");
  };
  EXPECT_TRUE(read("3", "2").program);
  EXPECT_TRUE(read("-3", "2").program);
  for (const std::string offset : {"4", "-4"}) {
    const test::Analysis refused = read(offset, "2");
    EXPECT_FALSE(refused.program);
    EXPECT_NE(refused.messages.find("S031"), std::string::npos) << refused.messages;
    EXPECT_NE(refused.messages.find("an index is wrapped around only once"), std::string::npos)
        << refused.messages;
  }
  ProgramOptions options;
  options.open = {"N"};
  const ir::Program open = program_of(
      "param N : integer;\ngrid G = [0..N-1] steps 1;\n"
      "field U : real on G boundary antiperiodic;\nstencil s : U on G = U[-3];\n",
      options);
  const bool checked = std::any_of(open.checks.begin(), open.checks.end(), [](const auto& check) {
    return check.message.find("wrapped around") != std::string::npos;
  });
  EXPECT_TRUE(checked);
}

TEST(Antiperiodic, BothEdgesHaveTheRule) {
  for (const std::string sides :
       {"antiperiodic .. clamp", "none .. antiperiodic", "periodic .. antiperiodic"}) {
    const test::Analysis refused =
        analyze_text("grid G = [0..7] steps 1;\nfield U : real on G boundary [" + sides +
                     "];\nstencil s : U[2..5] = U[-1];\n");
    EXPECT_NE(refused.messages.find("S043"), std::string::npos) << refused.messages;
  }
}

TEST(Antiperiodic, ConditionsHaveNoSign) {
  const test::Analysis refused = analyze_text(
      "grid G = [0..7] steps 1;\nfield U : bool on G boundary antiperiodic;\n"
      "stencil s : U on G = U[-1];\n");
  EXPECT_NE(refused.messages.find("S018"), std::string::npos) << refused.messages;
}

}  // namespace
}  // namespace stencil
