// The tuning database: times measured for schedules, kept between runs in one file of the user.
//
// Any number of processes and threads may use it. Each operation opens the file, executes one
// transaction and closes it; it waits up to a second for a lock. The file is an SQLite database
// with a rollback journal instead of a write-ahead log, which works on network file systems and in
// read-only directories; writes are rare.
//
// Error: R090 if the database cannot be read or written: it is damaged, not a tuning database, of a
// later version, or stencilc was built without SQLite. The message names the file. Callers that
// only look up a line turn the error into a warning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/tune/entry.h"
#include "stencil/result.h"

namespace stencil::tune {

struct DatabaseSettings {
  std::string path;  // empty: no database
  std::string note;  // why there is no database
};

// $STENCIL_TUNED (a file, or "off"), else $XDG_DATA_HOME/stencilc/tuned.db, else
// ~/.local/share/stencilc/tuned.db. No database if stencilc was built without SQLite.
DatabaseSettings database_settings();

// Whether STENCIL_TUNED is "off": no database, and runs do not autotune (timed_choice.h).
bool is_tuning_off();

// False if stencilc was built without SQLite.
bool has_database();

class Database {
 public:
  // Does not open the file. A missing file has no entries; record() and merge() create it and its
  // directory.
  explicit Database(std::string path) : path_(std::move(path)) {}

  // The fastest line measured at these sizes by this version of the code.
  Result<std::optional<Entry>> best(const Key& key, const Sizes& sizes) const;
  // All entries of the key by this version of the code, at all sizes; input of interpolate().
  Result<std::vector<Entry>> near(const Key& key) const;
  // All entries of all versions, ordered by key, sizes and seconds.
  Result<std::vector<Entry>> all() const;

  // Stores all entries or none. An entry replaces the one with the same line, key, sizes and
  // version.
  Status record(const std::vector<Entry>& entries) const;
  // Like record(), but if two entries have the same line, the one with more runs is kept; on a tie,
  // the newer one. Returns how many of `entries` were taken.
  Result<int64_t> merge(const std::vector<Entry>& entries) const;
  // Removes all entries and returns their number.
  Result<int64_t> clear() const;

 private:
  std::string path_;
};

// Entries as JSON, one per line, and back: the format of `stencilc tuned --export`. R091 for
// malformed JSON or an invalid entry; the message gives the place.
std::string to_json(const std::vector<Entry>& entries);
Result<std::vector<Entry>> from_json(const std::string& text);

}  // namespace stencil::tune
