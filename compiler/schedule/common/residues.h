// Coordinates modulo small numbers that are known at compile time. Conditions on such coordinates
// are decided at compile time for each point of an unrolled body. Code that they disable is not
// generated.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "compiler/ir/congruence.h"
#include "compiler/kernel/kernel.h"

namespace stencil::schedule {

// Residues of the point at which a graph is evaluated. Each coordinate equals `remainder`, a
// nonnegative expression of constants and unrolled loop counters, modulo `modulus`.
struct Residues {
  std::vector<ir::Congruence> congruences;  // in the graph
  std::vector<int64_t> modulus;             // by dimension; 1: unknown
  std::vector<kernel::Expr> remainder;
};

// The value of the node of `congruence`, simplified as far as the residues determine it. `value`:
// the unsimplified value.
kernel::Expr decided(const ir::Congruence& congruence, const Residues& residues,
                     const kernel::Expr& value);

// The specialized graphs of a piece for each class of points modulo `periods`. All classes have the
// same number of points.
class ResidueClasses {
 public:
  struct Class {
    ir::Residual rest;
    std::vector<const ir::Access*> accesses;  // of `rest`
  };
  // `periods`: by dimension.
  ResidueClasses(const ir::Piece& piece, const std::vector<ir::Congruence>& congruences,
                 std::vector<int64_t> periods);

  const std::vector<Class>& all() const { return classes_; }
  const Class& at(const std::vector<int64_t>& remainder) const;

 private:
  std::vector<int64_t> periods_;
  std::vector<Class> classes_;  // by remainder, last dimension fastest
};

// Congruences and residue classes of a program's pieces, cached (TimeTiles::kept).
class PieceCongruences {
 public:
  explicit PieceCongruences(const ir::Program&) {}
  const std::vector<ir::Congruence>& of(const ir::Piece& piece);
  // The classes of a piece, for coordinates that are known modulo these numbers.
  const ResidueClasses& classes(const ir::Piece& piece, const std::vector<int64_t>& modulus);

 private:
  std::map<const ir::Piece*, std::vector<ir::Congruence>> known_;
  std::map<std::pair<const ir::Piece*, std::vector<int64_t>>, ResidueClasses> classes_;
};

}  // namespace stencil::schedule
