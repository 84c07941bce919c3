"""Runs and datasets from outside: the one place where they are submitted, paused, resumed, cancelled and deleted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from disnplbm.algorithm import ALGORITHM_VERSION
from disnplbm.errors import InputError
from disnplbm.objects.seals import seal_of
from disnplbm.objects.store import ObjectStore
from disnplbm.objects.uploads import Progress, plain_name, upload
from disnplbm.runs.chains import read_trace
from disnplbm.runs.checkpoints import delete_checkpoints
from disnplbm.runs.database import Database
from disnplbm.runs.database.changes import execute_counted
from disnplbm.runs.database.models import Chain, Dataset, Event, Failure, Job, Run
from disnplbm.runs.datasets import add_uploaded
from disnplbm.runs.events import add_event
from disnplbm.runs.ids import new_id
from disnplbm.runs.jobs import add_job, renew_jobs
from disnplbm.runs.limits import check_live_runs
from disnplbm.runs.lookup import find_dataset, find_run
from disnplbm.runs.part import now
from disnplbm.runs.progress import datasets_of, progress_of
from disnplbm.runs.records import DatasetRecord, EventRecord, IterationRecord, RunProgress, RunRecord
from disnplbm.runs.request import Request, RunRequest
from disnplbm.runs.results import Results, request_key
from disnplbm.runs.rows import dataset_record, event_record, run_record
from disnplbm.runs.states import TERMINAL, State
from disnplbm.runs.transitions import TransitionRefused, transition
from disnplbm.sampler.short_chains import ShortChains
from disnplbm.sampler.streams import streams


class RunService:
    """Runs and datasets.

    A run or a dataset is named by its id, or by a beginning of it, of at least 4 characters, that no other has; an
    InputError says if there is none, or more than one. All methods raise DatabaseAway if the database cannot be
    reached.
    """

    def __init__(self, database: Database, store: ObjectStore) -> None:
        self._database = database
        self._store = store
        self._results = Results(store)

    def add_dataset(
        self,
        path: Path,
        reading: Mapping[str, Any] | None = None,
        *,
        progress: Progress | None = None,
        actor: str = "cli",
    ) -> DatasetRecord:
        """Upload a file, to be read by a worker.

        Parameters
        ----------
        reading : mapping, optional
            How the file is read: what :meth:`disnplbm.data.reading.Reading.to_dict` wrote.
        progress : callable, optional
            Called with bytes done and bytes in all.

        Returns
        -------
        DatasetRecord
            In state UPLOADED.

        Raises
        ------
        InputError
            There is no such file, or it is empty or cannot be read.
        RunError
            The object store is full, or cannot be reached; nothing is left in it.
        """
        # Found out before the file travels.
        self._database.ping()
        dataset_id = new_id()
        key = f"uploads/{dataset_id}/{plain_name(path.name)}"
        with self._unless_recorded(key):
            size, sha256 = upload(self._store, path, key, progress)
            with self._database.session() as session:
                return add_uploaded(
                    session,
                    dataset_id,
                    name=path.name,
                    path=str(path),
                    key=key,
                    size=size,
                    sha256=sha256,
                    reading=dict(reading or {}),
                    actor=actor,
                )

    def submit(
        self,
        dataset_id: str,
        asked: Request,
        options: Mapping[str, Any],
        actor: str = "cli",
        run_id: str | None = None,
        live_runs: int | None = None,
    ) -> RunRecord:
        """Ask for a run.

        Parameters
        ----------
        options : mapping
            :meth:`disnplbm.engine.options.Options.to_dict`.
        run_id : str, optional
            A new one by default.
        live_runs : int, optional
            Most runs of the actor that are not over.

        Returns
        -------
        RunRecord
            In state PENDING.

        Raises
        ------
        InputError
            There is no such dataset, or it could not be read.
        LimitReached
            The actor has as many runs as may be.
        RunError
            The object store is full, or cannot be reached.
        """
        dataset = self.dataset(dataset_id)
        run_id, created = run_id or new_id(), now()
        key = request_key(run_id)
        body = RunRequest(asked=asked, options=dict(options), created=created.isoformat(timespec="seconds")).in_store()
        planned = list(streams(options["chains"], options["iterations"], ShortChains.asked(options)))
        row = Run(
            id=run_id,
            name=asked.name,
            dataset_id=dataset.id,
            state=State.PENDING.value,
            epoch=0,
            options=dict(options),
            n_shards_wanted=str(asked.n_shards),
            axis_wanted=asked.axis,
            transform=asked.transform,
            algorithm=ALGORITHM_VERSION,
            iterations_total=sum(stream.iterations for stream in planned),
            created_at=created,
            request_seal=seal_of(body),
        )
        # The object first: a run that is seen has its request.
        self._store.put(key, body)
        with self._unless_recorded(key), self._database.session() as session:
            if live_runs is not None:
                check_live_runs(session, actor, live_runs)
            # Locked: otherwise the dataset may fail after the look at it and before there is a run to fail with it.
            _check_usable(session.get_one(Dataset, dataset.id, with_for_update={"read": True}))
            session.add(row)
            session.flush()
            session.add_all(Chain(run_id=run_id, **stream._asdict(), iteration=0, ended=False) for stream in planned)
            add_job(session, "prepare", run_id)
            states = (None, State.PENDING.value)
            add_event(session, "submitted", actor=actor, run_id=run_id, dataset_id=dataset.id, states=states)
        return run_record(row)

    def run(self, run_id: str) -> RunRecord:
        """One run."""
        with self._database.reading() as session:
            return run_record(find_run(session, run_id))

    def runs(self, state: State | str | None = None, limit: int = 100) -> list[RunRecord]:
        """Runs, the newest first; of one state if it is given."""
        query = select(Run).order_by(Run.created_at.desc(), Run.id).limit(limit)
        if state is not None:
            query = query.where(Run.state == State(state).value)
        with self._database.reading() as session:
            return [run_record(row) for row in session.scalars(query)]

    def dataset(self, dataset_id: str) -> DatasetRecord:
        """One dataset."""
        with self._database.reading() as session:
            return dataset_record(find_dataset(session, dataset_id))

    def datasets(self, limit: int = 100) -> list[DatasetRecord]:
        """Datasets, the newest first."""
        query = select(Dataset).order_by(Dataset.created_at.desc(), Dataset.id).limit(limit)
        with self._database.reading() as session:
            return [dataset_record(row) for row in session.scalars(query)]

    def dataset_like(self, name: str, sha256: str, reading: Mapping[str, Any]) -> DatasetRecord | None:
        """The newest dataset of that name that is made of the same bytes, read in the same way; None if none is.

        Parameters
        ----------
        sha256 : str
            Of the file.
        reading : mapping
            What :meth:`disnplbm.data.reading.Reading.to_dict` wrote.
        """
        query = select(Dataset).where(Dataset.name == name, Dataset.upload_sha256 == sha256, Dataset.state != "FAILED")
        with self._database.reading() as session:
            found = session.scalars(query.order_by(Dataset.created_at.desc(), Dataset.id))
            return next((dataset_record(row) for row in found if row.reading == dict(reading)), None)

    def rename_dataset(self, dataset_id: str, name: str, actor: str = "cli") -> DatasetRecord:
        """Give a dataset another name; its runs keep theirs."""
        with self._database.session() as session:
            found = find_dataset(session, dataset_id).id
            dataset = session.get_one(Dataset, found, with_for_update=True)
            data = {"before": dataset.name, "now": name}
            dataset.name = name
            add_event(session, "renamed", actor=actor, dataset_id=found, data=data)
            session.flush()
            return dataset_record(dataset)

    def read_otherwise(self, dataset_id: str, reading: Mapping[str, Any], actor: str = "cli") -> DatasetRecord:
        """Have an uploaded file read in another way than was said before; it is not sent again.

        Parameters
        ----------
        reading : mapping
            What :meth:`disnplbm.data.reading.Reading.to_dict` wrote.

        Returns
        -------
        DatasetRecord
            In state UPLOADED.

        Raises
        ------
        TransitionRefused
            A run uses it as it is, or it is being read.
        """
        with self._database.session() as session:
            # Locked against a run that is submitted at this moment.
            found = find_dataset(session, dataset_id).id
            dataset = session.get_one(Dataset, found, with_for_update=True)
            used = select(Run.id).where(Run.dataset_id == found)
            if dataset.state == "FAILED":
                used = used.where(Run.state.not_in([State.FAILED.value, State.CANCELLED.value]))
            run = session.scalars(used.limit(1)).one_or_none()
            if run is not None:
                raise TransitionRefused(
                    f"dataset {found} is in use by run {run}: delete the run, or upload the file again"
                )
            if dataset.state == "READY" or session.get_one(Job, ("ingest", found)).state == "PUBLISHED":
                raise TransitionRefused(f"dataset {found} was read already: upload the file again to read it otherwise")
            dataset.state, dataset.error, dataset.reading = "UPLOADED", None, dict(reading)
            renew_jobs(session, found)
            add_event(session, "reread", actor=actor, dataset_id=found, data=dict(reading))
            session.flush()
            return dataset_record(dataset)

    def delete_dataset(self, dataset_id: str, actor: str = "cli", reason: str = "") -> None:
        """Delete a dataset that no run uses, with its objects; its events stay.

        Raises
        ------
        TransitionRefused
            A run uses it.
        RunError
            The object store cannot be reached; what is left of the dataset is of no use, and nothing names it.
        """
        with self._database.session() as session:
            # Locked against a run that is submitted at this moment.
            found = find_dataset(session, dataset_id).id
            dataset = session.get_one(Dataset, found, with_for_update=True)
            run = session.scalars(select(Run.id).where(Run.dataset_id == found).limit(1)).one_or_none()
            if run is not None:
                raise TransitionRefused(f"dataset {found} is in use by run {run}: delete its runs first")
            session.execute(delete(Job).where(Job.subject == found))
            session.delete(dataset)
            add_event(session, "deleted", actor=actor, dataset_id=found, reason=reason)
        for prefix in (f"uploads/{found}", f"datasets/{found}", *self._shards_of(found)):
            self._store.clear(prefix)

    def _shards_of(self, dataset_id: str) -> set[str]:
        """Where the shards of a dataset are, for all the ways that runs had it cut."""
        keys = (key.split("/") for key in self._store.list("shards"))
        return {f"shards/{name}" for _, name, *_ in keys if f"-{dataset_id}-" in name}

    def trace(self, run_id: str, stream: int | None = None) -> list[IterationRecord]:
        """The trace of a run so far, by stream and iteration; of one stream if it is given."""
        with self._database.reading() as session:
            return read_trace(session, find_run(session, run_id).id, stream)

    def events(self, run_id: str, after: int = 0, limit: int = 1000) -> list[EventRecord]:
        """What happened to a run, in order, after the event of that number."""
        with self._database.reading() as session:
            found = find_run(session, run_id).id
            query = select(Event).where(Event.run_id == found, Event.id > after).order_by(Event.id).limit(limit)
            return [event_record(row) for row in session.scalars(query)]

    def progress(self, run_id: str) -> RunProgress:
        """How far a run has come."""
        run = self.run(run_id)
        datasets = {run.dataset_id: self.dataset(run.dataset_id)}
        return progress_of(self._database, [run], datasets)[run.id]

    def progress_of(self, runs: Sequence[RunRecord]) -> dict[str, RunProgress]:
        """How far some hundred runs have come, by their ids; one that was deleted meanwhile is left out."""
        datasets = datasets_of(self._database, runs)
        return progress_of(self._database, [run for run in runs if run.dataset_id in datasets], datasets)

    def pause(self, run_id: str, actor: str = "cli", reason: str = "") -> RunRecord:
        """Stop a running run before its next column step, until it is resumed; InputError if it is not running."""
        with self._database.session() as session:
            run = find_run(session, run_id)
            transition(session, run.id, State.PAUSED, actor=actor, reason=reason)
            return _fresh(session, run)

    def resume(self, run_id: str, actor: str = "cli", reason: str = "") -> RunRecord:
        """Go on with a paused run, or with one that failed, with no attempt spent; InputError if it is neither.

        A run that failed before it started is pending again, and so is the reading of its dataset if that failed.
        """
        with self._database.session() as session:
            run = find_run(session, run_id)
            if run.state not in (State.PAUSED, State.FAILED):
                raise TransitionRefused(
                    f"run {run.id} is {run.state}: only one that is PAUSED or FAILED can be resumed"
                )
            to = State.RUNNING if run.started_at is not None else State.PENDING
            values = {"epoch": Run.epoch + 1, "error": None, "starts": 0, "died_at": None}
            transition(session, run.id, to, actor=actor, reason=reason, values=values)
            session.execute(update(Chain).where(Chain.run_id == run.id).values(published_at=None))
            session.execute(delete(Failure).where(Failure.run_id == run.id))
            renew_jobs(session, run.id)
            if to == State.PENDING:
                _read_again(session, run.dataset_id, actor)
            return _fresh(session, run)

    def cancel(self, run_id: str, actor: str = "cli", reason: str = "") -> RunRecord:
        """End a run at once, whatever its workers do; InputError if it has ended already."""
        with self._database.session() as session:
            run = find_run(session, run_id)
            transition(session, run.id, State.CANCELLED, actor=actor, reason=reason)
            delete_checkpoints(session, run.id)
            return _fresh(session, run)

    def delete(self, run_id: str, actor: str = "cli", reason: str = "") -> None:
        """Delete a run that succeeded, failed or was cancelled, with its objects; its events and dataset stay.

        Raises
        ------
        InputError
            The run is under way.
        RunError
            The object store cannot be reached; the run is still there, and the delete can be repeated.
        """
        with self._database.session() as session:
            run = find_run(session, run_id)
            if run.state == State.FAILED:
                # So that nobody resumes it while its objects go.
                transition(session, run.id, State.CANCELLED, actor=actor, reason="to be deleted")
            elif run.state not in TERMINAL:
                raise TransitionRefused(f"run {run.id} is {run.state}: cancel it before it is deleted")
            found = run.id
        self._store.clear(f"runs/{found}")
        with self._database.session() as session:
            session.execute(delete(Job).where(Job.subject == found))
            session.execute(delete(Run).where(Run.id == found))
            add_event(session, "deleted", actor=actor, run_id=found, reason=reason)

    def read_result(self, run_id: str, name: str) -> memoryview:
        """One file of a finished run; RunError if there is none of that name, or it is damaged."""
        return self._results.get(self._succeeded(run_id), name)

    def fetch_result(self, run_id: str, folder: Path, progress: Progress | None = None) -> list[str]:
        """Download the folder of a finished run.

        Parameters
        ----------
        folder : Path
            Made if missing; files of the same names are replaced.
        progress : callable, optional
            Called with bytes done and bytes in all.

        Returns
        -------
        list of str
            Names of the files.

        Raises
        ------
        InputError
            The run has not succeeded, or the folder cannot be made.
        """
        return self._results.fetch(self._succeeded(run_id), folder, progress)

    @contextmanager
    def _unless_recorded(self, key: str) -> Iterator[None]:
        """Delete an object again if what names it comes to nothing."""
        try:
            yield
        except BaseException:
            self._store.delete([key])
            raise

    def _succeeded(self, run_id: str) -> RunRecord:
        run = self.run(run_id)
        if run.state != State.SUCCEEDED:
            why = (" (", run.error, ")") if run.error else ()
            raise InputError(
                f"run {run.id} is {run.state}", *why, ": only a run that SUCCEEDED has results to download"
            )
        return run


def _check_usable(dataset: Dataset) -> None:
    if dataset.state == "FAILED":
        why = dataset.error or "its error was not kept"
        raise InputError(f"dataset {dataset.id} could not be read: ", why, "; mend the file and submit it again")


def _fresh(session: Session, run: Run) -> RunRecord:
    """The record of a run that was changed behind its object's back."""
    session.refresh(run)
    return run_record(run)


def _read_again(session: Session, dataset_id: str, actor: str) -> None:
    """Let a dataset that could not be read be read once more."""
    failed = (Dataset.id == dataset_id, Dataset.state == "FAILED")
    if execute_counted(session, update(Dataset).where(*failed).values(state="UPLOADED", error=None)) == 1:
        renew_jobs(session, dataset_id)
        add_event(session, "state", actor=actor, dataset_id=dataset_id, states=("FAILED", "UPLOADED"))
