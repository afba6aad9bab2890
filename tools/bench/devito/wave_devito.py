"""The wave in Devito: wave_devito.py POINTS STEPS OUT.npy."""

import sys
import time

begun = time.perf_counter()
import numpy as np
from devito import Eq, Function, Grid, Operator, SparseTimeFunction, TimeFunction, solve

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import model

n, steps = int(sys.argv[1]), int(sys.argv[2])
# --- counted lines begin
grid = Grid(shape=(n, n), extent=(model.SPACING * (n - 1),) * 2, dtype=np.float32)
U = TimeFunction(name="U", grid=grid, time_order=2, space_order=8)
v = Function(name="v", grid=grid, space_order=8)
v.data[:] = model.velocity(n)
dt = model.time_step(model.velocity(n))
shots = SparseTimeFunction(name="shots", grid=grid, npoint=1, nt=steps,
                           coordinates=model.SPACING * model.source(n))
shots.data[:, 0] = model.wavelet(steps, dt)
mics = SparseTimeFunction(name="mics", grid=grid, npoint=100, nt=steps,
                          coordinates=model.SPACING * model.receivers(n))
wave = Eq(U.forward, solve(U.dt2 - v**2 * U.laplace, U.forward))
operator = Operator([wave] + shots.inject(field=U.forward, expr=shots) + mics.interpolate(expr=U.forward))
operator.apply(dt=dt, time_m=0, time_M=steps - 1)
trace = np.array(mics.data)
# --- counted lines end
first = time.perf_counter() - begun
seconds = []
for tuning in ("aggressive", None, None, None):
    U.data[:] = 0
    begun = time.perf_counter()
    operator.apply(dt=dt, time_m=0, time_M=steps - 1, autotune=tuning or "off")
    seconds.append(time.perf_counter() - begun)
np.save(sys.argv[3], trace)
print(f"RESULT tool=devito first_s={first:.2f} gpoints={n * n * steps / min(seconds[1:]) / 1e9:.3f}")
