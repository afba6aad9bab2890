"""Runs: arrays without copies, steps, files."""

import signal
import threading
import time

import numpy as np
import pytest
from conftest import present
from test_programs import HEAT

import stencilc as st

WAVE = """
grid G = [0..31] steps 40;
field U : real on G history 2 boundary 0;
field v : real on G constant;
stencil wave : U on G = 2*U[0] - U@-1[0] + v[0] * (U[-1] - 2*U[0] + U[1]);
init U[i] = exp(-(i-16)*(i-16)/8.0);
""".replace("boundary 0", "boundary constant 0")

FLOW = """
grid G = [0..5, 0..3] steps 3;
field S : { rho : real, u : vector 2 of real } on G boundary periodic;
field b : bool on G constant;
field n : integer on G;
stencil s : S on G = { rho = S[0,-1].rho, u = S[0,0].u + S[1,0].u };
stencil t : n on G = n[0,0] + select(b[0,0], 1, 0);
init S[i,j] = { rho = i + 10 * j, u = { 1, 2 } };
"""

SHOTS = """
param K : integer = 12;
param S : integer = 2;
grid G = [0..19] steps K;
points shots [0..S-1] on G;
points mics [0..2] on G;
series w : real [0..K-1] on shots boundary constant 0;
field U : real on G boundary clamp;
stencil s : U on G = 0.5 * U[0] + 0.25 * (U[-1] + U[1]) + w[time];
record traces [0..K-1] = U[0] at mics;
reduce total = sum(U[0]) on G every 4;
init mics[p] = { 5 * p + 2 };
"""


def wave_reference(u, v, steps):
    older = u.copy()
    for _ in range(steps):
        padded = np.pad(u, 1)
        older, u = u, (2 * u - older + v * (padded[:-2] - 2 * u + padded[2:])).astype(np.float32)
    return u, older


def test_arrays_are_used_in_place(device):
    p = st.compile(WAVE)
    v = np.full(32, 0.25, np.float32)
    u = np.linspace(0, 1, 32, dtype=np.float32)
    expected, before = wave_reference(u.copy(), v, 7)
    sim = p.start(device, U=u, v=v)
    assert sim["U"] is u and sim["v"] is v
    assert sim["U@-1"] is not u and np.array_equal(sim["U@-1"], u)
    sim.advance(3)
    sim.advance(4)
    assert sim.step == 7
    np.testing.assert_allclose(u, expected, rtol=1e-5)
    np.testing.assert_allclose(sim["U@-1"], before, rtol=1e-5)
    address = sim["U"].__array_interface__["data"][0]
    assert address == u.__array_interface__["data"][0]


def test_fields_without_arrays_have_initial_values(device):
    sim = st.compile(WAVE).start(device, v=np.zeros(32, np.float32))
    i = np.arange(32)
    np.testing.assert_allclose(sim["U"], np.exp(-((i - 16) ** 2) / 8.0), rtol=1e-6)
    u = sim["U"]
    u[3] = 7  # between calls, arrays may be written to
    sim.advance(1)
    assert sim["U"] is u and u[3] != 7 and sim["U@-1"][3] == 7


def test_an_older_level_alone_is_set_beside_initial_values(device):
    older = np.full(32, 3, np.float32)
    sim = st.compile(WAVE).start(device, v=0.0, arrays={"U@-1": older})
    assert sim["U"].max() == 1 and sim["U@-1"].tolist() == [3] * 32
    flow = st.compile(FLOW).start(device, b=False, arrays={"S.rho": 7.0})
    assert flow["S.rho"].min() == 7 and flow["S.u[1]"].min() == 2


def test_inputs_need_values(device):
    sim = st.compile(WAVE).start(device)
    with pytest.raises(st.Error) as raised:
        sim.advance(1)
    assert raised.value.code == "R057" and "sim['v']" in raised.value.hint
    sim["v"] = 0.25
    sim.advance(1)
    sim["v"] = np.zeros(32)  # converted
    assert sim["v"].dtype == np.float32 and not sim["v"].any()


@pytest.mark.parametrize(
    "array, code, text",
    [
        (np.zeros(32), "R072", "float64"),
        (np.zeros(31, np.float32), "R071", "(31,)"),
        (np.zeros(64, np.float32)[::2], "R073", "strides (2,)"),
        (np.zeros((32, 1), np.float32), "R071", "(32, 1)"),
    ],
)
def test_arrays_must_fit(device, array, code, text):
    with pytest.raises(st.Error) as raised:
        st.compile(WAVE).start(device, v=array)
    assert raised.value.code == code and text in raised.value.message
    assert "float of shape (32,)" in raised.value.message or code == "R073"


def test_read_only_arrays(device):
    array = np.zeros(32, np.float32)
    array.flags.writeable = False
    p = st.compile(WAVE)
    p.start(device, v=array).advance(1)
    with pytest.raises(st.Error, match="read-only"):
        p.start(device, U=array, v=0.25)
    p.start(device, U=array, v=0.25, copy=True).advance(1)
    assert not array.any()


def test_copy_converts(device):
    wide = np.linspace(0, 1, 64)[::2]
    sim = st.compile(WAVE).start(device, v=wide, U=[0.0] * 32, copy=True)
    np.testing.assert_array_equal(sim["v"], wide.astype(np.float32))
    with pytest.raises(st.Error) as raised:
        st.compile(FLOW).start(device, n=np.full((6, 4), 0.5), copy=True)
    assert raised.value.code == "R072"


def test_structures(device):
    p = st.compile(FLOW)
    assert p.fields["S"].array_shape == (6, 4, 3)
    b = np.zeros((6, 4), bool)
    b[2] = True
    sim = p.start(device, b=b)
    whole = sim["S"]
    assert whole.shape == (6, 4, 3) and whole[1, 2].tolist() == [21, 1, 2]
    sim.advance(2)
    assert np.shares_memory(sim["S"], sim["S.rho"]), "components are views of one array"
    assert sim["S.u[1]"].tolist() == [[8] * 4] * 6
    assert (
        sim["S"][..., 0].tolist()
        == np.roll([[i + 10 * j for j in range(4)] for i in range(6)], 2, 1).tolist()
    )
    assert sim["n"].dtype == np.int32 and sim["n"].sum() == 8 and sim["n"][2, 0] == 2
    sim["S"] = np.zeros((6, 4, 3))
    assert not sim["S"].any() and sim["S.rho"].sum() == 0
    rho = np.ones((6, 4), np.float32)
    again = p.start(device, arrays={"S.rho": rho, "S.u[0]": 0, "S.u[1]": 0}, b=b)
    assert again["S.rho"] is rho and again["S"][..., 0].sum() == 24


def test_points_series_and_records(device):
    p = st.compile(SHOTS)
    places = np.array([[4.0], [10.5]])
    signal_ = np.zeros((12, 2), np.float32)
    signal_[0] = 1
    sim = p.start(device, shots=places, w=signal_)
    sim.advance(1)
    expected = np.zeros(20)
    expected[4], expected[10], expected[11] = 1, 0.5, 0.5
    assert sim["U"].tolist() == expected.tolist()
    sim["shots"] = places + 1
    sim["w"] = np.ones((12, 2))
    sim.run()
    assert (
        sim["traces"].shape == (12, 3)
        and sim["traces"][11].tolist() == sim["U"][[2, 7, 12]].tolist()
    )
    assert sim.reductions["total"] == pytest.approx(float(sim["U"].sum()), rel=1e-5)
    assert sim.history["step"].tolist() == [4, 8, 12]
    assert sim.history["total"][-1] == sim.reductions["total"]


def test_a_run_may_have_records_only(device):
    text = "".join(line + "\n" for line in SHOTS.splitlines() if "total" not in line)
    sim = st.compile(text).start(device, shots=np.array([[4.0], [10.5]]), w=np.ones((12, 2), np.float32))
    sim.run()
    assert sim.step == 12 and sim["traces"].any()
    assert list(sim.history) == ["step"]


def test_params_change_between_calls(device):
    sim = st.compile(HEAT).start(device, k=0.2)
    sim.set(k=0)
    before = sim["T"].copy()
    sim.advance(3)
    assert np.array_equal(before, sim["T"])
    with pytest.raises(st.Error) as raised:
        sim.set(N=3)
    assert raised.value.code == "R074"
    sim.set(T=np.ones((16, 32)))
    assert sim["T"].min() == 1


def test_checkpoints_and_files(device, tmp_path):
    p = st.compile(HEAT)
    sim = p.start(device)
    sim.advance(5)
    sim.save(tmp_path / "run.ckpt")
    sim.run(outputs=[tmp_path / "T.npy", st.output(tmp_path / "T.png", "T")], every=10)
    assert {f.name for f in tmp_path.iterdir()} >= {"T_000010.npy", "T_000020.npy", "T_000020.png"}
    again = p.start("reference")
    again.restore(tmp_path / "run.ckpt")
    assert again.step == 5
    again.run()
    np.testing.assert_array_equal(again["T"], sim["T"])
    np.testing.assert_array_equal(np.load(tmp_path / "T_000020.npy"), sim["T"])
    sim.write(tmp_path / "T.npy")
    with pytest.raises(st.Error) as raised:
        sim.write(tmp_path / "other.npy")
    assert raised.value.code == "R070"
    again.read("T", tmp_path / "T_000010.npy")


def test_every_yields_frames(device):
    p = st.compile(HEAT)
    frames = [(f.step, f["T"].copy(), f.array is f["T"]) for f in p.start(device).every(8, "T")]
    assert [step for step, _, _ in frames] == [8, 16, 20] and all(same for _, _, same in frames)
    expected = p.start(device)
    expected.run()
    np.testing.assert_array_equal(frames[-1][1], expected["T"])


def test_box_and_statistics(device):
    sim = st.compile(HEAT).start(device)
    assert sim.box("T", (3, 2), (1, 4)).tolist() == [[0, 0, 1, 0]]
    assert sim.statistics("T").greatest == 1
    with pytest.raises(st.Error) as raised:
        sim.box("T", (15, 0), (2, 1))
    assert raised.value.code == "R082"


def test_progress_is_called_and_ends_the_call(device):
    seen = []
    sim = st.compile(HEAT, steps=100000).start(device)
    report = sim.run(progress=lambda done, total: seen.append((done, total)) or False)
    assert seen and seen[0][1] == 100000 and report.interrupted and sim.step < 100000
    with pytest.raises(ZeroDivisionError):
        sim.advance(10, progress=lambda done, total: 1 / 0)
    sim.advance(1)


def test_ctrl_c_ends_after_a_tile():
    sim = st.compile(HEAT, steps=10**9).start("reference", N=64)
    main = threading.main_thread().ident
    # A shell starts processes in the background with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            sim.run()
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - begin < 30
    step = sim.step
    assert step > 0
    sim.advance(1)
    assert sim.step == step + 1


def test_the_gil_is_released_and_one_thread_at_a_time():
    sim = st.compile(HEAT, steps=10**9).start("reference", N=64)
    stop = []
    thread = threading.Thread(target=lambda: sim.run(progress=lambda done, total: not stop))
    thread.start()
    count = 0
    deadline = time.monotonic() + 0.3
    while time.monotonic() < deadline:
        count += 1  # Python continues
    with pytest.raises(RuntimeError, match="in use"):
        sim.advance(1)
    stop.append(True)
    thread.join()
    assert count > 100
    sim.advance(1)


def test_nan_is_a_warning(device):
    p = st.compile(HEAT, steps=400)
    with pytest.warns(RuntimeWarning, match="NaN"):
        p.start(device, k=1e30).run(on_nan="continue")


def test_a_copy_on_other_devices():
    if not present("opencl"):
        pytest.skip("no OpenCL")
    sim = st.compile(WAVE).start("opencl", v=0.25, U=np.zeros(32))
    u = sim["U"]
    assert not u.flags.writeable
    sim["U"] = np.arange(32)
    sim.advance(1)
    host = st.compile(WAVE).start("reference", v=0.25, arrays={"U@-1": 0.0})
    assert sim["U"].shape == (32,) and host["U@-1"].sum() == 0


def test_functions_on_other_devices():
    if not present("opencl"):
        pytest.skip("no OpenCL")
    p = st.compile(WAVE)
    u = np.linspace(0, 1, 32, dtype=np.float32)
    out = np.empty_like(u)
    step = p.function(2, device="opencl")
    result = step(u, 0.25, out=out)
    assert result is out and np.array_equal(out, p.function(2, device="reference")(u, 0.25))
    assert step(u, 0.25).flags.writeable


def test_functions_change_no_argument(device):
    p = st.compile(WAVE)
    step = p.function(2, device=device)
    assert step.inputs == ("U", "v") and step.outputs == ("U",)
    u = np.linspace(0, 1, 32, dtype=np.float32)
    v = np.full(32, 0.25, np.float32)
    given = u.copy()
    result = step(u, v)
    assert np.array_equal(u, given) and result is not u
    np.testing.assert_allclose(result, wave_reference(u, v, 2)[0], rtol=1e-5)
    out = np.empty_like(u)
    assert step(u, v=v, out=out) is out and np.array_equal(out, result)
    with pytest.raises(TypeError):
        step(u, v, u)
    with pytest.raises(st.Error):
        step(u, v, out=np.empty(31, np.float32))


def test_calls_have_little_overhead():
    if not present("host"):
        pytest.skip("the device host is absent")
    sim = st.compile(HEAT, N=8, steps=10**9).start("host")
    sim.advance(1)
    best = 1.0
    for _ in range(300):
        begin = time.perf_counter()
        report = sim.advance(1)
        best = min(best, time.perf_counter() - begin - report.seconds)
    assert best < 20e-6
