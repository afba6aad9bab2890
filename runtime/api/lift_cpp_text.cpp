#include "runtime/api/lift_cpp_text.h"

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <sstream>

#include "compiler/emit/names.h"

namespace stencil::api {

using lifter::X;
using lifter::XKind;

std::string in_cpp(std::string text) {
  const size_t at = text.find("_Bool");
  return at == std::string::npos ? text : text.replace(at, 5, "bool");
}

std::string element_name(lifter::CScalar type) {
  return in_cpp(lifter::name_of(type));
}

bool is_cpp_keyword(const std::string& name) {
  static const std::set<std::string> kWords = [] {
    std::istringstream in{std::string(emit::kKeywords)};
    return std::set<std::string>(std::istream_iterator<std::string>(in), {});
  }();
  return kWords.count(name) > 0;
}

std::string number_text(X x) {
  using lifter::CScalar;
  const auto bits = static_cast<uint64_t>(x->integer);
  if (x->type == CScalar::U64) return fmt::format("{}ull", bits);
  if (x->type == CScalar::U32) return fmt::format("{}u", bits);
  const bool wide = x->type == CScalar::I64;
  const int64_t least = wide ? INT64_MIN : INT32_MIN;
  const char* suffix = wide ? "ll" : "";
  if (x->integer == least) return fmt::format("({}{} - 1)", x->integer + 1, suffix);
  return x->integer < 0 ? fmt::format("({}{})", x->integer, suffix)
                        : fmt::format("{}{}", x->integer, suffix);
}

std::optional<std::string> unsigned_value(const lifter::Lifted& lifted) {
  std::set<int> sizes;
  const auto add = [&](X x) {
    lifter::each_node(x, [&](X n) {
      if (n->kind == XKind::Symbol) sizes.insert(n->id);
    });
  };
  for (const auto& nest : lifted.execution.nests) {
    for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
      for (const auto& leaf : *leaves) {
        for (const lifter::Store& store : leaf) {
          for (const lifter::Domain& d : store.domain)
            add((d.high - d.low).expression(*lifted.pool, lifter::CScalar::I64));
        }
      }
    }
  }
  for (const lifter::Reduction& reduction : lifted.execution.reductions) {
    for (const lifter::Domain& d : reduction.point.domain)
      add((d.high - d.low).expression(*lifted.pool, lifter::CScalar::I64));
  }
  if (lifted.execution.steps != nullptr) add(lifted.execution.steps);
  for (const auto& param : lifted.program.params) {
    const auto& symbol = lifted.execution.symbols[param.symbol];
    const bool any = symbol.type == lifter::CScalar::U64 && !symbol.value;
    if (any && sizes.count(param.symbol) == 0) return symbol.c_expression;
  }
  return std::nullopt;
}

}  // namespace stencil::api
