#include "compiler/driver/brief_schedule.h"

#include "tests/unit/load.h"

namespace stencil {
namespace {

const char* const kPlane =
    "param N : integer = 500; grid G = [0..N-1, 0..N-1] steps 6; field A : real on G;\n"
    "stencil s : A[1..N-2, 1..N-2] = A[-1,0] + A[1,0] + A[0,-1] + A[0,1];";
const char* const kBlock =
    "grid G = [0..99, 0..99, 0..99] steps 6; field U : double on G history 2;\n"
    "stencil s : U[2..97, 1..98, 1..98] = U[-2,0,0] + U[1,0,0] + U[0,-1,1] - U@-1[0,0,0];";

std::optional<schedule::Schedule> read(const std::string& line, const ir::Program& program,
                                       const schedule::Machine& machine) {
  Diagnostics ignored;
  return schedule::parse(line, program, ignored, machine);
}

TEST(BriefSchedule, ReadsBackAsTheSameSchedule) {
  const std::vector<std::string> families = {
      "streaming",
      "streaming T=2 loads=registers",
      "streaming block=16x4 elements=2 chunk=7",
      "streaming T=1 form=gather prefetch=1 unroll=3 occupancy=2 interior=tested rows=dense",
      "streaming loads=bulk interior=split",
      "planes",
      "planes T=2",
      "planes block=64 interior=tested",
      "planes T=3 chunk=9 interior=split",
      "overlapped",
      "overlapped T=2",
      "overlapped regions=hull",
      "overlapped T=3 block=16x4 regions=shrink rows=padded",
      "direct",
      "direct block=8x8",
      "auto"};
  const std::vector<std::vector<schedule::Machine>> machines = {
      {schedule::gpu()}, {schedule::cpu()}, {schedule::gpu(), schedule::cpu()}};
  int shorter = 0;
  for (const char* text : {kPlane, kBlock}) {
    const ir::Program program = test::load(text);
    for (const std::string& line : families) {
      for (const auto& readers : machines) {
        const auto schedule = read(line, program, readers.front());
        ASSERT_TRUE(schedule) << line;
        const std::string whole = schedule::print(*schedule, program.grid().rank());
        const std::string brief = brief_schedule(*schedule, program, readers);
        for (const schedule::Machine& machine : readers) {
          const auto same = read(whole, program, machine);
          if (!same) continue;
          EXPECT_EQ(read(brief, program, machine), same) << whole << " / " << brief;
        }
        EXPECT_LE(brief.size(), whole.size());
        shorter += brief.size() < whole.size();
      }
    }
  }
  EXPECT_GT(shorter, 40);
}

TEST(BriefSchedule, KeepsTheTileAndNonDefaultSettings) {
  const ir::Program program = test::load(kPlane);
  const auto brief = [&](const std::string& line, const std::vector<schedule::Machine>& machines) {
    return brief_schedule(*read(line, program, machines.front()), program, machines);
  };
  const std::string plain = brief("streaming", {schedule::gpu()});
  EXPECT_TRUE(plain.starts_with("streaming T=")) << plain;
  EXPECT_EQ(plain.find("auto"), plain.npos) << plain;
  EXPECT_EQ(plain.find("loads"), plain.npos) << plain;
  EXPECT_EQ(brief("streaming T=2 block=32 elements=4 chunk=9 form=gather", {schedule::gpu()}),
            "streaming T=2 block=32x1 elements=4x1 chunk=9");
  // A setting whose default differs between the machines is printed.
  const auto hull = read("planes T=2 block=64", program, schedule::gpu());
  const auto other = read("planes T=2 block=64", program, schedule::cpu());
  ASSERT_NE(hull->interior, other->interior) << "the defaults of the machines differ";
  EXPECT_NE(brief("planes T=2 block=64", {schedule::gpu(), schedule::cpu()}).find(" interior="),
            std::string::npos);
}

}  // namespace
}  // namespace stencil
