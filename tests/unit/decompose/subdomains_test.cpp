// Subdomains as programs, the messages between them, and programs that cannot be cut.
#include <random>
#include <set>

#include "compiler/decompose/exchanges.h"
#include "compiler/decompose/restrict.h"
#include "compiler/ir/rewrite.h"
#include "tests/unit/load.h"

namespace stencil::decompose {
namespace {

const char* const kPrograms[] = {
    R"(
grid G = [0..49, 0..79] steps 4;
field A : real on G boundary periodic;
stencil f : A on G = A[-1,0] + A[1,1] + 0.5 * A[0,-2];
)",
    R"(
grid G = [0..39, 0..59, 0..79] steps 4;
field U : real on G history 2 boundary [mirror, clamp, periodic];
field C : real on G constant;
stencil f : U on G = U[-1,0,0] + U[0,1,0] + U[0,0,-1] + C[0,0,0] * U@-1[0,0,0];
)",
    R"(
grid G = [3..82, 0..99] steps 4;
subgrid S of G = [5..20, 3..96];
field A : real on S;
field B : { a : double, b : bool } on G boundary clamp;
stencil f : A[6..19, 4..95] = A[-1,0] + A[0,1] + B[0,0].a;
stencil g : B on G = { a = B[1,0].a + B[-1,0].a, b = B[0,1].b };
reduce total = sum(B[0,0].a) on G;
reduce rows = max(B[0,0].a) over 1 on G;
)",
    R"(
grid G = [0..99, 0..99] steps 4;
field A, B : real on G boundary clamp;
stencil f : A on [i in 0..99, j in 0..99] = A[-1,0] + B[0,1] + 0.01 * i;
repeat 4 { stencil g : B on G = B[1,0] + B[0,-1]; }
reduce most = max(A[0,0]) on G;
)",
    R"(
grid G = [0..127, 0..63] levels 3 by [2, 1] cells steps 4;
field u, r : real on G boundary periodic;
stencil smooth : u on G = u[-1,0] + u[1,0] + r[0,0];
stencil residual : r on G = u[0,1] - u[0,-1];
stencil restrict : r on G = fine r[0,0] + fine r[1,0];
stencil correct : u on G = u[0,0] + coarse u[-1,0] + coarse u[1,0];
cycle v {
  smooth;
  if level < 2 { residual; coarser { restrict; v; } correct; }
  else { repeat 6 { smooth; } }
}
start { residual; coarser { restrict; coarser { restrict; } } }
step { v; }
)",
    R"(
grid F = [-7..392, 2..90] steps 4;
grid C of F by 3;
grid D of C by [2, 1];
field a : real on F boundary [mirror, clamp];
field b : real on C history 2 boundary clamp;
field c : real on D boundary [constant 2, mirror];
stencil f : a on F = a[-1,0] + b[1,0] + c[2,0] + c[-1,1];
stencil g : b on C = a[-2,1] + b@-1[0,0] + c[1,0];
stencil h : c on D = b[2,0] + b[-1,1] + a[4,0];
reduce most = max(b[0,0] + a[1,0]) on C;
)",
    R"(
grid G = [0..55, 0..31] levels 2 by 2 steps 4;
subgrid S of G = [first+1..last, first+1..last];
field A, B : real on G boundary [clamp, periodic];
stencil replaced : A on S = coarse A[0,-1];
stencil f : A on G = B[0,1];
stencil g : A on G = 2 * A[0,0];
step { coarser { g; } replaced; f; }
)",
};

ir::Program program_at(const std::string& text) {
  return *at_sizes(test::load(text), {});
}

const ir::PatchExchange* find(const ir::HaloExchange& halo, int subdomain, int send_tag) {
  for (const ir::PatchExchange& exchange : halo.exchanges) {
    if (exchange.subdomain == subdomain && exchange.send_tag == send_tag) return &exchange;
  }
  return nullptr;
}

// Maps a box to grid coordinates: periodic images map to the points that they copy.
ir::Points in_grid(const ir::Program& program, const Decomposition& cut, const ir::Patch& patch) {
  const ir::DomainId domain = program.fields[patch.field].domain;
  ir::Points out;
  for (size_t d = 0; d < patch.box.size(); ++d) {
    out.push_back({wrapped(program, cut, d, patch.box[d][0], domain),
                   wrapped(program, cut, d, patch.box[d][1], domain)});
  }
  return out;
}

using HalosOf = decltype(&halos_of);

void expect_matching(const ir::Program& program, const Decomposition& cut, HalosOf halos_of) {
  std::vector<std::vector<ir::HaloExchange>> halos;
  for (int subdomain = 0; subdomain < cut.subdomains(); ++subdomain)
    halos.push_back(halos_of(program, cut, subdomain));
  for (int subdomain = 0; subdomain < cut.subdomains(); ++subdomain) {
    for (size_t h = 0; h < halos[0].size(); ++h) {
      EXPECT_EQ(halos[subdomain][h].tiles_per_exchange, halos[0][h].tiles_per_exchange);
      EXPECT_EQ(halos[subdomain][h].common_tile, halos[0][h].common_tile);
      EXPECT_EQ(halos[subdomain][h].same_as, halos[0][h].same_as);
      for (const ir::PatchExchange& own : halos[subdomain][h].exchanges) {
        const auto* other = find(halos[own.subdomain][h], subdomain, own.receive_tag);
        ASSERT_NE(other, nullptr);
        EXPECT_EQ(other->receive_tag, own.send_tag);
        ASSERT_EQ(other->sent.size(), own.received.size());
        for (size_t p = 0; p < own.received.size(); ++p) {
          EXPECT_EQ(other->sent[p].field, own.received[p].field);
          EXPECT_EQ(other->sent[p].level, own.received[p].level);
          EXPECT_EQ(other->sent[p].box, in_grid(program, cut, own.received[p]));
          EXPECT_EQ(ir::count(other->sent[p].box), ir::count(own.received[p].box));
        }
      }
    }
  }
}

// The messages from all sides cover the halo, each point once.
void expect_whole_halos(const ir::Program& program, const Decomposition& cut, int subdomain) {
  const auto halos = halos_of(program, cut, subdomain);
  for (size_t h = 0; h < halos.size(); ++h) {
    for (const Need& need : cut.needs.by_occasion[h]) {
      const ir::Box& box = program.fields[need.field].box;
      const ir::Points owned = cut.owned(subdomain, program.fields[need.field].domain);
      ir::Points inner, outer;
      for (size_t d = 0; d < owned.size(); ++d) {
        const bool wraps = cut.wraps[d];
        const int64_t low = wraps ? INT64_MIN : low_of(box, d);
        const int64_t high = wraps ? INT64_MAX : high_of(box, d);
        inner.push_back({std::max(low, owned[d][0]), std::min(high, owned[d][1])});
        outer.push_back({std::max(low, owned[d][0] - need.margin[d].low),
                         std::min(high, owned[d][1] + need.margin[d].high)});
      }
      int64_t received = 0;
      for (const ir::PatchExchange& exchange : halos[h].exchanges) {
        for (const ir::Patch& patch : exchange.received) {
          if (patch.field == need.field && patch.level == need.level) {
            received += ir::count(patch.box);
          }
        }
      }
      EXPECT_EQ(received, ir::count(outer) - ir::count(inner));
    }
  }
}

// All values that a piece reads are in memory, and those that it computes lie in memory.
void expect_reads_in_memory(const ir::Program& own, const ir::Piece& piece, ir::DomainId domain) {
  for (size_t d = 0; d < piece.region.ranges.size(); ++d) {
    const int64_t first = low_of(piece.region, d), last = high_of(piece.region, d);
    if (first > last) return;
    EXPECT_GE(first, low_of(own.domains[domain].box, d));
    EXPECT_LE(last, high_of(own.domains[domain].box, d));
    for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
      const ir::Field& field = own.fields[access->field];
      if (field.read_in_place()) continue;
      const ir::IndexMap& map = access->maps[d];
      EXPECT_TRUE(access->escapes_below(d) || map.of(first) >= low_of(field.box, d));
      EXPECT_TRUE(access->escapes_above(d) || map.of(last) <= high_of(field.box, d));
    }
  }
}

// Every point that a subdomain owns is in the region of a piece, as in the whole program.
int64_t owned_points_computed(const Decomposition& cut, int subdomain,
                              const ir::Function& function) {
  const ir::Points owned = cut.owned(subdomain, function.domain);
  int64_t points = 0;
  for (const ir::Piece& piece : function.pieces) {
    ir::Points common;
    for (size_t d = 0; d < owned.size(); ++d) {
      common.push_back({std::max(owned[d][0], low_of(piece.region, d)),
                        std::min(owned[d][1], high_of(piece.region, d))});
    }
    points += ir::count(common);
  }
  return points;
}

void expect_functions_computable(const ir::Program& program, const Decomposition& cut,
                                 int subdomain, const ir::Program& own) {
  for (size_t f = 0; f < own.functions.size(); ++f) {
    const ir::Function& function = own.functions[f];
    for (const ir::Piece& piece : function.pieces) {
      expect_reads_in_memory(own, piece, function.domain);
    }
    EXPECT_EQ(owned_points_computed(cut, subdomain, function),
              owned_points_computed(cut, subdomain, program.functions[f]))
        << function.name;
  }
  for (const ir::Reduction& reduction : own.reductions) {
    expect_reads_in_memory(own, reduction.piece, reduction.domain);
  }
}

TEST(Subdomains, SendsAndReceivesMatch) {
  std::mt19937 random(3);
  for (const char* text : kPrograms) {
    const ir::Program program = program_at(text);
    for (int turn = 0; turn < 20; ++turn) {
      Cuts cuts;
      for (int d = 0; d < program.grid().rank(); ++d) {
        cuts.push_back(1 + static_cast<int>(random() % 4));
      }
      if (!program.reductions.empty()) {
        // Reduction tiles of 32 rows cross cuts. One reduction is over dimension 1, so that
        // dimension cannot be cut.
        cuts = {std::min(cuts[0], 2), 1};
      }
      Diagnostics diagnostics;
      const auto cut = decompose(program, cuts, 1 + random() % 3, diagnostics);
      ASSERT_TRUE(cut) << text << print(cuts) << render(Source("", ""), diagnostics);
      expect_matching(program, *cut, halos_of);
      expect_matching(program, *cut, halos_of_start);
      for (int subdomain = 0; subdomain < cut->subdomains(); ++subdomain) {
        expect_whole_halos(program, *cut, subdomain);
        const ir::Program own = restrict_to(program, *cut, subdomain);
        EXPECT_EQ(ir::verify(own), std::vector<std::string>{}) << text << print(cuts);
        expect_functions_computable(program, *cut, subdomain, own);
        ASSERT_TRUE(own.origin.subdomain);
        EXPECT_EQ(own.origin.subdomain->number, subdomain);
      }
    }
  }
}

// Regions are clipped to the points whose reads are stored.
// Coordinates are those of the whole grid.
TEST(Subdomains, StoreAllPointsThatTheyRead) {
  const ir::Program program = program_at(R"(
grid G = [0..99] steps 9;
field A : real on G boundary clamp;
stencil f : A on G = A[-1] + A[2];
)");
  Diagnostics diagnostics;
  const auto cut = decompose(program, {2}, 3, diagnostics);
  ASSERT_TRUE(cut);
  const int64_t bound = cut->bounds[0][0][1];
  const ir::Program low = restrict_to(program, *cut, 0), high = restrict_to(program, *cut, 1);
  EXPECT_EQ(low_of(low.fields[0].box, 0), 0);
  EXPECT_EQ(high_of(low.fields[0].box, 0), bound - 1 + 6);
  EXPECT_EQ(high_of(low.functions[0].pieces[0].region, 0), bound - 1 + 6 - 2);
  EXPECT_EQ(low.fields[0].boundary[0].low.kind, ir::BoundaryKind::Clamp);
  EXPECT_EQ(low.fields[0].boundary[0].high.kind, ir::BoundaryKind::None);
  EXPECT_EQ(low_of(high.fields[0].box, 0), bound - 3);
  EXPECT_EQ(low_of(high.functions[0].pieces[0].region, 0), bound - 3 + 1);
  EXPECT_EQ(high_of(high.functions[0].pieces[0].region, 0), 99);
}

// g reads values of A that f computes locally, so no halo of A is received.
TEST(Subdomains, StoreAllPointsThatTheyCompute) {
  const ir::Program program = program_at(R"(
grid G = [0..99] steps 9;
field A, B : real on G;
stencil f : A on [i in 0..99] = 0.5 * i;
stencil g : B[2..99] = A[-2];
)");
  Diagnostics diagnostics;
  const auto cut = decompose(program, {2}, 3, diagnostics);
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->needs.by_occasion[0].empty());
  const ir::Program high = restrict_to(program, *cut, 1);
  EXPECT_EQ(low_of(high.fields[0].box, 0), cut->bounds[0][0][1] - 2);
  EXPECT_EQ(low_of(high.functions[1].pieces[0].region, 0), cut->bounds[0][0][1]);
}

void expect_refusal(const std::string& text, const Cuts& cuts, const std::string& code,
                    const std::string& words) {
  const ir::Program program = program_at(text);
  Diagnostics diagnostics;
  EXPECT_FALSE(decompose(program, cuts, 4, diagnostics)) << text;
  ASSERT_TRUE(diagnostics.has_errors()) << text;
  EXPECT_EQ(diagnostics.items().front().code, code);
  EXPECT_NE(diagnostics.items().front().message.find(words), std::string::npos)
      << diagnostics.items().front().message;
}

TEST(Subdomains, RefusalsNameTheReason) {
  const std::string smooth = R"(
grid G = [0..19, 0..39] steps 4;
field A : real on G boundary clamp;
stencil f : A on G = A[-3,0] + A[0,1];
)";
  expect_refusal(smooth, {8, 1}, "L031", "narrower in y");
  expect_refusal(smooth, {1, 41}, "L031", "41 subdomains along x, which has only 40 points");
  expect_refusal(R"(
grid G = [0..19, 0..39] steps 4;
field A : real on G;
stencil f : A on G = A[0,0];
reduce r = sum(A[0,0]) over 1 on G;
)",
                 {1, 2}, "L030", "reduces over points of several subdomains in x");
  const std::string mixed = R"(
grid G = [0..39, 0..39] steps 4;
field A : real on G boundary periodic;
field B : real on G boundary [periodic, clamp];
stencil f : A on G = A[0,1] + B[0,1];
)";
  expect_refusal(mixed, {1, 2}, "L030", "'B' is not periodic in x");
  Diagnostics diagnostics;
  EXPECT_TRUE(decompose(program_at(mixed), {2, 1}, 1, diagnostics));
  expect_refusal(R"(
grid G = [0..39] steps 4;
subgrid S of G = [1..38];
field A : real on G boundary periodic;
field B : real on S;
stencil f : A on G = A[1];
stencil g : B on S = A[0];
)",
                 {2}, "L030", "'B' does not span the grid in x");
  expect_refusal(R"(
grid G = [0..39] steps 4;
points p [0..3] on G;
field v : real on p constant;
field A : real on G boundary periodic;
stencil f : A on G = A[1] + v;
)",
                 {2}, "L030",
                 "'v' is a value at points, which cannot be cut where fields are periodic in x");
}

// Takes fewer steps per exchange than requested if the subdomains are too small.
TEST(Subdomains, TakeFewerStepsIfTheyAreSmall) {
  Diagnostics diagnostics;
  const auto cut = decompose(program_at(R"(
grid G = [0..39] steps 4;
field A : real on G boundary clamp;
stencil f : A on G = A[-3];
)"),
                             {4}, 8, diagnostics);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->steps, 3);
  EXPECT_EQ(cut->needs.lasts, (std::vector<int64_t>{3}));
}

}  // namespace
}  // namespace stencil::decompose
