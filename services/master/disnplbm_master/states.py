"""States of chains: in the database if they are small, else in the object storage; those under way at hand."""

from __future__ import annotations

from disnplbm.messaging.states import state_at
from disnplbm.objects.addressed import inline_or_store
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.records import ChainRecord
from disnplbm.sampler.packing import pack_state
from disnplbm.sampler.state import ChainState


class States:
    """The states that chains' iterations start from.

    Parameters
    ----------
    store : ObjectStore
    inline_bytes : int
        Larger ones go to the object storage.
    """

    def __init__(self, store: ObjectStore, inline_bytes: int) -> None:
        self._store, self._inline_bytes = store, inline_bytes
        self._at_hand: dict[tuple[str, int], tuple[int, ChainState]] = {}

    def of(self, chain: ChainRecord) -> ChainState | None:
        """The state that a chain's iteration starts from; None before its start."""
        if chain.iteration == 0:
            return None
        known = self._at_hand.get((chain.run, chain.stream))
        if known is None or known[0] != chain.iteration:
            known = self._at_hand[chain.run, chain.stream] = (chain.iteration, state_at(self._store, chain))
        return known[1]

    def put(self, run: str, stream: int, iteration: int, state: ChainState) -> tuple[bytes | None, str | None]:
        """Keep the state that an iteration starts from; its bytes, or the key of the object that holds them."""
        self._at_hand[run, stream] = (iteration, state)
        return self.placed("state", pack_state(state), run, stream, iteration)

    def placed(
        self, name: str, packed: bytes, run: str, stream: int, iteration: int, inline_bytes: int | None = None
    ) -> tuple[bytes | None, str | None]:
        """What belongs to an iteration: small bytes as they are, large ones put under a key that has a name."""
        most = self._inline_bytes if inline_bytes is None else inline_bytes
        return inline_or_store(self._store, f"runs/{run}/states/{stream}/{iteration}/{name}", packed, most)

    def drop(self, run: str) -> None:
        """Let go of the states of a run."""
        for key in [key for key in self._at_hand if key[0] == run]:
            del self._at_hand[key]
