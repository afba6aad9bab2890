// Steps that read reductions: the speckle reduction example compared with loops written by hand,
// runs that resume from a checkpoint, and emitted programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/e2e/tool.h"

namespace stencil::test {
namespace {

// The step length depends on the largest speed. Functions read its value in this step and in the
// previous one.
constexpr const char* kSpeed =
    "param cfl : real = 0.4;\n"
    "grid G = [0..29, 0..40] steps 12;\n"
    "field U : real on G history 2 boundary clamp;\n"
    "field n : integer on G;\n"
    "stencil move : U on G = U[0,0] - dt@-1 * U[0,0] * (U[0,0] - U[0,-1]) + 0.001 * real(odd@-1);\n"
    "reduce fastest = max(abs(U[0,0])) on G;\n"
    "reduce dt = min(cfl / (fastest + abs(U[0,0] - U@-1[0,0]))) on G initial cfl / 4;\n"
    "stencil count : n[1..28, 1..40] = n[0,0] + select(dt > dt@-1, 1, integer(8 * U[0,0]));\n"
    "reduce odd = sum(n[0,0] % 2) on G initial 3;\n"
    "reduce rare = sum(U[0,0] * dt) on G every 5;\n"
    "stop when fastest > 1e6 or rare > 1e6;\n"
    "init U[i, j] = 1 + real((i * 7 + j * 5) % 11) / 11;\n";

using Image = std::vector<float>;

float square(float x) {
  return x * x;
}

// The sum over a square region in the order of the language: tiles of 32 x 32 points, 256 lanes.
float lanes_combined(std::vector<float>& lanes) {
  for (size_t s = lanes.size() / 2; s > 0; s /= 2) {
    for (size_t l = 0; l < s; ++l) lanes[l] += lanes[l + s];
  }
  return lanes[0];
}

template <class Value>
float sum(int side, Value value) {
  const int tiles = (side + 31) / 32;
  std::vector<float> of_tiles(256, 0.0f);
  for (int tile = 0; tile < tiles * tiles; ++tile) {
    std::vector<float> lanes(256, 0.0f);
    for (int point = 0; point < 1024; ++point) {
      const int i = tile / tiles * 32 + point / 32, j = tile % tiles * 32 + point % 32;
      if (i < side && j < side) lanes[point % 256] += value(i, j);
    }
    of_tiles[tile % 256] += lanes_combined(lanes);
  }
  return lanes_combined(of_tiles);
}

// One step of dsl-examples/srad.stn as loops.
void reduce_speckle(int size, int side, Image& image) {
  const auto at = [&](const Image& field, int i, int j) {
    return field[std::clamp(i, 0, size - 1) * size + std::clamp(j, 0, size - 1)];
  };
  const float points = static_cast<float>(side * side);
  const float total = sum(side, [&](int i, int j) { return at(image, i, j); });
  const float spread =
      sum(side, [&](int i, int j) { return square(at(image, i, j) - total / points); });
  const float s = spread * points / square(total);
  Image c(image.size());
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      const float here = at(image, i, j);
      const float up = at(image, i - 1, j) / here - 1, right = at(image, i, j + 1) / here - 1;
      const float left = at(image, i, j - 1) / here - 1, down = at(image, i + 1, j) / here - 1;
      const float lap = up + right + left + down;
      const float q =
          (square(up) + square(right) + square(left) + square(down)) / 2 - square(lap) / 16;
      c[i * size + j] = std::min(1.0f, (1 + s) * s / (q / square(1 + lap / 4) + square(s)));
    }
  }
  const Image old = image;
  const float dt = 0.5f;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      const float here = at(old, i, j);
      const float flow = at(c, i + 1, j) * (at(old, i + 1, j) - here) +
                         at(c, i, j + 1) * (at(old, i, j + 1) - here) +
                         at(c, i, j) * (at(old, i - 1, j) - here + at(old, i, j - 1) - here);
      image[i * size + j] = here + dt / 4 * flow;
    }
  }
}

class Statistics : public Tool {
 protected:
  Statistics() { write("speed.stn", kSpeed); }

  Image image(const std::string& name, size_t points) {
    const std::string bytes = read(file(name));
    Image values(points);
    EXPECT_GT(bytes.size(), points * sizeof(float));
    std::memcpy(values.data(), bytes.data() + bytes.size() - points * sizeof(float),
                points * sizeof(float));
    return values;
  }
  // The available devices that run kernels.
  std::vector<std::string> devices() {
    const std::string all = stencilc("devices").out;
    std::vector<std::string> present = {"reference"};
    for (const char* name : {"host", "opencl", "cuda"}) {
      const size_t at = all.find("\n" + std::string(name) + " ");
      const std::string line =
          at == all.npos ? "" : all.substr(at + 1, all.find('\n', at + 1) - at);
      if (line.find(" yes") != line.npos) present.push_back(name);
    }
    return present;
  }
  std::string run(const std::string& arguments) {
    const Outcome outcome = stencilc("run " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }
};

TEST_F(Statistics, SpeckleReductionEqualsPlainLoops) {
  constexpr int kSize = 70, kSide = 45, kSteps = 6;
  const std::string program = "'" STENCIL_SOURCE_DIR
                              "/dsl-examples/srad.stn' -D N=70 -D side=45 "
                              "--fp strict ";
  run(program + "--steps 0 --device reference --out I=start.npy");
  Image expected = image("start.npy", kSize * kSize);
  for (int step = 0; step < kSteps; ++step) reduce_speckle(kSize, kSide, expected);
  for (const std::string& device : devices()) {
    run(program + "--steps 6 --out I=end.npy --device " + device);
    EXPECT_TRUE(image("end.npy", kSize * kSize) == expected) << device;
  }
}

TEST_F(Statistics, ResumeFromACheckpoint) {
  for (const std::string& device : devices()) {
    const std::string on = " --fp strict --device " + device;
    const std::string whole = run("speed.stn --out U=u.npy --out n=n.npy" + on);
    run("speed.stn --steps 7 --checkpoint c.ckpt" + on);
    const std::string rest = run("speed.stn --restart c.ckpt --out U=u2.npy --out n=n2.npy" + on);
    EXPECT_TRUE(read(file("u.npy")) == read(file("u2.npy"))) << device << " u";
    EXPECT_TRUE(read(file("n.npy")) == read(file("n2.npy"))) << device << " n";
    EXPECT_NE(reductions(whole), "");
    EXPECT_EQ(reductions(whole), reductions(rest)) << device;
    std::filesystem::copy(file("u.npy"), file("first.npy"),
                          std::filesystem::copy_options::skip_existing);
    EXPECT_TRUE(read(file("u.npy")) == read(file("first.npy"))) << device << " u";
  }
}

TEST_F(Statistics, AreVerified) {
  const Outcome verified = stencilc("verify speed.stn --quick --full --schedule direct");
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  EXPECT_NE(verified.out.find("same bits"), std::string::npos) << verified.out;
  const std::string in = "cd '" + (root_ / "work").string() + "' && ";
  ASSERT_EQ(stencilc("speed.stn -o speed.cpp --main --fp strict").status, 0);
  ASSERT_EQ(std::system((in + "c++ -std=c++17 -ffp-contract=off -o speed speed.cpp 2>log").c_str()),
            0)
      << read(file("log"));
  ASSERT_EQ(std::system((in + "./speed --repeat 0 >log 2>&1").c_str()), 0) << read(file("log"));
  EXPECT_NE(read(file("log")).find("check=passed"), std::string::npos) << read(file("log"));
}

}  // namespace
}  // namespace stencil::test
