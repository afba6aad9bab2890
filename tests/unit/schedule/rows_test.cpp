// Row layouts: which rows are padded and to what pitch, in plans, kernels and descriptions.
#include "compiler/schedule/common/rows.h"

#include "compiler/kernel/evaluate.h"
#include "compiler/kernel/passes.h"
#include "compiler/schedule/common/interface.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

using test::load;

// Field A on a subgrid with the given columns, of a grid [0..15, columns].
ir::Program program_of(const std::string& grid, const std::string& columns,
                       const std::string& type = "float", bool open = false) {
  ProgramOptions options;
  if (open) options.open = {"N"};
  return load("param N : integer = 1000; grid G = [0..15, " + grid + "] steps 1;" +
                  "subgrid I of G = [0..15, " + columns + "]; field A : " + type + " on I;" +
                  "stencil f : A on I = A[0,0];",
              options);
}

struct Expected {
  std::string columns, type;
  int64_t pitch, lead, alignment;  // pitch 0: dense
};

void PrintTo(const Expected& expected, std::ostream* out) {
  *out << expected.columns << " " << expected.type;
}

class RowLayouts : public testing::TestWithParam<Expected> {};

TEST_P(RowLayouts, ArePaddedToSectorsOrVectorsIfCheap) {
  const auto& [columns, type, pitch, lead, alignment] = GetParam();
  const ir::Program program = program_of("0..1200", columns, type);
  const Interface interface(program, schedule::Rows::Padded);
  const kernel::Module module = interface.empty_module();
  const kernel::Array& array = module.plan.arrays[0];
  const auto value = [&](const kernel::Expr& expr) {
    return kernel::evaluate(expr,
                            [&](const std::string& name) -> std::optional<int64_t> {
                              for (const auto& constant : module.constants) {
                                if (constant.name == name) return constant.value;
                              }
                              return std::nullopt;
                            })
        .value_or(-1);
  };
  EXPECT_EQ(kernel::is_padded(array), pitch != 0);
  if (pitch != 0) {
    EXPECT_EQ(value(array.row_pitch), pitch);
  }
  EXPECT_EQ(value(kernel::lead_of(array)), lead);
  EXPECT_EQ(interface.row_alignment(0, 0), alignment);
  EXPECT_EQ(value(kernel::stored_extents(array).back()),
            pitch != 0 ? pitch : value(array.extents.back()));
}

INSTANTIATE_TEST_SUITE_P(
    Known, RowLayouts,
    testing::Values(Expected{"0..1000", "float", 1008, 0, 32},   // 4004 bytes: padded to sectors
                    Expected{"0..1003", "float", 0, 0, 16},      // 4016 bytes: not padded
                    Expected{"0..1007", "float", 0, 0, 32},      //
                    Expected{"0..1000", "double", 1004, 0, 32},  //
                    Expected{"0..1001", "double", 0, 0, 16},     //
                    Expected{"0..1000", "half", 1008, 0, 32},    //
                    Expected{"0..60", "float", 64, 0, 32},       //
                    Expected{"0..25", "float", 28, 0, 16},       // six more elements are too many
                    Expected{"0..24", "float", 28, 0, 16},       // three more of 25 are not
                    Expected{"0..20", "float", 0, 0, 4},         // three more of 21 are
                    Expected{"1..1000", "float", 1008, 1, 32},   // columns 0 and 1001 are padding
                    Expected{"3..1002", "float", 1008, 3, 32},   //
                    Expected{"4..1003", "float", 0, 0, 16},      //
                    Expected{"9..1000", "float", 1000, 1, 32},   // as from 1
                    Expected{"2..1001", "double", 0, 0, 16}));   //

TEST(RowLayout, OneDimensionalGridsAndRequestsGiveDenseRows) {
  const ir::Program line =
      load("grid G = [0..1000] steps 1; field A : float on G; stencil f : A on G = A[0];");
  EXPECT_EQ(lay_out_rows(line, line.fields[0], Scalar::F32, schedule::Rows::Padded).unit, 0);
  const ir::Program plane = program_of("0..1000", "0..1000");
  EXPECT_EQ(lay_out_rows(plane, plane.fields[0], Scalar::F32, schedule::Rows::Dense).unit, 0);
  EXPECT_EQ(lay_out_rows(plane, plane.fields[0], Scalar::F32, schedule::Rows::Dense).alignment, 4);
}

// The pitch of open rows for many sizes: the smallest multiple of the unit that holds lead and
// points.
TEST(RowLayout, OpenRowsArePaddedAtRunTime) {
  for (const std::string low : {"0", "1", "N-5"}) {
    const ir::Program program = program_of("0..2*N", low + "..2*N", "float", true);
    const Interface interface(program, schedule::Rows::Padded);
    const kernel::Module module = interface.empty_module();
    const kernel::Array& array = module.plan.arrays[0];
    ASSERT_TRUE(kernel::is_padded(array));
    EXPECT_EQ(interface.row_alignment(0, 0), 32);
    EXPECT_EQ(kernel::known_power_of_two(
                  array.row_pitch, [](const std::string&) { return std::optional<int64_t>(); }),
              8);
    for (int64_t n = 5; n < 40; ++n) {
      const auto value = [&](const kernel::Expr& expr) {
        return kernel::evaluate(expr, [&](const std::string&) { return std::optional(n); })
            .value_or(-1);
      };
      const int64_t first = low == "N-5" ? n - 5 : std::stoi(low);
      const int64_t used = first % 8 + 2 * n + 1 - first;
      EXPECT_EQ(value(kernel::lead_of(array)), first % 8) << low << " " << n;
      EXPECT_EQ(value(array.row_pitch), (used + 7) / 8 * 8) << low << " " << n;
    }
  }
}

TEST(RowLayout, ShortRowsAtAnOpenPositionStayDense) {
  const ir::Program program = program_of("0..2*N", "N..N+6", "float", true);
  EXPECT_EQ(lay_out_rows(program, program.fields[0], Scalar::F32, schedule::Rows::Padded).unit, 0);
}

TEST(RowLayout, OpenRowsOfAKnownMultipleStayDense) {
  const ir::Program program = program_of("0..4*N-1", "0..4*N-1", "float", true);
  const RowLayout layout =
      lay_out_rows(program, program.fields[0], Scalar::F32, schedule::Rows::Padded);
  EXPECT_EQ(layout.unit, 0);
  EXPECT_EQ(layout.alignment, 16);
}

// Vectors that contain a point of the field, for all positions of the
// field: the first and the last one.
TEST(RowLayout, VectorsAreAlignedToTheGridsLowBound) {
  for (int low = 0; low < 9; ++low) {
    for (int high = low + 300; high < low + 309; ++high) {
      const ir::Program program =
          program_of("0..400", std::to_string(low) + ".." + std::to_string(high));
      const Interface interface(program, schedule::Rows::Padded);
      const auto value = [&](const kernel::Expr& expr) {
        return kernel::evaluate(expr, [](const std::string&) { return std::optional<int64_t>(); })
            .value_or(-1);
      };
      EXPECT_EQ(value(interface.first_vector(0, 0, 4)), low / 4 * 4) << low << ".." << high;
      EXPECT_EQ(value(interface.last_vector(0, 0, 4)), high / 4 * 4) << low << ".." << high;
      EXPECT_EQ(value(interface.first_vector(0, 0, 1)), low);
      EXPECT_EQ(value(interface.last_vector(0, 0, 1)), high);
    }
  }
}

// The indices of all points of a row lie within its pitch.
TEST(RowLayout, IndicesIncludeTheLead) {
  const ir::Program program = program_of("0..1200", "3..1002");
  const Interface interface(program, schedule::Rows::Padded);
  const auto x = [&](int64_t at) {
    const Point point = {kernel::integer(2), kernel::integer(at)};
    return std::get<kernel::IntegerLiteral>(interface.index(point, 0, 0)[1]->kind).value;
  };
  EXPECT_EQ(x(3), 3);
  EXPECT_EQ(x(1002), 1002);
  EXPECT_EQ(x(1007), 1007) << "the last element of the row";
}

TEST(RowLayout, IsDescribedInThePlan) {
  const ir::Program program = load(
      "grid G = [0..15, 0..1000] steps 1; subgrid I of G = [0..15, 3..1002-3];"
      "field A, B : float on G; field c : float on I; stencil f : A on I = A[0,0] * c[0,0];");
  Diagnostics diagnostics;
  const auto module = lower(program, *parse("direct", program, diagnostics), diagnostics);
  ASSERT_TRUE(module.has_value());
  EXPECT_EQ(describe_rows(*module),
            (std::vector<std::string>{"A: 1001 points in 1008 elements",
                                      "B: 1001 points in 1008 elements",
                                      "c: 997 points in 1000 elements, from element 3 on"}));
}

TEST(RowLayout, InPlaceKernelsAreDenseByDefault) {
  const ir::Program program = program_of("0..1000", "0..1000");
  Diagnostics diagnostics;
  const auto padded = [&](const std::string& line, const Machine& machine) {
    const auto schedule = parse(line, program, diagnostics);
    return kernel::is_padded(lower(program, *schedule, diagnostics, machine)->plan);
  };
  EXPECT_TRUE(padded("direct", gpu()));
  EXPECT_FALSE(padded("direct", cpu()));
  EXPECT_TRUE(padded("direct rows=padded", cpu()));
  EXPECT_FALSE(padded("direct rows=dense", gpu()));
}

}  // namespace
}  // namespace stencil::schedule
