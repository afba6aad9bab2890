/* Heat equation in three dimensions, with two half steps as in PolyBench. */
static void half(int n, const double* restrict a, double* restrict b) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int k = 1; k < n - 1; k++) {
        const double c = 2.0 * a[(i * n + j) * n + k];
        b[(i * n + j) * n + k] = 0.125 * (a[((i + 1) * n + j) * n + k] - c + a[((i - 1) * n + j) * n + k]) +
                                 0.125 * (a[(i * n + j + 1) * n + k] - c + a[(i * n + j - 1) * n + k]) +
                                 0.125 * (a[(i * n + j) * n + k + 1] - c + a[(i * n + j) * n + k - 1]) +
                                 a[(i * n + j) * n + k];
      }
}

void kernel(int n, int steps, double* restrict a, double* restrict b) {
  for (int t = 0; t < steps; t++) {
    half(n, a, b);
    half(n, b, a);
  }
}
