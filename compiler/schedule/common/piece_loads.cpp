#include "compiler/schedule/common/piece_loads.h"

#include <set>
#include <vector>

#include "compiler/ir/rewrite.h"
#include "compiler/schedule/common/operations.h"

namespace stencil::schedule {

namespace {

LoadCounts count_loads(const ir::Program& program, const ir::Piece& piece, int elements,
                       int apart) {
  using Place = std::tuple<ir::FieldId, int, int, std::vector<int>>;
  std::set<Place> places;
  LoadCounts out;
  for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
    if (access->per_step) continue;
    for (int e = 0; e < elements; ++e) {
      const ir::Field& field = program.fields[access->field];
      std::vector<int> at = ir::offsets_of(access->maps);
      for (size_t d = 0; d < at.size(); ++d) at[d] += field.dimension(d) == 0 ? e * apart : 0;
      const auto place =
          places.insert({access->field, access->level, access->component, std::move(at)});
      if (!place.second) continue;
      out.words += words(piece.graph[id].type);
      out.accesses += 1;
    }
  }
  return out;
}

}  // namespace

const LoadCounts& PieceLoads::of(const ir::Piece& piece, int elements, int apart) {
  const auto [entry, fresh] = known_.try_emplace({&piece, elements, apart});
  if (fresh) entry->second = count_loads(program_, piece, elements, apart);
  return entry->second;
}

}  // namespace stencil::schedule
