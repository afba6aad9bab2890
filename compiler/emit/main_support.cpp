// Fixed text of emitted programs. It is in namespace self_check, so it cannot conflict with names
// of a module. Arrays are described by data (type, extents), so one function initialises and one
// compares arrays of all modules.
#include "compiler/emit/main_support.h"

#include "compiler/emit/text.h"

namespace stencil::emit {

namespace {

constexpr const char* kSupport =
    R"text(enum element_type {
  type_bool, type_byte, type_ubyte, type_short, type_ushort, type_int, type_long, type_half,
  type_bfloat, type_float, type_double
};

struct array_info {
  const char* name;
  element_type type;
  int64_t element_bytes;
  bool written;
  int rank;
  int64_t extents[8];
  int64_t count() const {
    int64_t product = 1;
    for (int d = 0; d < rank; ++d) product *= extents[d];
    return product;
  }
  int64_t bytes() const { return count() * element_bytes; }$LAYOUT
};

static double element(const array_info& info, const void* data, int64_t i) {
  switch (info.type) {
    case type_bool:
    case type_ubyte: return ((const uint8_t*)data)[i];
    case type_byte: return ((const int8_t*)data)[i];
    case type_short: return ((const int16_t*)data)[i];
    case type_ushort: return ((const uint16_t*)data)[i];
    case type_int: return ((const int*)data)[i];
    case type_long: return (double)((const int64_t*)data)[i];
    case type_float: return ((const float*)data)[i];
    case type_double: return ((const double*)data)[i];
    case type_bfloat: {
      const uint32_t bits = (uint32_t)((const uint16_t*)data)[i] << 16;
      float value;
      memcpy(&value, &bits, sizeof value);
      return value;
    }
    case type_half: {
      const uint16_t bits = ((const uint16_t*)data)[i];
      const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
      double value = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
      if (exponent == 31) value = mantissa ? NAN : HUGE_VAL;
      return bits & 0x8000 ? -value : value;
    }
  }
  return 0;
}

// Reproducible values: in [0, 1) for reals, 0 or 1 for integers.
static void fill_random(const array_info& info, void* data, uint32_t seed) {
  const int64_t count = info.count();
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
  for (int64_t i = 0; i < count; ++i) {
    uint64_t h = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u + seed * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 31)) * 0x94d049bb133111ebu;
    const uint32_t bits = (uint32_t)(h >> 40);  // 24 of them
    switch (info.type) {
      case type_bool:
      case type_byte:
      case type_ubyte: ((uint8_t*)data)[i] = (uint8_t)(bits & 1); break;
      case type_short:
      case type_ushort: ((uint16_t*)data)[i] = (uint16_t)(bits & 1); break;
      case type_int: ((int*)data)[i] = (int)(bits & 1); break;
      case type_long: ((int64_t*)data)[i] = bits & 1; break;
      case type_float: ((float*)data)[i] = (float)bits / 16777216.0f; break;
      case type_double: ((double*)data)[i] = bits / 16777216.0; break;
      case type_half: ((uint16_t*)data)[i] = (uint16_t)(0x3800 | (bits & 0x3ff)); break;
      case type_bfloat: ((uint16_t*)data)[i] = (uint16_t)(0x3f00 | (bits & 0x7f)); break;
    }
  }
}

static void print_place(const array_info& info, int64_t i) {
  int64_t index[8];
  for (int d = info.rank - 1; d >= 0; --d) {
    index[d] = i % info.extents[d];
    i /= info.extents[d];
  }
  for (int d = 0; d < info.rank; ++d) {
    printf("%s%lld", d ? "," : "[", (long long)index[d]);
  }
  printf("]");
}

// Neither zero nor infinite nor NaN. Tests the bits: the compiler may assume there is no NaN.
static bool is_telling(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits &= 0x7fffffffffffffffu;
  return bits != 0 && bits < 0x7ff0000000000000u;
}

// True if all elements agree: bitwise (NaN agrees with NaN) if tolerance is 0, else within this
// fraction of the largest expected magnitude. `telling` counts the values that are neither zero nor
// infinite nor NaN: without any, agreement is meaningless.
static bool compare(const array_info& info, const void* got, const void* expected,
                    double tolerance, int64_t* telling) {
  const int64_t count = info.count();
  double largest = 0, worst = 0;
  int64_t wrong = 0, first = count, numbers = 0;
  const int64_t measured = tolerance > 0 ? count : 0;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) reduction(max : largest)
#endif
  for (int64_t i = 0; i < measured; ++i) {
    const double magnitude = fabs(element(info, expected, i));
    if (magnitude > largest && magnitude < HUGE_VAL) largest = magnitude;
  }
#ifdef _OPENMP
#pragma omp parallel for schedule(static) reduction(max : worst) reduction(+ : wrong, numbers) reduction(min : first)
#endif
  for (int64_t i = 0; i < count; ++i) {
    const char* g = (const char*)got + i * info.element_bytes;
    const char* e = (const char*)expected + i * info.element_bytes;
    numbers += is_telling(element(info, expected, i));
    if (memcmp(g, e, (size_t)info.element_bytes) == 0) continue;
    const double a = element(info, got, i), b = element(info, expected, i);
    if (a != a && b != b) continue;
    const double error = largest > 0 ? fabs(a - b) / largest : fabs(a - b);
    if (error > worst) worst = error;
    if (tolerance > 0 && error <= tolerance) continue;
    if (i < first) first = i;
    ++wrong;
  }
  *telling += numbers;
  if (tolerance > 0) printf("array %s: largest relative error %.3g\n", info.name, worst);
  if (wrong == 0) return true;
  printf("FAILED at ");
  print_place(info, first);
  printf(" of array %s: got %.17g, expected %.17g (%lld of %lld elements differ)\n", info.name,
         element(info, got, first), element(info, expected, first), (long long)wrong,
         (long long)count);
  return false;
}

static bool read_integer(const char* text, int64_t least, int64_t most, int64_t* value) {
  const bool negative = *text == '-';
  if (*text == '-' || *text == '+') ++text;
  bool good = *text != 0;
  int64_t number = 0;  // kept negative: -2^63 has no positive counterpart
  for (; *text; ++text) {
    const int digit = *text - '0';
    if (digit < 0 || digit > 9 || number < (INT64_MIN + digit) / 10) return false;
    number = 10 * number - digit;
  }
  if (!negative && number == INT64_MIN) return false;
  *value = negative ? number : -number;
  return good && *value >= least && *value <= most;
}

static int compare_doubles(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare_doubles);
  return values[count / 2];
}

)text";

// Members of array_info for rows that are padded in device memory.
constexpr const char* kLayout = R"text(
  // In device memory: elements from row to row, and before a row's first point.
  int64_t pitch, lead;
  int64_t device_bytes() const { return count() / extents[rank - 1] * pitch * element_bytes; })text";

constexpr const char* kUpload =
    R"text(const size_t bytes = (size_t)infos[p].bytes();
      $ignored$apiMemcpyAsync(device[p], initial[p], bytes, $apiMemcpyHostToDevice, stream);)text";
constexpr const char* kUploadPadded =
    R"text(const array_info& info = infos[p];
      const size_t row = (size_t)(info.extents[info.rank - 1] * info.element_bytes);
      $ignored$apiMemcpy2DAsync((char*)device[p] + info.lead * info.element_bytes,
                        (size_t)(info.pitch * info.element_bytes), initial[p], row, row,
                        (size_t)info.bytes() / row, $apiMemcpyHostToDevice, stream);)text";

constexpr const char* kResults =
    R"text(static bool same_count(const char* what, int64_t got, int64_t expected) {
  if (got == expected) return true;
  printf("FAILED: %s: %lld, expected %lld\n", what, (long long)got, (long long)expected);
  return false;
}

)text";

constexpr const char* kValues =
    R"text(static void print_value(const char* name, double value, int64_t evaluations) {
  if (evaluations > 0) {
    printf("%s = %.9g after %lld evaluation(s)\n", name, value, (long long)evaluations);
  } else {
    printf("%s: not evaluated\n", name);
  }
}

static bool same_value(const char* name, double got, double expected) {
  if (memcmp(&got, &expected, sizeof got) == 0 || (got != got && expected != expected)) return true;
  if (tolerance > 0 && fabs(got - expected) <= tolerance * fabs(expected)) return true;
  printf("FAILED: reduction %s: %.17g, expected %.17g\n", name, got, expected);
  return false;
}

)text";

constexpr const char* kIntegers =
    R"text(static void print_integer(const char* name, int64_t value, int64_t evaluations) {
  if (evaluations > 0) {
    printf("%s = %lld after %lld evaluation(s)\n", name, (long long)value, (long long)evaluations);
  } else {
    printf("%s: not evaluated\n", name);
  }
}

)text";

constexpr const char* kStatusOfNan =
    R"text(// The exit status 4 if the reduction is NaN.
static int status_of_nan(const char* name, int64_t first) {
  if (first == 0) return 0;
  fprintf(stderr, "reduction %s is NaN, first at step %lld\n", name, (long long)first);
  return 4;
}

)text";

constexpr const char* kOutputs =
    R"text(// A file in NumPy format 1.0, which has no bfloat: such values are written as floats.
static bool write_npy(const char* path, const array_info& info, const void* data) {
  // In the order of element_type.
  static const char* const types[] = {"|b1", "|i1", "|u1", "<i2", "<u2", "<i4",
                                      "<i8", "<f2", "<f4", "<f4", "<f8"};
  char text[512];
  int used = snprintf(text, sizeof text,
                      "{'descr': '%s', 'fortran_order': False, 'shape': (", types[info.type]);
  for (int d = 0; d < info.rank; ++d) {
    used += snprintf(text + used, sizeof text - (size_t)used, "%lld,", (long long)info.extents[d]);
  }
  used += snprintf(text + used, sizeof text - (size_t)used, "), }");
  while ((10 + used) % 64 != 63) text[used++] = ' ';
  text[used++] = '\n';
  const unsigned char head[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(used & 255),
                                (unsigned char)(used >> 8)};
  FILE* file = fopen(path, "wb");
  if (!file) return false;
  bool good = fwrite(head, 1, sizeof head, file) == sizeof head;
  good = good && fwrite(text, 1, (size_t)used, file) == (size_t)used;
  if (info.type == type_bfloat) {
    for (int64_t i = 0; good && i < info.count(); ++i) {
      const float value = (float)element(info, data, i);
      good = fwrite(&value, sizeof value, 1, file) == 1;
    }
  } else {
    good = good && fwrite(data, 1, (size_t)info.bytes(), file) == (size_t)info.bytes();
  }
  return fclose(file) == 0 && good;
}

// Runs once more from the initial data and writes the arrays that --out names. 0 on success.
static int write_outputs(const array_info* infos, void* const* initial, const arguments& a) {
  void* data[max_pointers];
  for (int p = 0; p < max_pointers; ++p) {
    data[p] = malloc((size_t)infos[p].bytes());
    if (!data[p]) {
      fprintf(stderr, "no memory for --out\n");
      return 1;
    }
    memcpy(data[p], initial[p], (size_t)infos[p].bytes());
  }
  if (const char* error = run(data, a.steps, a)) {
    fprintf(stderr, "%s\n", error);
    return failure_status;
  }
  int status = 0;
  for (int o = 0; o < a.outputs; ++o) {
    if (write_npy(a.paths[o], infos[a.arrays[o]], data[a.arrays[o]])) {
      printf("wrote %s\n", a.paths[o]);
    } else {
      fprintf(stderr, "cannot write '%s'\n", a.paths[o]);
      status = 1;
    }
  }
  for (int p = 0; p < max_pointers; ++p) free(data[p]);
  return status;
}

)text";

constexpr const char* kReadReal =
    R"text(// A decimal number that is finite, also as a float if `single`.
static bool read_real(const char* text, bool single, double* value) {
  char* end = NULL;
  *value = strtod(text, &end);
  const double kept = single ? (double)(float)*value : *value;
  const bool finite = fabs(kept) < HUGE_VAL && (kept != 0 || *value == 0);
  return strspn(text, "+-.0123456789eE") == strlen(text) && end != text && *end == 0 && finite;
}

)text";

constexpr const char* kDeviceTiming =
    R"text(static bool failed(const char* what, $apiError_t status) {
  if (status == $apiSuccess) return false;
  fprintf(stderr, "%s: %s (%s)\n", what, $apiGetErrorName(status), $apiGetErrorString(status));
  return true;
}

// Seconds of the quickest of some copies of `bytes` within device memory; 0 if there is no room.
static double copy_seconds(int64_t bytes) {
  void *from = NULL, *to = NULL;
  double best = 0;
  if ($apiMalloc(&from, (size_t)bytes) == $apiSuccess &&
      $apiMalloc(&to, (size_t)bytes) == $apiSuccess) {
    $ignored$apiMemset(from, 0, (size_t)bytes);
    $apiEvent_t begin, end;
    $ignored$apiEventCreate(&begin);
    $ignored$apiEventCreate(&end);
    for (int i = 0; i < 6; ++i) {
      float milliseconds = 0;
      $ignored$apiEventRecord(begin, 0);
      $ignored$apiMemcpyAsync(to, from, (size_t)bytes, $apiMemcpyDeviceToDevice, 0);
      $ignored$apiEventRecord(end, 0);
      $ignored$apiEventSynchronize(end);
      $ignored$apiEventElapsedTime(&milliseconds, begin, end);
      if (best == 0 || milliseconds / 1000.0 < best) best = milliseconds / 1000.0;
    }
    $ignored$apiEventDestroy(begin);
    $ignored$apiEventDestroy(end);
  }
  $ignored$apiFree(from);
  $ignored$apiFree(to);
  $ignored$apiGetLastError();
  return best;
}

// Times `repeat` runs after a warm-up run, each from the same data. `seconds` gets their times.
// Returns 0 on success.
static int time_runs(const array_info* infos, void* const* initial, int pointers,
                     const arguments& a, double* seconds) {
  void* device[max_pointers];
  $apiStream_t stream;
  $apiEvent_t begin, end;
  if (failed("$apiStreamCreate", $apiStreamCreate(&stream))) return 3;
  $ignored$apiEventCreate(&begin);
  $ignored$apiEventCreate(&end);
  for (int p = 0; p < pointers; ++p) {
    char what[96];
    snprintf(what, sizeof what, "allocating %lld bytes for array %.40s",
             (long long)infos[p].$BYTES(), infos[p].name);
    if (failed(what, $apiMalloc(&device[p], (size_t)infos[p].$BYTES()))) return 3;
  }
  for (int i = -1; i < a.repeat; ++i) {
    for (int p = 0; p < pointers; ++p) {
      $UPLOAD
    }
    $ignored$apiEventRecord(begin, stream);
    const char* error = run_device(device, a.steps, a, stream);
    $ignored$apiEventRecord(end, stream);
    if (error) {
      fprintf(stderr, "%s\n", error);
      return 3;
    }
    if (failed("running", $apiStreamSynchronize(stream))) return 3;
    float milliseconds = 0;
    $ignored$apiEventElapsedTime(&milliseconds, begin, end);
    if (i >= 0) seconds[i] = milliseconds / 1000.0;
  }
  for (int p = 0; p < pointers; ++p) $ignored$apiFree(device[p]);
  $ignored$apiEventDestroy(begin);
  $ignored$apiEventDestroy(end);
  $ignored$apiStreamDestroy(stream);
  return 0;
}

)text";

constexpr const char* kHostTiming = R"text(static double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// Seconds of the quickest of some copies of `bytes`; 0 if there is no room.
static double copy_seconds(int64_t bytes) {
  char* from = (char*)malloc((size_t)bytes);
  char* to = (char*)malloc((size_t)bytes);
  double best = 0;
  if (from && to) {
    const int64_t piece = 1 << 20;
    memset(from, 1, (size_t)bytes);
    for (int i = 0; i < 6; ++i) {
      const double begin = now();
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
      for (int64_t at = 0; at < bytes; at += piece) {
        memcpy(to + at, from + at, (size_t)(bytes - at < piece ? bytes - at : piece));
      }
      const double seconds = now() - begin;
      if (i > 0 && (best == 0 || seconds < best)) best = seconds;
    }
  }
  free(from);
  free(to);
  return best;
}

// Times `repeat` runs after a warm-up run, each from the same data. `seconds` gets their times.
// Returns 0 on success.
static int time_runs(const array_info* infos, void* const* initial, int pointers,
                     const arguments& a, double* seconds) {
  void* data[max_pointers];
  for (int p = 0; p < pointers; ++p) {
    data[p] = malloc((size_t)infos[p].bytes());
    if (!data[p]) {
      fprintf(stderr, "cannot allocate %lld bytes\n", (long long)infos[p].bytes());
      return 1;
    }
  }
  for (int i = -1; i < a.repeat; ++i) {
    for (int p = 0; p < pointers; ++p) memcpy(data[p], initial[p], (size_t)infos[p].bytes());
    const double begin = now();
    const char* error = run(data, a.steps, a);
    if (error) {
      fprintf(stderr, "%s\n", error);
      return 1;
    }
    if (i >= 0) seconds[i] = now() - begin;
  }
  for (int p = 0; p < pointers; ++p) free(data[p]);
  return 0;
}

)text";

}  // namespace

std::string main_support_text(bool reads_reals, bool padded) {
  return replaced(kSupport, "$LAYOUT", padded ? kLayout : "") + (reads_reals ? kReadReal : "");
}

const char* main_outputs_text() {
  return kOutputs;
}

std::string main_results_text(bool has_reals, bool has_integers, bool has_nan) {
  return std::string(has_reals ? kValues : "") + (has_integers ? kIntegers : "") + kResults +
         (has_nan ? kStatusOfNan : "");
}

std::string main_timing_text(const Dialect& dialect, bool padded) {
  if (!dialect.has_device()) return kHostTiming;
  const std::string text = replaced(kDeviceTiming, "$BYTES", padded ? "device_bytes" : "bytes");
  return device_text(replaced(text, "$UPLOAD", padded ? kUploadPadded : kUpload), dialect);
}

}  // namespace stencil::emit
