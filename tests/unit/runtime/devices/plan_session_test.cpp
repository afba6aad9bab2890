#include "runtime/devices/plan_session.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/schedule/schedule.h"
#include "runtime/io/field_boxes.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

// Heap memory, kernels that do nothing, and a record of downloads.
class Heap : public Accelerator {
 public:
  Result<Memory> allocate(int64_t bytes) override {
    memory_.push_back(std::make_unique<std::byte[]>(static_cast<size_t>(bytes)));
    return Memory{memory_.back().get()};
  }
  void release(Memory) override {}
  Status clear(Memory, int64_t) override { return Done{}; }
  Status copy(Memory to, Memory from, int64_t bytes) override {
    ++copies;
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return Done{};
  }
  Status upload(Memory to, const std::byte* from, const Rows& rows) override {
    ++uploads;
    if (rows.count == 1) std::memcpy(to, from, static_cast<size_t>(rows.bytes));
    return Done{};
  }
  Status download(std::byte* to, Memory, const Rows&) override {
    brought_back.push_back(to);
    return Done{};
  }
  Status launch(const Call&) override { return Done{}; }
  Status wait() override { return Done{}; }
  Status ask(Memory) override { return Done{}; }
  Result<int32_t> answer() override { return 0; }

  Result<NonFiniteCount> count_non_finite(Memory, Scalar type, const std::vector<Rows>&) override {
    counted.push_back(type);
    return NonFiniteCount{1, 0, 0};
  }

  std::vector<const std::byte*> brought_back;  // destinations of downloads
  std::vector<Scalar> counted;                 // types of the arrays searched for NaN
  int uploads = 0, copies = 0;

 private:
  std::vector<std::unique_ptr<std::byte[]>> memory_;
};

// The bits of an integer may look like those of a NaN.
TEST(PlanSession, SearchesFloatingPointFieldsForNanOnly) {
  const ir::Program program = program_of(
      "grid G = [0..63] steps 9;\nfield U : real on G;\nfield I : long on G;\n"
      "stencil u : U on G = U[0] + 1;\nstencil i : I on G = I[0] + 1;\n");
  Diagnostics diagnostics;
  const auto schedule = schedule::parse("direct block=32", program, diagnostics);
  const auto module = schedule::lower(program, *schedule, diagnostics);
  ASSERT_TRUE(module) << render(Source("", ""), diagnostics);
  reference::State state = initial_state(program, bind_params(program).value());
  Heap heap;
  const auto session = start_plan(heap, *module, state);
  ASSERT_TRUE(session.ok());
  const auto nans = [&](int field) {
    const auto found = session.value()->count_non_finite(
        {static_cast<ir::FieldId>(field), 0, 0, state.fields[field].box});
    return found.value()->nans;
  };
  EXPECT_EQ(nans(0), 1);
  EXPECT_EQ(nans(1), 0);
  EXPECT_EQ(heap.counted, std::vector<Scalar>{Scalar::F32});
}

TEST(PlanSession, DownloadsOnlyRequestedFields) {
  const ir::Program program = program_of(
      "grid G = [0..63] steps 9;\nfield U, V : real on G history 3;\nfield K : real on G "
      "constant;\n"
      "stencil u : U on G = U[0] + K[0] + U@-2[0];\nstencil v : V on G = V[0] + V@-2[0];\n");
  Diagnostics diagnostics;
  const auto schedule = schedule::parse("direct block=32", program, diagnostics);
  const auto module = schedule::lower(program, *schedule, diagnostics);
  ASSERT_TRUE(module) << render(Source("", ""), diagnostics);
  reference::State state = initial_state(program, bind_params(program).value());
  Heap heap;
  const auto session = start_plan(heap, *module, state);
  ASSERT_TRUE(session.ok());
  const auto brought_back = [&](const std::vector<int>& levels) {
    heap.brought_back.clear();
    EXPECT_EQ(session.value()->advance(2).value(), 2);
    EXPECT_TRUE(session.value()->fetch(levels).ok());
    return heap.brought_back;
  };
  using Places = std::vector<const std::byte*>;
  reference::FieldData &u = state.fields[0], &v = state.fields[1];
  EXPECT_EQ(brought_back({}), Places{});
  EXPECT_EQ(brought_back({0, 1, 1}), Places{v.data(0, 0)});
  EXPECT_EQ(brought_back({2}), (Places{u.data(0, 0), u.data(1, 0)}));
  const Places all{u.data(0, 0), u.data(1, 0), u.data(2, 0),
                   v.data(0, 0), v.data(1, 0), v.data(2, 0)};
  EXPECT_EQ(brought_back({99, 99, 99}), all);
  heap.brought_back.clear();
  EXPECT_TRUE(session.value()->finish().ok());
  EXPECT_EQ(heap.brought_back, all);
}

// Uploads take gigabytes once: spare buffers are copied on the device, and so are the fields of a
// session that starts like another one.
TEST(PlanSession, CopiesOnTheDeviceWherePossible) {
  const ir::Program program = program_of(
      "grid G = [0..6, 0..60] steps 9;\nfield U : real on G history 2;\nfield K : real on G "
      "constant;\n"
      "stencil u : U on G = U[0,0] + K[0,0] + U@-1[0,0];\n");
  const auto lowered = [&](const char* line) {
    Diagnostics diagnostics;
    return schedule::lower(program, *schedule::parse(line, program, diagnostics), diagnostics);
  };
  const auto module = lowered("direct rows=dense"), padded = lowered("direct rows=padded");
  ASSERT_TRUE(module && padded);
  reference::State state = initial_state(program, bind_params(program).value());
  auto heap = std::make_unique<Heap>();
  const Heap& first = *heap;
  const auto session = start_plan(std::move(heap), *module, state);
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(first.uploads, 3) << "two levels and a coefficient";
  EXPECT_EQ(first.copies, 1) << "one spare buffer";
  const auto begun_like = [&](const kernel::Module& other) {
    auto own = std::make_unique<Heap>();
    const Heap& used = *own;
    reference::State state_of_its_own = initial_state(program, bind_params(program).value());
    const auto like =
        start_plan(std::move(own), other, state_of_its_own, {.like = session.value().get()});
    EXPECT_TRUE(like.ok());
    return std::pair(used.uploads, used.copies);
  };
  EXPECT_EQ(begun_like(*module), std::pair(0, 4));
  EXPECT_EQ(begun_like(*padded), std::pair(3, 1)) << "another row layout";
}

// If every slot of a user's array is a level, levels return through a copy that takes no part in
// the rotations.
TEST(PlanSession, LevelsWithoutASpareReturnToTheirArrays) {
  const ir::Program program = program_of(
      "grid G = [0..3] steps 9;\nfield U : real on G history 2;\n"
      "stencil u : U on G = U[0] + U@-1[0];\n");
  Diagnostics diagnostics;
  auto module = schedule::lower(
      program, *schedule::parse("direct block=32 rows=dense", program, diagnostics), diagnostics);
  ASSERT_TRUE(module);
  module->plan.arrays[0].copies = 2;  // the kernel replaces the oldest level
  for (kernel::ArrayArgument& argument : std::get<kernel::Launch>(module->plan.actions[0]).arrays) {
    argument.slot = std::min(argument.slot, 1);
  }
  reference::State state = initial_state(program, bind_params(program).value());
  std::vector<float> newest(4, 1.0f), older(4, 2.0f);
  PlanOptions options;
  options.arrays.fields = {{{newest.data(), older.data()}}};
  const auto session = start_plan(std::make_unique<Heap>(), *module, state, options);
  ASSERT_TRUE(session.ok());
  ASSERT_EQ(session.value()->advance(1).value(), 1);  // the kernel writes nothing
  EXPECT_EQ(newest, std::vector<float>(4, 2.0f));
  EXPECT_EQ(older, std::vector<float>(4, 1.0f));
  ASSERT_EQ(session.value()->advance(2).value(), 2);
  EXPECT_EQ(newest, std::vector<float>(4, 2.0f));
  EXPECT_EQ(older, std::vector<float>(4, 1.0f));
}

// Logs launches; the n-th allocation is written as n.
class Launches : public Heap {
 public:
  explicit Launches(bool records) : records_(records) {}
  Result<Memory> allocate(int64_t bytes) override {
    auto memory = Heap::allocate(bytes);
    numbers_.emplace(memory.value(), numbers_.size());
    return memory;
  }
  Status launch(const Call& call) override {
    std::string text = std::to_string(call.kernel) + ":";
    for (const Memory& array : call.arrays) text += " " + std::to_string(numbers_.at(array));
    for (const ScalarBytes& scalar : call.scalars) {
      text += " " + std::string(reinterpret_cast<const char*>(scalar.bytes), scalar.size);
    }
    (recording_ ? *recording_ : log).push_back(text);
    return Done{};
  }
  bool records() const override { return records_; }
  Status begin_recording() override {
    recording_ = std::make_shared<std::vector<std::string>>();
    return Done{};
  }
  Result<Recording> end_recording() override { return Recording(std::move(recording_)); }
  Status replay(const Recording& recording) override {
    ++replays;
    const auto& all = *static_cast<const std::vector<std::string>*>(recording.get());
    log.insert(log.end(), all.begin(), all.end());
    return Done{};
  }

  std::vector<std::string> log;
  int replays = 0;

 private:
  const bool records_;
  std::map<Memory, size_t> numbers_;
  std::shared_ptr<std::vector<std::string>> recording_;
};

// Replayed steps launch the same kernels with the same arguments, wherever calls begin and end.
TEST(PlanSession, ReplaysTheSameLaunches) {
  struct Case {
    std::string text, line;
    bool replays = true;
  };
  const std::string wave =
      "grid G = [0..99, 0..99] steps 9;\nfield U, V : real on G history 2;\n"
      "stencil u : U on G = U[0,0] + U@-1[0,0];\nstencil v : V on G = V[0,0] + U[0,0];\n";
  const std::string heat =
      "grid G = [0..99, 0..99] steps 9;\nfield A : real on G;\n"
      "stencil s : A[1..98, 1..98] = A[-1,0] + A[0,1];\n";
  const std::string sum = "reduce total = sum(A[0,0]) on G every 1024;\n";
  const Case cases[] = {
      {wave, "direct block=32"},
      {heat, "direct block=32"},
      {heat, "overlapped T=3 block=32x8"},
      {heat + sum, "overlapped T=4 block=32x8"},
      {heat + sum, "direct block=32"},
      {heat + sum + "stop when total > 1e30;\n", "direct block=32", false},
      {kDecay, "direct block=32", false},  // reads the step
      {heat + sum + "repeat 9 { stencil t : A[1..98, 1..98] = A[1,0] + A[0,0]; }\n" +
           "stop when total > 1e30;\n",
       "direct block=32"},
      {heat + "repeat 5 { stencil t : A[1..98, 1..98] = A[1,0] + A[0,0]; }\n", "direct block=32"},
  };
  for (const Case& each : cases) {
    const ir::Program program = program_of(each.text);
    Diagnostics diagnostics;
    const auto module =
        schedule::lower(program, *schedule::parse(each.line, program, diagnostics), diagnostics);
    ASSERT_TRUE(module) << render(Source("", ""), diagnostics);
    std::vector<std::string> expected;
    for (const bool records : {false, true}) {
      reference::State state = initial_state(program, bind_params(program).value());
      Launches device(records);
      const auto session = start_plan(device, *module, state);
      ASSERT_TRUE(session.ok());
      int64_t step = 0;
      for (const int64_t steps : {7, 1200, 1, 300, 2, 2, 1025, 64}) {
        EXPECT_EQ(session.value()->advance(steps).value(), steps);
        step += steps;
        EXPECT_EQ(state.step, step);
      }
      if (!records) expected = device.log;
      EXPECT_TRUE(device.log == expected) << each.line << each.text;
      EXPECT_EQ(device.replays > 0, records && each.replays) << each.line << each.text;
      if (!program.reductions.empty()) {
        EXPECT_EQ(state.reductions[0].evaluations, step / 1024);
      }
    }
  }
}

// The launches and rotations of a step that repeats its actions 2 x 3 times are those of six steps.
TEST(PlanSession, ExecutesNestedRepeats) {
  const ir::Program program = program_of(
      "grid G = [0..99] steps 9;\nfield A : real on G;\nstencil s : A[1..98] = A[-1] + A[1];\n");
  Diagnostics diagnostics;
  auto flat = schedule::lower(program, *schedule::parse("direct block=32", program, diagnostics),
                              diagnostics);
  ASSERT_TRUE(flat);
  kernel::Module nested = *flat;
  nested.plan.actions = {
      kernel::Repeat{{1, {}, {kernel::Repeat{{1, {}, flat->plan.actions}, 3}}}, 2}};
  std::vector<std::string> logs[2];
  for (const bool repeats : {false, true}) {
    reference::State state = initial_state(program, bind_params(program).value());
    Launches device(false);
    const auto session = start_plan(device, repeats ? nested : *flat, state);
    ASSERT_TRUE(session.ok());
    const int64_t steps = repeats ? 7 : 6 * 7;
    EXPECT_EQ(session.value()->advance(steps).value(), steps);
    logs[repeats] = device.log;
  }
  EXPECT_EQ(logs[0].size(), 42u);
  EXPECT_TRUE(logs[0] == logs[1]);
}

}  // namespace
}  // namespace stencil::runtime
