#include "tests/unit/runtime/mpi/rank.h"

namespace stencil::runtime {

namespace {

constexpr std::byte kUntouched{0xee};

// Each rank sends to its right and left neighbours in a ring.
std::vector<Transfer> ring(int rank, int size) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  return {{right, 0, 1, 100, 1000, 0, 2000}, {left, 1, 0, 5000, 2000, 4000, 1000}};
}

// Each pair of ranks has its own length, some of them 0. Ranks also send to themselves.
std::vector<Transfer> all_to_all(int rank, int size) {
  const auto length = [](int from, int to) { return int64_t{317} * ((3 * from + 5 * to) % 7); };
  std::vector<Transfer> out;
  for (int peer = 0; peer < size; ++peer) {
    out.push_back({peer, 7, 7, 4000 * peer, length(rank, peer), 4000 * peer, length(peer, rank)});
  }
  return out;
}

// Five messages from each rank to the next one; sender and receiver list them in different orders.
std::vector<Transfer> several_tags(int rank, int size) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  std::vector<Transfer> out;
  for (const int tag : {3, 0, 4, 1, 2}) {
    out.push_back({right, 10 * tag, 0, 1000 * tag, 100 + tag, 0, 0});
  }
  for (const int tag : {2, 4, 0, 3, 1}) {
    out.push_back({left, 0, 10 * tag, 0, 0, 2000 * tag, 100 + tag});
  }
  return out;
}

// All ranks send to rank 0, which sends nothing.
std::vector<Transfer> to_one(int rank, int size) {
  std::vector<Transfer> out;
  if (rank != 0) return {{0, rank, 0, 64, 999, 0, 0}};
  for (int peer = 1; peer < size; ++peer) out.push_back({peer, 0, peer, 0, 0, 1000 * peer, 999});
  return out;
}

std::vector<Transfer> nothing(int rank, int size) {
  return rank == 0 ? std::vector<Transfer>{} : std::vector<Transfer>{{(rank + 1) % size}};
}

std::vector<Transfer> to_itself(int rank, int) {
  return {{rank, 5, 6, 0, 300, 100, 40}, {rank, 6, 5, 900, 40, 1000, 300}};
}

}  // namespace

const std::vector<NamedPattern>& patterns() {
  static const std::vector<NamedPattern> all = {
      {"ring", ring},     {"all to all", all_to_all}, {"several tags", several_tags},
      {"to one", to_one}, {"nothing", nothing},       {"to itself", to_itself},
  };
  return all;
}

std::byte sent_byte(int rank, int round, int64_t at) {
  return static_cast<std::byte>((at * 7 + at / 251 + 31 * rank + 101 * round) & 0x7f);
}

std::vector<std::byte> expected_bytes(const Pattern& pattern, int rank, int size, int round) {
  std::vector<std::byte> out(kBufferBytes, kUntouched);
  for (const Transfer& in : pattern(rank, size)) {
    for (const Transfer& sent : pattern(in.peer, size)) {
      if (in.receive_bytes == 0 || sent.send_bytes == 0) continue;
      if (sent.peer != rank || sent.send_tag != in.receive_tag) continue;
      EXPECT(sent.send_bytes == in.receive_bytes);
      for (int64_t i = 0; i < in.receive_bytes; ++i) {
        out[in.receive_offset + i] = sent_byte(in.peer, round, sent.send_offset + i);
      }
    }
  }
  return out;
}

// As in a run: the device writes the buffer just before it is sent, and overwrites it just after.
void check_patterns(Communicator& communicator, QueueingAccelerator& accelerator) {
  const auto send = taken(accelerator.allocate(kBufferBytes), "allocate");
  const auto receive = taken(accelerator.allocate(kBufferBytes), "allocate");
  std::byte* const out = accelerator.data(send);
  std::byte* const in = accelerator.data(receive);
  const auto fill = [&](int round) {
    accelerator.queue([=, rank = communicator.rank()] {
      for (int64_t i = 0; i < kBufferBytes; ++i) out[i] = sent_byte(rank, round, i);
    });
  };
  for (const auto& [name, pattern] : patterns()) {
    fill(0);
    for (int round = 0; round < 3; ++round) {
      std::vector<std::byte> seen(kBufferBytes);
      accelerator.queue([=] { std::memset(in, static_cast<int>(kUntouched), kBufferBytes); });
      taken(communicator.exchange_between(accelerator, send, receive,
                                          pattern(communicator.rank(), communicator.size())),
            name);
      fill(round + 1);
      accelerator.queue([&] { std::memcpy(seen.data(), in, seen.size()); });
      taken(accelerator.wait(), "wait");
      if (seen == expected_bytes(pattern, communicator.rank(), communicator.size(), round))
        continue;
      std::fprintf(stderr, "rank %d received other data: %s, round %d\n", communicator.rank(), name,
                   round);
      std::exit(1);
    }
  }
}

}  // namespace stencil::runtime
