// The reference interpreter: runs a program exactly as docs/reference/language.md defines it. Every
// schedule on every device is compared with it.
//
//   std::string error;
//   std::optional<State> state = allocate(program, integer_params, real_params, error);
//   initialise(program, *state);
//   advance(program, *state, 100);
//   double value = state->fields[0].real(0, 0, state->fields[0].position({i, j}));
#pragma once

#include <functional>

#include "compiler/reference/state.h"

namespace stencil::reference {

// Returns to step 0: runs the inits in order, gives all levels of a field the same values, and
// zeroes fields without an init.
void initialise(const ir::Program& program, State& state);
// Initialises one field only; inits read no fields.
void initialise(const ir::Program& program, ir::FieldId field, State& state);

// Called after every step with the number of steps completed; false interrupts the run.
using Progress = std::function<bool(int64_t step)>;

// Runs up to `steps` more steps and returns how many were run: fewer if the stop condition holds
// (state.stopped; further calls run none) or `progress` interrupts.
int64_t advance(const ir::Program& program, State& state, int64_t steps,
                const Progress& progress = {});

}  // namespace stencil::reference
