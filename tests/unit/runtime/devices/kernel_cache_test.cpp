#include "runtime/devices/kernel_cache.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "runtime/io/files.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::runtime {
namespace {

namespace fs = std::filesystem;

const CacheKey kKey{"cuda", {"machine code", "sm_90", "void f() {}"}};

class KernelCacheTest : public testing::Test {
 protected:
  KernelCache cache(int64_t limit = int64_t{1} << 30, double patience = 60) const {
    CacheSettings settings;
    settings.directory = directory_.file("cache");
    settings.limit_bytes = limit;
    settings.patience = patience;
    return KernelCache(settings);
  }
  // The cache's result for the key if `bytes` would be built; counts the builds.
  std::string get(const KernelCache& cache, const CacheKey& key, const std::string& bytes,
                  const CacheCheck& holds = {}) {
    const auto found = cache.get(
        key,
        [&]() -> Result<std::string> {
          ++built_;
          return bytes;
        },
        holds);
    EXPECT_TRUE(found.ok());
    return found.ok() ? found.value() : "";
  }
  std::vector<std::string> files() const {
    std::vector<std::string> out;
    if (!fs::exists(directory_.file("cache"))) return out;
    for (const auto& file : fs::directory_iterator(directory_.file("cache"))) {
      out.push_back(file.path().string());
    }
    return out;
  }

  const TemporaryDirectory directory_;
  int built_ = 0;
};

// --- Entries
// ------------------------------------------------------------------------------------------

TEST_F(KernelCacheTest, BuildsOnceAndKeepsTheBytes) {
  const std::string bytes("\177ELF\0\xff", 6);
  EXPECT_EQ(get(cache(), kKey, bytes), bytes);
  EXPECT_EQ(get(cache(), kKey, "something else"), bytes);
  EXPECT_EQ(built_, 1);
  EXPECT_EQ(files().size(), 1u) << "no lock or temporary file remains";
  EXPECT_EQ(get(cache(), {"cuda", {"empty"}}, ""), "");
  EXPECT_EQ(get(cache(), {"cuda", {"empty"}}, "x"), "");
  EXPECT_EQ(built_, 2);
}

TEST_F(KernelCacheTest, EveryPartOfAKeyMatters) {
  const std::vector<CacheKey> keys = {
      {"cuda", {"a", "b"}}, {"cuda", {"ab"}},     {"cuda", {"a b"}},    {"cuda", {"a", "b", ""}},
      {"host", {"a", "b"}}, {"cuda", {"b", "a"}}, {"cuda", {"a\n1 b"}}, {"cuda", {}}};
  for (size_t k = 0; k < keys.size(); ++k) get(cache(), keys[k], std::to_string(k));
  for (size_t k = 0; k < keys.size(); ++k) EXPECT_EQ(get(cache(), keys[k], "?"), std::to_string(k));
  EXPECT_EQ(built_, static_cast<int>(keys.size()));
}

TEST_F(KernelCacheTest, FailuresAreReturnedAndNotCached) {
  const auto failed = cache().get(kKey, [] { return Failure{"R042", "no", ""}; });
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.failure().code, "R042");
  EXPECT_TRUE(files().empty());
  EXPECT_EQ(get(cache(), kKey, "yes"), "yes");
}

TEST_F(KernelCacheTest, OutdatedEntriesAreRebuilt) {
  get(cache(), kKey, "old");
  const auto is_new = [](const std::string& bytes) { return bytes == "new"; };
  EXPECT_EQ(get(cache(), kKey, "new", is_new), "new");
  EXPECT_EQ(get(cache(), kKey, "newer", is_new), "new");
  EXPECT_EQ(built_, 2);
}

TEST_F(KernelCacheTest, TruncatedEntriesAreRebuilt) {
  get(cache(), kKey, "the bytes");
  const std::string path = files().at(0), whole = read_file(path).value();
  for (size_t length = 0; length < whole.size(); ++length) {
    ASSERT_TRUE(write_file_atomically(path, whole.substr(0, length)).ok());
    ASSERT_EQ(get(cache(), kKey, "the bytes"), "the bytes");
    ASSERT_EQ(built_, static_cast<int>(length) + 2) << length;
    ASSERT_EQ(read_file(path).value(), whole);
  }
  ASSERT_TRUE(write_file_atomically(path, whole + "x").ok());
  get(cache(), kKey, "the bytes");
  EXPECT_EQ(built_, static_cast<int>(whole.size()) + 2);
}

TEST_F(KernelCacheTest, FlippedBitsAreDetected) {
  get(cache(), kKey, "the bytes");
  const std::string path = files().at(0), whole = read_file(path).value();
  const auto absent = [] { return Failure{"", "absent", ""}; };
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    std::ofstream(path, std::ios::binary) << damaged;
    ASSERT_FALSE(cache().get(kKey, absent).ok()) << bit;
  }
  std::ofstream(path, std::ios::binary) << whole;
  ASSERT_TRUE(cache().get(kKey, absent).ok());
}

// Simulates two keys with the same hash: the file of one under the name of the other.
TEST_F(KernelCacheTest, EntriesOfOtherKeysAreNotUsed) {
  get(cache(), kKey, "mine");
  const std::string mine = files().at(0);
  const CacheKey other{"cuda", {"machine code", "sm_90", "void g() {}"}};
  get(cache(), other, "other");
  const auto all = files();
  const std::string others = all[0] == mine ? all[1] : all[0];
  fs::copy_file(others, mine, fs::copy_options::overwrite_existing);
  EXPECT_EQ(get(cache(), kKey, "mine"), "mine");
  EXPECT_EQ(built_, 3);
}

TEST_F(KernelCacheTest, FilesOfOtherUsersAreNotRead) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can change the owner of a file";
  get(cache(), kKey, "mine");
  ASSERT_EQ(::chown(files().at(0).c_str(), 12345, 12345), 0);
  EXPECT_EQ(get(cache(), kKey, "built"), "built");
  EXPECT_EQ(get(cache(), kKey, "?"), "built");
}

TEST_F(KernelCacheTest, APipeInPlaceOfAnEntryDoesNotBlock) {
  get(cache(), kKey, "mine");
  const std::string path = files().at(0);
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(get(cache(), kKey, "built"), "built");
  EXPECT_EQ(get(cache(), kKey, "?"), "built");
}

// --- Without a directory
// ------------------------------------------------------------------------------

TEST_F(KernelCacheTest, EverythingIsBuiltWithoutADirectory) {
  EXPECT_EQ(get(KernelCache({}), kKey, "a"), "a");
  EXPECT_EQ(get(KernelCache({}), kKey, "b"), "b");
  EXPECT_TRUE(KernelCache({}).contents().empty());
}

TEST_F(KernelCacheTest, EverythingIsBuiltIfTheDirectoryIsUnusable) {
  ASSERT_TRUE(write_file_atomically(directory_.file("file"), "").ok());
  for (const std::string& path : {directory_.file("file"), directory_.file("file/below"),
                                  std::string("/proc/stencilc"), std::string("/sys/kernel")}) {
    CacheSettings settings;
    settings.directory = path;
    EXPECT_EQ(get(KernelCache(settings), kKey, "a"), "a");
    EXPECT_EQ(get(KernelCache(settings), kKey, "b"), "b") << path;
  }
}

TEST_F(KernelCacheTest, DirectoryIsPrivateToTheUser) {
  get(cache(), kKey, "a");
  struct stat status {};
  ASSERT_EQ(::stat(directory_.file("cache").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

// Sets the umask of the process and restores it at the end.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }

 private:
  mode_t before_;
};

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

TEST_F(KernelCacheTest, DirectoriesAreNotWritableByOthersUnderAnyUmask) {
  for (const mode_t mask : {0, 002, 0777}) {
    const Umask with(mask);
    CacheSettings settings;
    settings.directory = directory_.file(std::to_string(mask)) + "/above/cache/";
    if (mask == 0777 && ::geteuid() != 0) continue;  // could not search the directory
    EXPECT_EQ(get(KernelCache(settings), kKey, "a"), "a");
    if (mask == 0777) continue;
    EXPECT_EQ(mode_of(settings.directory), 0700u);
    EXPECT_EQ(mode_of(settings.directory + ".."), 0700u);
    for (const auto& file : fs::directory_iterator(settings.directory)) {
      EXPECT_EQ(mode_of(file.path().string()), 0600u);
    }
  }
}

// Tests the result for a cached key after the path gets this mode.
TEST_F(KernelCacheTest, EntriesWritableByOthersAreNotUsed) {
  get(cache(), kKey, "trusted");
  const std::string entry = files().at(0), above = directory_.file("");
  const auto with_mode = [&](const std::string& path, mode_t mode) {
    const mode_t before = mode_of(path);
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    const auto kept = cache().find(kKey);
    const std::string why = why_unusable(directory_.file("cache"));
    EXPECT_EQ(::chmod(path.c_str(), before), 0);
    return kept.value_or("refused: " + why);
  };
  EXPECT_EQ(with_mode(entry, 0644), "trusted");
  EXPECT_EQ(with_mode(entry, 0620), "refused: ");
  EXPECT_EQ(with_mode(entry, 0602), "refused: ");
  const std::string cached = directory_.file("cache");
  EXPECT_EQ(with_mode(cached, 0755), "trusted");
  EXPECT_EQ(with_mode(cached, 0770), "refused: it may be written by others (chmod go-w)");
  EXPECT_EQ(with_mode(cached, 01777), "refused: it may be written by others (chmod go-w)");
  EXPECT_EQ(with_mode(above, 01777), "trusted") << "sticky: others cannot replace our files";
  EXPECT_TRUE(with_mode(above, 0777).ends_with("' may be written by others (chmod go-w)"));
}

TEST_F(KernelCacheTest, EntriesWritableByOthersAreReplaced) {
  get(cache(), kKey, "theirs");
  ASSERT_EQ(::chmod(files().at(0).c_str(), 0666), 0);
  EXPECT_EQ(get(cache(), kKey, "built"), "built");
  EXPECT_EQ(mode_of(files().at(0)), 0600u);
  EXPECT_EQ(get(cache(), kKey, "?"), "built");
  ASSERT_TRUE(cache_failure());
  EXPECT_EQ(cache_failure()->code, "R079");
}

TEST_F(KernelCacheTest, DirectoriesOfOtherUsersAreNotUsed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can change the owner of a directory";
  get(cache(), kKey, "mine");
  const std::string path = directory_.file("cache");
  ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
  EXPECT_EQ(get(cache(), kKey, "built"), "built");
  EXPECT_EQ(why_unusable(path), "it belongs to another user");
  ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
  ASSERT_EQ(::chown(directory_.file("").c_str(), 12345, 12345), 0);
  EXPECT_EQ(get(cache(), kKey, "built"), "built");
  ASSERT_EQ(::chown(directory_.file("").c_str(), 0, 0), 0);
  EXPECT_EQ(get(cache(), kKey, "?"), "mine");
}

// The target of a link is checked, and the link is followed.
TEST_F(KernelCacheTest, LinksToOwnDirectoriesAreFollowed) {
  get(cache(), kKey, "mine");
  fs::create_directory_symlink(directory_.file("cache"), directory_.file("link"));
  CacheSettings settings;
  settings.directory = directory_.file("link");
  EXPECT_EQ(get(KernelCache(settings), kKey, "?"), "mine");
  fs::permissions(directory_.file("cache"), fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(get(KernelCache(settings), kKey, "built"), "built");
}

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    const char* before = ::getenv(name);
    had_ = before != nullptr;
    before_ = before ? before : "";
    value ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { had_ ? ::setenv(name_, before_.c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  bool had_;
  std::string before_;
};

TEST(CacheSettingsTest, ComeFromTheEnvironment) {
  const Variable home("HOME", "/home/a"), none("XDG_CACHE_HOME", nullptr);
  const Variable unset("STENCIL_CACHE", nullptr), size("STENCIL_CACHE_SIZE", nullptr);
  EXPECT_EQ(cache_settings().directory, "/home/a/.cache/stencilc");
  EXPECT_EQ(cache_settings().limit_bytes, int64_t{1} << 30);
  EXPECT_EQ(cache_settings().note, "");
  {
    const Variable base("XDG_CACHE_HOME", "/var/a");
    EXPECT_EQ(cache_settings().directory, "/var/a/stencilc");
    const Variable chosen("STENCIL_CACHE", "/tmp/b");
    EXPECT_EQ(cache_settings().directory, "/tmp/b");
  }
  {
    const Variable relative("XDG_CACHE_HOME", "a");
    EXPECT_EQ(cache_settings().directory, "/home/a/.cache/stencilc");
  }
  {
    for (const char* word : {"off", "OFF", "Off"}) {
      const Variable off("STENCIL_CACHE", word);
      EXPECT_EQ(cache_settings().directory, "");
      EXPECT_EQ(cache_settings().note, "switched off by STENCIL_CACHE");
    }
  }
  {
    const Variable homeless("HOME", nullptr);
    EXPECT_EQ(cache_settings().directory, "");
    EXPECT_EQ(cache_settings().note, "there is no home directory; set STENCIL_CACHE");
  }
  const Variable small("STENCIL_CACHE_SIZE", "100M");
  EXPECT_EQ(cache_settings().limit_bytes, 100 << 20);
  const Variable wrong("STENCIL_CACHE_SIZE", "lots");
  EXPECT_EQ(cache_settings().limit_bytes, int64_t{1} << 30);
}

TEST(CacheSettingsTest, ParsesSizes) {
  EXPECT_EQ(parse_size("0"), 0);
  EXPECT_EQ(parse_size("123"), 123);
  EXPECT_EQ(parse_size("2K"), 2048);
  EXPECT_EQ(parse_size("8T"), int64_t{8} << 40);
  for (const char* wrong : {"", "-1", "1k", "1GB", "G", "1.5G", "9999999T", " 1", "1 "}) {
    EXPECT_EQ(parse_size(wrong), -1) << wrong;
  }
}

// --- Size limit
// ----------------------------------------------------------------------------------------

CacheKey numbered_key(int number) {
  return {"cuda", {std::to_string(1000 + number)}};
}

// Entries of 10000 bytes plus headers, last used at different times.
class Bounded : public KernelCacheTest {
 protected:
  void SetUp() override {
    for (int k = 0; k < 8; ++k) {
      get(cache(), numbered_key(k), std::string(10000, 'a'));
      for (const std::string& path : files()) {
        if (paths_.size() == static_cast<size_t>(k) &&
            std::find(paths_.begin(), paths_.end(), path) == paths_.end()) {
          paths_.push_back(path);
        }
      }
      set_age(k, 100 - k);
    }
  }
  void set_age(int entry, int hours) {
    fs::last_write_time(paths_.at(entry),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  }
  std::vector<int> left() const {
    std::vector<int> out;
    for (int k = 0; k < 8; ++k) {
      if (fs::exists(paths_[k])) out.push_back(k);
    }
    return out;
  }
  std::vector<std::string> paths_;
};

TEST_F(Bounded, EvictsTheLeastRecentlyUsedFirst) {
  get(cache(), numbered_key(0), "?");  // the oldest, used now
  EXPECT_EQ(built_, 8);
  ASSERT_TRUE(cache().trim(45000).ok());
  EXPECT_EQ(left(), (std::vector<int>{0, 5, 6, 7}));
  ASSERT_TRUE(cache().trim(0).ok());
  EXPECT_TRUE(files().empty());
}

TEST_F(Bounded, KeepsTheLimitAfterEveryBuild) {
  for (int k = 8; k < 20; ++k) {
    get(cache(45000), numbered_key(k), std::string(10000, 'b'));
    EXPECT_LE(cache().contents().at("cuda").bytes, 45000);
    EXPECT_EQ(get(cache(45000), numbered_key(k), "?"), std::string(10000, 'b'));
  }
  EXPECT_EQ(cache().contents().at("cuda").entries, 4);
  EXPECT_TRUE(left().empty());
}

TEST_F(Bounded, EntriesLargerThanTheLimitAreNotKept) {
  EXPECT_EQ(get(cache(100000), numbered_key(9), std::string(200000, 'c')).size(), 200000u);
  EXPECT_EQ(left().size(), 8u);
}

TEST_F(Bounded, OpenEntriesStayReadable) {
  const int file = ::open(paths_[3].c_str(), O_RDONLY);
  ASSERT_TRUE(cache().trim(0).ok());
  std::string bytes(20000, '\0');
  EXPECT_GT(::read(file, bytes.data(), bytes.size()), 10000);
  ::close(file);
}

TEST_F(Bounded, KeepsUnrelatedFiles) {
  const std::string note = directory_.file("cache/note.kernel");
  ASSERT_TRUE(write_file_atomically(note, "mine").ok());
  ASSERT_TRUE(cache().trim(0).ok());
  EXPECT_EQ(files(), std::vector<std::string>{note});
  EXPECT_TRUE(cache().contents().empty());
}

TEST_F(Bounded, RemovesOldFilesOfKilledProcesses) {
  const std::string temporary = paths_[0] + ".tmp-1-0",
                    lock = paths_[0].substr(0, paths_[0].size() - 7) + ".lock";
  ASSERT_TRUE(write_file_atomically(temporary, "half").ok());
  ASSERT_TRUE(write_file_atomically(lock, "").ok());
  const int held = ::open(lock.c_str(), O_RDWR);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  ASSERT_TRUE(cache().trim(1 << 30).ok());
  EXPECT_TRUE(fs::exists(temporary)) << "it may still be being written";
  EXPECT_TRUE(fs::exists(lock)) << "another process holds the lock";
  fs::last_write_time(temporary, fs::file_time_type::clock::now() - std::chrono::hours(1));
  ::close(held);
  ASSERT_TRUE(cache().trim(1 << 30).ok());
  EXPECT_FALSE(fs::exists(temporary));
  EXPECT_FALSE(fs::exists(lock));
  EXPECT_EQ(left().size(), 8u);
}

// --- Processes
// ----------------------------------------------------------------------------------------

// Runs `body` in a child process; its result is the exit status.
template <class Body>
pid_t spawn(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  return child;
}

int status_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

TEST_F(KernelCacheTest, ManyProcessesBuildAColdEntryOnce) {
  const std::string bytes(300000, 'k'), log = directory_.file("log");
  std::vector<pid_t> children;
  for (int p = 0; p < 32; ++p) {
    children.push_back(spawn([&] {
      const auto found = cache().get(kKey, [&]() -> Result<std::string> {
        const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        const bool logged = ::write(file, "b", 1) == 1;
        ::close(file);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return logged ? bytes : "";
      });
      return found.ok() && found.value() == bytes ? 0 : 1;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  EXPECT_EQ(read_file(log).value(), "b") << "one letter per build";
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(KernelCacheTest, ManyThreadsBuildAColdEntryOnce) {
  std::atomic<int> builds = 0, wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&] {
      const auto found = cache().get(kKey, [&]() -> Result<std::string> {
        ++builds;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return std::string("bytes");
      });
      if (!found.ok() || found.value() != "bytes") ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(builds, 1);
  EXPECT_EQ(wrong, 0);
}

// A process that builds the entry until it is killed; returns once it has begun.
pid_t spawn_hanging_builder(const KernelCache& cache, const CacheKey& key) {
  int ends[2];
  if (::pipe(ends) != 0) return -1;
  const pid_t builder = spawn([&] {
    (void)cache.get(key, [&]() -> Result<std::string> {
      while (::write(ends[1], "b", 1) == 1) ::pause();
      return std::string();
    });
    return 0;
  });
  char begun;
  EXPECT_EQ(::read(ends[0], &begun, 1), 1);
  for (const int end : ends) ::close(end);
  return builder;
}

TEST_F(KernelCacheTest, KilledBuildersDoNotBlockOthers) {
  const pid_t builder = spawn_hanging_builder(cache(), kKey);
  const auto begin = std::chrono::steady_clock::now();
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::kill(builder, SIGKILL);
  });
  EXPECT_EQ(get(cache(), kKey, "mine"), "mine");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  killer.join();
  EXPECT_EQ(status_of(builder), 256 + SIGKILL);
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(KernelCacheTest, WaitsForHangingBuildersForALimitedTime) {
  const pid_t builder = spawn_hanging_builder(cache(), kKey);
  EXPECT_EQ(get(cache(int64_t{1} << 30, 0.1), kKey, "mine"), "mine");
  EXPECT_EQ(get(cache(), kKey, "?"), "mine");
  ::kill(builder, SIGKILL);
  (void)status_of(builder);
}

// Writers are killed at random times. Afterwards every entry is
// complete or is rebuilt, and correct.
TEST_F(KernelCacheTest, KilledWritersLeaveNoBrokenEntry) {
  const auto bytes_of = [](int key) {
    return std::string(400000 + static_cast<size_t>(key), static_cast<char>('a' + key));
  };
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    const pid_t writer = spawn([&] {
      for (int turn = 0;; ++turn) {
        const int key = turn % 5;
        // The writer accepts no existing entry, so it writes all the time.
        (void)cache().get(
            numbered_key(key), [&]() -> Result<std::string> { return bytes_of(key); },
            [](const std::string&) { return false; });
      }
      return 0;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    ::kill(writer, SIGKILL);
    EXPECT_EQ(status_of(writer), 256 + SIGKILL);
    // Files under the name of an entry are complete at any time.
    for (int key = 0; key < 5; ++key) {
      const auto found = cache().get(numbered_key(key), [] { return Failure{"", "absent", ""}; });
      ASSERT_TRUE(!found.ok() || found.value() == bytes_of(key)) << round << " " << key;
    }
    size_t entries = 0;
    for (const std::string& file : files()) entries += file.ends_with(".kernel");
    built_ = 0;
    for (int key = 0; key < 5; ++key) {
      ASSERT_TRUE(get(cache(), numbered_key(key), bytes_of(key)) == bytes_of(key));
    }
    ASSERT_EQ(static_cast<size_t>(built_), 5 - entries) << "an existing entry was not used";
    for (const std::string& file : files()) {
      if (random() % 3 == 0) fs::remove(file);
    }
  }
}

}  // namespace
}  // namespace stencil::runtime
