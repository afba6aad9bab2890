// The pipeline as a library: the results of compile() and explain(), and
// that refusals leave no output.
#include "compiler/driver/compile.h"

#include "compiler/kernel/count.h"
#include "tests/unit/load.h"

namespace stencil {
namespace {

const char* const kHeat =
    "param N : integer = 100;\n"
    "grid G = [0..N-1, 0..N-1] steps 6;\n"
    "field A : real on G;\n"
    "stencil heat : A[1..N-2, 1..N-2] = A[-1,0] + A[1,0] + A[0,1];\n"
    "init A[i,j] = 0.5 * i;\n";

const char* const kHypercube =
    "field A : real on G;\n"
    "grid G = [0..9, 0..9, 0..9, 0..9] steps 6;\n"
    "stencil s : A on G = 0.5 * A[0,0,0,0];\n";

const char* const kSum =
    "grid G = [0..99] steps 6;\n"
    "field A : real on G;\n"
    "stencil s : A[1..98] = A[-1];\n"
    "reduce total = sum(A[0]) on G every 3;\n"
    "stop when total > 10;\n";

std::optional<Compiled> compile_text(const std::string& text, const CompileRequest& request,
                                     Diagnostics& diagnostics) {
  return compile(test::load(text), Source("test.stn", text), request, diagnostics);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Compile, ReturnsTextHeaderScheduleAndModule) {
  CompileRequest request;
  request.schedule = "overlapped T=2 block=32x8 elements=1x4";
  request.command_line = "stencilc heat.stn -o heat.cu";
  Diagnostics diagnostics;
  const auto compiled = compile_text(kHeat, request, diagnostics);
  ASSERT_TRUE(compiled) << render(Source("", ""), diagnostics);
  EXPECT_TRUE(diagnostics.items().empty());
  EXPECT_EQ(compiled->schedule.family, "overlapped");
  EXPECT_EQ(compiled->schedule.time_tile, 2);
  EXPECT_EQ(compiled->module.kernels.size(), 1u);
  EXPECT_TRUE(contains(compiled->text, "__global__"));
  EXPECT_TRUE(contains(compiled->text, "stencilc heat.stn -o heat.cu"));
  EXPECT_TRUE(contains(compiled->text, "stencil heat : A[1..N-2, 1..N-2]"));  // quoted
  EXPECT_FALSE(contains(compiled->text, "int main("));
  EXPECT_TRUE(contains(compiled->header, "_run_device("));
}

TEST(Compile, OneRequestCompilesForEveryTarget) {
  CompileRequest request;
  Diagnostics diagnostics;
  request.emit.target = emit::Target::OpenCl;
  const auto opencl = compile_text(kHeat, request, diagnostics);
  ASSERT_TRUE(opencl);
  EXPECT_TRUE(contains(opencl->text, "__kernel"));
  EXPECT_EQ(opencl->header, "");
  request.emit.target = emit::Target::Cpp;
  request.emit.main = true;
  const auto cpp = compile_text(kHeat, request, diagnostics);
  ASSERT_TRUE(cpp);
  EXPECT_TRUE(contains(cpp->text, "int main("));
  EXPECT_FALSE(contains(cpp->header, "_run_device("));
}

// Commands in the head comment are for copying, so they stay on one line.
TEST(Compile, QuotesCommandsOnOneLine) {
  CompileRequest request;
  request.command_line = "stencilc " + std::string(120, 'x') + " -D N=100 -o heat.hip";
  request.file_name = "heat.hip";
  for (const emit::TargetInfo& target : emit::targets()) {
    request.emit.target = target.target;
    Diagnostics diagnostics;
    const auto compiled = compile_text(kHeat, request, diagnostics);
    ASSERT_TRUE(compiled);
    const std::string command =
        emit::compile_line(target.target, FpMode::Contract, "heat.hip", "", target.machine);
    for (const std::string& text : {compiled->text, compiled->header}) {
      if (text.empty()) continue;
      EXPECT_TRUE(contains(text, "\n// made by   " + request.command_line + "\n")) << text;
      EXPECT_TRUE(contains(text, "\n// compile   " + command + "\n")) << text;
    }
  }
}

TEST(Compile, TakesTheMachinesThatRunTheTarget) {
  for (const emit::TargetInfo& target : emit::targets()) {
    const bool opencl = target.target == emit::Target::OpenCl;
    EXPECT_EQ(runs_anywhere(target.target), opencl);
    EXPECT_TRUE(machine_for(target.target, std::string(target.machine)));
    EXPECT_EQ(machine_for(target.target, "cpu").has_value(),
              opencl || target.target == emit::Target::Cpp);
    EXPECT_EQ(machine_for(target.target, "gfx942").has_value(),
              opencl || target.target == emit::Target::Hip);
    EXPECT_FALSE(machine_for(target.target, "sm_9"));
  }
  CompileRequest request;
  request.emit.target = emit::Target::OpenCl;
  request.machine = machine_for(emit::Target::OpenCl, "cpu");
  ASSERT_TRUE(request.machine);
  EXPECT_TRUE(request.machine->threads_are_loops);
  EXPECT_FALSE(request.machine->in_place);
  Diagnostics diagnostics;
  const auto compiled = compile_text(kHeat, request, diagnostics);
  ASSERT_TRUE(compiled);
  EXPECT_TRUE(contains(compiled->text, "__kernel")) << compiled->text;
}

TEST(Compile, BoxesHaveEntryPointsOnRequest) {
  CompileRequest request;
  Diagnostics diagnostics;
  for (const emit::Target target : {emit::Target::Cuda, emit::Target::Hip, emit::Target::Cpp}) {
    request.emit.target = target;
    request.boxes = 0;
    const auto without = compile_text(kHeat, request, diagnostics);
    request.boxes = 3;
    const auto with = compile_text(kHeat, request, diagnostics);
    ASSERT_TRUE(without && with) << render(Source("", ""), diagnostics);
    EXPECT_FALSE(contains(without->text + without->header, "box"));
    EXPECT_TRUE(contains(with->header, "program_box_steps = 3"));
    EXPECT_TRUE(contains(with->header, "program_A_slots = 2"));
    EXPECT_TRUE(contains(with->header, "A[0]: 3+3 x 0+3 points below+above")) << with->header;
    EXPECT_TRUE(contains(with->text, "const int program_halo[2][2] = {{3, 3}, {0, 3}};"));
    const bool device = target != emit::Target::Cpp;
    EXPECT_EQ(contains(with->header, "program_run_box_device("), device);
    EXPECT_EQ(contains(with->header, "program_run_box("), !device);
    // Entry points for boxes do not change the rest of the emitted code.
    EXPECT_EQ(with->legal.kernels.size(), without->legal.kernels.size());
    EXPECT_TRUE(contains(with->text, without->text.substr(without->text.find("// function"), 200)));
  }
}

TEST(Compile, BoxRefusalsRefuseTheWholeFile) {
  CompileRequest request;
  request.boxes = 2;
  Diagnostics diagnostics;
  EXPECT_FALSE(compile_text(kSum, request, diagnostics));
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.items().front().code, "L033");
  diagnostics = {};
  request.box_schedule = "overlapped T=500";
  EXPECT_FALSE(compile_text(kHeat, request, diagnostics));
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.items().front().message.substr(0, 11), "for boxes: ");
}

TEST(Compile, SharedMemoryIsLimitedByTheTarget) {
  EXPECT_EQ(machine_of(emit::Target::Hip).shared_bytes, 64 << 10);
  EXPECT_GT(machine_of(emit::Target::Cuda).shared_bytes, 64 << 10);
  EXPECT_FALSE(machine_of(emit::Target::Hip).threads_are_loops);
  CompileRequest request;
  request.schedule = "overlapped T=1 block=32x8 elements=16x4";  // 68 KiB
  Diagnostics diagnostics;
  EXPECT_TRUE(compile_text(kHeat, request, diagnostics)) << render(Source("", ""), diagnostics);
  request.emit.target = emit::Target::Hip;
  EXPECT_FALSE(compile_text(kHeat, request, diagnostics));
  EXPECT_TRUE(contains(render(Source("", ""), diagnostics), "error L015"));
}

// Work per useful point and step, for callers that compare schedules.
TEST(Compile, KernelsCanBeCounted) {
  CompileRequest request;
  request.schedule = "direct block=32x8 elements=1x1";
  Diagnostics diagnostics;
  const auto compiled = compile_text(kHeat, request, diagnostics);
  ASSERT_TRUE(compiled);
  for (const kernel::Module* module : {&compiled->module, &compiled->legal}) {
    const kernel::Count count = kernel::count(module->kernels[0], module->constants);
    EXPECT_TRUE(count.loops.empty());
    const kernel::Tally tally =
        count.total(nullptr, [](const kernel::Count::Choice&) { return 1; }).threads;
    constexpr double kPoints = 32 * 8;
    EXPECT_EQ(tally.single.add / kPoints, 2);
    EXPECT_EQ(tally.of(kernel::Space::Global).read / kPoints, 3 * 4);
    EXPECT_EQ(tally.of(kernel::Space::Global).written / kPoints, 4);
  }
}

TEST(Compile, IsDeterministic) {
  for (const emit::Target target :
       {emit::Target::Cuda, emit::Target::Hip, emit::Target::OpenCl, emit::Target::Cpp}) {
    CompileRequest request;
    request.emit.target = target;
    request.emit.main = target != emit::Target::OpenCl;
    Diagnostics diagnostics;
    const auto first = compile_text(kHeat, request, diagnostics);
    const auto second = compile_text(kHeat, request, diagnostics);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->text, second->text);
    EXPECT_EQ(first->header, second->header);
  }
}

// Another schedule changes only the comment of the header, so callers need not be recompiled.
TEST(Compile, TheScheduleDoesNotChangeTheDeclarations) {
  const auto declarations = [](const std::string& schedule) {
    CompileRequest request;
    request.schedule = schedule;
    Diagnostics diagnostics;
    const auto compiled = compile_text(kHeat, request, diagnostics);
    EXPECT_TRUE(compiled) << schedule;
    const std::string header = compiled ? compiled->header : "";
    return header.substr(std::min(header.size(), header.find("#ifndef")));
  };
  EXPECT_NE(declarations("direct"), "");
  EXPECT_EQ(declarations("direct"), declarations("overlapped T=3"));
}

TEST(Compile, RefusalsHaveACodeAndNoOutput) {
  const std::pair<std::string, std::string> schedules[] = {
      {"streaming", "L010"},      {"direct block=1x1x1x1x1", "L002"}, {"overlaped", "L001"},
      {"overlapped T=0", "L002"}, {"overlapped T=x", "L002"},
  };
  for (const auto& [line, code] : schedules) {
    CompileRequest request;
    request.schedule = line;
    Diagnostics diagnostics;
    EXPECT_FALSE(compile_text(kHypercube, request, diagnostics)) << line;
    ASSERT_TRUE(diagnostics.has_errors()) << line;
    EXPECT_EQ(diagnostics.items().front().code, code) << line;
  }
}

TEST(Compile, ARefusalPointsAtTheFeature) {
  CompileRequest request;
  request.schedule = "streaming";
  Diagnostics diagnostics;
  EXPECT_FALSE(compile_text(kHypercube, request, diagnostics));
  ASSERT_FALSE(diagnostics.items().empty());
  EXPECT_TRUE(contains(diagnostics.items()[0].message, "4 dimensions"));
  EXPECT_EQ(Source("", kHypercube).position(diagnostics.items()[0].span.begin).line, 2);
}

TEST(Explain, ShowsBoxesScheduleCostAndRefusals) {
  Diagnostics diagnostics;
  const std::string text = explain(test::load(kHeat), Source("test.stn", kHeat),
                                   "overlapped T=2 block=32x8 elements=1x4 regions=shrink",
                                   diagnostics, schedule::gpu(), true);
  EXPECT_TRUE(diagnostics.items().empty());
  for (const char* part :
       {"Program ", "A[-1..1, 0..1]", "Time tile of 2 steps", "(y0-1, ly+2) x (x0, lx+1)",
        "2+2 x 0+2", "overlapped T=2 block=32x8 elements=1x4 regions=shrink", "given",
        "31 x 30 points", "256", "points computed per useful point", "per point and step",
        "  streaming form=scatter\n", "L021"}) {
    EXPECT_TRUE(contains(text, part)) << part << " in\n" << text;
  }
}

TEST(Explain, ShowsHowReductionsAreComputed) {
  Diagnostics diagnostics;
  const std::string text = explain(test::load(kSum), Source("test.stn", kSum),
                                   "overlapped T=2 block=32 elements=2", diagnostics);
  EXPECT_TRUE(diagnostics.items().empty());
  EXPECT_TRUE(contains(text, "total      after every 3 steps  1 x 2 steps, then 1")) << text;
  EXPECT_TRUE(contains(text, "stop: one flag is read back")) << text;
}

TEST(Explain, UnsuitableSchedulesAreErrors) {
  Diagnostics diagnostics;
  EXPECT_EQ(
      explain(test::load(kHypercube), Source("test.stn", kHypercube), "streaming", diagnostics),
      "");
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.items()[0].code, "L010");
}

}  // namespace
}  // namespace stencil
