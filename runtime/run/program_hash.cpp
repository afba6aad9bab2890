#include "runtime/run/program_hash.h"

#include "compiler/ir/passes.h"

namespace stencil::runtime {

uint64_t hash_of(ir::Program program) {
  program.name.clear();
  program.steps.reset();
  for (ir::Domain& domain : program.domains) domain.axes.clear();
  for (ir::Param& param : program.params) {
    if (!param.folded()) param.real_value.reset();
    param.derived.reset();
  }
  return hash_of(ir::print(program));
}

uint64_t hash_of(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace stencil::runtime
