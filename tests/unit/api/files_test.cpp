// Files of a run through the public API: inputs, outputs, series, checkpoints and resuming.
// tests/unit/runtime tests the contents of the files; these tests check
// which files are written and when.
#include "stencil/files.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/unit/api/programs.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::api {
namespace {

using Floats = std::vector<float>;
using runtime::TemporaryDirectory;

std::string read(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string files_in(const TemporaryDirectory& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory.file(""))) {
    names.insert(entry.path().filename().string());
  }
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : " ") + name;
  return out;
}

class FilesOnDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto device = choose_device(GetParam());
    if (!device.ok()) GTEST_SKIP() << device.failure().message;
  }
  Kernel compile(const Program& program) const {
    return program.compile({.device = GetParam()}).or_throw();
  }
  const TemporaryDirectory directory_;
};
INSTANTIATE_TEST_SUITE_P(All, FilesOnDevice, testing::Values("reference", "host", "opencl"));

TEST_P(FilesOnDevice, WritesASeriesAndResumesFromACheckpoint) {
  const Program program = program_of(kHeat);
  Simulation whole = on_reference(kHeat);
  whole.run().or_throw();

  // The run is interrupted where the device first polls, at the latest at the first file.
  Simulation begun = compile(program).start().or_throw();
  const std::string checkpoint = directory_.file("c.ckpt"), array = directory_.file("a.npy");
  const RunFiles files{.outputs = {{array, {"A"}}}, .every = 4, .checkpoint = checkpoint};
  const Report part = begun
                          .run(files,
                               [](const Progress& at) {
                                 EXPECT_EQ(at.total, 6);
                                 EXPECT_GE(at.elapsed, at.seconds);
                                 return false;
                               })
                          .or_throw();
  ASSERT_TRUE(part.interrupted);
  ASSERT_LE(part.steps, 4);
  Simulation expected = on_reference(kHeat);
  expected.advance(part.steps).or_throw();
  State from_file = program.initial_state().or_throw();
  from_file.read("A", array).or_throw();
  EXPECT_EQ(from_file.get<float>("A").or_throw(), expected.get<float>("A").or_throw());
  EXPECT_EQ(begun.get<float>("A").or_throw(), expected.get<float>("A").or_throw());

  State state = program.initial_state().or_throw();
  state.load_checkpoint(checkpoint).or_throw();
  EXPECT_EQ(state.step(), part.steps);
  EXPECT_EQ(state.steps_left().or_throw(), 6 - part.steps);
  Simulation rest = compile(program).start(std::move(state)).or_throw();
  EXPECT_EQ(rest.run(files).or_throw().steps, 6 - part.steps);
  EXPECT_EQ(rest.get<float>("A").or_throw(), whole.get<float>("A").or_throw());
  EXPECT_EQ(rest.reduction("total").or_throw().value, whole.reduction("total").or_throw().value);
  EXPECT_EQ(files_in(directory_), "a.npy a_000000.npy a_000004.npy c.ckpt");
  whole.write({{directory_.file("whole.npy"), {"A"}}}).or_throw();
  EXPECT_EQ(read(array), read(directory_.file("whole.npy")));
  whole.save_checkpoint(directory_.file("whole.ckpt")).or_throw();
  EXPECT_EQ(read(checkpoint), read(directory_.file("whole.ckpt")));
}

// History levels rotate through the user's arrays. Each level is back in its own array after the
// run, even if writing a file failed.
TEST_P(FilesOnDevice, WritesTheUsersArrays) {
  Floats newest(30, 1), older(30, 1);
  newest[12] = 2;
  Simulation expected = on_reference(kWave);
  expected.set("U", View(newest)).or_throw();
  expected.set("U@-1", View(older)).or_throw();
  expected.advance(3).or_throw();
  expected.write({{directory_.file("expected.npy"), {"U@-1"}}}).or_throw();

  const Kernel kernel = compile(program_of(kWave));
  const Arrays arrays = {{"U", View(newest)}, {"U@-1", View(older)}};
  Simulation simulation = kernel.attach(arrays).or_throw();
  const RunFiles series{.outputs = {{directory_.file("before.npy"), {"U@-1"}}}, .every = 3};
  EXPECT_EQ(simulation.run(series).or_throw().steps, 5);
  EXPECT_EQ(read(directory_.file("before_000003.npy")), read(directory_.file("expected.npy")));
  expected.run().or_throw();
  EXPECT_EQ(newest, expected.get<float>("U").or_throw());
  EXPECT_EQ(older, expected.get<float>("U@-1").or_throw());

  Simulation again = kernel.attach(arrays).or_throw();
  again.save_checkpoint(directory_.file("c.ckpt")).or_throw();
  expected.load_checkpoint(directory_.file("c.ckpt")).or_throw();
  std::filesystem::create_directory(directory_.file("x_000003.npy"));
  const RunFiles refused{.outputs = {{directory_.file("x.npy"), {"U"}}}, .every = 3};
  EXPECT_EQ(code_of(again.run(refused)), "R011");
  expected.advance(3).or_throw();
  EXPECT_EQ(again.step(), 3);
  EXPECT_EQ(newest, expected.get<float>("U").or_throw());
  EXPECT_EQ(older, expected.get<float>("U@-1").or_throw());
}

TEST_P(FilesOnDevice, ResumesASimulationFromAnotherDevice) {
  const Program program = program_of(kHeat);
  Simulation whole = on_reference(kHeat);
  whole.run().or_throw();
  Simulation begun = compile(program).start().or_throw();
  begun.advance(3).or_throw();
  Simulation rest =
      program.compile({.device = "reference"}).or_throw().start(std::move(begun)).or_throw();
  EXPECT_EQ(rest.step(), 3);
  rest.advance(2).or_throw();
  Simulation end = compile(program).start(std::move(rest)).or_throw();
  end.run().or_throw();
  EXPECT_EQ(end.get<float>("A").or_throw(), whole.get<float>("A").or_throw());
  EXPECT_EQ(end.reduction("total").or_throw().value, whole.reduction("total").or_throw().value);
}

TEST_P(FilesOnDevice, ReturnsTheSourceOfItsKernels) {
  const auto source = compile(program_of(kHeat)).code(CodeKind::Source);
  if (std::string(GetParam()) == "reference") {
    EXPECT_EQ(code_of(source), "R045");
  } else {
    EXPECT_NE(source.or_throw().find("heat"), std::string::npos);
  }
  EXPECT_EQ(code_of(compile(program_of(kHeat)).code(CodeKind::Ptx)), "R045");
}

// --- States
// -------------------------------------------------------------------------------------------------

TEST(States, ExistWithoutAKernel) {
  const Program program = program_of(kHeat);
  State state = program.initial_state({{"a", 0.25}}).or_throw();
  EXPECT_EQ(state.fields()[0].shape, (Extents{12, 8}));
  EXPECT_EQ(state.get<float>("A").or_throw()[0], 8);
  EXPECT_EQ(state.statistics("K").or_throw().greatest, 1);
  EXPECT_EQ(state.reduction("total").or_throw().evaluations, 0);
  state.set("A", View(Floats(96, 3), {12, 8})).or_throw();
  state.set_param("a", 0.5).or_throw();
  Simulation simulation =
      program.compile({.device = "reference"}).or_throw().start(std::move(state)).or_throw();
  Simulation expected =
      program.compile({.device = "reference"}).or_throw().start({{"a", 0.5}}).or_throw();
  expected.set("A", View(Floats(96, 3), {12, 8})).or_throw();
  simulation.run().or_throw();
  expected.run().or_throw();
  EXPECT_EQ(simulation.get<float>("A").or_throw(), expected.get<float>("A").or_throw());
}

TEST(States, BelongToTheirProgram) {
  const Kernel kernel = program_of(kHeat).compile({.device = "reference"}).or_throw();
  EXPECT_EQ(message(kernel.start(program_of(kWave).initial_state().or_throw())),
            "R076: the state and the kernel of 'program' belong to different programs; create both "
            "from the same Program");
  const Kernel wave = program_of(kWave).compile({.device = "reference"}).or_throw();
  Floats u(30), older(30);
  Simulation attached = wave.attach({{"U", View(u)}, {"U@-1", View(older)}}).or_throw();
  EXPECT_EQ(code_of(wave.start(std::move(attached))), "R073");
}

// States are compared by the values of their params, wherever these values come from.
TEST(States, MustComeFromARunWithTheSameParams) {
  const TemporaryDirectory directory;
  constexpr const char* kText =
      "param a : real = 0.5; param b : real = a / 3; grid G = [0..9] steps 4; field A : real on G;"
      "stencil s : A on G = b * A[0]; init A[i] = i;";
  const Program program = program_of(kText);
  State state = program.initial_state({{"a", 0.25}}).or_throw();
  state.save_checkpoint(directory.file("c")).or_throw();
  Options told;
  told.definitions = {{"a", 0.25}};
  State same = program_of(kText, told).initial_state().or_throw();
  EXPECT_EQ(code_of(same.load_checkpoint(directory.file("c"))), "");
  State other = program.initial_state().or_throw();
  EXPECT_EQ(message(other.load_checkpoint(directory.file("c"))),
            "R063: '" + directory.file("c") +
                "' was written with a = 0.25, but this run has 0.5; run with -D a=0.25, or give -D "
                "a=0.5 explicitly to change it");
}

// Real params given for this run replace those of the checkpoint.
TEST(States, ResumeWithNewValuesOfRealParams) {
  const TemporaryDirectory directory;
  constexpr const char* kText =
      "param a : real = 0.5; param b : real = 2 * a; param c : real = 1; grid G = [0..9] steps 4;"
      "field A : real on G; stencil s : A on G = (b + c) * A[0]; init A[i] = i;";
  const Program program = program_of(kText);
  const std::string path = directory.file("c");
  program.initial_state().or_throw().save_checkpoint(path).or_throw();
  const auto goes_on = [&](State state) {
    EXPECT_EQ(message(state.load_checkpoint(path)), "");
    std::string told;
    for (const Failure& warning : state.warnings()) {
      EXPECT_EQ(warning.code, "R065");
      told += warning.message.substr(warning.message.find("with ")) + "\n";
    }
    return told;
  };
  const std::string both =
      "with a = 0.5; this run continues with 0.25\nwith b = 1; this run continues with 0.5\n";
  EXPECT_EQ(goes_on(program.initial_state({{"a", 0.25}}).or_throw()), both);
  Options told;
  told.definitions = {{"a", 0.25}};
  EXPECT_EQ(goes_on(program_of(kText, told).initial_state().or_throw()), both);
  State later = program.initial_state().or_throw();
  later.set_param("a", 0.25).or_throw();
  EXPECT_EQ(goes_on(std::move(later)), both);
  EXPECT_EQ(goes_on(program.initial_state({{"b", 3.0}}).or_throw()),
            "with b = 1; this run continues with 3\n");
  // Only params that are given explicitly may differ from those of the checkpoint.
  std::string text = kText;
  text.replace(text.find("c : real = 1"), 12, "c : real = 2");
  State other = program_of(text.c_str()).initial_state({{"a", 0.25}}).or_throw();
  EXPECT_EQ(code_of(other.load_checkpoint(path)), "R063");
  Options fixed;
  fixed.definitions = {{"a", 0.25}};
  fixed.fixed = {"a"};
  State part = program_of(kText, fixed).initial_state().or_throw();
  EXPECT_EQ(code_of(part.load_checkpoint(path)), "R063");
}

TEST(States, EndAfterTheStepsOfTheProgram) {
  Simulation simulation = on_reference(kHeat);
  EXPECT_EQ(simulation.steps_left().or_throw(), 6);
  simulation.advance(7).or_throw();
  EXPECT_EQ(code_of(simulation.steps_left()), "R064");
  EXPECT_EQ(simulation.run(RunFiles{}).or_throw().steps, 0);
  const Program endless =
      program_of("grid G = [0..9];\nfield A : real on G;\nstencil s : A on G = A[0];\n");
  EXPECT_EQ(code_of(endless.initial_state().or_throw().steps_left()), "R053");
}

TEST(States, AreUnchangedIfAFileCannotBeRead) {
  const TemporaryDirectory directory;
  State state = program_of(kHeat).initial_state().or_throw();
  const Floats before = state.get<float>("A").or_throw();
  State other = program_of(kStructures).initial_state().or_throw();
  other.write({{directory.file("s.npy"), {"S"}}, {directory.file("rho.npy"), {"S.rho"}}})
      .or_throw();
  other.save_checkpoint(directory.file("c.ckpt")).or_throw();
  EXPECT_EQ(code_of(state.read("B", directory.file("s.npy"))), "R070");
  EXPECT_EQ(code_of(state.read("A", directory.file("missing.npy"))), "R010");
  EXPECT_EQ(code_of(state.read("A", directory.file("c.ckpt"))), "R020");
  EXPECT_EQ(code_of(state.read("A", directory.file("rho.npy"))), "R022");
  EXPECT_EQ(code_of(other.read("T.n", directory.file("rho.npy"))), "R023");
  EXPECT_EQ(code_of(state.load_checkpoint(directory.file("c.ckpt"))), "R062");
  EXPECT_EQ(state.get<float>("A").or_throw(), before);
  // One component of an array of structures, then the whole array.
  State copy = program_of(kStructures).initial_state().or_throw();
  other.set("S.rho", View(Floats(20, 7), {5, 4})).or_throw();
  other.write({{directory.file("s.npy"), {"S"}}}).or_throw();
  copy.read("S", directory.file("s.npy")).or_throw();
  EXPECT_EQ(copy.get<float>("S.rho").or_throw(), Floats(20, 7));
  copy.read("S.u[1]", directory.file("rho.npy")).or_throw();
  EXPECT_EQ(copy.get<float>("S.u[1]").or_throw(), Floats(20, 0));
}

// --- What can be checked before a run
// -------------------------------------------------------------------------------------------------

TEST(RunFilesOf, AreCheckedBeforeARun) {
  const TemporaryDirectory directory;
  const Program program = program_of(
      "grid G = [0..4, 0..5, 0..6] steps 4;\nsubgrid inner of G = [1..3, 1..4, 1..5];\n"
      "field U : real on G history 2;\nfield S : { rho : real, u : vector 2 of real } on G;\n"
      "field I : real on inner;\nstencil s : U on G = U@-1[0,0,0];\n");
  State state = program.initial_state().or_throw();
  const auto at = [&](const std::string& name) { return directory.file(name); };
  const auto outputs = [](std::vector<Output> all) { return RunFiles{.outputs = std::move(all)}; };
  const std::vector<std::pair<RunFiles, std::string>> cases = {
      {{}, ""},
      {outputs({{at("a.vti"), {"U", "U@-1", "S.rho"}}, {at("u.npy"), {"U@-1"}}}), ""},
      {outputs({{at("u.npy"), {"rho"}}}), "R070: no field 'rho'; the program has U, S, I"},
      {outputs({{at("u.vtk"), {"U"}}}),
       "R032: the extension of '" + at("u.vtk") +
           "' names no file format; use .npy, .nc, .vti, .png, .gif or .apng"},
      {outputs({{at("s.png"), {"S"}}}),
       "R033: a picture shows one component, but 'S' has 3; name one: S.rho"},
      {outputs({{at("u.png"), {"U@-1"}}}),
       "R033: a picture shows the newest level only; write a .npy file instead"},
      {outputs({{at("u.npy"), {"U", "I"}}}),
       "R033: '" + at("u.npy") + "' can hold one field, not 2; a .vti or .nc file holds several"},
      {outputs({{at("all.png")}}),
       "R033: '" + at("all.png") + "' can hold one field, not 3; a .vti or .nc file holds several"},
      {outputs({{at("all.vti")}}),
       "R031: a .vti file holds fields on the same points, but 'I' and 'U' differ; write each "
       "to a separate file"},
      {outputs({{at("u.vti"), {"U", "U@-0"}}}),
       "R034: '" + at("u.vti") + "' would hold 'U@-0' twice"},
      {outputs({{at("u.npy"), {"U"}}, {at("./u.npy"), {"I"}}}),
       "R034: two outputs write the same file '" + at("./u.npy") + "'; name another file"},
      {{.outputs = {{at("u.npy"), {"U"}}}, .checkpoint = at("./u.npy")},
       "R034: the checkpoint would overwrite the output '" + at("u.npy") + "'; name another file"},
      {{.outputs = {{at("u.npy"), {"U"}}, {at("./u_000009.npy"), {"I"}}}, .every = 3},
       "R034: '" + at("./u_000009.npy") + "' would also be written by the series of '" +
           at("u.npy") + "'; name another file"},
      {{.outputs = {{at("u.npy"), {"U"}}, {at("u_000008.npy"), {"I"}}}, .every = 3}, ""},
      // The interval of each output counts.
      {{.outputs = {{at("u.npy"), {"U"}, {}, {}, false, false, 4}, {at("u_000009.npy"), {"I"}}},
        .every = 3},
       ""},
      {{.outputs = {{at("u.npy"), {"U"}, {}, {}, false, false, 4}, {at("u_000008.npy"), {"I"}}}},
       "R034: '" + at("u_000008.npy") + "' would also be written by the series of '" + at("u.npy") +
           "'; name another file"},
      {{.outputs = {{.path = at("u.npy"), .fields = {"U"}, .every = -4}}},
       "R035: files cannot be written every -4 steps; use 0 for never"},
      // Files that grow have no numbered files.
      {{.outputs = {{at("u.nc"), {"U"}}, {at("u_000009.nc"), {"I"}}}, .every = 3}, ""},
      {outputs({{at("all.nc")}}), ""},
      {outputs({{.path = at("u.gif"), .fields = {"U"}}}),
       "R036: '" + at("u.gif") +
           "' is an animation, but no interval of its frames is given; give --every K, "
           "or every=K after the name of the file; a .png shows one step"},
      {{.outputs = {{.path = at("u.apng"), .fields = {"U"}, .fps = 60}}, .every = 3},
       "R036: '" + at("u.apng") + "' would show 60 frames per second; give a rate from 0.1 to 50"},
      {{.outputs = {{at("u.npy"), {"U"}}}, .every = 3, .checkpoint = at("u_1000002.npy")},
       "R034: '" + at("u_1000002.npy") + "' would also be written by the series of '" +
           at("u.npy") + "'; name another file"},
      {{.outputs = {{at("u.vti"), {"U"}}}, .every = 3, .checkpoint = at("u.pvd")},
       "R034: '" + at("u.pvd") + "' would also be written by the series of '" + at("u.vti") +
           "'; name another file"},
      {outputs({{at("none/u.npy"), {"U"}}}),
       "R011: cannot write '" + at("none/u.npy") + "': there is no directory '" + at("none") + "'"},
      {{.checkpoint = at("none/c")},
       "R011: cannot write '" + at("none/c") + "': there is no directory '" + at("none") + "'"},
      {{.every = -2}, "R035: files cannot be written every -2 steps; use 0 for never"},
      {{.checkpoint_steps = -3}, "R035: files cannot be written every -3 steps; use 0 for never"},
      {{.checkpoint_seconds = NAN},
       "R035: files cannot be written every nan seconds; use 0 for never"},
  };
  Simulation simulation = program.compile({.device = "reference"}).or_throw().start().or_throw();
  for (const auto& [files, expected] : cases) {
    EXPECT_EQ(message(program.check(files)), expected);
    EXPECT_EQ(message(state.check(files)), expected);
    if (expected.empty()) continue;
    EXPECT_EQ(message(simulation.run(files)), expected);
    EXPECT_EQ(simulation.step(), 0);
  }
  EXPECT_EQ(directory.entries(), 0u);

  // Whether a plane exists depends on the sizes.
  const auto plane = [&](std::vector<std::optional<int64_t>> coordinates) {
    return outputs({{.path = at("u.png"), .fields = {"U"}, .plane = std::move(coordinates)}});
  };
  EXPECT_EQ(message(program.check(plane({9}))), "");
  EXPECT_EQ(message(state.check(plane({9}))),
            "R030: no image can be made: coordinate 9 of dimension 0 is outside 0..4");
  EXPECT_EQ(code_of(state.check(plane({1, 1}))), "R030");
  EXPECT_EQ(code_of(simulation.run(plane({9}))), "R030");
  EXPECT_EQ(code_of(state.write(plane({9}).outputs)), "R030");
  for (const auto& coordinates : {std::vector<std::optional<int64_t>>{}, {std::nullopt}, {2}}) {
    state.write(plane(coordinates).outputs).or_throw();
    state.write({{.path = at("middle.png"), .fields = {"U"}}}).or_throw();
    EXPECT_EQ(read(at("u.png")), read(at("middle.png")));
  }
}

TEST(RunFilesOf, AreRefusedIfAnOptionLacksItsCounterpart) {
  const Program heat = program_of(kHeat);
  const TemporaryDirectory directory;
  EXPECT_EQ(code_of(heat.check({.every = 3})), "R036");
  EXPECT_EQ(code_of(heat.check({.checkpoint_steps = 3})), "R036");
  EXPECT_EQ(code_of(heat.check({.checkpoint_seconds = 3})), "R036");
  const std::string png = directory.file("a.png");
  for (const auto& range : {std::pair{1.0, 1.0}, std::pair{2.0, 1.0}, std::pair{0.0, HUGE_VAL},
                            std::pair{std::nan(""), 1.0}}) {
    EXPECT_EQ(code_of(heat.check({.outputs = {{.path = png, .fields = {"A"}, .range = range}}})),
              "R036");
  }
  Options options;
  options.real = ElementType::Half;
  EXPECT_EQ(code_of(Program::from_text(kHeat, options)), "R036");
}

TEST_P(FilesOnDevice, ReportsEachEvaluationOfAReduction) {
  const Kernel kernel = compile(program_of(kHeat));
  Simulation simulation = kernel.start().or_throw();
  std::vector<std::pair<int64_t, double>> seen;
  const RunFiles files{.history = directory_.file("h.csv"),
                       .evaluated = [&](int64_t step, const std::vector<ReductionValue>& values) {
                         ASSERT_EQ(values.size(), 1u);
                         EXPECT_EQ(values[0].name, "total");
                         EXPECT_EQ(values[0].evaluations, step / 2);
                         seen.emplace_back(step, values[0].value);
                       }};
  simulation.run(files).or_throw();
  ASSERT_EQ(seen.size(), 3u);
  std::string expected = "step,total\n";
  Simulation again = kernel.start().or_throw();
  for (const auto& [step, value] : seen) {
    again.advance(2).or_throw();
    EXPECT_EQ(again.step(), step);
    EXPECT_EQ(again.reduction("total").or_throw().value, value);
    expected += fmt::format("{},{}\n", step, value);
  }
  EXPECT_EQ(read(directory_.file("h.csv")), expected);
  EXPECT_EQ(code_of(program_of(kWave).check(files)), "R037");
}

TEST(RunFilesOf, CannotWriteFieldsInTheUsersDeviceMemory) {
  if (!choose_device("host").ok()) GTEST_SKIP() << "no host device";
  const TemporaryDirectory directory;
  const Kernel kernel = program_of(kHeat).compile({.device = "host", .dense = true}).or_throw();
  alignas(32) static float a[96] = {};
  Simulation simulation = kernel.attach_device({{"A", View(a, {12, 8})}}, nullptr).or_throw();
  EXPECT_EQ(message(simulation.write({{directory.file("a.npy"), {"A"}}})),
            "R073: field 'A' is in device memory that the caller provided; copy it with the "
            "device's own API, such as cudaMemcpy");
  EXPECT_EQ(code_of(simulation.read("A", directory.file("a.npy"))), "R073");
  EXPECT_EQ(code_of(simulation.save_checkpoint(directory.file("c"))), "R073");
  EXPECT_EQ(code_of(simulation.load_checkpoint(directory.file("c"))), "R073");
  EXPECT_EQ(code_of(simulation.run({.checkpoint = directory.file("c")})), "R073");
  EXPECT_EQ(directory.entries(), 0u);
  EXPECT_EQ(simulation.step(), 0);
  // Fields that the library allocated can be written.
  EXPECT_EQ(simulation.run({.outputs = {{directory.file("k.npy"), {"K"}}}}).or_throw().steps, 6);
  EXPECT_EQ(directory.entries(), 1u);
}

TEST(Program, DescribesFieldsAndDimensionsByName) {
  const Program program = program_of(kStructures);
  EXPECT_EQ(program.axes(), (std::vector<std::string>{"y", "x"}));
  EXPECT_EQ(program.field("S").or_throw().components.size(), 3u);
  const FieldInfo part = program.field("S.u[1]").or_throw();
  EXPECT_EQ(part.name, "S");
  ASSERT_EQ(part.components.size(), 1u);
  EXPECT_EQ(part.components[0].path, ".u[1]");
  EXPECT_EQ(code_of(program.field("S@-1")), "R070");
}

}  // namespace
}  // namespace stencil::api
