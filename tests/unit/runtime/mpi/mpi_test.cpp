// Processes under mpiexec (rank.cpp, user.cpp), and detection of launchers from the environment.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <string>

#include "runtime/cluster/launcher.h"
#include "runtime/cluster/mpi_library.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::runtime {

namespace {

struct Ended {
  int status = -1;
  std::string out;  // stdout and stderr
  double seconds = 0;
};

// Runs a shell command for at most a minute.
Ended shell(const std::string& environment, const std::string& command) {
  const auto begin = std::chrono::steady_clock::now();
  FILE* pipe = popen(("env " + environment + " timeout -k 5 60 " + command + " 2>&1").c_str(), "r");
  Ended out;
  std::array<char, 4096> text;
  while (const size_t read = std::fread(text.data(), 1, text.size(), pipe)) {
    out.out.append(text.data(), read);
  }
  const int status = pclose(pipe);
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

// Allows more processes than CPUs, root, and containers without access to other processes' memory.
const std::string kMpiEnvironment =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none "
    "OMPI_MCA_mpi_yield_when_idle=1 ASAN_OPTIONS=detect_leaks=0 ";

Ended mpiexec(int processes, const std::string& command, const std::string& environment = "") {
  return shell(kMpiEnvironment + environment,
               std::string(STENCIL_MPIEXEC) + " -n " + std::to_string(processes) + " " + command);
}

std::string rank_case(const std::string& name) {
  return std::string(STENCIL_MPI_RANK) + " " + name;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Mpi : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(STENCIL_MPIEXEC).empty()) GTEST_SKIP() << "built without MPI";
  }

  // Every process exits with 0 and prints nothing.
  void expect_passes(int processes, const std::string& command,
                     const std::string& environment = "") {
    const Ended ended = mpiexec(processes, command, environment);
    EXPECT_EQ(ended.status, 0) << processes << " processes, " << command;
    EXPECT_EQ(ended.out, "") << processes << " processes, " << command;
  }
};

const std::string kFakeNccl = "LD_LIBRARY_PATH=" STENCIL_FAKE_NCCL " ";

TEST_F(Mpi, Exchanges) {
  for (const int processes : {1, 2, 3, 4}) expect_passes(processes, rank_case("exchange"));
}

TEST_F(Mpi, GathersTexts) {
  for (const int processes : {1, 2, 3, 4}) expect_passes(processes, rank_case("gather"));
}

TEST_F(Mpi, RefusesWrongMessages) {
  expect_passes(2, rank_case("wrong_messages"));
}

TEST_F(Mpi, EndsAllRanksWhenOneFails) {
  for (const int processes : {2, 4}) {
    const Ended ended = mpiexec(processes, rank_case("abandon"));
    EXPECT_NE(ended.status, 0);
    EXPECT_NE(ended.status, 124) << "the others kept waiting";
    EXPECT_LT(ended.seconds, 20);
    EXPECT_TRUE(says(ended.out, "is not well")) << ended.out;
    EXPECT_FALSE(says(ended.out, "came back")) << ended.out;
    EXPECT_FALSE(says(ended.out, "backtrace")) << ended.out;
  }
}

TEST_F(Mpi, WorksWithoutLauncher) {
  const Ended ended = shell(kMpiEnvironment, rank_case("alone"));
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.out, "");
}

TEST_F(Mpi, ReportsALauncherOfAnotherMpi) {
  const Ended ended = shell(kMpiEnvironment + "SLURM_STEP_NUM_TASKS=4 ", rank_case("unusable"));
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(says(ended.out,
                   "error R092: MPI cannot be used: 4 processes were started "
                   "(SLURM_STEP_NUM_TASKS), but"))
      << ended.out;
}

TEST_F(Mpi, DetectsWhetherItWasLaunched) {
  EXPECT_EQ(mpiexec(1, rank_case("started")).out, "alone\n");
  EXPECT_EQ(mpiexec(2, rank_case("started")).out, "one of several\none of several\n");
  EXPECT_EQ(shell(kMpiEnvironment, rank_case("started")).out, "alone\n");
  // If the launcher does not give the number of processes, MPI does.
  EXPECT_EQ(shell(kMpiEnvironment + "ALPS_APP_PE=0 ", rank_case("started")).out, "alone\n");
}

TEST_F(Mpi, WorksInProgramsThatUseMpiThemselves) {
  for (const char* level : {"funneled", "serialized", "multiple"}) {
    for (const int processes : {2, 4}) {
      expect_passes(processes, std::string(STENCIL_MPI_USER) + " " + level);
    }
  }
}

// Two simulations at the same time, each on a part of the processes.
TEST_F(Mpi, RunsInUserCommunicators) {
  const TemporaryDirectory directory;
  for (const int processes : {2, 3, 4, 5}) {
    expect_passes(processes, std::string(STENCIL_MPI_HALVES) + " " + directory.file(""));
  }
}

TEST_F(Mpi, UsesNcclForExchanges) {
  for (const int processes : {1, 2, 3, 4}) expect_passes(processes, rank_case("nccl"), kFakeNccl);
}

TEST_F(Mpi, NoRankUsesNcclIfOneCannot) {
  expect_passes(3, rank_case("nccl_turned_off"), kFakeNccl);
  expect_passes(3, rank_case("nccl_same_gpu"), kFakeNccl);
  expect_passes(3, rank_case("nccl_one_on_host"), kFakeNccl);
  expect_passes(3, rank_case("nccl_no_start"), kFakeNccl + "FAKE_NCCL_NO_START=1 ");
  expect_passes(3, rank_case("nccl_no_start"), kFakeNccl + "FAKE_NCCL_NO_START=0 ");
}

TEST_F(Mpi, EndsRanksThatRunDifferentKernels) {
  const Ended ended = mpiexec(3, std::string(STENCIL_MPI_HALVES) + " order");
  if (ended.status == 0 && ended.out.empty()) GTEST_SKIP() << "no host device";
  EXPECT_NE(ended.status, 0);
  EXPECT_NE(ended.status, 124) << "some ranks kept waiting";
  EXPECT_TRUE(says(ended.out, "error R097: rank ")) << ended.out;
  EXPECT_TRUE(says(ended.out, "does not serve the kernel of the simulation")) << ended.out;
}

TEST_F(Mpi, ReportsNcclFailures) {
  expect_passes(2, rank_case("nccl_broken"), kFakeNccl);
}

// With or without NCCL, as installed.
TEST_F(Mpi, ExchangesBetweenGpus) {
  for (const char* environment : {"", "STENCIL_NCCL=0 "}) {
    const Ended ended = mpiexec(2, rank_case("gpus"), environment);
    if (ended.status == 77) GTEST_SKIP() << "fewer than two GPUs";
    EXPECT_EQ(ended.status, 0) << ended.out;
  }
}

TEST(MpiLibrary, ErrorNamesTheSearchedPath) {
  const Ended ended =
      shell("STENCIL_MPI_LIBRARY=/nowhere/libstencil_mpi.so ", rank_case("unusable"));
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(says(ended.out,
                   "error R092: MPI cannot be used: there is no /nowhere/libstencil_mpi.so\n"
                   "  hint: build stencilc where an MPI is installed"))
      << ended.out;
}

TEST(MpiLibrary, RefusesAnotherLibrary) {
  const Ended ended =
      shell("STENCIL_MPI_LIBRARY=" STENCIL_FAKE_NCCL "/libnccl.so.2 ", rank_case("unusable"));
  EXPECT_TRUE(says(ended.out, "belongs to another version of stencilc")) << ended.out;
}

TEST(Launcher, GivesTheNumberOfProcesses) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                           "FLUX_JOB_SIZE", "JSM_NAMESPACE_SIZE", "SLURM_STEP_NUM_TASKS",
                           "PMIX_RANK", "PMI_RANK", "ALPS_APP_PE", "SLURM_NTASKS"}) {
    unsetenv(name);
  }
  EXPECT_EQ(launched().variable, "");
  setenv("SLURM_NTASKS", "8", 1);  // set by a batch script
  setenv("SLURM_PROCID", "0", 1);
  EXPECT_EQ(launched().variable, "");
  setenv("SLURM_STEP_NUM_TASKS", "8", 1);
  EXPECT_EQ(launched().processes, 8);
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);  // a launch inside it
  EXPECT_EQ(launched().processes, 2);
  EXPECT_EQ(launched().variable, "OMPI_COMM_WORLD_SIZE");
  unsetenv("OMPI_COMM_WORLD_SIZE");
  setenv("SLURM_STEP_NUM_TASKS", "many", 1);
  setenv("PMIX_RANK", "0", 1);
  EXPECT_EQ(launched().processes, 0);
  EXPECT_EQ(launched().variable, "PMIX_RANK");
  for (const char* name : {"SLURM_NTASKS", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "PMIX_RANK"}) {
    unsetenv(name);
  }
}

}  // namespace

}  // namespace stencil::runtime
