// What a schedule family is to the rest of the compiler: a row in one table.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
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
  Rows
};

struct Family {
  std::string name;
  std::string summary;
  std::vector<Setting> settings;  // those it has, in printing order
  // Settings that suit `program` before anything is searched.
  Schedule (*defaults)(const ir::Program& program, const Machine& machine);
  // Why `choose` should prefer a later family although this one can serve the program; "" if it
  // should not. Null: never.
  std::string (*unrewarding)(const ir::Program& program, const Machine& machine);
  // Errors L01x name the feature, the reason and its place; without errors the program can be
  // lowered. Null: any program can.
  void (*refuse)(const ir::Program& program, const Schedule& schedule, const Machine& machine,
                 Diagnostics& diagnostics);
  kernel::Module (*lower)(const ir::Program& program, const Schedule& schedule);
  Footprint (*measure)(const ir::Program& program, const Schedule& schedule);
};

// Defaults of `overlapped` for a processor (overlapped_processor.cpp).
Schedule overlapped_on_processor(const ir::Program& program, const Machine& machine, int deepest);

Family direct_family();
Family overlapped_family();
Family streaming_family();
Family planes_family();

constexpr int kMaxTimeTile = 64;  // T

// The settings of a family that are words, each with each of its words: "loads=bulk".
std::vector<std::string> word_settings(const Family& family);

// Every family, most capable of time tiling first; the last serves every program.
const std::vector<Family>& family_table();

// Bytes of one point of a field, all components.
int64_t bytes_per_point(const ir::Field& field);

}  // namespace stencil::schedule
