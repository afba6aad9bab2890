// The target's compiler unrolls the loops whose counters appear in residues, so conditions on
// residues become constants. Constants within residues are not reduced by the modulus. The bodies
// for different steps of a tile then differ only in numbers that are affine in the step, and
// sequence.h can turn these bodies into a loop over steps.
#include "compiler/schedule/common/residues.h"

#include <numeric>

#include "compiler/ir/rewrite.h"
#include "compiler/schedule/common/statements.h"

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

ResidueClasses::ResidueClasses(const ir::Piece& piece,
                               const std::vector<ir::Congruence>& congruences,
                               std::vector<int64_t> periods)
    : periods_(std::move(periods)) {
  int64_t count = 1;
  for (const int64_t period : periods_) count *= period;
  ir::Residue residue{periods_, std::vector<int64_t>(periods_.size(), 0)};
  for (int64_t number = 0; number < count; ++number) {
    int64_t rest = number;
    for (size_t d = periods_.size(); d-- > 0; rest /= periods_[d]) {
      residue.remainder[d] = rest % periods_[d];
    }
    Class next{ir::at_residue(piece.graph, piece.results, congruences, residue), {}};
    classes_.push_back(std::move(next));
  }
  for (Class& each : classes_) {  // references stay valid: classes_ no longer grows
    for (const auto& [id, access] : ir::accesses(each.rest.graph, each.rest.results)) {
      each.accesses.push_back(access);
    }
  }
}

const ResidueClasses::Class& ResidueClasses::at(const std::vector<int64_t>& remainder) const {
  int64_t number = 0;
  for (size_t d = 0; d < periods_.size(); ++d) {
    number = number * periods_[d] + remainder[d] % periods_[d];
  }
  return classes_[number];
}

const std::vector<ir::Congruence>& PieceCongruences::of(const ir::Piece& piece) {
  const auto [entry, fresh] = known_.try_emplace(&piece);
  if (fresh) entry->second = ir::congruences(piece.graph, piece.region);
  return entry->second;
}

const ResidueClasses& PieceCongruences::classes(const ir::Piece& piece,
                                                const std::vector<int64_t>& modulus) {
  std::vector<int64_t> periods(modulus.size(), 1);  // of the congruences that can be decided
  for (const ir::Congruence& congruence : of(piece)) {
    bool known = true;
    for (size_t d = 0; d < modulus.size(); ++d) {
      known = known && modulus[d] % congruence.period(static_cast<int>(d)) == 0;
    }
    for (size_t d = 0; known && d < modulus.size(); ++d) {
      periods[d] = std::lcm(periods[d], congruence.period(static_cast<int>(d)));
    }
  }
  const auto found = classes_.find({&piece, periods});
  if (found != classes_.end()) return found->second;
  return classes_.try_emplace({&piece, periods}, piece, of(piece), periods).first->second;
}

}  // namespace stencil::schedule
