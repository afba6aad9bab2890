// What a kernel knows of coordinates when it is compiled: conditions on them modulo a small number
// are then decided for each point of an unrolled body, and what they leave out is not computed.
#pragma once

#include <map>
#include <tuple>
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

// The congruences of a program's pieces and what these leave, each found once (TimeTiles::kept).
class PieceCongruences {
 public:
  explicit PieceCongruences(const ir::Program&) {}
  const std::vector<ir::Congruence>& of(const ir::Piece& piece);

  // The piece at points with this residue.
  const ir::Residual& at(const ir::Piece& piece, ir::Residue residue);
  // The piece at all points that differ to it where coordinates are known modulo these numbers:
  // each stands for as many points.
  std::vector<const ir::Residual*> all(const ir::Piece& piece, const std::vector<int64_t>& modulus);

 private:
  using Moduli = std::vector<int64_t>;
  // As far as the congruences that are decided make a difference.
  Moduli periods(const ir::Piece& piece, const Moduli& modulus);

  std::map<const ir::Piece*, std::vector<ir::Congruence>> known_;
  std::map<std::tuple<const ir::Piece*, Moduli, Moduli>, ir::Residual> residuals_;
};

}  // namespace stencil::schedule
