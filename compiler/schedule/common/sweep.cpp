// Sweeps: one stencil function at a time over global memory, with spare copies.
//
// A function may write in place, without a copy, if it reads the target only at the point that it
// writes. Otherwise the result goes to a spare copy, which must then hold every point of the field.
// If the function is the only writer of the field, points outside its region never change, so both
// copies hold these points from the start. Otherwise the sweep copies them.
#include "compiler/schedule/common/sweep.h"

#include <algorithm>

#include "compiler/analysis/reads.h"
#include "compiler/schedule/common/limits.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::Expr;

std::vector<Sweep> plan_sweeps(const ir::Program& program) {
  std::vector<int> writers(program.fields.size(), 0);
  for (const ir::Function& function : ir::whole_of(program).functions) {
    for (const ir::FieldId target : function.targets) ++writers[target];
  }

  std::vector<Sweep> sweeps;
  std::vector<bool> written = ir::advanced_before(program);
  for (const ir::Function& function : program.functions) {
    const auto reads = analysis::reads_of(program, function);
    Sweep sweep;
    sweep.function = &function;
    for (const ir::FieldId field : function.targets) {
      const size_t f = static_cast<size_t>(field);
      const bool reads_neighbours =
          std::any_of(reads.begin(), reads.end(), [&](const analysis::Reads& read) {
            return read.field == field && read.level == 0 && (read.at_offset || read.outside_halo);
          });
      SweptTarget target;
      target.field = field;
      target.advances = !written[f];
      target.in_place = !reads_neighbours && !(target.advances && program.fields[f].history > 1);
      const bool rest_is_fixed = writers[f] == 1 && program.fields[f].history == 1;
      target.carries = !target.in_place && !rest_is_fixed;
      written[f] = true;
      sweep.targets.push_back(target);
    }
    const bool one_region = function.pieces.size() == 1 && !sweep.carries();
    sweep.domain = one_region ? function.pieces[0].region : ir::target_box(program, function);
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

bool Sweep::in_place() const {
  return std::all_of(targets.begin(), targets.end(),
                     [](const SweptTarget& target) { return target.in_place; });
}

bool Sweep::carries() const {
  return std::any_of(targets.begin(), targets.end(),
                     [](const SweptTarget& target) { return target.carries; });
}

namespace {

int written_slot(const ir::Program& program, const SweptTarget& target) {
  return target.in_place ? 0 : program.fields[target.field].history;
}

// A result of a piece and its destination.
struct SweptResult {
  size_t number;  // index among the results of the piece
  ir::Output output;
  int slot;
};

// The results of a piece that must be written. Results written in place are omitted if unchanged.
std::vector<SweptResult> results_of(const ir::Program& program, const Sweep& sweep,
                                    const ir::Piece& piece) {
  std::vector<SweptResult> out;
  size_t next = 0;
  for (const SweptTarget& target : sweep.targets) {
    const ir::Field& field = program.fields[target.field];
    for (size_t c = 0; c < field.components.size(); ++c) {
      const ir::Output output{target.field, static_cast<int>(c), field.components[c].type};
      const size_t number = next++;
      if (target.in_place && ir::keeps(piece, piece.results[number], output)) continue;
      out.push_back({number, output, written_slot(program, target)});
    }
  }
  return out;
}

// The piece itself, with loads from global memory.
PieceSource usual_source(KernelBuilder& builder, const ir::Piece& piece) {
  return {&piece.graph, &piece.results,
          [&builder](const ir::Access& access, AccessResolver& resolver) {
            return access.in_place ? builder.load_in_place(access, resolver)
                                   : builder.load_global(access, resolver.resolve(access));
          }};
}

Body evaluate_piece(KernelBuilder& builder, const Sweep& sweep, const ir::Piece& piece,
                    const Point& point, const Names& names, const PieceSource& source) {
  Body body;
  const Interface& interface = builder.interface();
  const std::vector<SweptResult> results = results_of(interface.program(), sweep, piece);
  std::vector<ir::NodeId> nodes;
  for (const SweptResult& result : results) nodes.push_back((*source.results)[result.number]);
  Names in_scope = builder.names();  // includes names of uniform values
  in_scope.reserve(names);
  const auto values = evaluate(interface, *source.graph, nodes, point, first_step(), source.read,
                               builder.scope(), std::move(in_scope), body, builder.reductions());
  for (size_t r = 0; r < values.size(); ++r) {
    const ir::Output& to = results[r].output;
    builder.store_global(to.field, to.component, results[r].slot, point, values[r], body);
  }
  return body;
}

Body carry(KernelBuilder& builder, const Sweep& sweep, const Point& point) {
  Body body;
  const Interface& interface = builder.interface();
  const ir::Program& program = interface.program();
  for (const SweptTarget& target : sweep.targets) {
    if (!target.carries) continue;
    const ir::Field& field = program.fields[target.field];
    for (int c = 0; c < interface.components(target.field); ++c) {
      const Scalar stored = field.components[c].type;
      ir::Access here{target.field, c, 0, std::vector<ir::IndexMap>(point.size()), 0};
      const Expr value = kernel::convert(builder.load_global(here, point), stored);
      builder.store_global(target.field, c, written_slot(program, target), point, value, body);
    }
  }
  return body;
}

}  // namespace

Body sweep_point(KernelBuilder& builder, const Sweep& sweep, const Point& point, const Names& names,
                 const PieceSources& sources) {
  Body chain;  // built from the end: if (first piece) ... else if (second) ... else carry
  if (sweep.carries()) chain = carry(builder, sweep, point);
  for (size_t p = sweep.function->pieces.size(); p-- > 0;) {
    const ir::Piece& piece = sweep.function->pieces[p];
    const Expr inside = builder.interface().inside(point, piece.region, &sweep.domain);
    Body body = evaluate_piece(builder, sweep, piece, point, names,
                               sources ? sources(p) : usual_source(builder, piece));
    const auto* literal = std::get_if<kernel::IntegerLiteral>(&inside->kind);
    if (literal && literal->value) {
      chain = std::move(body);
    } else {
      Body next;
      next.push_back({kernel::If{inside, std::move(body), std::move(chain)}});
      chain = std::move(next);
    }
  }
  return chain;
}

void provide_copies(const Sweep& sweep, kernel::Plan& plan) {
  for (kernel::Array& array : plan.arrays) {
    for (const SweptTarget& target : sweep.targets) {
      if (target.field == array.field && !target.in_place) array.copies = array.levels + 1;
    }
  }
}

void append_turn(const Interface& interface, const Sweep& sweep, kernel::Plan& plan) {
  for (const SweptTarget& target : sweep.targets) {
    if (target.in_place) continue;
    for (int c = 0; c < interface.components(target.field); ++c) {
      const int array = interface.array_of(target.field, c);
      if (target.advances) {
        plan.actions.push_back(kernel::Rotate{array});
      } else {
        plan.actions.push_back(kernel::SwapSlots{array, 0, plan.arrays[array].levels});
      }
    }
  }
}

void count_sweeps(const ir::Program& program, const std::vector<Sweep>& sweeps, Footprint& out) {
  for (const Sweep& sweep : sweeps) {
    for (const analysis::Reads& reads : analysis::reads_of(program, *sweep.function)) {
      const size_t field = static_cast<size_t>(reads.field);
      out.bytes_read += static_cast<double>(bytes_per_point(program.fields[field]));
    }
    for (const ir::FieldId target : sweep.function->targets) {
      out.bytes_written += static_cast<double>(bytes_per_point(program.fields[target]));
    }
  }
}

}  // namespace stencil::schedule
