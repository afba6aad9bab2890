"""What both scripts simulate: an acoustic wave over layers of rock, with one source and 100 receivers."""

import numpy as np

SPACING = 10.0  # m


def velocity(n):
    """The velocity in m/s on n x n points; the first index is depth."""
    depth, x = np.meshgrid(np.arange(n) / n, np.arange(n) / n, indexing="ij")
    v = 1500 + 1000 * depth
    v[depth > 0.45 + 0.15 * x] += 900
    v[((x - 0.6) / 0.15) ** 2 + ((depth - 0.35) / 0.08) ** 2 < 1] = 4200
    return v.astype(np.float32)


def time_step(v):
    return float(0.4 * SPACING / v.max())


def wavelet(steps, dt, peak=12.0):
    """Ricker wavelet with its peak frequency in Hz."""
    a = (np.pi * peak * (np.arange(steps) * dt - 1.2 / peak)) ** 2
    return ((1 - 2 * a) * np.exp(-a)).astype(np.float32)


def source(n):
    """Grid coordinates (depth, x); also of the receivers below."""
    return np.array([[4.0, n // 2]])


def receivers(n, number=100):
    return np.stack([np.full(number, 6.0), np.linspace(10, n - 11, number).round()], axis=1)
