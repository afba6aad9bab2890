// What a schedule family is to the rest of the compiler: a row in one table. From a program's time
// tile, a schedule and a machine it makes a plan, which says what the schedule costs and becomes
// kernels.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/time_tile.h"
#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/machine.h"
#include "compiler/schedule/model/work.h"
#include "compiler/schedule/schedule.h"

namespace stencil::schedule {

enum class Setting {
  TimeTile,
  Block,
  Elements,
  Regions,
  Chunk,
  Prefetch,
  Unroll,
  Resident,
  Loads,
  Form,
  Edges,
  Rows,
  Column,
  Operands,
  Halo
};

// How planes pass a block, in families that stream.
struct Stream {
  int64_t planes = 0;         // that a block reads for one chunk
  std::vector<int64_t> lags;  // planes behind the front, per stage of the time tile
};

// A schedule of one program for one machine, with all that its family decides by: made once, then
// asked. It refers to the time tiles that it was made of.
class Plan {
 public:
  virtual ~Plan() = default;
  virtual Footprint cost() const = 0;
  // For the model; nothing from a family that counts no kernels of GPUs.
  virtual std::optional<TileWork> work() const { return std::nullopt; }
  // Appends its kernels and actions to a module of the program (Interface::empty_module), perhaps
  // behind those of other phases of the step, with what is in Plan::time_tile and tile_sizes.
  virtual void lower(kernel::Module& module) const = 0;
  virtual std::optional<Stream> stream() const { return std::nullopt; }
  // Why `choose` should prefer a later family although this one can serve the program; "" if it
  // should not.
  virtual std::string unrewarding() const { return ""; }
};
using PlanPtr = std::shared_ptr<const Plan>;

// Settings that suit a program before anything is searched, and how the family came to them, in a
// phrase.
struct Proposal {
  Schedule schedule;
  std::string why;
};

// Tiles that a family may have in a grid of some rank: any of the blocks with any of the elements
// per thread, both by size. Tests, `verify` and explorers draw from them.
struct Shapes {
  std::vector<Shape> blocks, elements = {Shape()};
};

struct Family {
  std::string name;
  std::string summary;
  std::vector<Setting> settings;  // those it has, in printing order
  Proposal (*propose)(const analysis::TimeTiles& tiles, const Machine& machine);
  // The plan, or null and errors L01x that name the feature, the reason and its place.
  PlanPtr (*plan)(const analysis::TimeTiles& tiles, const Schedule& schedule,
                  const Machine& machine, Diagnostics& diagnostics);

  Shapes (*shapes)(int rank);

  // Not printed while they are the first that they may be.
  std::vector<Setting> unsaid = {Setting::Rows};
  // Makes what a line leaves out agree with what it has; null: nothing depends on other settings.
  void (*complete)(Schedule& schedule, const std::vector<Setting>& given, int rank) = nullptr;

  bool has(Setting setting) const;
};

// Every family, most capable of time tiling first; the last serves every program.
const std::vector<Family>& family_table();
// The family of that name; null if there is none.
const Family* find_family(const std::string& name);
// Puts a family before all others, or takes it away: not while schedules are made elsewhere.
void add_family(Family family);
void remove_family(const std::string& name);

}  // namespace stencil::schedule
