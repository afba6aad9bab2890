// What a kernel knows of coordinates when it is compiled: conditions on them modulo a small number
// are then decided for each point of an unrolled body, and what they leave out is not computed.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "compiler/ir/congruence.h"
#include "compiler/kernel/kernel.h"

namespace stencil::schedule {

// Of the point at which a graph is evaluated. A coordinate is equal to `remainder`, which is not
// negative and made of numbers and counters of unrolled loops, modulo `modulus`.
struct Residues {
  std::vector<ir::Congruence> congruences;  // of the graph
  std::vector<int64_t> modulus;             // by dimension; 1: nothing is known
  std::vector<kernel::Expr> remainder;
};

// `value`, which is what the node comes to without this, as far as the residues leave it open.
kernel::Expr decided(const ir::Congruence& congruence, const Residues& residues,
                     const kernel::Expr& value);

// A piece at points that differ to its congruences, where coordinates are known modulo some
// numbers: each class of points is as large as any other.
class ResidueClasses {
 public:
  struct Class {
    ir::Residual rest;
    std::vector<const ir::Access*> accesses;  // of it
  };
  // `periods`: by dimension.
  ResidueClasses(const ir::Piece& piece, const std::vector<ir::Congruence>& congruences,
                 std::vector<int64_t> periods);

  const std::vector<Class>& all() const { return classes_; }
  const Class& at(const std::vector<int64_t>& remainder) const;

 private:
  std::vector<int64_t> periods_;
  std::vector<Class> classes_;  // remainders count up, the last dimension's first
};

// The congruences of a program's pieces and what these leave, each found once (TimeTiles::kept).
class PieceCongruences {
 public:
  explicit PieceCongruences(const ir::Program&) {}
  const std::vector<ir::Congruence>& of(const ir::Piece& piece);
  // Where coordinates are known modulo these numbers.
  const ResidueClasses& classes(const ir::Piece& piece, const std::vector<int64_t>& modulus);

 private:
  std::map<const ir::Piece*, std::vector<ir::Congruence>> known_;
  std::map<std::pair<const ir::Piece*, std::vector<int64_t>>, ResidueClasses> classes_;
};

}  // namespace stencil::schedule
