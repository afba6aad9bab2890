// The builder of stencil/builder.h. The package traces a program as Python objects and then makes
// these calls (python/stencilc/_build.py), so that all rules of the language are checked in one
// place.
#include <algorithm>
#include <set>
#include <stdexcept>

#include "python/src/binding.h"

namespace stencil::python {

namespace {

using dsl::Box;
using dsl::Expr;
using dsl::Index;
using dsl::Range;

// Places keep a pointer to the name of their file. The GIL protects the set.
dsl::Place place_of(const std::string& file, uint32_t line) {
  static auto* const files = new std::set<std::string>;
  return {files->insert(file).first->c_str(), line};
}

using Unary = Expr (*)(const Expr&);
using Binary = Expr (*)(const Expr&, const Expr&);

const std::map<std::string, Unary>& unary_functions() {
  static const std::map<std::string, Unary> table = {
      {"abs", dsl::abs}, {"sqrt", dsl::sqrt}, {"rsqrt", dsl::rsqrt}, {"floor", dsl::floor},
      {"ceil", dsl::ceil}, {"round", dsl::round}, {"trunc", dsl::trunc}, {"sign", dsl::sign},
      {"exp", dsl::exp}, {"exp2", dsl::exp2}, {"log", dsl::log}, {"log2", dsl::log2},
      {"log10", dsl::log10}, {"cbrt", dsl::cbrt}, {"sin", dsl::sin}, {"cos", dsl::cos},
      {"tan", dsl::tan}, {"asin", dsl::asin}, {"acos", dsl::acos}, {"atan", dsl::atan},
      {"sinh", dsl::sinh}, {"cosh", dsl::cosh}, {"tanh", dsl::tanh}, {"asinh", dsl::asinh},
      {"acosh", dsl::acosh}, {"atanh", dsl::atanh}, {"erf", dsl::erf}, {"erfc", dsl::erfc},
      {"origin", dsl::origin}, {"spacing", dsl::spacing}, {"position", dsl::position},
      {"-", dsl::operator- }, {"not", dsl::operator!}, {"~", dsl::operator~} };
  return table;
}

const std::map<std::string, Binary>& binary_functions() {
  static const std::map<std::string, Binary> table = {{"+", dsl::operator+ },
                                                       {"-", dsl::operator- },
                                                        {"*", dsl::operator* },
                                                         {"/", dsl::operator/ },
                                                          {"%", dsl::operator% },
                                                           {"==", dsl::operator== },
                                                            {"!=", dsl::operator!= },
                                                             {"<", dsl::operator<},
                                                              {"<=", dsl::operator<= },
                                                               {">", dsl::operator> },
                                                                {">=", dsl::operator>= },
                                                                 {"and", dsl::operator&& },
                                                                  {"or", dsl::operator|| },
                                                                   {"&", dsl::operator& },
                                                                    {"|", dsl::operator| },
                                                                     {"^", dsl::operator^ },
                                                                      {"<<", dsl::operator<< },
                                                                       {">>", dsl::operator>> },
                                                                        {"pow", dsl::pow},
                                                                        {"hypot", dsl::hypot},
                                                                        {"lshr", dsl::lshr},
                                                                        {"atan2", dsl::atan2},
                                                                        {"within", dsl::within}};
  return table;
}

const std::map<std::string, dsl::ScalarType>& scalars() {
  static const std::map<std::string, dsl::ScalarType> table = {
      {"real", dsl::real},    {"float", dsl::float_},   {"double", dsl::double_},
      {"half", dsl::half},    {"bfloat", dsl::bfloat},  {"integer", dsl::integer},
      {"long", dsl::long_},   {"byte", dsl::byte},      {"ubyte", dsl::ubyte},
      {"short", dsl::short_}, {"ushort", dsl::ushort_}, {"bool", dsl::bool_}};
  return table;
}

// An operator, a function of the language or a conversion, applied to its operands.
Expr apply(const std::string& name, const std::vector<Expr>& x) {
  const auto count = [&](size_t wanted) {
    if (x.size() != wanted) throw std::invalid_argument("operands of " + name);
  };
  if (x.size() == 1) {
    if (const auto found = unary_functions().find(name); found != unary_functions().end()) {
      return found->second(x[0]);
    }
    if (const auto found = scalars().find(name); found != scalars().end()) {
      return found->second(x[0]);
    }
  }
  if (x.size() == 2) {
    if (const auto found = binary_functions().find(name); found != binary_functions().end()) {
      return found->second(x[0], x[1]);
    }
  }
  if (name == "min") return dsl::min_of(x);
  if (name == "max") return dsl::max_of(x);
  if (name == "values") return dsl::values(x);
  if (name == "time") return dsl::step_index();
  if (name == "pi") return dsl::pi();
  if (name == "level") return dsl::level();
  if (name == "first") return dsl::first();
  if (name == "last") return dsl::last();
  if (name == "random" && !x.empty()) return dsl::random({x.begin(), x.end() - 1}, x.back());
  if (name == "select") {
    count(3);
    return dsl::select(x[0], x[1], x[2]);
  }
  if (name == "fma") {
    count(3);
    return dsl::fma(x[0], x[1], x[2]);
  }
  throw std::invalid_argument("no function " + name);
}

Expr comprehend(const std::string& reducer, const std::vector<Range>& ranges, const Expr& body) {
  if (reducer == "sum") return dsl::sum(ranges, body);
  if (reducer == "prod") return dsl::prod(ranges, body);
  if (reducer == "min") return dsl::min(ranges, body);
  if (reducer == "max") return dsl::max(ranges, body);
  return dsl::vector(ranges, body);
}

Range make_range(const std::optional<std::string>& index, const Expr& low,
                 const std::optional<Expr>& high, const std::optional<Expr>& stride) {
  const auto plain = [&] {
    if (index) return high ? Index(*index).in(low, *high) : Index(*index).in(low);
    return high ? Range(low, *high) : Range(low);
  };
  return stride ? plain().by(*stride) : plain();
}

// The rule with that keyword.
dsl::Rule make_rule(const std::string& keyword, const std::optional<Expr>& value) {
  const auto* const found =
      std::find(std::begin(dsl::kRuleKeywords), std::end(dsl::kRuleKeywords), keyword);
  if (found == std::end(dsl::kRuleKeywords)) throw std::invalid_argument("rule " + keyword);
  return {static_cast<dsl::Rule::Kind>(found - std::begin(dsl::kRuleKeywords)), value};
}

// Rules as Python gives them: per dimension (low, high or None); `list`: one entry per dimension.
using SidesList = std::vector<std::pair<dsl::Rule, std::optional<dsl::Rule>>>;
dsl::Boundary make_boundary(bool list, const SidesList& sides) {
  if (!list && sides.empty()) return {};
  if (!list) return sides[0].first;
  std::vector<dsl::Sides> out;
  for (const auto& [low, high] : sides) {
    out.push_back(high ? dsl::Sides(low, *high) : dsl::Sides(low));
  }
  return out;
}

dsl::PerDimension make_values(bool list, const std::vector<Expr>& values) {
  if (list) return values;
  return values.empty() ? dsl::PerDimension() : dsl::PerDimension(values[0]);
}

dsl::Reducer reducer_of(const std::string& name) {
  static const std::map<std::string, dsl::Reducer> reducers = {{"sum", dsl::Reducer::sum},
                                                               {"prod", dsl::Reducer::prod},
                                                               {"min", dsl::Reducer::min},
                                                               {"max", dsl::Reducer::max}};
  return reducers.at(name);
}

// Calls `body`; an exception of Python passes through the library, which is built with exceptions
// and stores no state across this call that a later finish() could misread: the builder is dropped.
void repeat(Builder& builder, const Expr& count, const nb::object& body, dsl::Place place) {
  builder.repeat(
      count, [&] { body(); }, place);
}

void bind_expressions(nb::module_& module) {
  nb::class_<Expr>(module, "Expr");
  nb::class_<Index, Expr>(module, "Index").def(nb::init<std::string>());
  nb::class_<Range>(module, "Range");
  nb::class_<dsl::Domain>(module, "Domain");
  nb::class_<dsl::Region>(module, "Region");
  nb::class_<dsl::Type>(module, "Type");
  nb::class_<dsl::Rule>(module, "Rule");
  nb::class_<dsl::Boundary>(module, "Boundary");
  nb::class_<dsl::PerDimension>(module, "PerDimension");
  nb::class_<dsl::Field, Expr>(module, "Field").def(nb::init<std::string>());
  nb::class_<dsl::FieldArgument, dsl::Field>(module, "FieldArgument").def(nb::init<std::string>());
  nb::class_<dsl::ValueArgument, Expr>(module, "ValueArgument").def(nb::init<std::string>());
  nb::class_<dsl::Target>(module, "Target");
  nb::class_<dsl::Reduction, Expr>(module, "Reduction").def(nb::init<std::string>());
  nb::class_<dsl::Points>(module, "Points")
      .def_prop_ro("domain", [](const dsl::Points& self) { return self.domain; })
      .def_prop_ro("places", [](const dsl::Points& self) { return self.places; });

  module.def("boolean", [](bool value) { return Expr(value); });
  module.def("integer", [](int64_t value) { return Expr(value); });
  module.def("number", [](double value) { return Expr(value); });
  module.def("apply", &apply);
  module.def("at_indices", [](const Expr& base, const std::vector<Expr>& indices) {
    return base.at_indices(indices);
  });
  module.def("member", [](const Expr& base, const std::string& name) { return base.member(name); });
  module.def("record", [](const std::vector<std::pair<std::string, Expr>>& members) {
    std::vector<dsl::NamedValue> out;
    for (const auto& [name, value] : members) out.push_back({name, value});
    return dsl::record(out);
  });
  module.def("level", [](const dsl::Field& field, int steps) { return field.at(steps); });
  module.def("other_level", [](const dsl::Field& field, int towards, int steps) -> Expr {
    const dsl::LevelField found = towards < 0 ? dsl::fine(field) : dsl::coarse(field);
    return steps == 0 ? Expr(found) : found.at(steps);
  });
  module.def("before", [](const dsl::Reduction& reduction) { return reduction.before(); });
  module.def("comprehend", &comprehend);
  module.def("make_range", &make_range, nb::arg("index").none(), nb::arg("low"),
             nb::arg("high").none(), nb::arg("stride").none());
  module.def("region_of_domain", [](const dsl::Domain& domain, const std::vector<Index>& indices) {
    return dsl::Region(domain, indices);
  });
  module.def("region_of_box", [](const Box& box) { return dsl::Region(box); });
  module.def("region_where", [](const dsl::Region& region, const Expr& condition) {
    return region.where(condition);
  });
  module.def("scalar_type", [](const std::string& name) { return dsl::Type(scalars().at(name)); });
  module.def("vector_type", [](const Expr& length, const dsl::Type& element) {
    return dsl::vector(length, element);
  });
  module.def("structure_type", [](const std::vector<std::pair<std::string, dsl::Type>>& members) {
    std::vector<dsl::Member> out;
    for (const auto& [name, type] : members) out.push_back({name, type});
    return dsl::structure(out);
  });
  module.def("rule", &make_rule, nb::arg("name"), nb::arg("value").none());
  module.def("boundary", &make_boundary);
  module.def("per_dimension", &make_values);
  module.def("target", [](const dsl::Field& field, const std::vector<std::string>& members) {
    dsl::Target target(field);
    for (const std::string& member : members) target = target.member(member);
    return target;
  });
}

void bind_bodies(nb::module_& module) {
  nb::class_<dsl::Function>(module, "Function")
      .def("call", [](const dsl::Function& self,
                      const std::vector<Expr>& arguments) { return self.call(arguments); })
      .def("let", [](const dsl::Function& self, const std::string& name, const Expr& value,
                     const std::string& file,
                     uint32_t line) { return self.let(name, value, place_of(file, line)); })
      .def("value", [](const dsl::Function& self, const Expr& value, const std::string& file,
                       uint32_t line) { self.value(value, place_of(file, line)); });
  nb::class_<dsl::Stencil>(module, "Stencil")
      .def("let", [](const dsl::Stencil& self, const std::string& name, const Expr& value,
                     const std::string& file,
                     uint32_t line) { return self.let(name, value, place_of(file, line)); })
      .def("piece", [](const dsl::Stencil& self, const dsl::Region& region, const Expr& value,
                       const std::string& file,
                       uint32_t line) { self.piece(region, value, place_of(file, line)); })
      .def("every", [](const dsl::Stencil& self, const Expr& n, const std::string& file,
                       uint32_t line) { self.every(n, place_of(file, line)); })
      .def("otherwise",
           [](const dsl::Stencil& self, const Expr& value, const std::vector<Index>& indices,
              const std::string& file,
              uint32_t line) { self.otherwise(value, indices, place_of(file, line)); });
  nb::class_<BuiltProgram>(module, "BuiltProgram")
      .def_prop_ro("name", &BuiltProgram::name)
      .def_prop_ro("text", &BuiltProgram::text);
  nb::class_<BuildMessage>(module, "BuildMessage")
      .def_ro("is_error", &BuildMessage::is_error)
      .def_ro("code", &BuildMessage::code)
      .def_ro("message", &BuildMessage::message)
      .def_ro("hint", &BuildMessage::hint)
      .def_ro("file", &BuildMessage::file)
      .def_ro("line", &BuildMessage::line)
      .def_ro("text", &BuildMessage::text);
}

void bind_blocks(nb::module_& module, nb::class_<Builder>& builder) {
  using Name = const std::string&;
  const auto apply = [&]<typename Applied>(const Applied*) {
    module.def("apply_statement", [](const Applied& applied, Name file, uint32_t line) {
      return dsl::Statement(applied, place_of(file, line));
    });
  };
  nb::class_<dsl::Statement>(module, "Statement");
  nb::class_<dsl::Cycle>(module, "Cycle")
      .def("body", [](const dsl::Cycle& self, const dsl::Block& block, Name file, uint32_t line) {
        self.body(block, place_of(file, line));
      });
  apply(static_cast<const dsl::Stencil*>(nullptr));
  apply(static_cast<const dsl::Cycle*>(nullptr));
  apply(static_cast<const dsl::Reduction*>(nullptr));
  apply(static_cast<const dsl::Field*>(nullptr));
  module.def("repeat_statement",
             [](const Expr& count, const dsl::Block& body, Name file, uint32_t line) {
               return dsl::repeat(count, body, place_of(file, line));
             });
  module.def("if_statement", [](const Expr& condition, const dsl::Block& then,
                                const dsl::Block& otherwise, Name file, uint32_t line) {
    return dsl::if_(condition, then, otherwise, place_of(file, line));
  });
  module.def("coarser_statement", [](const dsl::Block& body, Name file, uint32_t line) {
    return dsl::coarser(body, place_of(file, line));
  });
  builder
      .def("cycle", [](Builder& self, Name name, Name file,
                       uint32_t line) { return self.cycle(name, place_of(file, line)); })
      .def("step", [](Builder& self, const dsl::Block& body, Name file,
                      uint32_t line) { self.step(body, place_of(file, line)); })
      .def("start", [](Builder& self, const dsl::Block& body, Name file, uint32_t line) {
        self.start(body, place_of(file, line));
      });
}

void bind_declarations(nb::class_<Builder>& builder) {
  using Name = const std::string&;
  builder
      .def(
          "param",
          [](Builder& self, Name name, const dsl::Type& type, const std::optional<Expr>& value,
             Name file,
             uint32_t line) { return self.param(name, type, value, place_of(file, line)); },
          nb::arg("name"), nb::arg("type"), nb::arg("value").none(), nb::arg("file"),
          nb::arg("line"))
      .def(
          "grid",
          [](Builder& self, Name name, const Box& box, const std::optional<Expr>& steps,
             const dsl::PerDimension& origin, const dsl::PerDimension& spacing,
             const std::optional<Expr>& levels, const dsl::PerDimension& by, bool cells, Name file,
             uint32_t line) {
            return self.grid(name, box, dsl::GridOptions{steps, origin, spacing, levels, by, cells},
                             place_of(file, line));
          },
          nb::arg("name"), nb::arg("box"), nb::arg("steps").none(), nb::arg("origin"),
          nb::arg("spacing"), nb::arg("levels").none(), nb::arg("by"), nb::arg("cells"),
          nb::arg("file"), nb::arg("line"))
      .def("derived_grid",
           [](Builder& self, Name name, const dsl::Domain& parent, const dsl::PerDimension& by,
              bool cells, Name file, uint32_t line) {
             return self.grid(name, parent, dsl::Coarsening{by, cells}, place_of(file, line));
           })
      .def("subgrid",
           [](Builder& self, Name name, const dsl::Domain& parent, const Box& box, Name file,
              uint32_t line) { return self.subgrid(name, parent, box, place_of(file, line)); })
      .def("type", [](Builder& self, Name name, const dsl::Type& type, Name file,
                      uint32_t line) { return self.type(name, type, place_of(file, line)); })
      .def(
          "field",
          [](Builder& self, Name name, const dsl::Type& type, const dsl::Domain& domain,
             const std::optional<Expr>& history, bool constant, const dsl::Boundary& boundary,
             const dsl::PerDimension& along, Name file, uint32_t line) {
            return self.field(name, type, domain, {history, constant, boundary, along},
                              place_of(file, line));
          },
          nb::arg("name"), nb::arg("type"), nb::arg("domain"), nb::arg("history").none(),
          nb::arg("constant"), nb::arg("boundary"), nb::arg("along"), nb::arg("file"),
          nb::arg("line"))
      .def(
          "series",
          [](Builder& self, Name name, const dsl::Type& type, const Range& times,
             const std::optional<dsl::Domain>& domain, const dsl::PerDimension& along,
             const dsl::Boundary& boundary, Name file, uint32_t line) {
            return self.series(name, type, times, {domain, along, boundary}, place_of(file, line));
          },
          nb::arg("name"), nb::arg("type"), nb::arg("times"), nb::arg("domain").none(),
          nb::arg("along"), nb::arg("boundary"), nb::arg("file"), nb::arg("line"))
      .def(
          "points",
          [](Builder& self, Name name, const Range& numbers, const dsl::Domain& domain,
             const std::optional<Expr>& weights, Name file, uint32_t line) {
            return self.points(name, numbers, domain, weights, place_of(file, line));
          },
          nb::arg("name"), nb::arg("numbers"), nb::arg("domain"), nb::arg("weights").none(),
          nb::arg("file"), nb::arg("line"))
      .def("table",
           [](Builder& self, Name name, const dsl::Type& type, const std::vector<Expr>& extents,
              const Expr& value, Name file, uint32_t line) {
             return self.table(name, type, extents, value, place_of(file, line));
           });
}

void bind_actions(nb::class_<Builder>& builder) {
  using Name = const std::string&;
  builder
      .def("function",
           [](Builder& self, Name name, const std::vector<std::pair<std::string, bool>>& arguments,
              Name file, uint32_t line) {
             std::vector<dsl::Argument> out;
             for (const auto& [argument, is_field] : arguments) {
               out.push_back(is_field ? dsl::Argument(dsl::FieldArgument(argument))
                                      : dsl::Argument(dsl::ValueArgument(argument)));
             }
             return self.function(name, out, place_of(file, line));
           })
      .def("stencil",
           [](Builder& self, Name name, const std::vector<dsl::Target>& targets, Name file,
              uint32_t line) { return self.stencil(name, targets, place_of(file, line)); })
      .def("repeat", [](Builder& self, const Expr& count, const nb::object& body, Name file,
                        uint32_t line) { repeat(self, count, body, place_of(file, line)); })
      .def("init", [](Builder& self, const dsl::Field& target, const std::vector<Index>& indices,
                      const Expr& value, Name file,
                      uint32_t line) { self.init(target, indices, value, place_of(file, line)); })
      .def(
          "reduce",
          [](Builder& self, Name name, Name reducer, const Expr& value, const dsl::Region& region,
             const std::optional<Expr>& every, const std::optional<Expr>& initial, Name file,
             uint32_t line) {
            return self.reduce(name, reducer_of(reducer), value, region,
                               dsl::ReduceOptions{every, initial, {}}, place_of(file, line));
          },
          nb::arg("name"), nb::arg("reducer"), nb::arg("value"), nb::arg("region"),
          nb::arg("every").none(), nb::arg("initial").none(), nb::arg("file"), nb::arg("line"))
      .def(
          "reduce_over",
          [](Builder& self, Name name, const dsl::PerDimension& dimensions, Name reducer,
             const Expr& value, const dsl::Region& region, const std::optional<Expr>& every,
             const std::optional<Expr>& initial, const dsl::Boundary& boundary, Name file,
             uint32_t line) {
            return self.reduce_over(name, dimensions, reducer_of(reducer), value, region,
                                    dsl::ReduceOptions{every, initial, boundary},
                                    place_of(file, line));
          },
          nb::arg("name"), nb::arg("dimensions"), nb::arg("reducer"), nb::arg("value"),
          nb::arg("region"), nb::arg("every").none(), nb::arg("initial").none(),
          nb::arg("boundary"), nb::arg("file"), nb::arg("line"))
      .def(
          "record",
          [](Builder& self, Name name, const Range& rows, const Expr& value,
             const dsl::Points& points, const std::optional<Expr>& every, Name file,
             uint32_t line) {
            self.record(name, rows, value, points, every, place_of(file, line));
          },
          nb::arg("name"), nb::arg("rows"), nb::arg("value"), nb::arg("points"),
          nb::arg("every").none(), nb::arg("file"), nb::arg("line"))
      .def("stop", [](Builder& self, const Expr& condition, Name file,
                      uint32_t line) { self.stop(condition, place_of(file, line)); })
      .def("require", [](Builder& self, const Expr& condition, Name file, uint32_t line) {
        self.require(condition, place_of(file, line));
      });
}

}  // namespace

void bind_builder(nb::module_& module) {
  bind_expressions(module);
  bind_bodies(module);
  nb::class_<Builder> builder(module, "Builder");
  builder.def(
      "__init__",
      [](Builder* self, const std::string& name, const std::string& file, uint32_t line) {
        new (self) Builder(name, place_of(file, line));
      },
      nb::arg("name"), nb::arg("file"), nb::arg("line"));
  bind_declarations(builder);
  bind_actions(builder);
  bind_blocks(module, builder);
  builder.def(
      "finish",
      [](const Builder& self, bool analyse, const Texts& definitions) {
        const BuildResult result = self.finish({analyse, definitions});
        return nb::make_tuple(result.program, result.messages);
      },
      nb::arg("analyse"), nb::arg("definitions"));
}

}  // namespace stencil::python
