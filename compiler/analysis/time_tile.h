// A time tile, unrolled: what every stencil function does in each of T steps, which states of
// fields it reads and computes, and which box of each state the tile's output needs (Holewinski,
// Pouchet and Sadayappan, ICS'12, section 4.2, Algorithm 2, extended to time levels and to separate
// states for every function).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <typeindex>
#include <utility>
#include <vector>

#include "compiler/analysis/reads.h"
#include "compiler/ir/program.h"

namespace stencil::analysis {

// A state of a field, with all components: in memory when the tile begins, or computed by a stage.
struct Version {
  ir::FieldId field = 0;
  int level = 0;      // time level, if in memory
  int stage = -1;     // the stage that computes it; -1: it is in memory
  size_t target = 0;  // index into the stage's results, if a stage computes it
  int output = -1;    // >= 0: the tile writes it to memory as this level of the field
  // Records sample it at the end of a step. Not set for the last step, whose values are in memory.
  bool sampled = false;
  // How far it is needed beyond the tile's output box; nullopt if it is not needed.
  std::optional<Margin> needed;

  bool in_memory() const { return stage < 0; }
};

// What a stage does with one target of its function.
struct StageResult {
  int made = 0;           // the computed version, into TimeTile::versions
  int old = 0;            // the version whose values remain where no piece applies
  bool advances = false;  // the step's first write of the field: level k becomes level k + 1
};

// One function at one step of the tile.
struct Stage {
  int step = 0;                      // of the tile, from 0
  size_t function = 0;               // into Program::functions
  std::vector<StageResult> results;  // by target
  bool carries = true;               // some points may be covered by no piece
  Margin computed;                   // beyond the output box; empty if no result is needed
  std::map<std::pair<ir::FieldId, int>, int> source;  // (field, level) read -> version
};

struct TimeTile {
  int steps = 0;                          // T
  std::vector<std::vector<Reads>> reads;  // by function
  std::vector<Version> versions;          // those in memory come first
  std::vector<Stage> stages;              // in execution order: functions within steps
  Margin hull;                            // of all `computed`: (x_max, l_max) of equation (1)
};

// Walks forwards through the functions of T steps to find what each reads, then backwards from the
// output box to find how much of it is needed. Every level that T steps compute of a written field
// is output. With Ends::Any the tile may end after any step, so the levels of all steps are output.
enum class Ends { Last, Any };
TimeTile unroll(const ir::Program& program, int steps, Ends ends = Ends::Last);

// The time tiles of a program, which must outlive this object. Each is computed on first use. Not
// thread-safe.
class TimeTiles {
 public:
  explicit TimeTiles(const ir::Program& program) : program_(program) {}
  const ir::Program& program() const { return program_; }
  const TimeTile& of(int steps) const;

  // Caches other data computed from the program: a T, constructed from it on first use.
  template <class T>
  T& kept() const {
    std::shared_ptr<void>& entry = kept_[typeid(T)];
    if (!entry) entry = std::make_shared<T>(program_);
    return *static_cast<T*>(entry.get());
  }

 private:
  const ir::Program& program_;
  mutable std::map<int, TimeTile> tiles_;  // keyed by number of steps
  mutable std::map<std::type_index, std::shared_ptr<void>> kept_;
};

// The hull of Version::needed over all versions of a field; nullopt if no version is needed.
std::optional<Margin> needed_of(const TimeTile& tile, ir::FieldId field);

// Number of levels that a tile of `steps` steps computes of a written field and stores to memory.
int levels_made(const ir::Field& field, int steps);
// Number of levels, from the newest, that the tile's stages read from memory. At least one for a
// written field, whose values remain where no piece applies; 0 if the field is neither read nor
// written.
int levels_loaded(const TimeTile& tile, ir::FieldId field);
// Number of levels that the tile holds at once: those that some function reads and those that the
// tile stores.
int levels_kept(const ir::Program& program, const TimeTile& tile, ir::FieldId field);

// Points computed per useful point for a tile with these output lengths (per dimension).
// `hull`: every stage computes the hull (the paper's choice) instead of its own box.
double redundancy(const TimeTile& tile, const std::vector<int64_t>& output_lengths, bool hull);

}  // namespace stencil::analysis
