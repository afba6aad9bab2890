// The probability of each construct, in percent unless stated as weights. To add a construct, put
// its probability here and its draw in the file of its subject (fields.cpp, regions.cpp,
// stencils.cpp, ...), and call covers("its name") to give it a row in the coverage table. A new
// operation only needs a row in forms.cpp. Boundaries are drawn in boundaries.cpp.
#pragma once

#include <string>
#include <vector>

namespace stencil::property {

struct Choices {
  std::vector<int> ranks = {20, 40, 40, 9, 2, 2, 2, 2};  // weights of ranks 1 to 8

  // Weights of element types; numbers in the order of enum Number (types.h).
  std::vector<int> numbers = {50, 7, 7, 7, 6, 8, 8, 3, 4, 3, 4, 6};
  int vector = 10, structure = 9;
  int named_type = 50;  // of structures

  // Fields.
  int coefficient_field = 40;
  int profile_with_levels = 30;  // profiles that are also series
  int history = 22;              // 2 to 4 levels
  int sub_grid = 25;
  int second_sub_grid = 30;
  int inner_with_boundary = 6;  // of fields with a boundary: live on a subgrid
  int inner_without = 30;       // of fields without a boundary: live on a subgrid

  // Stencil functions.
  int pieces = 25;             // functions with several pieces
  int boundary_function = 20;  // functions of a single edge, mostly reading inwards
  int same_target = 30;        // a function writes the target of the previous one
  int several_targets = 25;    // if there are several fields on one domain
  int member_target = 60;      // of structures
  int sub_region = 15;         // per dimension: omits some points
  int half_region = 4;         // per dimension: begins or ends in the middle
  int maybe_empty = 3;         // per dimension: possibly empty at the drawn sizes
  int named_region = 12;
  int every = 8;              // functions that write only in some steps
  int stride = 8;             // per dimension of a region
  int sub_grid_stride = 30;   // of named regions
  int where = 15;             // of pieces and reductions
  int where_congruence = 40;  // of conditions: colours of points
  int otherwise = 15;         // functions with `else`
  int far_offset = 12;        // 4 points instead of 1 or 2
  int varying_offset = 5;     // `within` in accesses
  int huge_offset = 2;        // up to 2^20, in a dimension covered by a boundary

  // The grid.
  int first_point = 25;  // not 0
  int origin = 40, spacing = 40;

  // A program in four has grids that are derived from each other, one in twelve blocks of
  // statements.
  bool several_grids = true;

  // Spelling of a program (names.cpp).
  int hostile_names = 40;
  int line_ends = 20;  // other than LF

  // Whole programs.
  int functions = 40;
  int tables = 40;
  int reductions = 30, stop = 60;
  int records = 15;        // of programs with non-integer values
  int statistics = 15;     // reductions that the step may read
  int repeat = 15;         // some functions run several times per step
  int over = 30;           // of the reductions that could be over some dimensions
  int tiny = 12;           // grids of 1 to 5 points in every dimension
  int rows_of_eight = 50;  // row lengths that bulk copies accept
  int exact = 12;          // linear in integers: even `--fp fast` must equal the interpreter
  int plain = 60;          // of exact ones: no boundary, pieces or second writer, for form=scatter
};

}  // namespace stencil::property
