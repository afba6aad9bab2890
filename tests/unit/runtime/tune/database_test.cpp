// The tuning database as a file: stored, shared, damaged.
#include "runtime/tune/database.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "runtime/io/files.h"
#include "tests/unit/runtime/temporary_directory.h"
#include "tests/unit/runtime/tune/entries.h"

#if __has_include(<sqlite3.h>)
#include <sqlite3.h>
#endif

namespace stencil::tune {
namespace {

class DatabaseTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_database()) GTEST_SKIP() << database_settings().note;
  }
  std::vector<Entry> all() const {
    auto entries = database_.all();
    EXPECT_TRUE(entries.ok()) << entries.failure().message;
    return entries.ok() ? entries.value() : std::vector<Entry>();
  }
  // Overwrites a big-endian number in the header of the file.
  void set_header(int64_t at, uint32_t value) const {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    for (int shift = 24; shift >= 0; shift -= 8) file.put(static_cast<char>(value >> shift));
    EXPECT_TRUE(file.good());
  }
  // Every operation fails and states the reason and the file.
  void expect_unusable(const std::string& why) const {
    const Entry entry = entry_at({10}, "direct", 1);
    std::vector<std::optional<Failure>> failures;
    const auto note = [&](const auto& result) {
      failures.push_back(result.ok() ? std::nullopt : std::optional<Failure>(result.failure()));
    };
    note(database_.all());
    note(database_.near(entry.key));
    note(database_.best(entry.key, entry.sizes));
    note(database_.record({entry}));
    note(database_.merge({entry}));
    note(database_.clear());
    for (const auto& failure : failures) {
      ASSERT_TRUE(failure);
      EXPECT_EQ(failure->code, "R090");
      EXPECT_NE(failure->message.find(path_), std::string::npos) << failure->message;
      EXPECT_NE(failure->message.find(why), std::string::npos) << failure->message;
      EXPECT_NE(failure->hint, "");
    }
  }

  runtime::TemporaryDirectory directory_;
  const std::string path_ = directory_.file("new/tuned.db");
  const Database database_{path_};
};

TEST_F(DatabaseTest, IsEmptyAtFirst) {
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(database_.best(entry_at({1}, "a", 1).key, {1}).value(), std::nullopt);
  EXPECT_TRUE(database_.near(entry_at({1}, "a", 1).key).value().empty());
  EXPECT_EQ(database_.clear().value(), 0);
  EXPECT_TRUE(database_.record({}).ok());
  EXPECT_EQ(directory_.entries(), 0u) << "reading creates no file";
}

TEST_F(DatabaseTest, StoresEntries) {
  Entry one = entry_at({100, 200}, "overlapped T=4", 1.0 / 3);
  one.name = "it's \"heat\"; DROP TABLE measured";
  Entry other = entry_at({100, 200}, "direct", 0.25);
  Entry elsewhere = other;
  elsewhere.key.machine = "another";
  ASSERT_TRUE(database_.record({one, other, elsewhere}).ok());
  EXPECT_EQ(all().size(), 3u);
  EXPECT_EQ(database_.near(one.key).value(), (std::vector<Entry>{other, one}));
  EXPECT_EQ(database_.best(one.key, {100, 200}).value(), other);
  EXPECT_EQ(database_.best(elsewhere.key, {100, 200}).value(), elsewhere);
  EXPECT_EQ(database_.best(one.key, {200, 100}).value(), std::nullopt);
  // No other file remains in the directory.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_.file("new")), {}), 1);
  EXPECT_EQ(database_.clear().value(), 3);
  EXPECT_TRUE(all().empty());
}

TEST_F(DatabaseTest, LaterMeasurementsReplaceEarlierOnes) {
  ASSERT_TRUE(database_.record({entry_at({10}, "a", 2, 9)}).ok());
  const Entry later = entry_at({10}, "a", 3, 1);
  ASSERT_TRUE(database_.record({later}).ok());
  EXPECT_EQ(all(), std::vector<Entry>{later});
}

TEST_F(DatabaseTest, MergingKeepsTheEntryWithMoreRuns) {
  const Entry there = entry_at({10}, "a", 2, 5);
  ASSERT_TRUE(database_.record({there}).ok());
  Entry fewer = entry_at({10}, "a", 1, 4), older = there, newer = there, more = there;
  older.when -= 1;
  older.seconds = 7;
  EXPECT_EQ(database_.merge({fewer, older, there}).value(), 0);
  EXPECT_EQ(all(), std::vector<Entry>{there});
  newer.when += 1;
  newer.seconds = 8;
  EXPECT_EQ(database_.merge({newer}).value(), 1);
  EXPECT_EQ(all(), std::vector<Entry>{newer});
  more.runs = 6;
  EXPECT_EQ(database_.merge({more, entry_at({10}, "b", 1)}).value(), 2);
  EXPECT_EQ(all(), (std::vector<Entry>{entry_at({10}, "b", 1), more}));
}

TEST_F(DatabaseTest, EntriesOfOtherVersionsAreStoredButNotUsed) {
  Entry other = entry_at({10}, "a", 1);
  other.version = "0.0.9/1";
  ASSERT_TRUE(database_.record({other}).ok());
  EXPECT_EQ(all(), std::vector<Entry>{other});
  EXPECT_TRUE(database_.near(other.key).value().empty());
  EXPECT_EQ(database_.best(other.key, {10}).value(), std::nullopt);
  ASSERT_TRUE(database_.record({entry_at({10}, "a", 2)}).ok());
  EXPECT_EQ(all().size(), 2u);
  EXPECT_EQ(database_.best(other.key, {10}).value()->seconds, 2);
}

// --- Invalid files
// ------------------------------------------------------------------------------------------

TEST_F(DatabaseTest, OtherFilesAreNotChanged) {
  std::filesystem::create_directory(directory_.file("new"));
  std::ofstream(path_) << std::string(5000, 'x');
  expect_unusable("file is not a database");
  EXPECT_EQ(runtime::read_file(path_).value(), std::string(5000, 'x'));
}

TEST_F(DatabaseTest, OtherDatabasesAreNotChanged) {
  ASSERT_TRUE(database_.record({entry_at({10}, "a", 1)}).ok());
  set_header(68, 0x12345678);  // application id
  expect_unusable("is a database of another program");
}

TEST_F(DatabaseTest, LaterSchemasAreRefused) {
  ASSERT_TRUE(database_.record({entry_at({10}, "a", 1)}).ok());
  set_header(60, 2);  // user version
  expect_unusable("has schema version 2, but this stencilc knows 1");
  set_header(60, 1);
  EXPECT_EQ(all().size(), 1u);
}

TEST_F(DatabaseTest, DamageIsAFailureNotACrash) {
  std::vector<Entry> entries;
  for (int64_t n = 1; n <= 500; ++n) entries.push_back(entry_at({n}, "overlapped T=4", 1));
  ASSERT_TRUE(database_.record(entries).ok());
  const std::string whole = runtime::read_file(path_).value();
  ASSERT_GT(whole.size(), 3 * 4096u);
  const auto write = [&](const std::string& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  };
  const auto use = [&] {
    // Whatever can still be read is valid.
    const auto read = database_.all();
    EXPECT_EQ(read.ok() ? "R090" : read.failure().code, "R090");
    if (read.ok()) {
      for (const Entry& entry : read.value()) EXPECT_EQ(flaw_of(entry), "");
    }
    const auto written = database_.record({entry_at({7}, "new", 1)});
    EXPECT_EQ(written.ok() ? "R090" : written.failure().code, "R090");
    return read.ok() && written.ok();
  };
  int sound = 0;
  for (size_t size = 0; size < whole.size(); size += whole.size() / 40) {
    write(whole.substr(0, size));
    sound += use() ? 1 : 0;
  }
  EXPECT_LT(sound, 5) << "truncation was not detected";
  write("");
  EXPECT_TRUE(use()) << "an empty file is an empty database";
  for (size_t at = 0; at < whole.size(); at += 1511) {
    std::string damaged = whole;
    for (size_t b = at; b < std::min(at + 16, damaged.size()); ++b) damaged[b] ^= 0x5a;
    write(damaged);
    use();
  }
}

#if __has_include(<sqlite3.h>)

// Runs an SQL statement in the file, as another program could.
void run_in(const std::string& path, const std::string& sql) {
  sqlite3* opened = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &opened), SQLITE_OK);
  char* why = nullptr;
  EXPECT_EQ(sqlite3_exec(opened, sql.c_str(), nullptr, nullptr, &why), SQLITE_OK) << why;
  sqlite3_close(opened);
}

// A view could be endless, and a trigger could do anything.
TEST_F(DatabaseTest, OnlyItsOwnTableIsTrusted) {
  const Entry entry = entry_at({10}, "a", 1);
  const std::string endless =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT kept.* FROM c, kept";
  for (const std::string& sql :
       {std::string("CREATE TABLE other (x)"),
        std::string("CREATE TRIGGER t BEFORE INSERT ON measured BEGIN SELECT 1; END"),
        "ALTER TABLE measured RENAME TO kept; CREATE VIEW measured AS " + endless,
        std::string("CREATE INDEX i ON measured (seconds)"),
        std::string("ALTER TABLE measured ADD COLUMN more DEFAULT 0")}) {
    std::filesystem::remove(path_);
    ASSERT_TRUE(database_.record({entry}).ok());
    run_in(path_, sql);
    const auto begin = std::chrono::steady_clock::now();
    expect_unusable("has tables that stencilc does not create");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2)) << sql;
  }
}

TEST_F(DatabaseTest, WaitsForALockForAtMostASecond) {
  ASSERT_TRUE(database_.record({entry_at({10}, "a", 1)}).ok());
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto begin = std::chrono::steady_clock::now();
  const auto near = database_.near(entry_at({10}, "a", 1).key);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1500));
  ASSERT_FALSE(near.ok());
  EXPECT_EQ(near.failure().code, "R090");
  sqlite3_close(other);
  EXPECT_TRUE(database_.near(entry_at({10}, "a", 1).key).ok());
}

#endif

TEST_F(DatabaseTest, PipesAndDirectoriesAreRefused) {
  std::filesystem::create_directory(directory_.file("new"));
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  expect_unusable("is not a regular file");
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  expect_unusable("is not a regular file");
}

TEST_F(DatabaseTest, FailsIfTheDirectoryCannotBeCreated) {
  std::ofstream(directory_.file("new")) << "";
  const Status kept = database_.record({entry_at({10}, "a", 1)});
  ASSERT_FALSE(kept.ok());
  EXPECT_EQ(kept.failure().code, "R090");
  EXPECT_EQ(database_.all().failure().code, "R090");
}

TEST_F(DatabaseTest, CanBeReadWithoutWritePermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  ASSERT_TRUE(database_.record({entry_at({10}, "a", 1)}).ok());
  ::chmod(path_.c_str(), 0400);
  ::chmod(directory_.file("new").c_str(), 0500);
  EXPECT_EQ(all().size(), 1u);
  const Status kept = database_.record({entry_at({10}, "b", 1)});
  ASSERT_FALSE(kept.ok());
  EXPECT_EQ(kept.failure().code, "R090");
  ::chmod(directory_.file("new").c_str(), 0700);
}

// --- Concurrent access
// ------------------------------------------------------------------------------------------

TEST_F(DatabaseTest, ProcessesWriteConcurrently) {
  constexpr int kProcesses = 8, kEach = 10;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    bool fine = true;
    for (int e = 0; e < kEach; ++e) {
      fine = fine && database_
                         .record({entry_at({10}, fmt::format("own {} {}", p, e), 1),
                                  entry_at({10}, "shared", p + 1)})
                         .ok();
      fine = fine && database_.near(entry_at({10}, "a", 1).key).ok();
    }
    ::_exit(fine ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(all().size(), static_cast<size_t>(kProcesses * kEach + 1));
}

TEST_F(DatabaseTest, ThreadsWriteConcurrently) {
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int e = 0; e < 10; ++e) {
        failed += !database_.record({entry_at({10}, fmt::format("{} {}", t, e), 1)}).ok();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(all().size(), 40u);
}

// Killing a process in the middle of a write keeps the previous contents.
TEST_F(DatabaseTest, SurvivesAKilledWriter) {
  ASSERT_TRUE(database_.record({entry_at({1}, "kept", 1)}).ok());
  for (int round = 0; round < 5; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int64_t n = 2;; ++n) (void)database_.record({entry_at({n % 50 + 2}, "a", 1)});
    }
    ::usleep(20000 + 7000 * static_cast<useconds_t>(round));
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_EQ(database_.best(entry_at({1}, "kept", 1).key, {1}).value(), entry_at({1}, "kept", 1));
    EXPECT_TRUE(database_.record({entry_at({1}, "kept", 1)}).ok());
  }
}

// --- Location
// -------------------------------------------------------------------------------------------

class DatabaseVariable {
 public:
  DatabaseVariable(const char* name, const char* value) : name_(name) {
    const char* before = ::getenv(name);
    if (before) before_ = before;
    value ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  ~DatabaseVariable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(DatabaseSettings, FollowTheEnvironment) {
  if (!has_database()) GTEST_SKIP() << database_settings().note;
  const DatabaseVariable unset("STENCIL_TUNED", nullptr), home("HOME", "/h");
  {
    const DatabaseVariable data("XDG_DATA_HOME", "/data");
    EXPECT_EQ(database_settings().path, "/data/stencilc/tuned.db");
    const DatabaseVariable chosen("STENCIL_TUNED", "/tmp/x.db");
    EXPECT_EQ(database_settings().path, "/tmp/x.db");
    const DatabaseVariable off("STENCIL_TUNED", "OFF");
    EXPECT_EQ(database_settings().path, "");
    EXPECT_EQ(database_settings().note, "switched off by STENCIL_TUNED");
  }
  const DatabaseVariable relative("XDG_DATA_HOME", "data");
  EXPECT_EQ(database_settings().path, "/h/.local/share/stencilc/tuned.db");
  const DatabaseVariable homeless("HOME", nullptr);
  EXPECT_EQ(database_settings().note, "there is no home directory; set STENCIL_TUNED");
}

}  // namespace
}  // namespace stencil::tune
