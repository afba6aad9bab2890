// Kernels of the papers that sweep planes or share operands, and their baselines, which are lines
// of `direct`. The three-dimensional lines are those of the papers. The lines for fewer dimensions
// keep the technique and the number of threads per block.
#include "compiler/schedule/sweeps/presets.h"

namespace stencil::schedule {

std::vector<Preset> presets_of_sweeps() {
  return {
      {"schaefer-naive",
       "every operand from memory, 8 points per thread",
       "Schäfer, Fey 2011, section 3",
       {"direct block=512 elements=8", "direct block=32x16 elements=1x8",
        "direct block=32x16 elements=1x1x8"}},
      {"schaefer-sweep",
       "a plane of threads sweeps 8 planes: operands along the sweep in registers, those in the "
       "plane from cache",
       "Schäfer, Fey 2011, section 3 (cached plane sweep)",
       {"", "sweeps block=512 elements=1 chunk=8 column=registers",
        "sweeps block=32x16 elements=1 chunk=8 column=registers"}},
      {"vizitiu-3dbase",
       "a thread per point, every operand from memory",
       "Vizitiu et al. 2014, section II.A",
       {"direct block=512 elements=1", "direct block=32x16 elements=1",
        "direct block=8x8x8 elements=1"}},
      {"vizitiu-3dshmoverl",
       "tiles in shared memory; further threads of the block load the halo",
       "Vizitiu et al. 2014, section II.B.1",
       {"sweeps block=512 elements=1 operands=shared halo=cover",
        "sweeps block=32x16 elements=1 operands=shared halo=cover",
        "sweeps block=8x8x8 elements=1 operands=shared halo=cover"}},
      {"vizitiu-3dshmnooverl",
       "tiles in shared memory; threads at the border load the halo",
       "Vizitiu et al. 2014, section II.B.2",
       {"sweeps block=512 elements=1 operands=shared",
        "sweeps block=32x16 elements=1 operands=shared",
        "sweeps block=8x8x8 elements=1 operands=shared"}},
      {"vizitiu-2dbase",
       "a plane of threads sweeps the grid, every operand from memory",
       "Vizitiu et al. 2014, section II.A",
       {"", "sweeps block=64 elements=1 chunk=all", "sweeps block=8x8 elements=1 chunk=all"}},
      {"vizitiu-2dreg",
       "a plane of threads sweeps the grid: operands along the sweep in registers",
       "Vizitiu et al. 2014, section II.B.3",
       {"", "sweeps block=64 elements=1 chunk=all column=registers",
        "sweeps block=8x8 elements=1 chunk=all column=registers"}},
      {"vizitiu-2dshm",
       "a plane of threads sweeps the grid: operands in the plane in shared memory, with halo",
       "Vizitiu et al. 2014, section II.B.4",
       {"", "sweeps block=64 elements=1 chunk=all operands=shared",
        "sweeps block=8x8 elements=1 chunk=all operands=shared"}},
      {"vizitiu-2dshmreg",
       "a plane of threads sweeps the grid: operands along the sweep in registers, rows of "
       "the plane in shared memory",
       "Vizitiu et al. 2014, section II.B.5",
       {"", "sweeps block=64 elements=1 chunk=all column=registers operands=tile",
        "sweeps block=8x8 elements=1 chunk=all column=registers operands=rows"}},
      {"krotkiewski-copycube",
       "a plane of threads sweeps the grid, every operand from memory: the paper's copy kernel",
       "Krotkiewski, Dabrowski 2013, section 6.1",
       {"", "sweeps block=192 elements=1 chunk=all", "sweeps block=32x6 elements=1 chunk=all"}},
      {"krotkiewski-noprefetch",
       "one plane with halo in shared memory, loaded by 32x6 threads as 48x4 in two passes; "
       "partial sums",
       "Krotkiewski, Dabrowski 2013, section 5.1",
       {"", "sweeps block=192 elements=1 chunk=all column=partial operands=shared halo=remap",
        "sweeps block=32x6 elements=1 chunk=all column=partial operands=shared halo=remap"}},
      {"krotkiewski",
       "one plane with halo in shared memory, loaded by 32x6 threads as 48x4 in two passes; "
       "partial sums; the next plane is loaded ahead",
       "Krotkiewski, Dabrowski 2013, section 5.2",
       {"",
        "sweeps block=192 elements=1 chunk=all prefetch=1 column=partial operands=shared "
        "halo=remap",
        "sweeps block=32x6 elements=1 chunk=all prefetch=1 column=partial operands=shared "
        "halo=remap"}},
      {"krotkiewski-m2",
       "the same with M = 2: 320 threads load a tile of 64x10 with halo as 80x4 in three passes, "
       "and compute two points each",
       "Krotkiewski, Dabrowski 2013, formula (8)",
       {"",
        "sweeps block=320 elements=2 chunk=all prefetch=1 column=partial operands=shared "
        "halo=remap",
        "sweeps block=64x5 elements=1x2 chunk=all prefetch=1 column=partial operands=shared "
        "halo=remap"}},
      {"krotkiewski-double",
       "the same for double precision, in which 16x6 threads solve formula (8) with M = 1: a tile "
       "with halo is loaded as 24x4 in two passes",
       "Krotkiewski, Dabrowski 2013, formulas (6) and (8)",
       {"",
        "sweeps block=96 elements=1 chunk=all prefetch=1 column=partial operands=shared "
        "halo=remap",
        "sweeps block=16x6 elements=1 chunk=all prefetch=1 column=partial operands=shared "
        "halo=remap"}},
  };
}

}  // namespace stencil::schedule
