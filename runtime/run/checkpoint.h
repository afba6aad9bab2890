// Checkpoints: the complete state of a run in a file, from which a run continues with identical
// results, on any device and under any schedule. docs/reference/files.md describes the format.
//
// Errors: R060 not an intact checkpoint, R061 another version of the format, R062 another program
// (or --real, --fp), R063 other sizes or values of params; R010 and R011 as for all files.
#pragma once

#include <string>

#include "compiler/ir/program.h"
#include "compiler/reference/state.h"
#include "runtime/io/field_files.h"
#include "runtime/run/run.h"

namespace stencil::runtime {

// Writes all levels of all fields, params, reductions, the step and whether the run has stopped. An
// existing file stays intact until the new one is complete.
Status write_checkpoint(const std::string& path, const ir::Program& program, FieldSource& fields);

// The two halves of read_checkpoint(). find_checkpoint() reads only the header and returns the
// checkpoint's contents with array positions and checksums; only params and field shapes of `state`
// are used. go_on_from() sets everything but the fields.
struct ChangedParam {
  std::string name, saved, now;  // as text
};
struct SavedState {
  FieldFile fields;
  std::vector<reference::ReductionValue> reductions;
  int64_t step = 0;
  bool stopped = false;
  std::vector<ChangedParam> changed = {};
};
// `given`: by ParamId, params that the user gave a value for this run. Float params among them, and
// floats derived from them, may differ from the checkpoint's values unless they are compiled in.
Result<SavedState> find_checkpoint(const std::string& path, const ir::Program& program,
                                   const reference::State& state,
                                   const std::vector<bool>& given = {});
void go_on_from(const SavedState& saved, reference::State& state);
// Compares the checksums in the header with those of the arrays in the file, or with those of the
// arrays as read (`shares`, from FieldRows::checksums). R060; R010.
Status check_arrays(const ir::Program& program, const FieldFile& file);
Status check_arrays(const ir::Program& program, const FieldFile& file,
                    const std::vector<uint32_t>& shares);

// Restores a state made by prepare_state(). The program must equal the one that wrote the
// checkpoint, except for the number of steps, and have the same values of params. On failure the
// state is unchanged.
Status read_checkpoint(const std::string& path, const ir::Program& program,
                       reference::State& state);

// Writes the checkpoint every `every` steps (0: disabled), when `seconds` have passed since the
// last one (0: disabled), and when the run ends, even if another event has failed. `program` must
// outlive the event.
Event checkpoint_event(const std::string& path, const ir::Program& program, int64_t every,
                       double seconds);

}  // namespace stencil::runtime
