// Machines: the table, and machines made from the properties of a device.
#include "compiler/schedule/machine.h"

#include <gtest/gtest.h>

#include <set>

#include "compiler/emit/emit.h"

namespace stencil::schedule {
namespace {

TEST(Machine, NamesAreDistinctAndFound) {
  std::set<std::string> names;
  for (const Machine& machine : machine_table()) {
    EXPECT_TRUE(names.insert(machine.name).second) << machine.name;
    EXPECT_EQ(find_machine(machine.name)->description, machine.description);
    EXPECT_EQ(describe(machine).size(), machine_columns().size());
    EXPECT_GT(machine.bytes_per_second, 0) << machine.name;
  }
  EXPECT_FALSE(find_machine("sm_1"));
  for (const emit::TargetInfo& target : emit::targets()) {
    EXPECT_TRUE(find_machine(std::string(target.machine))) << target.name;
  }
}

CudaLimits h200() {
  return {"NVIDIA H200", 90, 132, 1980000, 3201000, 6144, 232448, 2048, 32, 65536, 50 << 20};
}

TEST(Machine, OfAKnownDeviceIsItsRow) {
  const Machine machine = cuda_gpu(h200());
  EXPECT_EQ(machine.bytes_per_second, gpu().bytes_per_second);
  EXPECT_EQ(machine.instructions_per_second, gpu().instructions_per_second);
}

// Part of a device, and a device newer than the table: its own limits,
// and otherwise the last older row.
TEST(Machine, OfAnotherDeviceFollowsItsLimits) {
  CudaLimits part = h200();
  part.multiprocessors = 16;
  EXPECT_EQ(cuda_gpu(part).multiprocessors, 16);
  EXPECT_LT(cuda_gpu(part).instructions_per_second, gpu().instructions_per_second / 8);
  CudaLimits young = {"NVIDIA B300", 103, 160, 2000000, 4000000, 8192, 0, 0, 0, 0, 0};
  const Machine machine = cuda_gpu(young);
  EXPECT_EQ(machine.name, "sm_103");
  EXPECT_EQ(machine.multiprocessors, 160);
  EXPECT_EQ(machine.shared_bytes, find_machine("sm_100")->shared_bytes)
      << "the device does not report it";
  EXPECT_NEAR(machine.bytes_per_second, 0.875 * 2 * 4e9 * 1024, 1e9);
}

TEST(Machine, OfAnOlderArchitectureIsTheFirstRow) {
  EXPECT_EQ(cuda_gpu({"NVIDIA V100", 70, 0, 0, 0, 0, 0, 0, 0, 0, 0}).shared_bytes,
            machine_table().front().shared_bytes);
}

}  // namespace
}  // namespace stencil::schedule
