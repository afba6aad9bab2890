// Stencil functions: their regions, pieces, local values and stored values.
#include <fmt/format.h>

#include <algorithm>

#include "tests/property/generator_parts.h"

namespace stencil::property {

// The site of an expression written to the field, within its domain.
Site Generator::site_of(const Field& target) const {
  Site site(out_.rank);
  site.reach.enclose(target.margin);
  return site;
}

std::string Part::name() const {
  return target.substr(target.rfind('.') + 1);
}

// The field, or one of its members.
Part Generator::part_of(const Field& field) {
  Part part{field.name, fmt::format("{}[{}]", field.name, list(Offset(rank(), 0))), field.type};
  if (exact_ || plain_ || field.type.is_scalar() || field.type.is_vector()) return part;
  if (!random_.chance(choices_.member_target)) return part;
  const Type::Member member = random_.pick(field.type.members);
  covers(member.type.is_scalar() ? "member as a target" : "vector member as a target");
  return {part.target + member.path, part.present + member.path, member.type};
}

// Combines all targets of a function into one field whose type is a structure.
Field Generator::target_of(const Field& first) {
  parts_ = {part_of(first)};
  Field out = first;
  written_.insert(first.name);
  for (const Field* other : targets()) {
    if (exact_ || plain_ || other->domain != first.domain || other->name == first.name) continue;
    if (parts_.size() == 3 || !random_.chance(choices_.several_targets)) continue;
    const Part part = part_of(*other);
    const bool taken = std::any_of(parts_.begin(), parts_.end(), [&](const Part& before) {
      return before.name() == part.name();
    });
    if (taken) continue;
    parts_.push_back(part);
    written_.insert(other->name);
    covers("several targets");
    if (first.history != other->history) covers("several targets of different histories");
  }
  out.name = parts_[0].target;
  out.type = parts_[0].type;
  if (parts_.size() == 1) return out;
  out.name = "";
  out.type = {};
  out.type.text = "several";
  for (const Part& part : parts_) {
    out.name += (out.name.empty() ? "" : ", ") + part.target;
    out.type.members.push_back({"." + part.name(), part.type});
  }
  return out;
}

std::string Generator::make_stencil(int number) {
  const std::vector<const Field*> written = targets();
  const Field* target = plain_ ? written[number] : random_.pick(written);
  for (const Field* field : written) {
    const bool again = field->name == last_target_ && !plain_;
    if (again && random_.chance(choices_.same_target)) target = field;
  }
  if (target->name == last_target_) covers("several writers of a field");
  last_target_ = target->name;
  lets_.clear();
  let_texts_.clear();
  const Field written_here = target_of(*target);
  target = &written_here;
  const std::string interval = every();
  const std::string head = fmt::format("stencil f{} : {}{}", number, target->name, interval);
  const bool simple = tiny_ || plain_;
  if (!simple && random_.chance(choices_.pieces)) return head + with_lets(make_pieces(*target));
  if (!plain_ && random_.chance(choices_.boundary_function)) {
    return head + with_lets(make_boundary_function(*target));
  }
  Site site = site_of(*target);
  site.lets_allowed = true;
  const std::string value = stored(target->type, site);
  const std::string condition = where(site);
  const std::string rest = otherwise();
  if (!let_texts_.empty() || !rest.empty()) {
    return head + with_lets(fmt::format("  [{}]{} = {};\n", region(site), condition, value) + rest);
  }
  if (!tiny_ && random_.chance(choices_.named_region)) {
    const std::string indices = index_list(site);
    return head +
           fmt::format(" on {}{}{} = {};\n", named_region(site.reach), indices, condition, value);
  }
  return head + fmt::format("{}[{}]{} = {};\n", interval.empty() ? "" : " on ", region(site),
                            condition, value);
}

// Only fields with one level repeat. Exact programs do not, because
// their values would grow too large.
void Generator::choose_repeat(int functions) {
  if (exact_ || plain_ || !random_.chance(choices_.repeat)) return;
  in_repeat_ = true;
  const bool possible = !targets().empty();
  in_repeat_ = false;
  if (!possible) return;
  repeat_.first = random_.below(functions);
  repeat_.last = random_.between(repeat_.first, functions - 1);
  repeat_.iterations = random_.pick<int>({1, 2, 3, 4, 5, 7});
  covers("repeat");
  if (repeat_.last > repeat_.first) covers("repeat of several functions");
  if (repeat_.last - repeat_.first + 1 < functions) covers("repeat beside other functions");
  if (!random_.chance(30)) return;
  inner_repeat_.first = random_.between(repeat_.first, repeat_.last);
  inner_repeat_.last = random_.between(inner_repeat_.first, repeat_.last);
  inner_repeat_.iterations = random_.pick<int>({1, 2, 3, 5});
  repeat_.iterations = random_.pick<int>({1, 2, 3});
  covers("repeat in a repeat");
}

// All stencil functions, with the reductions between them.
std::string Generator::make_stencils(int count) {
  std::string out;
  for (int f = 0; f < count; ++f) {
    out += make_statistics(f);
    for (const Repeat& repeat : {repeat_, inner_repeat_}) {
      if (f == repeat.first && repeat.holds(f)) {
        out += fmt::format("repeat {} {{\n", repeat.iterations);
      }
    }
    in_repeat_ = repeat_.holds(f);
    out += make_stencil(f);
    for (const Repeat& repeat : {inner_repeat_, repeat_}) {
      if (f == repeat.last && repeat.holds(f)) out += "}\n";
    }
    in_repeat_ = false;
  }
  return out + make_statistics(count);
}

std::string Generator::every() {
  if (exact_ || plain_ || !random_.chance(choices_.every)) return "";
  covers("function every n steps");
  return fmt::format(" every {}", random_.between(1, 4));
}

std::string Generator::with_lets(const std::string& pieces) {
  std::string text = " {\n";
  for (const std::string& let : let_texts_) text += "  " + let + "\n";
  return text + pieces + "}\n";
}

// A condition for some pieces and reductions. Its reads count for the region, so it is drawn first.
std::string Generator::where(Site& site) {
  if (exact_ || plain_ || !random_.chance(choices_.where)) return "";
  covers("where");
  if (random_.chance(choices_.where_congruence)) {
    const std::string colour = congruence(site);
    if (!colour.empty()) covers("where of a colour");
    if (!colour.empty()) return " where " + colour;
  }
  return " where " + hole('c', site, 1);
}

// A final piece for the remaining points. It reads only the point itself.
std::string Generator::otherwise() {
  if (exact_ || plain_ || !random_.chance(choices_.otherwise)) return "";
  covers("else");
  out_.sizes_known = true;
  if (parts_.size() == 1) return fmt::format("  else = {};\n", kept(parts_[0]));
  std::vector<std::string> values;
  for (const Part& part : parts_) values.push_back(kept(part));
  return fmt::format("  else = {{{}}};\n", list(values));
}

std::string Generator::kept(const Part& part) {
  if (all_floating(part.type)) return fmt::format("0.5 * {}", part.present);
  const bool integer = part.type.is_scalar() && is_integer(part.type.number);
  const bool condition = part.type.is_scalar() && is_condition(part.type.number);
  return fmt::format("{}{}{}", condition ? "not " : "", part.present, integer ? " ^ 5" : "");
}

// The index names that the site uses, for all dimensions, after a named region.
std::string Generator::index_list(const Site& site) {
  if (site.names.empty()) return "";
  covers("index names of a named region");
  std::vector<std::string> names;
  for (size_t d = 0; d < rank(); ++d) names.push_back(fmt::format("i{}", d));
  return fmt::format("[{}]", list(names));
}

// A function of the points at one edge, which mostly read inwards, as in a Neumann condition.
std::string Generator::make_boundary_function(const Field& target) {
  covers("function at an edge");
  const size_t axis = static_cast<size_t>(random_.below(out_.rank));
  const bool low_edge = random_.chance(50);
  Site site = site_of(target);
  if (random_.chance(75)) (low_edge ? site.least : site.most)[axis] = 0;
  const std::string value = stored(target.type, site);
  const int low = site.reach.low[axis], high = site.reach.high[axis];
  needed_[axis] = std::max(needed_[axis], low + high + 1);
  std::vector<std::string> fixed(rank());
  fixed[axis] = low_edge ? above_first(axis, low) : below_last(axis, high);
  return fmt::format("  [{}] = {};\n", region(site, fixed), value);
}

// Up to two pieces at the low edge of one dimension, the middle, and up to two at the high edge.
std::string Generator::make_pieces(const Field& target) {
  covers("pieces");
  const size_t axis = static_cast<size_t>(random_.below(out_.rank));
  const bool inwards = random_.chance(50);
  const bool shared_lets = random_.chance(50);
  std::vector<std::string> pieces;
  const auto add = [&](Site& site, const std::string& along, const std::string& value,
                       const std::string& condition) {
    std::vector<std::string> fixed(rank());
    fixed[axis] = along;
    pieces.push_back(fmt::format("  [{}]{} = {};\n", region(site, fixed), condition, value));
  };
  int taken_low = 0, taken_high = 0;  // points from either edge that already have a piece
  for (int piece = random_.below(3); piece > 0; --piece) {
    Site site = site_of(target);
    site.lets_allowed = shared_lets;
    if (inwards) site.least[axis] = 0;
    const std::string value = stored(target.type, site);
    const std::string condition = where(site);
    const int first = std::max(taken_low, site.reach.low[axis]);
    const int last = first + random_.below(2);
    const std::string begin = above_first(axis, first);
    add(site, first == last ? begin : begin + ".." + above_first(axis, last), value, condition);
    taken_low = last + 1;
    needed_[axis] = std::max(needed_[axis], taken_low + site.reach.high[axis]);
  }
  for (int piece = random_.below(3); piece > 0; --piece) {
    Site site = site_of(target);
    site.lets_allowed = shared_lets;
    if (inwards) site.most[axis] = 0;
    const std::string value = stored(target.type, site);
    const std::string condition = where(site);
    const int first = std::max(taken_high, site.reach.high[axis]);  // from the high edge
    const int last = first + random_.below(2);
    const std::string end = below_last(axis, first);
    add(site, first == last ? end : below_last(axis, last) + ".." + end, value, condition);
    taken_high = last + 1;
    needed_[axis] = std::max(needed_[axis], taken_high + site.reach.low[axis]);
  }
  Site site = site_of(target);
  site.lets_allowed = shared_lets;
  const std::string value = stored(target.type, site);
  const std::string condition = where(site);
  const int low = std::max(taken_low, site.reach.low[axis]);
  const int high = std::max(taken_high, site.reach.high[axis]);
  needed_[axis] = std::max(needed_[axis], low + high + 1);
  add(site, range(axis, low, high), value, condition);
  std::rotate(pieces.begin(), pieces.begin() + random_.below(static_cast<int>(pieces.size())),
              pieces.end());
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text + otherwise();
}

// --- Stored values ---

std::string Generator::stored(const Type& type, Site& site) {
  if (exact_) return linear_value(site);
  if (type.is_scalar()) {
    if (is_condition(type.number)) return pick_form(condition_forms(), site, 0);
    return is_integer(type.number) ? integer_value(type.number, site) : floating_value(site);
  }
  if (all_floating(type) && random_.chance(20)) return stored_whole(type, site);
  if (type.is_vector() && type.members[0].type.is_scalar() && random_.chance(40)) {
    return stored_vector(type, site);
  }
  const bool named = !type.is_vector() && random_.chance(60);
  std::vector<std::string> values;
  for (const Type::Member& member : type.members) {
    values.push_back((named ? member.path.substr(1) + " = " : "") + stored(member.type, site));
  }
  return fmt::format("{{{}}}", list(values));
}

// Componentwise arithmetic of whole elements, or one value for all components.
std::string Generator::stored_whole(const Type& type, Site& site) {
  std::vector<const Field*> fields;
  for (const Field& field : fields_) {
    if (field.type.text == type.text) fields.push_back(&field);
  }
  if (fields.empty() || random_.chance(25)) {
    covers("scalar fills an element");
    return floating_value(site);
  }
  covers("arithmetic of elements");
  const std::string a = access(*random_.pick(fields), site);
  const std::string b = access(*random_.pick(fields), site);
  const char* sign = random_.chance(50) ? "+" : "-";
  return fmt::format("0.5 * ({} {} {}) + {}", a, sign, b, floating(site, 2));
}

std::string Generator::stored_vector(const Type& type, Site& site) {
  covers("vector of a comprehension");
  const Number number = type.members[0].type.number;
  const int last = static_cast<int>(type.members.size()) - 1;
  if (is_integer(number)) {
    return fmt::format("vector(e in 0..{} : {} + e)", last, integer_value(number, site));
  }
  if (is_condition(number)) {
    return fmt::format("vector(e in 0..{} : e == 1 or {})", last, hole('c', site, 0));
  }
  return fmt::format("vector(e in 0..{} : 0.25 * (e + 1) * ({}))", last, floating_value(site));
}

}  // namespace stencil::property
