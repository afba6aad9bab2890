/* Jacobi's method with ping-pong buffers. */
void kernel(int n, int steps, double* restrict a, double* restrict b) {
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i * n + j] = 0.2 * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] +
                              a[(i - 1) * n + j] + a[(i + 1) * n + j]);
    double* s = a;
    a = b;
    b = s;
  }
}
