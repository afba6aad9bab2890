// `stencilc run` and `stencilc verify`.
#include <sys/stat.h>

#include <chrono>
#include <sstream>

#include "tests/e2e/tool.h"

namespace stencil {
namespace {

using RunCommand = Tool;

// Prints a message and returns false if the machine lacks the device.
bool has_device(const Outcome& devices, const std::string& name) {
  std::istringstream lines(devices.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name + " ")) return line.find(" yes ") != std::string::npos;
  }
  return false;
}

TEST_F(RunCommand, EveryDeviceWritesTheSameFile) {
  write("heat.stn", kHeat);
  write("wave.stn", kWave3d);
  const Outcome devices = stencilc("devices");
  ASSERT_EQ(stencilc("run heat.stn --device reference --out A=heat.npy").status, 0);
  ASSERT_EQ(stencilc("run wave.stn --device reference --out U=u.npy --out U@-1=before.npy").status,
            0);
  for (const std::string device : {"auto", "host", "opencl"}) {
    if (device != "auto" && !has_device(devices, device)) {
      std::printf("[  SKIPPED ] device %s is not present\n", device.c_str());
      continue;
    }
    Outcome run = stencilc("run heat.stn --device " + device + " --out A=h.npy");
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(read(file("h.npy")), read(file("heat.npy"))) << device;
    run = stencilc("run wave.stn --device " + device + " --out U=v.npy --out U@-1=b.npy");
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(read(file("v.npy")), read(file("u.npy"))) << device;
    EXPECT_EQ(read(file("b.npy")), read(file("before.npy"))) << device;
  }
}

// Fields on the interior and on a wall are read from outside their subgrids: by a function of the
// field around them, by a boundary function that reads the interior, and by a second writer of a
// part. If the wall is clamped, the interior reads it outside the halo after it was written.
TEST_F(RunCommand, FieldsOnSubgridsWorkWithEveryFamily) {
  if (!has_device(stencilc("devices"), "host")) GTEST_SKIP() << "no host device";
  const auto program = [](const std::string& wall) {
    return "grid G = [0..45, 0..59] steps 5;\n"
           "subgrid inside of G = [2..43, 1..58];\n"
           "subgrid wall of G = [0..1, 1..58];\n"
           "field U : real on inside boundary clamp;\n"
           "field V : real on inside history 3 boundary mirror;\n"
           "field W : real on wall boundary " +
           wall +
           ";\n"
           "field P : real on G boundary constant 0.5;\n"
           "field K : real on inside constant boundary clamp;\n"
           "init U[i,j] = 0.01*i + 0.02*j;\n"
           "init K[i,j] = 0.5 + 0.001*i;\n"
           "init P[i,j] = select(i < 5, 1.0, 0.0);\n"
           "stencil flow : U on inside = 0.25 * (U[-1,0] + U[1,0] + U[0,-1] + U[0,1]) * K[0,1];\n"
           "stencil edge : P {\n"
           "  [0, 0..59] = P[1,0] + U[2,0] * 0.1;\n"
           "  [1..45, 0..59] = 0.5 * P[0,0] + 0.25 * U[0,0] + 0.1 * V@-1[0,1] + 0.05 * K[-1,0];\n"
           "}\n"
           "stencil walls : W on wall = 0.5 * W[0,1] + 0.5 * U[1,0];\n"
           "stencil wave : V on inside = 0.3 * V[0,0] + 0.3 * V@-2[1,-1] + 0.1 * P[-2,0] - "
           "W[-1,0];\n"
           "stencil again : U[2..4, 1..58] = U[0,0] + 0.01 * V[0,0];\n";
  };
  const auto values = [this](const std::string& name, const std::string& options) {
    const Outcome run = stencilc("run " + name + " " + options +
                                 " --out U=u.npy --out V@-1=v.npy --out W=w.npy --out P=p.npy");
    EXPECT_EQ(run.status, 0) << run.err;
    return read(file("u.npy")) + read(file("v.npy")) + read(file("w.npy")) + read(file("p.npy"));
  };
  write("inside_halo.stn", program("constant 0.25"));
  write("outside_halo.stn", program("clamp"));
  const std::string inside_halo = values("inside_halo.stn", "--device reference");
  for (const std::string schedule :
       {"overlapped T=3 block=16x8 elements=4x4",
        "overlapped T=2 block=16x8 elements=4x4 regions=shrink",
        "streaming T=2 block=32x1 elements=4x1", "planes T=3 block=40 chunk=7"}) {
    EXPECT_EQ(values("inside_halo.stn", "--device host --schedule '" + schedule + "'"), inside_halo)
        << schedule;
  }
  const std::string outside_halo = values("outside_halo.stn", "--device reference");
  EXPECT_EQ(values("outside_halo.stn", "--device host --schedule overlapped"), outside_halo);
  EXPECT_EQ(values("outside_halo.stn", "--device host --schedule direct"), outside_halo);
}

// A streamed tile begins with periodic images of the far side, where g writes two rows. The images
// would be wrong if the tile's first planes counted as interior. f reads them three rows later.
TEST_F(RunCommand, PeriodicImagesOfSeparatelyWrittenEdges) {
  if (!has_device(stencilc("devices"), "host")) GTEST_SKIP() << "no host device";
  write("edge.stn",
        "grid G = [0..39, 0..199] steps 9;\n"
        "field A, B : real on G boundary periodic;\n"
        "stencil f : A on G = 0.5 * A[-1,0] + 0.25 * B[-3,0];\n"
        "stencil g : B[i in 38..39, 0..199] = A[2,1] + i;\n"
        "init A[i,j] = i + 0.5 * j;\n"
        "init B[i,j] = i - 0.25 * j;\n");
  ASSERT_EQ(stencilc("run edge.stn --device reference --out A=a.npy --out B=b.npy").status, 0);
  for (const std::string schedule :
       {"direct", "overlapped T=4 block=32x4 elements=1x4",
        "streaming T=2 block=32x1 elements=2x1 prefetch=0 unroll=1 loads=registers",
        "streaming T=4 block=32x1 elements=2x1 prefetch=2 loads=async",
        "planes T=4 block=64 chunk=15 interior=split"}) {
    const Outcome run = stencilc("run edge.stn --device host --schedule '" + schedule +
                                 "' --out A=a1.npy --out B=b1.npy");
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(read(file("a1.npy")), read(file("a.npy"))) << schedule;
    EXPECT_EQ(read(file("b1.npy")), read(file("b.npy"))) << schedule;
  }
}

TEST_F(RunCommand, InputsContinueFromOutputs) {
  write("wave.stn", kWave3d);
  ASSERT_EQ(stencilc("run wave.stn --steps 5 --out U=whole.npy").status, 0);
  ASSERT_EQ(stencilc("run wave.stn --steps 2 --out U=u.npy --out U@-1=before.npy").status, 0);
  const Outcome rest =
      stencilc("run wave.stn --steps 3 --in U=u.npy --in U@-1=before.npy --out U=parts.npy");
  ASSERT_EQ(rest.status, 0) << rest.err;
  EXPECT_EQ(read(file("parts.npy")), read(file("whole.npy")));
}

TEST_F(RunCommand, RefusesInputsOfAnotherShape) {
  write("heat.stn", kHeat);
  ASSERT_EQ(stencilc("run heat.stn --out A=a.npy").status, 0);
  const Outcome outcome = stencilc("run heat.stn -D N=41 --in A=a.npy --out A=b.npy");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("R022"), std::string::npos);
  EXPECT_EQ(files(), "a.npy heat.stn");
}

TEST_F(RunCommand, WritesPicturesAndStatistics) {
  write("wave.stn", kWave3d);
  const Outcome outcome =
      stencilc("run wave.stn --out U=middle.png --out c=c.png --slice z=0 --stats");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read(file("c.png")).substr(1, 3), "PNG");
  for (const char* part : {"device", "schedule", "steps     5", "GCells/s",
                           "wrote     middle.png, c.png\n", "U ", "c "}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in\n" << outcome.out;
  }
  const Outcome outside = stencilc("run wave.stn --out U=x.png --slice z=99");
  EXPECT_EQ(outside.status, 2);
  EXPECT_FALSE(std::filesystem::exists(file("x.png")));
}

// The width and height in the header of a PNG file.
std::pair<unsigned, unsigned> size_of_png(const std::string& bytes) {
  const auto number = [&](size_t at) {
    unsigned value = 0;
    for (size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  };
  return {number(16), number(20)};
}

TEST_F(RunCommand, PicturesHaveAxesUnlessPlain) {
  write("heat.stn", kHeat);
  const std::string run = "run heat.stn --device reference --steps 2 ";
  ASSERT_EQ(stencilc(run + "-D N=64 --out A=plain.png --plain").status, 0);
  ASSERT_EQ(stencilc(run + "-D N=64 --out A=figure.png").status, 0);
  ASSERT_EQ(stencilc(run + "-D N=64 --out A=again.png").status, 0);
  const auto [plain_width, plain_height] = size_of_png(read(file("plain.png")));
  const auto [width, height] = size_of_png(read(file("figure.png")));
  EXPECT_GT(width, plain_width);
  EXPECT_GT(height, plain_height);
  EXPECT_EQ(read(file("figure.png")), read(file("again.png")));
}

TEST_F(RunCommand, StatisticsAreATable) {
  write(
      "table.stn",
      "grid G = [0..1, 0..2] steps 1;\nsubgrid row of G = [0, 0..1];\n"
      "field S : { rho : real, u : vector 1 of real } on row;\nfield count : integer on G;\n"
      "stencil s : count on G = count[0,0] + 1000000;\n"
      "init S[i,j] = {rho = 1.5 * (1 - j), u = {sqrt(-1.0 - j)}};\ninit count[i,j] = 3 * i + j;\n");
  const Outcome outcome = stencilc("run table.stn --device reference --stats");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.substr(outcome.out.find("\n\n") + 2),
            "field   points      min      max       mean          l2  nan\n"
            "S.rho        2        0      1.5       0.75         1.5    0\n"
            "S.u[0]       2        -        -          -           -    2\n"
            "count        6  1000000  1000005  1000002.5  2449495.87    0\n");
}

TEST_F(RunCommand, OpenSizesAreGivenAtRunTime) {
  write("heat.stn", kHeat);
  const Outcome missing = stencilc("run heat.stn --open N");
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("-D N=..."), std::string::npos) << missing.err;
  ASSERT_EQ(stencilc("run heat.stn --open N -D N=33 --out A=open.npy").status, 0);
  ASSERT_EQ(stencilc("run heat.stn -D N=33 --out A=fixed.npy").status, 0);
  EXPECT_EQ(read(file("open.npy")), read(file("fixed.npy")));
}

TEST_F(RunCommand, FixedParamsDoNotChangeTheResult) {
  write("heat.stn", kHeat);
  const std::string run = "run heat.stn -D a=0.2499 ";
  ASSERT_EQ(stencilc(run + "--device reference --out A=expected.npy").status, 0);
  const Outcome devices = stencilc("devices");
  for (const std::string device : {"reference", "host", "opencl", "cuda"}) {
    if (!has_device(devices, device)) continue;
    for (const std::string fix : {"", "--fix a"}) {
      const Outcome got = stencilc(run + fix + " --device " + device + " --out A=got.npy");
      ASSERT_EQ(got.status, 0) << got.err;
      EXPECT_EQ(read(file("got.npy")), read(file("expected.npy"))) << device << " " << fix;
    }
  }
  if (!has_device(devices, "host")) return;
  EXPECT_EQ(
      stencilc("verify heat.stn --quick --full --fix a --device host --schedule direct").status, 0);
}

// A library that cannot be opened, and one that is no host library.
TEST_F(RunCommand, HostDeviceGivesAReasonWithoutItsLibrary) {
  write("heat.stn", kHeat);
  for (const auto& [library, reason] : {std::pair{"/missing/library.so", "/missing/library.so"},
                                        std::pair{"libm.so.6", "another version of stencilc"}}) {
    setenv("STENCIL_HOST_LIBRARY", library, 1);
    const Outcome devices = stencilc("devices");
    const Outcome run = stencilc("run heat.stn --device host");
    const Outcome other = stencilc("run heat.stn");
    unsetenv("STENCIL_HOST_LIBRARY");
    EXPECT_FALSE(has_device(devices, "host"));
    EXPECT_EQ(run.status, 3);
    EXPECT_NE(run.err.find("R041"), std::string::npos) << run.err;
    EXPECT_NE(run.err.find(reason), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("LLVM and Clang (16 to 20)"), std::string::npos) << run.err;
    EXPECT_EQ(other.status, 0) << other.err;
  }
}

TEST_F(RunCommand, UnloadableHostLibraryIsNotReportedAsMissing) {
  write("heat.stn", kHeat);
  setenv("STENCIL_HOST_LIBRARY", file("heat.stn").c_str(), 1);  // a file that is no library
  const Outcome run = stencilc("run heat.stn --device host");
  unsetenv("STENCIL_HOST_LIBRARY");
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.err.find("the compiler for the host cannot be loaded: "), std::string::npos);
  EXPECT_EQ(run.err.find("not installed"), std::string::npos) << run.err;
}

// Every writer follows links, including dangling ones.
TEST_F(RunCommand, OutputsFollowLinks) {
  namespace fs = std::filesystem;
  write("sum.stn", std::string(kHeat) + "reduce total = sum(A[0,0]) on G every 2;\n");
  const auto links = {"a.npy", "a.png", "a.vti", "a.pvd", "c.ckpt",
                      "h.csv", "k.cpp", "x.cpp", "x.h"};
  fs::create_directory(file("data"));
  for (const char* name : links) fs::create_symlink(fs::path("data") / name, file(name));
  const Outcome run = stencilc(
      "run sum.stn --device host --out A=a.npy --out A=a.png --out a.vti --every 3 --checkpoint "
      "c.ckpt --history h.csv --save-code k.cpp");
  if (run.status == 3) GTEST_SKIP() << "no host device";
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(stencilc("sum.stn -o x.cpp --header").status, 0);
  for (const char* name : links) {
    EXPECT_TRUE(fs::is_symlink(file(name))) << name;
    EXPECT_TRUE(fs::is_regular_file(file("data") / name)) << name;
  }
}

TEST_F(RunCommand, FourDimensionsRunOnTheHost) {
  if (!has_device(stencilc("devices"), "host")) GTEST_SKIP() << "no host device";
  write("cube.stn",
        "grid G = [0..4, 0..5, 0..6, 0..7] steps 2;\nfield A : real on G boundary mirror;\n"
        "stencil s : A on G = 0.5 * (A[-1,0,0,0] + A[0,0,0,1]);\n"
        "init A[h,i,j,k] = h * k + 0.1 * i * j - k;\n"
        "reduce total = sum(A[0,0,0,0]) on G every 2;\n");
  ASSERT_EQ(stencilc("run cube.stn --device reference --out A=reference.npy").status, 0);
  for (const char* schedule : {"direct", "overlapped T=2"}) {
    const Outcome run = stencilc("run cube.stn --device host --out A=host.npy --schedule '" +
                                 std::string(schedule) + "'");
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(read(file("host.npy")), read(file("reference.npy"))) << schedule;
  }
  const std::string picture = "run cube.stn --device reference --out A=";
  ASSERT_EQ(stencilc(picture + "names.png --slice w=1 --slice z=2").status, 0);
  ASSERT_EQ(stencilc(picture + "numbers.png --slice d0=1 --slice d1=2").status, 0);
  ASSERT_EQ(stencilc(picture + "middle.png").status, 0);
  EXPECT_EQ(read(file("names.png")), read(file("numbers.png")));
  EXPECT_NE(read(file("names.png")), read(file("middle.png")));
  const Outcome refused = stencilc("run cube.stn --schedule streaming --out A=refused.npy");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("4 dimensions"), std::string::npos) << refused.err;
  EXPECT_EQ(files().find("refused.npy"), std::string::npos);
}

// The lines of `out` that describe the end of the run.
std::string ending(const std::string& out) {
  std::istringstream lines(out);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("steps", 0) == 0 || line.rfind("reduce", 0) == 0) found += line + "\n";
  }
  return found;
}

// Subnormal numbers are kept in every mode but fast, in which CPUs flush them to zero.
TEST_F(RunCommand, FastFlushesSubnormalNumbers) {
  write("decay.stn",
        "grid G = [0..99] steps 140;\nfield A : real on G;\n"
        "stencil s : A on G = 0.5 * A[0];\ninit A[i] = 1;\n"
        "reduce most = max(A[0]) on G;\n");
  for (const char* device : {"host", "opencl"}) {
    for (const char* fp : {"strict", "contract", "fast"}) {
      const Outcome outcome =
          stencilc(std::string("run decay.stn --device ") + device + " --fp " + fp);
      if (holds(outcome.err, "R041")) continue;
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      const bool zero = holds(outcome.out, "most = 0\n");
      EXPECT_EQ(zero, std::string(fp) == "fast") << device << fp << outcome.out;
    }
  }
}

TEST_F(RunCommand, StopConditionHoldsAtTheSameStepEverywhere) {
  const std::string run = "run '" STENCIL_SOURCE_DIR "/dsl-examples/converge2d.stn' -D N=40 ";
  const std::string expected = ending(stencilc(run + "--device reference").out);
  EXPECT_NE(expected.find("the stop condition holds"), std::string::npos) << expected;
  const Outcome devices = stencilc("devices");
  for (const std::string device : {"host", "opencl", "cuda"}) {
    if (!has_device(devices, device)) continue;
    for (const std::string schedule : {"auto", "direct", "overlapped T=3 block=16x8 elements=1x2",
                                       "streaming T=7", "planes T=5"}) {
      const Outcome got = stencilc(run + "--device " + device + " --schedule '" + schedule + "'");
      EXPECT_EQ(got.status, 0) << got.err;
      EXPECT_EQ(ending(got.out), expected) << device << " " << schedule;
    }
  }
}

TEST_F(RunCommand, NanReductionsEndTheRun) {
  write("blow.stn", R"(
grid G = [0..39, 0..39] steps 4000;
field T : real on G history 2;
stencil s : T[1..38, 1..38] =
    T[0,0] + 0.6 * (T[-1,0] + T[1,0] + T[0,-1] + T[0,1] - 4 * T[0,0]);
init T[i,j] = select(i == 19 and j == 19, 1.0, 0.0);
reduce change = max(abs(T[0,0] - T@-1[0,0])) on [1..38, 1..38];
stop when change < 1e-6;
)");
  for (const char* device : {"reference", "host"}) {
    const std::string run = std::string("run blow.stn --device ") + device;
    const Outcome ended = stencilc(run + " --out T=t.npy --checkpoint t.ckpt --every 50");
    EXPECT_EQ(ended.status, 4) << ended.err;
    for (const char* part : {"blow.stn:7:8: error R080: reduction 'change' is NaN, first at step ",
                             "= hint:", "warning R081: T has ", " among 1600 values at step "}) {
      EXPECT_NE(ended.err.find(part), std::string::npos) << part << "\n" << ended.err;
    }
    EXPECT_NE(ended.out.find(" of 4000: reduction 'change' is NaN"), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(file("t.npy")));
    EXPECT_TRUE(std::filesystem::exists(file("t.ckpt")));
    const Outcome continued = stencilc(run + " --on-nan continue");
    EXPECT_EQ(continued.status, 0) << continued.err;
    EXPECT_EQ(continued.out.find("the stop condition holds"), std::string::npos);
    EXPECT_NE(continued.out.find("change = nan, first NaN at step "), std::string::npos);
  }
  const Outcome statistics = stencilc(
      "run blow.stn --steps 900 --device reference --stats"
      " --on-nan continue");
  EXPECT_NE(statistics.err.find("warning R081: T has "), std::string::npos);
  EXPECT_EQ(stencilc("run blow.stn --steps 9 --device reference --stats").err, "");
}

// If a program has no reductions, its fields are checked for NaN.
TEST_F(RunCommand, FieldsThatBecomeNanFailAtTheEnd) {
  write("blow.stn", R"(
grid G = [0..39, 0..39] steps 4000;
field T, W : real on G;
stencil s : T[1..38, 1..38] =
    T[0,0] + 0.6 * (T[-1,0] + T[1,0] + T[0,-1] + T[0,1] - 4 * T[0,0]);
stencil t : W on G = T[0,0];
init T[i,j] = select(i == 19 and j == 19, 1.0, 0.0);
)");
  const bool host = holds(stencilc("devices").out, "host        yes");
  for (const std::string device : {"reference", "host", "host --gpus 2"}) {
    if (device != "reference" && !host) continue;
    const std::string run = "run blow.stn --device " + device;
    const Outcome ended = stencilc(run);
    EXPECT_EQ(ended.status, 4) << ended.err;
    for (const char* part :
         {"error R083: T has 1", " NaN among 1600 values at step 4000, the first at [1, 1]",
          "; 1 other field has such values; the initial values had none",
          "= hint: a smaller time"}) {
      EXPECT_TRUE(holds(ended.err, part)) << part << "\n" << ended.err;
    }
    const Outcome written = stencilc(run + " --out T=t.npy --every 1000");
    EXPECT_EQ(written.status, 4) << written.err;
    EXPECT_TRUE(holds(written.err, "; files written since step 1000 contain such values"))
        << written.err;
    EXPECT_FALSE(holds(written.err, "R081: T ")) << "a single report suffices\n" << written.err;
    EXPECT_TRUE(std::filesystem::exists(file("t.npy")));
    const Outcome continued = stencilc(run + " --on-nan continue");
    EXPECT_EQ(continued.status, 0);
    EXPECT_TRUE(holds(continued.err, "warning R083: T has ")) << continued.err;
    const Outcome ignored = stencilc(run + " --on-nan ignore");
    EXPECT_EQ(ignored.status, 0);
    EXPECT_EQ(ignored.err, "");
    // A run that starts with NaN may end with NaN.
    ASSERT_EQ(stencilc(run + " --on-nan ignore --checkpoint c.ckpt").status, 0);
    const Outcome more = stencilc(run + " --steps 4010 --restart c.ckpt");
    EXPECT_EQ(more.status, 0) << more.err;
    EXPECT_EQ(more.err, "");
  }
}

TEST_F(RunCommand, MissingInputsAreNamed) {
  write("a.stn",
        "grid G = [0..7] steps 2;\nfield A : real on G;\nfield c : real on G constant;\n"
        "series w : real [0..1];\nstencil s : A on G = A[0] + c[0] * w[time];\n");
  const Outcome field = stencilc("run a.stn --device reference");
  EXPECT_EQ(field.status, 2);
  EXPECT_TRUE(holds(field.err, "error R057: the constant field 'c' has no values")) << field.err;
  EXPECT_TRUE(holds(field.err, "= hint: --in c=FILE.npy reads them")) << field.err;
  EXPECT_TRUE(holds(field.err, "'init c[i] = ...;'")) << field.err;
  write("b.stn", read(file("a.stn")) + "init c = 1;\n");
  const Outcome series = stencilc("run b.stn --device reference");
  EXPECT_EQ(series.status, 2);
  EXPECT_TRUE(holds(series.err, "error R057: the series 'w' has no values")) << series.err;
  EXPECT_TRUE(holds(series.err, "'init w[t] = ...;'")) << series.err;
  write("c.stn", read(file("b.stn")) + "init w = 0;\n");
  ASSERT_EQ(stencilc("run c.stn --device reference --out w=w.npy --out c=c.npy").status, 0);
  EXPECT_EQ(stencilc("run a.stn --device reference --in w=w.npy --in c=c.npy").status, 0);
  if (!holds(stencilc("devices").out, "host        yes")) return;
  EXPECT_EQ(stencilc("verify a.stn --quick --full --device host").status, 0) << "random values";
}

// The run waits neither for a pipe without a writer nor for an endless device.
TEST_F(RunCommand, PipesAndDevicesAreRefusedAsInputs) {
  write("heat.stn", kHeat);
  ASSERT_EQ(::mkfifo(file("pipe.npy").c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe.npy", file("pipe.stn"));
  std::filesystem::create_symlink("/dev/zero", file("zero.npy"));
  std::filesystem::create_directory(file("directory.npy"));
  for (const auto& [arguments, why] :
       {std::pair{"run heat.stn --in A=pipe.npy", "it is a pipe"},
        std::pair{"run heat.stn --in A=zero.npy", "it is a device"},
        std::pair{"run heat.stn --in A=directory.npy", "it is a directory"},
        std::pair{"run heat.stn --restart pipe.npy", "it is a pipe"},
        std::pair{"run heat.stn --device reference --out A=directory.npy", "it is a directory"},
        std::pair{"run heat.stn --device reference --out A=pipe.npy", "a pipe without a reader"},
        std::pair{"check pipe.stn", "it is a pipe"}, std::pair{"explain pipe.npy", "it is a pipe"},
        std::pair{"check /dev/zero", "it is a device"}}) {
    const auto begin = std::chrono::steady_clock::now();
    const Outcome outcome = stencilc(arguments);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << arguments;
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_TRUE(holds(outcome.err, why)) << arguments << "\n" << outcome.err;
  }
}

// Real params may be changed on purpose. Params that shaped the code or the fields may not.
TEST_F(RunCommand, CheckpointsResumeWithOtherRealParams) {
  write("heat.stn", R"(
param N : integer = 40;
param a : real = 0.25;
param b : real = 2 * a;
grid G = [0..N-1, 0..N-1] steps 6;
field A : real on G;
stencil heat : A[1..N-2, 1..N-2] = b * A[0,0] + a * (A[-1,0] + A[1,0]);
init A[i,j] = select(i == 0, 100.0, 0.5 * j);
)");
  const std::string run = "run heat.stn --device reference ";
  ASSERT_EQ(stencilc(run + "--steps 3 --checkpoint c.ckpt -D a=0.3").status, 0);
  const Outcome changed = stencilc(run + "--restart c.ckpt -D a=0.4 --out A=a.npy");
  EXPECT_EQ(changed.status, 0) << changed.err;
  EXPECT_TRUE(holds(changed.err,
                    "warning R065: 'c.ckpt' was written with a = 0.3; this run continues "
                    "with 0.4\n"))
      << changed.err;
  EXPECT_TRUE(holds(changed.err, "warning R065: 'c.ckpt' was written with b = ")) << changed.err;
  const Outcome same = stencilc(run + "--restart c.ckpt -D a=0.3 --out A=b.npy");
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(same.err, "");
  EXPECT_NE(read(file("a.npy")), read(file("b.npy")));
  const Outcome forgotten = stencilc(run + "--restart c.ckpt");
  EXPECT_EQ(forgotten.status, 2);
  EXPECT_TRUE(holds(forgotten.err, "error R063: 'c.ckpt' was written with a = 0.3"))
      << forgotten.err;
  EXPECT_TRUE(holds(forgotten.err, "or give -D a=0.25 explicitly to change it")) << forgotten.err;
  const Outcome size = stencilc(run + "--restart c.ckpt -D a=0.3 -D N=41");
  EXPECT_EQ(size.status, 2);
  EXPECT_TRUE(holds(size.err, "R063")) << size.err;
  EXPECT_TRUE(holds(size.err, "an integer param determines the code")) << size.err;
  EXPECT_EQ(stencilc(run + "--restart c.ckpt -D a=0.4 --fix a").status, 2);
}

TEST_F(RunCommand, FailedChecksAreProgramErrors) {
  write("small.stn",
        "param N : integer = 9;\nrequire N >= 8;\ngrid G = [0..N-1] steps 1;\n"
        "field A : real on G;\nstencil s : A[2..N-3] = A[-2] + A[2];\n");
  EXPECT_EQ(stencilc("run small.stn").status, 0);
  const Outcome outcome = stencilc("run small.stn -D N=5 --out A=a.npy");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("N >= 8"), std::string::npos) << outcome.err;
  EXPECT_EQ(files(), "small.stn");
}

TEST_F(RunCommand, VerifyAgreesAndListsItsComparisons) {
  write("heat.stn", kHeat);
  const Outcome outcome = stencilc("verify heat.stn --quick --full");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  for (const char* part : {"sizes:", "device", "schedule", "overlapped T=3", "verified:"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in\n" << outcome.out;
  }
}

}  // namespace
}  // namespace stencil
