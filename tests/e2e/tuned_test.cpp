// `stencilc tuned`, and runs that use stored measurements.
#include "runtime/tune/tuned.h"

#include "compiler/driver/frontend.h"
#include "tests/e2e/tool.h"

namespace stencil {
namespace {

// Uses a database in the test's directory.
class TunedCommand : public Tool {
 protected:
  TunedCommand() { ::setenv("STENCIL_TUNED", database().c_str(), 1); }
  ~TunedCommand() override { ::setenv("STENCIL_TUNED", "off", 1); }
  void SetUp() override {
    if (!tune::has_database()) GTEST_SKIP() << tune::database_settings().note;
  }
  std::string database() const { return file("tuned.db").string(); }

  // Records `line` as fast for kHeat of size `n` on `host`.
  void measured(const std::string& line, int64_t n, double seconds = 1e-5) const {
    const Source source("heat.stn", kHeat);
    Diagnostics diagnostics;
    ProgramOptions options;
    options.definitions["N"] = std::to_string(n);
    const auto program = load_program(source, options, diagnostics);
    ASSERT_TRUE(program);
    const auto device = runtime::choose_device("host");
    if (!device.ok()) GTEST_SKIP() << device.failure().message;
    tune::Timings timings;
    timings.candidates = {{.line = line, .seconds = seconds, .runs = 5}};
    const auto kept =
        tune::remember(*program, runtime::bind_params(*program).value(), device.value(), timings);
    ASSERT_TRUE(kept.ok()) << kept.failure().message;
    EXPECT_TRUE(kept.value());
  }
};

// The first line of the schedule named in an emitted file.
std::string line_in(const std::string& text) {
  const size_t at = text.find("schedule  ");
  return at == std::string::npos ? "none" : text.substr(at, text.find('\n', at) - at);
}

TEST_F(TunedCommand, ShowsItsPathAndThatItIsEmpty) {
  const Outcome shown = stencilc("tuned");
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_EQ(shown.out, "file      " + database() + "\nentries   0\n");
  EXPECT_EQ(files(), "") << "reading creates no file";
  ::setenv("STENCIL_TUNED", "off", 1);
  EXPECT_EQ(stencilc("tuned").out, "file      none\nnote      switched off by STENCIL_TUNED\n");
  EXPECT_EQ(stencilc("tuned --export a.json").status, 2);
}

// Names and lines of an imported file must not control the terminal.
TEST_F(TunedCommand, EscapesControlCharacters) {
  write("a.json",
        R"({"format": "stencilc tuned", "version": 1, "entries": [{"device":"h\u001b[2J",)"
        R"("machine":"m\u0007","program":"p","name":"\u001b]0;x\u0007\r","real":"float\u001b",)"
        R"("fp":"contract","sizes":[200],"schedule":"\u001b[32mY\u202e","seconds":1,"spread":0,)"
        R"("runs":1,"when":1,"version":")" +
            tune::code_version() + R"("}]})");
  ASSERT_EQ(stencilc("tuned --import a.json").status, 0);
  const Outcome shown = stencilc("tuned");
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_TRUE(holds(shown.out, R"(\x1b]0;x\x07\r)")) << shown.out;
  EXPECT_TRUE(holds(shown.out, R"(\x1b[32mY<U+202E>)")) << shown.out;
  for (const char c : shown.out) EXPECT_TRUE(c == '\n' || (c >= ' ' && c < 0x7f)) << int{c};
}

// Without stored measurements, schedules are timed and the fastest is stored.
TEST_F(TunedCommand, EmittedFilesAreMeasured) {
  ::setenv("STENCIL_CACHE", file("kernels").c_str(), 1);
  write("heat.stn", kHeat);
  const Outcome made = stencilc("heat.stn -o heat.cpp --measure -D N=70");
  const Outcome again = stencilc("heat.stn -o again.cpp --measure -D N=70");
  ::setenv("STENCIL_CACHE", KernelDirectory::path().c_str(), 1);
  if (holds(made.err, "R041")) GTEST_SKIP() << made.err;
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_TRUE(holds(unwrapped(made.err), " timed in ")) << made.err;
  const std::string line = line_in(read(file("heat.cpp")));
  EXPECT_TRUE(holds(unwrapped(made.err), line.substr(0, 30))) << line << made.err;
  EXPECT_TRUE(holds(unwrapped(again.err), " timed before")) << again.err;
  EXPECT_EQ(line_in(read(file("again.cpp"))), line);
}

TEST_F(TunedCommand, RunsUseTheFastestLine) {
  write("heat.stn", kHeat);
  measured("overlapped T=2 block=16x8", 40);
  measured("direct block=8x1", 40, 2e-5);
  measured("overlapped T=3 block=16x8", 160);
  if (IsSkipped()) return;
  const std::string run = "run heat.stn --device host --full --out A=a.npy";
  const Outcome exact = stencilc(run);
  EXPECT_EQ(exact.status, 0) << exact.err;
  EXPECT_TRUE(holds(exact.out, "overlapped T=2 block=16x8")) << exact.out;
  EXPECT_TRUE(holds(exact.out, "(tuned: measured at 40x40 on")) << exact.out;
  const Outcome near = stencilc(run + " -D N=150");
  EXPECT_TRUE(holds(near.out, "overlapped T=3 block=16x8")) << near.out;
  EXPECT_TRUE(holds(near.out, "(tuned: measured at 160x160 on")) << near.out;
  for (const char* other : {" -D N=700", " --schedule direct", " --real double"}) {
    EXPECT_FALSE(holds(stencilc(run + other).out, "tuned")) << other;
  }
  // An emitted file with --measure uses it as well.
  EXPECT_EQ(stencilc("heat.stn -o heat.cpp --measure").status, 0);
  EXPECT_TRUE(holds(line_in(read(file("heat.cpp"))), "overlapped T=2 block=16x8"));
  // Other commands ignore it.
  EXPECT_EQ(stencilc("heat.stn -o heat.cpp").status, 0);
  EXPECT_FALSE(holds(line_in(read(file("heat.cpp"))), "overlapped T=2 block=16x8"));
  EXPECT_FALSE(holds(stencilc("explain heat.stn --device host").out, "T=2 block=16x8"));
  EXPECT_EQ(stencilc("verify heat.stn --device host --quick --full").status, 0);
  ::setenv("STENCIL_TUNED", "off", 1);
  EXPECT_FALSE(holds(stencilc(run).out, "tuned"));
}

TEST_F(TunedCommand, ListsExportsImportsAndClears) {
  measured("overlapped T=2 block=16x8", 40);
  measured("direct block=8x1", 40, 2e-5);
  if (IsSkipped()) return;
  const Outcome shown = stencilc("tuned");
  EXPECT_TRUE(holds(shown.out, "entries   2\n")) << shown.out;
  EXPECT_TRUE(holds(shown.out, "\nhost: ")) << shown.out;
  EXPECT_TRUE(holds(shown.out, "overlapped T=2 block=16x8")) << shown.out;
  EXPECT_FALSE(holds(shown.out, "direct")) << "not the fastest";

  EXPECT_EQ(stencilc("tuned --export a.json").out, "2 entries in a.json\n");
  EXPECT_EQ(stencilc("tuned --clear").out, "2 entries removed\n");
  EXPECT_TRUE(holds(stencilc("tuned").out, "entries   0\n"));
  EXPECT_EQ(stencilc("tuned --import a.json").out, "2 of 2 entries imported\n");
  EXPECT_EQ(stencilc("tuned --import a.json").out, "0 of 2 entries imported\n");
  EXPECT_EQ(stencilc("tuned").out, shown.out);
  EXPECT_EQ(files(), "a.json tuned.db");

  std::string damaged = read(file("a.json"));
  damaged.replace(damaged.rfind("\"seconds\":"), 10, "\"seconds\":-");
  write("b.json", damaged);
  stencilc("tuned --clear");
  const Outcome wrong = stencilc("tuned --import b.json");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(
      holds(wrong.err, "error R091: 'b.json': these are not tuned schedules: entries[1]: seconds"))
      << wrong.err;
  EXPECT_TRUE(holds(stencilc("tuned").out, "entries   0\n")) << "no entry may be imported";
  EXPECT_EQ(stencilc("tuned --import none.json").status, 2);
  EXPECT_EQ(stencilc("tuned --export none/a.json").status, 2);
  EXPECT_EQ(stencilc("tuned --export a.json --import a.json").status, 2);
  EXPECT_EQ(stencilc("tuned --export a.json --clear").status, 2);
  EXPECT_EQ(stencilc("tuned more").status, 2);
}

// An invalid database causes one warning and no error.
TEST_F(TunedCommand, DamageCausesAWarningInRuns) {
  write("heat.stn", kHeat);
  write("tuned.db",
        "this is no database, and yet somebody's file; it has to be left as it is......"
        "...................................................................");
  const std::string before = read(file("tuned.db"));
  const Outcome run = stencilc("run heat.stn --out A=a.npy");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(
      holds(run.err, "warning R090: the tuning database '" + database() + "' cannot be used"))
      << run.err;
  EXPECT_EQ(run.err.find("R090"), run.err.rfind("R090"));
  for (const char* command : {"tuned", "tuned --clear", "tuned --export a.json"}) {
    const Outcome outcome = stencilc(command);
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_TRUE(holds(outcome.err, "error R090")) << outcome.err;
  }
  EXPECT_EQ(read(file("tuned.db")), before);
  EXPECT_EQ(files(), "a.npy heat.stn tuned.db");
}

}  // namespace
}  // namespace stencil
