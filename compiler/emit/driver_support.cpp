// Functions that emitted drivers share: error texts, memory that frees itself, sizes that cannot
// overflow, and moving levels to the caller's arrays. Only functions that the plans in the file
// need are printed, so that no compiler warns about an unused one.
#include <algorithm>

#include "compiler/emit/driver.h"
#include "compiler/kernel/passes.h"

namespace stencil::emit {

namespace {

bool has_bulk_sources(const kernel::Module& module) {
  for (const kernel::Kernel& kernel : module.kernels) {
    if (!kernel.bulk_sources.empty()) return true;
  }
  return false;
}

bool has_levels_to_bring_home(const kernel::Plan& plan) {
  for (size_t a = 0; a < plan.arrays.size(); ++a) {
    if (plan.arrays[a].levels > 1 && kernel::changes_slots(plan, static_cast<int>(a))) return true;
  }
  return false;
}

// --- Support

constexpr const char* kDeviceSupport = R"text(// NULL, or an error message.
static const char* stencil_try(const char* what, $apiError_t status) {
  static thread_local char text[512];
  if (status == $apiSuccess) return NULL;
  snprintf(text, sizeof text, "%s: %s (%s)", what, $apiGetErrorName(status),
           $apiGetErrorString(status));
  return text;
}

#define STENCIL_TRY(what, call) \
  if (const char* error = stencil_try(what, call)) return error

// Device memory, freed in stream order at the end of its scope.
struct stencil_memory {
  $apiStream_t stream;
  void* pointer = NULL;
  explicit stencil_memory($apiStream_t s) : stream(s) {}
  stencil_memory(const stencil_memory&) = delete;
  ~stencil_memory() { if (pointer) $ignored$apiFreeAsync(pointer, stream); }
  const char* allocate(const char* array, int64_t bytes) {
    char what[128];
    snprintf(what, sizeof what, "allocating %lld bytes for array %.64s", (long long)bytes, array);
    return stencil_try(what, $apiMallocAsync(&pointer, (size_t)bytes, stream));
  }
};

)text";

constexpr const char* kFlag =
    R"text(// Copies the flag of the stop condition to the host while the stream continues.
struct stencil_flag {
  $apiStream_t beside;
  $apiEvent_t set;
  bool awaited;
  stencil_flag() : beside(NULL), set(NULL), awaited(false) {}
  stencil_flag(const stencil_flag&) = delete;
  ~stencil_flag() {
    if (set) $ignored$apiEventDestroy(set);
    if (beside) $ignored$apiStreamDestroy(beside);
  }
  $apiError_t open() {
    const $apiError_t status = $apiStreamCreateWithFlags(&beside, $apiStreamNonBlocking);
    if (status != $apiSuccess) return status;
    return $apiEventCreateWithFlags(&set, $apiEventDisableTiming);
  }
  $apiError_t ask($apiStream_t stream) {
    awaited = true;
    return $apiEventRecord(set, stream);
  }
  $apiError_t wait(const void* memory, int* holds) {
    awaited = false;
    $apiError_t status = $apiStreamWaitEvent(beside, set, 0);
    if (status == $apiSuccess) {
      status = $apiMemcpyAsync(holds, memory, sizeof *holds, $apiMemcpyDeviceToHost, beside);
    }
    return status == $apiSuccess ? $apiStreamSynchronize(beside) : status;
  }
};

)text";

constexpr const char* kHostMemory = R"text(static thread_local char stencil_error_text[512];

// Memory that is freed at the end of its scope.
struct stencil_memory {
  void* pointer = NULL;
  stencil_memory() = default;
  stencil_memory(const stencil_memory&) = delete;
  ~stencil_memory() { free(pointer); }
  const char* allocate(const char* array, int64_t bytes) {
    pointer = malloc((size_t)bytes);
    if (pointer) return NULL;
    snprintf(stencil_error_text, sizeof stencil_error_text,
             "cannot allocate %lld bytes for array %.64s", (long long)bytes, array);
    return stencil_error_text;
  }
};

)text";

constexpr const char* kArrayBytes =
    R"text(// The size of an array; -1 if an extent is out of range or the size is above 2^56.
static int64_t stencil_array_bytes(int64_t element, const int64_t* extents, int rank) {
  const int64_t most = (int64_t)1 << 56;
  int64_t bytes = element;
  for (int d = 0; d < rank; ++d) {
    if (extents[d] < 1 || extents[d] > 1073741824 || bytes > most / extents[d]) return -1;
    bytes *= extents[d];
  }
  return bytes;
}

)text";

constexpr const char* kCheckArrays =
    R"text(// An array that entry points take.
struct stencil_array {
  const char* name;
  int64_t bytes, element;
  bool written;
};

// NULL, or an error message: no array may be NULL or misaligned, and two arrays may overlap only if
// neither is written.
static const char* stencil_check_arrays(const stencil_array* arrays, int count,
                                        const void* const* given) {
  static thread_local char text[192];
  for (int a = 0; a < count; ++a) {
    const stencil_array& one = arrays[a];
    const uintptr_t at = (uintptr_t)given[a];
    if (at == 0 || at % (uintptr_t)one.element != 0) {
      snprintf(text, sizeof text, "argument %.64s is %s", one.name,
               at == 0 ? "NULL" : "not aligned to its element type");
      return text;
    }
    for (int b = 0; b < a; ++b) {
      const stencil_array& other = arrays[b];
      const uintptr_t there = (uintptr_t)given[b];
      const bool apart = there - at >= (uintptr_t)one.bytes && at - there >= (uintptr_t)other.bytes;
      if (apart || !(one.written || other.written)) continue;
      snprintf(text, sizeof text, "arguments %.64s and %.64s overlap", other.name, one.name);
      return text;
    }
  }
  return NULL;
}

)text";

constexpr const char* kCopyRows =
    R"text(// Copies `count` rows of `bytes` bytes between memories with different pitches.
static void stencil_copy_rows(void* to, int64_t to_pitch, const void* from, int64_t from_pitch,
                              int64_t bytes, int64_t count) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
  for (int64_t r = 0; r < count; ++r) {
    memcpy((char*)to + r * to_pitch, (const char*)from + r * from_pitch, (size_t)bytes);
  }
}

)text";

// $result, $stream, $copy, $done are replaced per target.
constexpr const char* kBringHome =
    R"text(// Moves every level to the caller's array for it: first those that overwrite nothing, then cycles
// of levels through the scratch copy.
template <typename T, int copies, int levels>
static $result stencil_bring_home(T* (&slots)[copies], T* const (&homes)[levels], T* scratch,
                                  int64_t bytes$stream) {
  for (int settled = 0; settled < levels;) {
    int away = -1;       // a level that is not in its array
    bool moved = false;  // a level was moved in this pass
    settled = 0;
    for (int k = 0; k < levels; ++k) {
      bool occupied = false;
      for (int j = 0; j < levels; ++j) occupied = occupied || slots[j] == homes[k];
      if (slots[k] == homes[k]) {
        ++settled;
      } else if (!occupied) {
        $copy(homes[k], slots[k]);
        slots[k] = homes[k];
        moved = true;
      } else {
        away = k;
      }
    }
    if (!moved && away >= 0) {
      $copy(scratch, slots[away]);
      slots[away] = scratch;
    }
  }
  return$done;
}

)text";

#include "place_points_text.h"

constexpr const char* kMisplaced = R"text(
// NULL, or an error message for the first point outside its domain.
static const char* stencil_points_error(const stencil_point_set& set, const char* name) {
  static thread_local char text[160];
  const int64_t point = stencil_misplaced(set);
  if (point < 0) return NULL;
  snprintf(text, sizeof text, "point %lld (from 0) of %.64s lies outside its domain",
           (long long)point, name);
  return text;
}

)text";

// `places` holds the positions in each dimension, followed by the weights. `tables` are those of
// stencil_point_tables, in its order.
constexpr const char* kFill = R"text(// Fills the tables of a set of points.
template <class Real>
static const char* stencil_fill(stencil_point_set set, const char* name, int values,
                                const double* const* places, const int64_t* sizes,
                                void* const* tables) {
  (void)sizes;
  set.at = places;
  set.weights = values > set.rank ? places + set.rank : NULL;
  if (const char* error = stencil_points_error(set, name)) return error;
  stencil_point_tables<Real> to = {(int32_t*)tables[0], (int32_t*)tables[1], (int32_t*)tables[2],
                                   (int32_t*)tables[3], (Real*)tables[4], (int32_t*)tables[5],
                                   (int32_t*)tables[6], (int32_t*)tables[7]};
  stencil_place_points<Real>(set, to);
  return NULL;
}

)text";

constexpr const char* kFillOnDevice =
    R"text(// Fills the tables of a set of points, through host memory.
template <class Real>
static const char* stencil_fill(stencil_point_set set, const char* name, int values,
                                const double* const* places, const int64_t* sizes,
                                void* const* tables, $apiStream_t stream) {
  std::vector<double> here((size_t)(values * set.points));
  std::vector<const double*> at;
  for (int v = 0; v < values; ++v) {
    double* const to = here.data() + v * set.points;
    STENCIL_TRY("copying the positions of points",
                $apiMemcpyAsync(to, places[v], (size_t)set.points * sizeof(double),
                                $apiMemcpyDeviceToHost, stream));
    at.push_back(to);
  }
  STENCIL_TRY("copying the positions of points", $apiStreamSynchronize(stream));
  set.at = at.data();
  set.weights = values > set.rank ? at.data() + set.rank : NULL;
  if (const char* error = stencil_points_error(set, name)) return error;
  std::vector<int32_t> numbers[8];
  for (int t = 0; t < 8; ++t) numbers[t].resize(t == 4 ? 0 : (size_t)sizes[t]);
  std::vector<Real> weights((size_t)sizes[4]);
  stencil_point_tables<Real> to = {numbers[0].data(), numbers[1].data(), numbers[2].data(),
                                   numbers[3].data(), weights.data(), numbers[5].data(),
                                   numbers[6].data(), numbers[7].data()};
  stencil_place_points<Real>(set, to);
  for (int t = 0; t < 8; ++t) {
    const void* const from = t == 4 ? (const void*)weights.data() : numbers[t].data();
    const size_t bytes = (size_t)sizes[t] * (t == 4 ? sizeof(Real) : sizeof(int32_t));
    STENCIL_TRY("copying tables of points",
                $apiMemcpyAsync(tables[t], from, bytes, $apiMemcpyHostToDevice, stream));
  }
  STENCIL_TRY("copying tables of points", $apiStreamSynchronize(stream));
  return NULL;
}

)text";

void points_support(Text& out) {
  out.verbatim(kPlacePoints);
  out.verbatim(kMisplaced);
}

std::string bring_home_text(const Dialect& dialect) {
  std::string text = kBringHome;
  if (dialect.has_device()) {
    text = replaced(
        text, "$copy(homes[k], slots[k]);",
        "const $apiError_t status = $apiMemcpyAsync(\n"
        "            homes[k], slots[k], (size_t)bytes, $apiMemcpyDeviceToDevice, stream);\n"
        "        if (status != $apiSuccess) return status;");
    text = replaced(
        text, "$copy(scratch, slots[away]);",
        "const $apiError_t status = $apiMemcpyAsync(\n"
        "          scratch, slots[away], (size_t)bytes, $apiMemcpyDeviceToDevice, stream);\n"
        "      if (status != $apiSuccess) return status;");
    text = replaced(text, "$result", "$apiError_t");
    text = replaced(text, "$stream", ", $apiStream_t stream");
    return device_text(replaced(text, "$done", " $apiSuccess"), dialect);
  }
  text = replaced(text, "$copy(homes[k], slots[k]);", "memcpy(homes[k], slots[k], (size_t)bytes);");
  text = replaced(text, "$copy(scratch, slots[away]);",
                  "memcpy(scratch, slots[away], (size_t)bytes);");
  text = replaced(text, "$result", "void");
  text = replaced(text, "$stream", "");
  return replaced(text, "  return$done;\n", "");
}

}  // namespace

void driver_support(Text& out, const std::vector<const kernel::Module*>& modules,
                    const std::vector<const kernel::Module*>& beside, const Dialect& dialect) {
  const auto some = [&](const auto& holds) {
    return std::any_of(modules.begin(), modules.end(),
                       [&](const kernel::Module* module) { return holds(*module); });
  };
  if (dialect.has_device()) out.verbatim(device_text(kDeviceSupport, dialect));
  if (some(has_bulk_sources)) out.verbatim(dialect.describe_boxes);
  if (dialect.has_device() &&
      some([](const auto& m) { return kernel::answer_point(m).has_value(); })) {
    out.verbatim(device_text(kFlag, dialect));
  }
  replay_support(out, modules, dialect);
  if (some(has_open_extents)) out.verbatim(kArrayBytes);
  out.verbatim(kCheckArrays);
  if (!dialect.has_device() && some([](const auto& m) { return kernel::is_padded(m.plan); })) {
    out.verbatim(kCopyRows);
  }
  if (!dialect.has_device()) {
    std::vector<const kernel::Module*> all = modules;
    all.insert(all.end(), beside.begin(), beside.end());
    return host_support(out, all, true);
  }
  if (some([](const auto& m) { return !m.plan.point_sets.empty(); })) {
    points_support(out);
    out.verbatim(device_text(kFillOnDevice, dialect));
  }
  if (some([](const auto& m) { return has_levels_to_bring_home(m.plan); })) {
    out.verbatim(bring_home_text(dialect));
  }
}

void host_support(Text& out, const std::vector<const kernel::Module*>& modules, bool alone) {
  bool spares = false, levels = false, points = false;
  for (const kernel::Module* module : modules) {
    points |= !module->plan.point_sets.empty();
    levels |= has_levels_to_bring_home(module->plan);
    spares |= !module->plan.scratch.empty() || kernel::is_padded(module->plan);
    for (const kernel::Array& array : module->plan.arrays) spares |= array.copies > array.levels;
  }
  if (spares || levels) out.verbatim(kHostMemory);
  if (levels) out.verbatim(bring_home_text(cpp_dialect()));
  if (points) {
    if (alone) points_support(out);
    out.verbatim(kFill);
  }
}

}  // namespace stencil::emit
