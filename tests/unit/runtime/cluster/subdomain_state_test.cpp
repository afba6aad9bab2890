// Which rows of the whole fields each subdomain owns.
#include "runtime/cluster/subdomain_state.h"

#include "compiler/decompose/restrict.h"
#include "compiler/reference/interpreter.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

// All kinds of fields.
constexpr const char* kKinds = R"(
param N : integer = 40;
grid G = [0..N-1, 0..N+4] steps 4;
subgrid H of G = [3..20, 5..9];
points mics [1..5] on G;
field U : vector 2 of real on G history 2;
field h : real on H;
field c : real on G constant;
field p : real on G along 0 constant;
field q : real on G along 1 constant;
series w : real [0..9];
stencil s : U on G = {U[0,0][0] + c[0,0] + p[0] * q[0] + w[time], U[0,0][1]};
stencil t : h on H = h[0,0] + 1;
record trace [0..3] = U[0,0][0] at mics;
init mics[m] = { 7.5 * m, 8.25 * m };
init U[i,j] = {i + 0.5 * j, i};
)";

TEST(SubdomainState, EveryPointIsOwnedByOneSubdomain) {
  const auto program = decompose::at_sizes(program_of(kKinds), {40});
  ASSERT_TRUE(program);
  const reference::State whole = initial_state(*program, bind_params(*program).value());
  for (const decompose::Cuts& cuts : std::vector<decompose::Cuts>{{3, 1}, {1, 4}, {2, 3}}) {
    Diagnostics diagnostics;
    const auto decomposition = decompose::decompose(*program, cuts, 2, diagnostics);
    ASSERT_TRUE(decomposition);
    std::vector<std::vector<int>> owners;
    for (const auto& field : whole.fields) {
      owners.emplace_back(static_cast<size_t>(field.points), 0);
    }
    for (int number = 0; number < decomposition->subdomains(); ++number) {
      const ir::Program subdomain = decompose::restrict_to(*program, *decomposition, number);
      reference::State state = empty_subdomain(subdomain, whole).value();
      fill_subdomain(*program, *decomposition, whole, state);
      const RowsOf rows = rows_of_subdomain(*program, *decomposition, number, state, whole);
      for (size_t f = 0; f < whole.fields.size(); ++f) {
        int64_t end = 0;
        rows(static_cast<ir::FieldId>(f), [&](const Row& row) {
          EXPECT_GE(row.there, end) << "rows do not ascend";
          end = row.there + row.count;
          for (int64_t i = 0; i < row.count; ++i) {
            ++owners[f].at(row.there + i);
            EXPECT_EQ(state.fields[f].real(0, 0, row.here + i),
                      whole.fields[f].real(0, 0, row.there + i));
          }
        });
      }
    }
    for (size_t f = 0; f < owners.size(); ++f) {
      for (const int count : owners[f]) {
        ASSERT_EQ(count, 1) << program->fields[f].name << ", cut " << decompose::print(cuts);
      }
    }
  }
}

// The initial values of a subdomain equal those of the whole grid, also in
// ghost cells across periodic edges.
TEST(SubdomainState, SubdomainsHaveTheInitialValuesOfTheWhole) {
  const auto program = decompose::at_sizes(program_of(R"(
param N : integer = 40;
grid G = [2..N+1, 0..N+4] steps 4;
subgrid H of G = [3..20, 5..9];
field U : vector 2 of real on G history 2 boundary [periodic, clamp];
field h : integer on G boundary [periodic, clamp];
stencil s : U on G = {U[-1,2][0], U[1,-1][1]};
stencil t : h on G = h[1,0] + 1;
init U[i,j] = {i + 0.37 * j * j, select(i % 3 == 0, sqrt(float(i)), j)};
)"),
                                           {40});
  ASSERT_TRUE(program);
  const reference::State whole = initial_state(*program, bind_params(*program).value());
  for (const decompose::Cuts& cuts : std::vector<decompose::Cuts>{{3, 1}, {1, 4}, {2, 3}}) {
    Diagnostics diagnostics;
    const auto decomposition = decompose::decompose(*program, cuts, 2, diagnostics);
    ASSERT_TRUE(decomposition);
    for (int number = 0; number < decomposition->subdomains(); ++number) {
      const ir::Program subdomain = decompose::restrict_to(*program, *decomposition, number);
      reference::State filled = empty_subdomain(subdomain, whole).value(),
                       own = empty_subdomain(subdomain, whole).value();
      fill_subdomain(*program, *decomposition, whole, filled);
      ASSERT_TRUE(
          begin_subdomain(*program, *decomposition, subdomain, {false, false}, {}, whole, own)
              .ok());
      for (size_t f = 0; f < own.fields.size(); ++f) {
        EXPECT_EQ(own.fields[f].levels, filled.fields[f].levels)
            << number << " of " << decompose::print(cuts);
      }
    }
  }
}

}  // namespace
}  // namespace stencil::runtime
