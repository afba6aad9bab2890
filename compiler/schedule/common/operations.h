// Counts the operations of stencil functions per point, from their expression graphs.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "compiler/analysis/time_tile.h"
#include "compiler/ir/program.h"
#include "compiler/schedule/model/work.h"

namespace stencil::schedule {

// Sharing between points of one thread. InPlane: subexpressions that are translates of each other
// within a plane are computed once.
enum class Sharing { None, InPlane };

// Arithmetic operations of the results at one point, without accesses.
Operations arithmetic(const ir::Graph& graph, const std::vector<ir::NodeId>& results, FpMode fp,
                      Sharing sharing);

// arithmetic() for the pieces of a program, cached (TimeTiles::kept).
class PieceArithmetic {
 public:
  explicit PieceArithmetic(const ir::Program& program) : program_(program) {}
  const Operations& of(const ir::Graph& graph, const std::vector<ir::NodeId>& results,
                       Sharing sharing);

 private:
  const ir::Program& program_;
  std::map<std::pair<const ir::Graph*, Sharing>, Operations> known_;
};

// Operations of a function at one point, including accesses, if points share no work. Fields for
// which `held` is true are read from shared memory, others from global memory.
Operations at_point(const analysis::TimeTiles& tiles, const ir::Function& function,
                    const std::function<bool(ir::FieldId)>& held);

// Bytes that a function reads per point, summed over all planes of the outermost dimension that it
// accesses.
double bytes_of_planes(const ir::Program& program, const ir::Function& function);

// Index of the region with the most points; the first one on ties. Open extents count as 10^6.
size_t main_piece(const std::vector<ir::Box>& regions);

// Points of the grid. Open extents get a typical value for the rank.
double usual_points(const ir::Program& program);
// Extent of one dimension of the grid, outermost first. An open extent gets a typical value.
int64_t usual_extent(const ir::Program& program, int dimension);
// As above, for the points that time tiles write: the grid without its rim (ir::Program::rim).
int64_t written_extent(const ir::Program& program, int dimension);
double written_points(const ir::Program& program);

// 32-bit words that a value takes in registers.
int words(Scalar type);

// Expected memory traffic of a contiguous run of `bytes` with random start, in 32-byte sectors.
double sectors(double bytes);

// Size in bytes of all fields with all their levels.
double footprint(const ir::Program& program);

}  // namespace stencil::schedule
