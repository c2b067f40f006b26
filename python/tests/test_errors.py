# SPDX-License-Identifier: Apache-2.0
"""What is wrong is said with its place, and with a hint; models and errors can be pickled."""
import concurrent.futures
import pathlib
import pickle

import pytest
from hypothesis import given, settings, strategies as st

import pfaff
from conftest import EXAMPLES, PENDULUM


def test_a_model_error_has_a_place_and_a_caret(tmp_path):
    path = tmp_path/"wrong.pf"
    path.write_text("coord x\nkinetic x'^2/2\npotential k*x^2/2\n")
    with pytest.raises(pfaff.ModelError) as caught:
        pfaff.load(path)
    error = caught.value
    assert (error.file, error.line, error.column, error.length) == (str(path), 3, 11, 1)
    assert "3 | potential k*x^2/2" in str(error) and "^" in str(error) and error.message in str(error)
    assert isinstance(error, ValueError) and error.code == "name" and error.diagnostics[0]["severity"] == "error"
    assert error._render_traceback_()[0] == "pfaff.ModelError" and "^" in "\n".join(error._render_traceback_())


def test_errors_are_pickled():
    with pytest.raises(pfaff.ModelError) as caught:
        pfaff.Model("coord x\nkinetc x")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is pfaff.ModelError and str(again) == str(caught.value) and again.line == 2
    assert "did you mean 'kinetic'" in again.hint


def test_models_are_pickled(pendulum):
    again = pickle.loads(pickle.dumps(pendulum))
    assert again == pendulum and hash(again) == hash(pendulum) and again.run(1) is not None
    assert pickle.loads(pickle.dumps(pendulum.linearize(near="equilibrium"))).A.shape == (2, 2)
    equations = pickle.loads(pickle.dumps(pendulum.derive()))
    assert equations.text == pendulum.derive().text


@pytest.mark.parametrize("call, kind, words", [
    (lambda m: m.run(params={"mm": 1}), pfaff.UnknownName, "did you mean 'm'"),
    (lambda m: m.run(state={"phy": 1}), pfaff.UnknownName, "phi"),
    (lambda m: m.run(by="rk4", step=0.01, rtol=1e-6), pfaff.ArgumentError, "rtol has no effect"),
    (lambda m: m.run(by="rk5"), pfaff.ArgumentError, "rk4"),
    (lambda m: m.run(form="magi"), pfaff.ArgumentError, "maggi"),
    (lambda m: m.run(-1), pfaff.ArgumentError, "duration: '-1' is not a positive number"),
    (lambda m: m.run(float("nan")), pfaff.ArgumentError, "not a finite number"),
    (lambda m: m.run(object()), pfaff.ArgumentError, "no number"),
    (lambda m: m.run(1, evry=1), pfaff.ArgumentError, "every"),
    (lambda m: m.run(params={"m": "1 [s]"}), pfaff.ArgumentError, "kg"),
    (lambda m: m.run(1, every=1, at=[1]), pfaff.ArgumentError, "at"),
    (lambda m: m.derive("magi"), pfaff.ArgumentError, "maggi"),
    (lambda m: m.run(t_eval=[1]), pfaff.ArgumentError, "did you mean 'at'"),
    (lambda m: m.run(1, evry=1), pfaff.ArgumentError, "did you mean 'every'"),
    (lambda m: m.run(inputs={"uu": 1}), pfaff.UnknownName, "did you mean 'u'"),
    (lambda m: m.run(inputs={"u": "1 [kg]"}), pfaff.ArgumentError, "inputs: u=1 [kg]"),
    (lambda m: m.run(inputs=[1]), pfaff.ArgumentError, "inputs={'u': …}"),
    (lambda m: m.run(params={"u": 1}), pfaff.UnknownName, "'u' is an input"),
    (lambda m: m.run(params=[1]), pfaff.ArgumentError, "a dictionary by name"),
    (lambda m: m.linearize(sweep={"m": [1, 2, 3, 5.0]}), pfaff.ArgumentError, "(1, 5, 4) for equal steps"),
    (lambda m: pfaff.Model("robot.pf"), pfaff.ModelError, "pfaff.load('robot.pf') reads it"),
    (lambda m: m.simulat(), AttributeError, "did you mean 'simulate'"),
    (lambda m: m.nothing, AttributeError, "it has accelerations"),
    (lambda m: m.simulate().nothing, AttributeError, "it has a, advance"),
    (lambda m: m.parameters.__setitem__("m", 1), AttributeError, "__setitem__"),
    (lambda m: m.study("nothing"), pfaff.ArgumentError, "nothing"),
    (lambda m: m.linearize(sweep={"m": (1,)}), pfaff.ArgumentError, "range"),
    (lambda m: m.export("fortran", "x"), pfaff.ArgumentError, "fortran"),
    (lambda m: m.export("c", "/nonexistent/x"), pfaff.Error, "nonexistent"),
    (lambda m: m.plot("phii"), pfaff.Error, "phi"),
    (lambda m: m.draw(view="below"), pfaff.Error, "below"),
    (lambda m: m.draw(), pfaff.Error, ""),
    (lambda m: m.constant("1 [nonsense]"), pfaff.ArgumentError, "nonsense"),
    (lambda m: pfaff.Model(3), pfaff.ArgumentError, "int"),
    (lambda m: pfaff.Model("coord x\0"), pfaff.ModelError, "zero byte"),
    (lambda m: pfaff.Model("coord x", 5), pfaff.ArgumentError, "not int"),
    (lambda m: pfaff.load(5), pfaff.ArgumentError, "not int"),
    (lambda m: pfaff.Model("coord \ud800"), pfaff.ArgumentError, "half a character"),
    (lambda m: pfaff.Model("coord x", "\ud800"), pfaff.ArgumentError, "half a character"),
    (lambda m: m.evaluate("\ud800", [0]), pfaff.ArgumentError, "half a character"),
    (lambda m: m.simulate()["\ud800"], pfaff.ArgumentError, "half a character"),
    (lambda m: m.run(by="\ud800"), pfaff.ArgumentError, "half a character"),
    (lambda m: m.evaluate(5, [0]), pfaff.ArgumentError, "a quantity is a text"),
    (lambda m: m.accelerations([0], params=["m"]), pfaff.ArgumentError, "a dictionary by name"),
    (lambda m: m.simulate(params=["m"]), pfaff.ArgumentError, "a dictionary by name"),
    (lambda m: m.simulate(params={3: 3}), pfaff.ArgumentError, "3 is no name"),
    (lambda m: m.accelerations([0], native=[]), pfaff.ArgumentError, "'off', 'auto' or 'on'"),
    (lambda m: m.simulate(native=[]), pfaff.ArgumentError, "'off', 'auto' or 'on'"),
    (lambda m: m.accelerations([[1, 2], [3]]), pfaff.ArgumentError, "is no array"),
    (lambda m: m.jacobian([0], by=["q"]), pfaff.ArgumentError, "by is one of"),
    (lambda m: pfaff.Model(""), pfaff.ModelError, ""),
    (lambda m: m.run(1, show="phii"), pfaff.Error, "phi"),
    (lambda m: pfaff.import_urdf(EXAMPLES/"wheels/cart.pf"), pfaff.Error, "cart.pf"),
])
def test_words(pendulum, call, kind, words):
    with pytest.raises(kind) as caught:
        call(pendulum)
    assert words in str(caught.value), str(caught.value)


@pytest.mark.parametrize("call, kind, setting", [
    (lambda m: m.run(by="rk4", step=0.01, rtol=1e-6), pfaff.ArgumentError, "rtol"),
    (lambda m: m.run(1, evry=1), pfaff.ArgumentError, "evry"),
    (lambda m: m.run(-1), pfaff.ArgumentError, "duration"),
    (lambda m: m.run(params={"mm": 1}), pfaff.UnknownName, "params"),
    (lambda m: m.run(state={"phy": 1}), pfaff.UnknownName, "state"),
    (lambda m: m.run(1, show="phii"), pfaff.UnknownName, "show"),
    (lambda m: m.run(by="rk5"), pfaff.ArgumentError, "by"),
    (lambda m: m.run(1, form="magi"), pfaff.ArgumentError, "form"),
    (lambda m: m.run(1, by="rk4"), pfaff.ArgumentError, "step"),
    (lambda m: m.run(1, every=1e-20), pfaff.ArgumentError, "every"),
    (lambda m: m.run(1, at=[2, 1]), pfaff.ArgumentError, "at"),
    (lambda m: m.export("d", "x"), pfaff.ArgumentError, "to"),
    (lambda m: m.linearize(near="nothing"), pfaff.ArgumentError, "near"),
    (lambda m: m.derive("laconic", independent="phii"), pfaff.ArgumentError, "independent")])
def test_errors_know_the_setting(pendulum, call, kind, setting):
    with pytest.raises(kind) as caught:
        call(pendulum)
    assert type(caught.value) is kind and caught.value.setting == setting
    assert pickle.loads(pickle.dumps(caught.value)).setting == setting


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path/"latin.pf"
    path.write_bytes(b"coord x # \xe9\xff\n")
    with pytest.raises(pfaff.ModelError, match="UTF-8") as caught:
        pfaff.load(path)
    assert caught.value.line == 1 and caught.value.file == str(path)


def test_a_path_names_the_text():
    with pytest.raises(pfaff.ModelError) as caught:
        pfaff.Model("coord x\nkinetc x", pathlib.Path("a.pf"))
    assert caught.value.file == "a.pf"


def test_pickled_errors_keep_the_rows():
    m = pfaff.Model("coord x; kinetic x'^2/2; force x = 1/(0.5 - t); start x = 1; run 1")
    with pytest.raises(pfaff.Error) as caught:
        m.run(by="rk4", step=0.125)
    again = pickle.loads(pickle.dumps(caught.value))
    assert caught.value.result is not None and again.result == caught.value.result and str(again) == str(caught.value)


def test_files():
    with pytest.raises(FileNotFoundError):
        pfaff.load("nowhere.pf")


def test_a_parameter_without_a_number():
    m = pfaff.Model("coord x; param k; kinetic x'^2/2; potential k*x^2/2; start x = 1")
    assert m.parameters == {"k": None}
    for call in (m.run, m.simulate, lambda: m.accelerations([1.0])):
        with pytest.raises(pfaff.ModelError, match="k"):
            call()
    assert m.accelerations([1.0], params={"k": 3}).tolist() == [-3]
    assert m.run(0.1, params={"k": 3}).t[-1] == 0.1


def test_warnings_are_warnings_of_python():
    m = pfaff.Model("coord x; coord y; kinetic (x'^2 + y'^2)/2; constraint c: x + y = 1; start x = 1, y = 1")
    with pytest.warns(pfaff.ModelWarning, match="start"):
        m.run(0.1)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PENDULUM.split() + ["'", "{", "}", "[", "]", "\n"]), max_size=25)
                 .map(" ".join)))
def test_any_text_is_a_model_or_an_error(text):
    try:
        m = pfaff.Model(text)
    except pfaff.Error as error:
        assert str(error) and all(d["severity"] in ("error", "warning", "note") for d in error.diagnostics)
    else:
        assert repr(m)


@pytest.mark.parametrize("call", [lambda m: m.run(-1), lambda m: m.run(1, evry=1), lambda m: m.run(params={"mm": 1}),
                                  lambda m: m.run(1, every=1, at=[1]), lambda m: m.derive("magi"), lambda m: m.page()])
def test_words_are_of_python(pendulum, call):
    try:
        call(pendulum)
    except pfaff.Error as error:
        assert "--" not in str(error) and "usage:" not in str(error) and "pfaff: error" not in str(error)


def test_a_star_leaves_python_alone():
    names = {}
    exec("from pfaff import *", names)
    assert not {"min", "max", "time", "pi", "abs", "sum", "open", "print", "input"} & set(names)
    assert names["Model"] is pfaff.Model and callable(pfaff.max) and repr(pfaff.time) == "t"


def test_the_help_of_a_model_names_all_statements():
    from pfaff.writing import Writing
    calls = [name for name in vars(Writing) if not name.startswith("_")]
    assert all(name in pfaff.Model.__doc__ for name in calls) and len(calls) > 25


def test_names_of_another_kind_and_flags_that_are_none():
    m = pfaff.Model("param k = 1; coord phi [deg]; input u; kinetic phi'^2/2*1 [kg m^2]; force phi = u*1 [N m]")
    for call, words in ((lambda: m.simulate(params={"phi": 7}), "is a coordinate"), (lambda: m.simulate(state={"k": 7}), "is a parameter"),
                        (lambda: m.run(params={"phi": 1}), "is a coordinate"), (lambda: m.run(True), "not a flag"),
                        (lambda: m.run(1, every=True), "not a flag"), (lambda: m.run(help=True), "no setting 'help'"),
                        (lambda: m.constant("1 [m]", "phi'"), "rad/s")):
        with pytest.raises(pfaff.Error, match=words): call()
    assert m.constant("2", "phi'") == pytest.approx(2*0.017453292519943295)


def test_threads_ask_a_draft_first():
    for _ in range(20):
        m = pfaff.Model()
        x = m.coord("x")
        m.kinetic(x.d**2/2)
        m.start(x, 1)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            assert all(len(r.t) > 1 for r in pool.map(lambda _: m.run(0.1), range(4)))


def test_hints_name_what_python_has():
    runaway = pfaff.Model("coord x; kinetic x'^2/2; force x = 1 + x'^2")
    for call, words in ((lambda: runaway.linearize(near="steady"), "m.steady()"), (lambda: pfaff.examples("nothing such"), "pfaff.examples()")):
        with pytest.raises(pfaff.Error) as caught:
            call()
        assert words in str(caught.value) and "'pfaff " not in str(caught.value)
    with pytest.raises(AttributeError, match="pfaff has no 'modle'"):
        pfaff.modle


@pytest.mark.parametrize("call, words", [
    (lambda m: m.simulate(by="rk4"), "step=1e-3"), (lambda m: m.run(1, by="rk4"), "step=1e-3"),
    (lambda m: m.run(float("nan")), "duration is nan"), (lambda m: m.run(True), "duration is a number"),
    (lambda m: m.run(1, params={"c": float("nan")}), "params['c']"), (lambda m: m.run(1, inputs={"u": object()}), "inputs['u']"),
    (lambda m: m.sweep("phi", params={"c": [object()]}), "params['c']"), (lambda m: m.simulate().get(99), "find()"),
    (lambda m: m.run(1, by=""), "by=METHOD")])
def test_words_of_python(pendulum, call, words):
    with pytest.raises(pfaff.Error) as caught:
        call(pendulum)
    text = str(caught.value)
    assert words in text and "--" not in text and "pf_" not in text and " in C" not in text


def test_hints_in_words_of_python(tmp_path, pendulum):
    stiff = pfaff.Model("coord x; kinetic x'^2/2; force x = -1e14*x - 1e9*x'; start x = 1")
    with pytest.raises(pfaff.NumericalError) as caught:
        stiff.simulate(by="dopri5").advance(1e5)
    assert "by='cvode_bdf'" in caught.value.hint and "more most_steps" in caught.value.hint
    with pytest.raises(pfaff.NumericalError, match="more than 3 steps"):
        pendulum.simulate(most_steps=3).advance(10)
    pytest.importorskip("xarray")
    pytest.importorskip("zarr")
    for _ in range(2):
        try:
            pendulum.sweep("phi", 0.1, params={"c": [0, 1]}, out=tmp_path/"x.zarr")
        except pfaff.FileError as error:
            assert f"pfaff.command('sweep', '--resume', '{tmp_path/'x.zarr'}')" in error.hint
