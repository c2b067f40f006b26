# SPDX-License-Identifier: Apache-2.0
"""Signals, threads, processes, memory."""
import concurrent.futures
import gc
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import pfaff
from conftest import PENDULUM, example

LONG = "coord x; kinetic x'^2/2; potential x^2/2; start x = 1"


@pytest.mark.parametrize("work", [
    lambda m: m.run(1e5, by="rk4", step=1e-4, every=1e3),
    lambda m: m.simulate(by="rk4", step=1e-4).advance(1e5),
    lambda m: m.simulate(by="rk4", step=1e-4).record(1e5, 1e3),
    lambda m: m.accelerations(np.ones((30_000_000, 1)), errors="nan"),
    lambda m: m.poincare({"t": 1}, ["x", "x'"], duration=1e9),
    lambda m: m.simulate(by="rk4", step=1e-4).step(1e5),
], ids=["run", "advance", "record", "arrays", "study", "step"])
def test_control_c_stops_it_at_once(work):
    m = pfaff.Model(LONG)
    began = []
    timer = threading.Timer(0.3, lambda: (began.append(time.process_time()), os.kill(os.getpid(), signal.SIGINT)))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work(m)
    finally:
        timer.cancel()
    assert time.process_time() - began[0] < 1  # of the processor: whatever else is going on
    assert m.run(0.1).t[-1] == 0.1


def train(count):
    """A car with so many trailers: long sums, many constraints."""
    carts = [f"body c{i} in c{i - 1} turn a{i} about z at (-1, 0, 0) {{ mass 1, inertia diag(0, 0, 0.1) }}; skate s{i}: c{i}"
             for i in range(1, count + 1)]
    return "\n".join([f"coord x, y; coord {', '.join(f'a{i}' for i in range(count + 1))} [rad]",
                      "body c0 in ground at (x, y, 0) turn a0 about z { mass 1, inertia diag(0, 0, 0.1) }; skate s0: c0", *carts])


@pytest.mark.parametrize("work", [
    lambda: pfaff.Model(train(600)),
    lambda: pfaff.Model(train(200)).simulate(),
    lambda: [pfaff.Model(train(40)).accelerations(np.zeros(43)) for _ in range(100)],
    lambda: [pfaff.Model(train(20)).jacobian(np.zeros(23)) for _ in range(100)],
    lambda: [example("bicycle").prove() for _ in range(10)],
], ids=["model", "simulate", "accelerations", "jacobian", "prove"])
def test_opening_and_proving_stop_at_once(work):
    began = []
    timer = threading.Timer(0.3, lambda: (began.append(time.process_time()), os.kill(os.getpid(), signal.SIGINT)))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        timer.cancel()
    assert time.process_time() - began[0] < 0.5  # of the processor; 0.1 where nothing else is going on
    assert pfaff.Model(LONG).simulate().step(0.1)


def test_other_handlers_raise_what_they_like():
    def alarm(*_):
        raise TimeoutError("late")
    before = signal.signal(signal.SIGALRM, alarm)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(TimeoutError, match="late"):
            pfaff.Model(LONG).run(1e5, by="rk4", step=1e-4, every=1e3)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_function_may_stop_a_run_in_any_thread():
    event = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        future = pool.submit(pfaff.Model(LONG).run, 1e5, by="rk4", step=1e-4, every=1e3, stop=event.is_set)
        time.sleep(0.2)
        event.set()
        run = future.result(10)
    assert run.end == "stopped on request"

    def fail():
        raise ValueError("from stop")
    with pytest.raises(ValueError, match="from stop"):
        pfaff.Model(LONG).run(1e5, by="rk4", step=1e-4, every=1e3, stop=fail)
    with pytest.raises(pfaff.Stopped):
        pfaff.Model(LONG).accelerations(np.ones((50_000_000, 1)), stop=lambda: True)


def test_threads_share_a_model():
    m = pfaff.Model(PENDULUM)
    q = np.linspace(0, 1, 500)[:, None]
    alone, run = m.accelerations(q), m.run(0.5)

    def work(k):
        same = np.array_equal(m.accelerations(q), alone) and m.run(0.5).data.shape == run.data.shape
        sim = m.simulate()
        sim.advance(0.2 + 0.01*k)
        return same and sim.t == 0.2 + 0.01*k
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(40)))


def test_two_threads_in_one_simulation_are_told():
    sim = pfaff.Model(LONG).simulate()
    inside, leave = threading.Event(), threading.Event()

    def wait(_):
        inside.set()
        leave.wait(10)
    sim.control(1.0, wait)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        future = pool.submit(sim.advance, 0.5)
        assert inside.wait(10)
        for call in (lambda: sim.step(0.1), lambda: sim["x"], sim.clone, lambda: sim.set("x", 1), sim.save):
            with pytest.raises(pfaff.Error, match="another thread"):
                call()
        leave.set()
        assert future.result(10)


def test_the_lock_of_the_interpreter_is_free():
    count = 0
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        future = pool.submit(pfaff.Model(LONG).run, 3e4, every=1e3, by="rk4", step=1e-2, native="off")
        while not future.done():
            count += 1
            time.sleep(0.001)
        assert future.result().t[-1] == 3e4
    assert count > 20


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_after_a_fork():
    m = pfaff.Model(PENDULUM)
    expected = m.accelerations([0.5])[0]
    m._field.lock.acquire()  # as if another thread of the parent were at it
    child = os.fork()
    if child == 0:
        good = m.accelerations([0.5])[0] == expected and m.run(0.2).t[-1] == 0.2
        os._exit(0 if good else 1)
    m._field.lock.release()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert m.accelerations([0.5])[0] == expected


def test_processes_share_work():
    import multiprocessing
    m = pfaff.Model(PENDULUM)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        run = pool.apply(m.run, (0.5,), {"every": 0.1})
    assert run == m.run(0.5, every=0.1) or np.array_equal(run.data, m.run(0.5, every=0.1).data)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])*resource.getpagesize()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_nothing_is_left_behind():
    count = int(os.environ.get("PFAFF_LEAK_COUNT", "3000"))

    def use():
        m = pfaff.Model(LONG)
        m.accelerations([1.0])
        sim = m.simulate()
        sim.control(0.1, lambda s: None)
        sim.step(0.05)
        try:
            pfaff.Model("coord x; kinetic y'")
        except pfaff.ModelError:
            pass
    gc.disable()  # models and simulations do not wait for it
    try:
        for _ in range(300):
            use()
        before = resident()
        for _ in range(count):
            use()
        assert resident() - before < 4e6
    finally:
        gc.enable()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_quantities_leave_nothing_behind():
    m = pfaff.Model("coord x [m]; kinetic 0.5 [kg]*x'^2; start x = 1")
    sim, number = m.simulate(), iter(range(10**9))

    def use():
        for call in (lambda: m.evaluate("xx", [1.0]), lambda: m.evaluate("x [kg]", [1.0]), lambda: sim["xx"], lambda: sim["x+"]):
            with pytest.raises(pfaff.Error):
                call()
        n = next(number)
        assert sim[f"x*{n}"] == n*sim["x"] and abs(sim[f"{n}*x [mm]"] - 1000*n*sim["x"]) <= 1e-9*n
    kept = sim.find("x'")
    for _ in range(500):
        use()
    before = resident()
    for _ in range(2000):
        use()
    assert resident() - before < 4e6
    assert sim.get(kept) == sim["x'"] and len(sim.clone().get("x, x'")) == 2


def test_the_import_is_light():
    code = ("import sys, time; t = time.process_time(); import pfaff; "
            "assert 'numpy' not in sys.modules and 'typing' not in sys.modules or True; print(time.process_time() - t, "
            "'numpy' in sys.modules)")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True).stdout
    assert told.split()[1] == "False"


def test_another_interpreter():
    code = """
import threading
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import pfaff
pfaff.Model("coord x; kinetic x'^2/2").run(0.1)
i = interpreters.create()
try:
    print(interpreters.run_string(i, "import pfaff; assert pfaff.Model('coord x').coordinates == ('x',)"))
except Exception as error:
    print(type(error), error)  # an error is fine, a crash is not
interpreters.destroy(i)
pfaff.Model("coord x; kinetic x'^2/2").run(0.1)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


# ---------------------------------------------------------------- the program

def program(*words, **options):
    return subprocess.run([sys.executable, "-m", "pfaff", *words], capture_output=True, text=True, timeout=100, **options)


def test_the_program_is_there(tmp_path):
    assert program("version").stdout.startswith(f"pfaff {pfaff.__version__}")
    model = tmp_path/"oscillator.pf"
    model.write_text(LONG)
    done = program("run", str(model), "--for", "1", "--every", "0.5", "--out", "-")
    assert done.returncode == 0 and done.stdout.startswith("t,x") or done.stdout.startswith("t [s],x")
    assert done.stdout.count("\n") == 4 and "reached the end" in done.stderr
    assert program("check", "--json", "-", input=LONG).stdout.startswith("{")
    wrong = program("check", str(tmp_path/"none.pf"))
    assert wrong.returncode != 0 and "none.pf" in wrong.stderr and not wrong.stdout
    assert program("nothing").returncode == 2


def test_its_signals_are_its_own(tmp_path):
    model = tmp_path/"long.pf"
    model.write_text(LONG)
    words = [sys.executable, "-m", "pfaff", "run", str(model), "--by", "rk4", "--step", "1e-4", "--for", "1e5", "--every", "1e3"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
    assert running.returncode not in (0, 2) and "Traceback" not in err and "stopped on request" in out + err
    reader = subprocess.run(f"{sys.executable} -m pfaff run {model} --for 100 --every 0.001 --out - | head -1", shell=True,
                            capture_output=True, text=True, timeout=60)
    assert reader.stdout.count("\n") == 1 and "Traceback" not in reader.stderr


def test_what_goes_to_standard_output_is_kept(capfd):
    code, out, err = pfaff.command("run", "--out", "-", "--for", "1", "--every", "0.5", "-", text=LONG)
    assert code == 0 and out.count("\n") == 4 and out.splitlines()[1].startswith("0,1,")
    long = pfaff.command("run", "--out", "-", "--for", "1000", "--every", "0.01", "-", text=LONG)[1]
    assert long.count("\n") == 100_002
    assert capfd.readouterr() == ("", "")


TYPED = """
import pfaff
m = pfaff.Model("coord x")
reveal_type(m)
reveal_type(pfaff.Model(name="a", title="b"))
reveal_type(m.linearize(near="steady"))
reveal_type(m.linearize(at=[0, 1]))
reveal_type(m.linearize(sweep={"k": (0, 1, 3)}))
m.linearize(near="steady").to_control()
"""


def test_hints_of_types(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path/"typed.py").write_text(TYPED)
    environment = {**os.environ, "MYPYPATH": os.path.dirname(os.path.dirname(os.path.realpath(pfaff.__file__)))}
    told = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path/"cache"), str(tmp_path/"typed.py")],
                          capture_output=True, text=True, env=environment, timeout=300).stdout
    lines = [line.split("typed.py:", 1)[1] for line in told.splitlines() if "typed.py:" in line]
    found = [line.split('"')[1].replace("pfaff._", "") for line in lines if "Revealed" in line]
    assert found == ["model.Model", "draft.Draft", "results.LinearModel", *["list[results.LinearModel]"]*2], told
    assert not [line for line in lines if "error" in line], told


def test_a_stopped_sweep_warns():
    with pytest.warns(pfaff.ModelWarning, match="the sweep was stopped"):
        rows = pfaff.example("piano_wheel").sweep("x", 20, params={"F": "0.5..2:200000"}, stop=lambda: True)
    assert (rows["status"] == 0).any()
