// Reports as JSON and CSV.
#pragma once

#include <string>

#include "tools/stencilc/explore/report.h"

namespace stencil::explore {

// The whole report as JSON. Members are named as in the structures; unknown values are null or
// missing; non-finite numbers are null. Additional members: `rank` and `limit` (a name) of
// candidates, `points` and `kendall_tau`. One line per candidate. Points of the curves
// `by_elements` and `by_time_tile` have the drawn values: rates in GCells/s and GFLOP/s, and 32-bit
// words, instructions and redundancy per point and step. Invalid UTF-8 becomes U+FFFD.
std::string json_of(const Report& report);

// The candidates as CSV (RFC 4180): a header, then one line each. Each term has a column "NAME
// seconds", each instruction class a column "NAME count"; unknown values are empty.
std::string csv_of(const Report& report);

// JSON for the page's script: json_of() without the texts of program and kernels, with six digits,
// with invisible characters written out (support/escape.h), and without `<`, `>` and `&`, so that
// it can be embedded in HTML.
std::string page_data(const Report& report);

}  // namespace stencil::explore
