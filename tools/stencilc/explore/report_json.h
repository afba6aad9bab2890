// A report for programs that read it.
#pragma once

#include <string>

#include "tools/stencilc/explore/report.h"

namespace stencil::explore {

// Everything in the report, as JSON: members are called as those of the structures, what is unknown
// is null or left out, and numbers that are not finite are null. Beside them: `rank` and `limit` (a
// name) of candidates, `points` and `kendall_tau`. One line per candidate. Points of the curves
// `by_elements` and `by_time_tile` have what is drawn of them: rates in GCells/s and in GFLOP/s,
// and words of 32 bits, instructions and redundancy per point and step. Bytes that are no UTF-8
// become U+FFFD.
std::string json_of(const Report& report);

// The candidates as CSV (RFC 4180): a header, then a line each. Every term is a column "NAME
// seconds", every class of instructions a column "NAME count"; what is unknown is empty.
std::string csv_of(const Report& report);

// JSON for the page's script: what json_of gives, but without the texts of program and kernels,
// with six digits, with characters that are not seen written out (support/escape.h), and without
// any `<`,
// `>` or `&`, so that it can stand in a page.
std::string page_data(const Report& report);

}  // namespace stencil::explore
