#include <unistd.h>

#include <algorithm>

#include "runtime/cluster/launcher.h"
#include "tests/unit/runtime/mpi/rank.h"

namespace stencil::runtime {

namespace {

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

void case_exchange() {
  const auto communicator = taken(open_mpi(), "open_mpi");
  EXPECT(communicator->size() == launched().processes || launched().processes == 0);
  EXPECT(communicator->rank_on_node() == communicator->rank());  // the tests use one node
  QueueingAccelerator host(QueueingAccelerator::Host), apart(QueueingAccelerator::Apart);
  check_patterns(*communicator, host);
  EXPECT(host.copies == 0);
  check_patterns(*communicator, apart);
  EXPECT(apart.copies > 0);
  for (const int64_t bytes : {1, 97, 1000}) {
    communicator->limit_pieces(bytes);
    check_patterns(*communicator, host);
  }
  check_patterns(*communicator, apart);
}

void case_gather() {
  const auto communicator = taken(open_mpi(), "open_mpi");
  const auto text = [&](int rank) {  // rank 1 sends nothing; others include zero bytes
    std::string out(rank == 1 ? 0 : static_cast<size_t>(100 + 30 * rank), '\0');
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<char>((i * 3 + i / 30) % 256);
    return out + (rank == 1 ? "" : std::to_string(rank));
  };
  for (const int64_t bytes : {int64_t{1} << 30, int64_t{100}, int64_t{1}}) {
    communicator->limit_pieces(bytes);
    const auto all = taken(communicator->all_gather(text(communicator->rank())), "all_gather");
    EXPECT(static_cast<int>(all.size()) == communicator->size());
    for (int r = 0; r < communicator->size(); ++r) EXPECT(all[r] == text(r));
    const std::string own = communicator->rank() == 0 ? "the word" : "unheard";
    EXPECT(taken(communicator->broadcast(own), "broadcast") == "the word");
  }
  const auto none = taken(communicator->all_gather(""), "all_gather");
  EXPECT(std::all_of(none.begin(), none.end(), [](const auto& t) { return t.empty(); }));
}

// With two ranks: invalid messages, and messages shorter or longer than the receiver expects.
void case_wrong_messages() {
  const auto communicator = taken(open_mpi(), "open_mpi");
  QueueingAccelerator host(QueueingAccelerator::Host);
  const auto memory = taken(host.allocate(kBufferBytes), "allocate");
  const auto exchange = [&](const Transfer& transfer) {
    const Status status = communicator->exchange_between(host, memory, memory, {&transfer, 1});
    if (status.ok()) return std::string();
    EXPECT(status.failure().code == "R093");
    return status.failure().message;
  };
  EXPECT(says(exchange({2, 0, 0, 0, 8, 0, 0}), "process 2 of 2"));
  EXPECT(says(exchange({0, -1, 0, 0, 8, 0, 0}), "tag -1"));
  const int peer = 1 - communicator->rank();
  for (const int64_t expected : {16, 4}) {
    const bool sends = communicator->rank() == 0;
    const std::string said =
        sends ? exchange({peer, 3, 0, 0, 8, 0, 0}) : exchange({peer, 0, 3, 0, 0, 0, expected});
    if (sends) continue;
    EXPECT(expected == 16 ? says(said, "process 0 sent 8 bytes where 16 were expected")
                          : says(said, "truncat"));
  }
}

// The last rank abandons the run while the others wait for it.
void case_abandon() {
  const auto communicator = taken(open_mpi(), "open_mpi");
  QueueingAccelerator host(QueueingAccelerator::Host);
  const auto memory = taken(host.allocate(kBufferBytes), "allocate");
  taken(communicator->exchange(host, {}), "exchange");
  if (communicator->rank() == communicator->size() - 1) {
    usleep(200000);
    // Stays in the buffer until it is flushed.
    std::printf("rank %d is not well", communicator->rank());
    communicator->abandon({"R043", "no memory", ""});
    std::fprintf(stderr, "came back from abandon\n");
    return;
  }
  if (communicator->rank() % 2 == 0) {
    const Transfer waiting{communicator->size() - 1, 0, 0, 0, 0, 0, 8};
    (void)communicator->exchange_between(host, memory, memory, {&waiting, 1});
  } else {
    (void)communicator->all_gather("still here");
  }
  std::fprintf(stderr, "came back without the other\n");
}

// A rank without others ends no process, and remembers the failure.
void case_alone() {
  const auto communicator = taken(open_mpi(), "open_mpi");
  EXPECT(communicator->size() == 1 && communicator->rank() == 0 &&
         communicator->rank_on_node() == 0);
  EXPECT(!started_by_mpi());
  EXPECT(says(communicator->description(), "MPI"));
  communicator->abandon({"R043", "no memory", ""});
  const auto after = communicator->all_gather("");
  EXPECT(!after.ok() && after.failure().code == "R043");
  QueueingAccelerator host(QueueingAccelerator::Host);
  EXPECT(!communicator->exchange(host, {}).ok());
  finish_mpi();
  finish_mpi();
  const auto late = open_mpi();
  EXPECT(!late.ok() && late.failure().code == "R092");
  EXPECT(says(late.failure().message, "finalised"));
}

void case_unusable() {
  const auto communicator = open_mpi();
  EXPECT(!communicator.ok());
  std::printf("%s", communicator.failure().text().c_str());
}

void case_started() {
  std::printf("%s\n", started_by_mpi() ? "one of several" : "alone");
}

}  // namespace stencil::runtime
