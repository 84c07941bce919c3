"""Where chains start: as the run was asked for, or where the best of their short chains ended."""

from __future__ import annotations

from disnplbm.engine.known import Known
from disnplbm.engine.recorded import shorts_of
from disnplbm.messaging.states import labelled
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.chains import ChainStore
from disnplbm.runs.records import ChainRecord
from disnplbm.sampler.starts import Start
from disnplbm_master.states import States


class Starts:
    """The starts of chains.

    Parameters
    ----------
    chains : ChainStore
    store : ObjectStore
    states : States
    """

    def __init__(self, chains: ChainStore, store: ObjectStore, states: States) -> None:
        self._chains, self._store, self._states = chains, store, states

    def of(self, chain: ChainRecord, known: Known) -> Start | None:
        """The start of a chain; None while its short chains are under way."""
        if chain.short is not None or known.options.restarts == 1:
            return known.start()
        shorts = shorts_of(chain, self._chains.of_run(chain.run))
        if not all(short.ended for short in shorts):
            return None
        # Of equal ones the first, as :func:`disnplbm.engine.restarts.best_start` has it.
        joints = [self._chains.trace(short.run, short.stream)[-1].log_joint for short in shorts]
        best = shorts[joints.index(max(joints))]
        state = self._states.of(best)
        assert state is not None
        labels_keys = [entry.labels_key for entry in self._chains.ledger(best.run, best.stream, best.iterations)]
        return known.problem.start_at(labelled(self._store, state, labels_keys))
