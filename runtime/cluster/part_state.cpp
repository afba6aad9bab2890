#include "runtime/cluster/part_state.h"

#include <algorithm>
#include <cstring>

#include "compiler/decompose/restrict.h"

namespace stencil::runtime {

namespace {

using reference::FieldData;

// Calls visit(point, count) for the rows of a box, in pieces whose points lie side by side, in the
// box as well as in the grid that it wraps around. `point` is as the box has it.
template <class Visit>
void for_each_row(const ir::Points& box, const std::function<int64_t(int64_t)>& rest,
                  const Visit& visit) {
  if (ir::count(box) == 0) return;
  const size_t last = box.size() - 1;
  std::vector<int64_t> point;
  for (const auto& [low, high] : box) point.push_back(low);
  for (;;) {
    for (point[last] = box[last][0]; point[last] <= box[last][1];) {
      const int64_t count = std::min(box[last][1] - point[last] + 1, rest(point[last]));
      visit(point, count);
      point[last] += count;
    }
    point[last] = box[last][0];
    size_t d = last;
    while (d-- > 0 && ++point[d] > box[d][1]) point[d] = box[d][0];
    if (d > last) return;
  }
}

// A box of points of a field and where they are in the whole one.
class Region {
 public:
  Region(const ir::Program& whole, const decompose::Decomposition& decomposition, size_t field,
         ir::Points box)
      : whole_(whole),
        decomposition_(decomposition),
        in_place_(whole.fields[field].read_in_place()),
        box_(std::move(box)) {}

  // visit(offset of the element in the part's field, in the whole one, elements).
  template <class Visit>
  void for_each_piece(const FieldData& part, const FieldData& whole, const Visit& visit) const {
    const size_t last = box_.size() - 1;
    const auto rest = [&](int64_t at) { return whole.box[last][1] - in_grid(last, at) + 1; };
    for_each_row(box_, rest, [&](const std::vector<int64_t>& point, int64_t count) {
      std::vector<int64_t> there = point;
      for (size_t d = 0; d < there.size(); ++d) there[d] = in_grid(d, point[d]);
      visit(part.position(point), whole.position(there), count);
    });
  }

 private:
  int64_t in_grid(size_t d, int64_t at) const {
    return in_place_ ? at : decompose::wrapped(whole_, decomposition_, d, at);
  }

  const ir::Program& whole_;
  const decompose::Decomposition& decomposition_;
  const bool in_place_;
  const ir::Points box_;
};

// Calls visit(field, level, component, bytes of an element) for what a part owns.
template <class Visit>
void for_each_level(const ir::Program& whole, const std::vector<int>& levels, const Visit& visit) {
  for (size_t f = 0; f < std::min(levels.size(), whole.fields.size()); ++f) {
    const ir::Field& field = whole.fields[f];
    if (!ir::changes(whole, static_cast<ir::FieldId>(f))) continue;
    for (int level = 0; level < std::min(levels[f], field.history); ++level) {
      for (size_t c = 0; c < field.components.size(); ++c) {
        visit(f, level, static_cast<int>(c), size_in_bytes(field.components[c].type));
      }
    }
  }
}

// The set of points of a field that is a record.
std::optional<size_t> set_of_record(const ir::Program& whole, size_t field) {
  const auto record = ir::reduction_into(whole, static_cast<ir::FieldId>(field));
  if (!record) return std::nullopt;
  const auto& at = whole.reductions[static_cast<size_t>(*record)].at;
  if (!at) return std::nullopt;
  return static_cast<size_t>(*at);
}

ir::Points owned_of(const ir::Program& whole, const decompose::Decomposition& decomposition,
                    int part, size_t field) {
  return decompose::owned_points(whole, decomposition, part, static_cast<ir::FieldId>(field));
}

// The dense rows of a box as it lies in one field.
template <class Visit>
void for_each_dense(const FieldData& field, const ir::Points& box, const Visit& visit) {
  const auto all = [](int64_t) { return INT64_MAX; };
  for_each_row(box, all, [&](const std::vector<int64_t>& point, int64_t count) {
    visit(point, field.position(point), count);
  });
}

// Whether the points of the set are in the part, one by one.
std::vector<bool> points_in(const decompose::Decomposition& decomposition, int part,
                            const FieldData& points) {
  std::vector<double> place(decomposition.cuts.size());
  std::vector<bool> out;
  for (int64_t point = 0; point < points.points; ++point) {
    for (size_t d = 0; d < place.size(); ++d) {
      place[d] = points.real(0, static_cast<int>(d), point);
    }
    out.push_back(decomposition.part_of(place) == part);
  }
  return out;
}

// Every part has a record's values of all points. Those of the points that this one owns count.
void give_back_record(const decompose::Decomposition& decomposition, int part,
                      const FieldData& points, const std::byte* from, FieldData& to) {
  const int64_t bytes = size_in_bytes(to.types[0]);
  const std::vector<bool> own = points_in(decomposition, part, points);
  for (int64_t at = 0; at < to.points; ++at) {
    if (!own[static_cast<size_t>(at % points.points)]) continue;
    std::memcpy(to.data(0, 0) + at * bytes, from + at * bytes, static_cast<size_t>(bytes));
  }
}

// Whether the part is the first one in the dimensions of the grid that the field does not have.
bool is_first_beside(const ir::Field& field, const decompose::Decomposition& decomposition,
                     int part) {
  const std::vector<int> place = decomposition.place_of(part);
  for (size_t d = 0; d < place.size(); ++d) {
    bool has = false;
    for (int own = 0; own < field.box.rank(); ++own) {
      has = has || field.dimension(static_cast<size_t>(own)) == static_cast<int>(d);
    }
    if (!has && place[d] != 0) return false;
  }
  return true;
}

}  // namespace

RowsOf rows_of_part(const ir::Program& whole, const decompose::Decomposition& decomposition,
                    int number, const reference::State& part, const reference::State& shapes) {
  return [&, number](ir::FieldId id, const std::function<void(const Row&)>& visit) {
    const auto f = static_cast<size_t>(id);
    const FieldData& field = part.fields[f];
    if (const auto set = set_of_record(whole, f)) {
      const std::vector<bool> own = points_in(decomposition, number, part.fields[*set]);
      const auto points = static_cast<int64_t>(own.size());
      for (int64_t at = 0; at < field.points; ++at) {
        if (own[static_cast<size_t>(at % points)]) visit({at, at, 1});
      }
      return;
    }
    if (!is_first_beside(whole.fields[f], decomposition, number)) return;
    for_each_dense(field, owned_of(whole, decomposition, number, f),
                   [&](const auto& point, auto at, int64_t count) {
                     visit({at, shapes.fields[f].position(point), count});
                   });
  };
}

Result<reference::State> empty_part(const ir::Program& part, const reference::State& from) {
  std::string error;
  auto state = reference::allocate(part, from.integer_params, from.real_params, error);
  if (!state) return Failure{"R052", "the fields of a part cannot be allocated: " + error, ""};
  state->reductions = from.reductions;
  state->step = from.step;
  state->stopped = from.stopped;
  return std::move(*state);
}

void fill_part(const ir::Program& whole, const decompose::Decomposition& decomposition,
               const reference::State& from, reference::State& part) {
  for (size_t f = 0; f < part.fields.size(); ++f) {
    FieldData& field = part.fields[f];
    const Region region(whole, decomposition, f, field.box);
    region.for_each_piece(field, from.fields[f], [&](int64_t to, int64_t at, int64_t count) {
      for (size_t level = 0; level < field.levels.size(); ++level) {
        for (int c = 0; c < field.component_count(); ++c) {
          const int64_t bytes = size_in_bytes(field.types[static_cast<size_t>(c)]);
          const auto l = static_cast<int>(level);
          std::memcpy(field.data(l, c) + to * bytes, from.fields[f].data(l, c) + at * bytes,
                      static_cast<size_t>(count * bytes));
        }
      }
    });
  }
}

std::vector<std::byte> pack_part(const ir::Program& whole,
                                 const decompose::Decomposition& decomposition,
                                 const reference::State& part, const reference::State& from) {
  std::vector<std::byte> out;
  for (size_t f = 0; f < part.fields.size(); ++f) {
    const FieldData& field = part.fields[f];
    const Region region(whole, decomposition, f, field.box);
    for (int level = 0; level < whole.fields[f].history; ++level) {
      for (int c = 0; c < field.component_count(); ++c) {
        const int64_t bytes = size_in_bytes(field.types[static_cast<size_t>(c)]);
        const std::byte* data = from.fields[f].data(level, c);
        region.for_each_piece(field, from.fields[f], [&](int64_t, int64_t at, int64_t count) {
          out.insert(out.end(), data + at * bytes, data + (at + count) * bytes);
        });
      }
    }
  }
  return out;
}

void unpack_part(const std::vector<std::byte>& packed, reference::State& part) {
  const std::byte* at = packed.data();
  for (FieldData& field : part.fields) {
    for (size_t level = 0; level < field.levels.size(); ++level) {
      for (int c = 0; c < field.component_count(); ++c) {
        const auto bytes = static_cast<size_t>(field.size_in_bytes(c));
        if (bytes > 0) std::memcpy(field.data(static_cast<int>(level), c), at, bytes);
        at += bytes;
      }
    }
  }
}

std::vector<std::byte> pack_owned(const ir::Program& whole,
                                  const decompose::Decomposition& decomposition, int part,
                                  const reference::State& from, const std::vector<int>& levels) {
  std::vector<std::byte> out;
  for_each_level(whole, levels, [&](size_t f, int level, int c, int64_t bytes) {
    const FieldData& field = from.fields[f];
    const std::byte* data = field.data(level, c);
    for_each_dense(field, owned_of(whole, decomposition, part, f),
                   [&](const auto&, int64_t at, int64_t count) {
                     out.insert(out.end(), data + at * bytes, data + (at + count) * bytes);
                   });
  });
  return out;
}

void unpack_owned(const ir::Program& whole, const decompose::Decomposition& decomposition, int part,
                  const std::vector<std::byte>& packed, const std::vector<int>& levels,
                  reference::State& to) {
  const std::byte* from = packed.data();
  for_each_level(whole, levels, [&](size_t f, int level, int c, int64_t bytes) {
    FieldData& field = to.fields[f];
    std::byte* data = field.data(level, c);
    if (const auto set = set_of_record(whole, f)) {
      give_back_record(decomposition, part, to.fields[*set], from, field);
      from += field.size_in_bytes(c);
      return;
    }
    for_each_dense(field, owned_of(whole, decomposition, part, f),
                   [&](const auto&, int64_t at, int64_t count) {
                     std::memcpy(data + at * bytes, from, static_cast<size_t>(count * bytes));
                     from += count * bytes;
                   });
  });
}

int64_t owned_bytes(const ir::Program& whole, const decompose::Decomposition& decomposition,
                    int part, const std::vector<int>& levels) {
  int64_t all = 0;
  for_each_level(whole, levels, [&](size_t f, int, int, int64_t bytes) {
    all += bytes * ir::count(owned_of(whole, decomposition, part, f));
  });
  return all;
}

void give_back(const ir::Program& whole, const decompose::Decomposition& decomposition, int part,
               const reference::State& from, const std::vector<int>& levels, reference::State& to) {
  for_each_level(whole, levels, [&](size_t f, int level, int c, int64_t bytes) {
    if (const auto set = set_of_record(whole, f)) {
      return give_back_record(decomposition, part, to.fields[*set], from.fields[f].data(level, c),
                              to.fields[f]);
    }
    const Region region(whole, decomposition, f, owned_of(whole, decomposition, part, f));
    region.for_each_piece(from.fields[f], to.fields[f], [&](int64_t at, int64_t there, int64_t n) {
      std::memcpy(to.fields[f].data(level, c) + there * bytes,
                  from.fields[f].data(level, c) + at * bytes, static_cast<size_t>(n * bytes));
    });
  });
}

}  // namespace stencil::runtime
