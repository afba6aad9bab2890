#include "compiler/emit/main_program.h"
namespace stencil::emit {
void main_program(Text&, const kernel::Module&, const HostApi&, const SelfCheck&, Target) {}
}
