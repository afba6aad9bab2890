// Code that a thread of a `planes` kernel executes for a point of a stage.
#pragma once

#include "compiler/schedule/planes/rings.h"
#include "compiler/schedule/planes/tile.h"

namespace stencil::schedule {

class PlanesValues {
 public:
  PlanesValues(const PlanesContext& context, const PlanesTile& tile, const PlanesRings& rings)
      : context_(context), tile_(tile), rings_(rings) {}

  // Evaluates a piece and stores its results. In dimensions from `inside` on, no access meets a
  // boundary rule, and place and point are the same.
  Body compute(const PlanesStage& stage, const ir::Piece& piece, int inside) const;
  // Copies the old values that the stage's results replace.
  Body carry(const PlanesStage& stage) const;
  // Copies the stage's results from their rings to memory.
  Body write(const PlanesStage& stage) const;
  // The value just computed for a version that has a ring, at the current point.
  Expr newest(int id, int component) const {
    return rings_.load(id, component, rings_.ring_index(id, 0));
  }

 private:
  // One body may serve several steps: stores of all its steps, of the last step only, and of all
  // but the last.
  struct Stores {
    Body always, in_last, in_others;
  };
  int memory_slot(const PlanesVersion& made) const;
  Body store(const PlanesStage& stage, const std::vector<Expr>& values, const Point& point) const;
  void store(const PlanesStage& stage, size_t target, int component, const Expr& value,
             const std::string& name, const Point& point, Stores& to) const;
  Expr cell(const PlanesStage& stage, int old, int component) const;
  Expr read(const PlanesStage& stage, const ir::Access& access, const Point& point,
            AccessResolver& resolver, Body* body) const;
  // The value read from a ring, or from memory in the first step of the tile.
  template <class InMemory>
  Expr unless_first(const PlanesStage& stage, const PlanesVersion& v, const Expr& kept,
                    const InMemory& in_memory) const;
  Expr place_read(const PlanesVersion& v, const ir::Access& access, int d, const Point& point,
                  const ResolvedAccess& resolved) const;
  Expr ring_index_read(const PlanesStage& stage, int id, const ir::Access& access,
                       const Point& point, const ResolvedAccess& resolved) const;

  const PlanesContext& context_;
  const PlanesTile& tile_;
  const PlanesRings& rings_;
};

}  // namespace stencil::schedule
