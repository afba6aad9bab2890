// The blocks `step`, `start` and `cycle`: their expansion into the tree of a step.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

// The tree of a step: functions and reductions by name, repeats as "n( ... )".
std::string text(const ir::Program& program, const ir::Sequence& sequence) {
  std::vector<std::string> out;
  for (const ir::Step& step : sequence) {
    if (const auto* apply = std::get_if<ir::Apply>(&step.kind)) {
      out.push_back(program.functions.at(apply->function).name);
    } else if (const auto* repeat = std::get_if<ir::Repeat>(&step.kind)) {
      out.push_back(fmt::format("{}( {} )", repeat->iterations, text(program, repeat->body)));
    } else if (const auto* reduce = std::get_if<ir::Reduce>(&step.kind)) {
      out.push_back(fmt::format("<{}>", program.reductions.at(reduce->reduction).name));
    }
  }
  return fmt::format("{}", fmt::join(out, " "));
}
std::string step_of(const ir::Program& program) {
  return text(program, program.run.body);
}
std::string start_of(const ir::Program& program) {
  return text(program, program.start);
}

std::vector<std::string> functions_of(const ir::Program& program) {
  std::vector<std::string> names;
  for (const ir::Function& function : program.functions) names.push_back(function.name);
  return names;
}
std::vector<std::string> fields_of(const ir::Program& program) {
  std::vector<std::string> names;
  for (const ir::Field& field : program.fields) names.push_back(field.name);
  return names;
}

using Names = std::vector<std::string>;

// --- On one grid ---

const std::string kOneGrid =
    "param K : integer = 3; grid G = [0..9] steps 4; field A, B : real on G;"
    "stencil a : A on G = A[0] + 1; stencil b : B on G = A[0] + B[0];";

TEST(Blocks, ApplyFunctionsInTheOrderOfTheBlock) {
  const ir::Program program = program_of(kOneGrid + "step { b; a; b; }");
  EXPECT_EQ(step_of(program), "b a b");
  EXPECT_EQ(functions_of(program), (Names{"b", "a"}));  // by their first applications
  EXPECT_TRUE(ir::cuts_steps(program));
  EXPECT_FALSE(ir::applies_in_order(program));
  EXPECT_EQ(step_of(program_of(kOneGrid + "cycle both { a; b; } step { both; both; }")), "a b a b");
}

TEST(Blocks, InTheOrderOfTheTextAreTheProgramWithoutThem) {
  const ir::Program program = program_of(kOneGrid + "step { a; b; }");
  EXPECT_FALSE(ir::cuts_steps(program));
  EXPECT_EQ(ir::print(program), ir::print(program_of(kOneGrid)));
}

TEST(Blocks, WriteRepeatsOfAtMostFourApplicationsAsASequence) {
  const auto step = [&](const std::string& block) {
    return step_of(program_of(kOneGrid + "step { a; b; " + block + " }"));
  };
  EXPECT_EQ(step("repeat 0 { a; }"), "a b");
  EXPECT_EQ(step("repeat 1 { a; }"), "a b a");
  EXPECT_EQ(step("repeat 4 { a; }"), "a b a a a a");
  EXPECT_EQ(step("repeat 5 { a; }"), "a b 5( a )");
  EXPECT_EQ(step("repeat 2 { a; b; }"), "a b a b a b");
  EXPECT_EQ(step("repeat K { a; b; }"), "a b 3( a b )");
  EXPECT_EQ(step("repeat 2 { repeat 2 { a; } }"), "a b a a a a");
  EXPECT_EQ(step("repeat 2 { repeat 5 { a; } b; }"), "a b 2( 5( a ) b )");
  EXPECT_EQ(step("repeat 1 { repeat 5 { a; } }"), "a b 5( a )");
  EXPECT_EQ(step("repeat 3 { repeat 0 { a; } }"), "a b");
  EXPECT_EQ(step("repeat 0 { repeat 3 { a; } }"), "a b");
}

TEST(Blocks, ChooseByConditionsOfParams) {
  const auto step = [&](const std::string& block) {
    return step_of(program_of(kOneGrid + "step { a; b; " + block + " }"));
  };
  EXPECT_EQ(step("if K == 3 { a; } else { b; }"), "a b a");
  EXPECT_EQ(step("if K < 3 { a; } else { b; }"), "a b b");
  EXPECT_EQ(step("if K < 3 { a; } else if K == 3 and true { b; b; } else { a; }"), "a b b b");
  EXPECT_EQ(step("if not (K >= 3) { a; }"), "a b");
}

// Warnings about declarations that nothing uses.
TEST(Blocks, UseTheNamesInBranchesThatAreNotTaken) {
  const std::string grid = "grid G = [0..16] levels 2 by 2 steps 4; field A, B, C, D : real on G;";
  const std::string functions =
      "stencil a : A on G = A[0] + 1; stencil b : B on G = C[0]; stencil unused : D on G = 0;";
  const auto warnings = [&](const std::string& block) {
    return analyze_text(grid + functions + "step { a; " + block + " }").messages;
  };
  const std::string none = warnings("");
  for (const char* name : {"'b'", "'B'", "'C'", "'unused'", "'D'"}) {
    EXPECT_NE(none.find(name), std::string::npos) << name << "\n" << none;
  }
  for (const char* block : {"if false { b; }", "if false { coarser { b; } }",
                            "if false { repeat 2 { coarser { b; } } }"}) {
    const std::string found = warnings(block);
    for (const char* name : {"'b'", "'B'", "'C'"}) {
      EXPECT_EQ(found.find(name), std::string::npos) << block << "\n" << found;
    }
    EXPECT_NE(found.find("'unused'"), std::string::npos) << found;
    EXPECT_NE(found.find("'D'"), std::string::npos) << found;
  }
}

// --- Levels ---

std::string levelled(const std::string& blocks, int levels = 3) {
  return fmt::format(
             "param L : integer = {}; param w : real = 0.5; grid G = [0..16] levels L by 2 steps 4;"
             "field u, f, r : real on G boundary constant 0;"
             "stencil smooth : u on G = u[0] + w * (f[0] - u[-1]);"
             "stencil residual : r on G = f[0] - u[1];"
             "stencil restrict : f on G = fine r[0] + fine r[1];"
             "stencil zero : u on G = 0;"
             "stencil correct : u on G = u[0] + coarse u[0] + coarse u[1];",
             levels) +
         blocks;
}

TEST(Cycles, DescendAndAscendOnce) {
  const ir::Program program = program_of(levelled(
      "cycle v { smooth; if level < L - 1 { residual; coarser { restrict; zero; v; } correct; }"
      " smooth; } step { v; }"));
  EXPECT_EQ(step_of(program),
            "smooth residual "
            "restrict_1 zero_1 smooth_1 residual_1 "
            "restrict_2 zero_2 smooth_2 smooth_2 "
            "correct_1 smooth_1 "
            "correct smooth");
  EXPECT_EQ(functions_of(program),
            (Names{"smooth", "residual", "restrict_1", "zero_1", "smooth_1", "residual_1",
                   "restrict_2", "zero_2", "smooth_2", "correct_1", "correct"}));
  for (const ir::Function& function : program.functions) {
    const std::string& name = function.name;
    const int level = name.ends_with("_1") ? 1 : name.ends_with("_2") ? 2 : 0;
    EXPECT_EQ(function.domain, level) << name;
    EXPECT_EQ(program.fields[function.targets.at(0)].domain, level) << name;
    EXPECT_EQ(function.pieces.at(0).region, program.domains[function.domain].box) << name;
  }
}

TEST(Cycles, MayApplyThemselvesTwice) {
  const ir::Program program = program_of(levelled(
      "cycle w2 { smooth; if level < L - 1 { residual; coarser { restrict; zero; w2; w2; } correct;"
      " } } step { w2; }"));
  EXPECT_EQ(step_of(program),
            "smooth residual restrict_1 zero_1 "
            "smooth_1 residual_1 restrict_2 zero_2 smooth_2 smooth_2 correct_1 "
            "smooth_1 residual_1 restrict_2 zero_2 smooth_2 smooth_2 correct_1 "
            "correct");
}

TEST(Cycles, MayBeginOnTheCoarsestLevel) {
  const ir::Program program = program_of(levelled(
      "cycle v { smooth; if level < L - 1 { residual; coarser { restrict; zero; v; } correct; } }"
      "cycle full { if level < L - 1 { coarser { restrict; zero; full; } correct; } v; }"
      "start { residual; full; } step { v; }",
      2));
  EXPECT_EQ(start_of(program),
            "residual restrict_1 zero_1 smooth_1 correct "
            "smooth residual restrict_1 zero_1 smooth_1 correct");
  EXPECT_EQ(step_of(program), "smooth residual restrict_1 zero_1 smooth_1 correct");
  EXPECT_EQ(functions_of(program),
            (Names{"residual", "restrict_1", "zero_1", "smooth_1", "correct", "smooth"}));
}

TEST(Cycles, RepeatAndChooseByLevel) {
  const ir::Program program =
      program_of(levelled("cycle v { repeat 3 * level + 1 { smooth; } if level == 1 { zero; } else "
                          "if level > 1 { smooth; }"
                          " if level < L - 1 { coarser { v; } } }"
                          "step { residual; coarser { restrict; } v; correct; }"));
  EXPECT_EQ(step_of(program),
            "residual restrict_1 smooth smooth_1 smooth_1 smooth_1 smooth_1 zero_1 "
            "7( smooth_2 ) smooth_2 correct");
}

TEST(Cycles, ReadTheNextLevels) {
  const ir::Program program =
      program_of(levelled("step { smooth; residual; coarser { restrict; zero; } correct; }"));
  const auto reads = [&](const std::string& name) {
    Names out;
    for (const ir::Function& function : program.functions) {
      if (function.name != name) continue;
      for (const ir::Node& node : function.pieces.at(0).graph.nodes()) {
        const auto* access = std::get_if<ir::Access>(&node.kind);
        if (!access) continue;
        const ir::IndexMap& map = access->maps.at(0);
        out.push_back(fmt::format("{}[({}i+{})/{}]", program.fields[access->field].name, map.scale,
                                  map.offset, map.divisor));
      }
    }
    return out;
  };
  EXPECT_EQ(reads("smooth"), (Names{"u[(1i+0)/1]", "f[(1i+0)/1]", "u[(1i+-1)/1]"}));
  EXPECT_EQ(reads("restrict_1"), (Names{"r[(2i+0)/1]", "r[(2i+1)/1]"}));
  EXPECT_EQ(reads("correct"), (Names{"u[(1i+0)/1]", "u_1[(1i+0)/2]", "u_1[(1i+1)/2]"}));
}

TEST(Levels, AreDomainsAndFieldsOfTheirOwn) {
  const ir::Program program =
      program_of(levelled("step { smooth; coarser { zero; coarser { zero; } }"
                          " residual; coarser { restrict; } correct; }"));
  Names domains;
  for (const ir::Domain& domain : program.domains) {
    domains.push_back(fmt::format("{} {}", domain.name, domain.box.ranges[0].high.constant));
  }
  EXPECT_EQ(domains, (Names{"G 16", "G_1 8", "G_2 4"}));
  EXPECT_EQ(fields_of(program), (Names{"u", "f", "r", "u_1", "u_2", "f_1", "f_2", "r_1", "r_2"}));
  for (const ir::Field& field : program.fields) {
    EXPECT_EQ(field.boundary, program.fields[0].boundary) << field.name;
  }
}

TEST(Levels, GiveFieldsAndFunctionsNamesThatAreFree) {
  const std::string body =
      "stencil s : u on G = 1; stencil s_1 : u_1 on G = u[0] + u_1[0];"
      "step { s; coarser { s; s_1; } s_1; }";
  for (const char* fields : {"field u, u_1 : real on G;", "field u_1, u : real on G;",
                             "field u_1 : real on G; field u : real on G;",
                             "field u : real on G; field u_1 : real on G;"}) {
    const ir::Program program =
        program_of("grid G = [0..16] levels 2 by 2 steps 4;" + std::string(fields) + body);
    Names names = fields_of(program);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (Names{"u", "u_1", "u_1_", "u_1_1"})) << fields;
    EXPECT_EQ(functions_of(program), (Names{"s", "s_1_", "s_1_1", "s_1"})) << fields;
  }
}

// `level` is a constant in expressions, boundary values, sub-grids and indices of tables.
TEST(Levels, AreNumbersInExpressions) {
  const ir::Program program = program_of(
      "grid G = [0..32] levels 3 by 2 steps 4; table weight : real[3] = {0.25, 0.5, 0.75};"
      "subgrid inner of G = [first+level..last-2*level];"
      "field u : real on G boundary constant 10 * weight[level]; field v : real on inner;"
      "function twice() = 2 * level;"
      "stencil s : v on inner = u[-1] + weight[level] + twice();"
      "stencil t : u on G = 1;"
      "step { t; s; coarser { t; s; coarser { t; s; } } }");
  std::vector<Names> found;
  for (const size_t f : {1u, 3u, 5u}) {
    const ir::Function& function = program.functions.at(f);
    const ir::Range& range = function.pieces.at(0).region.ranges[0];
    const ir::Field& target = program.fields[function.targets[0]];
    EXPECT_EQ(target.box.ranges[0], range);
    found.push_back({function.name, fmt::format("{}..{}", range.low.constant, range.high.constant),
                     result(program, static_cast<int>(f))});
  }
  EXPECT_EQ(found[0], (Names{"s", "0..32", "add(add(u[-1], 0.25f), 0f)"}));
  EXPECT_EQ(found[1], (Names{"s_1", "1..14", "add(add(u_1[-1], 0.5f), 2f)"}));
  EXPECT_EQ(found[2], (Names{"s_2", "2..4", "add(add(u_2[-1], 0.75f), 4f)"}));
  std::map<std::string, double> outside;
  for (const ir::Field& field : program.fields) {
    if (field.name[0] == 'u') outside[field.name] = field.boundary[0].low.values.at(0);
  }
  EXPECT_EQ(outside, (std::map<std::string, double>{{"u", 2.5}, {"u_1", 5}, {"u_2", 7.5}}));
}

// The value of a rule is computed for the level of the field, whichever function meets it first.
TEST(Levels, HaveBoundaryValuesOfTheirOwn) {
  const std::string text =
      "param q : real; grid G = [0..31] levels 2 by 2 cells steps 4 spacing 0.25;"
      "field u : real on G boundary gradient q + 100 * spacing(0) + 10 * level;"
      "stencil s : u on G = u[-1]; stencil t : u on G = u[0] + coarse u[0];";
  for (const char* step : {"step { t; coarser { s; } s; }", "step { s; coarser { s; } t; }"}) {
    const ir::Program program = program_of(text + step);
    for (size_t f = 0; f < program.functions.size(); ++f) {
      const std::string& name = program.functions[f].name;
      if (name == "t") continue;
      const std::string value = result(program, static_cast<int>(f));
      const std::string own =
          name == "s" ? "100f, 0.25f)), 0f), 0.25f)" : "100f, mul(0.25f, 2f))), 10f), 0.5f)";
      EXPECT_NE(value.find(own), std::string::npos) << name << " " << value;
    }
  }
}

TEST(Levels, ArePlainWordsInOtherPrograms) {
  EXPECT_EQ(
      result(program_of(
                 "param level : integer = 7; grid G = [0..16] levels 2 by 2 steps 4;"
                 "field u : real on G; stencil s : u on G = level; stencil t : u on G = fine u[0];"
                 "step { s; coarser { s; t; } }"),
             1),
      "7f");
  EXPECT_EQ(
      result(program_of("grid G = [0..16] steps 4; field level : real on G;"
                        "stencil start : level on G = level[0]; stencil cycle : level on G = 1;"
                        "cycle step { start; cycle; } step { step; }")),
      "level[0]");
}

// --- Reductions ---

TEST(Blocks, EvaluateReductionsInTheirPlaces) {
  const std::string text =
      "grid G = [0..9] steps 4; field A, B : real on G;"
      "stencil a : A on G = A[0] + 1;"
      "reduce first = sum(A[0]) on G; reduce second = sum(A[0] + first) on G initial 0;"
      "reduce at_end = max(B[0]) on G every 2;"
      "stencil b : B on G = A[0] / first; stencil c : B on G = B[0] + second + first@-1;";
  const auto program = [&](const std::string& step) {
    std::string with_initial = text;
    with_initial.replace(with_initial.find("on G; reduce second"), 4, "on G initial 1");
    return program_of(with_initial + step);
  };
  const ir::Program once = program("step { a; first; second; b; c; }");
  EXPECT_EQ(step_of(once), "a <first> <second> b c");
  EXPECT_TRUE(once.reductions[0].in_step);
  EXPECT_FALSE(once.reductions[2].in_step);
  EXPECT_EQ(result(once, 1), "div(A[0], first)");
  EXPECT_EQ(result(once, 2), "add(add(B[0], second), select(eq(time, 0), 1f, replaced first))");
  // a function that reads none may stand on both sides
  EXPECT_EQ(step_of(program("step { a; first; a; b; second; a; c; b; }")),
            "a <first> a b <second> a c b");
}

TEST(Blocks, EvaluateReductionsThatNoFunctionReads) {
  const ir::Program program = program_of(kOneGrid +
                                         "reduce m = max(A[0]) on G; stop when m > 9;"
                                         "step { a; m; b; }");
  EXPECT_EQ(step_of(program), "a <m> b");
  EXPECT_TRUE(program.reductions[0].in_step);
}

TEST(Blocks, LeaveOtherReductionsToTheEndOfTheStep) {
  const ir::Program program =
      program_of(kOneGrid +
                 "reduce q = max(B[0]) on G every 3; reduce m = max(A[0]) on G initial 0;"
                 "reduce r = max(B[0]) on G; reduce n = max(A[0] + m) on G;"
                 "stencil c : A on G = A[0] / n; step { a; m; b; n; c; }");
  EXPECT_EQ(step_of(program), "a <m> b <n> c");
  std::vector<bool> in_step;
  for (const ir::Reduction& reduction : program.reductions) in_step.push_back(reduction.in_step);
  EXPECT_EQ(in_step, (std::vector<bool>{false, true, false, true}));
  const Analysis wrong = analyze_text(
      kOneGrid + "reduce r = max(B[0]) on G; reduce n = max(A[0] + r) on G; step { a; n; b; }");
  EXPECT_NE(wrong.messages.find("error S"), std::string::npos) << wrong.messages;
}

TEST(Blocks, EvaluateProfilesInTheirPlaces) {
  const std::string text =
      "grid G = [0..9, 0..5] steps 4; field A : real on G;"
      "stencil a : A on G = A[0,0] + 1; reduce mean = sum(A[0,0]) over 1 on G;"
      "stencil b : A on G = A[0,0] - mean[0];";
  EXPECT_EQ(step_of(program_of(text + "step { a; mean; b; a; }")), "a <mean> b a");
  const Analysis wrong = analyze_text(text + "step { b; mean; a; }");
  EXPECT_NE(wrong.messages.find("S070"), std::string::npos) << wrong.messages;
  const Analysis both = analyze_text(text + "step { a; mean; b; a; b; }");
  EXPECT_TRUE(both.program) << both.messages;
}

// The value of the step before is another one before and after the place of the reduction.
TEST(Blocks, RefuseFunctionsThatWouldReadTwoValues) {
  const std::string text =
      "grid G = [0..9] steps 4; field A : real on G; reduce m = max(A[0]) on G initial 1;"
      "stencil a : A on G = A[0] + m@-1; stencil b : A on G = 2 * A[0];";
  EXPECT_TRUE(program_of(text + "step { m; a; b; a; }").run.body.size() == 4);
  EXPECT_TRUE(program_of(text + "step { a; b; a; m; }").run.body.size() == 4);
  const Analysis analysis = analyze_text(text + "step { a; m; a; }");
  EXPECT_FALSE(analysis.program);
  EXPECT_NE(analysis.messages.find("S204"), std::string::npos) << analysis.messages;
  const std::string profile =
      "grid G = [0..9, 0..5] steps 4; field A : real on G;"
      "reduce mean = sum(A[0,0]) over 1 on G; init mean[i] = 0;"
      "stencil a : A on G = A[0,0] + 1; stencil b : A on G = A[0,0] - mean@-1[0];";
  EXPECT_EQ(step_of(program_of(profile + "step { b; a; mean; a; }")), "b a <mean> a");
  const Analysis both = analyze_text(profile + "step { b; mean; a; b; }");
  EXPECT_NE(both.messages.find("S204"), std::string::npos) << both.messages;
}

// Functions that are applied above a reduction read its previous value.
TEST(Blocks, AreAboveOrBelowAReduction) {
  const ir::Program program = program_of(
      "grid G = [0..9] steps 4; field A, B, C : real on G;"
      "reduce m = max(A[0]) on G; reduce last = min(A[0]) on G;"
      "stencil a : A on G = A[0] + 1; stencil b : B on G = A[0]; stencil c : C on G = 1;"
      "start { c; } step { a; m; b; a; b; c; }");
  const auto above = [&](const std::string& name, int reduction) {
    const Names names = functions_of(program);
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    return ir::applied_before(program, static_cast<size_t>(at), ir::ReductionId(reduction));
  };
  EXPECT_TRUE(above("a", 0));
  EXPECT_FALSE(above("b", 0));
  EXPECT_TRUE(above("c", 0)) << "in the start";
  EXPECT_FALSE(above("a", 1)) << "not evaluated in the block";
}

// --- start ---

TEST(Start, AppliesFunctionsBeforeTheFirstStep) {
  const ir::Program program =
      program_of(kOneGrid + "start { a; repeat 6 { b; } } step { a; b; b; }");
  EXPECT_EQ(start_of(program), "a 6( b )");
  EXPECT_EQ(step_of(program), "a b b");
  const ir::Program only = program_of(kOneGrid + "start { b; } step { a; }");
  EXPECT_EQ(functions_of(only), (Names{"b", "a"}));
  EXPECT_EQ(start_of(only), "b");
  EXPECT_EQ(step_of(only), "a");
}

TEST(Start, MayReadInitialValuesOfReductions) {
  const std::string text =
      "grid G = [0..9] steps 4; field A : real on G; reduce m = max(A[0]) on G initial 3;"
      "stencil a : A on G = A[0] + m@-1; stencil b : A on G = m;";
  EXPECT_EQ(start_of(program_of(text + "start { a; } step { m; b; }")), "a");
  const Analysis above = analyze_text(text + "start { b; } step { m; a; }");
  EXPECT_NE(above.messages.find("S070"), std::string::npos) << above.messages;
}

}  // namespace
}  // namespace stencil::test
