// The library in a process whose locale formats numbers as "0,5" and "1.000.000".
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>
#include <regex>
#include <sstream>

#include "compiler/driver/compile.h"
#include "runtime/io/files.h"
#include "runtime/run/outputs.h"
#include "tests/unit/runtime/programs.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::runtime {
namespace {

// The number format of C++ streams.
class Commas : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

// Sets a locale with decimal commas for its lifetime: for streams, and for the C library if
// `c_library` is set.
class CommaLocale {
 public:
  CommaLocale()
      : before_(std::locale::global(std::locale(std::locale::classic(), new Commas))),
        c_before_(std::setlocale(LC_NUMERIC, nullptr)) {
    // Few machines have such a locale, but localedef of glibc can create one. It warns about the
    // categories that are missing here.
    const std::string name = directory_.file("commas");
    std::ofstream(name + ".src") << "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\n"
                                    "grouping 3;3\nEND LC_NUMERIC\n";
    const std::string command =
        fmt::format("localedef -c -i '{0}.src' '{0}' >/dev/null 2>&1", name);
    const bool made = std::system(command.c_str()) != -1;
    setenv("LOCPATH", directory_.file("").c_str(), 1);
    c_library = made && std::setlocale(LC_NUMERIC, "commas") != nullptr &&
                std::string(std::localeconv()->decimal_point) == ",";
  }
  ~CommaLocale() {
    std::setlocale(LC_NUMERIC, c_before_.c_str());
    unsetenv("LOCPATH");
    std::locale::global(before_);
  }

  bool c_library = false;

 private:
  TemporaryDirectory directory_;
  std::locale before_;
  std::string c_before_;
};

constexpr const char* kNumbers = R"(
param N : integer = 2500;
param a : real = 0.125;
param b : real = 0.3;
grid G = [0..N-1] steps 1234;
field A : real on G history 2 boundary constant 1.5;
stencil s : A on G = a * A[-1] + 0.37500001 * A@-1[1] + b / 3.7 + 1e-3;
init A[i] = 0.25 * i + 1234.5;
reduce total = sum(0.5 * A[0]) on G every 1000;
stop when total > 1234567.5;
)";

// Everything that the library parses from and formats as numbers, as one text.
std::string everything() {
  ProgramOptions options;
  options.definitions = {{"a", "0.1875"}};
  options.fixed = {"a"};
  const Source source("numbers.stn", kNumbers);
  const ir::Program program = program_of(kNumbers, options);
  std::string out;
  Diagnostics diagnostics;
  for (const auto target : {emit::Target::Cuda, emit::Target::OpenCl, emit::Target::Cpp}) {
    CompileRequest request;
    request.emit.target = target;
    request.emit.main = target != emit::Target::OpenCl;
    const auto compiled = compile(program, source, request, diagnostics);
    EXPECT_TRUE(compiled) << render(source, diagnostics);
    if (compiled) out += compiled->text + compiled->header;
  }
  out += explain(program, source, "auto", diagnostics) + render(source, diagnostics);

  ProgramOptions open;
  open.open = {"N", "a", "b"};
  const ir::Program later = program_of(kNumbers, open);
  const auto params = bind_params(later, {{"N", "1500"}, {"a", "0.1"}, {"b", "-2.5e-3"}});
  EXPECT_TRUE(params.ok());
  if (!params.ok()) return out;
  for (const double value : params.value().reals) out += fmt::format("{}\n", value);
  const reference::State state = initial_state(later, params.value());
  const TemporaryDirectory directory;
  for (const char* name : {"a.npy", "a.vti", "a.png"}) {
    const Output output{directory.file(name), {{0, 0, 0}}, {}, {}};
    StateSource fields(state);
    const Status written = write_outputs(later, fields, {output});
    EXPECT_TRUE(written.ok()) << name;
    if (written.ok()) out += read_file(output.path).value();
  }
  return out;
}

TEST(Locale, DoesNotAffectNumbers) {
  const std::string expected = everything();
  EXPECT_NE(expected.find("0.1875"), std::string::npos);
  EXPECT_NE(expected.find("-0.0025\n"), std::string::npos);
  std::string found;
  bool c_library = false;
  {
    const CommaLocale locale;
    std::ostringstream stream;
    stream << 1234.5;
    EXPECT_EQ(stream.str(), "1.234,5");
    c_library = locale.c_library;
    found = everything();
  }
  EXPECT_TRUE(found == expected);
  if (!c_library) GTEST_SKIP() << "localedef made no locale with a comma: only streams were tested";
}

// Covers code that the test above may not reach. Emitted programs with a main() own their process
// and never set a locale.
TEST(Locale, LocaleDependentFunctionsAreNeverCalled) {
  const std::regex functions(
      "\\b(strto(d|f|ld)|ato[fil]|sto(d|f|ld|i|l|ll)|[a-z]*scanf|setlocale) *\\(|"
      "%[-+ #0-9.*]*L?[aefgAEFG]\\b");
  for (const char* layer : {"compiler", "runtime", "tools/stencilc"}) {
    const auto top = std::filesystem::path(STENCIL_SOURCE_DIR) / layer;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top)) {
      const std::string name = entry.path().filename().string();
      const bool code = entry.path().extension() == ".cpp" || entry.path().extension() == ".h";
      if (!code || name.starts_with("main_")) continue;
      const std::string text = read_file(entry.path().string()).value();
      std::smatch match;
      EXPECT_FALSE(std::regex_search(text, match, functions))
          << entry.path() << ": " << match.str();
    }
  }
}

}  // namespace
}  // namespace stencil::runtime
