// Programs with `step`, `start` and `cycle` blocks, compared with the same steps written otherwise.
#include <gtest/gtest.h>

#include "tests/e2e/language.h"

namespace stencil::test {
namespace {

class Blocks : public Language {
 protected:
  const std::vector<std::string> ways_ = {"--device reference", "--device host --schedule direct",
                                          "--device host --schedule 'overlapped T=3'",
                                          "--device host --schedule 'streaming T=2'",
                                          "--device host --schedule 'planes T=2'"};

  std::string emitted(const std::string& text) {
    write("whole.stn", text);
    const Outcome outcome = stencilc("whole.stn --emit stn --real double");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }

  // Both programs give the same bits of each field on all devices.
  void same(const std::string& one, const std::string& other,
            const std::vector<std::string>& fields, const std::string& more = "") {
    for (const std::string& way : ways_) {
      for (const std::string& field : fields) {
        const std::string arguments = way + " --real double " + more;
        const Values expected = run(other, arguments, field);
        EXPECT_FALSE(expected.empty());
        EXPECT_NE(expected, Values(expected.size(), expected.empty() ? 0 : expected[0])) << field;
        EXPECT_EQ(run(one, arguments, field), expected) << field << " " << way << "\n" << one;
      }
    }
  }

  // The program and the text that is written of it give the same bits, and the text of the text is
  // the text.
  void survives(const std::string& text, const std::vector<std::string>& fields) {
    const std::string written = emitted(text);
    same(written, text, fields);
    const std::string again = emitted(written);
    EXPECT_EQ(again.substr(again.find('\n')), written.substr(written.find('\n')));
  }
};

const std::string kOneGrid =
    "grid G = [0..40, 0..33] steps 5;\n"
    "field u, f : real on G boundary clamp;\n"
    "field h : real on G history 2;\n"
    "init u[i, j] = real((i * 7 + j * 5) % 11) / 11; init f[i, j] = real((i + j) % 3) - 1;\n";
const std::string kSmooth =
    "u on G = 0.2 * (u[0,0] + u[-1,0] + u[1,0] + u[0,-1] + u[0,1]) + 0.01 * f[0,0];\n";
const std::string kSource = "f on G = 0.9 * f[1,0] + 0.1 * u[0,-1] + 0.001 * time;\n";
const std::string kKeep = "h on G = u[0,0] - 0.5 * h@-1[0,0];\n";

TEST_F(Blocks, GiveTheBitsOfTheTextInTheirOrder) {
  const std::string text =
      kOneGrid + "stencil a : " + kSmooth + "stencil b : " + kSource + "stencil c : " + kSmooth +
      "repeat 6 { stencil d : " + kSmooth + "stencil e : " + kSource + "}\n" +
      "reduce m = max(abs(u[0,0])) on G initial 1;\n" +
      "stencil k : h on G = u[0,0] / m - 0.5 * h@-1[0,0] + m@-1;\n" + "stencil l : " + kSource;
  const std::string block =
      kOneGrid + "stencil source : " + kSource +
      "stencil k : h on G = u[0,0] / m - 0.5 * h@-1[0,0] + m@-1;\n" +
      "stencil smooth : " + kSmooth +
      "reduce m = max(abs(u[0,0])) on G initial 1;\n"
      "cycle pair { smooth; source; }\n"
      "step { pair; smooth; repeat 6 { pair; } m; k; if 1 > 2 { k; } else { source; } }\n";
  same(block, text, {"u", "f", "h"});
  survives(block, {"u", "f", "h"});
}

// A repeat of few applications is unrolled, so its functions may be tiled with those around it.
TEST_F(Blocks, GiveTheBitsOfUnrolledRepeats) {
  const std::string functions =
      kOneGrid + "stencil smooth : " + kSmooth + "stencil source : " + kSource;
  same(functions + "step { source; repeat 4 { smooth; } repeat 2 { source; smooth; } }",
       functions +
           "step { source; smooth; smooth; smooth; smooth; source; smooth; source; smooth; }",
       {"u", "f"});
}

constexpr const char* kCycle =
    "param L : integer = 3; param w : real = 0.6;\n"
    "grid G = [0..N, 0..N] levels L by 2 steps 3 spacing 1.0 / N;\n"
    "subgrid inner of G = [first+1..last-1, first+1..last-1];\n"
    "field u, f, r : real on G boundary constant 0.125 * level;\n"
    "init f[i, j] = sin(3 * position(i)) + position(j) * 2;\n"
    "function around(v : field) = v[-1,0] + v[1,0] + v[0,-1] + v[0,1];\n"
    "stencil smooth : u on inner = u[0,0] + w * 0.25 * (f[0,0] - 4 * u[0,0] + around(u));\n"
    "stencil residual : r on inner = f[0,0] - 4 * u[0,0] + around(u) + 0.001 * level;\n"
    "stencil restrict : f on inner = 0.25 * (fine r[0,0] + fine r[1,0] + fine r[0,1]\n"
    "  + fine r[-1,-1]) * spacing(0);\n"
    "stencil zero : u on G = 0;\n"
    "stencil correct : u on inner = u[0,0] + 0.25 * (coarse u[0,0] + coarse u[1,0]\n"
    "  + coarse u[0,1] + coarse u[1,1]);\n"
    "cycle v { repeat 2 + level { smooth; }\n"
    "  if level < L - 1 { residual; coarser { restrict; zero; v; if level == 1 { v; } } correct; "
    "}\n"
    "  else { repeat 9 { smooth; } } }\n"
    "step { v; }\n";

// The functions and fields of one level of kCycle.
std::string of_level(int level, const std::string& grid, int n) {
  const auto with = [&](std::string text) {
    const std::string own = level == 0 ? "" : "_" + std::to_string(level);
    const std::string finer = level == 1 ? "" : "_" + std::to_string(level - 1);
    const std::string coarser = "_" + std::to_string(level + 1);
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"%", own},
                                   {"<", finer},
                                   {">", coarser},
                                   {"LEVEL", std::to_string(level)},
                                   {"GRID", grid},
                                   {"LAST", std::to_string(n - 1)}}) {
      for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
      }
    }
    return text;
  };
  std::string out = with(
      "field u%, f%, r% : real on GRID boundary constant 0.125 * LEVEL;\n"
      "stencil smooth% : u%[1..LAST, 1..LAST] = u%[0,0] + w * 0.25 * (f%[0,0] - 4 * u%[0,0]\n"
      "  + (u%[-1,0] + u%[1,0] + u%[0,-1] + u%[0,1]));\n");
  if (level < 2) {
    out += with(
        "stencil residual% : r%[1..LAST, 1..LAST] = f%[0,0] - 4 * u%[0,0] + (u%[-1,0] + u%[1,0]\n"
        "  + u%[0,-1] + u%[0,1]) + 0.001 * LEVEL;\n"
        "stencil correct% : u%[1..LAST, 1..LAST] = u%[0,0] + 0.25 * (u>[0,0] + u>[1,0] + u>[0,1]\n"
        "  + u>[1,1]);\n");
  }
  if (level > 0) {
    out += with(
        "stencil restrict% : f%[1..LAST, 1..LAST] = 0.25 * (r<[0,0] + r<[1,0] + r<[0,1]\n"
        "  + r<[-1,-1]) * spacing(0);\n"
        "stencil zero% : u% on GRID = 0;\n");
  }
  return out;
}

TEST_F(Blocks, OnLevelsGiveTheBitsOfDerivedGrids) {
  const std::string levels = "param N : integer = 32;\n" + std::string(kCycle);
  const std::string derived =
      "param w : real = 0.6; grid G = [0..32, 0..32] steps 3 spacing 1.0 / 32;\n"
      "grid G_1 of G by 2; grid G_2 of G_1 by 2;\n" +
      of_level(0, "G", 32) + of_level(1, "G_1", 16) + of_level(2, "G_2", 8) +
      "init f[i, j] = sin(3 * position(i)) + position(j) * 2;\n"
      "step { smooth; smooth; residual; restrict_1; zero_1;\n"
      "  smooth_1; smooth_1; smooth_1; residual_1; restrict_2; zero_2;\n"
      "  smooth_2; smooth_2; smooth_2; smooth_2; repeat 9 { smooth_2; } correct_1;\n"
      "  smooth_1; smooth_1; smooth_1; residual_1; restrict_2; zero_2;\n"
      "  smooth_2; smooth_2; smooth_2; smooth_2; repeat 9 { smooth_2; } correct_1; correct; }\n";
  same(levels, derived, {"u", "u_1", "f_1", "u_2", "r_1"});
  survives(levels, {"u", "u_1", "f_2"});
}

TEST_F(Blocks, OnLevelsOfAnOpenSize) {
  const std::string open = "param N : integer; require N >= 16;\n" + std::string(kCycle);
  const std::string known = "param N : integer = 48;\n" + std::string(kCycle);
  for (const std::string& way : ways_) {
    const std::string arguments = way + " --real double ";
    EXPECT_EQ(run(open, arguments + "--open N -D N=48", "u"), run(known, arguments, "u")) << way;
  }
}

// Cells in three dimensions, with another ratio in each.
TEST_F(Blocks, OnLevelsOfCells) {
  const std::string text =
      "grid G = [0..23, 0..17, 0..31] levels 3 by [2, 1, 2] cells steps 4;\n"
      "field u : real on G boundary clamp; field g : float on G boundary periodic;\n"
      "init u[i, j, k] = real((i * 7 + j * 5 + k) % 11) / 11; init g[i, j, k] = 0.5;\n"
      "stencil s : u on G = 0.5 * u[0,0,0] + 0.25 * u[-1,0,1] + 0.125 * g[0,-1,1];\n"
      "stencil down : g on G = 0.25 * sum(a in 0..1, b in 0..1 : fine u[a,0,b]);\n"
      "stencil begin : u on G = g[0,0,0];\n"
      "stencil up : u on G = 0.75 * u[0,0,0] + 0.25 * coarse u[0,0,-1];\n"
      "cycle v { s; if level < 2 { coarser { down; begin; v; } up; s; } }\n"
      "step { v; }\n";
  survives(text, {"u", "u_1", "u_2"});
}

const std::string kStarting =
    kOneGrid + "reduce total = sum(u[0,0]) on G initial 2;\n" +
    "stencil begin : f every 2 on G = 0.5 * f[0,1] + u[0,0] * (time + 1);\n"
    "stencil pull : u on G = u[0,0] + 0.125 * f[-1,0] + total@-1;\n"
    "stencil smooth : " +
    kSmooth;

TEST_F(Blocks, StartOnceBeforeTheFirstStep) {
  const std::string text =
      kStarting + "start { begin; repeat 5 { pull; } } step { smooth; total; }\n";
  survives(text, {"u", "f"});
  const std::string none = kStarting + "step { smooth; total; }\n";
  for (const std::string& way : ways_) {
    const std::string arguments = way + " --real double ";
    // a run of no steps does not start
    EXPECT_EQ(run(text, arguments + "--steps 0", "f"), run(none, arguments + "--steps 0", "f"));
    const Values once = run(text, arguments + "--steps 5", "u");
    EXPECT_NE(once, run(none, arguments + "--steps 5", "u"));
    // A run that continues does not start again.
    for (const char* steps : {"0", "1", "3"}) {
      run(text, arguments + "--checkpoint c.ckpt --steps " + steps, "u");
      EXPECT_EQ(run(text, arguments + "--restart c.ckpt --steps 5", "u"), once)
          << way << " after " << steps;
    }
  }
}

}  // namespace
}  // namespace stencil::test
