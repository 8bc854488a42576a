"""``benches/compare.py``: its verdicts on made-up times, its errors, and one run on tiny graphs."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from pointerjump.accel.runtime.devices import devices

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "benches" / "compare.py"

in_a_repository = pytest.mark.skipif(
    not (ROOT / ".git").exists(), reason="there is no .git here: nothing to compare"
)
on_a_device = pytest.mark.skipif(
    not any(device.works for device in devices()), reason="there is no OpenCL device that works"
)


def load() -> ModuleType:
    """Import the script, which is in no package."""
    spec = importlib.util.spec_from_file_location("compare", SCRIPT)
    assert spec
    assert spec.loader
    module = sys.modules["compare"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


compare = load()

# -- verdicts --------------------------------------------------------------------------------------


def times(again: float, head: float, rounds: int = 15, spread: float = 0.05, seed: int = 1) -> np.ndarray:
    """Return times whose speed wanders from round to round, and where few are far too long."""
    rng = np.random.default_rng(seed)
    machine = np.exp(0.5 * rng.normal(size=(rounds, 1)))
    own = np.exp(spread * rng.normal(size=(rounds, 3))) * np.where(rng.random((rounds, 3)) < 0.02, 3, 1)
    return 0.01 * np.array([1, again, head]) * machine * own


@pytest.mark.parametrize(
    ("again", "head", "verdict"),
    [
        (1, 1.2, "slower"),
        (1, 1 / 1.2, "faster"),
        (1, 1, "no change seen"),
        (1, 1.02, "no change seen"),  # below what anybody would act on
        (1.25, 1.2, "no change seen"),  # base differs from itself by more
        (1 / 1.25, 1.2, "no change seen"),
        (1.25, 1.6, "slower"),
    ],
)
def test_verdict(again: float, head: float, verdict: str) -> None:
    judgement = compare.judge(times(again, head), benchmarks=14)
    assert judgement.verdict == verdict
    assert judgement.low < judgement.ratio < judgement.high
    assert judgement.low < head < judgement.high


def test_noise_hides_a_slowdown() -> None:
    assert compare.judge(times(1, 1.15, spread=0.02), benchmarks=14).verdict == "slower"
    assert compare.judge(times(1, 1.15, spread=0.3), benchmarks=14).verdict == "no change seen"


def test_a_slowdown_without_any_noise() -> None:
    seconds = np.full((15, 3), 0.01)
    assert compare.judge(seconds, benchmarks=14).verdict == "no change seen"
    seconds[:, 2] *= 1.05
    judgement = compare.judge(seconds, benchmarks=14)
    assert judgement.verdict == "slower"
    assert (judgement.low, judgement.ratio, judgement.high) == pytest.approx((1.05, 1.05, 1.05))


@pytest.mark.parametrize("benchmarks", [1, 14, 100])
def test_rounds_needed(benchmarks: int) -> None:
    enough = compare.rounds_needed(benchmarks)
    assert compare.judge(times(1, 2, enough - 1), benchmarks).verdict == "too few rounds"
    assert compare.judge(times(1, 2, enough - 1), benchmarks).low is None
    assert compare.judge(times(1, 9, enough), benchmarks).verdict == "slower"


def test_false_alarms_are_as_rare_as_stated() -> None:
    """Ends of the interval are beyond the truth in at most 1% of comparisons; the floor is not needed."""
    ends = np.array(
        [(j.low > 1, j.high < 1) for j in (compare.judge(times(1, 1, seed=seed), 1) for seed in range(1000))]
    )
    # Of 15 signs, 12 are the same on one side with probability 1.8%, and 13 with 0.4%.
    assert (ends.mean(axis=0) < 0.01).all()
    assert ends.any()


# -- checkouts -------------------------------------------------------------------------------------


def test_install(tmp_path: Path) -> None:
    compare.install(ROOT, tmp_path)
    modules = {str(p.relative_to(tmp_path / "pointerjump")) for p in tmp_path.rglob("*") if p.is_file()}
    assert {
        "graphs/connectivity.py",
        "reference/dfs.py",
        "accel/runtime/session.py",
        "kernels_cl/ecl_cc.cl",
    } <= modules
    assert not any("__pycache__" in module for module in modules)


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        ("[metadata]\nname = x\n", "names no package_dir"),
        ("[options]\npackage_dir =\n    x = src/x\n", "src/x, which setup.cfg names, cannot be copied"),
    ],
)
def test_install_what_is_no_package(tmp_path: Path, setup: str, message: str) -> None:
    (tmp_path / "setup.cfg").write_text(setup)
    with pytest.raises(compare.CannotCompare, match=message):
        compare.install(tmp_path, tmp_path / "site")


# -- workers ---------------------------------------------------------------------------------------


def fake_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> dict[str, Path]:
    """Put a program in the workers' place; return sites that it can tell apart."""
    script = tmp_path / "worker.py"
    script.write_text(program)
    monkeypatch.setattr(compare, "WORKER", script)
    return {side: tmp_path / side for side in compare.SIDES}


ANSWERS = """
import json, os, sys
from pathlib import Path
side = Path(os.environ["PYTHONPATH"].split(os.pathsep)[0]).name
names = ["good", "wrong", "new", "gone", "neither"]
print(json.dumps({"device": "a device", "benchmarks": names}), flush=True)
for line in sys.stdin:
    question, name = json.loads(line)
    if question == "measure":
        answer = {"seconds": [2.0, 9.0, 3.0] if side == "head" else [1.0]}
    elif side != "head" and name in ("new", "neither") or side == "head" and name in ("gone", "neither"):
        answer = {"error": "AttributeError: no such thing"}
    else:
        answer = {"answer": 2 if (side, name) == ("head", "wrong") else 1}
    print(json.dumps(answer), flush=True)
"""


def test_what_a_round_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sites = fake_worker(tmp_path, monkeypatch, ANSWERS)
    found = compare.Measured()
    for _ in range(2):
        compare.run_round(sites, tmp_path, None, compare.re.compile(""), 3, found)
    assert found.device == "a device"
    assert found.seconds == {"good": [[1.0, 1.0, 3.0]] * 2}  # each the median of a side's calls
    assert found.failed == {
        "wrong": "head's answer is not base's",
        "gone": "head: AttributeError: no such thing",
    }
    assert found.missing == dict.fromkeys(("new", "neither"), "base: AttributeError: no such thing")


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import sys; sys.exit('it went\\nall wrong')", "ended with code 1 in its first call: all wrong"),
        (
            ANSWERS + "    import signal; os.kill(os.getpid(), signal.SIGKILL)\n",
            "ended with code -9 in (good|wrong): it said nothing",
        ),
        ('print(\'{"error": "OSError: no driver"}\')', "base does not run: OSError: no driver"),
        (
            ANSWERS.replace('"a device"', "side"),
            "base chose base, but head chose head: name one with --device",
        ),
    ],
    ids=["at once", "in a benchmark", "says why", "two devices"],
)
def test_a_worker_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, message: str
) -> None:
    sites = fake_worker(tmp_path, monkeypatch, program)
    with pytest.raises(compare.CannotCompare, match=message):
        compare.run_round(sites, tmp_path, None, compare.re.compile(""), 1, compare.Measured())


# -- the command -----------------------------------------------------------------------------------


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)


@in_a_repository
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'BASE'"),
        (["no-such-revision"], "'no-such-revision' is not a revision of"),
        (["HEAD", "no-such-revision"], "'no-such-revision' is not a revision of"),
        (["HEAD", "--only", "("], "--only '(' is not a regular expression"),
        (["HEAD", "--json", "no/such/folder.json"], "there is no folder no/such"),
    ],
)
def test_bad_input(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["compare.py", *arguments])
    with pytest.raises(SystemExit) as ended:
        compare.main()
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert said.out == ""
    assert said.err.startswith("compare.py: ")
    assert message in said.err
    assert said.err.count("\n") == 1


def compare_made_up(monkeypatch: pytest.MonkeyPatch, head: float, *options: str) -> int:
    """Run the command on times that are made up; return its exit code."""

    def run_round(*arguments: Any) -> None:
        found = arguments[-1]
        found.device = "a device"
        found.seconds.setdefault("only one", []).append([1.0, 1.001, head])

    monkeypatch.setattr(compare, "run_round", run_round)
    monkeypatch.setattr(compare, "make_inputs", lambda *_: None)
    code: int = compare.compare.main(["HEAD", *options], standalone_mode=False)
    return code


@in_a_repository
@pytest.mark.parametrize(("head", "code", "verdict"), [(1.5, 1, "slower"), (1.0, 0, "no change seen")])
def test_exit_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, head: float, code: int, verdict: str
) -> None:
    file = tmp_path / "found.json"
    assert compare_made_up(monkeypatch, head, "--json", str(file)) == code
    found = json.loads(file.read_text())
    assert found["judgements"]["only one"]["verdict"] == verdict
    assert found["seconds"]["only one"] == [[1.0, 1.001, head]] * 15
    assert [path.name for path in tmp_path.iterdir()] == ["found.json"]


@in_a_repository
def test_too_few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(compare.CannotCompare, match="from chance takes 7"):
        compare_made_up(monkeypatch, 1.0, "--rounds", "6")


@in_a_repository
def test_nothing_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_round(*arguments: Any) -> None:
        arguments[-1].missing["only one"] = "base: AttributeError: no such thing"

    monkeypatch.setattr(compare, "run_round", run_round)
    monkeypatch.setattr(compare, "make_inputs", lambda *_: None)
    with pytest.raises(compare.CannotCompare, match="base has none of the benchmarks: base: Attr"):
        compare.compare.main(["HEAD"], standalone_mode=False)


@pytest.mark.exhaustive
@in_a_repository
@on_a_device
def test_everything_runs(tmp_path: Path) -> None:
    """The last commit against itself, on tiny graphs."""
    file = tmp_path / "found.json"
    done = run("HEAD", "HEAD", "--quick", "--json", file)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(file.read_text())
    assert (found["missing"], found["failed"]) == ({}, {})
    assert len(found["judgements"]) > 10
    for name, judgement in found["judgements"].items():
        assert name in done.stdout
        assert judgement["verdict"] == "too few rounds"
        assert judgement["base"] > 0
