// What `run` reports if results become NaN or infinite: at the end and in any file of the run.
#include <string>
#include <vector>

#include "tests/e2e/tool.h"

namespace stencil {
namespace {

// U stays finite. Values computed from U exceed the range of a float.
constexpr const char* kHead =
    "grid G = [0..19, 0..9] steps 6;\n"
    "field U : real on G;\n"
    "points mics [0..2] on G;\n"
    "init mics[p] = { 4.5 + p, 5 };\n"
    "init U[i,j] = 1 + i;\n"
    "stencil s : U on G = U[0,0] * 1.5;\n";

struct NonFiniteCase {
  const char* items;
  const char* message;
};
const NonFiniteCase kNonFiniteCases[] = {
    {"record trace [0..5] = 1e38 * U[0,0] at mics;\n", "error R083: trace has "},
    {"record trace [0..5] = sqrt(20 - U[0,0]) at mics;\n", "error R083: trace has "},
    {"reduce total = sum(1e37 * U[0,0]) over 1 on G;\n", "error R083: total has 20 infinite"},
    {"reduce total = max(1e38 * U[0,0]) over 0 on G;\n", "error R083: total has 10 infinite"},
    {"reduce total = min(-1e38 * U[0,0]) on G;\n", "error R083: the reduction total is infinite"},
    {"reduce total = sum(1e37 * U[0,0]) on G every 4;\n",
     "error R083: the reduction total is infinite"},
};

class NanResults : public Tool {
 protected:
  std::vector<std::string> devices() const {
    std::vector<std::string> out = {"reference"};
    const std::string found = stencilc("devices").out;
    if (holds(found, "host        yes")) out.insert(out.end(), {"host", "host --gpus 2"});
    if (holds(found, "opencl      yes")) out.push_back("opencl");
    return out;
  }
};

TEST_F(NanResults, AreAnErrorInRecordsProfilesAndReductions) {
  for (const std::string& device : devices()) {
    for (const NonFiniteCase& one : kNonFiniteCases) {
      write("p.stn", std::string(kHead) + one.items);
      const Outcome run = stencilc("run p.stn --device " + device);
      EXPECT_EQ(run.status, 4) << device << "\n" << one.items << run.err;
      EXPECT_TRUE(holds(run.err, one.message)) << device << "\n" << run.err;
      EXPECT_TRUE(holds(run.err, "; the initial values had none")) << run.err;
    }
  }
  write("p.stn", std::string(kHead) + kNonFiniteCases[0].items);
  const Outcome written = stencilc("run p.stn --device reference --out trace=t.npy");
  EXPECT_EQ(written.status, 4) << written.err;
  EXPECT_FALSE(holds(written.err, "R081")) << "once is enough\n" << written.err;
  const Outcome continued = stencilc("run p.stn --device reference --on-nan continue");
  EXPECT_EQ(continued.status, 0) << continued.err;
  EXPECT_TRUE(holds(continued.err, "warning R083: trace has ")) << continued.err;
  EXPECT_EQ(stencilc("run p.stn --device reference --on-nan ignore").status, 0);
}

// The minimum over no points is +infinity, which is no error.
TEST_F(NanResults, ValuesOfNoPointsAreNone) {
  write("p.stn", std::string(kHead) +
                     "reduce a = min(U[0,0]) on G where U[0,0] < 0;\n"
                     "reduce b = max(U[0,0]) over 1 on G where U[0,0] < 9;\n");
  for (const std::string& device : devices()) {
    const Outcome run = stencilc("run p.stn --device " + device);
    EXPECT_EQ(run.status, 0) << device << "\n" << run.err;
    EXPECT_EQ(run.err, "") << device;
    ASSERT_EQ(stencilc("run p.stn --checkpoint c.ckpt --device " + device).status, 0);
    const Outcome more = stencilc("run p.stn --restart c.ckpt --steps 8 --device " + device);
    EXPECT_EQ(more.status, 0) << more.err;
  }
  // The infinity of such a minimum does not count as an infinite initial value: results that become
  // infinite later are errors.
  write("q.stn", std::string(kHead) +
                     "reduce a = max(U[0,0]) over 1 on G where U[0,0] < 0;\n"
                     "reduce b = sum(1e34 * U[0,0]) on G;\n");
  const std::string run = "run q.stn --device reference";
  ASSERT_EQ(stencilc(run + " --steps 2 --checkpoint c.ckpt").status, 0);
  const Outcome ended = stencilc(run + " --steps 12 --restart c.ckpt");
  EXPECT_EQ(ended.status, 4);
  EXPECT_TRUE(holds(ended.err, "error R083: the reduction b is infinite at step 12")) << ended.err;
}

// The values are finite again at the end, but files of earlier steps contain infinities.
TEST_F(NanResults, InFilesOfEarlierStepsCount) {
  write("p.stn",
        "grid G = [0..9, 0..9] steps 6;\nfield T : real on G history 2;\n"
        "init T[i,j] = 1;\n"
        "stencil s : T[i in 0..9, j in 0..9] = select(time == 3 and i == 2, 1 / (T[0,0] - T[0,0]), "
        "1);\n"
        "reduce most = max(T[0,0]) on G;\n");
  for (const std::string& device : devices()) {
    const std::string run = "run p.stn --device " + device;
    EXPECT_EQ(stencilc(run).status, 0) << device;
    const Outcome series = stencilc(run + " --out T=t.npy --every 2");
    EXPECT_EQ(series.status, 4) << device << series.err;
    EXPECT_TRUE(holds(series.err, "error R083: T has 10 infinite among 100 values at step 4"))
        << series.err;
    const Outcome history = stencilc(run + " --history h.csv");
    EXPECT_EQ(history.status, 4) << device << history.err;
    EXPECT_TRUE(holds(history.err, "error R083: the reduction most is infinite at step 4"))
        << history.err;
    const Outcome older = stencilc(run + " --steps 5 --out T@-1=t.npy");
    EXPECT_EQ(older.status, 4) << device << older.err;
    EXPECT_TRUE(holds(older.err, "error R083: T@-1 has 10 infinite")) << older.err;
  }
}

}  // namespace
}  // namespace stencil
