#include "compiler/support/threads.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "compiler/support/workers.h"

namespace stencil {
namespace {

// Sets STENCIL_THREADS during its lifetime.
class Wanted {
 public:
  explicit Wanted(const std::string& text) { setenv("STENCIL_THREADS", text.c_str(), 1); }
  ~Wanted() { unsetenv("STENCIL_THREADS"); }
};

// Collects the threads that call note().
class Seen {
 public:
  void note() {
    const std::lock_guard<std::mutex> held(mutex_);
    threads_.insert(std::this_thread::get_id());
  }
  size_t count() const { return threads_.size(); }
  bool has(std::thread::id thread) const { return threads_.count(thread) > 0; }

 private:
  std::mutex mutex_;
  std::set<std::thread::id> threads_;
};

TEST(Threads, FollowTheEnvironmentVariable) {
  const int unset = wanted_threads();
  for (const int threads : {1, 7, 4096}) {
    const Wanted wanted(std::to_string(threads));
    EXPECT_EQ(wanted_threads(), threads);
  }
  for (const char* text : {"", "0", "-1", "4097", "3x", "99999999999999999999"}) {
    const Wanted wanted(text);
    EXPECT_EQ(wanted_threads(), unset) << text;
  }
}

TEST(Threads, DefaultToTheCpusOfTheProcess) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(getpid(), sizeof before, &before), 0);
  EXPECT_EQ(wanted_threads(), CPU_COUNT(&before));
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof one, &one), 0);
  const int threads = wanted_threads();
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof before, &before), 0);
  EXPECT_EQ(threads, 1);
}

TEST(Threads, AreNumbered) {
  std::vector<std::atomic<int>> called(7);
  Seen seen;
  in_threads(7, [&](int number) {
    ++called[number];
    seen.note();
  });
  for (const auto& times : called) EXPECT_EQ(times, 1);
  EXPECT_TRUE(seen.has(std::this_thread::get_id()));  // the calling thread takes part
}

TEST(Threads, SmallWorkIsNotSplit) {
  const Wanted wanted("8");
  EXPECT_EQ(parts_of(0, 10), 1);
  EXPECT_EQ(parts_of(19, 10), 1);
  EXPECT_EQ(parts_of(20, 10), 2);
  EXPECT_EQ(parts_of(1000, 10), 8);
}

TEST(Threads, PartsCoverTheWholeRange) {
  for (const int64_t count : {0, 1, 7, 12}) {
    for (const int parts : {1, 2, 5}) {
      std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
      std::vector<std::atomic<int>> called(static_cast<size_t>(parts));
      in_parts(parts, count, [&](int part, int64_t begin, int64_t end) {
        ++called[part];
        for (int64_t i = begin; i < end; ++i) ++seen[i];
      });
      for (const auto& times : seen) EXPECT_EQ(times, 1);
      for (const auto& times : called) EXPECT_EQ(times, 1);
    }
  }
}

TEST(Threads, RangesCoverTheWholeRange) {
  const Wanted wanted("3");
  for (const int64_t count : {0, 1, 7, 12, 100}) {
    for (const int64_t grain : {1, 5, 100}) {
      std::vector<std::atomic<int>> done(static_cast<size_t>(count));
      Seen seen;
      in_ranges(count, grain, [&](int64_t begin, int64_t end) {
        EXPECT_LE(end - begin, grain);
        for (int64_t i = begin; i < end; ++i) ++done[i];
        seen.note();
      });
      for (const auto& times : done) EXPECT_EQ(times, 1);
      EXPECT_LE(seen.count(), 3u);
    }
  }
}

// All wanted threads take part: each waits for the others.
TEST(Threads, RangesUseAllWantedThreads) {
  const Wanted wanted("3");
  std::atomic<int> at_work = 0;
  in_ranges(3, 1, [&](int64_t, int64_t) {
    ++at_work;
    while (at_work < 3) std::this_thread::yield();
  });
  EXPECT_EQ(at_work, 3);
}

// All parts finish first, because the caller's variables must outlive them.
TEST(Threads, RethrowExceptionsOfAPart) {
  std::atomic<int> done{0};
  const auto work = [&](int part, int64_t, int64_t) {
    if (part == 2) throw std::runtime_error("part 2");
    ++done;
  };
  try {
    in_parts(4, 4, work);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "part 2");
  }
  EXPECT_EQ(done, 3);
}

TEST(Workers, FollowTheEnvironmentVariable) {
  const Wanted wanted("2");
  Seen seen;
  std::atomic<int> at_work = 0;
  {
    Workers workers;
    std::vector<std::future<int>> results;
    for (int i = 0; i < 2; ++i) {
      results.push_back(workers.start([&, i] {
        ++at_work;
        while (at_work < 2) std::this_thread::yield();  // concurrently
        seen.note();
        return i;
      }));
    }
    for (int i = 2; i < 50; ++i) {
      results.push_back(workers.start([&, i] {
        seen.note();
        return i;
      }));
    }
    for (int i = 0; i < 50; ++i) EXPECT_EQ(results[i].get(), i);
  }
  EXPECT_EQ(seen.count(), 2u);
  EXPECT_FALSE(seen.has(std::this_thread::get_id()));
}

TEST(Workers, WaitForTheirTasks) {
  Workers workers(3);
  std::atomic<int> done = 0;
  for (int i = 0; i < 20; ++i) workers.start([&] { ++done; });
  workers.wait();
  EXPECT_EQ(done, 20);
}

TEST(Workers, WithoutThreadsRunTasksAtOnce) {
  Workers workers(0);
  bool done = false;
  workers.start([&] { done = true; });
  EXPECT_TRUE(done);
}

TEST(Workers, RethrowExceptionsInGet) {
  Workers workers(1);
  auto result = workers.start([]() -> int { throw std::runtime_error("thrown"); });
  EXPECT_THROW(result.get(), std::runtime_error);
}

}  // namespace
}  // namespace stencil
