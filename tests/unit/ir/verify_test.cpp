// Each kind of invalid program is reported.
#include "compiler/ir/passes.h"
#include "tests/unit/load.h"

namespace stencil::ir {
namespace {

using Problems = std::vector<std::string>;

Program two_dimensions(const std::string& boundary) {
  return test::load("grid G = [0..9, 0..9] steps 1; field A : real on G boundary " + boundary +
                    "; stencil s : A[1..9, 1..8] = A[1,0] + A[0,-1];");
}

TEST(Verify, BoundaryRules) {
  const Program sound = two_dimensions("[none .. clamp, periodic]");
  Program program = sound;
  program.fields[0].boundary.pop_back();
  EXPECT_EQ(verify(program), Problems{"A: number of boundary rules"});
  program = sound;
  program.fields[0].boundary[1].high.kind = BoundaryKind::Clamp;
  EXPECT_EQ(verify(program), Problems{"A: periodic .. clamp"});
  program.fields[0].boundary[1].high.kind = BoundaryKind::Antiperiodic;
  EXPECT_EQ(verify(program, Form::Mathematics), Problems{"A: periodic .. antiperiodic"});
  program = sound;
  program.fields[0].boundary[0].low.kind = BoundaryKind::Constant;
  EXPECT_EQ(verify(program), Problems{"A: boundary values do not match"});
  program = sound;
  program.fields[0].boundary[0].high.values = {1};
  EXPECT_EQ(verify(program), Problems{"A: boundary values do not match"});
}

TEST(Verify, Targets) {
  const Program sound = test::load(
      "grid G = [0..9] steps 1; subgrid I of G = [1..8]; field A, B : real on G;"
      "field C : real on I; field D : double on G; stencil s : A, B on I = { A = B[0], B = A[0] "
      "};");
  EXPECT_EQ(verify(sound), Problems{});
  Program program = sound;
  program.functions[0].targets = {};
  EXPECT_EQ(verify(program), Problems{"s: no such target"});
  program.functions[0].targets = {0, 4};
  EXPECT_EQ(verify(program), Problems{"s: no such target"});
  program.functions[0].targets = {0, 0};
  EXPECT_EQ(verify(program), Problems{"s: a target stands twice"});
  program.functions[0].targets = {0, 2};
  EXPECT_EQ(verify(program), Problems{"s: targets on several boxes"});
  program.functions[0].targets = {0, 3};
  EXPECT_EQ(verify(program), Problems{"s: type of a result"});
  program.functions[0].targets = {0};
  EXPECT_EQ(verify(program), Problems{"s: number of results"});
}

TEST(Verify, EscapesWithoutABoundaryRule) {
  Program program = two_dimensions("[none .. clamp, periodic]");
  program.fields[0].boundary[0] = {{BoundaryKind::Clamp, {}}, {}};
  EXPECT_EQ(verify(program), Problems{"s: A: leaves the grid without a boundary"});
}

TEST(Verify, Domains) {
  const Program sound = two_dimensions("clamp");
  Program program = sound;
  program.domains.push_back(program.domains[0]);
  EXPECT_EQ(verify(program), Problems{"G: not derived from an earlier domain"});
  program.domains[1].coarsened = Coarsening{0, {2, 2}};
  EXPECT_EQ(verify(program), Problems{});
  program.domains[1].coarsened->ratios = {2};
  EXPECT_EQ(verify(program), Problems{"G: ratios"});
  program.domains[1].coarsened = Coarsening{1, {2, 2}};
  EXPECT_EQ(verify(program), Problems{"G: not derived from an earlier domain"});
  program.domains[1].coarsened = Coarsening{0, {2, 2}};
  program.domains[1].box.ranges.pop_back();
  EXPECT_EQ(verify(program), Problems{"G: rank differs from that of the first domain"});
  program = sound;
  program.fields[0].domain = 1;
  EXPECT_EQ(verify(program), Problems{"A: no such domain"});
  program = sound;
  program.functions[0].domain = 1;
  EXPECT_EQ(verify(program), Problems{"s: no such domain"});
}

// An access within a domain adds an offset to the index and does not scale it. Between domains the
// scale is that of their ratio.
TEST(Verify, MapsOfAccesses) {
  Program program = two_dimensions("clamp");
  Graph scaled;
  for (ir::Node node : program.functions[0].pieces[0].graph.nodes()) {
    if (auto* access = std::get_if<Access>(&node.kind)) access->maps[1].scale = 2;
    scaled.add(std::move(node));
  }
  program.functions[0].pieces[0].graph = std::move(scaled);
  const std::string problem = "s: A: scale of an index";
  EXPECT_EQ(verify(program), (Problems{problem, problem}));
  EXPECT_NE(print(program).find("A[1,(2*i+0)/1]"), std::string::npos) << print(program);
  const Program several = test::load(
      "grid G = [0..9]; grid C of G by 3; field A : real on G; field B : real on C;"
      "stencil s : B on C = A[0]; stencil t : A on G = B[0];");
  EXPECT_EQ(verify(several), Problems{});
  program = several;
  program.functions[0].domain = 0;
  EXPECT_EQ(verify(program).front(), "s: targets on several boxes");
  program = several;
  program.domains[1].coarsened->ratios = {2};
  EXPECT_EQ(verify(program), (Problems{"s: A: scale of an index", "t: B: scale of an index"}));
}

TEST(Verify, Steps) {
  const Program sound = test::load(
      "grid G = [0..9] steps 1; field A, B : real on G; field H : real on G history 2;"
      "reduce m = max(A[0]) on G; stencil s : A on G = m; stencil t : B on G = A[0];"
      "stencil h : H on G = B[0];");
  EXPECT_EQ(verify(sound), Problems{});
  const Sequence body = sound.run.body;
  ASSERT_EQ(body.size(), 4u);
  const auto problems = [&](Sequence changed) {
    Program program = sound;
    program.run.body = std::move(changed);
    return verify(program);
  };
  EXPECT_EQ(problems({body[0], Repeat{3, {body[1], Repeat{2, {body[2]}}}}, body[3]}), Problems{});
  EXPECT_EQ(problems({body[0], body[2], body[1], body[3]}),
            (Problems{"step: order of the functions"}));
  EXPECT_EQ(problems({body[0], body[1], body[2], body[3], body[1]}), Problems{});
  EXPECT_EQ(problems({body[0], body[1], body[2], body[3], body[3]}),
            Problems{"h: writes a field with history several times in a step"});
  EXPECT_EQ(problems({body[0], body[1], body[2]}), Problems{"h: not applied by the step"});
  EXPECT_EQ(problems({body[1], body[2], body[3]}), Problems{"m: place in the step"});
  EXPECT_EQ(problems({Repeat{2, {body[0], body[1]}}, body[2], body[3]}).front(), "step: reduction");
  EXPECT_EQ(problems({body[0], Repeat{1, {body[1]}}, body[2], body[3]}),
            Problems{"repeat: iterations"});
  EXPECT_EQ(problems({body[0], body[1], body[2], Repeat{2, {body[3]}}}),
            Problems{"h: writes a field with history several times in a step"});
  EXPECT_EQ(problems({body[0], body[1], While{{}, {body[2]}}, body[3]}).front(),
            "step: a loop until a condition holds");
}

TEST(Program, RulesMetAreThoseOfTheSidesAnAccessMayCross) {
  const Program program = two_dimensions("[mirror .. clamp, constant 1 .. mirror]");
  const Field& field = program.fields[0];
  const auto met = [&](uint32_t escapes, size_t d) {
    std::vector<BoundaryKind> out;
    for (const BoundaryKind kind : {BoundaryKind::Constant, BoundaryKind::Clamp,
                                    BoundaryKind::Mirror, BoundaryKind::Periodic}) {
      if (meets(field, Access{0, 0, 0, {1, -1}, escapes}, d, kind)) out.push_back(kind);
    }
    return out;
  };
  using Kinds = std::vector<BoundaryKind>;
  EXPECT_EQ(met(0b0110, 0), Kinds{BoundaryKind::Clamp});
  EXPECT_EQ(met(0b0110, 1), Kinds{BoundaryKind::Constant});
  EXPECT_EQ(met(0b1001, 0), Kinds{BoundaryKind::Mirror});
  EXPECT_EQ(met(0b1001, 1), Kinds{BoundaryKind::Mirror});
  EXPECT_EQ(met(0b0011, 0), (Kinds{BoundaryKind::Clamp, BoundaryKind::Mirror}));
  EXPECT_EQ(met(0b0011, 1), Kinds{}) << "it stays inside";
}

TEST(Print, BoundaryRules) {
  const auto printed = [](const std::string& type, const std::string& boundary) {
    const std::string text =
        print(test::load("grid G = [0..9, 0..9] steps 1; field A : " + type + " on G boundary " +
                         boundary + "; stencil s : A on G = A[0,0];"));
    const size_t at = text.find("boundary ");
    if (at == std::string::npos) return std::string();
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(printed("real", "clamp"), "boundary clamp");
  EXPECT_EQ(printed("real", "[clamp, clamp .. clamp]"), "boundary clamp");
  EXPECT_EQ(printed("real", "[none .. none, none]"), "");
  EXPECT_EQ(printed("vector 2 of real", "[constant {1, 2} .. none, periodic]"),
            "boundary [constant 1, 2 .. none; periodic]");
}

}  // namespace
}  // namespace stencil::ir
