// What threads compute, read and write at a point of a stage: the middle layer of a `planes`
// kernel.
#pragma once

#include <vector>

#include "compiler/schedule/planes/tile.h"

namespace stencil::schedule {

class PlanesValues : public PlanesTile {
 public:
  using PlanesTile::PlanesTile;

 protected:
  Body compute(const PlanesStage& stage, const ir::Piece& piece, bool inside);
  Body carry(const PlanesStage& stage);
  // To the ring, or to memory if there is none; in a body for all steps, wherever the last one and
  // the others keep it.
  Body store(const PlanesStage& stage, const std::vector<Expr>& values, const Point& point);
  int memory_slot(const PlanesVersion& made) const;
  // A version of a component at the point itself.
  Expr cell(const PlanesStage& stage, int id, int component, const Point& point);
  // What an access reads, its field's boundary rules included unless no point needs them.
  Expr read(const PlanesStage& stage, const ir::Access& access, const Point& point, bool inside,
            Landings& landings);
  // In a body for all steps: there is a first one, which finds the field in memory instead.
  bool from_step_before(const PlanesStage& stage, const PlanesVersion& v) const;
  // Images are read like points. Where a constant counts, what is read is dropped, but it has to be
  // in the ring, which it is for the point itself.
  Expr place_read(const PlanesVersion& v, const ir::Access& access, size_t d, const Point& point,
                  const Landing& landing) const;
  // A rule may lead to another point.
  bool moved(const PlanesVersion& v, const ir::Access& access, size_t d) const;
  Expr slot_read(const PlanesStage& stage, int id, const ir::Access& access, const Point& point,
                 const Landing& landing) const;
};

}  // namespace stencil::schedule
