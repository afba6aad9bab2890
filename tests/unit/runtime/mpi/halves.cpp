// A program that uses MPI itself and passes its own communicators: the processes form two halves,
// and each half runs its own simulation through the public headers.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "stencil/stencil.h"
#include "tests/unit/runtime/mpi/expect.h"

namespace {

constexpr const char* kText = R"(
param a : real = 0.1;
grid G = [0..89, 3..60] steps 30;
field A : real on G boundary [clamp, periodic];
reduce total = sum(A[0,0]) on G every 7;
stencil s : A on G = A[0,0] + a * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1] - 4 * A[0,0]);
init A[i,j] = select(i * 7 % 11 == j % 5, 1.0, 0.25);
)";

// The halves take different numbers of steps with different values, so
// neither can wait for the other.
struct Half {
  int number;
  std::string device;
  std::string path;

  stencil::Options options() const {
    stencil::Options out;
    out.definitions = {{"a", number == 0 ? 0.125 : 0.0625}};
    out.steps = number == 0 ? 30 : 17;
    out.fp = stencil::FloatingPoint::Strict;
    return out;
  }
};

void compare(const Half& half, stencil::Simulation& simulation) {
  const auto program = stencil::Program::from_text(kText, half.options()).or_throw();
  auto alone = program.compile({.device = "reference"}).or_throw().start().or_throw();
  alone.run().or_throw();
  EXPECT(simulation.step() == alone.step());
  EXPECT(simulation.reduction("total").or_throw().value ==
         alone.reduction("total").or_throw().value);
  const stencil::FieldBox box = {{20, 10}, {55, 40}};
  EXPECT(simulation.get<float>("A", box).or_throw() == alone.get<float>("A", box).or_throw());
  EXPECT(simulation.get<float>("A").or_throw() == alone.get<float>("A").or_throw());
  auto from_file = program.initial_state().or_throw();
  from_file.load_checkpoint(half.path).or_throw();
  EXPECT(from_file.get<float>("A").or_throw() == alone.get<float>("A").or_throw());
}

template <class T>
bool refuses(const stencil::Result<T>& result) {
  return !result.ok() && result.failure().code == "R095";
}

void run(const Half& half, const stencil::Ranks& ranks) {
  const auto program = stencil::Program::from_text(kText, half.options()).or_throw();
  const auto kernel = program.compile({.device = half.device, .ranks = true}).or_throw();
  EXPECT(kernel.serves() == (ranks.rank > 0));
  EXPECT(!kernel.parts().empty());
  EXPECT(refuses(program.compile({.device = half.device, .ranks = true, .exchange = -1})));
  stencil::Options differ = half.options();  // only on one rank; all ranks report it
  if (ranks.rank == ranks.size - 1) differ.fp = stencil::FloatingPoint::Fast;
  const auto another = stencil::Program::from_text(kText, differ).or_throw();
  const auto refused = another.compile({.device = half.device, .ranks = true});
  EXPECT(ranks.size == 1 || (!refused.ok() && refused.failure().code == "R097"));
  if (kernel.serves()) {
    EXPECT(refuses(kernel.start()));
    kernel.serve().or_throw();
    return;
  }
  auto simulation = kernel.start().or_throw();
  simulation.run({.checkpoint = half.path}).or_throw();
  auto second = kernel.start();  // its first step checks the ranks
  EXPECT(!second.ok() || refuses(second.value().advance(1)));
  compare(half, simulation);
}

// Rank 0 uses two kernels in another order than the other ranks serve them.
void serve_in_another_order() {
  stencil::join_ranks().or_throw();
  stencil::Options fast;
  fast.fp = stencil::FloatingPoint::Fast;
  const stencil::KernelOptions on_ranks = {.device = "host", .ranks = true};
  const auto first = stencil::Program::from_text(kText).or_throw().compile(on_ranks).or_throw();
  const auto second =
      stencil::Program::from_text(kText, fast).or_throw().compile(on_ranks).or_throw();
  if (first.serves()) {
    second.serve().or_throw();
    return;
  }
  first.start().or_throw().run().or_throw();
}

}  // namespace

// `mpi_halves DIRECTORY` gives the directory for each half's files;
// `mpi_halves order` runs the other case.
int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  if (std::string(arguments[1]) == "order") {
    if (stencil::choose_device("host").ok()) serve_in_another_order();
    return MPI_Finalize();
  }
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Half half{rank % 2, "", ""};
  for (const char* device : {"host", "opencl"}) {
    if (half.device.empty() && stencil::choose_device(device).ok()) half.device = device;
  }
  if (half.device.empty()) return MPI_Finalize();
  half.path = std::string(arguments[1]) + "/half" + std::to_string(half.number) + ".ckpt";
  MPI_Comm communicator = MPI_COMM_NULL;  // ranks in reverse order
  MPI_Comm_split(MPI_COMM_WORLD, half.number, -rank, &communicator);
  const stencil::Ranks ranks = stencil::join_ranks(&communicator).or_throw();
  int own = 0, all = 0;
  MPI_Comm_rank(communicator, &own);
  MPI_Comm_size(communicator, &all);
  MPI_Comm_free(&communicator);
  EXPECT(ranks.rank == own && ranks.size == all);
  EXPECT(ranks.size == (size + 1 - half.number) / 2);
  run(half, ranks);
  // A failure in one half does not affect the other.
  const bool fails = half.number == 0 && ranks.rank == ranks.size - 1;
  const auto agreed =
      stencil::agree(fails ? stencil::Status(stencil::Failure{"X", "no", ""}) : stencil::Done{});
  EXPECT(agreed.ok() == (half.number == 1));
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize();
}
