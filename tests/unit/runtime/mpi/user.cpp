// A program that uses MPI itself: `mpi_user LEVEL`, where LEVEL is its thread support.
#include <mpi.h>

#include <string>
#include <thread>

#include "tests/unit/runtime/mpi/rank.h"

namespace stencil::runtime {

namespace {

// Exchanges a message with `peer` and checks it.
void swap_with(Communicator& communicator, int peer) {
  QueueingAccelerator host(QueueingAccelerator::Host);
  const auto memory = taken(host.allocate(16), "allocate");
  host.data(memory)[0] = static_cast<std::byte>(communicator.rank() + 1);
  const Transfer both{peer, 0, 0, 0, 1, 8, 1};
  taken(communicator.exchange_between(host, memory, memory, {&both, 1}), "exchange");
  EXPECT(host.data(memory)[8] == static_cast<std::byte>(peer + 1));
}

// Rank 0 has two threads that each wait for rank 1; rank 1 serves them in turn.
void check_threads() {
  const auto first = taken(open_mpi(), "open_mpi");
  const auto second = taken(open_mpi(), "open_mpi");
  if (first->rank() == 0) {
    std::thread waits([&] { swap_with(*first, 1); });
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    swap_with(*second, 1);
    waits.join();
  } else if (first->rank() == 1) {
    swap_with(*second, 0);
    swap_with(*first, 0);
  } else {  // exchanges are collective calls
    QueueingAccelerator host(QueueingAccelerator::Host);
    taken(second->exchange(host, {}), "exchange");
    taken(first->exchange(host, {}), "exchange");
  }
}

}  // namespace

}  // namespace stencil::runtime

int main(int count, char** arguments) {
  using namespace stencil::runtime;
  const std::string level = count == 2 ? arguments[1] : "";
  const int wanted = level == "funneled"     ? MPI_THREAD_FUNNELED
                     : level == "serialized" ? MPI_THREAD_SERIALIZED
                                             : MPI_THREAD_MULTIPLE;
  int granted = 0;
  MPI_Init_thread(&count, &arguments, wanted, &granted);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {  // Odd and even ranks, in reverse order.
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    auto communicator = taken(open_mpi(&half), "open_mpi");
    MPI_Comm_free(&half);
    const auto all = taken(communicator->all_gather(std::to_string(rank)), "all_gather");
    EXPECT(all[communicator->rank()] == std::to_string(rank));
    for (const std::string& other : all) EXPECT(std::stoi(other) % 2 == rank % 2);
    EXPECT(std::stoi(all.front()) >= std::stoi(all.back()));
    QueueingAccelerator host(QueueingAccelerator::Host);
    check_patterns(*communicator, host);
    if (granted < MPI_THREAD_SERIALIZED) {
      std::thread([&] {
        const auto refused = communicator->all_gather("");
        EXPECT(!refused.ok() && refused.failure().code == "R093");
        EXPECT(refused.failure().message.find("main thread") != std::string::npos);
      }).join();
    }
  }
  if (granted >= MPI_THREAD_SERIALIZED) check_threads();
  finish_mpi();  // the user must finalise MPI
  int finalised = 1;
  MPI_Finalized(&finalised);
  EXPECT(finalised == 0);
  MPI_Finalize();
  return 0;
}
