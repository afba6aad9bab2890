// Sweeps: one stencil function at a time over global memory, with the snapshot kept by a spare
// copy.
//
// Writing in place needs no copy and is legal when a function reads its target nowhere but at the
// point it writes. Otherwise the result goes to the spare copy, which must then hold every point of
// the field. If nobody else writes the field, the points outside the region never change and both
// copies have them from the start; else the sweep carries them over.
#include "compiler/schedule/sweeps/sweep.h"

#include "compiler/analysis/reads.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::Expr;

std::vector<Sweep> plan_sweeps(const ir::Program& program) {
  std::vector<int> writers(program.fields.size(), 0);
  for (const ir::Function& function : program.functions)
    ++writers[static_cast<size_t>(function.target)];

  std::vector<Sweep> sweeps;
  std::vector<bool> written(program.fields.size(), false);
  for (const ir::Function& function : program.functions) {
    const size_t f = static_cast<size_t>(function.target);
    const ir::Field& target = program.fields[f];
    bool reads_neighbours = false;
    for (const analysis::Reads& reads : analysis::reads_of(program, function)) {
      const bool elsewhere = reads.at_offset || reads.far;
      if (reads.field == function.target && reads.level == 0 && elsewhere) reads_neighbours = true;
    }
    Sweep sweep;
    sweep.function = &function;
    sweep.advances = !written[f];
    sweep.in_place = !reads_neighbours && !(sweep.advances && target.history > 1);
    const bool rest_is_fixed = writers[f] == 1 && target.history == 1;
    const bool one_region = function.pieces.size() == 1 && (sweep.in_place || rest_is_fixed);
    sweep.domain = one_region ? function.pieces[0].region : target.box;
    sweep.carries = !sweep.in_place && !rest_is_fixed;
    written[f] = true;
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

namespace {

int written_slot(const ir::Program& program, const Sweep& sweep) {
  return sweep.in_place ? 0 : program.fields[static_cast<size_t>(sweep.function->target)].history;
}

Body evaluate_piece(KernelBuilder& builder, const Sweep& sweep, const ir::Piece& piece,
                    const Point& point) {
  Body body;
  const Interface& interface = builder.interface();
  const ReadAccess read = [&](const ir::Access& access, Landings& landings) {
    return builder.load_global(access, landings.land(access));
  };
  const ReadReduction reduction = [&](const ir::ReductionRef& read) {
    return builder.load_reduction(read);
  };
  const auto values = evaluate(interface, piece.graph, piece.results, point, first_step(), read,
                               builder.scope(), builder.names(), body, reduction);
  const int slot = written_slot(interface.program(), sweep);
  for (size_t c = 0; c < values.size(); ++c) {
    builder.store_global(sweep.function->target, static_cast<int>(c), slot, point, values[c], body);
  }
  return body;
}

Body carry(KernelBuilder& builder, const Sweep& sweep, const Point& point) {
  Body body;
  const Interface& interface = builder.interface();
  const ir::FieldId target = sweep.function->target;
  for (int c = 0; c < interface.components(target); ++c) {
    const Scalar stored = interface.program()
                              .fields[static_cast<size_t>(target)]
                              .components[static_cast<size_t>(c)]
                              .type;
    ir::Access here{target, c, 0, std::vector<int>(point.size(), 0), 0};
    const Expr value = kernel::convert(builder.load_global(here, point), stored);
    builder.store_global(target, c, written_slot(interface.program(), sweep), point, value, body);
  }
  return body;
}

}  // namespace

Body sweep_point(KernelBuilder& builder, const Sweep& sweep, const Point& point) {
  Body chain;  // built from its end: if (first piece) ... else if (second) ... else carry
  if (sweep.carries) chain = carry(builder, sweep, point);
  for (size_t p = sweep.function->pieces.size(); p-- > 0;) {
    const ir::Piece& piece = sweep.function->pieces[p];
    const Expr inside = builder.interface().inside(point, piece.region, &sweep.domain);
    Body body = evaluate_piece(builder, sweep, piece, point);
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

void provide_copies(const std::vector<Sweep>& sweeps, kernel::Plan& plan) {
  for (kernel::Array& array : plan.arrays) {
    for (const Sweep& sweep : sweeps) {
      if (sweep.function->target == array.field && !sweep.in_place) array.copies = array.levels + 1;
    }
  }
}

void append_turn(const Interface& interface, const Sweep& sweep, kernel::Plan& plan) {
  if (sweep.in_place) return;
  for (int c = 0; c < interface.components(sweep.function->target); ++c) {
    const int array = interface.array_of(sweep.function->target, c);
    if (sweep.advances) {
      plan.actions.push_back(kernel::Rotate{array});
    } else {
      plan.actions.push_back(
          kernel::Exchange{array, 0, plan.arrays[static_cast<size_t>(array)].levels});
    }
  }
}

}  // namespace stencil::schedule
