// Storage for the versions of a `planes` kernel: rings of planes, shared by the threads of a block.
#pragma once

#include <vector>

#include "compiler/schedule/planes/context.h"

namespace stencil::schedule {

class PlanesRings {
 public:
  // Declares the rings.
  PlanesRings(const PlanesContext& context, const KernelOfSteps& kernel);

  bool any() const;  // whether any version has a ring
  // Number of planes in a version's ring.
  int64_t planes(int id) const { return rings_[id].planes; }
  // The ring index of the plane stored `age` iterations ago.
  Expr ring_index(int id, int64_t age) const;
  // The value at a ring index. `at`: index per tiled dimension; default: the thread's own place.
  Expr load(int id, int component, const Expr& ring_index, const std::vector<Expr>& at = {}) const;
  // Stores to the newest plane at the thread's own place.
  kernel::Statement store(int id, int component, const Expr& value) const;

 private:
  struct Ring {
    int64_t planes = 0;
    std::vector<BufferId> components;
    std::vector<Expr> version;  // the version's index in buffers that hold several versions
  };
  void declare(std::vector<int> versions, const std::vector<Expr>& lengths);
  std::vector<int> with_last(std::vector<int> versions) const;
  std::vector<Expr> index(int id, const Expr& ring_index, const std::vector<Expr>& at) const;

  const PlanesContext& context_;
  std::vector<Ring> rings_;  // per version
};

}  // namespace stencil::schedule
