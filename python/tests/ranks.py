"""A run of two processes; test_ranks.py starts it under mpiexec. Rank 0 prints OK."""

import numpy as np
from mpi4py import MPI
from test_programs import HEAT

import stencilc as st


def main():
    p = st.compile(HEAT, N=48)
    expected = p.start("reference")
    expected.run()
    c = np.ones((48, 96), np.float32)
    sim = p.start("host", ranks=MPI.COMM_WORLD, c=c)
    if MPI.COMM_WORLD.rank != 0:
        assert sim is None
        return
    assert sim.parts.startswith("2"), sim.parts
    sim.advance(7)
    sim.run()
    np.testing.assert_array_equal(sim["T"], expected["T"])
    assert sim.reductions == expected.reductions
    sim.close()
    print("OK")


if __name__ == "__main__":
    main()
