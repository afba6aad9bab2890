// Options of single outputs, animations, NetCDF files and records of `stencilc run`.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/e2e/tool.h"

namespace stencil::test {
namespace {

constexpr const char* kSteps =
    "grid G = [0..11, 0..15] steps 10;\n"
    "points mics [0..1] on G;\n"
    "field U : real on G;\n"
    "field V : double on G;\n"
    "stencil u : U on G[i,j] = U[0,0] + 1 + 0.1 * i * j;\n"
    "stencil v : V on G[i,j] = V[0,0] - j;\n"
    "record trace [0..9] = U[0,0] at mics;\n"
    "init mics[p] = { 2 + p, 3 };\n";

class OutputOptions : public Tool {
 protected:
  OutputOptions() { write("s.stn", kSteps); }
  void succeeds(const std::string& arguments) {
    const Outcome outcome = stencilc("run s.stn --device reference " + arguments);
    EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.err;
  }
  void expect_failure(const std::string& arguments, const std::string& code,
                      const std::string& text) {
    const Outcome outcome = stencilc("run s.stn --device reference " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_TRUE(holds(outcome.err, "error " + code)) << arguments << "\n" << outcome.err;
    EXPECT_TRUE(holds(outcome.err, text)) << arguments << "\n" << outcome.err;
  }
  // The number of frames of a .gif file: graphic control extensions of four bytes.
  static size_t frames_in(const std::string& gif) {
    const std::string control("\x21\xf9\x04\x04", 4);
    size_t count = 0;
    for (size_t at = gif.find(control); at != std::string::npos; at = gif.find(control, at + 1)) {
      ++count;
    }
    return count;
  }
  // The number of records of a .nc file, if less than 65536; -1 if there is no file.
  int records_in(const std::string& name) const {
    const std::string bytes = read(file(name));
    return bytes.size() < 8 ? -1
                            : static_cast<uint8_t>(bytes[6]) << 8 | static_cast<uint8_t>(bytes[7]);
  }
};

TEST_F(OutputOptions, EachOutputHasItsInterval) {
  succeeds("--out U=u.npy,every=4 --out V=v.npy --out U=last.npy,every=0 --every 5");
  EXPECT_EQ(files(),
            "last.npy s.stn u.npy u_000000.npy u_000004.npy u_000008.npy v.npy v_000000.npy "
            "v_000005.npy v_000010.npy");
  succeeds("--steps 8 --out U=eight.npy");
  EXPECT_EQ(read(file("u_000008.npy")), read(file("eight.npy")));
}

TEST_F(OutputOptions, SeveralFieldsOfAFileShareAnInterval) {
  succeeds("--out U=w.vti,every=6 --out V=w.vti");
  EXPECT_EQ(files(), "s.stn w.pvd w.vti w_000000.vti w_000006.vti");
  succeeds("--out all.nc,every=6");
  EXPECT_EQ(records_in("all.nc"), 3);
  expect_failure("--out U=x.vti,every=6 --out V=x.vti,every=5", "U010",
                 "'x.vti' is written every 6 steps and every 5 steps");
}

// A comma that does not follow an extension belongs to the name.
TEST_F(OutputOptions, CommasInNamesAreKept) {
  succeeds("--out U=N=4,a.npy --out V=N=4,b.npy,every=10");
  EXPECT_EQ(files(), "N=4,a.npy N=4,b.npy N=4,b_000000.npy N=4,b_000010.npy s.stn");
}

TEST_F(OutputOptions, MisuseNamesTheOption) {
  expect_failure("--out U=u.npy,evry=4", "U006", "did you mean 'every'?");
  expect_failure("--out U=u.npy,every", "U006", "every needs a value: every=K");
  expect_failure("--out U=u.npy,every=-1", "U006", "takes a number of steps, found '-1'");
  expect_failure("--out U=u.npy,every=2,every=3", "U007", "every is given twice");
  expect_failure("--out U=u.npy,flip", "U010", "flip is an option of a .png, .gif or .apng file");
  expect_failure("--out U=u.png,fps=5", "U010", "fps is an option of a .gif or .apng file");
  expect_failure("--out U=u.png,flip=1", "U006", "flip takes no value");
  expect_failure("--out U=u.png,view=box", "U006", "view takes cube, found 'box'");
  expect_failure("--out U=u.npy,view=cube", "U010",
                 "view is an option of a .png, .gif or .apng file");
  expect_failure("--out U=u.png,view=cube", "R030", "view=cube shows fields of three dimensions");
  expect_failure("--out U=u.png,range=2:1", "U006", "range takes LOW:HIGH, found '2:1'");
  expect_failure("--out U=u.gif,fps=0 --every 2", "U006", "takes a number from 0.1 to 50");
  expect_failure("--out U=u.png --fps 5", "U010", "--fps without a .gif or .apng file");
  expect_failure("--out U=u.npy --flip", "U010", "other files are not changed");
  expect_failure("--out U=u.gif", "R036", "give --every K, or every=K after the name of the file;");
  expect_failure("--out U=u.apng,every=0", "R036", "give --every K, or every=K after the name");
  for (const char* file : {"/dev/stdout", "-", "u", ""}) {
    expect_failure(fmt::format("--out U={},flip,every=5", file), "U021",
                   fmt::format("the extension of '{}' names no file format", file));
    expect_failure(
        fmt::format("--out U={},every=5", file), "U021",
        "options follow a name with .npy, .nc, .vti, .png, .gif or .apng: u.npy,every=5");
  }
  expect_failure("--out U=/dev/null", "U021", "a pipe or a link to a device needs such a name too");
  expect_failure("--out U=u.gif,every=0 --every 2", "R036", "no interval");
  EXPECT_EQ(files(), "s.stn");
}

// A message names what the user wrote, and no name of the library in C++.
TEST_F(OutputOptions, PartsOfAStructureAreFieldsOrComponents) {
  write("parts.stn",
        "type P = { rho : real, v : vector 2 of real };\n"
        "grid G = [0..3, 0..3] steps 1;\n"
        "field S : P on G;\n"
        "stencil s : S on G = S[0,0];\n");
  for (const char* file : {"a.npy", "a.png", "a.vti"}) {
    const Outcome part =
        stencilc(fmt::format("run parts.stn --device reference --out S.v={}", file));
    EXPECT_EQ(part.status, 2);
    EXPECT_TRUE(holds(part.err, "error U020: 'S.v' is not one component: it has several\n"))
        << part.err;
    EXPECT_TRUE(holds(part.err, "hint: name one, as in S.v[0], or the whole field S\n"))
        << part.err;
  }
  EXPECT_EQ(stencilc("run parts.stn --device reference --out S.v[0]=a.npy").status, 0);
  EXPECT_EQ(stencilc("run parts.stn --device reference --out S=a.npy").status, 0);
}

TEST_F(OutputOptions, PicturesHaveTheirOwnOptions) {
  succeeds("--out U=a.png,plain,flip --out U=b.png --out U=c.png,plain,range=0:50");
  succeeds("--out U=d.png --plain --flip");
  EXPECT_EQ(read(file("a.png")), read(file("d.png")));
  EXPECT_NE(read(file("a.png")), read(file("b.png")));
  succeeds("--out U=e.png --plain --range=0:50");
  EXPECT_EQ(read(file("c.png")), read(file("e.png")));
  EXPECT_NE(read(file("c.png")), read(file("a.png")));
}

// A record is complete only at the end, so --every does not write parts of it.
TEST_F(OutputOptions, RecordsAreWrittenOnce) {
  succeeds("--out trace=t.npy --out U=u.npy --every 5");
  EXPECT_EQ(files(), "s.stn t.npy u.npy u_000000.npy u_000005.npy u_000010.npy");
  succeeds("--out trace=p.npy,every=5");
  EXPECT_NE(read(file("p_000005.npy")), read(file("t.npy")));
  EXPECT_EQ(read(file("p.npy")), read(file("t.npy")));
}

TEST_F(OutputOptions, AnimationsHaveAFramePerInterval) {
  succeeds("--out U=a.gif --out U=a.apng --out V=b.gif,every=5,plain,fps=2 --every 4");
  EXPECT_EQ(files(), "a.apng a.gif b.gif s.stn");
  EXPECT_EQ(frames_in(read(file("a.gif"))), 4u) << "steps 0, 4, 8 and 10";
  EXPECT_EQ(frames_in(read(file("b.gif"))), 3u) << "steps 0, 5 and 10";
  EXPECT_TRUE(holds(read(file("a.apng")), std::string("acTL\0\0\0\4", 8)));
  // Schedules and subdomains change no byte.
  const std::string whole = read(file("a.gif"));
  const Outcome host = stencilc(
      "run s.stn --device host --schedule 'overlapped T=3 block=8x8' --out U=h.gif --every 4");
  EXPECT_EQ(host.status, 0) << host.err;
  EXPECT_EQ(read(file("h.gif")), whole);
}

TEST_F(OutputOptions, RestartedRunsDoNotReplaceAnimations) {
  succeeds("--steps 5 --out U=a.gif --every 2 --checkpoint c.ckpt");
  const std::string first = read(file("a.gif"));
  expect_failure("--restart c.ckpt --out U=a.gif --every 2", "R038",
                 "a run from step 5 cannot continue the animation 'a.gif'");
  EXPECT_EQ(read(file("a.gif")), first);
  succeeds("--restart c.ckpt --out U=rest.gif --every 2");
  EXPECT_EQ(frames_in(read(file("rest.gif"))), 3u) << "steps 6, 8 and 10";
}

// Encoding may take minutes. If the process is killed meanwhile, the checkpoint is there.
TEST_F(OutputOptions, CheckpointsAreWrittenBeforeAnimationsAreEncoded) {
  succeeds("--out U=a.gif,every=1 --out V=b.apng,every=1 --checkpoint c.ckpt");
  const auto written = [&](const char* name) {
    return std::filesystem::last_write_time(file(name));
  };
  EXPECT_LE(written("c.ckpt"), written("a.gif"));
  EXPECT_LE(written("c.ckpt"), written("b.apng"));
}

// A GIF has at most 65535 pixels per side, which the run finds out when it draws the animation.
TEST_F(OutputOptions, AnimationsAreWrittenTogetherWithTheOtherFiles) {
  write("wide.stn",
        "grid G = [0..1, 0..69999] steps 4;\n"
        "field U : real on G;\n"
        "stencil u : U on G[i,j] = U[0,0] + 1;\n");
  write("u.npy", "old");
  write("a.apng", "old");
  const std::string run = "run wide.stn --device reference --out U=u.npy --every 2 ";
  const Outcome wide = stencilc(run + "--out U=a.apng,plain --out U=w.gif,plain");
  EXPECT_EQ(wide.status, 2);
  EXPECT_TRUE(holds(wide.err, "a GIF has at most 65535 pixels per side, not 70000")) << wide.err;
  EXPECT_TRUE(read(file("u.npy")) == "old");
  EXPECT_TRUE(read(file("a.apng")) == "old");
  EXPECT_FALSE(std::filesystem::exists(file("w.gif")));

  // The other way round: a file of the final state cannot be written.
  std::filesystem::create_symlink("/dev/full", file("full.npy"));
  const Outcome full = stencilc(run + "--out U=a.apng,plain --out U=full.npy,every=0");
  EXPECT_EQ(full.status, 2);
  EXPECT_TRUE(holds(full.err, "No space left on device")) << full.err;
  EXPECT_TRUE(read(file("u.npy")) == "old");
  EXPECT_TRUE(read(file("a.apng")) == "old");
  EXPECT_EQ(files(), "a.apng full.npy s.stn u.npy u_000000.npy u_000002.npy u_000004.npy wide.stn");
}

// A restarted run completes the file to that of a run without interruption; so do subdomains.
TEST_F(OutputOptions, NetcdfFilesGrow) {
  const std::string outputs = "--out U=w.nc --out V=w.nc --out trace=w.nc --every 4 ";
  succeeds(outputs);
  EXPECT_EQ(records_in("w.nc"), 4) << "steps 0, 4, 8 and 10";
  const std::string whole = read(file("w.nc"));
  succeeds(outputs + "--steps 6 --checkpoint c.ckpt");
  EXPECT_EQ(records_in("w.nc"), 3);
  succeeds(outputs + "--restart c.ckpt");
  EXPECT_EQ(read(file("w.nc")), whole);
  const Outcome cut = stencilc("run s.stn --device host --gpus 2x2 " + outputs);
  EXPECT_EQ(cut.status, 0) << cut.err;
  EXPECT_EQ(read(file("w.nc")), whole);
  expect_failure("--restart c.ckpt --out U=w.nc --every 4", "R038", "its contents differ");
  EXPECT_EQ(read(file("w.nc")), whole);
}

// A signal ends a run with the frames and records so far; a killed process leaves a valid .nc file.
TEST_F(OutputOptions, InterruptedRunsKeepTheirFrames) {
  write("long.stn",
        "grid G = [0..63, 0..63] steps 100000000;\nfield U : real on G;\n"
        "stencil u : U on G[i,j] = 0.5 * U[0,0] + i;\n");
  for (const int signal : {SIGINT, SIGKILL}) {
    const std::string command = "cd '" + (root_ / "work").string() +
                                "' && exec '" STENCIL_BINARY
                                "' run long.stn --device reference --out U=u.gif,every=50 "
                                "--out U=u.nc,every=5 >/dev/null 2>&1 </dev/null";
    const pid_t child = ::fork();
    if (child == 0) {
      restore_signals();
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    for (int i = 0; i < 3000 && records_in("u.nc") < 8; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ::kill(child, signal);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_GE(records_in("u.nc"), 8);
    if (signal == SIGINT) {
      EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 130);
      EXPECT_EQ(files(), "long.stn s.stn u.gif u.nc");
      EXPECT_GE(frames_in(read(file("u.gif"))), 2u);
      EXPECT_EQ(read(file("u.gif")).back(), '\x3b');
      std::filesystem::remove(file("u.gif"));
    } else {
      EXPECT_FALSE(std::filesystem::exists(file("u.gif")));
    }
    std::filesystem::remove(file("u.nc"));
  }
}

TEST_F(OutputOptions, GrowingFilesAreRegularFiles) {
  ASSERT_EQ(std::system(("mkfifo '" + file("p.gif").string() + "'").c_str()), 0);
  expect_failure("--out U=p.gif --every 2", "R011", "must be a regular file");
}

}  // namespace
}  // namespace stencil::test
