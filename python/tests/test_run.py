# SPDX-License-Identifier: Apache-2.0
"""Runs: the rows of the program, without copies, and independent trajectories."""
import csv
import gc
import json
import pickle

import numpy as np
import pytest

import pfaff
from conftest import REFERENCE, example, example_path
from pfaff._pfaff import lib


@pytest.mark.parametrize("name, options", [("snakeboard", ["--for", "1", "--by", "dopri5"]), ("spacecraft", ["--every", "1"]),
                                           ("incline_friction", []), ("carriage_omni3", ["--for", "0.5"])])
def test_rows_are_those_of_the_program(program, name, options):
    told = program("run", "--json", *options, example_path(name))
    words = {key.strip("-"): value for key, value in zip(options[::2], options[1::2])}
    run = example(name).run(words.pop("for", None), **words)
    rows = np.array([[np.nan if x is None else x for x in row] for row in told["rows"]])
    assert run.columns == told["columns"] and list(run.units.values()) == told["units"]
    assert np.array_equal(run.data, rows, equal_nan=True)
    for key in ("end", "t_end", "steps", "energy", "violation", "method", "formulation", "switches", "start_change"):
        assert run.raw[key] == told[key]
    assert run.raw.get("events") == told.get("events")


TRAJECTORIES = [t for t in json.loads((REFERENCE/"index.json").read_text())["trajectories"] if t["until"] <= 10]


@pytest.mark.parametrize("case", TRAJECTORIES[:8], ids=lambda case: case["file"])
def test_motions_are_those_of_the_reference(case):
    with open(REFERENCE/case["file"]) as file:
        table = list(csv.DictReader(line for line in file if not line.startswith("#")))
    table = [row for row in table if float(row["t"]) <= case["until"]]
    table = table[::max(1, len(table)//20)]
    times = [float(row["t"]) for row in table]
    columns = {name: ours for name, ours in case["columns"].items() if isinstance(ours, str)}
    show = sorted({ours.lstrip("-") for ours in columns.values()})
    run = example(case["model"]).run(case["until"], by="dop853", rtol=1e-12, at=times, show=show, native="off",
                                     params=case.get("parameters"), state=case.get("state"))
    assert np.allclose(run.t, times)
    for name, ours in columns.items():
        sign = -1 if ours.startswith("-") else 1
        expected = np.array([float(row[name]) for row in table])
        size = max(1, np.abs(expected).max())
        assert np.abs(sign*run[ours.lstrip("-")] - expected).max() < max(case["tolerance"], 1e-8)*size, name


def test_columns_are_views_that_outlive_everything(pendulum):
    run = pendulum.run(1)
    column = run["phi"]
    assert np.shares_memory(column, run.data) and np.shares_memory(run.t, run.data)
    kept = column.copy()
    del run, pendulum
    gc.collect()
    assert np.array_equal(column, kept)


def test_quantities_by_name(pendulum):
    run = pendulum.run(1, every=0.25, show=["phi [deg]", "kinetic", "phi''"])
    assert run.columns == ["t", "phi [deg]", "kinetic", "phi''"] or run.columns[0] == "t"
    assert np.allclose(run.t, [0, 0.25, 0.5, 0.75, 1])


def test_declared_units_and_texts_with_units():
    m = pfaff.Model("coord x [mm]; param m = 100 [g]; kinetic m*x'^2/2; start x' = 5 [mm/s]; run 1")
    assert m.parameters == {"m": 100} and m.units["x"] == "mm"
    assert abs(m.run(1)["x"][-1] - 5) < 1e-9
    assert m.run(1, params={"m": "1 [kg]"}).energy["start"] == pytest.approx(0.5*1*0.005**2)
    assert m.run(1, params={"m": 1000}).energy["start"] == pytest.approx(0.5*1*0.005**2)


def test_other_libraries(pendulum):
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    run = pendulum.run(1, every=0.1)
    frame, data = run.to_pandas(), run.to_xarray()
    assert isinstance(frame, pandas.DataFrame) and isinstance(data, xarray.Dataset)
    assert np.array_equal(frame["phi"].to_numpy(), run["phi"]) and frame.attrs["units"]["phi"] == "rad"
    assert np.array_equal(data["phi"].values, run["phi"]) and data["phi"].attrs["units"] == "rad"


def test_matplotlib(snakeboard):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    run = snakeboard.run(1, by="dopri5")
    axes = run.plot("x, y; theta")
    assert len(axes) == 2 and axes[0].get_ylabel() == "$x$, $y$  [m]" and axes[1].get_xlabel() == "$t$  [s]"
    assert len(run.plot()) == 2  # m and rad
    with pytest.raises(pfaff.UnknownName, match="did you mean 'theta'"):
        run.plot("thta")


def test_runs_are_pickled(pendulum):
    run = pendulum.run(1)
    again = pickle.loads(pickle.dumps(run))
    assert again == run and np.array_equal(again["phi"], run["phi"]) and again.end == run.end


def test_a_run_that_fails_has_the_rows_so_far():
    m = pfaff.Model("coord x; kinetic x'^2/2; force x = 2*x^3; start x = 1, x' = 1")  # infinite at t = 1
    with pytest.raises(pfaff.NumericalError) as caught:
        m.run(2)
    assert caught.value.result.t[-1] == pytest.approx(1, abs=1e-3) and caught.value.result["x"][-1] > 100


def test_a_condition_ends_it():
    m = pfaff.Model("coord x; kinetic x'^2/2; start x' = 1; run 9 until x > 2")
    run = m.run()
    assert run.end == "the stop condition became true" and run.t[-1] == pytest.approx(2)


def test_words_for_people(pendulum):
    run = pendulum.run(1)
    assert "pendulum" in repr(run) and "<table>" in run._repr_html_() and "phi" in dir(pendulum) + run.columns
    with pytest.raises(AttributeError, match="it has model"):
        run.nothing
    with pytest.raises(KeyError):
        run["nothing"]


def test_inputs_hold():
    m = pfaff.Model("coord x [m]; param m = 2 [kg]; input u [mN], w [N]; kinetic m*x'^2/2; force x = u + w")
    r = m.run(1, inputs={"u": 4000, "w": "1000 [mN]"}, every=0.5, show=["x", "u", "x''"])
    np.testing.assert_allclose(r.data, [[t, 2.5*t**2/2, 4000, 2.5] for t in (0, 0.5, 1)], rtol=1e-9)
    assert m.plot("x", inputs={"u": 1}).svg != m.plot("x", inputs={"u": 2}).svg


def test_a_model_is_read_once():
    """Whatever is done with it later does not look at the text again."""
    model = pfaff.Model("param k = 4 [N/m]\ncoord x [m]\nkinetic 0.5[kg]*x'^2\npotential k*x^2/2\nstart x = 1\n")
    model.text = "this is not a model"
    assert model.run(0.1, show="x, kinetic").columns[0] == "t"
    assert model.check().raw["degrees_of_freedom"] == 1
    assert model.derive().equations
    assert model.simulate().clone()["x"] == 1
    assert model.accelerations([1.0], [0.0])[0] == -4
    assert model.linearize().raw["eigenvalues"]


def test_a_model_is_derived_once():
    """Later calls read nothing and derive nothing, also by methods that need formulas of a chain, which is matrix-free."""
    bodies = 10
    lines = ["gravity (0, 0, -9.81)"] + [f"coord a{i} [rad]" for i in range(bodies)] + ["start a0 = 0.3"]
    for i in range(bodies):
        parent = f"b{i - 1} at (0, 0, -1)" if i else "ground"
        lines.append(f"body b{i} in {parent} turn a{i} about y {{ mass 1 [kg], com (0, 0, -0.5), inertia diag(0.1, 0.1, 0.1) }}")
    model = pfaff.Model("\n".join(lines) + "\n")
    work = lambda: [lib.pf_py_machine_work(model._machine.c, kind) for kind in (0, 1)]
    calls = [lambda: model.run(0.01), lambda: model.run(0.01, by="generalized_alpha"),
             lambda: model.simulate(by="generalized_alpha").step(), lambda: model.derive(), lambda: model.linearize()]
    assert work() == [1, 0]
    for call in calls:
        call()
        before = work()
        call()
        assert work() == before
    assert work() == [1, 4]  # matrix-free, written out, formulas, their form to read
