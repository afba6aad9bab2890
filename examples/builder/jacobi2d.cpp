// Five-point Jacobi sweeps on a square: the smallest complete program.
#include <cstdio>

#include "stencil/builder.h"

using namespace stencil::dsl;

int main() {
  stencil::Builder b("jacobi2d");
  const auto N = b.param("N", 512);
  b.require(N >= 3);
  const auto G = b.grid("G", {extent(N), extent(N)}, 100);
  const auto interior = b.subgrid("interior", G, {{1, N - 2}, {1, N - 2}});
  const auto A = b.field("A", real, G);

  b.stencil("jacobi", A, interior, 0.2 * (A(0, 0) + A(-1, 0) + A(1, 0) + A(0, -1) + A(0, 1)));

  const Index i("i"), j("j");
  b.init(A, {i, j}, select(i == 0, 100.0, 0.0));

  const stencil::BuildResult built = b.finish();
  std::fputs(built.report().c_str(), stderr);
  if (!built) return 1;
  std::fputs(built.program->text().c_str(), stdout);
  return 0;
}
