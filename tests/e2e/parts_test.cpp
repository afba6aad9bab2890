// Runs of several parts: in one process, and as ranks of MPI.
#include <cstdlib>

#include "tests/e2e/tool.h"

namespace stencil {
namespace {

constexpr const char* kWave = R"(
param N : integer = 161;
grid G = [0..N-1, 0..N+2] steps 40;
field U : real on G history 2 boundary [clamp, periodic];
reduce most = max(U[0,0]) on G every 7;
stencil wave : U on G = 1.5 * U[0,0] - 0.5 * U@-1[0,0]
  + 0.1 * (U[-1,0] + U[1,0] + U[0,-2] + U[0,2] - 4 * U[0,0]);
init U[i,j] = select(i * 7 % 11 == j % 5, 1.0, 0.0);
)";

class Parts : public Tool {
 protected:
  Parts() { write("wave.stn", kWave); }

  // The file that one device writes.
  std::string alone(const std::string& further = "") {
    const Outcome run = stencilc("run wave.stn --device reference --out U=alone.npy " + further);
    EXPECT_EQ(run.status, 0) << run.err;
    return read(file("alone.npy"));
  }

  // As ranks; the status of the launcher.
  int ranks(int count, const std::string& arguments) {
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);
    const std::string command = "cd '" + file("").string() +
                                "' && timeout 100 " STENCIL_MPIEXEC " -n " + std::to_string(count) +
                                " '" STENCIL_BINARY "' " + arguments +
                                " >out.txt 2>err.txt </dev/null";
    return std::system(command.c_str());
  }
};

TEST_F(Parts, HaveTheBitsOfOneDevice) {
  const std::string whole = alone();
  for (const std::string parts : {"3", "2x2 --exchange 5", "1x4 --schedule direct"}) {
    const Outcome run = stencilc("run wave.stn --device host --out U=parts.npy --gpus " + parts);
    ASSERT_EQ(run.status, 0) << parts << run.err;
    EXPECT_EQ(read(file("parts.npy")), whole) << parts;
  }
}

// Halos are exchanged while the inside of a tile is yet to be computed: with chunks of planes that
// end where a halo does, or do not; with tiles at the sides of the grid, whose chunks are shorter,
// or without.
TEST_F(Parts, ExchangeAheadOfTheInsideOfATile) {
  write("wide.stn", R"(
grid G = [0..149, 0..639] steps 23;
field A : real on G;
field B : real on G constant;
stencil s : A[1..148, 1..638] = 0.2 * (A[0,0] + A[-1,0] + A[1,0] + A[0,-1] + A[0,1]) * B[0,0]
  + 0.01 * A[1,1];
init A[i,j] = sin(0.37 * i + 0.91 * j);
init B[i,j] = 1.0 + 0.1 * sin(0.11 * i * j);
)");
  ASSERT_EQ(stencilc("run wide.stn --device reference --out A=alone.npy").status, 0);
  for (const std::string chunk : {"3", "4", "7", "12"}) {
    for (const std::string edges : {"split", "tested"}) {
      const std::string line =
          "\"streaming T=4 block=32x1 elements=1x1 chunk=" + chunk + " edges=" + edges + "\"";
      for (const std::string parts : {"1x2", "1x3"}) {
        const Outcome run = stencilc("run wide.stn --device host --exchange 4 --schedule " + line +
                                     " --out A=parts.npy --gpus " + parts);
        ASSERT_EQ(run.status, 0) << run.err;
        EXPECT_EQ(read(file("parts.npy")), read(file("alone.npy"))) << line << parts;
      }
    }
  }
}

TEST_F(Parts, GoOnFromACheckpointOfOneDeviceAndBack) {
  const std::string whole = alone();
  ASSERT_EQ(stencilc("run wave.stn --steps 13 --device host --gpus 2x2 --checkpoint a.ckpt").status,
            0);
  ASSERT_EQ(
      stencilc("run wave.stn --steps 29 --device host --restart a.ckpt --checkpoint b.ckpt").status,
      0);
  const Outcome run =
      stencilc("run wave.stn --device host --gpus 3 --restart b.ckpt --out U=parts.npy");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read(file("parts.npy")), whole);
}

TEST_F(Parts, ThatCannotBeAreRefusedWithTheReason) {
  EXPECT_TRUE(holds(stencilc("run wave.stn --device host --gpus 2x2x2").err, "L032"));
  EXPECT_TRUE(holds(stencilc("run wave.stn --device host --gpus 1x60").err, "L031"));
  EXPECT_TRUE(holds(stencilc("run wave.stn --device reference --gpus 2").err, "R045"));
  EXPECT_TRUE(holds(stencilc("run wave.stn --ranks 2").err, "R092"));
}

TEST_F(Parts, AreRanks) {
  if (std::string(STENCIL_MPIEXEC).empty()) GTEST_SKIP() << "no MPI is installed";
  const std::string whole = alone();
  for (const int count : {2, 3, 4}) {
    ASSERT_EQ(ranks(count, "run wave.stn --device host --out U=ranks.npy"), 0)
        << read(file("err.txt"));
    EXPECT_EQ(read(file("ranks.npy")), whole) << count;
  }
  EXPECT_NE(ranks(3, "run wave.stn --device host --ranks 2x2"), 0);
  EXPECT_TRUE(holds(read(file("err.txt")), "R095")) << read(file("err.txt"));
}

// A rank is killed in the middle; the checkpoint is whole, and one device goes on from it.
TEST_F(Parts, LeaveAWholeCheckpointWhenARankIsKilled) {
  if (std::string(STENCIL_MPIEXEC).empty()) GTEST_SKIP() << "no MPI is installed";
  const std::string steps = " --steps 100000 --device host --schedule direct ";
  const std::string kill =
      "(for i in $(seq 400); do test -e k.ckpt && break; sleep 0.05; done; sleep 0.1; "
      "pkill -9 -n -f 'checkpoint k.ckp[t]') &";
  ASSERT_EQ(std::system(("cd '" + file("").string() + "' && " + kill).c_str()), 0);
  EXPECT_NE(ranks(2, "run wave.stn" + steps + "--checkpoint k.ckpt --checkpoint-every 1000"), 0);
  ASSERT_TRUE(std::filesystem::exists(file("k.ckpt"))) << read(file("err.txt"));
  const Outcome on = stencilc("run wave.stn" + steps + "--restart k.ckpt --out U=on.npy");
  ASSERT_EQ(on.status, 0) << on.err;
  ASSERT_EQ(stencilc("run wave.stn" + steps + "--out U=all.npy").status, 0);
  EXPECT_EQ(read(file("on.npy")), read(file("all.npy")));
}

}  // namespace
}  // namespace stencil
