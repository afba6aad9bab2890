// Half of the boundaries have one rule for all edges, and a third of the others have rules by
// dimension only. Sides without a rule are rarer, because they only keep regions away from an edge.
#include "tests/property/boundaries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "compiler/syntax/boundary_words.h"

namespace stencil::property {

namespace {

// The rule that the text of a side begins with.
const BoundaryRow& row_of_rule(const std::string& rule) {
  return row_of(boundary_at(rule)->kind);
}

bool is_number_text(const std::string& value) {
  return value.find_first_not_of("0123456789.") == std::string::npos;
}

// The text after the keyword; empty if the rule takes no value.
std::string rule_value_of(const std::string& rule) {
  const size_t length = row_of_rule(rule).keyword.size();
  return length < rule.size() ? rule.substr(length + 1) : "";
}

bool is_computed(const std::string& rule) {
  return !row_of_rule(rule).plain() || !is_number_text(rule_value_of(rule));
}

// Rules by what a field must be like: per row of the table, the texts with several values.
struct RuleChoices {
  using Rows = std::vector<std::vector<std::string>>;
  Rows plain;                            // for every field, side by side with any other
  Rows computed;                         // for fields of numbers
  Rows slopes;                           // for fields of floating type
  Rows plain_joining, computed_joining;  // both edges have the rule
};

std::vector<std::string> texts_of(const BoundaryRow& row) {
  std::vector<std::string> out;
  const std::string keyword(row.keyword);
  switch (row.takes) {
    case BoundaryTakes::Nothing:
      return {keyword};
    case BoundaryTakes::Value:
      for (const char* value : {"0", "1", "2", "m * m", "time", "2 * m - time"}) {
        out.push_back(keyword + " " + value);
      }
      break;
    case BoundaryTakes::Slope:
      for (const char* value : {"0.5", "alpha * time", "1", "m - time"}) {
        out.push_back(keyword + " " + value);
      }
  }
  return out;
}

const RuleChoices& rule_choices() {
  static const RuleChoices kRuleChoices = [] {
    RuleChoices out;
    for (const BoundaryRow& row : kBoundaryRows) {
      std::vector<std::string> plain, computed;
      for (const std::string& rule : texts_of(row)) {
        (is_computed(rule) ? computed : plain).push_back(rule);
      }
      const bool joins = row.joins_edges();
      const bool slope = row.takes == BoundaryTakes::Slope;
      if (!plain.empty()) (joins ? out.plain_joining : out.plain).push_back(plain);
      if (computed.empty()) continue;
      (joins ? out.computed_joining : slope ? out.slopes : out.computed).push_back(computed);
    }
    return out;
  }();
  return kRuleChoices;
}

std::string one_of(Random& random, const RuleChoices::Rows& rows) {
  return random.pick(random.pick(rows));
}

// A rule for both edges of a dimension. `joining`: it may be one that both edges must have.
std::string random_rule(Random& random, bool everywhere, bool joining, Rules permitted) {
  const RuleChoices& all = rule_choices();
  if (permitted != Rules::Plain && random.chance(35)) {
    const int roll = random.between(0, 99);
    if (roll < 25 && permitted == Rules::All) return one_of(random, all.slopes);
    if (joining && roll < 35) return one_of(random, all.computed_joining);
    return one_of(random, all.computed);
  }
  std::string rule;
  do {
    rule = one_of(random, all.plain);
  } while (rule == "none" && (everywhere || random.chance(50)));
  return rule;
}

std::string random_joining_rule(Random& random, Rules permitted) {
  const RuleChoices& all = rule_choices();
  const bool computed = permitted != Rules::Plain && random.chance(40);
  return one_of(random, computed ? all.computed_joining : all.plain_joining);
}

Boundary::Sides random_sides(Random& random, bool everywhere, bool by_side, Rules permitted) {
  if (random.chance(20)) {
    const std::string rule = random_joining_rule(random, permitted);
    return {rule, rule};
  }
  const std::string low = random_rule(random, everywhere, false, permitted);
  return {low, by_side ? random_rule(random, everywhere, false, permitted) : low};
}

std::string rule_keyword_of(const std::string& rule) {
  return std::string(row_of_rule(rule).keyword);
}

// The coverage name of one side of a pair. Coverage counts single sides, because there are too many
// pairs to draw each.
std::string side_name(const std::string& rule) {
  return row_of_rule(rule).plain() ? rule_keyword_of(rule) : "odd or the like";
}

}  // namespace

bool Boundary::none() const {
  return std::all_of(dimensions.begin(), dimensions.end(), [](const Sides& sides) {
    return sides.low == "none" && sides.high == "none";
  });
}

bool Boundary::covers() const {
  return std::all_of(dimensions.begin(), dimensions.end(), [](const Sides& sides) {
    return sides.low != "none" && sides.high != "none";
  });
}

std::set<std::string> Boundary::constructs() const {
  if (none()) return {"boundary none"};
  if (text[0] != '[' && plain()) return {"boundary " + rule_keyword_of(text)};
  std::set<std::string> out = {"boundary by dimension"};
  for (const Sides& sides : dimensions) {
    for (const std::string* rule : {&sides.low, &sides.high}) {
      if (!is_computed(*rule)) continue;
      out.insert(row_of_rule(*rule).plain() ? "boundary with a computed value"
                                            : "boundary " + rule_keyword_of(*rule));
    }
  }
  for (const Sides& sides : dimensions) {
    if (sides.low == sides.high) continue;
    out.insert(fmt::format("boundary {} .. {}", side_name(sides.low), side_name(sides.high)));
  }
  return out;
}

bool Boundary::plain() const {
  return std::all_of(dimensions.begin(), dimensions.end(), [](const Sides& sides) {
    return !is_computed(sides.low) && !is_computed(sides.high);
  });
}

Boundary random_boundary(Random& random, int rank, bool everywhere, Rules permitted) {
  Boundary out;
  const auto count = static_cast<size_t>(rank);
  const int roll = random.between(everywhere ? 35 : 0, 99);
  if (roll < 65) {
    out.text = roll < 35   ? "none"
               : roll < 40 ? random_joining_rule(random, permitted)
               : roll < 60 ? random_rule(random, true, false, Rules::Plain)
                           : random_rule(random, true, true, permitted);
    out.dimensions.assign(count, {out.text, out.text});
    return out;
  }
  const bool by_side = random.chance(70);
  std::vector<std::string> entries;
  for (int d = 0; d < rank; ++d) {
    const Boundary::Sides sides = random_sides(random, everywhere, by_side, permitted);
    out.dimensions.push_back(sides);
    entries.push_back(sides.low == sides.high && random.chance(80)
                          ? sides.low
                          : fmt::format("{} .. {}", sides.low, sides.high));
  }
  out.text = fmt::format("[{}]", fmt::join(entries, ", "));
  return out;
}

Boundary no_boundary(int rank) {
  return {std::vector<Boundary::Sides>(static_cast<size_t>(rank)), "none"};
}

int points_needed(const Boundary::Sides& sides, int offset) {
  const std::string& near = offset < 0 ? sides.low : sides.high;
  const std::string& far = offset < 0 ? sides.high : sides.low;
  const BoundaryRow& row = row_of_rule(near);
  switch (row.image) {
    case BoundaryImage::Nowhere:
    case BoundaryImage::Given:
    case BoundaryImage::Edge:
      break;
    case BoundaryImage::Line:
      return offset != 0 ? 2 : 1;
    case BoundaryImage::Wrap:
      return row.plain() ? 1 : std::max(1, std::abs(offset));
    case BoundaryImage::Point:
    case BoundaryImage::Cell: {
      const bool once = !row.plain() || far == "none" || is_computed(far);
      // the image must not be a fixed edge point
      const bool fixed_far = row_of_rule(far).addend == BoundaryAddend::Twice;
      return once ? std::abs(offset) + (fixed_far ? 2 : 1) : 1;
    }
  }
  return 1;
}

bool needs_two_points(const Boundary::Sides& sides) {
  const auto needs = [](const std::string& rule) {
    const BoundaryRow& row = row_of_rule(rule);
    return row.image == BoundaryImage::Line || row.addend == BoundaryAddend::Twice;
  };
  return needs(sides.low) || needs(sides.high);
}

std::string with_constant_edges(std::string text) {
  for (const BoundaryRow& row : kBoundaryRows) {
    if (row.addend != BoundaryAddend::Twice) continue;
    const std::string keyword = std::string(row.keyword) + " ";
    for (size_t at = 0; (at = text.find(keyword, at)) != std::string::npos;) {
      text.replace(at, keyword.size(), "constant ");
    }
  }
  return text;
}

}  // namespace stencil::property
