// The Fortran module of an emitted file: names, line lengths, kinds and intents.
#include <gtest/gtest.h>

#include <sstream>

#include "compiler/emit/emit.h"
#include "compiler/emit/fortran_names.h"
#include "compiler/emit/sizes.h"
#include "compiler/emit/text.h"
#include "tests/unit/emit/samples.h"

namespace stencil::emit {
namespace {

testing::AssertionResult text_has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << part << "\" in\n" << text;
}

size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(FortranNames, DifferWithoutCaseAndBeginWithALetter) {
  FortranNames names;
  EXPECT_EQ(names.of("U"), "U");
  EXPECT_EQ(names.of("u"), "u_2");
  EXPECT_EQ(names.of("U"), "U") << "the same name again";
  EXPECT_EQ(names.of("_a"), "n_a");
  EXPECT_EQ(names.of("C_Float"), "C_Float_2") << "a name of iso_c_binding";
  EXPECT_EQ(names.of("u_2"), "u_2_2");
}

TEST(FortranNames, HaveAtMost63Characters) {
  FortranNames names;
  const std::string stem(80, 'a');
  const std::string run = names.of(stem + "_run"), device = names.of(stem + "_run_device");
  const std::string other = names.of(stem + "b_run_device");
  EXPECT_EQ(run.size(), 63u);
  EXPECT_EQ(device.size(), 63u);
  EXPECT_EQ(other.size(), 63u);
  EXPECT_EQ(device.substr(52), "_run_device");
  EXPECT_NE(device, other);
}

TEST(FortranText, ContinuesLinesAndWords) {
  Text out(Form::Fortran);
  out.open("module m");
  out.comment("a comment");
  out.line("call f(" + comma_list(std::vector<std::string>(20, "argument")) + ")");
  out.line("name = \"" + std::string(300, 'x') + "\"");
  const std::string text = out.str();
  EXPECT_TRUE(text_has(text, "  ! a comment\n"));
  EXPECT_TRUE(text_has(text, "argument, &\n      argument"));
  EXPECT_TRUE(text_has(text, "x&\n  &x"));
  EXPECT_LE(longest_line(text), 132u);
}

TEST(FortranModule, DeclaresTheEntryPoints) {
  const std::string text = emit_fortran_module(samples::wave(), Target::Cpp);
  EXPECT_TRUE(text_has(text, "module wave_mod\n  use, intrinsic :: iso_c_binding\n"));
  EXPECT_TRUE(
      text_has(text, "  type, bind(c) :: wave_params\n    integer(c_int) :: N  ! must be given\n"));
  EXPECT_TRUE(text_has(text,
                       "    function wave_run(U, U_1, c2, steps, params) result(error) bind(c, "
                       "name=\"wave_run\")\n"
                       "      import\n"
                       "      real(c_float), intent(inout) :: U(*)\n"
                       "      real(c_float), intent(inout) :: U_1(*)\n"
                       "      real(c_float), intent(in) :: c2(*)\n"
                       "      integer(c_int64_t), intent(in), value :: steps\n"
                       "      type(wave_params), intent(in) :: params\n"
                       "      type(c_ptr) :: error\n"));
  EXPECT_TRUE(text_has(text, "  !   real(c_float) :: U_1(N), 1 step(s) back\n"));
  EXPECT_TRUE(text_has(text, "      real(c_float), intent(out) :: c2(*)\n")) << "in wave_init";
  EXPECT_TRUE(text_has(text, "function wave_run_packed("));
  EXPECT_TRUE(text_has(text, "function wave_message(error) result(text)"));
}

TEST(FortranModule, PassesAddressesOfDeviceMemory) {
  for (const Target target : {Target::Cuda, Target::Hip}) {
    const std::string text = emit_fortran_module(samples::wave(), target);
    EXPECT_TRUE(text_has(text, "      type(c_ptr), intent(in), value :: U_1\n"));
    EXPECT_TRUE(text_has(text, "      type(c_ptr), intent(in), value :: stream\n"));
    EXPECT_EQ(text.find("_packed"), std::string::npos);
  }
  EXPECT_EQ(emit_fortran_module(samples::wave(), Target::OpenCl), "");
}

// The order of indices is reversed, and known extents are bounds.
TEST(FortranModule, ReversesDimensions) {
  kernel::Module module = samples::heat();
  module.plan.arrays[0].extents = {kernel::integer(20, Scalar::I64),
                                   kernel::integer(30, Scalar::I64)};
  const std::string text = emit_fortran_module(module, Target::Cpp);
  EXPECT_TRUE(text_has(text, "      real(c_float), intent(inout) :: A(30, 20)\n"));
  EXPECT_TRUE(text_has(text, "  integer(c_int), parameter :: heat_A_shape(2) = [30, 20]\n"));
}

// Sizes in comments have no conversions, name params as each language does, and have the operators
// of each language.
TEST(Sizes, AreReadable) {
  const kernel::Module module = samples::heat();
  const auto v = [](const char* name) {
    return kernel::convert(kernel::variable(name, Scalar::I32), Scalar::I64);
  };
  const auto number = [](int64_t value) { return kernel::integer(value, Scalar::I64); };
  const SizeStyle c{[](const std::string& name) { return name; }};
  const SizeStyle fortran{[](const std::string& name) { return name + "_2"; }, true};
  const auto text = [&](const kernel::Expr& size) {
    return size_text(module, kernel::convert(size, Scalar::I32), c) + " | " +
           size_text(module, size, fortran);
  };
  using kernel::add;
  using kernel::mul;
  EXPECT_EQ(text(number(12)), "12 | 12");
  EXPECT_EQ(text(v("block_x")), "32 | 32") << "a constant";
  EXPECT_EQ(text(add(mul(v("N"), number(2)), number(7))), "2 * N + 7 | 2 * N_2 + 7");
  EXPECT_EQ(text(add(add(v("N"), mul(v("M"), number(-1))), number(-1))),
            "N - M - 1 | N_2 - M_2 - 1");
  EXPECT_EQ(text(add(v("N"), mul(v("M"), number(-3)))), "N - 3 * M | N_2 - 3 * M_2");
  EXPECT_EQ(text(mul(add(v("N"), number(1)), number(2))), "2 * (N + 1) | 2 * (N_2 + 1)");
  EXPECT_EQ(text(kernel::operation(Op::BitAnd, {add(v("N"), number(7)), number(-8)})),
            "(N + 7) & -8 | iand(N_2 + 7, -8)");
}

// As many arrays as a large program has; every name as long as C allows.
TEST(FortranModule, KeepsLinesShort) {
  kernel::Module module = samples::wave();
  module.name = std::string(150, 'm');
  for (int i = 0; i < 40; ++i) {
    module.plan.arrays.push_back(module.plan.arrays[0]);
    module.plan.arrays.back().name = std::string(70, 'a') + std::to_string(i);
  }
  EXPECT_LE(longest_line(emit_fortran_module(module, Target::Cuda)), 132u);
}

}  // namespace
}  // namespace stencil::emit
