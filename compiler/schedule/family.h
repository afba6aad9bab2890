// The interface of schedule families. A family is a row in a table. From a program's time tiles, a
// schedule and a machine, the family makes a plan. The plan reports its cost and lowers itself to
// kernels.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/analysis/time_tile.h"
#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/machine.h"
#include "compiler/schedule/model/work.h"
#include "compiler/schedule/presets.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/setting.h"
#include "compiler/schedule/shared_settings.h"

namespace stencil::schedule {

// How a block of a streaming family moves through planes.
struct Stream {
  int64_t planes = 0;         // planes that a block reads per chunk
  std::vector<int64_t> lags;  // planes behind the front, per stage of the time tile
};

// A schedule of one program for one machine, with all decisions of its family. A plan refers to the
// time tiles that it was made from.
class Plan {
 public:
  virtual ~Plan() = default;
  virtual Footprint cost() const = 0;
  // Input of the model; nullopt if the model does not cover this family on this machine.
  virtual std::optional<TileWork> work() const { return std::nullopt; }
  // Appends kernels and actions to a module of the program (Interface::empty_module) and fills
  // Plan::time_tile and tile_sizes. The module may already contain earlier phases of the step.
  virtual void lower(kernel::Module& module) const = 0;
  virtual std::optional<Stream> stream() const { return std::nullopt; }
  // If `choose` should prefer a later family although this one supports the program: the reason.
  // Otherwise "".
  virtual std::string unrewarding() const { return ""; }
};
using PlanPtr = std::shared_ptr<const Plan>;

// Default settings for a program before any search, with a phrase that explains them.
struct Proposal {
  Schedule schedule;
  std::string why;
};

// Tile shapes of a family for one rank: every block may be combined with every elements-per-thread
// shape. Both lists are sorted by size. Tests, `verify` and the explorer draw shapes from these
// lists.
struct Shapes {
  std::vector<Shape> blocks, elements = {Shape()};
};

struct Family {
  std::string name;
  std::string summary;
  std::vector<Setting> settings;  // in printing order
  Proposal (*propose)(const analysis::TimeTiles& tiles, const Machine& machine);
  // The plan; null on errors L01x, which name the feature, the reason and the place.
  PlanPtr (*plan)(const analysis::TimeTiles& tiles, const Schedule& schedule,
                  const Machine& machine, Diagnostics& diagnostics);

  Shapes (*shapes)(int rank);

  // Adapts the settings that a line leaves out to the `given` ones, by name; null if defaults
  // always suffice.
  void (*complete)(Schedule& schedule, const std::vector<std::string>& given, int rank) = nullptr;
  OwnSettings own = DirectSettings();  // at their defaults

  std::vector<Preset> presets = {};
  // The family serves only lines that name it, and the exhaustive search for GPUs: `auto`, quick
  // searches, advice and searches for CPUs skip it.
  bool on_request = false;

  // The row of that name, or null.
  const Setting* find(std::string_view setting) const;
  bool has(std::string_view setting) const { return find(setting) != nullptr; }
  // A schedule of the family whose settings have the values of an empty Schedule.
  Schedule blank() const;
};

// All families, those best at time tiling first. The last one supports every program.
const std::vector<Family>& family_table();
// The family of that name, or null.
const Family* find_family(const std::string& name);
// Registers a family in front of all others, or removes one. Not thread-safe.
void add_family(Family family);
void remove_family(const std::string& name);

}  // namespace stencil::schedule
