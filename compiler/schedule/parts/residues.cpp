// Compilers unroll the loops whose counters stand here, so that what is a condition in the kernel
// is a constant to them. Numbers are left as large as they come: then those of the steps of a tile
// differ as their planes do, and the steps remain a loop (kernel/sequence.h).
#include "compiler/schedule/parts/residues.h"

#include <numeric>

#include "compiler/schedule/parts/statements.h"

namespace stencil::schedule {

using kernel::Expr;

Expr decided(const ir::Congruence& congruence, const Residues& residues, const Expr& value) {
  Expr sum;
  for (size_t d = 0; d < residues.modulus.size(); ++d) {
    const int64_t times = congruence.coefficients[d];
    if (times == 0) continue;
    if (residues.modulus[d] % congruence.period(static_cast<int>(d)) != 0) return value;
    const Expr term =
        times == 1 ? residues.remainder[d] : kernel::mul(residues.remainder[d], literal(times));
    sum = sum ? kernel::add(sum, term) : term;
  }
  if (!sum) return value;
  const Expr rest = modulo(plus(sum, congruence.constant), literal(congruence.modulus));
  using Kind = ir::Congruence::Kind;
  if (congruence.kind == Kind::Remainder) return kernel::convert(rest, value->type);
  const Expr equal = is_equal(rest, literal(congruence.to));
  if (congruence.kind == Kind::Equal) return congruence.partly ? both(equal, value) : equal;
  const Expr different = kernel::operation(Op::Not, {equal});
  return congruence.partly ? either(different, value) : different;
}

const std::vector<ir::Congruence>& PieceCongruences::of(const ir::Piece& piece) {
  const auto [entry, fresh] = known_.try_emplace(&piece);
  if (fresh) entry->second = ir::congruences(piece.graph, piece.region);
  return entry->second;
}

PieceCongruences::Moduli PieceCongruences::periods(const ir::Piece& piece, const Moduli& modulus) {
  Moduli out(modulus.size(), 1);
  for (const ir::Congruence& congruence : of(piece)) {
    bool decided = true;
    for (size_t d = 0; d < modulus.size(); ++d) {
      decided = decided && modulus[d] % congruence.period(static_cast<int>(d)) == 0;
    }
    for (size_t d = 0; decided && d < modulus.size(); ++d) {
      out[d] = std::lcm(out[d], congruence.period(static_cast<int>(d)));
    }
  }
  return out;
}

const ir::Residual& PieceCongruences::at(const ir::Piece& piece, ir::Residue residue) {
  residue.modulus = periods(piece, residue.modulus);
  for (size_t d = 0; d < residue.modulus.size(); ++d) residue.remainder[d] %= residue.modulus[d];
  const auto [entry, fresh] = residuals_.try_emplace({&piece, residue.modulus, residue.remainder});
  if (fresh) entry->second = ir::at_residue(piece.graph, piece.results, of(piece), residue);
  return entry->second;
}

std::vector<const ir::Residual*> PieceCongruences::all(const ir::Piece& piece,
                                                       const Moduli& modulus) {
  ir::Residue residue{periods(piece, modulus), Moduli(modulus.size(), 0)};
  std::vector<const ir::Residual*> out;
  for (size_t d = 0; d < modulus.size();) {
    out.push_back(&at(piece, residue));
    for (d = 0; d < modulus.size(); ++d) {  // the next, as digits count up
      if (++residue.remainder[d] < residue.modulus[d]) break;
      residue.remainder[d] = 0;
    }
  }
  return out;
}

}  // namespace stencil::schedule
