// An MPI program that uses kernels of stencilc and does its own halo exchange:
//
//   stencilc wave.stn -o wave.cpp --header --boxes 8
//   mpicxx -O3 -std=c++17 -march=native -ffp-contract=off main.cpp wave.cpp -o wave
//   mpirun -n 4 ./wave 200 U.raw
//
// U.raw has the bits of `stencilc run wave.stn --out U=U.npy`, for any number of ranks. On GPUs
// (wave.cu), allocate memory with cudaMalloc and copy the results of wave_init_box to it with
// cudaMemcpy. Call wave_run_box_device with a stream, and synchronise it before each exchange. A
// CUDA-aware MPI accepts the device addresses.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "wave.h"

namespace {

constexpr int kRank = 2;  // dimensions; y is first

void check(const char* error) {
  if (!error) return;
  std::fprintf(stderr, "%s\n", error);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// The memory layout of an array, as stencilc defines it, and parts of it as MPI datatypes.
struct Layout {
  wave_box memory;

  size_t points() const { return size_t(extent(0)) * size_t(extent(1)); }
  int extent(int d) const { return memory.high[d] - memory.low[d] + 1; }
  MPI_Datatype part(const wave_box& box) const {
    int sizes[kRank], lengths[kRank], starts[kRank];
    for (int d = 0; d < kRank; ++d) {
      sizes[d] = extent(d);
      lengths[d] = box.high[d] - box.low[d] + 1;
      starts[d] = box.low[d] - memory.low[d];
    }
    MPI_Datatype type;
    MPI_Type_create_subarray(kRank, sizes, lengths, starts, MPI_ORDER_C, MPI_FLOAT, &type);
    MPI_Type_commit(&type);
    return type;
  }
};

// The points [low, high] of the memory in dimension d, and all points in the other.
wave_box slab(wave_box memory, int d, int low, int high) {
  memory.low[d] = low;
  memory.high[d] = high;
  return memory;
}

// Fills the halo around the box `own`, one dimension after the other. Each exchange sends all
// points of the other dimension, halo included. So the second exchange also fills the corners.
void exchange(MPI_Comm ranks, const wave_box& own, const Layout& layout, float* values) {
  const wave_box& memory = layout.memory;
  for (int d = 0; d < kRank; ++d) {
    int below, above;
    MPI_Cart_shift(ranks, d, 1, &below, &above);
    for (const bool up : {true, false}) {  // send to the upper neighbour first
      const int depth = up ? wave_halo[d][0] : wave_halo[d][1];  // of the receiver's halo
      const wave_box sent = up ? slab(memory, d, own.high[d] - depth + 1, own.high[d])
                               : slab(memory, d, own.low[d], own.low[d] + depth - 1);
      const wave_box received = up ? slab(memory, d, own.low[d] - depth, own.low[d] - 1)
                                   : slab(memory, d, own.high[d] + 1, own.high[d] + depth);
      const int to = up ? above : below, from = up ? below : above;
      MPI_Datatype out = MPI_FLOAT, in = MPI_FLOAT;  // placeholders if there is no neighbour
      if (to != MPI_PROC_NULL) out = layout.part(sent);
      if (from != MPI_PROC_NULL) in = layout.part(received);
      MPI_Sendrecv(values, to != MPI_PROC_NULL, out, to, 0, values, from != MPI_PROC_NULL, in, from,
                   0, ranks, MPI_STATUS_IGNORE);
      if (out != MPI_FLOAT) MPI_Type_free(&out);
      if (in != MPI_FLOAT) MPI_Type_free(&in);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int64_t steps = argc > 1 ? std::atoll(argv[1]) : 200;

  // The decomposition is up to the program. Each box must be at least as large as the halo.
  int count, rank, cuts[kRank] = {}, place[kRank], periodic[kRank] = {0, 1};
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  MPI_Dims_create(count, kRank, cuts);
  MPI_Comm ranks;
  MPI_Cart_create(MPI_COMM_WORLD, kRank, cuts, periodic, 1, &ranks);
  MPI_Comm_rank(ranks, &rank);
  MPI_Cart_coords(ranks, rank, kRank, place);
  wave_box grid, own;
  check(wave_grid(&grid, nullptr));
  for (int d = 0; d < kRank; ++d) {
    const int points = grid.high[d] - grid.low[d] + 1;
    own.low[d] = grid.low[d] + points * place[d] / cuts[d];
    own.high[d] = grid.low[d] + points * (place[d] + 1) / cuts[d] - 1;
    if (points / cuts[d] < std::max(wave_halo[d][0], wave_halo[d][1])) check("too many ranks");
  }

  // Arrays for the box and its halo. U has one array per slot: its levels, and one to be
  // overwritten.
  wave_memory memory;
  check(wave_box_memory(&memory, &own, nullptr));
  const Layout layout = {memory.U};
  std::vector<std::vector<float>> values(wave_U_slots, std::vector<float>(layout.points()));
  std::vector<float> c2(layout.points());
  float* U[wave_U_slots];  // newest level, previous level, and the slot to be overwritten
  for (int slot = 0; slot < wave_U_slots; ++slot) U[slot] = values[slot].data();
  check(wave_init_box(U, c2.data(), &own, nullptr));

  for (int64_t step = 0; step < steps; step += wave_box_steps) {
    const int64_t length = std::min<int64_t>(steps - step, wave_box_steps);
    check(wave_run_box(U, c2.data(), length, step, &own, nullptr));
    exchange(ranks, own, layout, U[0]);
    exchange(ranks, own, layout, U[1]);
  }

  // Writes all boxes to one file.
  MPI_File file;
  MPI_File_open(ranks, argc > 2 ? argv[2] : "U.raw", MPI_MODE_CREATE | MPI_MODE_WRONLY,
                MPI_INFO_NULL, &file);
  MPI_Datatype in_file = Layout{grid}.part(own), in_memory = layout.part(own);
  MPI_File_set_view(file, 0, MPI_FLOAT, in_file, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, U[0], 1, in_memory, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Type_free(&in_file);
  MPI_Type_free(&in_memory);
  MPI_Comm_free(&ranks);
  MPI_Finalize();
  return 0;
}
