// Where the versions of a `planes` kernel are kept: rings of planes that the threads of a block
// share.
#pragma once

#include <vector>

#include "compiler/schedule/planes/context.h"

namespace stencil::schedule {

class PlanesRings {
 public:
  // Declares the rings.
  PlanesRings(const PlanesContext& context, const KernelOfSteps& kernel);

  bool any() const;  // some version has one
  // Planes of a version's ring.
  int64_t planes(int id) const { return rings_[id].planes; }
  // The slot of the plane that the ring got so many iterations ago.
  Expr slot(int id, int64_t age) const;
  // What a slot holds at a place, per tiled dimension; at the thread's own unless one is given.
  Expr load(int id, int component, const Expr& slot, const std::vector<Expr>& at = {}) const;
  // To the newest plane, at the thread's own place.
  kernel::Statement store(int id, int component, const Expr& value) const;

 private:
  struct Ring {
    int64_t planes = 0;
    std::vector<BufferId> components;
    std::vector<Expr> version;  // its index in the buffers, where they hold several
  };
  void declare(std::vector<int> versions, const std::vector<Expr>& lengths);
  std::vector<int> with_last(std::vector<int> versions) const;
  std::vector<Expr> index(int id, const Expr& slot, const std::vector<Expr>& at) const;

  const PlanesContext& context_;
  std::vector<Ring> rings_;  // per version
};

}  // namespace stencil::schedule
