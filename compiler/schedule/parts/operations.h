// What stencil functions cost a thread at one point, by counting their graphs.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "compiler/analysis/time_tile.h"
#include "compiler/ir/program.h"
#include "compiler/schedule/model/work.h"

namespace stencil::schedule {

// Where neighbouring points belong to one thread, trees that are translates of each other within a
// plane are computed once.
enum class Sharing { None, InPlane };

// Arithmetic of the results at one point, without the accesses.
Operations arithmetic(const ir::Graph& graph, const std::vector<ir::NodeId>& results, FpMode fp,
                      Sharing sharing);

// The same for the pieces of a program's functions, each counted once (TimeTiles::kept).
class PieceArithmetic {
 public:
  explicit PieceArithmetic(const ir::Program& program) : program_(program) {}
  const Operations& of(const ir::Graph& graph, const std::vector<ir::NodeId>& results,
                       Sharing sharing);

 private:
  const ir::Program& program_;
  std::map<std::pair<const ir::Graph*, Sharing>, Operations> known_;
};

// A function at one point where it is computed point by point, accesses included: operands come
// from memory that the block shares where the tile holds their field, else from global memory.
Operations at_point(const analysis::TimeTiles& tiles, const ir::Function& function,
                    const std::function<bool(ir::FieldId)>& held);

// Bytes that a function reads for a point in all planes of the outermost dimension that it looks
// at.
double bytes_of_planes(const ir::Program& program, const ir::Function& function);

// Of a function's pieces the one that applies at most points; pieces of equal or unknown size: the
// first of them.
size_t main_piece(const std::vector<ir::Box>& regions);

// Points of the grid, those of open extents as usual for its rank.
double usual_points(const ir::Program& program);
// In one dimension, outermost first.
int64_t usual_extent(const ir::Program& program, int dimension);
// The same of the points that time tiles write: without the rim (ir::Program::rim).
int64_t written_extent(const ir::Program& program, int dimension);
double written_points(const ir::Program& program);

// Words of 32 bits that a value takes in registers.
int words(Scalar type);

// Bytes that memory moves for a run of so many, which begins anywhere: whole sectors of 32.
double sectors(double bytes);

// Bytes of all fields at all levels in memory.
double footprint(const ir::Program& program);

}  // namespace stencil::schedule
