#include "compiler/reference/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "compiler/support/threads.h"

namespace stencil::reference {
namespace {

TEST(Parallel, ThreadsAreThoseOfTheEnvironment) {
  const auto wanted = [](const char* text) {
    setenv("STENCIL_THREADS", text, 1);
    const int threads = wanted_threads(7);
    unsetenv("STENCIL_THREADS");
    return threads;
  };
  EXPECT_EQ(wanted("1"), 1);
  EXPECT_EQ(wanted("4096"), 4096);
  for (const char* text : {"", "0", "-1", "4097", "3x", "99999999999999999999"}) {
    EXPECT_EQ(wanted(text), 7) << text;
  }
  EXPECT_EQ(wanted_threads(7), 7);
}

TEST(Parallel, SmallWorkIsNotShared) {
  setenv("STENCIL_THREADS", "8", 1);
  EXPECT_EQ(parts_of(0, 10), 1);
  EXPECT_EQ(parts_of(19, 10), 1);
  EXPECT_EQ(parts_of(20, 10), 2);
  EXPECT_EQ(parts_of(1000, 10), 8);
  unsetenv("STENCIL_THREADS");
}

TEST(Parallel, PartsAreTheWhole) {
  for (const int64_t count : {0, 1, 7, 12}) {
    for (const int parts : {1, 2, 5}) {
      std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
      std::vector<std::atomic<int>> called(static_cast<size_t>(parts));
      in_parts(parts, count, [&](int part, int64_t begin, int64_t end) {
        ++called[static_cast<size_t>(part)];
        for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
      });
      for (const auto& times : seen) EXPECT_EQ(times, 1);
      for (const auto& times : called) EXPECT_EQ(times, 1);
    }
  }
}

// All parts end first: the caller's variables must outlive them.
TEST(Parallel, ThrowsWhatAPartThrew) {
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

}  // namespace
}  // namespace stencil::reference
