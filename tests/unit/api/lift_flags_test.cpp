// Lifting: the compiler flags that are passed on to Clang. None of them loads code or writes files.
#include <fmt/format.h>

#include <set>

#include "tests/unit/api/lift_sample.h"

namespace stencil::api {
namespace {

namespace fs = std::filesystem;

const char* const kSource = R"(
void f(int n, double *a, double *b) {
  for (int i = 1; i < n - 1; i++) b[i] = FACTOR * a[i - 1];
})";

class LiftFlags : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
    fs::create_directories(directory_);
    std::ofstream(directory_ / "f.c") << kSource;
    std::ofstream(directory_ / "factor.h") << "#define FACTOR 3\n";
    std::ofstream(directory_ / "no_plugin.so") << "no library";
  }
  void TearDown() override { fs::remove_all(directory_); }

  Result<LiftedSource> lift(std::vector<std::string> flags, const std::string& file = "f.c") {
    LiftOptions options;
    options.function = "f";
    options.flags = std::move(flags);
    return lift_source((directory_ / file).string(), options);
  }
  void record(const std::string& flags) {
    std::ofstream(directory_ / "compile_commands.json")
        << fmt::format(R"([{{"directory":"{}","file":"f.c","arguments":["cc",{},"-c","f.c"]}}])",
                       directory_.string(), flags);
  }
  std::set<std::string> files() const {
    std::set<std::string> out;
    for (const auto& entry : fs::directory_iterator(directory_))
      out.insert(entry.path().filename().string());
    return out;
  }

  const fs::path directory_ =
      fs::temp_directory_path() / fmt::format("stencil_lift_flags_{}", getpid());
};

TEST_F(LiftFlags, ThatAffectTheMeaningArePassedOn) {
  for (const std::vector<std::string>& flags : std::vector<std::vector<std::string>>{
           {"-DFACTOR=3"},
           {"-D", "FACTOR=3", "-O3", "-g", "-Wall", "-march=native", "-fopenmp", "-fwrapv"},
           {"-include", (directory_ / "factor.h").string(), "-std=c99"},
           {"-DFACTOR=3", "-ffp-contract=off", "-fno-fast-math", "-lm"}}) {
    const auto out = lift(flags);
    ASSERT_TRUE(out.ok()) << out.failure().text();
    EXPECT_TRUE(out.value().verified) << out.value().proof;
    EXPECT_NE(out.value().text.find("3.0 * a[-1]"), std::string::npos) << out.value().text;
  }
}

// OpenMP and optimisation define macros. The tree and the code of the proof have the same ones.
TEST_F(LiftFlags, DefineMacrosAsTheUsersBuildDoes) {
  std::ofstream(directory_ / "f.c") << "#ifdef _OPENMP\n#include <omp.h>\n#define FACTOR 3\n#else\n"
                                       "#define FACTOR 5\n#endif\n"
                                    << kSource;
  const auto factor = [&](const std::vector<std::string>& flags) -> std::string {
    const auto out = lift(flags);
    if (!out.ok()) return out.failure().text();
    EXPECT_TRUE(out.value().verified) << out.value().proof;
    return out.value().text.find("3.0 * a[-1]") != std::string::npos ? "3" : "5";
  };
  EXPECT_EQ(factor({}), "5");
  EXPECT_EQ(factor({"-fopenmp"}), "3");
  EXPECT_EQ(factor({"-fopenmp=libomp"}), "3");
  EXPECT_EQ(factor({"-fopenmp", "-fno-openmp"}), "5");
  EXPECT_EQ(factor({"-fopenmp", "-U_OPENMP"}), "5");
  record("\"-fopenmp\"");
  EXPECT_EQ(factor({}), "3");
  for (const char* macro : {"__OPTIMIZE__", "__NO_MATH_ERRNO__"}) {
    std::ofstream(directory_ / "f.c")
        << "#ifdef " << macro << "\n#define FACTOR 3\n#else\n#define FACTOR 5\n#endif\n"
        << kSource;
    EXPECT_EQ(factor({"-O3"}), "5") << macro;
    EXPECT_EQ(factor({std::string("-D") + macro}), "3") << macro;
  }
}

TEST_F(LiftFlags, OfAnotherMachineAreRefusedInADatabase) {
  for (const char* flags : {"\"-m32\"", "\"-mx32\"", "\"--target=i386-linux-gnu\"",
                            "\"--target=x86_64-w64-mingw32\"", "\"-target\",\"i386-linux-gnu\""}) {
    record(std::string("\"-DFACTOR=3\",") + flags);
    const auto out = lift({});
    ASSERT_FALSE(out.ok()) << flags;
    EXPECT_EQ(out.failure().code, "C004") << out.failure().text();
  }
  record("\"-DFACTOR=3\",\"-m64\"");
  EXPECT_TRUE(lift({}).ok());
}

TEST_F(LiftFlags, SelectTheLanguage) {
  std::ofstream(directory_ / "f.c") << "template <class T> T twice(T x) { return 2 * x; }\n"
                                       "void f(int n, double *a, double *b) {\n"
                                       "  for (int i = 0; i < n; i++) b[i] = twice(a[i]);\n}\n";
  const auto out = lift({"-x", "c++"});
  ASSERT_TRUE(out.ok()) << out.failure().text();
  EXPECT_TRUE(out.value().verified) << out.value().proof;
  const auto other = lift({"-x", "cuda"});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.failure().code, "C004");
}

TEST_F(LiftFlags, OfTheUserAreRefusedIfUnsupported) {
  const std::string plugin = (directory_ / "no_plugin.so").string();
  const auto before = files();
  for (const std::vector<std::string>& flags :
       std::vector<std::vector<std::string>>{{"-fpass-plugin=" + plugin},
                                             {"-fplugin=" + plugin},
                                             {"-Xclang", "-fpass-plugin=" + plugin},
                                             {"-Xclang", "-load", "-Xclang", plugin},
                                             {"-mllvm", "-load=" + plugin},
                                             {"@flags"},
                                             {"other.c"},
                                             {"--config=x.cfg"},
                                             {"-serialize-diagnostics", "out.dia"},
                                             {"--serialize-diagnostics", "out.dia"},
                                             {"--coverage"},
                                             {"-MD"},
                                             {"-MF", "dep.d"},
                                             {"-save-temps"},
                                             {"-ftime-trace"},
                                             {"-o", "out.o"},
                                             {"-gsplit-dwarf"},
                                             {"-Wp,-MD,out.d"},
                                             {"-fmodules"},
                                             {"-m32"},
                                             {"--target=aarch64-linux-gnu"},
                                             {"-ffast-math"},
                                             {"-Ofast"},
                                             {"-fno-signed-zeros"},
                                             {"-fassociative-math"},
                                             {"-D"}}) {
    std::vector<std::string> all = {"-DFACTOR=3"};
    all.insert(all.end(), flags.begin(), flags.end());
    const auto out = lift(all);
    ASSERT_FALSE(out.ok()) << flags[0];
    EXPECT_EQ(out.failure().code, "C004") << out.failure().text();
    EXPECT_NE(out.failure().message.find("'" + flags[0] + "'"), std::string::npos)
        << out.failure().text();
  }
  EXPECT_EQ(files(), before);
}

TEST_F(LiftFlags, OfADatabaseAreDroppedIfUnsafe) {
  const std::string plugin = (directory_ / "no_plugin.so").string();
  for (const std::string& more :
       {"\"-fpass-plugin=" + plugin + "\"", "\"-Xclang\",\"-fpass-plugin=" + plugin + "\"",
        "\"-Xclang\",\"-load\",\"-Xclang\",\"" + plugin + "\"",
        std::string("\"--coverage\",\"-save-temps\",\"-ftime-trace\""),
        std::string(
            "\"-MD\",\"-MF\",\"dep.d\",\"-o\",\"out.o\",\"-serialize-diagnostics\",\"x.dia\"")}) {
    record("\"-DFACTOR=3\"," + more);
    const auto before = files();
    const auto out = lift({});
    ASSERT_TRUE(out.ok()) << more << out.failure().text();
    EXPECT_TRUE(out.value().verified) << out.value().proof;
    EXPECT_EQ(files(), before) << more;
  }
}

}  // namespace
}  // namespace stencil::api
