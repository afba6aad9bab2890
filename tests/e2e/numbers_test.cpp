// Numbers on which all devices must agree: integers out of range, random numbers, and real numbers
// that take their type from the context.
#include "tests/e2e/tool.h"

namespace stencil {
namespace {

// Applies every integer operation to values for which it overflows.
const char* const kIntegers = R"(
param N : integer = 40;
grid G = [0..N-1, 0..3] steps 3;
field u : integer on G boundary periodic;
field w : long on G boundary periodic;
field d : double on G;
field f : float on G;
stencil s : u on G = u[0,0] * u[-1,0] + 12345 * u[1,0] - abs(u[0,0]) + (-u[1,0]) + (u[0,0] << (u[1,0] & 40))
                   + u[0,0] / u[1,0] + u[0,0] % u[1,0] + integer(d[0,0]) + integer(f[0,0]);
stencil t : w on G = w[0,0] * w[1,0] - abs(w[-1,0]) * 3 + (-w[0,0]) + long(d[0,0]) + w[0,0] / w[1,0] + u[0,0];
stencil x : d[i in 0..N-1, j in 0..3] = 1e10 * (2 * random(i, j, time, 3) - 1);
stencil y : f[i in 0..N-1, j in 0..3] = 1e20 * (2 * random(i, time, u[0,0], i, i + 1, 99) - 1);
init u[i,j] = select(i % 3 == 0, -2147483647 - 1, select(i % 3 == 1, -1, integer(4294967296.0 * random(i, j, 1))));
init w[i,j] = select(i % 3 == 0, -9223372036854775807 - 1, select(i % 3 == 1, -1, 4611686018427387904 + j));
init d[i,j] = 1e300 * (random(i, j, 2) - 0.5);
init f[i,j] = 1e30 * (random(i, j, 2) - 0.5);
reduce all = sum(u[0,0]) on G;
reduce product = prod(w[0,0]) on G;
reduce rows = sum(u[0,0]) over 1 on G;
)";

class Numbers : public Tool {
 protected:
  bool has(const std::string& device) const {
    return holds(stencilc("devices").out, device + std::string(12 - device.size(), ' ') + "yes");
  }
};

TEST_F(Numbers, OutOfRangeAreEqualOnAllDevices) {
  write("a.stn", kIntegers);
  std::string files[2];
  for (const std::string device : {"reference", "host", "opencl"}) {
    if (device != "reference" && !has(device)) continue;
    const Outcome run = stencilc("run a.stn --device " + device +
                                 " --out u=u.npy --out w=w.npy --out d=d.npy --out f=f.npy "
                                 "--out rows=r.npy");
    ASSERT_EQ(run.status, 0) << run.err;
    std::string all;
    for (const char* name : {"u.npy", "w.npy", "d.npy", "f.npy", "r.npy"}) all += read(file(name));
    if (device == "reference") files[0] = all;
    EXPECT_TRUE(all == files[0]) << device;
  }
}

TEST_F(Numbers, OutOfRangeHaveDefinedResultsInEmittedCode) {
  write("a.stn", kIntegers);
  ASSERT_EQ(stencilc("a.stn -o a.cpp --target cpp --main --schedule direct --open N").status, 0);
  const std::string command =
      "cd '" + file("").string() +
      "' && c++ -std=c++17 -O0 -fsanitize=undefined -fno-sanitize-recover=all -w a.cpp -o a && "
      "./a N=40 > out.txt 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << read(file("out.txt"));
}

TEST_F(Numbers, IntegerSumsExceed32Bits) {
  write("a.stn",
        "grid G = [0..69999] steps 1; field a, s : integer on G; stencil t : s on G = a[0];"
        "init a[i] = 40000; reduce total = sum(a[0]) on G;");
  const Outcome run = stencilc("run a.stn --device reference");
  EXPECT_TRUE(holds(run.out, "total = 2800000000")) << run.out << run.err;
}

TEST_F(Numbers, TakeTheTypeOfTheField) {
  write("a.stn",
        "grid G = [0..3] steps 1000; field u : double on G; stencil s : u on G = u[0] + 0.1 * time;"
        "reduce most = max(u[0]) on G;");
  const Outcome run = stencilc("run a.stn --device reference");
  EXPECT_TRUE(holds(run.out, "most = 49950") || holds(run.out, "most = 49949.9999999"))
      << run.out << run.err;
}

}  // namespace
}  // namespace stencil
