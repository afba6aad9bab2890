// Boundary rules as index arithmetic, compared with the reference: every position around small
// boxes, with known and open extents.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/kernel/evaluate.h"
#include "compiler/kernel/passes.h"
#include "compiler/reference/access.h"
#include "compiler/schedule/common/evaluate.h"
#include "compiler/schedule/common/kernel_scope.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

using test::load;

constexpr int kLow = 3;  // low bound of the grids below

// A grid [3 .. N+2] of `extent` points. If `open`, N is a param without a value.
ir::Program program_of(const std::string& boundary, int extent, int offset, bool open) {
  const std::string size = open ? "" : " = " + std::to_string(extent);
  return load("param N : integer" + size + "; require N >= 1; grid G = [3..N+2] steps 1;" +
              "field A : real on G boundary " + boundary + "; stencil f : A on G = A[" +
              std::to_string(offset) + "] + 1;");
}

int64_t value(const kernel::Expr& expr, int extent, int x) {
  const std::map<std::string, int64_t> variables = {{"N", extent}, {"size_x", extent}, {"x", x}};
  const auto found = kernel::evaluate(expr, [&](const std::string& name) -> std::optional<int64_t> {
    const auto variable = variables.find(name);
    if (variable == variables.end()) return std::nullopt;
    return variable->second;
  });
  EXPECT_TRUE(found.has_value()) << kernel::print(expr);
  return found.value_or(-1);
}

TEST(Wrap, MapsPositionsToThePointOfThePeriodicRead) {
  for (const bool open : {false, true}) {
    for (int extent = 1; extent <= 6; ++extent) {
      const ir::Program program = program_of("periodic", extent, 1, open);
      const Interface interface(program);
      for (int below = 0; below <= 8; below += 2) {
        for (int above = 0; above <= 8; above += 4) {
          const kernel::Expr wrapped =
              wrap(interface, program.grid(), 0, kernel::variable("x"), below, above);
          for (int index = -below; index < extent + above; ++index) {
            const auto point =
                reference::resolve(program.fields[0].boundary[0], index, extent).index;
            EXPECT_EQ(value(wrapped, extent, kLow + index), kLow + point)
                << extent << " points, " << below << " below, " << above << " above, at " << index;
          }
        }
      }
    }
  }
}

// Every pair of rules: the point that is read, or which constant.
TEST(Resolve, EqualsTheReference) {
  std::vector<std::string> boundaries = {"periodic"};
  for (const char* low : {"clamp", "mirror", "constant 5"}) {
    for (const char* high : {"clamp", "mirror", "constant 6"}) {
      boundaries.push_back(std::string("[") + low + " .. " + high + "]");
    }
  }
  for (const std::string& boundary : boundaries) {
    for (const bool open : {false, true}) {
      for (int extent = 1; extent <= 6; ++extent) {
        for (int offset = -7; offset <= 7; ++offset) {
          if (offset == 0) continue;  // never leaves the grid
          const ir::Program program = program_of(boundary, extent, offset, open);
          const Interface interface(program);
          const auto& access = std::get<ir::Access>(program.functions[0].pieces[0].graph[0].kind);
          const ResolvedAccess resolved = resolve(interface, access, {kernel::variable("x")});
          for (int index = 0; index < extent; ++index) {
            const std::string where = boundary + (open ? ", open, " : ", ") +
                                      std::to_string(extent) + " points, offset " +
                                      std::to_string(offset) + " at " + std::to_string(index);
            const reference::Resolved expected =
                reference::resolve(program.fields[0].boundary[0], index + offset, extent);
            const int at = static_cast<int>(value(resolved.point[0], extent, kLow + index));
            std::optional<double> constant;
            for (const ResolvedAccess::Constant& c : resolved.constants) {
              const bool inside = value(c.inside, extent, kLow + index) != 0;
              if (!inside && !constant) constant = c.value;
            }
            EXPECT_GE(at, kLow) << where << ": the point that is read must exist";
            EXPECT_LT(at, kLow + extent) << where;
            if (expected.index >= 0) {
              EXPECT_EQ(at, kLow + expected.index) << where;
              EXPECT_FALSE(constant.has_value()) << where;
            } else {
              EXPECT_EQ(constant, expected.rule->values[0]) << where;
            }
          }
        }
      }
    }
  }
}

// In one access, the constant of the outermost dimension wins, and equal
// constants share one condition.
TEST(Resolve, TheOutermostConstantWins) {
  const auto text = [](const std::string& boundary) {
    const ir::Program program =
        load("grid G = [0..9, 0..9] steps 1; field A : real on G boundary " + boundary +
             "; stencil f : A on G = A[-1,1] / 2;");
    const Interface interface(program);
    const auto& access = std::get<ir::Access>(program.functions[0].pieces[0].graph[0].kind);
    const ResolvedAccess resolved =
        resolve(interface, access, {kernel::variable("y"), kernel::variable("x")});
    return kernel::print(apply_boundary(resolved, kernel::variable("v", Scalar::F32)));
  };
  EXPECT_EQ(text("constant 3"), "select(((y - 1) >= 0) and ((x + 1) <= (size_x - 1)), v, 3f)");
  EXPECT_EQ(text("[constant 3 .. clamp, mirror .. constant 3]"), text("constant 3"));
  EXPECT_EQ(text("[constant 3, constant 4]"),
            "select((y - 1) >= 0, select((x + 1) <= (size_x - 1), v, 4f), 3f)");
  EXPECT_EQ(text("[clamp .. constant 3, constant 3 .. mirror]"), "v");
}

// Known extents that are large enough need no remainder operation, which is slow on GPUs.
TEST(Resolve, NoRemainderIfOneReflectionSuffices) {
  for (const char* boundary : {"mirror", "periodic", "[mirror .. clamp]"}) {
    const auto text = [&](int extent, bool open) {
      const ir::Program program = program_of(boundary, extent, -2, open);
      const Interface interface(program);
      const auto& access = std::get<ir::Access>(program.functions[0].pieces[0].graph[0].kind);
      return kernel::print(resolve(interface, access, {kernel::variable("x")}).point[0]);
    };
    EXPECT_EQ(text(3, false).find('%'), std::string::npos) << text(3, false);
    const bool once = boundary[0] == '[';  // only two mirrors can reflect several times
    EXPECT_EQ(text(1, false).find('%') == std::string::npos, once) << text(1, false);
    EXPECT_EQ(text(3, true).find('%') == std::string::npos, once) << text(3, true);
  }
}

TEST(ImageDimensions, AreDimensionsThatReadsWrapAround) {
  const auto dimensions = [](const std::string& stencil, bool written_only) {
    const ir::Program program = load(
        "grid G = [0..9, 0..9] steps 1; field A : real on G boundary periodic;"
        "field C : real on G boundary clamp; field K : real on G constant boundary periodic;"
        "field R : real on G boundary [clamp, periodic];"
        "stencil f : " +
        stencil + ";");
    return analysis::image_dimensions(program, written_only);
  };
  EXPECT_EQ(dimensions("A on G = A[0,1] / 2", false), (std::vector{false, true}));
  EXPECT_EQ(dimensions("A[1..9, 0..8] = A[-1,1] / 2", false), (std::vector{false, false}));
  EXPECT_EQ(dimensions("C on G = C[0,1] + A[-1,0]", false), (std::vector{true, false}));
  EXPECT_EQ(dimensions("R on G = R[1,1] / 2", false), (std::vector{false, true}));
  EXPECT_EQ(dimensions("A on G = K[1,0] + A[0,0]", false), (std::vector{true, false}));
  EXPECT_EQ(dimensions("A on G = K[1,0] + A[0,0]", true), (std::vector{false, false}));
}

}  // namespace
}  // namespace stencil::schedule
