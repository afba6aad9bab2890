// Point sets, and the fields and series on them.
#include <gtest/gtest.h>

#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

const std::string kPlaces =
    "grid G = [0..7, 0..9] steps 4; subgrid H of G = [2..5, 3..6]; field A : real on G;"
    "points p, q [1..3] on H; points r [0..0] on G weights 3;";

TEST(Points, AreFieldsIndexedByPointNumber) {
  const ir::Program program =
      program_of(kPlaces +
                 "field g : vector 2 of real on p constant; series w : double [-1..5] on q;"
                 "stencil s : A on G = g[1] + float(w[time + 1]) + r;");
  const ir::Field& p = program.fields.at(0);
  const ir::Field& q = program.fields.at(1);
  const ir::Field& r = program.fields.at(2);
  EXPECT_EQ(p.dimensions(), std::vector<int>{ir::kPoints});
  EXPECT_EQ(p.components.size(), 2u);
  EXPECT_EQ(p.as_point_set()->width, 2);
  EXPECT_FALSE(p.as_point_set()->weighted);
  EXPECT_EQ(p.box.ranges.at(0).low.constant, 1);
  EXPECT_EQ(p.as_point_set()->within.ranges.at(1).high.constant, 6);
  EXPECT_EQ(*q.set(), 1);
  EXPECT_EQ(r.components.size(), 2u + 2u * 3u);
  EXPECT_EQ(r.components.at(5).path, ".weight[1][0]");
  EXPECT_TRUE(r.as_point_set()->weighted);
  EXPECT_EQ(*program.fields.at(4).set(), 0);  // g is declared after A
  EXPECT_EQ(program.fields.at(5).dimensions(), (std::vector<int>{ir::kTime, ir::kPoints}));
  EXPECT_EQ(*program.fields.at(5).set(), 1);
  EXPECT_EQ(ir::verify(program), std::vector<std::string>());
}

TEST(Points, AreReadAtTheCurrentPoint) {
  const ir::Program program = program_of(
      kPlaces + "series w : double [0..3] on p; stencil s : A on G = float(w[time]) * r;");
  const ir::Graph& graph = program.functions.at(0).pieces.at(0).graph;
  std::vector<Scalar> types;
  for (const ir::Node& node : graph.nodes()) {
    const auto* access = std::get_if<ir::Access>(&node.kind);
    if (!access) continue;
    EXPECT_TRUE(access->in_place && access->at_points && !access->per_step);
    types.push_back(node.type);
  }
  EXPECT_EQ(types, (std::vector<Scalar>{Scalar::F64, Scalar::F32}));
}

// The types of the accesses at points, in order, and of the weights of each point set.
std::string types_at_points(const std::string& items) {
  const ir::Program program = program_of(
      "grid G = [0..7, 0..9] steps 4; field A : float on G; field D : double on G;"
      "points p, q [1..3] on G; series v : float [0..3] on p; series w : double [0..3] on p;" +
      items);
  EXPECT_EQ(ir::verify(program), std::vector<std::string>());
  std::string out;
  for (const ir::Function& function : program.functions) {
    for (const ir::Node& node : function.pieces.at(0).graph.nodes()) {
      const auto* access = std::get_if<ir::Access>(&node.kind);
      if (access && access->at_points) out += std::string(name(node.type)) + " ";
    }
  }
  for (const ir::Field& field : program.fields) {
    if (field.is_point_set())
      out += fmt::format("{}:{} ", field.name, name(field.as_point_set()->weight));
  }
  return out;
}

TEST(Points, WeighInTheTypeOfWhatTheyMeet) {
  EXPECT_EQ(types_at_points("stencil s : A on G = A[0,0] + 0.1 * p;"), "float p:float q:float ");
  EXPECT_EQ(types_at_points("stencil s : D on G = D[0,0] + 0.1 * p;"), "double p:double q:float ");
  EXPECT_EQ(types_at_points("stencil s : D on G = 0.1 * p;"), "double p:double q:float ");
  EXPECT_EQ(types_at_points("stencil s : D on G = double(p) / 3;"), "double p:double q:float ");
  EXPECT_EQ(types_at_points("stencil s : A, D on G = { A = A[0,0] + p, D = D[0,0] + p };"),
            "float double p:double q:float ");
  EXPECT_EQ(types_at_points("stencil s : A on G = v[time];"), "float p:float q:float ");
  EXPECT_EQ(types_at_points("stencil s : A on G = A[0,0]; record t [0..3] = D[0,0] at q;"),
            "p:float q:double ");
  EXPECT_EQ(types_at_points("stencil s : A on G = A[0,0]; record t [0..3] = double(A[0,0]) at q;"),
            "p:float q:double ");
}

TEST(Points, FloatsBesideDoublesAreRounded) {
  const auto messages = [](const std::string& value) {
    return analyze_text(
               "grid G = [0..7] steps 4; field D : double on G; points p [1..3] on G;"
               "series v : float [0..3] on p; series w : double [0..3] on p;"
               "stencil s : D on G = " +
               value + ";")
        .messages;
  };
  EXPECT_NE(messages("D[0] + v[time]").find("S107"), std::string::npos);
  EXPECT_NE(messages("v[time]").find("S107"), std::string::npos);
  for (const char* value : {"D[0] + w[time]", "w[time]", "D[0] + 0.1 * p", "p", "p * w[time]"}) {
    EXPECT_EQ(messages(value).find("S107"), std::string::npos) << value << messages(value);
  }
}

}  // namespace
}  // namespace stencil::test
