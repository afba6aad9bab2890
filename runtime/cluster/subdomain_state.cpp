#include "runtime/cluster/subdomain_state.h"

#include <algorithm>
#include <cstring>

#include "compiler/decompose/restrict.h"
#include "compiler/reference/interpreter.h"
#include "compiler/support/try.h"
#include "runtime/io/field_boxes.h"

namespace stencil::runtime {

namespace {

using reference::FieldData;

// A box of points of a subdomain's field, and their positions in the whole field.
class Region {
 public:
  Region(const ir::Program& whole, const decompose::Decomposition& decomposition, size_t field,
         ir::Points box)
      : whole_(whole),
        decomposition_(decomposition),
        in_place_(whole.fields[field].read_in_place()),
        domain_(whole.fields[field].domain),
        box_(std::move(box)) {}

  // Calls visit(offset in the subdomain's field, offset in the whole field, elements).
  template <class Visit>
  void for_each_piece(const FieldData& subdomain, const FieldData& whole,
                      const Visit& visit) const {
    const size_t last = box_.size() - 1;
    for_each_row(box_, [&](std::vector<int64_t> point, int64_t count) {
      while (count > 0) {
        std::vector<int64_t> there = point;
        for (size_t d = 0; d < there.size(); ++d) there[d] = in_grid(d, point[d]);
        // Stop at the end of the grid, where a periodic field wraps around.
        const int64_t here = std::min(count, whole.box[last][1] - there[last] + 1);
        visit(subdomain.position(point), whole.position(there), here);
        point[last] += here;
        count -= here;
      }
    });
  }

 private:
  int64_t in_grid(size_t d, int64_t at) const {
    return in_place_ ? at : decompose::wrapped(whole_, decomposition_, d, at, domain_);
  }

  const ir::Program& whole_;
  const decompose::Decomposition& decomposition_;
  const bool in_place_;
  const ir::DomainId domain_;
  const ir::Points box_;
};

// Calls visit(field, level, component, bytes per element) for the requested levels.
template <class Visit>
void for_each_level(const ir::Program& whole, const std::vector<int>& levels, const Visit& visit) {
  for (size_t f = 0; f < std::min(levels.size(), whole.fields.size()); ++f) {
    const ir::Field& field = whole.fields[f];
    for (int level = 0; level < std::min(levels[f], field.history); ++level) {
      for (size_t c = 0; c < field.components.size(); ++c) {
        visit(f, level, static_cast<int>(c), size_in_bytes(field.components[c].type));
      }
    }
  }
}

// The set of points of a record; nullopt for other fields.
std::optional<size_t> set_of_record(const ir::Program& whole, size_t field) {
  const auto record = ir::reduction_into(whole, static_cast<ir::FieldId>(field));
  if (!record) return std::nullopt;
  const auto& at = whole.reductions[*record].at;
  if (!at) return std::nullopt;
  return static_cast<size_t>(*at);
}

// For each point of the set: whether it lies in the subdomain.
std::vector<bool> points_in(const decompose::Decomposition& decomposition, int subdomain,
                            const FieldData& points, ir::DomainId domain) {
  std::vector<double> place(decomposition.cuts.size());
  std::vector<bool> out;
  for (int64_t point = 0; point < points.points; ++point) {
    for (size_t d = 0; d < place.size(); ++d) {
      place[d] = points.real(0, static_cast<int>(d), point);
    }
    out.push_back(decomposition.subdomain_of(place, domain) == subdomain);
  }
  return out;
}

// Whether the subdomain is the first one along all grid dimensions that the field lacks.
bool is_first_beside(const ir::Field& field, const decompose::Decomposition& decomposition,
                     int subdomain) {
  const std::vector<int> place = decomposition.place_of(subdomain);
  for (size_t d = 0; d < place.size(); ++d) {
    bool has = false;
    for (int own = 0; own < field.box.rank(); ++own) {
      has = has || field.dimension(static_cast<size_t>(own)) == static_cast<int>(d);
    }
    if (!has && place[d] != 0) return false;
  }
  return true;
}

// Calls visit(first point, position in the whole field, count) for the rows that a subdomain is
// responsible for. For records, which every subdomain stores whole, the point is null. `points`: a
// state with the sets of points.
template <class Visit>
void for_each_owned(const ir::Program& whole, const decompose::Decomposition& decomposition,
                    int number, const reference::State& points, const reference::State& shapes,
                    size_t f, const Visit& visit) {
  if (const auto set = set_of_record(whole, f)) {
    const std::vector<bool> own =
        points_in(decomposition, number, points.fields[*set], whole.fields[f].domain);
    for (int64_t at = 0; at < shapes.fields[f].points; ++at) {
      if (own[static_cast<size_t>(at) % own.size()]) visit(nullptr, at, int64_t{1});
    }
    return;
  }
  if (!is_first_beside(whole.fields[f], decomposition, number)) return;
  const ir::Points box =
      decompose::owned_points(whole, decomposition, number, static_cast<ir::FieldId>(f));
  for_each_row(box, [&](const std::vector<int64_t>& point, int64_t count) {
    visit(&point, shapes.fields[f].position(point), count);
  });
}

}  // namespace

RowsOf rows_of_subdomain(const ir::Program& whole, const decompose::Decomposition& decomposition,
                         int number, const reference::State& subdomain,
                         const reference::State& shapes) {
  return [&, number](ir::FieldId id, const std::function<void(const Row&)>& visit) {
    const auto f = static_cast<size_t>(id);
    for_each_owned(whole, decomposition, number, subdomain, shapes, f,
                   [&](const std::vector<int64_t>* point, int64_t there, int64_t count) {
                     visit({point ? subdomain.fields[f].position(*point) : there, there, count});
                   });
  };
}

std::optional<ir::Points> box_of_subdomain(const ir::Program& whole,
                                           const decompose::Decomposition& decomposition,
                                           int number, ir::FieldId field) {
  if (set_of_record(whole, static_cast<size_t>(field))) return std::nullopt;
  ir::Points box = decompose::owned_points(whole, decomposition, number, field);
  if (!is_first_beside(whole.fields[field], decomposition, number)) {
    for (auto& [low, high] : box) high = low - 1;
  }
  return box;
}

RowsOf memory_of_subdomain(const ir::Program& whole, const decompose::Decomposition& decomposition,
                           const reference::State& subdomain, const reference::State& shapes) {
  return [&](ir::FieldId id, const std::function<void(const Row&)>& visit) {
    const auto f = static_cast<size_t>(id);
    const FieldData& field = subdomain.fields[f];
    const Region region(whole, decomposition, f, field.box);
    region.for_each_piece(field, shapes.fields[f], [&](int64_t at, int64_t there, int64_t count) {
      visit({at, there, count});
    });
  };
}

bool is_stored(const reference::State& state, size_t field) {
  return !state.fields[field].levels.empty();
}

void provide_storage(const ir::Program& whole, const std::vector<int>& levels,
                     reference::State& state) {
  for (size_t f = 0; f < std::min(levels.size(), state.fields.size()); ++f) {
    const bool wanted = levels[f] > 0 && !is_stored(state, f);
    if (wanted) reference::provide(whole, static_cast<ir::FieldId>(f), state);
  }
}

Result<reference::State> empty_subdomain(const ir::Program& subdomain,
                                         const reference::State& from) {
  std::string error;
  auto state = reference::allocate(subdomain, from.integer_params, from.real_params, error);
  if (!state) return Failure{"R052", "the fields of a subdomain cannot be allocated: " + error, ""};
  state->reductions = from.reductions;
  state->step = from.step;
  state->stopped = from.stopped;
  return std::move(*state);
}

void fill_subdomain(const ir::Program& whole, const decompose::Decomposition& decomposition,
                    const reference::State& from, reference::State& subdomain) {
  const RowsOf rows = memory_of_subdomain(whole, decomposition, subdomain, from);
  for (size_t f = 0; f < subdomain.fields.size(); ++f) {
    if (!is_stored(from, f)) continue;
    FieldData& field = subdomain.fields[f];
    rows(static_cast<ir::FieldId>(f), [&](const Row& row) {
      for (int level = 0; level < whole.fields[f].history; ++level) {
        for (int c = 0; c < field.component_count(); ++c) {
          const int64_t bytes = size_in_bytes(field.types[c]);
          std::memcpy(field.data(level, c) + row.here * bytes,
                      from.fields[f].data(level, c) + row.there * bytes,
                      static_cast<size_t>(row.count * bytes));
        }
      }
    });
  }
}

Status begin_subdomain(const ir::Program& whole, const decompose::Decomposition& decomposition,
                       const ir::Program& subdomain, const std::vector<bool>& stored,
                       const std::vector<FieldFile>& files, const reference::State& shapes,
                       reference::State& state) {
  for (size_t f = 0; f < stored.size(); ++f) {
    if (!stored[f]) reference::initialise(subdomain, static_cast<ir::FieldId>(f), state);
  }
  const RowsOf rows = memory_of_subdomain(whole, decomposition, state, shapes);
  for (const FieldFile& file : files) {
    TRY(read_rows(file, rows, state));
  }
  return Done{};
}

std::vector<std::byte> pack_subdomain(const ir::Program& whole,
                                      const decompose::Decomposition& decomposition,
                                      const reference::State& subdomain,
                                      const reference::State& from) {
  std::vector<std::byte> out;
  const RowsOf rows = memory_of_subdomain(whole, decomposition, subdomain, from);
  for (size_t f = 0; f < subdomain.fields.size(); ++f) {
    if (!is_stored(from, f)) continue;
    for (int level = 0; level < whole.fields[f].history; ++level) {
      for (int c = 0; c < subdomain.fields[f].component_count(); ++c) {
        const int64_t bytes = size_in_bytes(subdomain.fields[f].types[c]);
        const std::byte* data = from.fields[f].data(level, c);
        rows(static_cast<ir::FieldId>(f), [&](const Row& row) {
          const std::byte* at = data + row.there * bytes;
          out.insert(out.end(), at, at + row.count * bytes);
        });
      }
    }
  }
  return out;
}

int64_t packed_bytes(const reference::State& subdomain, const std::vector<bool>& stored) {
  int64_t bytes = 0;
  for (size_t f = 0; f < subdomain.fields.size(); ++f) {
    const FieldData& field = subdomain.fields[f];
    for (int c = 0; stored[f] && c < field.component_count(); ++c) {
      bytes += field.size_in_bytes(c) * static_cast<int64_t>(field.levels.size());
    }
  }
  return bytes;
}

void unpack_subdomain(const std::vector<std::byte>& packed, const std::vector<bool>& stored,
                      reference::State& subdomain) {
  const std::byte* at = packed.data();
  for (size_t f = 0; f < subdomain.fields.size(); ++f) {
    FieldData& field = subdomain.fields[f];
    for (size_t level = 0; stored[f] && level < field.levels.size(); ++level) {
      for (int c = 0; c < field.component_count(); ++c) {
        const auto bytes = static_cast<size_t>(field.size_in_bytes(c));
        if (bytes > 0) std::memcpy(field.data(static_cast<int>(level), c), at, bytes);
        at += bytes;
      }
    }
  }
}

std::vector<std::byte> pack_owned(const ir::Program& whole, const reference::State& subdomain,
                                  const RowsOf& rows, const std::vector<int>& levels) {
  std::vector<std::byte> out;
  for_each_level(whole, levels, [&](size_t f, int level, int c, int64_t bytes) {
    const std::byte* data = subdomain.fields[f].data(level, c);
    rows(static_cast<ir::FieldId>(f), [&](const Row& row) {
      const std::byte* at = data + row.here * bytes;
      out.insert(out.end(), at, at + row.count * bytes);
    });
  });
  return out;
}

void unpack_owned(const ir::Program& whole, const decompose::Decomposition& decomposition,
                  int subdomain, const std::vector<std::byte>& packed,
                  const std::vector<int>& levels, reference::State& to) {
  const std::byte* from = packed.data();
  for_each_level(whole, levels, [&](size_t f, int level, int c, int64_t bytes) {
    std::byte* data = to.fields[f].data(level, c);
    for_each_owned(whole, decomposition, subdomain, to, to, f,
                   [&](const std::vector<int64_t>*, int64_t there, int64_t count) {
                     std::memcpy(data + there * bytes, from, static_cast<size_t>(count * bytes));
                     from += count * bytes;
                   });
  });
}

int64_t owned_bytes(const ir::Program& whole, const decompose::Decomposition& decomposition,
                    int subdomain, const std::vector<int>& levels, const reference::State& shapes) {
  int64_t all = 0;
  for_each_level(whole, levels, [&](size_t f, int, int, int64_t bytes) {
    for_each_owned(
        whole, decomposition, subdomain, shapes, shapes, f,
        [&](const std::vector<int64_t>*, int64_t, int64_t count) { all += count * bytes; });
  });
  return all;
}

void give_back(const ir::Program& whole, const reference::State& subdomain, const RowsOf& rows,
               const std::vector<int>& levels, reference::State& to) {
  for_each_level(whole, levels, [&](size_t f, int level, int c, int64_t bytes) {
    rows(static_cast<ir::FieldId>(f), [&](const Row& row) {
      std::memcpy(to.fields[f].data(level, c) + row.there * bytes,
                  subdomain.fields[f].data(level, c) + row.here * bytes,
                  static_cast<size_t>(row.count * bytes));
    });
  });
}

}  // namespace stencil::runtime
