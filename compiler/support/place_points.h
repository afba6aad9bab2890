// Lookup tables for kernels: the grid points at which the points of a set have weights
// (docs/design/data.md, "Points"). Emitted programs contain this text from "begin" on, so
// it needs two headers and nothing of the project.
#pragma once

#include <cmath>
#include <cstdint>

// begin
// An entry is a pair of a point and a grid point at which the point has a weight. The entries of
// one bucket (32 grid points side by side in the last dimension) are contiguous, ordered by the
// number of the point. Slabs are the planes of the grid (indices of the outermost dimension; one
// for a 1-D grid) in which some point has a weight, numbered in order. A group is 8 rows side by
// side in the last dimension but one. It spans all indices of the dimensions before that one,
// except the plane's.
struct stencil_point_set {
  int rank;
  const int64_t *low, *high;    // bounds of the grid, per dimension
  const int64_t *first, *last;  // allowed range of the positions, per dimension
  int width;                    // grid points with a weight of a point, per dimension
  int64_t points;
  const double* const* at;       // per dimension: the positions of all points
  const double* const* weights;  // per dimension and grid point; null: multilinear
};
template <class Real>
struct stencil_point_tables {
  int32_t* slabs;    // per plane: its slab, or -1
  int32_t* starts;   // per slab, row of the plane and bucket: its first entry; then the end
  int32_t* columns;  // per entry: the index in the last dimension
  int32_t* numbers;  // per entry: the point, from 0
  Real* weights;     // per entry
  int32_t* entries;  // per point and grid point with a weight of it, row-major; -1: no entry
  int32_t* firsts;   // per point and dimension: the first grid point with a weight
  int32_t* counts;   // entries in all earlier groups, buckets and planes; null: not needed
};

// Number of buckets of a row, and numbers of groups of rows and of planes: at least one.
inline int64_t stencil_buckets(const stencil_point_set& set) {
  return (set.high[set.rank - 1] - set.low[set.rank - 1]) / 32 + 1;
}
inline int64_t stencil_row_groups(const stencil_point_set& set) {
  return set.rank > 2 ? (set.high[set.rank - 2] - set.low[set.rank - 2]) / 8 + 1 : 1;
}
inline int64_t stencil_planes(const stencil_point_set& set) {
  return set.rank > 1 ? set.high[0] - set.low[0] + 1 : 1;
}

// The first grid point at which a point has a weight in dimension d.
inline int64_t stencil_first_weight(const stencil_point_set& set, int d, int64_t point) {
  const int64_t below = (int64_t)std::floor(set.at[d][point]);
  if (set.weights) return below - (set.width - 1) / 2;
  return below == set.last[d] && below > set.first[d] ? below - 1 : below;
}

// The weight of the grid point `index` in dimension d.
inline double stencil_weight(const stencil_point_set& set, int d, int64_t point, int64_t index) {
  const int64_t k = index - stencil_first_weight(set, d, point);
  if (set.weights) return set.weights[d * set.width + k][point];
  const double beyond = set.at[d][point] - (double)(index - k);
  return k == 0 ? 1 - beyond : beyond;
}

// Returns -1, or the first point outside its allowed range.
inline int64_t stencil_misplaced(const stencil_point_set& set) {
  for (int64_t point = 0; point < set.points; ++point) {
    for (int d = 0; d < set.rank; ++d) {
      const double at = set.at[d][point];
      if (!(at >= (double)set.first[d] && at <= (double)set.last[d])) return point;
    }
  }
  return -1;
}

// Calls visit(point, corner, plane, bucket within its plane, index in the last dimension, weight)
// for all grid points of all points, in order. The weight is 0 where a point has none, and outside
// the grid, which may be a subdomain.
template <class Real, class Visit>
void stencil_visit_weights(const stencil_point_set& set, const Visit& visit) {
  const int last = set.rank - 1;
  const int64_t buckets = stencil_buckets(set);
  int64_t corners = 1;
  for (int d = 0; d < set.rank; ++d) corners *= set.width;
  for (int64_t point = 0; point < set.points; ++point) {
    for (int64_t corner = 0; corner < corners; ++corner) {
      double weight = 1;
      int64_t row = 0, index = 0, rest = corner, part = corners;
      int64_t plane = 0;
      bool lies = true;  // within the allowed range; weights outside are ignored, even NaN
      bool here = true;
      for (int d = 0; d < set.rank; ++d) {
        part /= set.width;
        index = stencil_first_weight(set, d, point) + rest / part;
        rest %= part;
        lies = lies && index >= set.first[d] && index <= set.last[d];
        if (lies) weight *= stencil_weight(set, d, point, index);
        here = here && index >= set.low[d] && index <= set.high[d];
        if (d < last && d == 0) plane = index - set.low[d];
        if (d < last && d > 0) row = row * (set.high[d] - set.low[d] + 1) + index - set.low[d];
      }
      const Real rounded = lies && here ? (Real)weight : 0;
      visit(point, corner, plane, row * buckets + (index - set.low[last]) / 32, index, rounded);
    }
  }
}

// Prefix sums: eight of them give the number of entries in a box of groups, buckets and planes.
template <class Real>
void stencil_count_entries(const stencil_point_set& set, const stencil_point_tables<Real>& to) {
  const int64_t buckets = stencil_buckets(set), groups = stencil_row_groups(set);
  const int64_t rows = set.rank > 2 ? set.high[set.rank - 2] - set.low[set.rank - 2] + 1 : 1;
  const int64_t row = stencil_planes(set) + 1, layer = (buckets + 1) * row;
  const int64_t all = (groups + 1) * layer;
  for (int64_t i = 0; i < all; ++i) to.counts[i] = 0;
  stencil_visit_weights<Real>(
      set, [&](int64_t, int64_t, int64_t plane, int64_t bucket, int64_t, Real w) {
        const int64_t group = bucket / buckets % rows / 8;
        if (w != 0) ++to.counts[(group + 1) * layer + (bucket % buckets + 1) * row + plane + 1];
      });
  for (int64_t i = layer; i < all; ++i) to.counts[i] += to.counts[i - layer];
  for (int64_t i = row; i < all; ++i) {
    if (i % layer >= row) to.counts[i] += to.counts[i - row];
  }
  for (int64_t i = 1; i < all; ++i) {
    if (i % row > 0) to.counts[i] += to.counts[i - 1];
  }
}

// Requires that stencil_misplaced(set) is -1. Returns the number of entries.
template <class Real>
int64_t stencil_place_points(const stencil_point_set& set, stencil_point_tables<Real> to) {
  const int last = set.rank - 1;
  int64_t corners = 1, buckets = stencil_buckets(set);
  for (int d = 0; d < set.rank; ++d) corners *= set.width;
  for (int d = 1; d < last; ++d) buckets *= set.high[d] - set.low[d] + 1;
  const int64_t planes = stencil_planes(set);
  for (int64_t plane = 0; plane < planes; ++plane) to.slabs[plane] = -1;
  stencil_visit_weights<Real>(set, [&](int64_t, int64_t, int64_t plane, int64_t, int64_t, Real w) {
    if (w != 0) to.slabs[plane] = 0;
  });
  for (int64_t point = 0; point < set.points; ++point) {
    for (int d = 0; d < set.rank; ++d) {
      to.firsts[point * set.rank + d] = (int32_t)stencil_first_weight(set, d, point);
    }
  }
  int32_t slabs = 0;
  for (int64_t plane = 0; plane < planes; ++plane) {
    if (to.slabs[plane] == 0) to.slabs[plane] = slabs++;
  }
  for (int64_t b = 0; b <= slabs * buckets; ++b) to.starts[b] = 0;
  stencil_visit_weights<Real>(
      set, [&](int64_t, int64_t, int64_t plane, int64_t bucket, int64_t, Real w) {
        if (w != 0) ++to.starts[to.slabs[plane] * buckets + bucket + 1];
      });
  for (int64_t b = 0; b < slabs * buckets; ++b) to.starts[b + 1] += to.starts[b];
  const int64_t entries = to.starts[slabs * buckets];
  // Each bucket's start advances to its end, which is the start of the next bucket.
  stencil_visit_weights<Real>(set, [&](int64_t point, int64_t corner, int64_t plane, int64_t bucket,
                                       int64_t index, Real w) {
    if (w == 0) {
      to.entries[point * corners + corner] = -1;
      return;
    }
    const int32_t entry = to.starts[to.slabs[plane] * buckets + bucket]++;
    to.columns[entry] = (int32_t)index;
    to.numbers[entry] = (int32_t)point;
    to.weights[entry] = w;
    to.entries[point * corners + corner] = entry;
  });
  for (int64_t b = slabs * buckets; b > 0; --b) to.starts[b] = to.starts[b - 1];
  to.starts[0] = 0;
  if (to.counts) stencil_count_entries(set, to);
  return entries;
}
// end
