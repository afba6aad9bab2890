// Help, usage errors and exit statuses.
#include <array>
#include <map>
#include <regex>
#include <vector>

#include "tests/e2e/tool.h"

namespace stencil {
namespace {

using CommandLine = Tool;

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in:\n" << text;
}

TEST_F(CommandLine, HelpNamesEveryOptionAndCommand) {
  const Outcome help = stencilc("--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.err, "");
  for (const char* part :
       {"--help",   "--version", "-D",         "--open",      "--fix",       "--real",
        "--fp",     "--steps",   "--schedule", "-o,--output", "--target",    "--main",
        "--header", "--emit",    "check",      "explain",     "run",         "verify",
        "devices",  "cache",     "tuned",      "Examples:",   "Exit status:"}) {
    expect_contains(help.out, part);
  }
}

TEST_F(CommandLine, EveryCommandHasHelpWithItsOptionsAndExamples) {
  const std::string program = "FILE.stn -D --open --fix --real --fp --steps";
  const std::map<std::string, std::string> options = {
      {"check", program},
      {"explain", program + " --schedule --target --full --counts"},
      {"run", program + " --schedule --device --in --out --slice --stats --save-code"},
      {"verify", program + " --schedule --device --quick --seed"},
      {"devices", "--measure --device --json"},
      {"cache", "--clear --size STENCIL_CACHE STENCIL_CACHE_SIZE"},
      {"tuned", "--export --import --clear STENCIL_TUNED"},
      {"fmt", "--check FILE.stn..."},
      {"completion", "bash|zsh"},
  };
  for (const auto& [command, parts] : options) {
    const Outcome help = stencilc(command + " --help");
    EXPECT_EQ(help.status, 0);
    expect_contains(help.out, "Usage: stencilc " + command);
    expect_contains(help.out, "Example");
    std::istringstream words(parts);
    for (std::string word; words >> word;) expect_contains(help.out, word);
  }
}

TEST_F(CommandLine, HelpFitsATerminal) {
  for (const char* command : {"", "check", "fmt", "completion", "explain", "run", "verify",
                              "devices", "cache", "tuned"}) {
    std::istringstream lines(stencilc(std::string(command) + " --help").out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST_F(CommandLine, VersionIsOneLine) {
  const Outcome version = stencilc("--version");
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.out, "stencilc 0.1.0\n");
}

TEST_F(CommandLine, UsageErrorsHaveStatusTwoAndSuggestions) {
  write("heat.stn", kHeat);
  const std::vector<std::array<std::string, 3>> cases = {
      {"run heat.stn --shedule direct", "U001", "did you mean '--schedule'?"},
      {"heat.stn --tarjet cuda", "U001", "did you mean '--target'?"},
      {"verify heat.stn --quik", "U001", "did you mean '--quick'?"},
      {"chek heat.stn", "U003", "did you mean 'check'?"},
      {"chekc heat.stn", "U003", "did you mean 'check'?"},
      {"verfy", "U003", "did you mean 'verify'?"},
      {"'run ' heat.stn", "U003", "did you mean 'run'?"},
      {"execute heat.stn", "U003", "did you mean 'run'?"},
      {"build heat.stn", "U003", "compiling needs no command: 'stencilc FILE.stn -o FILE.cu'"},
      {"help", "U003", "write 'stencilc --help'"},
      {"simulate heat.stn", "U003", "the commands are check, fmt, explain"},
      {"run heat.stn -o T.npy", "U001", "did you mean '--out'?"},
      {"run heat.stn -d N=4", "U001", "did you mean '-D'?"},
      {"run heat.stn -z", "U001", "unknown option '-z'\nTry"},
      {"check heat.stn --every 3", "U001", "it is an option of 'stencilc run'"},
      {"fmt heat.stn --chek", "U001", "did you mean '--check'?"},
      {"completion fish", "U004", "SHELL takes one of bash, zsh, found 'fish'"},
      {"completion", "U005", "name bash or zsh"},
      {"check 'heat.stn '", "R010", "the name ends with a blank: did you mean 'heat.stn'?"},
      {"run ' other.stn'", "R010", "the name begins with a blank\n"},
      {"'heat.stn ' -o x.cu", "R010", "did you mean 'heat.stn'?"},
      {"heat.stn -o x.cu --header ''", "U004", "--header takes the name of a file, found ''"},
      {"heat.stn -o x.cu --header=", "U004", "--header needs a value"},
      {"heat.stn -o x.cu --header= x.h", "U004", "--header needs a value"},
      {"run heat.stn --steps= 3", "U004", "--steps needs a value"},
      {"check heat.stn other.stn", "U002", "unexpected argument 'other.stn'"},
      {"heat.stn other.stn -o x.cu", "U002", "unexpected argument 'other.stn'"},
      {"check", "U005", "no program given"},
      {"check heat.stn -D N", "U006", "-D takes NAME=VALUE"},
      {"run heat.stn --out A", "U006", "--out takes FIELD=FILE"},
      {"run heat.stn --real quad", "U004", "quad"},
      {"run heat.stn --steps -3", "U004", "a number of steps from 0 to 9223372036854775807"},
      {"run heat.stn --steps abc", "U004", "a number of steps from 0 to 9223372036854775807"},
      {"check heat.stn --steps 99999999999999999999", "U004", "a number of steps from 0 to"},
      {"check heat.stn --steps ''", "U004", "a number of steps from 0 to"},
      {"verify heat.stn --seed -1", "U004", "a number from 0 to 18446744073709551615"},
      {"run heat.stn --slice z=99999999999999999999", "U006", "--slice takes AXIS=N"},
      {"check heat.stn -D N=30 -D a=1 -D N=31", "U007", "-D N is given twice"},
      {"run heat.stn --in A=a.npy --in A=b.npy", "U007", "--in A is given twice"},
      {"run heat.stn --slice z=1 --slice z=2", "U007", "--slice z is given twice"},
      {"run heat.stn --out A=a.npy --out A@-0=./a.npy", "U013", "the same file './a.npy'"},
      {"run heat.stn --schedule 'auto T=3'", "L001", "takes no settings, found 'T=3'"},
      {"heat.stn --emit cuda --schedule 'overlapped T=3 T=4'", "L002", "'T' given twice"},
      {"run heat.stn --out B=b.npy", "U020", "no field 'B'"},
      {"run heat.stn --out A=a.vtk", "U021", "use .npy, .nc, .vti, .png, .gif or .apng"},
      {"run heat.stn --out A@-1=a.npy", "U020", "history is 1"},
      {"run heat.stn --slice z=1", "U023", "one plane"},
      {"run heat.stn --out a.npy", "U006", "hint: write --out A=a.npy\n"},
      {"run heat.stn --out results/A.png,range=0:1", "U006", "hint: write --out A=results/A.png\n"},
      {"run heat.stn --out A=a.npy --every 0", "U004", "a number of steps from 1 to"},
      {"run heat.stn --every 3", "U004", "--every requires --out"},
      {"run heat.stn --checkpoint-every 3", "U004", "--checkpoint-every requires --checkpoint"},
      {"run heat.stn --checkpoint c --checkpoint-every 3m", "U006", "takes steps or seconds"},
      {"run heat.stn --checkpoint c --checkpoint-every s", "U006", "takes steps or seconds"},
      {"run heat.stn --checkpoint c --checkpoint-every -3s", "U006", "takes steps or seconds"},
      {"run heat.stn --range 3", "U006", "--range takes LOW:HIGH"},
      {"run heat.stn --range 3:1", "U006", "--range takes LOW:HIGH"},
      {"run heat.stn --range 2:1 --out A=a.png", "U006", "the first below the second: 1:2\n"},
      {"run heat.stn --range nan:1 --out A=a.png", "U006", "'nan' is not a finite number"},
      {"run heat.stn --range 0:inf --out A=a.png", "U006", "'inf' is not a finite number"},
      {"run heat.stn --range 3 --out A=a.png", "U006", "the first below the second: 0:1\n"},
      {"run heat.stn --checkpoint c --checkpoint-every 1m", "U006", "like 1000 or 60s, found '1m'"},
      {"run heat.stn --range 1:1 --out A=a.png", "U006", "the first below the second"},
      {"run heat.stn --range '' --out A=a.png", "U006", "--range takes LOW:HIGH, found ''"},
      {"run heat.stn --range nan:1 --out A=a.png", "U006", "found 'nan:1'"},
      {"run heat.stn --range 0:1 --out A=a.npy", "U010",
       "--range without a .png, .gif or .apng file"},
      {"run heat.stn --plain --out A=a.npy", "U010", "--plain without a .png, .gif or .apng file"},
      {"run heat.stn --checkpoint c --checkpoint-every ''", "U006", "takes steps or seconds"},
      {"run heat.stn --steps 1e3", "U004", "hint: write 1000\n"},
      {"run heat.stn --steps ' 3'", "U004", "found ' 3'"},
      {"run heat.stn --steps 0x10", "U004", "found '0x10'"},
      {"run heat.stn --steps 3 --steps 4", "U007", "--steps is given twice"},
      {"run heat.stn --steps", "U004", "--steps needs a value"},
      {"run heat.stn --stats=3", "U004", "--stats takes no value"},
      {"run heat.stn --stats=false", "U004", "--stats takes no value"},
      {"heat.stn -o a.cu -o b.cu", "U007", "--output is given twice"},
      {"heat.stn -o ''", "U004", "takes the name of a file, found ''"},
      {"run heat.stn --fp FAST", "U004", "takes one of strict, contract, fast, found 'FAST'"},
      {"run heat.stn --fp FAST", "U004", "did you mean 'fast'?"},
      {"run heat.stn --fp fst", "U004", "did you mean 'fast'?"},
      {"run heat.stn --real f64", "U004", "did you mean 'double'?"},
      {"heat.stn --target c++ -o a.cpp", "U004", "did you mean 'cpp'?"},
      {"explain heat.stn --machine A100", "U004", "did you mean 'sm_80'?"},
      {"run heat.stn --schedule ''", "U004", "--schedule takes auto or a line"},
      {"check heat.stn --open N --open N", "U007", "--open N is given twice"},
      {"check heat.stn --fix a --fix a", "U007", "--fix a is given twice"},
      {"run heat.stn -- --steps 3", "U001", "unknown option '--'"},
      {"--steps 3 run heat.stn", "U002", "'--steps' before the command 'run'"},
      {"--main run heat.stn", "U002", "'--main' before the command 'run'"},
      {"heat.stn run", "U002", "'heat.stn' before the command 'run'"},
      {"run heat.stn --device reference --schedule stop", "L001", "unknown schedule family"},
      {"run heat.stn --device reference --schedule 'direct block=-3'", "L002", "block"},
      {"run heat.stn --out A@-4294967296=a.npy", "U020", "no level '@-4294967296'"},
      {"run heat.stn --in A@-4294967296=a.npy", "U020", "no level '@-4294967296'"},
      {"run heat.stn --out A@--0=a.npy", "U020", "no level '@--0'"},
      {"run heat.stn --restart c --in A=a.npy", "U010", "--restart and --in contradict"},
      {"run heat.stn --schedule overlaped", "L001", "did you mean 'overlapped'?"},
      {"heat.stn -o heat.txt", "U012", "use .cu, .hip, .cl or .cpp"},
      {"heat.stn -o -", "U011", "--target cuda -o -"},
      {"heat.stn --target cuda -o - --header", "U014", "needs a name"},
      {"heat.stn -o heat.cu --target cpp", "U010", "heat.cu"},
      {"heat.stn", "U011", "no output given"},
      {"heat.stn -o heat.cl --main", "U010", "no host part"},
      {"heat.stn -o heat.cl --boxes 2", "U010", "no host part"},
      {"heat.stn --emit ir --boxes 2", "U010", "no --boxes"},
      {"heat.stn -o heat.cu --boxes 0", "U004", "--boxes takes a number of steps from 1"},
      {"heat.stn -o heat.cu --machine sm_9", "U004", "sm_90, sm_100"},
      {"heat.stn -o heat.cu --machine gfx90a", "U010", "--target hip has it"},
      {"heat.stn -o heat.cpp --machine sm_90", "U010", "one of cpu"},
      {"heat.stn -o heat.cu --machine cpu", "U010", "--target cpp has it"},
      {"heat.stn -o heat.hip --machine this", "U010", "runs hip"},
      {"heat.stn -o heat.cl --machine sm_80 --device opencl", "U010", "contradicts"},
      {"explain heat.stn --target cpp --machine sm_90", "U010", "one of cpu"},
      {"heat.stn -o heat.stn --target cuda", "U013", "the program itself"},
      {"heat.stn -o x.cu --header x.cu", "U013", "the header 'x.cu' is the output itself"},
      {"heat.stn -o x.cu --header ./x.cu", "U013", "the header './x.cu' is the output itself"},
      {"heat.stn -o x.cu --header heat.stn", "U013", "the program itself"},
      {"heat.stn -o x.cu --header x.f90", "U013",
       "the Fortran module 'x.f90' is the header itself"},
      {"heat.stn -o x.f90 --target cpp --header", "U013",
       "the Fortran module 'x.f90' is the output itself"},
      {"check heat.stn --open N --fix N", "U010", "--open N and --fix N contradict each other"},
      {"verify heat.stn --open N -D N=5", "U010", "-D N=... contradict each other"},
      {"missing.stn -o x.cu", "R010", "No such file"},
      {"run heat.stn --in A=missing.npy", "R010", "No such file"},
  };
  for (const auto& [arguments, code, text] : cases) {
    const Outcome outcome = stencilc(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
    expect_contains(outcome.err, code);
    expect_contains(outcome.err, text);
    EXPECT_EQ(files(), "heat.stn") << arguments;
  }
  EXPECT_EQ(read(file("heat.stn")), kHeat);
}

TEST_F(CommandLine, SlicesNameTheAxes) {
  write("wave.stn", kWave3d);
  for (const auto& [axis, message] :
       {std::pair{"y", "--slice cannot fix y: the picture shows y and x"},
        std::pair{"d2", "--slice cannot fix d2: the picture shows y and x"},
        std::pair{"q", "--slice names the unknown axis 'q'"},
        std::pair{"d3", "names the unknown axis 'd3'"}}) {
    const Outcome outcome = stencilc(fmt::format("run wave.stn --out U=u.png --slice {}=0", axis));
    EXPECT_EQ(outcome.status, 2);
    expect_contains(outcome.err, message);
    expect_contains(outcome.err, "the axes are z, y, x; --slice fixes z\n");
  }
}

TEST_F(CommandLine, OnlySomeDevicesTakeASelector) {
  write("heat.stn", kHeat);
  for (const char* device : {"reference:3", "reference:", "host:3", "cuda:", "opencl:", "auto:1"}) {
    const Outcome outcome = stencilc(std::string("run heat.stn --device ") + device);
    EXPECT_EQ(outcome.status, 3) << device << "\n" << outcome.err;
    expect_contains(outcome.err, "R040");
  }
}

TEST_F(CommandLine, InvalidEnvironmentVariablesAreRefused) {
  write("heat.stn", kHeat);
  const std::vector<std::array<std::string, 3>> cases = {
      {"STENCIL_THREADS", "abc", "takes a number from 1 to 4096, found 'abc'"},
      {"STENCIL_THREADS", "0", "found '0'"},
      {"STENCIL_THREADS", " 2", "found ' 2'"},
      {"STENCIL_CACHE", "no", "takes off, or a directory with a '/' in its name, found 'no'"},
      {"STENCIL_TUNED", "yes", "takes off, or a file with a '/' in its name, found 'yes'"},
      {"STENCIL_CACHE_SIZE", "1g", "takes a number of bytes"},
      {"STENCIL_HOST_OPTIMISATION", "4", "takes a level from 0 to 3, found '4'"},
      {"STENCIL_THREAD", "2", "did you mean STENCIL_THREADS?"},
      {"STENCIL_OPENCL_CPU", "slow", "takes loops or work-items, found 'slow'"},
  };
  for (const auto& [name, value, text] : cases) {
    const char* const before = ::getenv(name.c_str());
    const std::string kept = before != nullptr ? before : "";
    ::setenv(name.c_str(), value.c_str(), 1);
    for (const char* command :
         {"run heat.stn --device reference", "verify heat.stn --quick", "devices", "cache"}) {
      const Outcome outcome = stencilc(command);
      EXPECT_EQ(outcome.status, 2) << name << " " << command << "\n" << outcome.out;
      expect_contains(outcome.err, "R077");
      expect_contains(outcome.err, text);
    }
    before != nullptr ? ::setenv(name.c_str(), kept.c_str(), 1) : ::unsetenv(name.c_str());
    EXPECT_EQ(files(), "heat.stn");
  }
}

TEST_F(CommandLine, UnknownVariablesCauseOneWarning) {
  write("heat.stn", kHeat);
  ::setenv("STENCIL_HOST_LIB", "x", 1);
  Outcome outcome = stencilc("check heat.stn");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err,
            "stencilc: warning R078: unknown environment variable STENCIL_HOST_LIB\n"
            "      = hint: did you mean STENCIL_HOST_LIBRARY?\n");
  ::setenv("STENCIL_NUM_THREADS", "2", 1);
  outcome = stencilc("run heat.stn --device reference");
  EXPECT_EQ(outcome.status, 0);
  expect_contains(outcome.err, "variables STENCIL_");
  expect_contains(outcome.err, "STENCIL_THREADS");
  EXPECT_EQ(outcome.err.find("warning"), outcome.err.rfind("warning")) << outcome.err;
  ::unsetenv("STENCIL_HOST_LIB");
  ::unsetenv("STENCIL_NUM_THREADS");
}

// A .npy file of 40 x 40 doubles.
std::string doubles(double value) {
  std::string bytes("\x93NUMPY\1\0\x76\0", 10);
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (40, 40), }";
  header.resize(0x75, ' ');
  bytes += header + "\n";
  for (int i = 0; i < 1600; ++i) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

TEST_F(CommandLine, RoundedInputsAreReported) {
  write("heat.stn", kHeat);
  write("tenth.npy", doubles(0.1));
  write("half.npy", doubles(0.5));
  write("huge.npy", doubles(1e300));
  const std::string run = "run heat.stn --device reference --in A=";
  const Outcome tenth = stencilc(run + "tenth.npy");
  EXPECT_EQ(tenth.status, 0) << tenth.err;
  expect_contains(tenth.err, "warning R025: 1600 of the values in 'tenth.npy' are rounded");
  expect_contains(tenth.err, "0.1 becomes 0.100000001");
  EXPECT_EQ(stencilc(run + "tenth.npy --real double").err, "");
  EXPECT_EQ(stencilc(run + "half.npy").err, "");
  const Outcome huge = stencilc(run + "huge.npy");
  EXPECT_EQ(huge.status, 2);
  expect_contains(huge.err, "R023");
  expect_contains(huge.err, "1e+300");
}

TEST_F(CommandLine, StepsErrorsAreShort) {
  write("heat.stn", kHeat);
  EXPECT_LT(stencilc("check heat.stn --steps -1").err.size(), 160u);
}

TEST_F(CommandLine, DashMeansStandardOutput) {
  write("heat.stn", kHeat);
  const Outcome dash = stencilc("heat.stn --target cuda -o -");
  EXPECT_EQ(dash.status, 0) << dash.err;
  expect_contains(dash.out, "__global__");
  EXPECT_EQ(files(), "heat.stn");
  const Outcome both = stencilc("heat.stn --target cuda -o - --header heat.h");
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_EQ(files(), "heat.f90 heat.h heat.stn");
  const Outcome json = stencilc("explore heat.stn --json -");
  EXPECT_EQ(json.status, 0) << json.err;
  expect_contains(json.out, "\"candidates\"");
  EXPECT_EQ(files(), "heat.f90 heat.h heat.stn");
}

TEST_F(CommandLine, PassesAreTimedAndPrinted) {
  write("heat.stn", kHeat);
  const Outcome timed = stencilc("heat.stn -o heat.cu --time-passes");
  EXPECT_EQ(timed.status, 0) << timed.err;
  for (const char* pass :
       {"parse", "elaborate", "contract-products", "lower", "drop-dead-code", "write", "total"}) {
    expect_contains(timed.err, pass);
  }
  const Outcome printed = stencilc("heat.stn -o heat.cpp --print-after contract-products");
  EXPECT_EQ(printed.status, 0) << printed.err;
  expect_contains(printed.err, "-- after contract-products\n");
  EXPECT_EQ(printed.err.find("-- after parse"), std::string::npos);
  const Outcome all = stencilc("heat.stn --target cuda -o - --print-after all");
  expect_contains(all.err, "-- after split-deep-expressions\n\nkernel ");
  const Outcome unknown = stencilc("heat.stn -o heat.cu --print-after inline");
  EXPECT_EQ(unknown.status, 2);
  expect_contains(unknown.err, "no pass 'inline' has run");
  expect_contains(unknown.err, "passes of this compilation: parse, elaborate");
}

TEST_F(CommandLine, ADerivedHeaderDoesNotOverwriteTheProgram) {
  write("heat_cuda.h", kHeat);
  const Outcome outcome = stencilc("heat_cuda.h -o heat.cu --header");
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  expect_contains(outcome.err, "U013");
  EXPECT_EQ(files(), "heat_cuda.h");
  EXPECT_EQ(read(file("heat_cuda.h")), kHeat);
  write("api.f90", kHeat);
  const Outcome module = stencilc("api.f90 -o heat.cu --header api.h");
  EXPECT_EQ(module.status, 2) << module.err;
  expect_contains(module.err, "U013");
  EXPECT_EQ(read(file("api.f90")), kHeat);
}

// As documented in docs/reference/errors.md, errors in files and run-time values are usage errors.
TEST_F(CommandLine, FileAndValueErrorsHaveStatusTwo) {
  write("heat.stn", kHeat);
  write("bad.npy", "no array");
  write("open.stn",
        "param N : integer;\ngrid G = [0..N-1];\nfield A : real on G;\n"
        "stencil s : A on G = A[0];\n");
  for (const auto& [arguments, code] : std::map<std::string, std::string>{
           {"run missing.stn", "R010"},
           {"run heat.stn --out A=missing/a.npy", "R011"},
           {"run heat.stn --in A=bad.npy", "R020"},
           {"run open.stn --steps 1", "R050"},
           {"run open.stn -D N=9", "R053"},
       }) {
    const Outcome outcome = stencilc(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments << "\n" << outcome.err;
    expect_contains(outcome.err, code);
  }
}

TEST_F(CommandLine, GivenStepsNeedNoParamsOfTheProgramsSteps) {
  write("steps.stn",
        "param W : integer = 3;\ngrid G = [0..9] steps W*2+1;\n"
        "field A : real on G;\nstencil s : A on G = A[0];\n");
  for (const char* arguments : {"run steps.stn --steps 3 --device reference",
                                "run steps.stn --steps 3 --open W --device reference"}) {
    const Outcome outcome = stencilc(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments;
    EXPECT_EQ(outcome.err, "") << arguments;
  }
  EXPECT_EQ(stencilc("run steps.stn --open W --device reference").status, 2);
}

TEST_F(CommandLine, WithoutArgumentsPrintsTheHelpAndFails) {
  const Outcome outcome = stencilc("");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  expect_contains(outcome.err, "Usage: stencilc");
}

TEST_F(CommandLine, InvalidProgramsHaveStatusOneAndNoOutput) {
  write("bad.stn", kBroken);
  for (const char* arguments :
       {"check bad.stn", "explain bad.stn", "run bad.stn --out A=a.npy", "verify bad.stn",
        "bad.stn -o bad.cu --header", "bad.stn --emit ir"}) {
    const Outcome outcome = stencilc(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    expect_contains(outcome.err, "bad.stn:3:");
    EXPECT_EQ(files(), "bad.stn") << arguments;
  }
}

TEST_F(CommandLine, AbsentDevicesHaveStatusThree) {
  write("heat.stn", kHeat);
  const Outcome unknown = stencilc("run heat.stn --device qpu --out A=a.npy");
  EXPECT_EQ(unknown.status, 3);
  expect_contains(unknown.err, "R040");
  const Outcome absent = stencilc("run heat.stn --device 'opencl:no such' --out A=a.npy");
  EXPECT_EQ(absent.status, 3);
  expect_contains(absent.err, "R041");
  EXPECT_EQ(files(), "heat.stn");
}

TEST_F(CommandLine, CheckIsSilentOnValidPrograms) {
  write("heat.stn", kHeat);
  const Outcome outcome = stencilc("check heat.stn");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST_F(CommandLine, ExplainShowsScheduleAndTiles) {
  write("heat.stn", kHeat);
  const Outcome chosen = stencilc("explain heat.stn -D N=2048 --machine sm_90");
  EXPECT_EQ(chosen.status, 0);
  expect_contains(chosen.out, "Program heat");
  expect_contains(chosen.out, "  schedule           streaming T=");
  expect_contains(chosen.out, "  expected  ");
  expect_contains(chosen.out, "  faster with  ");
  const Outcome on_cpu = stencilc("explain heat.stn -D N=2048 --machine cpu");
  expect_contains(on_cpu.out, "  schedule           planes T=");
  expect_contains(on_cpu.out, "  kernels for        cpu (a CPU)");
  for (const char* schedule :
       {"overlapped T=3 block=32x8 elements=1x2 regions=hull",
        "streaming T=3 block=16x2 elements=2x1 chunk=9 prefetch=1 unroll=2 occupancy=2 "
        "loads=registers form=gather interior=tested"}) {
    const std::string explain = "explain heat.stn --machine sm_90 --full --schedule '";
    const Outcome given = stencilc(explain + schedule + "'");
    EXPECT_EQ(given.status, 0) << given.err;
    expect_contains(given.out, "Time tile of 3 steps");
    expect_contains(unwrapped(given.out), std::string("  schedule           ") + schedule + "\n");
    expect_contains(given.out, "  chosen             given\n");
  }
}

TEST_F(CommandLine, OldNamesOfSettingsAreAcceptedWithANote) {
  write("heat.stn", kHeat);
  const Outcome given = stencilc("explain heat.stn --full --schedule 'planes T=2 edges=tested'");
  EXPECT_EQ(given.status, 0) << given.err;
  expect_contains(given.err, "note: schedule setting 'edges' is now called 'interior'\n");
  expect_contains(given.out, "interior=tested");
  const Outcome moved = stencilc("explain heat.stn --full --schedule 'direct chunk=4'");
  EXPECT_EQ(moved.status, 0) << moved.err;
  expect_contains(
      moved.err, "note: schedule setting 'chunk' of 'direct' now belongs to the family 'sweeps'\n");
  expect_contains(moved.out, "  schedule           sweeps block=");
}

// Seven operands of 126^3 points each. Thread loops have no counts.
TEST_F(CommandLine, ExplainCountsExecutedOperations) {
  write("cube.stn",
        "param N : integer = 128;\n"
        "grid G = [0..N-1, 0..N-1, 0..N-1] steps 8;\n"
        "field A : double on G;\n"
        "stencil s : A[1..N-2, 1..N-2, 1..N-2] = A[0,0,0] + A[-1,0,0] + A[1,0,0] + A[0,-1,0]\n"
        "  + A[0,1,0] + A[0,0,-1] + A[0,0,1];\n");
  const std::string direct = "explain cube.stn --machine sm_90 --schedule 'direct elements=1'";
  const Outcome counted = stencilc(direct + " --counts");
  EXPECT_EQ(counted.status, 0) << counted.err;
  EXPECT_TRUE(std::regex_search(counted.out, std::regex(" global loads +14,002,632 +6\\.6770\n")))
      << counted.out;
  EXPECT_TRUE(std::regex_search(counted.out, std::regex(" global stores +2,000,376 +0\\.9539\n")))
      << counted.out;
  EXPECT_EQ(counted.out.rfind(stencilc(direct).out, 0), 0u);  // after everything else
  std::istringstream lines(counted.out.substr(counted.out.find("\nCounts")));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  const Outcome loops = stencilc("explain cube.stn --target cpp --counts");
  EXPECT_EQ(loops.status, 2);
  EXPECT_EQ(loops.out, "");
  expect_contains(loops.err, "U041");
}

// The OpenCL device, if present, determines the limits, or is a CPU.
TEST_F(CommandLine, SchedulesSuitTheOpenClDevice) {
  write("heat.stn", kHeat);
  const Outcome given = stencilc("heat.stn -o heat.cu --device opencl");
  EXPECT_EQ(given.status, 2);
  expect_contains(given.err, "U010");
  if (stencilc("explain heat.stn --device opencl").status != 0) GTEST_SKIP() << "no OpenCL";
  const std::string huge = " --device opencl --schedule 'direct block=1048576x2'";
  for (const std::string command : {"explain heat.stn", "run heat.stn", "heat.stn -o heat.cl"}) {
    const Outcome refused = stencilc(command + huge);
    EXPECT_EQ(refused.status, 2) << command;
    expect_contains(refused.err, "error L002");
  }
  ::setenv("STENCIL_OPENCL_CPU", "work-items", 1);
  expect_contains(stencilc("explain heat.stn --device opencl").out, "opencl (an OpenCL device: ");
  const Outcome threads = stencilc("run heat.stn --device opencl --save-code heat.cl");
  EXPECT_EQ(threads.status, 0) << threads.err;
  expect_contains(read(file("heat.cl")), "get_local_id");
  ::unsetenv("STENCIL_OPENCL_CPU");
  const Outcome loops = stencilc("explain heat.stn --device opencl");
  if (loops.out.find("opencl (a CPU, through OpenCL)\n") == std::string::npos) return;
  EXPECT_EQ(stencilc("heat.stn -o heat.cl --device opencl").status, 0);
  expect_contains(read(file("heat.cl")), "reqd_work_group_size(1, 1, 1)");
  EXPECT_EQ(stencilc("heat.stn -o heat.cl --machine sm_90").status, 0);
  EXPECT_EQ(read(file("heat.cl")).find("reqd_work_group_size(1, 1, 1)"), std::string::npos);
}

TEST_F(CommandLine, DevicesListsAllDevices) {
  const Outcome outcome = stencilc("devices");
  EXPECT_EQ(outcome.status, 0);
  for (const char* name : {"cuda", "host", "opencl", "reference"})
    expect_contains(outcome.out, name);
}

TEST_F(CommandLine, MeasuringNeedsADeviceThatRunsKernels) {
  const std::vector<std::array<std::string, 4>> cases = {
      {"--measure --device nowhere", "R040", "unknown device 'nowhere'", "3"},
      {"--measure --device hosts", "R040", "did you mean 'host'?", "3"},
      {"--measure --device reference", "R045", "device 'reference' runs no kernels", "3"},
      {"--measure --device cuda:nobody", "R041", "device 'cuda:nobody' is not present", "3"},
      {"--json figures.json", "U0", "--measure", "2"},
      {"--device host", "U0", "--measure", "2"},
      {"--measur", "U001", "did you mean '--measure'?", "2"},
      {"--measure --json", "U004", "--json", "2"},
  };
  for (const auto& [line, code, text, status] : cases) {
    const Outcome outcome = stencilc("devices " + line);
    EXPECT_EQ(std::to_string(outcome.status), status) << line << outcome.err;
    EXPECT_EQ(outcome.out, "") << line;
    expect_contains(outcome.err, code);
    expect_contains(outcome.err, text);
    EXPECT_EQ(files(), "") << line;
  }
}

// The output file is opened before anything is measured.
TEST_F(CommandLine, OpensTheFileOfFiguresFirst) {
  if (stencilc("devices").out.find("host        yes") == std::string::npos) {
    GTEST_SKIP() << "no host device";
  }
  const Outcome nowhere = stencilc("devices --measure --device host --json nowhere/figures.json");
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_EQ(nowhere.out, "");
  expect_contains(nowhere.err, "R011");
}

}  // namespace
}  // namespace stencil
