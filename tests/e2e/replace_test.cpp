// Functions written by `lift --replace`, compared with their originals. They must give the same
// bits for sizes from 0 and for extreme arguments. The arrays have only the elements that the
// original accesses. Both are compiled with the sanitizers of the system compiler.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>

#include "runtime/devices/host_library.h"
#include "tests/e2e/tool.h"

namespace stencil {
namespace {

struct Scalar {
  const char *type, *name, *values;
};
struct Array {
  const char *type, *name, *length;  // number of elements that the original accesses
};
struct Replaced {
  const char* name;  // of the function
  const char* source;
  const char* result;
  std::vector<const char*> order;  // of the parameters
  std::vector<Scalar> scalars;     // sizes first
  std::vector<Array> arrays;
};

constexpr const char* kSizes = "0, 1, 2, 3, 4, 5, 6, 7, 8, 9";

const std::vector<Replaced> kReplaced = {
    {"any_real",
     "void any_real(int n, double k, float s, double *restrict a, const double *restrict b) {\n"
     "  for (int i = 0; i < n; i++) a[i] = b[i] * k + s;\n"
     "}\n",
     "void",
     {"n", "k", "s", "a", "b"},
     {{"int", "n", kSizes},
      {"double", "k", "0.5, -0.0, NAN, INFINITY, -INFINITY"},
      {"float", "s", "1.5f, NAN, -INFINITY"}},
     {{"double", "a", "n"}, {"double", "b", "n"}}},
    {"any_integer",
     "void any_integer(int n, int k, long m, double *restrict a, long *restrict c) {\n"
     "  for (int i = 0; i < n; i++) {\n"
     "    a[i] = (k < 0 ? 0.5 : 2) * k + (k / 3 + k % 3);\n"
     "    c[i] = (m >> 3) + (m & 255) + k;\n"
     "  }\n"
     "}\n",
     "void",
     {"n", "k", "m", "a", "c"},
     {{"int", "n", "-2147483647 - 1, -1, 0, 1, 2, 5"},
      {"int", "k", "7, -2147483647 - 1, 2147483647, 0"},
      {"long", "m", "1, -9223372036854775807 - 1, 9223372036854775807, 0"}},
     {{"double", "a", "n"}, {"long", "c", "n"}}},
    {"edges",
     "void edges(int n, double *restrict b, const double *restrict a) {\n"
     "  for (int i = 0; i < n; i++) b[i] = (i > 0 ? a[i - 1] : 0) + (i < n - 1 ? a[i + 1] : 0);\n"
     "}\n",
     "void",
     {"n", "b", "a"},
     {{"int", "n", kSizes}},
     {{"double", "b", "n"}, {"double", "a", "n < 2 ? 0 : n"}}},
    {"shifted",
     "void shifted(int n, double *restrict a, const double *restrict b) {\n"
     "  for (int i = 0; i < n; i++)\n"
     "    if (i < n - 1) a[i + 1] = b[i];\n"
     "}\n",
     "void",
     {"n", "a", "b"},
     {{"int", "n", kSizes}},
     {{"double", "a", "n < 2 ? 0 : n"}, {"double", "b", "n - 1"}}},
    {"every_third",
     "void every_third(int n, double *restrict a, const double *restrict b) {\n"
     "  for (int i = 0; i < n; i += 3) a[i] = 2 * b[i];\n"
     "}\n",
     "void",
     {"n", "a", "b"},
     {{"int", "n", kSizes}},
     {{"double", "a", "n < 1 ? 0 : (n - 1) / 3 * 3 + 1"},
      {"double", "b", "n < 1 ? 0 : (n - 1) / 3 * 3 + 1"}}},
    {"clamped",
     "void clamped(int n, double *a) {\n"
     "  for (int i = 0; i < n; i++)\n"
     "    if (a[i] < 0) a[i] = 0;\n"
     "}\n",
     "void",
     {"n", "a"},
     {{"int", "n", kSizes}},
     {{"double", "a", "n"}}},
    {"branches",
     "void branches(int n, double *restrict a, const double *restrict b, const int *restrict m) {\n"
     "  for (int i = 0; i < n; i++) {\n"
     "    if (m[i] > 1)\n      a[i] = b[i] + 1;\n"
     "    else if (m[i] < 0)\n      a[i] = -b[i];\n"
     "    else\n      a[i] = b[i];\n"
     "  }\n"
     "}\n",
     "void",
     {"n", "a", "b", "m"},
     {{"int", "n", kSizes}},
     {{"double", "a", "n"}, {"double", "b", "n"}, {"int", "m", "n"}}},
    {"of_the_call",
     "void of_the_call(int n, int k, double x, double *restrict a, const double *restrict b) {\n"
     "  if (k > 1) {\n    for (int i = 0; i < n; i++) a[i] = x;\n"
     "  } else {\n    for (int i = 0; i < n; i++) a[i] = b[i] + x;\n  }\n"
     "}\n",
     "void",
     {"n", "k", "x", "a", "b"},
     {{"int", "n", kSizes}, {"int", "k", "-2147483647 - 1, 1, 2"}, {"double", "x", "0.5, NAN"}},
     {{"double", "a", "n"}, {"double", "b", "k > 1 ? 0 : n"}}},
    {"declared",
     "void declared(int n, double a[n], const double b[n]) {\n"
     "  for (int i = 0; i < n; i++)\n"
     "    if (b[i] > 0) a[i] = b[i];\n"
     "}\n",
     "void",
     {"n", "a", "b"},
     {{"int", "n", kSizes}},
     {{"double", "a", "n"}, {"double", "b", "n"}}},
    {"counted",
     "long counted(int n, int *a) {\n"
     "  long s = 5;\n"
     "  for (int i = 0; i < n; i++) s += a[i];\n"
     "  for (int i = 0; i < n; i++) a[i] = 2;\n"
     "  return s;\n"
     "}\n",
     "long",
     {"n", "a"},
     {{"int", "n", kSizes}},
     {{"int", "a", "n"}}},
    {"largest",
     "double largest(int n, double *restrict b, const double *restrict a) {\n"
     "  double e = 0;\n"
     "  for (int i = 0; i < n; i++) e = fmax(e, fabs(a[i]));\n"
     "  for (int i = 0; i < n; i++) b[i] = a[i];\n"
     "  return e;\n"
     "}\n",
     "double",
     {"n", "b", "a"},
     {{"int", "n", kSizes}},
     {{"double", "b", "n"}, {"double", "a", "n"}}},
    {"from_minus_three",
     "double from_minus_three(int n, double *restrict b, const double *restrict a) {\n"
     "  double e = -3;\n"
     "  for (int i = 0; i < n; i++) e = a[i] > e ? a[i] : e;\n"
     "  for (int i = 0; i < n; i++) b[i] = a[i];\n"
     "  return e;\n"
     "}\n",
     "double",
     {"n", "b", "a"},
     {{"int", "n", kSizes}},
     {{"double", "b", "n"}, {"double", "a", "n"}}},
    {"steps_of",
     "void steps_of(int steps, int n, int m, double *restrict a, double *restrict b) {\n"
     "  for (int t = 0; t < steps; t++) {\n"
     "    for (int i = 1; i < n - 1; i++)\n"
     "      for (int j = 1; j < m - 1; j++)\n"
     "        b[i * m + j] = 0.25 * (a[(i - 1) * m + j] + a[(i + 1) * m + j] + a[i * m + j - 1] +\n"
     "                               a[i * m + j + 1]);\n"
     "    for (int i = 1; i < n - 1; i++)\n"
     "      for (int j = 1; j < m - 1; j++) a[i * m + j] = b[i * m + j];\n"
     "  }\n"
     "}\n",
     "void",
     {"steps", "n", "m", "a", "b"},
     {{"int", "n", kSizes}, {"int", "m", "1, 2, 3, 5"}, {"int", "steps", "-1, 0, 1, 2, 3"}},
     {{"double", "a", "n < 3 || m < 3 || steps < 1 ? 0 : n * m"},
      {"double", "b", "n < 3 || m < 3 || steps < 1 ? 0 : (n - 1) * m"}}},
    // bounds that the program computes as derived params
    {"half_plus",
     "void half_plus(int n, double *restrict b, const double *restrict a) {\n"
     "  for (int i = 0; i < n / 2 + 1; i++) b[i] = a[i] + 1;\n"
     "}\n",
     "void",
     {"n", "b", "a"},
     {{"int", "n", kSizes}},
     {{"double", "b", "n / 2 + 1"}, {"double", "a", "n / 2 + 1"}}},
    {"from_a_third",
     "void from_a_third(int n, double b[n], const double a[n]) {\n"
     "  for (int i = n / 3; i < n; i++) b[i] = a[i] + 1;\n"
     "}\n",
     "void",
     {"n", "b", "a"},
     {{"int", "n", kSizes}},
     {{"double", "b", "n"}, {"double", "a", "n"}}},
    {"half_of_the_steps",
     "void half_of_the_steps(int n, int t, double *a) {\n"
     "  for (int s = 0; s < t / 2; s++)\n"
     "    for (int i = 0; i < n; i++) a[i] = a[i] * 1.5;\n"
     "}\n",
     "void",
     {"n", "t", "a"},
     {{"int", "n", kSizes}, {"int", "t", "-1, 0, 1, 2, 5, 8"}},
     {{"double", "a", "n"}}},
    {"first_two_else",
     "void first_two_else(int n, double *restrict b, const double *restrict a) {\n"
     "  for (int i = 0; i < n; i++) b[i] = i < 2 ? a[i] : 2 * a[i];\n"
     "}\n",
     "void",
     {"n", "b", "a"},
     {{"int", "n", "-5, 0, 2, 3, 7"}},
     {{"double", "b", "n"}, {"double", "a", "n"}}},
    {"not_the_last",
     "void not_the_last(unsigned n, double *restrict b, const double *restrict a) {\n"
     "  for (unsigned i = 0; i < n; i++) b[i] = i < n - 1 ? a[i + 1] : 3;\n"
     "}\n",
     "void",
     {"n", "b", "a"},
     {{"unsigned", "n", "0, 2, 3, 7"}},
     {{"double", "b", "n"}, {"double", "a", "n"}}},
    {"plane_first_two",
     "void plane_first_two(int n, int m, double *restrict b, const double *restrict a) {\n"
     "  for (int i = 0; i < n; i++)\n"
     "    for (int j = 0; j < m; j++) b[i * m + j] = i < 2 ? a[i * m + j] : 2 * a[i * m + j];\n"
     "}\n",
     "void",
     {"n", "m", "b", "a"},
     {{"int", "n", "-1, 0, 2, 5"}, {"int", "m", "-1, 0, 1, 4"}},
     {{"double", "b", "n < 1 || m < 1 ? 0 : n * m"},
      {"double", "a", "n < 1 || m < 1 ? 0 : n * m"}}},
    {"sum_in_test",
     "void sum_in_test(unsigned long n, double *restrict b, const double *restrict a) {\n"
     "  for (unsigned long i = 1; i + 1 < n; i++) b[i] = a[i - 1] + a[i + 1];\n"
     "}\n",
     "void",
     {"n", "b", "a"},
     {{"unsigned long", "n", "0, 1, 2, 3, 4, 9"}},
     {{"double", "b", "n < 3 ? 0 : n - 1"}, {"double", "a", "n < 3 ? 0 : n"}}},
};

std::string joined(const std::vector<std::string>& all) {
  return fmt::format("{}", fmt::join(all, ", "));
}

// The code of check_NAME(), which calls both functions with all combinations of arguments. If their
// results differ, it prints the name and exits.
std::string comparison(const Replaced& r) {
  std::string parameters, fresh, calls, compare, loops;
  std::vector<std::string> types, ours, theirs;
  for (const char* name : r.order) {
    for (const Scalar& s : r.scalars) {
      if (std::string(s.name) != name) continue;
      types.push_back(s.type);
      ours.push_back(name);
      theirs.push_back(name);
    }
    for (const Array& a : r.arrays) {
      if (std::string(a.name) != name) continue;
      types.push_back(fmt::format("{}*", a.type));
      ours.push_back(fmt::format("{}_ours", name));
      theirs.push_back(fmt::format("{}_theirs", name));
    }
  }
  for (const Scalar& s : r.scalars)
    loops += fmt::format("  for ({0} {1} : std::initializer_list<{0}>{{{2}}})\n", s.type, s.name,
                         s.values);
  for (const Array& a : r.arrays) {
    fresh += fmt::format(
        "    {0}* {1}_ours = fresh<{0}>({2});\n    {0}* {1}_theirs = "
        "fresh<{0}>({2});\n",
        a.type, a.name, a.length);
    compare += fmt::format(
        "    same &= equal({0}_ours, {0}_theirs, {1});\n    std::free({0}_ours);\n"
        "    std::free({0}_theirs);\n",
        a.name, a.length);
  }
  const bool returns = std::string(r.result) != "void";
  const auto call = [&](const char* prefix, const std::vector<std::string>& arguments) {
    return fmt::format("{}{}({})", prefix, r.name, joined(arguments));
  };
  calls = returns ? fmt::format("    {0} x = {1}, y = {2};\n    same &= equal(&x, &y, 1);\n",
                                r.result, call("", ours), call("original_", theirs))
                  : fmt::format("    {};\n    {};\n", call("", ours), call("original_", theirs));
  return fmt::format(
      "extern \"C\" {0} {1}({2});\nextern \"C\" {0} original_{1}({2});\nvoid check_{1}() {{\n{3}  "
      "{{\n"
      "    bool same = true;\n{4}{5}{6}    if (!same) {{\n      std::printf(\"{1} differs\\n\");\n"
      "      std::exit(1);\n    }}\n  }}\n}}\n",
      r.result, r.name, joined(types), loops, fresh, calls, compare);
}

constexpr const char* kComparison = R"(
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
template <class T> T* fresh(long n) {
  T* out = (T*)std::malloc(n > 0 ? n * sizeof(T) : 0);
  for (long i = 0; i < n; i++) out[i] = (T)((i * 37 % 11 - 5) * 0.75);
  return out;
}
template <class T> bool equal(const T* a, const T* b, long n) {
  for (long i = 0; i < n; i++) {
    if (std::memcmp(a + i, b + i, sizeof(T)) != 0 && !(a[i] != a[i] && b[i] != b[i])) return false;
  }
  return true;
}
)";

class Replace : public Tool {
 protected:
  void SetUp() override {
    if (!runtime::HostLibrary::open().ok()) GTEST_SKIP() << "no libstencil_host.so";
  }
  Outcome shell(const std::string& command) const {
    const std::string line =
        fmt::format("cd '{}' && {{ {}; }} >'{}' 2>&1", (root_ / "work").string(), command,
                    (root_ / "log").string());
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(root_ / "log"), ""};
  }
};

TEST_F(Replace, IsTheOriginalForAllArgumentsAndTouchesNoMore) {
  if (shell("c++ --version && cc --version").status != 0) GTEST_SKIP() << "no C++ compiler";
  std::string originals = "#include <math.h>\n", main = kComparison, checks, files;
  for (const Replaced& r : kReplaced) {
    write(fmt::format("{}.c", r.name), std::string("#include <math.h>\n") + r.source);
    const Outcome lifted = stencilc(fmt::format(
        "lift {0}.c --replace --no-verify --fp strict --function {0} -o r_{0}.cpp", r.name));
    ASSERT_EQ(lifted.status, 0) << r.name << "\n" << lifted.err;
    originals += fmt::format("#define {0} original_{0}\n{1}#undef {0}\n", r.name, r.source);
    main += comparison(r);
    checks += fmt::format("  check_{}();\n", r.name);
    files += fmt::format(" r_{}.cpp", r.name);
  }
  write("originals.c", originals);
  write("main.cpp", main + "int main() {\n" + checks + "}\n");
  const std::string flags =
      "-g -O1 -ffp-contract=off -fsanitize=address,undefined -fno-sanitize-recover=all";
  const Outcome built =
      shell(fmt::format("cc {0} -c originals.c && for f in{1}; do c++ -std=c++17 "
                        "-Wall -Wextra -Werror {0} -c $f || exit 1; done && c++ "
                        "-std=c++17 {0} main.cpp *.o -o both -lm",
                        flags, files));
  ASSERT_EQ(built.status, 0) << built.out;
  const Outcome run = shell("ASAN_OPTIONS=detect_leaks=0 ./both");
  EXPECT_EQ(run.status, 0) << run.out;
}

// Copies to and from a GPU move whole arrays. If a call may access fewer elements, the caller's
// array may be shorter, so the function copies it to a longer one.
TEST_F(Replace, ArraysThatMayBeShorterAreCopied) {
  const auto text_of = [&](const std::string& name, const std::string& options) {
    for (const Replaced& r : kReplaced) {
      if (r.name == name) write("f.c", std::string("#include <math.h>\n") + r.source);
    }
    const Outcome lifted = stencilc(
        fmt::format("lift f.c --replace --no-verify --function {} {} -o f.cu", name, options));
    EXPECT_EQ(lifted.status, 0) << lifted.err;
    return read(file("f.cu"));
  };
  const std::string third = text_of("every_third", "");
  EXPECT_TRUE(holds(third, "stencil_part<double> stencil_part_0(")) << third;
  EXPECT_TRUE(holds(third, "stencil_part_0.back();"));
  EXPECT_TRUE(holds(third, "stencil_part<const double> stencil_part_1("));
  EXPECT_TRUE(holds(text_of("every_third", "--device-pointers"),
                    "the original accesses fewer elements of 'a' than the program"));
  EXPECT_FALSE(holds(text_of("any_real", ""), "stencil_part"));
}

// For t < 1 the C loop takes one step, but the program requires t >= 1. The function must abort.
TEST_F(Replace, AStepThatTheProgramLacksAborts) {
  if (shell("c++ --version").status != 0) GTEST_SKIP() << "no C++ compiler";
  write("f.c",
        "void f(int t, int n, double *restrict a, double *restrict b) {\n  int s = 0;\n  do {\n"
        "    for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);\n"
        "    for (int i = 1; i < n - 1; i++) a[i] = b[i];\n    s++;\n  } while (s < t);\n}\n");
  const Outcome lifted = stencilc("lift f.c --replace --no-verify --function f -o r.cpp");
  ASSERT_EQ(lifted.status, 0) << lifted.err;
  write("main.cpp",
        "#include <cstdlib>\n#include \"r.h\"\nint main(int, char** v) {\n"
        "  double a[5] = {1, 2, 3, 5, 8}, b[5] = {};\n"
        "  f(std::atoi(v[1]), std::atoi(v[2]), a, b);\n"
        "  return b[1] == (std::atoi(v[2]) > 2 ? 2 : 0) ? 0 : 3;\n}\n");
  ASSERT_EQ(shell("c++ -std=c++17 -O1 main.cpp r.cpp -o f").status, 0);
  EXPECT_EQ(shell("./f 1 5").status, 0);
  EXPECT_EQ(shell("./f 0 2").status, 0) << "no point";
  const std::vector<std::pair<const char*, const char*>> messages = {
      {"0", "require t >= 1 does not hold"}, {"-3", "the number of steps is negative"}};
  for (const auto& [steps, message] : messages) {
    const Outcome out = shell(fmt::format("( ./f {} 5 )", steps));
    EXPECT_EQ(out.status, 128 + SIGABRT) << out.out;
    EXPECT_TRUE(holds(out.out, message)) << out.out;
  }
}

TEST_F(Replace, NamesTheNamespaceThatItRefuses) {
  for (const char* open : {"namespace q {\n", "struct q {\nstatic "}) {
    write("f.cpp", fmt::format("{}void f(int n, double *__restrict b, const double *__restrict a) "
                               "{{\n  for (int i = 0; i < n; i++) b[i] = 2 * a[i];\n}}\n}};\n",
                               open));
    const Outcome plain = stencilc("lift f.cpp --function f");
    EXPECT_EQ(plain.status, 0) << plain.err;
    EXPECT_TRUE(holds(plain.err, "every bit")) << plain.err;
    const Outcome replaced = stencilc("lift f.cpp --function f --replace -o r.cpp");
    EXPECT_EQ(replaced.status, 2);
    EXPECT_TRUE(holds(replaced.err, "U040")) << replaced.err;
    EXPECT_TRUE(holds(replaced.err, "'q::f' is in a namespace or a class")) << replaced.err;
  }
}

struct NotReplaced {
  const char *name, *source, *why;
};
const NotReplaced kNotReplaced[] = {
    {"half",
     "void f(int n, double *restrict a, const double *restrict b) {\n  int q = n / 2;\n"
     "  for (int i = 0; i < q; i++)\n    if (i < q - 1) a[i + 1] = b[i];\n}\n",
     "elements of 'a', but a condition may let the original access fewer"},
    {"bounded",
     "void f(int n, int p, double *restrict a, const double *restrict b) {\n"
     "  for (int i = 0; i < n; i++) a[i] = i < p ? b[i + 1] : 0;\n}\n",
     "elements of 'b', but a condition may let the original access fewer"},
    {"masked",
     "void f(int n, double *restrict a, const double *restrict m) {\n"
     "  for (int i = 0; i < n; i++)\n    if (m[i] > 0) a[i] = 1;\n}\n",
     "elements of 'a', but a condition may let the original access fewer"},
    {"static_global",
     "static double c = 3;\nvoid f(int n, double *restrict a) {\n"
     "  for (int i = 0; i < n; i++) a[i] = a[i] * c;\n}\n",
     "it uses 'c', which is not one of its parameters"},
    {"global_array",
     "double c[1000];\nvoid f(int n, double *restrict a) {\n"
     "  for (int i = 0; i < 1000; i++) a[i] = a[i] * c[i];\n}\n",
     "it uses 'c', which is not one of its parameters"},
    {"global_set",
     "int c;\nvoid f(int n, double *restrict a) {\n"
     "  for (int i = 0; i < n; i++) a[i] = a[i] * 2;\n  c = n;\n}\n",
     "it uses 'c', which is not one of its parameters"},
    {"unsigned_value",
     "void f(int n, unsigned long k, double *restrict a) {\n"
     "  for (int i = 0; i < n; i++) a[i] = a[i] + (double)(k >> 3);\n}\n",
     "'k' is an unsigned 64-bit number that bounds no loop"},
};

TEST_F(Replace, RefusesWhatItCannotKeep) {
  for (const NotReplaced& r : kNotReplaced) {
    write("f.c", r.source);
    const Outcome lifted = stencilc("lift f.c --replace --no-verify --function f -o f.cpp");
    EXPECT_EQ(lifted.status, 2) << r.name;
    EXPECT_TRUE(holds(lifted.err, "U040")) << r.name << "\n" << lifted.err;
    EXPECT_TRUE(holds(lifted.err, r.why)) << r.name << "\n" << lifted.err;
  }
  EXPECT_EQ(files(), "f.c");
}

}  // namespace
}  // namespace stencil
