# SPDX-License-Identifier: Apache-2.0
"""Every command says in Python what the program says."""
import numpy as np
import pytest

import pfaff
from conftest import EXAMPLES, PENDULUM, ROOT, example, example_path

TIMES = {"seconds", "wall_seconds", "nanoseconds", "run_seconds", "native"}


def without_times(value):
    """JSON without what differs from run to run."""
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in TIMES and k != "diagnostics"}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def same(record, told):
    assert without_times(record.raw) == without_times(told)


@pytest.mark.parametrize("name", ["snakeboard", "bicycle", "spacecraft", "piano_wheel"])
def test_check_is_that_of_the_program(program, name):
    path = example_path(name)
    same(example(name).check(), program("check", "--json", path))


@pytest.mark.parametrize("form", ["multipliers", "rosenberg", "udwadia_kalaba", "maggi", "laconic"])
def test_derive_is_that_of_the_program(program, snakeboard, form):
    told = program("derive", "--json", "--form", form, EXAMPLES/"skates/snakeboard.pf")
    told |= {"coordinates": list(snakeboard.coordinates), "inputs": list(snakeboard.inputs)}
    equations = snakeboard.derive(form)
    same(equations, told)
    assert r"\dot" in equations.latex and "$" in equations.markdown and "Equations of motion" in equations.text


def test_eval_is_that_of_the_program(program, snakeboard):
    same(snakeboard.eval(params={"F": 2}, state={"theta": 0.3}),
         program("eval", "--json", "-p", "F=2", "--state", "theta=0.3", EXAMPLES/"skates/snakeboard.pf"))
    assert isinstance(snakeboard.eval().acceleration, np.ndarray)


def test_inverse_dynamics(program, snakeboard):
    same(snakeboard.eval(inverse="psi''=1, phi_f''=0", actuators=["psi", "phi_f"]),
         program("eval", "--json", "--inverse", "psi''=1, phi_f''=0", "--actuators", "psi,phi_f", EXAMPLES/"skates/snakeboard.pf"))


def test_compare_and_prove(program):
    m = example("unicycle")
    ours, told = m.prove(), program("compare", "--json", "--prove", EXAMPLES/"wheels/unicycle.pf")
    assert ours.proved is told["proved"] is True
    assert [row["formulation"] for row in ours.raw["rows"]] == [row["formulation"] for row in told["rows"]]


def test_converge(program, pendulum):
    levels = pendulum.converge("rk4", step=0.01, duration=0.5).methods[0].levels
    assert any(level.order and 3.8 < level.order < 4.2 for level in levels)


def test_linearize_is_that_of_the_program(program):
    told = program("study", "linearize", "--json", "--near", "steady", EXAMPLES/"wheels/bicycle.pf")
    linear = example("bicycle").linearize(near="steady")
    point = told["points"][0]
    assert np.array_equal(linear.A, np.array(point["A"]))
    assert np.array_equal(linear.eigenvalues, [complex(e["re"], e["im"]) for e in point["eigenvalues"]])
    # eigenvectors are eigenvectors
    assert np.allclose(linear.A @ linear.modes, linear.modes*linear.eigenvalues, atol=1e-9)


def test_linear_model_of_a_pendulum_is_known(pendulum):
    linear = pendulum.linearize(near="equilibrium")
    m, l, g, c = 2, 0.5, 9.81, 0.1
    assert np.allclose(linear.A, [[0, 1], [-g/l, -c/(m*l*l)]], atol=1e-12)
    assert np.allclose(linear.B, [[0], [1/(m*l*l)]])
    assert linear.states == ["phi", "phi'"] and linear.inputs == ["u"]


def test_to_control(pendulum):
    control = pytest.importorskip("control")
    system = pendulum.linearize(near="equilibrium").to_control()
    assert np.allclose(control.poles(system), np.linalg.eigvals(system.A))
    assert system.input_labels == ["u"]


@pytest.mark.filterwarnings("ignore")
def test_to_control_of_all_examples():
    control = pytest.importorskip("control")
    for one in pfaff.examples():
        if one.name == "hand_sliding":  # sticks at its start, where dry friction has no derivative
            with pytest.raises(pfaff.NumericalError, match="kink"):
                pfaff.example(one.name).linearize()
            continue
        linear = pfaff.example(one.name).linearize()
        system = linear.to_control()
        assert all(np.array_equal(getattr(system, name), getattr(linear, name)) for name in "ABCD"), one.name
        assert len(set(system.state_labels)) == len(linear.states)
    alone = pfaff.example("cart_pendulum").linearize()
    assert alone.D.shape == (1, 0) and alone.outputs
    assert control.initial_response(alone.to_control(), [0, 1], alone.x).outputs.shape[-1] == 2


def test_names_of_control_stay_different():
    pytest.importorskip("control")
    m = pfaff.Model("coord b_px; body b in ground free { mass 1, inertia diag(1, 1, 1) }; kinetic b_px'^2/2")
    labels = m.linearize().to_control().state_labels
    assert len(set(labels)) == len(labels) and "b_px" in labels and "b_px_" in labels


def test_a_sweep_is_a_list(pendulum):
    models = pendulum.linearize(sweep={"c": (0, 1, 3)})
    assert [m.at for m in models] == [0, 0.5, 1]


def test_equilibria_of_a_pendulum(pendulum):
    points = pendulum.equilibria(within={"phi": (-4, 4)}).points
    assert sorted(round(abs(p.x[0]), 9) for p in points)[0] == 0
    assert {p.stability for p in points} >= {"stable", "unstable"}
    assert points[0].eigenvalues.dtype == complex


def test_other_studies(program, pendulum):
    m = example("chaplygin_sleigh")
    same(m.integrability(), program("study", "integrability", "--json", EXAMPLES/"skates/chaplygin_sleigh.pf"))
    same(m.invariants(), program("study", "invariants", "--json", EXAMPLES/"skates/chaplygin_sleigh.pf"))
    same(m.measure(), program("study", "measure", "--json", EXAMPLES/"skates/chaplygin_sleigh.pf"))
    curves = pendulum.portrait(["phi", "phi'"], starts=2, duration=1).curves
    assert len(curves) == 2 and len(curves[0].a) == len(curves[0].b) > 5
    points = pendulum.poincare({"t": 0.5}, ["phi", "phi'"], duration=2)
    assert len(points.a) == len(points.t) >= 3


def test_continuation():
    m = pfaff.Model("coord x; param r = -1; kinetic x'^2/2; potential x^4/4 - r*x^2/2; dissipation x'^2/2; start x = 0")
    told = m.continuation("r", -1, 1, 20, equilibria=True)
    pitchfork = [s for s in told.special if s.kind == "branch point"]
    assert len(pitchfork) == 1 and abs(pitchfork[0].parameter) < 1e-6


def test_pictures(snakeboard):
    for picture in (snakeboard.plot("x, y; theta", duration=1), example("bicycle").draw(view="side")):
        assert picture._repr_svg_().lstrip()[:4] in ("<svg", "<?xm")


def test_scene(program):
    same(example("bicycle").scene(), program("draw", "--json", EXAMPLES/"wheels/bicycle.pf"))


def test_export(tmp_path, pendulum):
    told = pendulum.export("python", tmp_path/"pendulum.py")
    assert (tmp_path/"pendulum.py").exists() and told.to == "python"


def test_format_is_idempotent(snakeboard):
    text = snakeboard.format()
    assert pfaff.Model(text).format() == text


def test_import_urdf(program):
    m = pfaff.import_urdf(EXAMPLES/"robots/arm7.urdf")
    assert m.text == program("import", "--json", EXAMPLES/"robots/arm7.urdf")["text"]
    assert len(m.coordinates) == 7


def test_page(tmp_path, pendulum):
    template = tmp_path/"empty.html"
    template.write_text('<html>\n<title>Pfaff</title>\n<script type="application/json" id="pfaff-data">{}</script>\n</html>\n')
    page = pendulum.page(tmp_path/"p.html", template=template)
    assert (tmp_path/"p.html").read_text() == page.html and "pendulum" in page.html
    assert page._repr_html_().startswith("<iframe")


def test_any_command_as_words():
    code, out, err = pfaff.command("check", "-", text=PENDULUM)
    assert code == 0 and "degrees of freedom" in out and not err
    assert pfaff.command("nothing")[0] == 2


def test_examples_are_in_the_module():
    found = {one.name for one in pfaff.examples()}
    assert found == {path.stem for path in EXAMPLES.glob("*/*.pf")}
    assert pfaff.example("snakeboard").text == example("snakeboard").text
    assert pfaff.example("skates/snakeboard") == pfaff.example("snakeboard")
    for name, hint in (("snakebord", "snakeboard"), ("omni", "carriage")):
        with pytest.raises(pfaff.Error) as caught:
            pfaff.example(name)
        assert hint in caught.value.hint


def test_results_are_of_one_kind(pendulum):
    import json
    calls = (pendulum.check, lambda: pendulum.run(0.1, every=0.05), pendulum.linearize, pendulum.equilibria, pendulum.derive,
             pendulum.compare, pendulum.eval, pendulum.integrability, lambda: pendulum.equilibria().points[0])
    for call in calls:
        result = call()
        plain = result.to_dict()
        assert plain and json.loads(json.dumps(plain)) == plain
        assert result._repr_html_() is None or result._repr_html_().startswith("<b>")
        plain.clear()
        assert result.raw and result.to_dict()
    run = pendulum.run(0.1, every=0.05)
    assert run.to_dict()["rows"] == run.data.tolist() and len(run.to_dict()["rows"]) == 3
    assert pendulum.linearize().to_dict()["A"] == pendulum.linearize().A.tolist()


def test_numbers_of_settings_are_not_rounded(pendulum):
    step = 0.1 + 0.2  # three tenths and a bit
    assert pendulum.run(1, at=[step, 2*step]).t.tolist() == [step, 2*step]
    assert pendulum.eval(state={"phi": step}).raw == pendulum.eval(state={"phi": repr(step)}).raw


def test_sweep(pendulum):
    pytest.importorskip("xarray")
    data = pendulum.sweep("phi, max(phi)", 1, params={"l": [0.5, 1, 2]}, state={"phi": "0.1..0.2:2"}, rtol=1e-10)
    assert data.sizes["member"] == 6 and list(data["l"].values) == [0.5, 0.5, 1, 1, 2, 2]
    assert (data["status"] == 1).all()
    run = pendulum.run(1, params={"l": 2}, state={"phi": 0.2}, rtol=1e-10)
    assert abs(float(data["phi at the end"][5]) - run["phi"][-1]) < 1e-9
    with pytest.raises(pfaff.Error, match="nothing"):
        pendulum.sweep("nothing", 1, params={"l": [1, 2]})


def test_sweep_of_settings(pendulum):
    pytest.importorskip("xarray")
    data = pendulum.sweep("energy", 0.1, by="discrete_gradient", vary={"rho": [0.5, 0.8, 1], "step": "0.01,0.02"})
    assert data["rho"].values.tolist() == [0.5, 0.5, 0.8, 0.8, 1, 1] and data["step"].values.tolist() == [0.01, 0.02]*3
    assert (data["status"] == 1).all() and len(set(data["energy"].values[:4])) == 4
    with pytest.raises(pfaff.ArgumentError, match="no effect"):
        pendulum.sweep("energy", 0.1, by="dop853", vary={"rho": [0.5, 1]})


def test_sweep_without_rows(pendulum):
    laws = ["l ~ uniform(0.5, 2)"]
    pytest.importorskip("xarray")
    rows = pendulum.sweep("phi, max(phi) - min(phi)", 1, random=laws, n=200)
    told = pendulum.sweep("phi, max(phi) - min(phi)", 1, random=laws, n=200, statistics_only=True)
    column = next(c for c in told["columns"] if c["name"] == "max(phi) - min(phi)")
    assert column["count"] == 200 and sum(column["histogram"]["counts"]) == 200
    assert column["mean"] == pytest.approx(float(rows["max(phi) - min(phi)"].mean()), rel=1e-12)


def test_sweep_at_random(pendulum, tmp_path):
    pytest.importorskip("xarray")
    laws = ["l ~ uniform(0.5, 2)", "phi ~ normal(0, 0.1)"]
    data = pendulum.sweep(["phi"], 1, random=laws, n=50, seed=3)
    again = pendulum.sweep(["phi"], 1, random=laws, n=50, seed=3, threads=1)
    assert data.equals(again) and 0.5 < float(data["l"].min()) < float(data["l"].max()) < 2
    pytest.importorskip("zarr")
    kept = pendulum.sweep(["phi"], 1, random=laws, n=50, seed=3, out=tmp_path/"a.zarr")
    assert (kept["phi at the end"].values == data["phi at the end"].values).all()


def test_a_notebook_folds_the_equations_and_leaves_out_long_ones():
    short, long = pfaff.example("piano_wheel"), pfaff.example("spacecraft")
    assert r"\ddot{\theta}" in short._repr_markdown_() and short._repr_markdown_().index("<details>") < 300
    shown = long._repr_markdown_()
    assert len(shown) < 2000 and "spacecraft" in shown and "freedom" in shown
    equations = long.derive()
    assert len(equations.markdown) > 50000 and len(equations._repr_markdown_()) < 500
    assert f"{len(equations.raw['equations'])} equations" in equations._repr_markdown_()


SPRING = "param k = 4 [N/m], c = 1; coord x [m]; kinetic 0.5[kg]*x'^2; potential k*x^2/2; start x = 1; run 1"


def test_sensitivities_are_in_the_dataset(tmp_path):
    pytest.importorskip("xarray")
    m, random = pfaff.Model(SPRING), ["k ~ normal(4, 0.1)", "c ~ normal(1, 0.1)"]
    data = m.sweep(["x", "t_end"], random=random, design="saltelli", n=64)
    first, total = data["sensitivity_first"], data["sensitivity_total"]
    assert first.dims == ("sensitivity_of", "sensitivity_to") and list(first["sensitivity_to"].values) == ["k", "c"]
    at = {"sensitivity_of": "x", "sensitivity_to": "k"}
    assert abs(float(first.sel(at)) - 1) < 0.2 and abs(float(total.sel(at)) - 1) < 0.2  # all of it: x does not depend on c
    assert float(total.sel(sensitivity_of="x", sensitivity_to="c")) == 0
    assert total.sel(sensitivity_of="t_end").isnull().all()  # nothing varies
    effects = m.sweep("x", random=random, design="morris", n=8)
    assert float(effects["sensitivity_mean"][0, 0]) < 0 < float(effects["sensitivity_magnitude"][0, 0])
    assert "sensitivity_first" not in m.sweep("x", params={"k": [1, 2]})
    pytest.importorskip("zarr")
    kept = m.sweep(["x", "t_end"], random=random, design="saltelli", n=64, out=tmp_path/"rows.zarr")
    assert kept["sensitivity_total"].equals(total)
