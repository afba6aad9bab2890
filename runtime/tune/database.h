// The tuning database: what schedules were measured to take, kept from run to run in one file of
// the user's.
//
// Any number of processes and threads may use it. Each operation opens the file, does one
// transaction and closes it; who finds it locked waits up to a second. The file is an SQLite
// database with a rollback journal rather than a write-ahead log: that works where files are shared
// over a network and can be read where nothing can be written, and writes are few.
//
// Errors: R090, a database that cannot be read or written: it is damaged, no tuning database, of a
// later version, or this stencilc was built without SQLite. The message names the file. Callers who
// only want to know a line make it a warning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/tune/entry.h"
#include "stencil/result.h"

namespace stencil::tune {

struct DatabaseSettings {
  std::string path;  // of the file; empty: there is no database
  std::string note;  // why there is none
};

// $STENCIL_TUNED (a file, or "off"), else $XDG_DATA_HOME/stencilc/tuned.db, else
// ~/.local/share/stencilc/tuned.db. None where stencilc was built without SQLite.
DatabaseSettings database_settings();

// STENCIL_TUNED is "off": no database, and nothing is timed by runs (timed_choice.h).
bool is_tuning_off();

// False where the library that keeps it was absent when stencilc was built.
bool has_database();

class Database {
 public:
  // Opens nothing. A file that does not exist holds nothing; record() and merge() make it, and its
  // directory.
  explicit Database(std::string path) : path_(std::move(path)) {}

  // The quickest line measured at these sizes by this version of the code.
  Result<std::optional<Entry>> best(const Key& key, const Sizes& sizes) const;
  // All that this version of the code has measured of the key, at all sizes: for interpolate().
  Result<std::vector<Entry>> near(const Key& key) const;
  // Everything, of all versions, ordered by key, sizes and seconds.
  Result<std::vector<Entry>> all() const;

  // Keeps all of them or none. An entry replaces the one of the same line (and key, sizes and
  // version).
  Status record(const std::vector<Entry>& entries) const;
  // The same, but of two entries of one line the better supported one stays: with more runs, of as
  // many the later one. Returns how many of `entries` were taken.
  Result<int64_t> merge(const std::vector<Entry>& entries) const;
  // Removes all entries; returns how many there were.
  Result<int64_t> clear() const;

 private:
  std::string path_;
};

// Entries as JSON, one in a line, and back: what `stencilc tuned --export` writes. R091 for text
// that is no such JSON, or for an entry that has a flaw: the message says where.
std::string to_json(const std::vector<Entry>& entries);
Result<std::vector<Entry>> from_json(const std::string& text);

}  // namespace stencil::tune
