"""The chains of a run in its folder: a checkpoint a stream, and the draws."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from disnplbm.engine.checkpoint import LastState, load_checkpoint
from disnplbm.engine.drive import Step
from disnplbm.engine.folder import RunFolder
from disnplbm.engine.local import RunState
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem
from disnplbm.engine.stages import Progress
from disnplbm.errors import RunError
from disnplbm.model.statistics import Labels
from disnplbm.notes import Hint
from disnplbm.posterior.draw_store import put_draw
from disnplbm.posterior.trace import Trace
from disnplbm.sampler.streams import Stream

#: A running chain is written to disk this often, in seconds, besides when it is asked to stop.
CHECKPOINT_SECONDS = 10.0


class FolderRecorder:
    """Records a run in its folder; see :class:`disnplbm.engine.drive.Recorder`.

    Parameters
    ----------
    should_stop : callable
        Is asked after every iteration.
    """

    def __init__(
        self,
        folder: RunFolder,
        problem: Problem,
        options: Options,
        progress: Progress,
        should_stop: Callable[[], bool],
    ) -> None:
        self._folder, self._problem, self._progress, self._should_stop = folder, problem, progress, should_stop
        self._store = folder.store()
        self._total = options.chains * (options.iterations + options.shorts.number * options.shorts.iterations)
        # Iterations of the streams that ended, and the last states of those under way.
        self._ended = 0
        self._under_way: dict[int, LastState] = {}

    def restored(self, stream: Stream) -> tuple[RunState, Trace] | None:
        """What a stream's checkpoint holds."""
        checkpoint = self._folder.checkpoint_of(stream)
        found = load_checkpoint(checkpoint, self._problem.families) if checkpoint.exists() else None
        if found is not None:
            _check_state(*found, self._problem, stream.iterations, checkpoint)
        done = 0 if found is None else len(found[1])
        if done == stream.iterations:
            self._ended += done
        else:
            self._under_way[stream.stream] = LastState(checkpoint, done, CHECKPOINT_SECONDS)
        return found

    def commit(self, step: Step) -> bool:
        """Keep the draw at once, and the state from time to time."""
        if step.iteration == 0:
            return False
        if step.draw is not None:
            put_draw(self._store, step.draw)
        last = self._under_way[step.stream.stream]
        last.see(step.state, step.trace)
        if step.ends:
            self._ended += last.save()
            del self._under_way[step.stream.stream]
        done = self._ended + sum(last.seen for last in self._under_way.values())
        self._progress("sampling", done, self._total, step.trace.latest())
        return self._should_stop()

    def left(self) -> str:
        """Save the last iterations, and return what to tell the user."""
        done = self._ended + sum(last.save() for last in list(self._under_way.values()))
        return f"stopped after {done} of {self._total} iterations; continue with: {self._folder.resume_command}"


def _check_state(state: RunState, trace: Trace, problem: Problem, iterations: int, checkpoint: Path) -> None:
    """Refuse a checkpoint that is not of this run."""
    fits = (
        len(trace) + 1 == state.chain.broadcast.iteration <= iterations + 1
        and [len(labels) for labels in state.labels] == [shard.n_rows for shard in problem.shards]
        and tuple(len(part.column_labels) for part in state.chain.broadcast.parts) == problem.n_columns
        and all(_below(part.column_labels, part.n_column_clusters) for part in state.chain.broadcast.parts)
        and len(state.chain.to_global) == len(state.labels)
        and all(_below(to_global, state.chain.n_row_clusters) for to_global in state.chain.to_global)
        and all(_below(*pair) for pair in zip(state.labels, map(len, state.chain.to_global), strict=True))
    )
    if not fits:
        raise RunError(f"the checkpoint {checkpoint} is of another run; start the run anew with ", Hint("force"))


def _below(labels: Labels, bound: int) -> bool:
    """Whether all labels lie in 0..bound-1: kernels write where labels point."""
    return len(labels) > 0 and int(labels.min()) >= 0 and int(labels.max()) < bound
