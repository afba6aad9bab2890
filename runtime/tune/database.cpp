// The file is not trusted. It may contain only the table that this stencilc creates, so no view,
// trigger or computed column is ever executed. Statements have a time limit and texts a length
// limit. Rows that are not valid entries are skipped. A schedule line is parsed like user input.
#include "runtime/tune/database.h"

#include <cstdlib>

#include "compiler/support/try.h"
#include "runtime/devices/kernel_cache.h"

#ifdef STENCIL_HAS_SQLITE

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <thread>

#endif

namespace stencil::tune {

bool has_database() {
#ifdef STENCIL_HAS_SQLITE
  return true;
#else
  return false;
#endif
}

bool is_tuning_off() {
  const char* chosen = std::getenv("STENCIL_TUNED");
  return chosen != nullptr && runtime::is_cache_off(chosen);
}

DatabaseSettings database_settings() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  const std::string chosen = variable("STENCIL_TUNED");
  const std::string base = variable("XDG_DATA_HOME"), home = variable("HOME");
  if (!has_database()) return {"", "this stencilc was built without SQLite (libsqlite3-dev)"};
  if (is_tuning_off()) return {"", "switched off by STENCIL_TUNED"};
  if (!chosen.empty()) return {chosen, ""};
  if (base.starts_with('/'))
    return {base + "/stencilc/tuned.db", ""};  // relative paths are ignored, as XDG requires
  if (home.starts_with('/')) return {home + "/.local/share/stencilc/tuned.db", ""};
  return {"", "there is no home directory; set STENCIL_TUNED"};
}

#ifndef STENCIL_HAS_SQLITE

namespace {
Failure absent() {
  return {"R090", "there is no tuning database: " + database_settings().note, ""};
}
}  // namespace

Result<std::optional<Entry>> Database::best(const Key&, const Sizes&) const {
  return absent();
}
Result<std::vector<Entry>> Database::near(const Key&) const {
  return absent();
}
Result<std::vector<Entry>> Database::all() const {
  return absent();
}
Status Database::record(const std::vector<Entry>&) const {
  return absent();
}
Result<int64_t> Database::merge(const std::vector<Entry>&) const {
  return absent();
}
Result<int64_t> Database::clear() const {
  return absent();
}

#else

namespace {

namespace fs = std::filesystem;

constexpr auto kPatience = std::chrono::milliseconds(1000);  // total waiting time for locks
constexpr auto kLongestStatement = std::chrono::seconds(5);
constexpr int kInstructionsBetweenLooks = 10000;  // of SQLite's virtual machine; well below 1 ms
constexpr int kLongestText = 1 << 16;             // bytes
constexpr int kMostNear = 10000;                  // entries per key
constexpr int64_t kApplication = 0x73746e63;      // "stnc", as shown by `file`

// Migration k turns schema version k into k + 1; an empty file has version 0.
constexpr const char* kMigrations[] = {
    "CREATE TABLE measured ("
    "device TEXT, machine TEXT, program TEXT, real TEXT, fp TEXT, version TEXT, sizes TEXT,"
    "schedule TEXT, name TEXT, seconds REAL, spread REAL, runs INTEGER, at INTEGER,"
    "PRIMARY KEY (device, machine, program, real, fp, version, sizes, schedule)) WITHOUT ROWID"};
constexpr int64_t kSchema = std::size(kMigrations);

constexpr const char* kColumns =
    "device, machine, program, real, fp, version, sizes, schedule, name, seconds, spread, runs, at";

// Thrown to end an operation, which returns the failure.
struct Broken {
  Failure failure;
};

// One operation's access to the file.
class Connection {
 public:
  enum class Use { Read, Write };

  // Begins a transaction in a file whose schema this stencilc knows.
  Connection(const std::string& path, Use use) : path_(path) {
    if (use == Use::Write) make_directory();
    check_kind();
    // The next process that opens the file rolls back the transaction of a killed writer, so
    // readers also open it for writing if permitted.
    const int create = use == Use::Write ? SQLITE_OPEN_CREATE : 0;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | create;
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
    database_.reset(opened);
    if (code != SQLITE_OK) fail();
    limit();
    sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    run("PRAGMA synchronous = NORMAL");  // a crash may lose the newest data only
    run(use == Use::Write ? "BEGIN IMMEDIATE" : "BEGIN");
    provide_schema(use);
  }

  bool is_empty() const { return empty_; }  // no schema yet; only with Use::Read
  void commit() { run("COMMIT"); }

  int64_t number(const std::string& sql) {
    int64_t value = 0;
    run(sql, {}, [&](sqlite3_stmt* row) { value = sqlite3_column_int64(row, 0); });
    return value;
  }

  // Runs one statement with parameters bound by `bind`, and calls `each` for every row.
  void run(const std::string& sql, const std::function<void(sqlite3_stmt*)>& bind = {},
           const std::function<void(sqlite3_stmt*)>& each = {}) {
    statement_begun_ = Clock::now();
    sqlite3_stmt* prepared = nullptr;
    check(sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &prepared, nullptr));
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(prepared,
                                                                               sqlite3_finalize);
    if (bind) bind(prepared);
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(prepared)) == SQLITE_ROW) {
      if (each) each(prepared);
    }
    if (code != SQLITE_DONE) fail();
  }
  int64_t changes() const { return sqlite3_changes64(database_.get()); }

  [[noreturn]] void fail(const std::string& why, const std::string& hint) const {
    throw Broken{{"R090", fmt::format("the tuning database '{}' {}", path_, why), hint}};
  }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };

  [[noreturn]] void fail() const {
    const int code = database_ ? sqlite3_errcode(database_.get()) : SQLITE_NOMEM;
    std::string why = database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code);
    const int system = database_ ? sqlite3_system_errno(database_.get()) : 0;
    if (system != 0) why += fmt::format(" ({})", std::strerror(system));
    const bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
    fail("cannot be used: " + why, damaged ? "remove the file, or set STENCIL_TUNED to another"
                                           : "set STENCIL_TUNED to another file, or to off");
  }
  void check(int code) const {
    if (code != SQLITE_OK) fail();
  }

  using Clock = std::chrono::steady_clock;

  void limit() {
    sqlite3* const database = database_.get();
    sqlite3_busy_handler(database, wait_for_lock, this);
    sqlite3_progress_handler(database, kInstructionsBetweenLooks, is_too_long, this);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kLongestText);
    sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, kLongestText);
    sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(database, SQLITE_LIMIT_TRIGGER_DEPTH, 0);
  }
  // Not sqlite3_busy_timeout, which starts anew for every statement.
  static int wait_for_lock(void* self, int) {
    const auto waited = Clock::now() - static_cast<Connection*>(self)->opened_;
    if (waited >= kPatience) return 0;
    // Locks have no queue. Who has waited longer asks more often, so that no process always loses.
    const auto turns = waited / std::chrono::milliseconds(50);
    std::this_thread::sleep_for(std::chrono::microseconds(5000 / (1 + turns)));
    return 1;
  }
  static int is_too_long(void* self) {
    return Clock::now() - static_cast<Connection*>(self)->statement_begun_ > kLongestStatement;
  }

  void make_directory() {
    std::error_code ignored;
    const fs::path directory = fs::path(path_).parent_path();
    if (directory.empty() || fs::is_directory(directory, ignored)) return;
    fs::create_directories(directory.parent_path(), ignored);
    ::mkdir(directory.c_str(), 0700);  // opening the file reports failures
  }

  // Opening a pipe would block until it has a reader.
  void check_kind() const {
    struct stat status {};
    if (::stat(path_.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return;
    fail("is not a regular file", "set STENCIL_TUNED to another file, or to off");
  }

  void provide_schema(Use use) {
    const int64_t application = number("PRAGMA application_id");
    const int64_t version = number("PRAGMA user_version");
    empty_ = application == 0 && version == 0 && number("SELECT count(*) FROM sqlite_schema") == 0;
    if (!empty_ && application != kApplication) {
      fail("is a database of another program", "set STENCIL_TUNED to another file, or to off");
    }
    if (version < 0 || version > kSchema) {
      fail(fmt::format("has schema version {}, but this stencilc knows {}", version, kSchema),
           "use the stencilc that wrote it, or set STENCIL_TUNED to another file");
    }
    if (version > 0) check_schema(static_cast<size_t>(version));
    if (use == Use::Read) {
      // The next writer updates the schema.
      empty_ = version < kSchema;
      return;
    }
    for (const char* step : std::span(kMigrations).subspan(static_cast<size_t>(version))) run(step);
    if (version == kSchema) return;
    run(fmt::format("PRAGMA application_id = {}", kApplication));
    run(fmt::format("PRAGMA user_version = {}", kSchema));
  }

  // The file's tables must be exactly those that the migrations up to this version create.
  void check_schema(size_t version) {
    std::vector<std::string> found;
    run("SELECT sql FROM sqlite_schema LIMIT 2", {}, [&](sqlite3_stmt* row) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, 0));
      found.emplace_back(text ? text : "");
    });
    const auto steps = std::span(kMigrations).first(version);
    if (std::equal(found.begin(), found.end(), steps.begin(), steps.end())) return;
    fail("has tables that stencilc does not create",
         "remove the file, or set STENCIL_TUNED to another");
  }

  std::string path_;
  const Clock::time_point opened_ = Clock::now();
  Clock::time_point statement_begun_ = opened_;
  std::unique_ptr<sqlite3, Close> database_;
  bool empty_ = false;
};

void bind_text(sqlite3_stmt* statement, int position, const std::string& text) {
  sqlite3_bind_text(statement, position, text.data(), static_cast<int>(text.size()),
                    SQLITE_TRANSIENT);
}

// Binds ?1 to ?5.
void bind_key(sqlite3_stmt* statement, const Key& key) {
  const std::string* parts[] = {&key.device, &key.machine, &key.program, &key.real, &key.fp};
  for (int p = 0; p < 5; ++p) bind_text(statement, p + 1, *parts[p]);
}

// Binds all columns in the order of kColumns.
void bind_entry(sqlite3_stmt* statement, const Entry& entry) {
  bind_key(statement, entry.key);
  bind_text(statement, 6, entry.version);
  bind_text(statement, 7, print(entry.sizes));
  bind_text(statement, 8, entry.schedule);
  bind_text(statement, 9, entry.name);
  sqlite3_bind_double(statement, 10, entry.seconds);
  sqlite3_bind_double(statement, 11, entry.spread);
  sqlite3_bind_int64(statement, 12, entry.runs);
  sqlite3_bind_int64(statement, 13, entry.when);
}

// The entry in the columns of a row; nullopt if the row is not a valid entry.
std::optional<Entry> entry_in(sqlite3_stmt* row) {
  const auto text = [&](int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
    return std::string(bytes ? bytes : "");
  };
  Entry entry{{text(0), text(1), text(2), text(3), text(4)},
              text(8),
              parse_sizes(text(6)).value_or(Sizes{}),
              text(7),
              sqlite3_column_double(row, 9),
              sqlite3_column_double(row, 10),
              sqlite3_column_int64(row, 11),
              sqlite3_column_int64(row, 12),
              text(5)};
  if (!flaw_of(entry).empty()) return std::nullopt;
  return entry;
}

// The result of `operation`, or the failure that ended it.
template <class T>
Result<T> guarded(const std::function<T()>& operation) {
  try {
    return operation();
  } catch (const Broken& broken) {
    return broken.failure;
  }
}

// A missing file has no entries, and reading does not create it.
bool is_absent(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 && errno == ENOENT;
}

Result<std::vector<Entry>> select(const std::string& path, const std::string& rest,
                                  const std::function<void(sqlite3_stmt*)>& bind) {
  return guarded<std::vector<Entry>>([&] {
    std::vector<Entry> out;
    if (is_absent(path)) return out;
    Connection connection(path, Connection::Use::Read);
    if (connection.is_empty()) return out;
    connection.run(fmt::format("SELECT {} FROM measured {}", kColumns, rest), bind,
                   [&](sqlite3_stmt* row) {
                     if (auto entry = entry_in(row)) out.push_back(*std::move(entry));
                   });
    return out;
  });
}

Result<int64_t> insert(const std::string& path, const std::vector<Entry>& entries,
                       const char* on_conflict) {
  return guarded<int64_t>([&] {
    if (entries.empty()) return int64_t{0};
    Connection connection(path, Connection::Use::Write);
    int64_t taken = 0;
    for (const Entry& entry : entries) {
      connection.run(fmt::format("INSERT INTO measured ({}) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,"
                                 "?11,?12,?13) ON CONFLICT DO UPDATE SET name=?9, seconds=?10, "
                                 "spread=?11, runs=?12, at=?13 {}",
                                 kColumns, on_conflict),
                     [&](sqlite3_stmt* statement) { bind_entry(statement, entry); });
      taken += connection.changes();
    }
    connection.commit();
    return taken;
  });
}

constexpr const char* kOfKey =
    "WHERE device=?1 AND machine=?2 AND program=?3 AND real=?4 AND fp=?5 AND version=?6";

}  // namespace

Result<std::optional<Entry>> Database::best(const Key& key, const Sizes& sizes) const {
  auto found = TRY(select(path_, fmt::format("{} AND sizes=?7 ORDER BY seconds LIMIT 1", kOfKey),
                          [&](sqlite3_stmt* statement) {
                            bind_key(statement, key);
                            bind_text(statement, 6, code_version());
                            bind_text(statement, 7, print(sizes));
                          }));
  if (found.empty()) return std::optional<Entry>();
  return std::optional<Entry>(std::move(found).front());
}

Result<std::vector<Entry>> Database::near(const Key& key) const {
  return select(path_, fmt::format("{} ORDER BY sizes, seconds LIMIT {}", kOfKey, kMostNear),
                [&](sqlite3_stmt* statement) {
                  bind_key(statement, key);
                  bind_text(statement, 6, code_version());
                });
}

Result<std::vector<Entry>> Database::all() const {
  return select(path_, "ORDER BY device, machine, name, program, real, fp, version, sizes, seconds",
                {});
}

Status Database::record(const std::vector<Entry>& entries) const {
  TRY(insert(path_, entries, ""));
  return Done{};
}

Result<int64_t> Database::merge(const std::vector<Entry>& entries) const {
  return insert(path_, entries, "WHERE ?12 > runs OR (?12 = runs AND ?13 > at)");
}

Result<int64_t> Database::clear() const {
  return guarded<int64_t>([&] {
    if (is_absent(path_)) return int64_t{0};
    Connection connection(path_, Connection::Use::Write);
    connection.run("DELETE FROM measured");
    const int64_t removed = connection.changes();
    connection.commit();
    return removed;
  });
}

#endif

}  // namespace stencil::tune
