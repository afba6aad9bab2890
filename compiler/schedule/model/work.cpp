#include "compiler/schedule/model/work.h"

namespace stencil::schedule {

Operations& Operations::add(const Operations& other, double times) {
  single += times * other.single;
  real += times * other.real;
  integer += times * other.integer;
  calls += times * other.calls;
  real_calls += times * other.real_calls;
  multiplied += times * other.multiplied;
  real_multiplied += times * other.real_multiplied;
  selects += times * other.selects;
  loads += times * other.loads;
  stores += times * other.stores;
  copies += times * other.copies;
  bulk += times * other.bulk;
  shared += times * other.shared;
  conflicts += times * other.conflicts;
  shuffles += times * other.shuffles;
  accesses += times * other.accesses;
  points += times * other.points;
  return *this;
}

double Operations::arithmetic() const {
  return single + real + integer + calls + real_calls + multiplied + real_multiplied;
}

}  // namespace stencil::schedule
