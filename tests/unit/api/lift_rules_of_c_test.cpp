// C functions that are compiled with this file, compared with the programs lifted from them. The
// data include values that a lifter's proof may miss: negative numbers, zeros of both signs, equal
// numbers, and the smallest sizes.
#include <cstring>
#include <functional>

#include "stencil/simulation.h"
#include "tests/unit/api/lift_sample.h"

namespace stencil::api {
namespace {

// Defines a function and a constant with its source text.
#define ORIGINAL(NAME, ...)   \
  namespace original_##NAME { \
    __VA_ARGS__               \
  }                           \
  const char* const kText_##NAME = #__VA_ARGS__

using Doubles = std::vector<double>;
using Function = std::function<void(int n, int64_t k, double* a, double* b)>;
constexpr size_t kRoom = 64;  // elements of each array

Doubles data(int kind, int seed) {
  Doubles out(kRoom);
  for (size_t i = 0; i < kRoom; ++i) {
    const int x = static_cast<int>((i * 7 + static_cast<size_t>(seed) * 5 + i * i) % 9) - 4;
    out[i] = kind == 0 ? x * 0.5 : kind == 1 ? (x < 0 ? -0.0 : x * 300.25) : 1.0;
  }
  return out;
}

std::string bits(const Doubles& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

// The first `count` elements of an array.
Doubles part(const Doubles& array, size_t count) {
  return {array.begin(), array.begin() + static_cast<ptrdiff_t>(count)};
}

void expect_same(const std::string& name, const char* text, const Function& original,
                 const std::vector<int>& sizes, const std::vector<int64_t>& numbers = {0}) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const auto path = std::filesystem::temp_directory_path() /
                    ("stencil_rules_" + std::to_string(getpid()) + "_" + name + ".c");
  std::ofstream(path) << text;
  LiftOptions lift_options;
  lift_options.function = "f";
  lift_options.verify = false;
  const auto lifted = lift_source(path.string(), lift_options);
  std::filesystem::remove(path);
  ASSERT_TRUE(lifted.ok()) << lifted.failure().text();
  const std::string& program_text = lifted.value().text;
  for (const int n : sizes) {
    for (const int64_t k : numbers) {
      Options options;
      options.fp = FloatingPoint::Strict;
      options.definitions.insert_or_assign("n", ParamValue(int64_t{n}));
      if (program_text.find("param k :") != std::string::npos)
        options.definitions.insert_or_assign("k", ParamValue(k));
      const auto program = Program::from_text(program_text, options, "lifted.stn");
      ASSERT_TRUE(program.ok()) << program.failure().text() << "n=" << n << "\n" << program_text;
      const Kernel kernel = program.value().compile({.device = "reference"}).or_throw();
      for (int kind = 0; kind < 3; ++kind) {
        Doubles a = data(kind, 1), b = data(kind, 2);
        Simulation run = kernel.start().or_throw();
        const bool reads = program_text.find("field a ") != std::string::npos;
        const auto put = [&](const char* field, const Doubles& array) {
          const auto info = program.value().field(field).or_throw();
          Doubles values = part(array, run.get<double>(field).or_throw().size());
          run.set(field, View(values, info.shape)).or_throw();
        };
        if (reads) put("a", a);
        put("b", b);
        run.run().or_throw();
        Doubles expected_a = a, expected_b = b;
        original(n, k, expected_a.data(), expected_b.data());
        if (reads) {
          const Doubles now = run.get<double>("a").or_throw();
          std::copy(now.begin(), now.end(), a.begin());
        }
        const Doubles now = run.get<double>("b").or_throw();
        std::copy(now.begin(), now.end(), b.begin());
        const std::string where = name + ": n=" + std::to_string(n) + " k=" + std::to_string(k) +
                                  " data " + std::to_string(kind) + "\n" + program_text;
        EXPECT_EQ(bits(a), bits(expected_a)) << where;
        EXPECT_EQ(bits(b), bits(expected_b)) << where;
      }
    }
  }
}

#define EXPECT_AS_IN_C(NAME, ...)                                                           \
  expect_same(                                                                              \
      #NAME, kText_##NAME,                                                                  \
      [](int n, int64_t k, double* a, double* b) { call(original_##NAME::f, n, k, a, b); }, \
      __VA_ARGS__)

template <class Size>
void call(void (*f)(Size, double*, double*), int n, int64_t, double* a, double* b) {
  f(static_cast<Size>(n), a, b);
}
template <class Size, class Number>
void call(void (*f)(Size, Number, double*, double*), int n, int64_t k, double* a, double* b) {
  f(static_cast<Size>(n), static_cast<Number>(k), a, b);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-value"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wbool-operation"

// ---- conditional side effects

ORIGINAL(
    logical_and, void f(int n, double* a, double* b) {
      for (int i = 1; i < n - 1; i++) a[i] > 0.5 && (b[i] = a[i + 1]);
    });
ORIGINAL(
    logical_chain, void f(int n, double* a, double* b) {
      for (int i = 1; i < n - 1; i++) {
        double k = 0, m = 0;
        int c = (a[i] > 0 && (k = a[i - 1]) > 0 && (m = a[i + 1]) > 0) || (k = 2) < 0;
        b[i] = k + 3 * m + c;
      }
    });
ORIGINAL(
    choice_of_assignments, void f(int n, double* a, double* b) {
      for (int i = 1; i < n - 1; i++) {
        double k = 0;
        a[i] > 0 ? (a[i - 1] > 0 ? (k = 1) : (k += 2)) : a[i + 1] > 0 ? (k = 3) : 0;
        b[i] = k;
      }
    });
ORIGINAL(
    comma_in_a_choice, void f(int n, double* a, double* b) {
      for (int i = 1; i < n - 1; i++) {
        double k = 0;
        double r = (a[i] > 0 && (k = 3, b[i] = 7, a[i - 1] > 0)) ? (k++, k) : (k--, -k);
        b[i] += r + k;
      }
    });
ORIGINAL(
    call_in_an_arm,
    static double add(double* k, double v) {
      *k += v;
      return v;
    } void f(int n, double* a, double* b) {
      for (int i = 1; i < n - 1; i++) {
        double k = 0;
        double r = a[i] > 0 ? add(&k, a[i - 1]) : 0;
        b[i] = r + k;
      }
    });
ORIGINAL(
    counts_under_conditions, void f(int n, double* a, double* b) {
      for (int i = 1; i < n - 1; i++) {
        int c = 0;
        a[i] > 0 ? c++ : c--;
        a[i - 1] > 0 && ++c;
        a[i + 1] > 0 || c--;
        b[i] = c;
      }
    });

TEST(LiftRules, SideEffectsAreConditional) {
  const std::vector<int> sizes = {3, 4, 12};
  EXPECT_AS_IN_C(logical_and, sizes);
  EXPECT_AS_IN_C(logical_chain, sizes);
  EXPECT_AS_IN_C(choice_of_assignments, sizes);
  EXPECT_AS_IN_C(comma_in_a_choice, sizes);
  EXPECT_AS_IN_C(call_in_an_arm, sizes);
  EXPECT_AS_IN_C(counts_under_conditions, sizes);
}

// ---- integers

ORIGINAL(
    choice_divided, void f(int n, double* a, double* b) {
      for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] * ((a[i] < 0 ? 1 : 2) / 2);
    });
ORIGINAL(
    local_divided, void f(int n, double* a, double* b) {
      for (int i = 0; i < n; i++) {
        int c = 0;
        if (a[i] < 0) c = 3;
        b[i] = c / 2 * a[i];
      }
    });
ORIGINAL(
    operators, void f(int n, double* a, double* b) {
      for (int i = 0; i < n; i++) {
        int c = a[i] < 0 ? -7 : 5;
        b[i] = c / 2 + c % 3 + (c >> 1) + ~c + (c ^ 6) + (c & 3) + (c | 8) + (unsigned)c % 7 +
               (unsigned)c / 3 + (c / 2) * 0.5;
      }
    });
ORIGINAL(
    comparisons, void f(int n, double* a, double* b) {
      for (int i = 0; i < n; i++)
        b[i] = (a[i] > 0) - (a[i] < 0) + (a[i] == 0) / 2 + !a[i] + !!a[i] * 2;
    });
ORIGINAL(
    narrow, void f(int n, double* a, double* b) {
      for (int i = 0; i < n; i++) {
        signed char c = 100;
        c += a[i] > 0 ? 100 : 1;
        unsigned char u = 250;
        u += 3 * (a[i] > 0) + 4;
        short s = 32767;
        s++;
        b[i] = c + u + s + (signed char)(int)a[i];
      }
    });
ORIGINAL(
    wrapped_size, void f(int n, double* a, double* b) {
      if (n - 4u < 10)
        for (int i = 0; i < n; i++) b[i] = a[i];
    });
ORIGINAL(
    wrapped_bound, void f(int n, double* a, double* b) {
      for (int i = 0; i < n; i++)
        if (i < n - 4u) b[i] = a[i];
    });
ORIGINAL(
    wrapped_index, void f(unsigned n, double* a, double* b) {
      for (unsigned i = 0; i < n; i++)
        if (i - 1 < n - 2) b[i] = a[i];
    });
ORIGINAL(
    negative_as_unsigned, void f(int n, int k, double* a, double* b) {
      double c = (unsigned)k;
      for (int i = 1; i < n - 1; i++) b[i] = a[i] + c;
    });
ORIGINAL(
    hash, void f(int n, int k, double* a, double* b) {
      for (int i = 0; i < n; i++) {
        unsigned h = (unsigned)k * 2654435761u + i;
        h ^= h >> 15;
        h *= 2246822519u;
        b[i] = h + a[i] + -h + (h << 3);
      }
    });
ORIGINAL(
    long_param, void f(int n, long k, double* a, double* b) {
      for (int i = 1; i < n - 1; i++) {
        int c = (int)k;
        long d = c + k;
        short s = (short)k;
        unsigned char u = (unsigned char)k;
        b[i] = a[i - 1] + k / 2 + c + d * 2 + s + u;
      }
    });
ORIGINAL(
    wide_products, void f(int n, int k, double* a, double* b) {
      for (int i = 1; i < n - 1; i++) b[i] = a[i] + (long)k * k + (long)i * 3000000000 + i * 1L * k;
    });
ORIGINAL(
    unsigned_long, void f(unsigned long n, unsigned long k, double* a, double* b) {
      for (unsigned long i = 0; i < n; i++)
        b[i] =
            (double)(k - i) + (k - 3 < i) + (k >> 1) + k % 7 + (i - 1) * 0.5 + (i > n - 3) + a[i];
    });

TEST(LiftRules, IntegersFollowC) {
  const std::vector<int> sizes = {1, 2, 3, 4, 7};
  EXPECT_AS_IN_C(choice_divided, {2, 5});
  EXPECT_AS_IN_C(local_divided, sizes);
  EXPECT_AS_IN_C(operators, sizes);
  EXPECT_AS_IN_C(comparisons, sizes);
  EXPECT_AS_IN_C(narrow, sizes);
  EXPECT_AS_IN_C(wrapped_size, {1, 3, 4, 13, 14});
  EXPECT_AS_IN_C(wrapped_bound, {1, 3, 4, 5, 9});
  EXPECT_AS_IN_C(wrapped_index, sizes);
  EXPECT_AS_IN_C(negative_as_unsigned, {5}, {-5, 0, 7});
  EXPECT_AS_IN_C(hash, {5}, {-5, 0, 7, 123456});
  EXPECT_AS_IN_C(long_param, {6}, {5000000000, -5, 3, 300, -40000, 2147483648});
  EXPECT_AS_IN_C(wide_products, {6}, {100000, -100000, 3});
  EXPECT_AS_IN_C(unsigned_long, {4}, {0, 2, 3, 1000000007, 5000000000});
}

// ---- guards

ORIGINAL(
    two_guards, void f(int n, double* a, double* b) {
      for (int i = 0; i < n; i++) b[i] = (i > 0 ? a[i - 1] : 0) + (i < n - 1 ? a[i + 1] : 0);
    });
ORIGINAL(
    guards_of_two, void f(int n, double* a, double* b) {
      for (int i = 0; i < n; i++) {
        double s = a[i];
        if (i > 0) s += a[i - 1];
        if (i < n - 1) s += a[i + 1];
        if (i > 1) s -= a[i - 2];
        if (i + 2 < n) s -= a[i + 2];
        b[i] = s;
      }
    });
ORIGINAL(
    guarded_subscripts, void f(int n, double* a, double* b) {
      for (int i = 0; i < n; i++) {
        int l = i > 0 ? i - 1 : i, r = i < n - 1 ? i + 1 : i;
        b[i] = a[l] - a[r] + 2 * a[i];
      }
    });
ORIGINAL(
    guards_of_sizes, void f(unsigned long n, double* a, double* b) {
      for (unsigned long i = 0; i < n; i++)
        b[i] = (i > 0 ? a[i - 1] : 0) + (i < n - 1 ? a[i + 1] : 0) + (i + 1 < n ? a[i + 1] : 0);
    });
ORIGINAL(
    guards_in_two, void f(int n, int k, double* a, double* b) {
      for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) {
          double s = 0;
          int c = 0;
          if (i > 0) {
            s += a[(i - 1) * k + j];
            c++;
          }
          if (i < n - 1) {
            s += a[(i + 1) * k + j];
            c++;
          }
          if (j > 0) {
            s += a[i * k + j - 1];
            c++;
          }
          if (j < k - 1) {
            s += a[i * k + j + 1];
            c++;
          }
          b[i * k + j] = s / (c + 1) + c / 2;
        }
    });
ORIGINAL(
    number_as_bound, void f(int n, int k, double* a, double* b) {
      for (int i = 0; i < n; i++) b[i] = i < k ? a[i] : 2;
    });

TEST(LiftRules, GuardsWorkForTheSmallestSizes) {
  const std::vector<int> sizes = {1, 2, 3, 4, 9};
  EXPECT_AS_IN_C(two_guards, sizes);
  EXPECT_AS_IN_C(guards_of_two, sizes);
  EXPECT_AS_IN_C(guarded_subscripts, sizes);
  EXPECT_AS_IN_C(guards_of_sizes, sizes);
  EXPECT_AS_IN_C(guards_in_two, {1, 2, 3, 5}, {1, 2, 4});
  EXPECT_AS_IN_C(number_as_bound, sizes, {-3, 0, 1, 3, 50});
}

// ---- narrow types in bounds

ORIGINAL(
    narrow_bound, void f(int n, double* a, double* b) {
      unsigned char h = n * 9;
      for (int i = 0; i < h; i++) b[i] = a[i];
    });
ORIGINAL(
    narrow_parameter,
    static void part(unsigned char m, double* a, double* b) {
      for (int i = 0; i < m; i++) b[i] = a[i];
    } void f(int n, double* a, double* b) { part(n * 9, a, b); });
ORIGINAL(
    narrow_quotient, void f(int n, double* a, double* b) {
      signed char h = n * 10;
      h /= 2;
      for (int i = 0; i < h + 64; i++) b[i] = a[i];
    });

TEST(LiftRules, NarrowTypesTruncateBounds) {
  EXPECT_AS_IN_C(narrow_bound, {1, 5, 29, 30, 31});
  EXPECT_AS_IN_C(narrow_parameter, {1, 5, 29, 30, 31});
  EXPECT_AS_IN_C(narrow_quotient, {13, 14, 25});
}

// ---- returns

ORIGINAL(
    returns_early, void f(int n, int k, double* a, double* b) {
      if (k > 3) return;
      for (int i = 1; i < n - 1; i++) b[i] = a[i - 1];
      if (k == 1) return;
      for (int i = 1; i < n - 1; i++) b[i] += 2 * a[i];
    });
ORIGINAL(
    returns_a_structure, struct pair { double x, y; }; static struct pair both(double v) {
      struct pair q = {v, 2 * v};
      return q;
    } void f(int n, double* a, double* b) {
      for (int i = 0; i < n; i++) {
        struct pair q = {1, 2};
        q = both(a[i]);
        b[i] = q.x - 3 * q.y;
      }
    });

ORIGINAL(
    limiter,
    static double limited(double x, double y) {
      if (x * y <= 0)
        return 0;
      else if (x < 0)
        return x > y ? x : y;
      if (x > 100) return 100;
      return x < y ? x : y;
    } void f(int n, double* a, double* b) {
      for (int i = 1; i < n - 1; i++) b[i] = limited(a[i] - a[i - 1], a[i + 1] - a[i]);
    });
ORIGINAL(
    set_and_returned,
    static int counted(double* x, double v) {
      if (v > 0) {
        *x += 1;
        return 3;
      }
      *x += v;
      return 2;
    } void f(int n, double* a, double* b) {
      for (int i = 0; i < n; i++) {
        double x = 0;
        int r = counted(&x, a[i]) / 2;
        if (counted(&x, -a[i]) == 3) r += 5;
        b[i] = x + r;
      }
    });
ORIGINAL(
    outside_is_zero,
    static double element(const double* a, int i, int n) {
      if (i < 0) return 0;
      if (i >= n) return 0;
      return a[i];
    } void f(int n, double* a, double* b) {
      for (int i = 0; i < n; i++) b[i] = element(a, i - 1, n) + element(a, i + 1, n);
    });
ORIGINAL(
    continued, void f(int n, double* a, double* b) {
      for (int i = 0; i < n; i++) {
        if (a[i] > 0) {
          if (a[i] > 1) continue;
          b[i] = 5;
        }
        b[i] += 2;
      }
    });
ORIGINAL(
    continued_within, void f(int n, double* a, double* b) {
      for (int i = 0; i < n; i++) {
        int c = 0;
        for (int k = 0; k < 4; k++) {
          if (a[i] > k) continue;
          c += k;
        }
        b[i] = c;
      }
    });

TEST(LiftRules, EarlyReturnsAreFollowed) {
  EXPECT_AS_IN_C(limiter, {2, 9});
  EXPECT_AS_IN_C(set_and_returned, {1, 9});
  EXPECT_AS_IN_C(outside_is_zero, {1, 2, 9});
  EXPECT_AS_IN_C(continued, {1, 9});
  EXPECT_AS_IN_C(continued_within, {1, 9});
  EXPECT_AS_IN_C(returns_early, {3, 6}, {0, 1, 3, 4});
  EXPECT_AS_IN_C(returns_a_structure, {1, 5});
}
#pragma GCC diagnostic pop

// ---- requirements and refusals

std::string text_of(const std::string& source, const std::string& extension = ".c") {
  const auto out = lift_text("rules", source, extension, "f");
  return out.ok() ? out.value().text : out.failure().code + " " + out.failure().message;
}

TEST(LiftRules, SizesGetNoUpperBound) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const std::string text = text_of(R"(
void f(int n, double* a, double* b) {
  for (int i = 0; i < n; i++) b[i] = (i > 0 ? a[i - 1] : 0) + (i < n - 1 ? a[i + 1] : 0);
})");
  EXPECT_EQ(text.find("require"), std::string::npos) << text;
  EXPECT_NE(text.find("boundary clamp"), std::string::npos) << text;
}

TEST(LiftRules, LargeExpressionsAreLiftedOrRefusedQuickly) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  EXPECT_NE(text_of(R"(
void f(int n, double* a, double* b) {
  for (int i = 1; i < n - 1; i++) {
    double x = a[i];
    for (int k = 0; k < 32; k++) x = x * x * 0.25 + x * 0.1;
    b[i] = x;
  }
})")
                .find("let t31"),
            std::string::npos);
  std::string ifs, loops, sum = "a[i]";
  for (int k = 0; k < 24; ++k)
    ifs += "if (a[i] > " + std::to_string(k) + ") s = s * 0.5 + a[i - 1];";
  EXPECT_NE(
      text_of("void f(int n, double* a, double* b) { for (int i = 1; i < n - 1; i++) { double "
              "s = 0; " +
              ifs + " b[i] = s; } }")
          .find("stencil step_b"),
      std::string::npos);
  std::string conditions;
  for (int k = 0; k < 25; ++k) conditions += "c = (c && a[i - 1] > c) || (a[i + 1] < c && c);";
  const std::string shared = text_of(
      "void f(int n, double* a, double* b) { for (int i = 1; i < n - 1; i++) { int c = a[i] > "
      "0; " +
      conditions + " b[i] = c; } }");
  EXPECT_TRUE(shared.find("stencil step_b") != std::string::npos || shared.rfind("C024", 0) == 0)
      << shared;
  for (int k = 0; k < 40; ++k) {
    const std::string i = "i" + std::to_string(k);
    loops += "for (int " + i + " = 0; " + i + " < n; " + i + "++) ";
  }
  EXPECT_EQ(text_of("void f(int n, double* a, double* b) { " + loops + "a[0] = 1; }").substr(0, 4),
            "C024");
  for (int k = 0; k < 5000; ++k) sum += " - a[i]";
  EXPECT_EQ(
      text_of("void f(int n, double* a, double* b) { for (int i = 1; i < n - 1; i++) b[i] = " +
              sum + "; }")
          .substr(0, 4),
      "C024");
}

TEST(LiftRules, UnsupportedConstructsAreRefused) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const auto code = [](const std::string& body, const std::string& before = "") {
    return text_of(before + "\nvoid f(int n, double* a, double* b) { " + body + " }").substr(0, 4);
  };
  // A negative counter compared as unsigned; a counter and a bound that the body changes.
  EXPECT_EQ(code("for (int i = -1; i < (unsigned)n; i++) b[i + 1] = a[i + 1];"), "C012");
  EXPECT_EQ(code("for (int i = 0; i < n; i++) { b[i] = a[i]; bump(&i); }",
                 "static void bump(int* p) { *p += 1; }"),
            "C012");
  EXPECT_EQ(code("g = n; for (int i = 0; i < g; i++) { b[i] = a[i]; drop(); }",
                 "static int g; static void drop(void) { g--; }"),
            "C012");
  EXPECT_EQ(code("for (int i = 0; i < n; i++) { union u q; q.i = 5; q.f = a[i]; b[i] = q.i; }",
                 "union u { float f; int i; };"),
            "C020");
  EXPECT_EQ(code("for (int i = 0; i < n; i++) { struct s q; q.v = (int)a[i]; b[i] = q.v; }",
                 "struct s { int v : 3; };"),
            "C020");
  EXPECT_EQ(code("for (int i = 0; i < n; i++) { double x = ({ a[i] = 2; 1.0; }); b[i] = 3; }"),
            "C015");
}

TEST(LiftRules, DroppedResultsAreReported) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const std::string text = text_of(R"(
double f(int n, double* a, double* b) {
  double last = 0;
  for (int i = 1; i < n - 1; i++) b[i] = last = a[i];
  return last;
})");
  EXPECT_NE(text.find("the caller does not use the return value of 'f'"), std::string::npos)
      << text;
}

TEST(LiftRules, FileNamesCannotEndTheirComment) {
  if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";
  const auto out =
      lift_text("x\nrequire 1 > 2; param c",
                "void f(int n, double* a, double* b) { for (int i = 1; i < n - 1; i++) "
                "b[i] = a[i - 1]; }",
                ".c", "f");
  ASSERT_TRUE(out.ok()) << out.failure().text();
  EXPECT_EQ(out.value().text.find("\nrequire 1 > 2"), std::string::npos) << out.value().text;
}

}  // namespace
}  // namespace stencil::api
