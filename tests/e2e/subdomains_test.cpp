// Runs over several subdomains: in one process, and as MPI ranks.
#include <cstdlib>
#include <map>
#include <random>

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

// Fields of all kinds. Files convert bfloat and interleave the members of structures.
constexpr const char* kKinds = R"(
param N : integer = 130;
type cell = { rho : real, u : vector 2 of real };
grid G = [0..N-1, 0..N+6] steps 12;
points mics [1..5] on G;
field S : cell on G history 2 boundary [clamp, periodic];
field b : bfloat on G;
field c : double on G constant;
field profile : real on G along 0 constant;
stencil s : S on G = { rho = S[0,0].rho + float(c[0,0]) * (S[-1,0].rho - S[0,1].rho) + profile[0],
                       u = { S@-1[0,0].rho, S[0,1].u[0] } };
stencil t : b on G = S[0,0].rho * 3;
record trace [0..11] = S[0,0].rho at mics;
reduce most = max(S[0,0].rho) on G every 5;
init S[i,j] = { rho = select(i * 7 % 11 == j % 5, 1.0, 0.0), u = { 0.5 * i, j } };
init mics[p] = { 17.5 * p, 18.25 * p };
init c[i,j] = double(1) / double(4 + i + j);
init profile[i] = 0.01 * i;
)";

class Subdomains : public Tool {
 protected:
  Subdomains() {
    write("wave.stn", kWave);
    write("kinds.stn", kKinds);
  }

  // The file that a single device writes.
  std::string alone(const std::string& further = "") {
    const Outcome run = stencilc("run wave.stn --device reference --out U=alone.npy " + further);
    EXPECT_EQ(run.status, 0) << run.err;
    return read(file("alone.npy"));
  }

  // Runs as MPI ranks; returns the exit status of the launcher.
  int ranks(int count, const std::string& arguments) {
    return launch("-n " + std::to_string(count) + " '" STENCIL_BINARY "' " + arguments);
  }
  int launch(const std::string& processes) {
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);
    const std::string command = "cd '" + file("").string() +
                                "' && timeout 100 " STENCIL_MPIEXEC " " + processes +
                                " >out.txt 2>err.txt </dev/null";
    return std::system(command.c_str());
  }
};

TEST_F(Subdomains, EqualOneDeviceBitForBit) {
  const std::string whole = alone();
  for (const std::string cuts : {"3", "2x2 --exchange 5", "1x4 --schedule direct"}) {
    const Outcome run =
        stencilc("run wave.stn --device host --out U=subdomains.npy --gpus " + cuts);
    ASSERT_EQ(run.status, 0) << cuts << run.err;
    EXPECT_EQ(read(file("subdomains.npy")), whole) << cuts;
    EXPECT_TRUE(holds(run.out, "parts ")) << run.out;
  }
  // Takes as many steps per exchange as the subdomains permit.
  for (const std::string steps : {"1000", "4294967296", "9223372036854775807"}) {
    const Outcome run =
        stencilc("run wave.stn --device host --out U=subdomains.npy --gpus 2 --exchange " + steps);
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(read(file("subdomains.npy")), whole) << steps;
  }
}

// Halos are exchanged before the interior of a tile is computed, and are deeper above than below.
// The cases differ in whether chunks of planes end at a halo, and in whether edge tiles have
// shorter chunks.
TEST_F(Subdomains, ExchangeBeforeTheInteriorOfATile) {
  write("wide.stn", R"(
grid G = [0..149, 0..639] steps 23;
field A : real on G;
field B : real on G constant;
stencil s : A[1..146, 1..638] = 0.2 * (A[0,0] + A[-1,0] + A[1,0] + A[0,-1] + A[0,1]) * B[0,0]
  + 0.01 * A[3,1];
init A[i,j] = sin(0.37 * i + 0.91 * j);
init B[i,j] = 1.0 + 0.1 * sin(0.11 * i * j);
)");
  // The halos that a subdomain sends and receives at one side differ.
  write("upwind.stn", R"(
grid G = [0..59, 0..639] steps 23;
field A : real on G boundary periodic;
stencil s : A on G = 0.5 * A[-1,0] + 0.3 * A[0,1];
init A[i,j] = sin(0.37 * i + 0.91 * j);
)");
  ASSERT_EQ(stencilc("run upwind.stn --device reference --out A=alone.npy").status, 0);
  for (const std::string line : {"T=1 chunk=5", "T=2 chunk=4", "T=2 block=32x1 chunk=3"}) {
    const Outcome run = stencilc(
        "run upwind.stn --device host --gpus 1x2 --exchange 2 --out "
        "A=subdomains.npy --schedule \"streaming " +
        line + "\"");
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(read(file("subdomains.npy")), read(file("alone.npy"))) << line;
  }
  ASSERT_EQ(stencilc("run wide.stn --device reference --out A=alone.npy").status, 0);
  for (const std::string chunk : {"3", "4", "7", "12"}) {
    for (const std::string interior : {"split", "tested"}) {
      const std::string line =
          "\"streaming T=4 block=32x1 elements=1x1 chunk=" + chunk + " interior=" + interior + "\"";
      for (const std::string cuts : {"1x2", "1x3"}) {
        const Outcome run = stencilc("run wide.stn --device host --exchange 4 --schedule " + line +
                                     " --out A=subdomains.npy --gpus " + cuts);
        ASSERT_EQ(run.status, 0) << run.err;
        EXPECT_EQ(read(file("subdomains.npy")), read(file("alone.npy"))) << line << cuts;
      }
    }
  }
}

TEST_F(Subdomains, ResumeFromACheckpointOfOneDeviceAndBack) {
  const std::string whole = alone();
  ASSERT_EQ(stencilc("run wave.stn --steps 13 --device host --gpus 2x2 --checkpoint a.ckpt").status,
            0);
  ASSERT_EQ(
      stencilc("run wave.stn --steps 29 --device host --restart a.ckpt --checkpoint b.ckpt").status,
      0);
  const Outcome run =
      stencilc("run wave.stn --device host --gpus 3 --restart b.ckpt --out U=subdomains.npy");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read(file("subdomains.npy")), whole);
}

TEST_F(Subdomains, InvalidCutsAreRefusedWithTheReason) {
  EXPECT_TRUE(holds(stencilc("run wave.stn --device host --gpus 2x2x2").err, "L032"));
  EXPECT_TRUE(holds(stencilc("run wave.stn --device host --gpus 1x60").err, "L031"));
  EXPECT_TRUE(holds(stencilc("run wave.stn --device reference --gpus 2").err, "R045"));
  EXPECT_TRUE(holds(stencilc("run wave.stn --ranks 2").err, "R092"));
  EXPECT_TRUE(holds(stencilc("run wave.stn --exchange 2").err, "U010"));
  EXPECT_TRUE(holds(stencilc("run wave.stn --device host --gpus 2 --open N -D N=70").err, "R094"));
}

// The checkpoint holds all fields of all levels.
TEST_F(Subdomains, OfMultigridCyclesEqualOneDevice) {
  const auto run = [&](const std::string& example, const std::string& arguments) {
    const Outcome outcome = stencilc("run '" STENCIL_SOURCE_DIR "/examples/multigrid/" + example +
                                     ".stn' --history norm.csv --checkpoint all.ckpt " + arguments);
    EXPECT_EQ(outcome.status, 0) << example << " " << arguments << "\n" << outcome.err;
    return read(file("norm.csv")) + read(file("all.ckpt"));
  };
  struct Cycle {
    const char *example, *arguments, *cuts;
  };
  for (const auto& [example, arguments, cuts] :
       {Cycle{"poisson27", "-D N=33 -D L=3 --steps 2", "1x1x2"},
        {"vcycle7", "-D N=32 -D L=3 --steps 2 --real double", "2x2x1 --exchange 2"},
        {"smoothers", "-D N=33 -D L=2 -D smoother=1 --steps 2", "1x2x1"},
        {"full", "-D N=33 -D L=3 --steps 2", "1x1x2 --schedule direct"},
        {"cg", "-D N=33 -D L=3 --steps 3 --real double", "1x1x2"},
        {"mixed", "-D N=65 -D L=3 --steps 1", "1x1x2"},
        {"variable", "-D N=96 -D L=4 --steps 1", "1x2"}}) {
    const std::string alone = run(example, std::string(arguments) + " --device reference");
    EXPECT_EQ(run(example, std::string(arguments) + " --device host --gpus " + cuts), alone)
        << example;
    if (std::string(example) != "full" || std::string(STENCIL_MPIEXEC).empty()) continue;
    EXPECT_EQ(ranks(2, "run '" STENCIL_SOURCE_DIR "/examples/multigrid/full.stn' --history "
                       "norm.csv --checkpoint all.ckpt --device host --ranks 1x1x2 " +
                           std::string(arguments)),
              0)
        << read(file("err.txt"));
    EXPECT_EQ(read(file("norm.csv")) + read(file("all.ckpt")), alone);
  }
}

// Points, records, profiles and reductions belong to the subdomains of their own grid.
TEST_F(Subdomains, OfPointsOnADerivedGridEqualOneDevice) {
  write("points.stn", R"(
grid F = [0..255, 0..63] steps 6;
grid C of F by 2 cells;
points mics, sources [0..4] on C;
field a : real on F boundary clamp;
field b : real on C history 2 boundary mirror;
field v : real on sources constant;
field profile : real on C along 1 constant;
stencil f : a on F = 0.5 * a[-1,0] + 0.25 * b[0,1] + 0.1 * a[0,2];
stencil g : b on C = 0.25 * (a[0,0] + a[1,1] + b[1,0] + b@-1[0,-1]) + v + profile[0];
record trace [0..5] = b[0,0] at mics;
reduce columns = sum(b[0,0]) over 1 on C;
reduce most = max(b[0,0]) on C every 2;
init a[i,j] = sin(0.37 * i + 0.91 * j);
init mics[p] = { 29.7 * p, 6.3 * p };
init sources[p] = { 31.25 * p, 5.75 * p + 1.5 };
init v[p] = 1.0 + p;
init profile[j] = 0.01 * j;
)");
  const auto run = [&](const std::string& arguments) {
    const Outcome outcome = stencilc(
        "run points.stn --checkpoint all.ckpt --out trace=trace.npy --out columns=columns.npy "
        "--out b=b.vti " +
        arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return read(file("all.ckpt")) + read(file("trace.npy")) + read(file("columns.npy")) +
           read(file("b.vti")) + reductions(outcome.out);
  };
  const std::string alone = run("--device reference");
  for (const std::string cuts : {"1x2", "1x3 --schedule direct"}) {
    EXPECT_EQ(run("--device host --gpus " + cuts), alone) << cuts;
  }
}

// The phases of a start exchange halos, also in a step that is not cut. Its outer blocks run first.
TEST_F(Subdomains, OfAStartEqualOneDevice) {
  write("start.stn", R"(
grid G = [0..59, 0..639] steps 9;
field A, k, m : real on G boundary periodic;
stencil prepare : k on G = 0.5 * k[-2,1] + 0.25 * k[1,0];
stencil both : m on G = k[-1,0] - k[2,0];
stencil s : A on G = 0.5 * A[-1,0] * k[1,0] + 0.3 * A[0,1] + 0.1 * m[0,-1];
init A[i,j] = sin(0.37 * i + 0.91 * j);
init k[i,j] = 1.0 + 0.1 * sin(0.11 * i * j);
start { repeat 7 { prepare; } both; }
step { s; }
)");
  ASSERT_EQ(stencilc("run start.stn --device reference --checkpoint alone.ckpt").status, 0);
  for (const std::string arguments :
       {"1x2 --schedule \"streaming T=2 block=32x1 chunk=3\" --exchange 4",
        "2x2 --schedule \"overlapped T=3\"", "3 --schedule direct"}) {
    const Outcome run =
        stencilc("run start.stn --device host --checkpoint subdomains.ckpt --gpus " + arguments);
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(read(file("subdomains.ckpt")), read(file("alone.ckpt"))) << arguments;
  }
}

// A run that continues does not repeat `start`.
TEST_F(Subdomains, OfSeveralGridsResumeFromACheckpointOfOneDeviceAndBack) {
  const std::string program =
      "run '" STENCIL_SOURCE_DIR "/examples/multigrid/full.stn' -D N=33 -D L=3 ";
  const auto run = [&](const std::string& arguments) {
    const Outcome outcome = stencilc(program + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  };
  run("--steps 6 --device host --checkpoint whole.ckpt");
  run("--steps 2 --device host --gpus 2 --checkpoint a.ckpt");
  run("--steps 4 --device host --restart a.ckpt --checkpoint b.ckpt");
  run("--steps 6 --device host --gpus 1x1x2 --restart b.ckpt --checkpoint c.ckpt");
  EXPECT_EQ(read(file("c.ckpt")), read(file("whole.ckpt")));
}

TEST_F(Subdomains, OfTooSmallLevelsAreRefusedByName) {
  const Outcome run = stencilc("run '" STENCIL_SOURCE_DIR
                               "/examples/multigrid/poisson27.stn' -D N=65 -D L=5 --device host "
                               "--gpus 1x1x2");
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(holds(run.err,
                    "L031: level 4 of 'G' has 5 points along z: 2 subdomains need at "
                    "least 4 each"))
      << run.err;
  EXPECT_TRUE(holds(run.err, "fewer levels")) << run.err;
}

TEST_F(Subdomains, CanBeRanks) {
  if (std::string(STENCIL_MPIEXEC).empty()) GTEST_SKIP() << "no MPI is installed";
  const std::string whole = alone();
  for (const int count : {2, 3, 4}) {
    ASSERT_EQ(ranks(count, "run wave.stn --device host --out U=ranks.npy"), 0)
        << read(file("err.txt"));
    EXPECT_EQ(read(file("ranks.npy")), whole) << count;
  }
  EXPECT_EQ(ranks(1, "run wave.stn --device host --ranks 1 --out U=ranks.npy"), 0);
  EXPECT_EQ(read(file("ranks.npy")), whole);
  EXPECT_NE(ranks(2, "run wave.stn --device host --gpus 2"), 0);
  EXPECT_TRUE(holds(read(file("err.txt")), "R095")) << read(file("err.txt"));
  EXPECT_NE(ranks(3, "run wave.stn --device host --ranks 2x2"), 0);
  EXPECT_TRUE(holds(read(file("err.txt")), "R095")) << read(file("err.txt"));
}

// Output arguments for all file formats, and their file names.
const std::string kAllFiles =
    "--out S.u[1]=u.npy --out S.rho@-1=old.npy --out b=b.npy --out c=c.npy --out trace=trace.npy "
    "--out profile=profile.npy --out S=grid.vti --out b=grid.vti --out c=grid.vti --out "
    "S.rho=frame.png --out S=all.nc,every=4 --out S.rho@-1=all.nc --out b=all.nc --out c=all.nc "
    "--out trace=all.nc --out profile=all.nc --out S.rho=film.gif,every=4 "
    "--checkpoint all.ckpt --checkpoint-every 5 ";
constexpr const char* kAllNames[] = {"u.npy",       "old.npy",  "b.npy",     "c.npy",
                                     "trace.npy",   "grid.vti", "frame.png", "all.ckpt",
                                     "profile.npy", "all.nc",   "film.gif"};

TEST_F(Subdomains, WriteTheFilesOfOneDevice) {
  const auto contents = [&] {
    std::map<std::string, std::string> out;
    for (const char* name : kAllNames) {
      out[name] = read(file(name));
      EXPECT_FALSE(out[name].empty()) << name;
      std::filesystem::remove(file(name));
    }
    return out;
  };
  const auto expect_same = [&](const auto& expected, const std::string& by) {
    for (const auto& [name, bytes] : contents()) {
      EXPECT_TRUE(bytes == expected.at(name)) << name << " of " << by;
    }
  };
  const Outcome alone = stencilc("run kinds.stn --device reference " + kAllFiles);
  ASSERT_EQ(alone.status, 0) << alone.err;
  const auto expected = contents();
  for (const std::string cuts : {"3", "2x2", "4x1"}) {
    const Outcome run = stencilc("run kinds.stn --device host --gpus " + cuts + " " + kAllFiles);
    ASSERT_EQ(run.status, 0) << run.err;
    expect_same(expected, cuts);
  }
  if (std::string(STENCIL_MPIEXEC).empty()) return;
  for (const std::string cut : {"3", "2x2", "4x1"}) {
    const int count = cut == "3" ? 3 : 4;
    ASSERT_EQ(ranks(count, "run kinds.stn --device host --ranks " + cut + " " + kAllFiles), 0)
        << read(file("err.txt"));
    expect_same(expected, cut + " as ranks");
    EXPECT_FALSE(holds(read(file("err.txt")), "warning"));
  }
}

// If a rank has no disk space, no file is left, and the error names the rank.
TEST_F(Subdomains, LeaveNoFileIfARankCannotWrite) {
  if (std::string(STENCIL_MPIEXEC).empty()) GTEST_SKIP() << "no MPI is installed";
  const std::string run = "'" STENCIL_BINARY "' run wave.stn --device host --out U=full.npy";
  EXPECT_NE(launch("-n 1 " + run + " : -n 1 sh -c \"ulimit -f 100; exec " + run + "\""), 0);
  const std::string said = read(file("err.txt"));
  EXPECT_TRUE(holds(said, "R011: rank 1: cannot write 'full.npy': File too large")) << said;
  for (const auto& entry : std::filesystem::directory_iterator(file(""))) {
    EXPECT_FALSE(holds(entry.path().filename().string(), "full")) << entry.path();
  }
}

// If a rank cannot see the files of rank 0, fields are gathered to rank 0.
TEST_F(Subdomains, GatherFieldsForFilesThatRanksDoNotShare) {
  if (std::string(STENCIL_MPIEXEC).empty()) GTEST_SKIP() << "no MPI is installed";
  const std::string whole = alone();
  std::filesystem::create_directory(file("elsewhere"));
  const std::string run = "'" STENCIL_BINARY "' run " + file("wave.stn").string() +
                          " --device host --out U=gathered.npy --every 20 --out U=last.npy";
  ASSERT_EQ(launch("-n 1 " + run + " : -n 1 sh -c \"cd elsewhere; exec " + run + "\""), 0)
      << read(file("err.txt"));
  EXPECT_EQ(read(file("gathered_000040.npy")), whole);
  const std::string said = read(file("err.txt"));
  const size_t warned = said.find("some ranks cannot access");
  EXPECT_NE(warned, std::string::npos) << said;
  EXPECT_EQ(said.find("some ranks cannot access", warned + 1), std::string::npos) << said;
}

// n ranks write a checkpoint and m ranks read it. Each rank handles its own rows.
TEST_F(Subdomains, AsRanksResumeFromAnyCheckpoint) {
  if (std::string(STENCIL_MPIEXEC).empty()) GTEST_SKIP() << "no MPI is installed";
  const std::string host = "run kinds.stn --device host ";
  ASSERT_EQ(stencilc("run kinds.stn --device reference --checkpoint all.ckpt").status, 0);
  ASSERT_EQ(ranks(2, host + "--steps 4 --checkpoint two.ckpt"), 0) << read(file("err.txt"));
  ASSERT_EQ(ranks(4, host + "--steps 7 --restart two.ckpt --ranks 2x2 --checkpoint four.ckpt"), 0)
      << read(file("err.txt"));
  ASSERT_EQ(ranks(3, host + "--restart four.ckpt --checkpoint three.ckpt"), 0)
      << read(file("err.txt"));
  EXPECT_TRUE(read(file("three.ckpt")) == read(file("all.ckpt")));

  std::string damaged = read(file("four.ckpt"));
  damaged[damaged.size() / 3] ^= 4;
  write("damaged.ckpt", damaged);
  EXPECT_NE(ranks(3, host + "--restart damaged.ckpt --checkpoint never.ckpt"), 0);
  const std::string said = read(file("err.txt"));
  EXPECT_TRUE(holds(said, "R060: 'damaged.ckpt' is not an intact checkpoint: the checksum of S."))
      << said;
  EXPECT_FALSE(std::filesystem::exists(file("never.ckpt")));
}

// Inputs hold numbers of another type, which are rounded, and one that the field cannot represent.
TEST_F(Subdomains, AsRanksReadInputs) {
  if (std::string(STENCIL_MPIEXEC).empty()) GTEST_SKIP() << "no MPI is installed";
  ASSERT_EQ(stencilc("run kinds.stn --device reference --out c=c.npy --steps 0").status, 0);
  const std::string inputs = " --in S.rho@-1=c.npy --out S.rho=out.npy ";
  const Outcome alone = stencilc("run kinds.stn --device reference" + inputs);
  ASSERT_EQ(alone.status, 0) << alone.err;
  const std::string expected = read(file("out.npy"));
  ASSERT_EQ(ranks(3, "run kinds.stn --device host" + inputs), 0) << read(file("err.txt"));
  EXPECT_TRUE(read(file("out.npy")) == expected);
  const std::string said = read(file("err.txt"));
  EXPECT_EQ(holds(alone.err, "R025"), holds(said, "R025")) << said;
  EXPECT_TRUE(holds(said, "R025")) << said;
}

TEST_F(Subdomains, AsRanksThatShareNoFilesReadThroughRank0) {
  if (std::string(STENCIL_MPIEXEC).empty()) GTEST_SKIP() << "no MPI is installed";
  const std::string whole = alone();
  ASSERT_EQ(stencilc("run wave.stn --device reference --steps 11 --checkpoint own.ckpt").status, 0);
  std::filesystem::create_directory(file("elsewhere"));
  const std::string run = "'" STENCIL_BINARY "' run " + file("wave.stn").string() +
                          " --device host --restart own.ckpt --out U=last.npy";
  ASSERT_EQ(launch("-n 1 " + run + " : -n 1 sh -c \"cd elsewhere; exec " + run + "\""), 0)
      << read(file("err.txt"));
  EXPECT_TRUE(read(file("last.npy")) == whole);
  EXPECT_TRUE(holds(read(file("err.txt")), "so only rank 0 reads them")) << read(file("err.txt"));
}

// The ranks report one message before any exchange, and every rank exits.
TEST_F(Subdomains, AsRanksWithDifferentProgramsAreRefused) {
  if (std::string(STENCIL_MPIEXEC).empty()) GTEST_SKIP() << "no MPI is installed";
  std::string other = kWave;
  const size_t at = other.find("0.1 *");
  ASSERT_NE(at, std::string::npos);
  write("other.stn", other.replace(at, 3, "0.2"));
  const std::string run = " '" STENCIL_BINARY "' run ", rest = " --device host --schedule direct";
  for (const auto& [options, what] :
       {std::pair{"wave.stn --real double", "it has --real double (rank 0: float)"},
        std::pair{"wave.stn --fp fast", "it has --fp fast (rank 0: contract)"},
        std::pair{"wave.stn -D N=63", "it has param N 63 (rank 0: "},
        std::pair{"other.stn", "it has another program"},
        std::pair{"kinds.stn", "it has param "}}) {
    EXPECT_NE(launch("-n 2" + run + "wave.stn --out U=never.npy" + rest + " : -n 1" + run +
                     options + rest),
              0)
        << options;
    const std::string text = read(file("err.txt"));
    EXPECT_TRUE(holds(text, "error R097: rank 2 does not compute what rank 0 computes: ")) << text;
    EXPECT_TRUE(holds(text, what)) << text;
    EXPECT_EQ(text.find("error "), text.rfind("error ")) << "one message\n" << text;
    EXPECT_FALSE(holds(text, "ignal")) << text;
    EXPECT_FALSE(std::filesystem::exists(file("never.npy")));
  }
  // Options that rank 0 alone decides may differ.
  EXPECT_EQ(launch("-n 1" + run + "wave.stn --out U=a.npy" + rest + " : -n 1" + run +
                   "wave.stn --steps 3 --on-nan ignore" + rest),
            0)
      << read(file("err.txt"));
}

// Twenty times a rank is killed at a random time and the run resumes from its checkpoint. The
// result equals that of an undisturbed run. Checkpoints are written every three steps, so a
// kill often interrupts the writing. In three of four rounds the kill waits for a new checkpoint,
// however slow the machine is. In the fourth it comes at a random time after the start.
TEST_F(Subdomains, AsRanksSurviveBeingKilled) {
  if (std::string(STENCIL_MPIEXEC).empty()) GTEST_SKIP() << "no MPI is installed";
  const std::string run =
      "'" STENCIL_BINARY "' run wave.stn -D N=61 --steps 50000 --device host --schedule direct";
  std::random_device seed;
  const auto number = seed();
  std::mt19937 random(number);
  const auto up_to = [&](int last) { return std::uniform_int_distribution<int>(0, last)(random); };
  const char* longer = std::getenv("STENCIL_LONG");
  const int rounds = longer && *longer == '1' ? 20 : 4;
  int begun_anew = 0;
  for (int round = 0; round < rounds; ++round) {
    const bool goes_on = std::filesystem::exists(file("k.ckpt"));
    begun_anew += goes_on ? 0 : 1;
    write("rank.sh", "echo $$ >>pids\nexec " + run +
                         " --checkpoint k.ckpt --checkpoint-every 3 --history h.csv" +
                         (goes_on ? " --restart k.ckpt" : ""));
    const std::string begun =
        "while [ $(cat pids 2>/dev/null | wc -l) -lt 2 ]; do sleep 0.01; done\n";
    const std::string saved = "while ! [ k.ckpt -nt begin ]; do sleep 0.01; done\n";
    write("kill.sh", begun + (round % 4 == 3 ? "" : saved) + "sleep 0." +
                         std::to_string(100 + up_to(round % 4 == 3 ? 400 : 100)) +
                         "\nkill -9 $(sed -n " + std::to_string(1 + up_to(1)) + "p pids)\n");
    std::filesystem::remove(file("pids"));
    write("begin", "");
    const std::string start = "cd '" + file("").string() + "' && timeout 60 sh kill.sh &";
    ASSERT_EQ(std::system(start.c_str()), 0);
    EXPECT_NE(launch("-n 2 sh rank.sh"), 0) << "round " << round << ", seed " << number;
    EXPECT_FALSE(holds(read(file("err.txt")), "error R0")) << read(file("err.txt"));
  }
  EXPECT_LT(begun_anew, rounds) << "no checkpoint was written, seed " << number;
  ASSERT_EQ(ranks(2,
                  "run wave.stn -D N=61 --steps 50000 --device host --schedule direct "
                  "--restart k.ckpt --out U=on.npy --history h.csv"),
            0)
      << read(file("err.txt"));
  const Outcome all = stencilc(
      "run wave.stn -D N=61 --steps 50000 --device host --schedule direct --out U=all.npy "
      "--history all.csv");
  ASSERT_EQ(all.status, 0) << all.err;
  EXPECT_TRUE(read(file("on.npy")) == read(file("all.npy"))) << "seed " << number;
  EXPECT_TRUE(read(file("h.csv")) == read(file("all.csv"))) << "seed " << number;
}

}  // namespace
}  // namespace stencil
