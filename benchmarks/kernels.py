"""The kernels against the bare logarithm, C, and themselves in other dimensions."""

from __future__ import annotations

from pathlib import Path

from benchmarks.logarithms import Logarithms, buffer
from benchmarks.native import NativeLogarithms, NativeSweep, compiled, compiler_version
from benchmarks.problems import column_problem, sweep_from_random_labels, sweep_problem, synthetic
from benchmarks.scale import Scale
from benchmarks.tables import Figure, seconds
from benchmarks.timing import interleaved
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.starts import Start, column_starts

#: Largest cost of an evaluation in d dimensions, as a multiple of that in one.
DIMENSION_BARS = {2: 4.0, 4: 8.0, 8: 25.0, 12: None, 16: None}

SWEEP_BAR, COLUMN_BAR = 3.0, 0.050


def figures(scale: Scale, folder: Path) -> list[Figure]:
    """All figures about kernels; ``folder`` takes the compiled C."""
    return [*_against_the_floor(scale, folder), *_dimensions(scale), *_missing(scale), *_column_step(scale)]


def _against_the_floor(scale: Scale, folder: Path) -> list[Figure]:
    table = synthetic(scale.rows(100_000), 90)
    problem = sweep_problem(table)
    tasks = {"sweep": problem, "logarithms": Logarithms(problem.evaluations)}
    native = compiler_version() is not None
    if native:
        library = compiled(folder)
        tasks["C"] = NativeSweep(library, problem)
        tasks["C logarithms"] = NativeLogarithms(library, problem.evaluations, buffer())
    times = interleaved(tasks, scale.rounds)
    moving = interleaved({"moving": sweep_from_random_labels(table)}, max(3, scale.rounds // 2))
    n, name = len(problem.labels), f"sweep kernel, d = 1, n = {len(problem.labels):,}, K = 10, L = 3"
    per_row, per_block = times.median("sweep") / n, times.median("sweep") / (n * 30)
    floor = times.ratio("sweep", "logarithms")
    rows = [
        Figure(
            f"{name}, against a bare vectorised loop of n (K + 1) L logarithms",
            f"{floor:.2f} x",
            f"at most {SWEEP_BAR:g} x",
            floor <= SWEEP_BAR,
        ),
        Figure(f"{name}, chain at rest", f"{seconds(per_row)} a row, {seconds(per_block)} a row x K x L"),
        Figure(f"{name}, every row moving (start at random labels)", f"{seconds(moving.median('moving') / n)} a row"),
    ]
    if native:
        rows += [
            Figure(f"{name}, against the same loop in C", f"{times.ratio('sweep', 'C'):.2f} x"),
            Figure("bare logarithms, ours against C's", f"{times.ratio('logarithms', 'C logarithms'):.2f} x"),
        ]
    else:
        rows.append(Figure(f"{name}, against the same loop in C", "not measured: no gcc on this machine"))
    return rows


def _dimensions(scale: Scale) -> list[Figure]:
    n = scale.rows(10_000)
    # Compiling for many dimensions takes a minute, which a quick run has not.
    bars = {d: bar for d, bar in DIMENSION_BARS.items() if bar or not scale.quick}
    problems = {f"{d}": sweep_problem(synthetic(n, 90, d)) for d in (1, *bars)}
    times = interleaved(problems, scale.rounds)
    rows = []
    for d, bar in bars.items():
        ratio = times.ratio(f"{d}", "1")
        cost = seconds(times.median(f"{d}") / problems["1"].evaluations)
        rows.append(
            Figure(
                f"sweep kernel, d = {d}, an evaluation against d = 1",
                f"{ratio:.1f} x ({cost})",
                f"at most {bar:g} x" if bar else "",
                ratio <= bar if bar else None,
            )
        )
    return rows


def _missing(scale: Scale) -> list[Figure]:
    n = scale.rows(50_000)
    rows = []
    for d in (1, 2):
        complete, missing = (sweep_problem(synthetic(n, 90 // d, d, missing=share)) for share in (0.0, 0.05))
        times = interleaved({"complete": complete, "missing": missing}, scale.rounds)
        cost = seconds(times.median("missing") / missing.evaluations)
        what = f"sweep kernel, d = {d}, 5 % of the cells missing, against complete data"
        rows.append(Figure(what, f"{times.ratio('missing', 'complete'):.1f} x ({cost} an evaluation)"))
    return rows


def _column_step(scale: Scale) -> list[Figure]:
    table = synthetic(400, scale.rows(5_000), k=20, groups=20)
    scattered = column_starts(Start("random"), Parameters(), [len(table.columns)])[0]
    times = interleaved(
        {"rest": column_problem(table, table.columns), "random": column_problem(table, scattered)}, scale.rounds
    )
    name = f"column step, p = {len(table.columns):,}, K = L = 20"
    rest = times.median("rest")
    return [
        Figure(name, seconds(rest), "under 50 ms", rest < COLUMN_BAR),
        Figure(f"{name}, from 30 random column clusters", seconds(times.median("random"))),
    ]
