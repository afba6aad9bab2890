"""The wave in stencilc: wave_stencilc.py POINTS STEPS OUT.npy [DEVICE]."""

import sys
import time

begun = time.perf_counter()
import numpy as np

import stencilc as st

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import model

n, steps = int(sys.argv[1]), int(sys.argv[2])
# --- counted lines begin
program = st.compile("""
param n : integer; param nt : integer; param h : real; param dt : real;
grid G = [0..n-1, 0..n-1] steps nt;
field U : real on G history 2 boundary constant 0;
field v : real on G constant;
points shots [0..0] on G;
points mics [0..99] on G;
series w : real [0..nt-1];
table c : real[5] = {-205/72.0, 8/5.0, -1/5.0, 8/315.0, -1/560.0};
function lap(u : field) = 2 * c[0] * u[0,0]
    + sum(k in 1..4 : c[k] * (u[-k,0] + u[k,0] + u[0,-k] + u[0,k]));
stencil wave : U {
  let courant = v[0,0] * dt / h;
  G = 2 * U[0,0] - U@-1[0,0] + courant * courant * lap(U) + shots * w[time];
}
record trace [0..nt-1] = U[0,0] at mics;
""", n=n, nt=steps)
v = model.velocity(n)
dt = model.time_step(v)
sim = program.start(*sys.argv[4:], h=model.SPACING, dt=dt, v=v, w=model.wavelet(steps, dt),
                    shots=model.source(n), mics=model.receivers(n))
sim.run()
trace = sim["trace"]
# --- counted lines end
first = time.perf_counter() - begun
seconds = []
for _ in range(3):
    again = program.start(*sys.argv[4:], h=model.SPACING, dt=dt, v=v, w=model.wavelet(steps, dt),
                          shots=model.source(n), mics=model.receivers(n))
    seconds.append(again.run().seconds)
np.save(sys.argv[3], trace)
print(f"RESULT tool=stencilc first_s={first:.2f} gpoints={n * n * steps / min(seconds) / 1e9:.3f} {sim.device}")
