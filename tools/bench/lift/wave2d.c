/* Wave equation, fourth order in space. */
void kernel(int n, int steps, double* restrict a, double* restrict b) {
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int i = 2; i < n - 2; i++)
      for (int j = 2; j < n - 2; j++) {
        double lap = -5.0 * a[i * n + j];
        lap += 4.0 / 3 * (a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]);
        lap -= 1.0 / 12 * (a[i * n + j - 2] + a[i * n + j + 2] + a[(i - 2) * n + j] + a[(i + 2) * n + j]);
        b[i * n + j] = 2 * a[i * n + j] - b[i * n + j] + 0.1 * lap;
      }
    double* s = a;
    a = b;
    b = s;
  }
}
