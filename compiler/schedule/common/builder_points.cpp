// Contributions of point sets (sources) to grid points: sums over entries, found through the tables
// of support/place_points.h. Prefix sums show whether a block has entries at all. If it has none,
// its threads do not look for entries. The sums can be computed ahead of the code that uses them.
// This code then contains no look-ups, so a thread's loads from the tables overlap, and loops over
// threads on a CPU still vectorize.
#include <fmt/format.h>

#include <limits>

#include "compiler/kernel/passes.h"
#include "compiler/schedule/common/builder.h"
#include "compiler/schedule/common/statements.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::Expr;

namespace {

// Type of a sum over points.
Scalar type_at_points(const Interface& interface, const ir::Access& access) {
  const ir::Field& field = interface.program().fields[access.field];
  if (field.is_point_set()) return access.weights_in_double ? Scalar::F64 : Scalar::F32;
  return arithmetic_type(field.components[access.component].type);
}

Expr part_of(const Expr& index, int length) {
  return kernel::operation(Op::Div, {index, literal(length)});
}

}  // namespace

kernel::BufferId KernelBuilder::table(int memory) {
  const auto known = tables_.find(memory);
  if (known != tables_.end()) return known->second;
  return tables_[memory] = scratch(module_.plan, memory, false);
}

const kernel::PointSet& KernelBuilder::set_of(const ir::Access& access) const {
  const ir::Field& field = interface_.program().fields[access.field];
  return interface_.point_set(*field.set());
}

Expr KernelBuilder::from_low(const Expr& at, int d) const {
  return kernel::sub(at, interface_.low(interface_.program().grid(), d));
}

Expr KernelBuilder::slab_of(const kernel::PointSet& set, const Expr& plane) {
  const Expr index = interface_.rank() > 1 ? from_low(plane, 0) : literal(0);
  return kernel::load(table(set.slabs), {index}, Scalar::I32);
}

// Differences of prefix sums are numbers of entries, so they cannot overflow. Most planes have no
// entries. So if the box is a single plane, the plane's slab number is tested first.
Expr KernelBuilder::none_weighs_in(const kernel::PointSet& set, const GridBox& box, Body& body) {
  const int last = interface_.rank() - 1;
  const ir::Box& grid = interface_.program().grid();
  const auto let = [&](const char* wanted, const Expr& value) {
    return schedule::let(names(), body, wanted, value);
  };
  // Index of the first part of this length in the box, and one past the last.
  const auto parts = [&](const char* first, const char* end, int d, int length) {
    const auto i = static_cast<size_t>(d);
    return std::pair{let(first, part_of(from_low(box.first[i], d), length)),
                     let(end, plus(part_of(from_low(box.last[i], d), length), 1))};
  };
  const auto parts_of = [&](int d, int length) {  // number of parts in the grid, plus one
    return plus(part_of(plus(interface_.extent(grid, d), -1), length), 2);
  };
  const Expr& elements = module_.plan.scratch[set.counts].elements;
  const auto* known = std::get_if<kernel::IntegerLiteral>(&elements->kind);
  const bool wide = !known || known->value > std::numeric_limits<int32_t>::max();
  const auto index = [&](const Expr& value) { return wide ? kernel::as_long(value) : value; };
  const std::pair<Expr, Expr> planes =
      last > 0 ? parts("first_plane", "end_plane", 0, 1) : std::pair{literal(0), literal(1)};
  const std::pair<Expr, Expr> buckets =
      parts("first_bucket", "end_bucket", last, kernel::kPointBucket);
  const Expr row = index(last > 0 ? parts_of(0, 1) : literal(2));
  const Expr layer = index(parts_of(last, kernel::kPointBucket));
  const auto in_buckets = [&](const Expr& group, const Expr& bucket) {
    const Expr begin =
        kernel::mul(kernel::add(kernel::mul(index(group), layer), index(bucket)), row);
    const auto before = [&](const Expr& plane) {
      return kernel::load(table(set.counts), {kernel::add(begin, index(plane))}, Scalar::I32);
    };
    return kernel::sub(before(planes.second), before(planes.first));
  };
  const auto in_groups = [&](const Expr& group) {
    return kernel::sub(in_buckets(group, buckets.second), in_buckets(group, buckets.first));
  };
  Expr entries = in_groups(literal(1));
  if (last > 1) {
    const auto [first, end] = parts("first_group", "end_group", last - 1, kernel::kPointRows);
    entries = kernel::sub(in_groups(end), in_groups(first));
  }
  const bool one_plane = last == 0 || kernel::print(box.first[0]) == kernel::print(box.last[0]);
  const auto farthest = [&](int d, int length) { return plus(parts_of(d, length), -1); };
  const Expr none_at_all =
      one_plane
          ? kernel::less(slab_of(set, box.first[0]), literal(0))
          : is_equal(in_buckets(last > 1 ? farthest(last - 1, kernel::kPointRows) : literal(1),
                                farthest(last, kernel::kPointBucket)),
                     literal(0));
  return either(none_at_all, is_equal(entries, literal(0)));
}

void KernelBuilder::append_in_grid(int d, const Expr& first, const Expr& last, bool images,
                                   GridBox& to) const {
  const ir::Box& grid = interface_.program().grid();
  const Expr low = interface_.low(grid, d), high = interface_.high(grid, d);
  const Expr wraps = either(kernel::less(first, low), kernel::less(high, last));
  to.first.push_back(images ? select(wraps, low, first) : larger(smaller(first, high), low));
  to.last.push_back(images ? select(wraps, high, last) : larger(smaller(last, high), low));
}

Expr KernelBuilder::none_weighs(const std::vector<ir::Access>& reads, const GridBox& box,
                                Body& body) {
  std::set<std::string> known;
  std::vector<Expr> none;
  for (const ir::Access& access : reads) {
    const kernel::PointSet& set = set_of(access);
    if (known.insert(set.name).second) none.push_back(none_weighs_in(set, box, body));
  }
  return let(names(), body, "no_points", kernel::all_of(std::move(none)));
}

Body KernelBuilder::by_points(const std::vector<ir::Access>& reads, const Expr& none,
                              const std::function<Body()>& make,
                              const std::function<Body()>& ahead) {
  if (reads.empty()) return make();
  no_points_ = true;
  Body without = make();
  no_points_ = false;
  Body with = ahead ? ahead() : Body{};
  append(with, make());
  sums_.clear();
  return guarded(none, std::move(without), std::move(with));
}

// The entries of a row of a slab, from the bucket of `first` to that of `last_column`.
KernelBuilder::Entries KernelBuilder::entries_of(const kernel::PointSet& set, const Expr& slab,
                                                 const Point& first, const Expr& last_column) {
  const int last = interface_.rank() - 1;
  const ir::Box& grid = interface_.program().grid();
  Expr row = kernel::as_long(slab);
  for (int d = 1; d < last; ++d) {
    row = kernel::add(kernel::mul(row, kernel::as_long(interface_.extent(grid, d))),
                      kernel::as_long(from_low(first[d], d)));
  }
  const Expr buckets =
      plus(part_of(plus(interface_.extent(grid, last), -1), kernel::kPointBucket), 1);
  row = kernel::mul(row, kernel::as_long(buckets));
  const auto bucket_of = [&](const Expr& column) {
    return kernel::as_long(part_of(from_low(column, last), kernel::kPointBucket));
  };
  const auto start = [&](const Expr& bucket) {
    return kernel::load(table(set.starts), {kernel::add(row, bucket)}, Scalar::I32);
  };
  return {start(bucket_of(first[last])),
          start(kernel::add(bucket_of(last_column), kernel::integer(1, Scalar::I64)))};
}

Body KernelBuilder::add_entries(const ir::Access& access, const ResolvedAccess& resolved,
                                const Entries& entries, const SumTo& to, Names& names) {
  const ir::Field& field = interface_.program().fields[access.field];
  const kernel::PointSet& set = set_of(access);
  const Scalar type = type_at_points(interface_, access);
  const std::string entry_name = names.unique("entry");
  const Expr entry = kernel::variable(entry_name);
  Expr given = kernel::convert(kernel::load(table(set.weights), {entry}, set.weight), type);
  if (!field.is_point_set()) {
    ResolvedAccess of_point = resolved;
    of_point.point.push_back(kernel::add(kernel::load(table(set.numbers), {entry}, Scalar::I32),
                                         interface_.low(field.box, field.box.rank() - 1)));
    given = kernel::mul(given, load_global(access, of_point));
  }
  Body per_entry, add;
  const Expr column =
      let(names, per_entry, "column", kernel::load(table(set.columns), {entry}, Scalar::I32));
  given = let(names, per_entry, "part", given);
  add.push_back({kernel::Store{to.buffer, to.index,
                               kernel::add(kernel::load(to.buffer, to.index, type), given)}});
  Body here = as_body({kernel::If{is_equal(column, to.column), std::move(add), {}}});
  append(per_entry, to.for_each_column ? to.for_each_column(std::move(here)) : std::move(here));
  return as_body({kernel::For{kernel::LoopKind::Rolled, entry_name, entries.begin, entries.end, 1,
                              std::move(per_entry)}});
}

kernel::BufferId KernelBuilder::kept_by_thread(const std::string& name, const std::string& key,
                                               Scalar type, const std::vector<Expr>& extents,
                                               const std::string& comment) {
  std::string whole = fmt::format("{} {} {}", name, key, stencil::name(type));
  for (const Expr& extent : extents) whole += " " + kernel::print(extent);
  const auto known = kept_.find(whole);
  if (known != kept_.end()) return known->second;
  return kept_[whole] = local(kernel::Space::Thread, name, type, extents, comment);
}

KernelBuilder::Sum KernelBuilder::sum_of(const std::vector<ir::Access>& reads, size_t r,
                                         const PointLanes& lanes) {
  const Scalar type = type_at_points(interface_, reads[r]);
  std::vector<Expr> extents = lanes.extents, index = lanes.index;
  if (lanes.steps) {
    extents.insert(extents.begin(), lanes.steps);
    index.insert(index.begin(), lanes.step);
  }
  if (lanes.columns > 1) {
    extents.push_back(literal(lanes.columns));
    index.push_back(lanes.column_index);
  }
  const std::string key = fmt::format("{} {}", lanes.group, r);
  return {kept_by_thread("at_points", key, type, extents), index, type};
}

void KernelBuilder::read_sums(const std::vector<ir::Access>& reads, const PointLanes& lanes) {
  for (size_t r = 0; r < reads.size(); ++r) {
    const Sum sum = sum_of(reads, r, lanes);
    sums_.emplace_back(reads[r], kernel::load(sum.buffer, sum.index, sum.type));
  }
}

KernelBuilder::SumsAhead KernelBuilder::sum_ahead(const std::vector<ir::Access>& reads,
                                                  const PointLanes& lanes, const Expr& time) {
  SumsAhead out;
  const auto for_each = [](const PointLanes::Loop& loop, Body body) {
    return loop ? loop(std::move(body)) : std::move(body);
  };
  const bool several = !lanes.extents.empty();
  Names inner = names();
  Body zeros, find, add;
  const auto keep = [&](const char* what, const std::string& set, const Expr& value) {
    if (!several) return let(inner, find, what, value);
    const kernel::BufferId buffer =
        kept_by_thread(fmt::format("{}_{}", set, what), "", Scalar::I32, lanes.extents);
    find.push_back({kernel::Store{buffer, lanes.index, value}});
    return kernel::load(buffer, lanes.index, Scalar::I32);
  };
  std::map<std::string, Entries> found;
  Expr row_has_some = kernel::boolean(false);
  for (size_t r = 0; r < reads.size(); ++r) {
    const kernel::PointSet& set = set_of(reads[r]);
    const auto [entry, fresh] = found.try_emplace(set.name);
    if (fresh) {
      const Expr slab = slab_of(set, lanes.first[0]);
      if (lanes.row_first) {
        Point row = lanes.first;
        row.back() = lanes.row_first;
        const Entries all = entries_of(set, slab, row, lanes.row_last);
        row_has_some = either(row_has_some,
                              both(at_least(slab, literal(0)), kernel::less(all.begin, all.end)));
      }
      const Expr known = let(inner, find, "slab", slab);
      const Entries own =
          entries_of(set, larger(known, literal(0)), lanes.first, lanes.last_column);
      const Expr begin = let(inner, find, "begin", own.begin);
      const Expr end = let(inner, find, "end", own.end);
      entry->second = {keep("begin", set.name, begin),
                       keep("end", set.name, select(kernel::less(known, literal(0)), begin, end))};
    }
    const auto [sum, index, type] = sum_of(reads, r, lanes);
    zeros.push_back({kernel::Store{sum, index, kernel::zero(type)}});
    // evaluate() resolves the boundary rule of the time dimension.
    ir::Graph alone;
    const ir::NodeId node = alone.add({reads[r], type, {}, {}});
    const ReadAccess read = [&, to = sum, at = index](const ir::Access& access,
                                                      AccessResolver& resolver) {
      append(resolver.body(),
             add_entries(access, resolver.resolve(access), entry->second,
                         {to, at, lanes.column, lanes.for_each_column}, resolver.names()));
      return kernel::zero(type);
    };
    evaluate(interface_, alone, {node}, lanes.first, time, read, scope(), inner, add);
    for (const kernel::Statement& statement : add) {
      if (const auto* let = std::get_if<kernel::Let>(&statement.kind)) inner.reserve(let->name);
    }
  }
  out.zeros = for_each(lanes.for_each_part, for_each(lanes.for_each_column, std::move(zeros)));
  const auto at_part = [&](Body body) {
    Body part = lanes.lets;
    append(part, guarded(lanes.exists, std::move(body)));
    return for_each(lanes.for_each_part, std::move(part));
  };
  scope().set_apart(inner);
  if (several) {
    out.sums = at_part(std::move(find));
    append(out.sums, at_part(std::move(add)));
    return out;
  }
  append(find, std::move(add));
  if (lanes.row_first) find = guarded(row_has_some, std::move(find));
  out.sums = at_part(std::move(find));
  return out;
}

Expr KernelBuilder::given_at_points(const ir::Access& access, AccessResolver& resolver,
                                    const Within& within) {
  const Scalar type = type_at_points(interface_, access);
  if (no_points_) return kernel::zero(type);
  for (const auto& [read, sum] : sums_) {
    if (read == access) return sum;
  }
  const ResolvedAccess resolved = resolver.resolve(access);
  Point at = resolver.from();
  for (int d = 0; d < interface_.rank() && within; ++d) {
    Expr& coordinate = at[d];
    coordinate = within(d, coordinate);
  }
  Names& names = resolver.names();
  Body& body = resolver.body();
  const kernel::BufferId total = local(kernel::Space::Thread, "at_points", type, {}, "");
  body.push_back({kernel::Store{total, {}, kernel::zero(type)}});
  const kernel::PointSet& set = set_of(access);
  const Expr slab = let(names, body, "slab", slab_of(set, at[0]));
  const Entries entries = entries_of(set, slab, at, at.back());
  body.push_back(
      {kernel::If{at_least(slab, literal(0)),
                  add_entries(access, resolved, entries, {total, {}, at.back(), {}}, names),
                  {}}});
  return let(names, body, "given", kernel::load(total, {}, type));
}

}  // namespace stencil::schedule
