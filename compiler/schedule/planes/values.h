// What threads of a `planes` kernel compute, read and write at a point of a stage.
#pragma once

#include "compiler/schedule/planes/rings.h"
#include "compiler/schedule/planes/tile.h"

namespace stencil::schedule {

class PlanesValues {
 public:
  PlanesValues(const PlanesContext& context, const PlanesTile& tile, const PlanesRings& rings)
      : context_(context), tile_(tile), rings_(rings) {}

  // Evaluates a piece and stores its results. In the dimensions from `inside` on, no access meets a
  // rule, and the place is the point.
  Body compute(const PlanesStage& stage, const ir::Piece& piece, int inside) const;
  // Keeps what the stage's results replace.
  Body carry(const PlanesStage& stage) const;
  // From the rings of the stage's results to memory.
  Body write(const PlanesStage& stage) const;
  // What the stage has just made of a version that has a ring, at the point.
  Expr newest(int id, int component) const {
    return rings_.load(id, component, rings_.slot(id, 0));
  }

 private:
  struct Stores {  // in all steps of a body for several, or in the last one or the others only
    Body always, in_last, in_others;
  };
  int memory_slot(const PlanesVersion& made) const;
  Body store(const PlanesStage& stage, const std::vector<Expr>& values, const Point& point) const;
  void store(const PlanesStage& stage, size_t target, int component, const Expr& value,
             const std::string& name, const Point& point, Stores& to) const;
  Expr cell(const PlanesStage& stage, int old, int component) const;
  Expr read(const PlanesStage& stage, const ir::Access& access, const Point& point,
            Landings& landings, Body* body) const;
  // What a stage takes of a version that has a ring, once it is known how it is found in memory.
  template <class InMemory>
  Expr unless_first(const PlanesStage& stage, const PlanesVersion& v, const Expr& kept,
                    const InMemory& in_memory) const;
  Expr place_read(const PlanesVersion& v, const ir::Access& access, int d, const Point& point,
                  const Landing& landing) const;
  Expr slot_read(const PlanesStage& stage, int id, const ir::Access& access, const Point& point,
                 const Landing& landing) const;

  const PlanesContext& context_;
  const PlanesTile& tile_;
  const PlanesRings& rings_;
};

}  // namespace stencil::schedule
