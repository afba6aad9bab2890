// A time tile, written out: what every stencil function does at each of T steps, which state of
// which field it reads and makes, and which box of each state is needed for the tile's output
// (Holewinski, Pouchet and Sadayappan, ICS'12, section 4.2, Algorithm 2, extended to time levels
// and to states of their own for every function).
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

// A state of a field, all components: as it is in memory when the tile begins, or made by a stage.
struct Version {
  ir::FieldId field = 0;
  int level = 0;      // in memory: the time level that it is
  int stage = -1;     // that makes it; -1: it is in memory
  size_t target = 0;  // made: which of the stage's results it is
  int output = -1;    // >= 0: the tile leaves it in memory, as this level of the field
  // Records sample it at the end of a step, but for the last one, when it is in memory.
  bool sampled = false;
  // How far beyond the tile's output box it is needed; nothing if it is not.
  std::optional<Margin> needed;

  bool in_memory() const { return stage < 0; }
};

// What a stage does with one of its function's targets.
struct StageResult {
  int made = 0;           // version that it makes
  int old = 0;            // version that this has its values from where no piece applies
  bool advances = false;  // the stage is the first of its step to write the field: levels move on
};

// One function at one step of the tile.
struct Stage {
  int step = 0;                      // of the tile, from 0
  size_t function = 0;               // into Program::functions
  std::vector<StageResult> results;  // by target
  bool carries = true;               // there may be points where no piece applies
  Margin computed;                   // beyond the output box; empty if nobody needs a result
  std::map<std::pair<ir::FieldId, int>, int> source;  // (field, level) read -> version
};

struct TimeTile {
  int steps = 0;                          // T
  std::vector<std::vector<Reads>> reads;  // by function
  std::vector<Version> versions;          // those in memory first
  std::vector<Stage> stages;              // in the order in which they run: functions within steps
  Margin hull;                            // of what stages compute: (x_max, l_max) of equation (1)
};

// Forwards through the functions of T steps, which says what each reads, then backwards from the
// output box, which says how much of it. Every level of a written field that T steps make is
// output; of all steps, not of the last alone, if the tile may end after any of them.
enum class Ends { Last, Any };
TimeTile unroll(const ir::Program& program, int steps, Ends ends = Ends::Last);

// The time tiles of a program, which is to outlive them; each is made when first asked for. Not for
// several threads at once.
class TimeTiles {
 public:
  explicit TimeTiles(const ir::Program& program) : program_(program) {}
  const ir::Program& program() const { return program_; }
  const TimeTile& of(int steps) const;

  // What else is made of the program once and asked often: a T, made of it when first asked for.
  template <class T>
  T& kept() const {
    std::shared_ptr<void>& entry = kept_[typeid(T)];
    if (!entry) entry = std::make_shared<T>(program_);
    return *static_cast<T*>(entry.get());
  }

 private:
  const ir::Program& program_;
  mutable std::map<int, TimeTile> tiles_;  // by steps
  mutable std::map<std::type_index, std::shared_ptr<void>> kept_;
};

// What is needed of any version of a field; nothing if nothing is.
std::optional<Margin> needed_of(const TimeTile& tile, ir::FieldId field);

// How many levels of a field a tile of `steps` steps makes and leaves in memory.
int levels_made(const ir::Field& field, int steps);
// How many, the newest first, its stages take from memory: of a written field at least one, whose
// values pass on where no piece applies; 0 if nothing reads or writes the field.
int levels_loaded(const TimeTile& tile, ir::FieldId field);
// How many are at hand at once in the tile: those that some function reads, and those that it
// leaves.
int levels_kept(const ir::Program& program, const TimeTile& tile, ir::FieldId field);

// Points computed per useful point for a tile with these output lengths (per dimension).
// `hull`: every stage computes the hull (the paper's choice) instead of its own box.
double redundancy(const TimeTile& tile, const std::vector<int64_t>& output_lengths, bool hull);

}  // namespace stencil::analysis
