// Communication between subdomains in one process: messages, texts, and the effect of one
// subdomain's failure on the others.
#include "runtime/cluster/local_subdomains.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string>

#include "compiler/support/threads.h"

namespace stencil::runtime {
namespace {

// Host memory; every operation completes at once.
class Immediate : public Accelerator {
 public:
  Result<Memory> allocate(int64_t) override { return Failure{"R045", "", ""}; }
  void release(Memory) override {}
  Status clear(Memory, int64_t) override { return Done{}; }
  Status upload(Memory to, const std::byte* from, const Rows& rows) override {
    std::memcpy(static_cast<std::byte*>(to) + rows.start, from, static_cast<size_t>(rows.bytes));
    return Done{};
  }
  Status download(std::byte* to, Memory from, const Rows& rows) override {
    std::memcpy(to, static_cast<std::byte*>(from) + rows.start, static_cast<size_t>(rows.bytes));
    return Done{};
  }
  Status launch(const Call&) override { return Done{}; }
  Status wait() override { return Done{}; }
  Status ask(Memory) override { return Done{}; }
  Result<int32_t> answer() override { return 0; }
};

// Each subdomain repeatedly sends its number to both neighbours. The received numbers must come
// from them, and from the same round. With two subdomains, both messages go to the same neighbour.
void go_round(int count) {
  constexpr int kRounds = 200, kUp = 1, kDown = 2;
  LocalSubdomains subdomains(count);
  std::atomic<int> wrong = 0;
  in_threads(count, [&](int rank) {
    Immediate accelerator;
    std::array<int64_t, 2> sent{}, received{};
    const int above = (rank + 1) % count, below = (rank + count - 1) % count;
    for (int round = 0; round < kRounds; ++round) {
      sent = {1000 * round + rank, -1000 * round - rank};
      const Transfer transfers[] = {{above, kUp, kDown, 0, 8, 8, 8},
                                    {below, kDown, kUp, 8, 8, 0, 8}};
      const Status done = subdomains.communicator(rank).exchange_between(
          accelerator, sent.data(), received.data(), transfers);
      if (!done.ok() || received[0] != 1000 * round + below ||
          received[1] != -1000 * round - above) {
        ++wrong;
      }
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(LocalSubdomains, SendToBothNeighbours) {
  for (const int count : {2, 3, 5}) go_round(count);
}

TEST(LocalSubdomains, OneWayMessagesNeedNoAnswer) {
  LocalSubdomains subdomains(2);
  int64_t got = 0;
  in_threads(2, [&](int rank) {
    Immediate accelerator;
    int64_t value = 42;
    const Transfer give = {1, 0, 0, 0, 8, 0, 0}, take = {0, 0, 0, 0, 0, 0, 8};
    const Status done = subdomains.communicator(rank).exchange_between(
        accelerator, &value, &got, {rank == 0 ? &give : &take, 1});
    EXPECT_TRUE(done.ok());
  });
  EXPECT_EQ(got, 42);
}

TEST(LocalSubdomains, MessagesOfDifferentLengthsFail) {
  LocalSubdomains subdomains(2);
  in_threads(2, [&](int rank) {
    Immediate accelerator;
    std::array<int64_t, 2> values{};
    const Transfer give = {1, 0, 0, 0, 16, 0, 0}, take = {0, 0, 0, 0, 0, 0, 8};
    const Status done = subdomains.communicator(rank).exchange_between(
        accelerator, values.data(), values.data(), {rank == 0 ? &give : &take, 1});
    EXPECT_FALSE(done.ok());
    if (rank == 1) subdomains.communicator(1).abandon(done.failure());
    EXPECT_EQ(done.failure().code, "R093");
  });
}

TEST(LocalSubdomains, GatherTextsInRounds) {
  constexpr int kCount = 4;
  LocalSubdomains subdomains(kCount);
  std::atomic<int> wrong = 0;
  in_threads(kCount, [&](int rank) {
    for (int round = 0; round < 200; ++round) {
      const auto all = subdomains.communicator(rank).all_gather(std::to_string(100 * round + rank));
      if (!all.ok() || all.value().size() != kCount) {
        ++wrong;
        continue;
      }
      for (int other = 0; other < kCount; ++other) {
        if (all.value()[other] != std::to_string(100 * round + other)) ++wrong;
      }
      const auto told = subdomains.communicator(rank).broadcast(std::to_string(rank + round));
      if (!told.ok() || told.value() != std::to_string(round)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

// A device with queues that logs its operations in order. The name of a mark is the rank.
class Queues : public Immediate {
 public:
  Queues(int rank, bool reaches) : rank_(rank), reaches_(reaches) {}
  bool has_lanes() const override { return true; }
  bool records() const override { return true; }
  bool reach(Accelerator&) override { return reaches_; }
  Result<Mark> mark() override {
    log += "mark ";
    return Mark(std::make_shared<int>(rank_));
  }
  Status await(const Mark& mark) override {
    log += "await" + std::to_string(*static_cast<const int*>(mark.get())) + " ";
    return Done{};
  }
  Status begin_recording() override {
    log += "begin ";
    return Done{};
  }
  Result<Recording> end_recording() override {
    log += "end ";
    return Recording(std::make_shared<int>(7));
  }
  Status replay(const Recording& recording) override {
    log += "replay" + std::to_string(*static_cast<const int*>(recording.get())) + " ";
    return Done{};
  }

  std::string log;

 private:
  const int rank_;
  const bool reaches_;
};

// One recording holds the work of all subdomains. Subdomain 0 waits for the others before it ends
// the recording, and the others wait for it around each replay.
TEST(LocalSubdomains, RecordOneGraphTogether) {
  LocalSubdomains subdomains(3);
  std::array<std::string, 3> logs;
  in_threads(3, [&](int rank) {
    Queues queues(rank, true);
    Communicator& own = subdomains.communicator(rank);
    EXPECT_TRUE(own.meet(queues).ok());
    EXPECT_TRUE(own.records(queues));
    EXPECT_TRUE(own.begin_recording(queues).ok());
    queues.log += "work ";
    const auto recording = own.end_recording(queues);
    ASSERT_TRUE(recording.ok());
    EXPECT_EQ(recording.value() != nullptr, rank == 0);
    EXPECT_TRUE(own.replay(queues, recording.value(), 2).ok());
    logs[rank] = queues.log;
  });
  EXPECT_EQ(logs[0], "begin mark work await1 await2 end await1 await2 replay7 replay7 mark ");
  EXPECT_EQ(logs[1], "await0 work mark mark await0 ");
  EXPECT_EQ(logs[2], logs[1]);
}

// Copies through the host cannot be recorded in a queue.
TEST(LocalSubdomains, RecordOnlyWithPeerAccess) {
  LocalSubdomains subdomains(2);
  in_threads(2, [&](int rank) {
    Queues queues(rank, rank == 0);
    EXPECT_TRUE(subdomains.communicator(rank).meet(queues).ok());
    EXPECT_EQ(subdomains.communicator(rank).records(queues), rank == 0);
    Immediate without;
    EXPECT_FALSE(subdomains.communicator(rank).records(without));
  });
}

TEST(LocalSubdomains, AFailureWakesAll) {
  LocalSubdomains subdomains(3);
  std::atomic<int> told = 0;
  in_threads(3, [&](int rank) {
    if (rank == 2) return subdomains.communicator(2).abandon({"R043", "no memory", ""});
    Immediate accelerator;
    int64_t value = 0;
    const Transfer take = {2, 0, 0, 0, 0, 0, 8};
    const auto failed = [&](const Failure& failure) { told += failure.message == "no memory"; };
    if (rank == 0) {
      const Status done =
          subdomains.communicator(0).exchange_between(accelerator, &value, &value, {&take, 1});
      if (!done.ok()) failed(done.failure());
    } else {
      const auto heard = subdomains.communicator(1).all_gather("");
      if (!heard.ok()) failed(heard.failure());
    }
  });
  EXPECT_EQ(told, 2);
  EXPECT_FALSE(subdomains.communicator(0).all_gather("").ok());  // all later calls fail as well
}

}  // namespace
}  // namespace stencil::runtime
