// Acoustic waves under a free surface, with selectable order of accuracy: a family of programs that
// a single program text cannot express. The first dimension is depth; a damping layer absorbs waves
// at the other edges.
#include <cstdio>
#include <string>
#include <vector>

#include "stencil/builder.h"

using namespace stencil::dsl;

namespace {

// Weights of the second derivative, for the centre and its neighbours, in orders 2, 4 and 6.
const std::vector<std::vector<double>> kWeights = {
    {-2.0, 1.0},
    {-5.0 / 2, 4.0 / 3, -1.0 / 12},
    {-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90},
};

Expr laplacian(const Field& p, const std::vector<double>& weights) {
  Expr sum = 2 * weights[0] * p(0, 0);
  for (int r = 1; r < static_cast<int>(weights.size()); ++r) {
    sum += weights[static_cast<size_t>(r)] * (p(-r, 0) + p(r, 0) + p(0, -r) + p(0, r));
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string given = argc > 1 ? argv[1] : "4";
  const int order = given == "2" ? 2 : given == "4" ? 4 : given == "6" ? 6 : 0;
  if (order == 0 || argc > 2) {
    std::fputs("usage: acoustic2d [2 | 4 | 6]\n", stderr);
    return 2;
  }
  const std::vector<double>& weights = kWeights[static_cast<size_t>(order / 2 - 1)];

  stencil::Builder b("acoustic2d");
  const auto depth = b.param("depth", 256);
  const auto width = b.param("width", 384);
  const auto layer = b.param("layer", 24);  // thickness in points
  const auto courant = b.param("courant", 0.4);
  b.require(depth > layer and width > 2 * layer and layer >= 1);
  b.require(courant > 0 and courant < 0.7);
  const auto G = b.grid("G", {extent(depth), extent(width)}, 500);

  // Pressure is 0 above the surface; the damping layer protects the other edges.
  const auto p = b.field("p", real, G, {.history = 2, .boundary = {{constant(0), clamp}, clamp}});
  const auto speed = b.field("speed", real, G, {.constant = true});  // relative speed of sound
  const auto damp = b.field("damp", real, G, {.constant = true});

  const auto wave = b.stencil("wave", p);
  const auto s = wave.let("s", damp(0, 0));
  const auto c = wave.let("c", courant * speed(0, 0));
  wave.piece(G, (2 * p(0, 0) - (1 - s) * p.at(-1)(0, 0) + c * c * laplacian(p, weights)) / (1 + s));

  const Index z("z"), x("x");
  const auto square = [](const Expr& e) { return e * e; };
  const auto within = min(depth - 1 - z, min(x, width - 1 - x));  // points to the nearest edge
  b.init(p, {z, x}, exp(-(square(z - depth / 4) + square(x - width / 2)) / 18.0));
  b.init(speed, {z, x}, select(z < depth / 2, 0.6, 1.0));  // two layers of rock
  b.init(damp, {z, x}, 0.2 * square(max(0, layer - within) / (1.0 * layer)));

  const stencil::BuildResult built = b.finish();
  std::fputs(built.report().c_str(), stderr);
  if (!built) return 1;
  std::fputs(built.program->text().c_str(), stdout);
  return 0;
}
