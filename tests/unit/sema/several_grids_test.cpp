// Derived grids: their bounds, the points that accesses between grids read, and the proofs that
// these accesses stay inside.
#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

int64_t floor_of(int64_t value, int64_t divisor) {
  int64_t quotient = value / divisor;
  while (quotient * divisor > value) --quotient;
  return quotient;
}

std::string text(const ir::Program& program, const ir::Box& box) {
  std::string out;
  for (const ir::Range& range : box.ranges) {
    const auto names = ir::param_names(program);
    out += fmt::format("{}{}..{}", out.empty() ? "[" : ", ", ir::print(range.low, names),
                       ir::print(range.high, names));
  }
  return out + "]";
}
std::string box_of(const ir::Program& program, size_t domain) {
  return text(program, program.domains[static_cast<ir::DomainId>(domain)].box);
}

// The codes of all checks except those that compare a quotient with its param.
std::vector<std::string> checks_of(const ir::Program& program) {
  std::vector<std::string> codes;
  for (const ir::Check& check : program.checks) {
    if (check.code != "S067") codes.push_back(check.code);
  }
  return codes;
}

const ir::Access& first_access(const ir::Program& program) {
  for (const ir::Node& node : program.functions.at(0).pieces.at(0).graph.nodes()) {
    if (const auto* access = std::get_if<ir::Access>(&node.kind)) return *access;
  }
  throw std::logic_error("no access");
}

// --- Bounds ---

TEST(SeveralGrids, VerticesLieOnPointsAndCellsCoverThem) {
  const auto program = [](const std::string& range, const std::string& by) {
    return program_of("grid F = [" + range + "] steps 1; grid C of F by " + by +
                      "; field a : real on C; stencil s : a on C = 0;");
  };
  for (int64_t low = -7; low <= 7; ++low) {
    for (int64_t high = low + 6; high < low + 12; ++high) {
      for (int64_t ratio = 1; ratio <= 4; ++ratio) {
        const std::string range = fmt::format("{}..{}", low, high);
        int64_t first = 100, last = -100;
        for (int64_t i = -20; i <= 20; ++i) {
          if (i * ratio < low || i * ratio > high) continue;
          first = std::min(first, i);
          last = std::max(last, i);
        }
        EXPECT_EQ(box_of(program(range, fmt::format("{}", ratio)), 1),
                  fmt::format("[{}..{}]", first, last))
            << range << " by " << ratio;
        if (floor_of(low, ratio) * ratio != low) continue;
        if (floor_of(high + 1, ratio) * ratio != high + 1) continue;
        EXPECT_EQ(box_of(program(range, fmt::format("{} cells", ratio)), 1),
                  fmt::format("[{}..{}]", low / ratio, (high + 1) / ratio - 1))
            << range << " by " << ratio << " cells";
      }
    }
  }
}

TEST(SeveralGrids, RatiosMayDifferByDimensionAndGridsMayBeDerivedFromDerivedOnes) {
  const ir::Program program = program_of(
      "table r : integer[2] = {2, 4};"
      "grid F = [0..16, -8..7] steps 1; grid C of F by [r[0], 1]; grid D of C by [3, 2] cells;"
      "field a : real on F; stencil s : a on F = 0;",
      {});
  EXPECT_EQ(box_of(program, 1), "[0..8, -8..7]");
  EXPECT_EQ(box_of(program, 2), "[0..2, -4..3]");
}

TEST(SeveralGrids, OpenBoundsAreQuotients) {
  const std::string rest = "field a : real on C; stencil s : a on C = 0;";
  const ir::Program open = program_of(
      "param N : integer; require N >= 1; grid F = [0..N-1] steps 1;"
      "grid C of F by 2;" +
      rest);
  ASSERT_EQ(open.params.size(), 2u);
  EXPECT_EQ(open.params[1].derived->text, "(N-1)/2");
  EXPECT_EQ(box_of(open, 1), "[0.." + open.params[1].name + "]");
  EXPECT_TRUE(checks_of(open).empty());

  const ir::Program exact = program_of(
      "param M : integer; require M >= 1; grid F = [0..4*M] steps 1;"
      "grid C of F by 2; grid D of C by 2;" +
      rest);
  EXPECT_EQ(exact.params.size(), 1u);
  EXPECT_EQ(box_of(exact, 1), "[0..2*M]");
  EXPECT_EQ(box_of(exact, 2), "[0..M]");
  EXPECT_TRUE(exact.checks.empty());
}

// Lower bounds are rounded up, whatever their sign.
TEST(SeveralGrids, OpenLowerBoundsAreRoundedUp) {
  for (const bool negative : {true, false}) {
    const ir::Program program =
        program_of(fmt::format("param M : integer; require M >= 0; grid F = [{}M..2*M+20] steps 1;"
                               "grid C of F by 3; field a : real on C; stencil s : a on C = 0;",
                               negative ? "-" : ""));
    for (int64_t m = 0; m <= 7; ++m) {
      std::vector<int64_t> integers(program.params.size(), 0);
      std::vector<double> reals(program.params.size(), 0);
      std::vector<bool> given(program.params.size(), false);
      integers[0] = m;
      given[0] = true;
      ASSERT_FALSE(ir::derive_params(program, given, integers, reals).has_value());
      const ir::Range& range = program.domains[1].box.ranges[0];
      const int64_t low = negative ? -m : m;
      EXPECT_EQ(ir::evaluate(range.low, integers), -floor_of(-low, 3)) << low;
      EXPECT_EQ(ir::evaluate(range.high, integers), floor_of(2 * m + 20, 3)) << m;
    }
  }
}

TEST(SeveralGrids, CellsOfOpenSizesAreCheckedBeforeARun) {
  const ir::Program program = program_of(
      "param N : integer; require N >= 4; grid F = [0..N-1] steps 1;"
      "grid D of F by 4 cells; field a : real on D; stencil s : a on D = 0;");
  EXPECT_EQ(checks_of(program), std::vector<std::string>{"S094"});
  for (int64_t n = 4; n <= 16; ++n) {
    std::vector<int64_t> integers = {n, 0};
    std::vector<double> reals = {0, 0};
    ASSERT_FALSE(ir::derive_params(program, {true, false}, integers, reals).has_value());
    EXPECT_EQ(ir::failed_checks(program, integers, reals).has_errors(), n % 4 != 0) << n;
  }
  const ir::Program whole = program_of(
      "param M : integer; require M >= 1; grid F = [0..4*M-1] steps 1;"
      "grid D of F by 4 cells; field a : real on D; stencil s : a on D = 0;");
  EXPECT_TRUE(whole.checks.empty());
  EXPECT_EQ(box_of(whole, 1), "[0..M - 1]");
}

TEST(SeveralGrids, FirstAndLastAreTheBoundsOfTheParentOfASubgridAndOfTheGridOfAFunction) {
  const ir::Program program = program_of(
      "grid F = [-4..12] steps 1; grid C of F by 2; subgrid inner of C = [first+1..last-1];"
      "subgrid lower of inner = [first..(first+last)/2]; field a : real on inner;"
      "stencil s : a on lower = 1; stencil t : a[last-2] = 2;");
  const auto& regions = program.functions;
  EXPECT_EQ(text(program, program.fields[0].box), "[-1..5]");
  EXPECT_EQ(text(program, regions[0].pieces[0].region), "[-1..2]");
  EXPECT_EQ(text(program, regions[1].pieces[0].region), "[4..4]");
}

TEST(SeveralGrids, ElseIsTheRestOfTheGridOfAFunction) {
  const ir::Program derived = program_of(
      "grid G = [0..16] steps 1; grid C of G by 2; field e : real on C;"
      "stencil s : e { [first+1..last-2] = 2; else = 1; }");
  const ir::Program levels = program_of(
      "grid G = [0..16] levels 2 by 2 steps 1; field e : real on G;"
      "stencil s : e { [first+1..last-2] = 2; else = 1; } step { coarser { s; } }");
  for (const ir::Program* program : {&derived, &levels}) {
    const ir::Function& function = program->functions.at(0);
    ASSERT_EQ(function.pieces.size(), 3u);
    EXPECT_EQ(function.domain, 1);
    EXPECT_EQ(text(*program, function.pieces[0].region), "[1..6]");
    EXPECT_EQ(text(*program, function.pieces[1].region), "[0..0]");
    EXPECT_EQ(text(*program, function.pieces[2].region), "[7..8]");
  }
}

TEST(SeveralGrids, ANameThatTheProgramDeclaresHidesFirst) {
  const ir::Program program = program_of(
      "param first : integer = 3; grid F = [0..9] steps 1; field a : real on F;"
      "stencil s : a[first..last] = 1;");
  EXPECT_EQ(text(program, program.functions[0].pieces[0].region), "[3..9]");
}

// --- Accesses ---

TEST(SeveralGrids, AccessesHaveTheMapsBetweenTheGrids) {
  const std::string grids =
      "grid F = [0..24, 0..24] steps 1; grid C of F by [2, 3]; grid D of C by 2; grid E of F by 3;"
      "field f : real on F boundary clamp; field c : real on C boundary clamp;"
      "field d : real on D boundary clamp; field e : real on E boundary clamp;";
  const auto map = [&](const std::string& stencil, size_t d) {
    const ir::Program program = program_of(grids + stencil);
    const ir::IndexMap& found = first_access(program).maps[d];
    return fmt::format("({}*i{:+})/{}", found.scale, found.offset, found.divisor);
  };
  EXPECT_EQ(map("stencil s : c on C = f[-1,2];", 0), "(2*i-1)/1");
  EXPECT_EQ(map("stencil s : c on C = f[-1,2];", 1), "(3*i+2)/1");
  EXPECT_EQ(map("stencil s : f on F = c[1,0];", 0), "(1*i+1)/2");
  EXPECT_EQ(map("stencil s : d on D = f[0,0];", 1), "(6*i+0)/1");
  EXPECT_EQ(map("stencil s : c on C = e[0,0];", 0), "(2*i+0)/3");
  EXPECT_EQ(map("stencil s : c on C = e[0,0];", 1), "(1*i+0)/1");
  EXPECT_EQ(map("stencil s : d on D = e[1,1];", 0), "(4*i+1)/3");
}

TEST(SeveralGrids, AFunctionAtAnOffsetMovesThePointOfItsOwnGrid) {
  const std::string grids =
      "grid F = [0..24] steps 1; grid C of F by 2;"
      "field f : real on F boundary clamp; field c : real on C boundary clamp;"
      "function at(u : field) = u[1];";
  const auto offset = [&](const std::string& stencil) {
    return first_access(program_of(grids + stencil)).maps[0].offset;
  };
  EXPECT_EQ(offset("stencil s : c on C = at(f)[3];"), 2 * 3 + 1);
  EXPECT_EQ(offset("stencil s : f on F = at(c)[3];"), 3 + 1);
  EXPECT_EQ(offset("stencil s : f on F = at(f)[3];"), 3 + 1);
}

TEST(SeveralGrids, OnlyAccessesBetweenGridsAreReadInPlace) {
  const ir::Program program = program_of(
      "grid F = [0..8] steps 1; grid C of F by 2; field f : real on F; field c : real on C;"
      "series w : real [0..9];"
      "stencil s : c on C = f[0] + c[0] + w[time];");
  std::vector<bool> in_place;
  for (const ir::Node& node : program.functions[0].pieces[0].graph.nodes()) {
    if (const auto* access = std::get_if<ir::Access>(&node.kind)) {
      in_place.push_back(access->in_place);
    }
  }
  EXPECT_EQ(in_place, (std::vector<bool>{true, false, true}));
}

// Whether the analysis accepts an access, compared with all indices that it reads. The rule is
// `none` at both sides, or `mirror` at one of them.
TEST(SeveralGrids, AccessesAreAcceptedIfAllIndicesAreInside) {
  for (const bool to_fine : {true, false}) {
    for (int ratio = 1; ratio <= 4; ++ratio) {
      for (int64_t low = -4; low <= 1; ++low) {
        for (int64_t high = low + 5; high <= low + 9; ++high) {
          for (int offset = -5; offset <= 5; ++offset) {
            const int64_t first = -floor_of(-low, ratio), last = floor_of(high, ratio);
            const auto index = [&](int64_t i) {
              return to_fine ? ratio * i + offset : floor_of(i + offset, ratio);
            };
            const int64_t from = to_fine ? first : low, to = to_fine ? last : high;
            const int64_t least = to_fine ? low : first, most = to_fine ? high : last;
            for (const char* rule : {"none", "mirror .. none", "none .. mirror"}) {
              bool inside = true;
              for (int64_t i = from; i <= to; ++i) {
                int64_t at = index(i);
                if (std::string(rule) == "mirror .. none" && at < least) at = 2 * least - at;
                if (std::string(rule) == "none .. mirror" && at > most) at = 2 * most - at;
                inside &= least <= at && at <= most;
              }
              const std::string text = fmt::format(
                  "grid F = [{}..{}] steps 1; grid C of F by {}; field f : real on F {};"
                  "field c : real on C {}; stencil s : {} = {}[{}];",
                  low, high, ratio, to_fine ? fmt::format("boundary [{}]", rule) : "",
                  to_fine ? "" : fmt::format("boundary [{}]", rule), to_fine ? "c on C" : "f on F",
                  to_fine ? "f" : "c", offset);
              EXPECT_EQ(analyze_text(text).program.has_value(), inside) << text;
            }
          }
        }
      }
    }
  }
}

// The same for an open size: the checks of the program must decide it.
TEST(SeveralGrids, ChecksDecideAccessesForOpenSizes) {
  constexpr int64_t kLeast = 6;
  for (const bool to_fine : {true, false}) {
    for (int ratio = 1; ratio <= 4; ++ratio) {
      for (int low = 0; low <= 2; ++low) {
        for (int offset = -2; offset <= 4; ++offset) {
          for (const char* region : {"[first..last]", "[first+1..last-1]"}) {
            const int margin = region[6] == '+' ? 1 : 0;
            const std::string text = fmt::format(
                "param N : integer; require N >= {}; grid F = [{}..N] steps 1;"
                "grid C of F by {}; field f : real on F; field c : real on C;"
                "stencil s : {}{} = {}[{}];",
                kLeast, low, ratio, to_fine ? "c" : "f", region, to_fine ? "f" : "c", offset);
            const Analysis analysis = analyze_text(text);
            for (int64_t n = kLeast; n < kLeast + 14; ++n) {
              const int64_t first = -floor_of(-low, ratio), last = floor_of(n, ratio);
              const int64_t from = (to_fine ? first : low) + margin;
              const int64_t to = (to_fine ? last : n) - margin;
              const int64_t least = to_fine ? low : first, most = to_fine ? n : last;
              bool inside = true;
              for (int64_t i = from; i <= to; ++i) {
                const int64_t at = to_fine ? ratio * i + offset : floor_of(i + offset, ratio);
                inside &= least <= at && at <= most;
              }
              if (!analysis.program) {
                EXPECT_FALSE(inside && from <= to) << text << " N = " << n << analysis.messages;
                continue;
              }
              const ir::Program& program = *analysis.program;
              std::vector<int64_t> integers(program.params.size());
              std::vector<double> reals(program.params.size());
              std::vector<bool> given(program.params.size());
              integers[0] = n;
              given[0] = true;
              ASSERT_FALSE(ir::derive_params(program, given, integers, reals).has_value());
              EXPECT_EQ(ir::failed_checks(program, integers, reals).has_errors(), !inside)
                  << text << " N = " << n;
            }
          }
        }
      }
    }
  }
}

// --- Superfluous checks ---

const char* const kTwoGrids =
    "field u : real on F; field r : real on F; field e : real on C; field g : real on C;"
    "subgrid inner of F = [first+1..last-1]; subgrid coarse of C = [first+1..last-1];"
    "stencil restrict : g on coarse = sum(a in -1..1 : 0.25 * (2 - abs(a)) * r[a]);"
    "stencil inject : g on C = r[0];"
    "stencil correct : u on inner = u[0] + 0.5 * (e[0] + e[1]);";

TEST(SeveralGrids, WeightingAndInterpolationNeedNoChecks) {
  for (const char* grids : {
           "param N : integer; require N >= 5; grid F = [0..N-1] steps 1; grid C of F by 2;",
           "param k : integer; require k >= 2; grid F = [0..2*k] steps 1; grid C of F by 2;",
           "param k : integer; require k >= 2; grid F = [-2*k..2*k] steps 1; grid C of F by 2;",
           "param N : integer; require N >= 9; grid E = [0..N-1] steps 1; grid F of E by 2;"
           "grid C of F by 2;",
       }) {
    EXPECT_EQ(checks_of(program_of(std::string(grids) + kTwoGrids)), std::vector<std::string>{})
        << grids;
  }
}

TEST(SeveralGrids, CellAveragesNeedNoChecks) {
  const ir::Program program = program_of(
      "param N : integer; require N >= 8; grid F = [0..N-1] steps 1; grid D of F by 2 cells;"
      "field u : real on F; field e : real on D;"
      "stencil average : e on D = 0.5 * (u[0] + u[1]);"
      "stencil inject : u on F = e[0];"
      "stencil linear : u[first+1..last-1] = 0.5 * e[0] + 0.25 * (e[-1] + e[1]);");
  EXPECT_EQ(checks_of(program), std::vector<std::string>{"S094"});
}

// At the last point of F the coarse point above exists only if N is odd.
TEST(SeveralGrids, InterpolationUpToTheEdgeNeedsACheckOrARule) {
  const std::string grids =
      "param N : integer; require N >= 5; grid F = [0..N-1] steps 1; grid C of F by 2;"
      "field u : real on F; field e : real on C";
  const std::string read = "stencil s : u on F = 0.5 * (e[0] + e[1]);";
  EXPECT_EQ(checks_of(program_of(grids + ";" + read)), std::vector<std::string>{"S031"});
  const ir::Program ruled = program_of(grids + " boundary clamp;" + read);
  EXPECT_TRUE(checks_of(ruled).empty());
}

// --- Coordinates ---

TEST(SeveralGrids, PositionsFollowTheCentring) {
  const auto position = [](const std::string& by, const std::string& attributes) {
    return result(program_of("param dx : real = 0.5; grid F = [0..23] steps 1 " + attributes +
                             "; grid C of F by " + by +
                             "; field a : real on C; stencil s : a[i in 0..3] = position(i);"));
  };
  EXPECT_EQ(position("2", ""), "mul(float(#0), 2f)");
  EXPECT_EQ(position("1", ""), "float(#0)");
  EXPECT_EQ(position("2 cells", ""), "add(mul(float(#0), 2f), 0.5f)");
  EXPECT_EQ(position("4 cells", ""), "add(mul(float(#0), 4f), 1.5f)");
  EXPECT_EQ(position("3", "origin 1 spacing dx"), "add(mul(float(#0), mul(dx, 3f)), 1f)");
  EXPECT_EQ(position("2 cells", "spacing dx"), "add(mul(float(#0), mul(dx, 2f)), mul(dx, 0.5f))");
}

TEST(SeveralGrids, SpacingAndOriginAreThoseOfTheFunctionsGrid) {
  const ir::Program program = program_of(
      "grid F = [0..23, 0..23] steps 1 origin 1 spacing 0.25; grid C of F by [2, 3];"
      "grid D of C by [3, 2] cells; field f : real on F; field d : real on D;"
      "stencil s : f on F = spacing(1) + origin(0); stencil t : d on D = spacing(1) + origin(0);");
  EXPECT_EQ(result(program, 0), "add(0.25f, 1f)");
  EXPECT_EQ(result(program, 1), "add(mul(0.25f, 6f), add(1f, mul(0.25f, 2f)))");
}

}  // namespace
}  // namespace stencil::test
