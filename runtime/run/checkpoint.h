// Checkpoints: the complete state of a run in a file, from which another run goes on with the same
// bits, on any device and under any schedule. docs/running.md describes the format.
//
// Errors: R060 a file that is no intact checkpoint, R061 one of another version of the format, R062
// one of another program (or --real, --fp), R063 one with other sizes or values of params; R010 and
// R011 as for all files.
#pragma once

#include <string>

#include "compiler/ir/program.h"
#include "compiler/reference/state.h"
#include "runtime/io/field_files.h"
#include "runtime/run/run.h"

namespace stencil::runtime {

// Writes every level of every field, params, reductions, the step and whether the run has stopped.
// A file of that name stays whole until the new one is complete, and is then replaced.
Status write_checkpoint(const std::string& path, const ir::Program& program, FieldSource& fields);

// The two halves of read_checkpoint(): what is in a checkpoint of the program, with its arrays and
// their checksums, and where it leaves the rest of a state. Nothing is read but the header. Of
// `state` the params and the shapes of fields count.
struct ChangedParam {
  std::string name, saved, now;  // values as text
};
struct SavedState {
  FieldFile fields;
  std::vector<reference::ReductionValue> reductions;
  int64_t step = 0;
  bool stopped = false;
  std::vector<ChangedParam> changed = {};
};
// `given`: by ParamId, those that this run was given a value for. Floats among them may differ from
// the checkpoint's, and with them the floats that follow from them, unless they are part of the
// code.
Result<SavedState> find_checkpoint(const std::string& path, const ir::Program& program,
                                   const reference::State& state,
                                   const std::vector<bool>& given = {});
void go_on_from(const SavedState& saved, reference::State& state);
// Compares the checksums of all arrays with the file, or with the shares of those who have read it
// (FieldRows::checksums). R060; R010.
Status check_arrays(const ir::Program& program, const FieldFile& file);
Status check_arrays(const ir::Program& program, const FieldFile& file,
                    const std::vector<uint32_t>& shares);

// Puts a state that prepare_state() has made where the checkpoint's was. Nothing but the number of
// steps may differ from the program that wrote it, and its params must have the same values. On
// failure the state is unchanged.
Status read_checkpoint(const std::string& path, const ir::Program& program,
                       reference::State& state);

// Writes the checkpoint every `every` steps (0: not by steps), where at least `seconds` have gone
// by since the last one (0: not by time), and when the run ends, be it because another event has
// failed. `program` must outlive the event.
Event checkpoint_event(const std::string& path, const ir::Program& program, int64_t every,
                       double seconds);

}  // namespace stencil::runtime
