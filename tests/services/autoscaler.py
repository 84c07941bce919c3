"""The rules of KEDA and of Kubernetes' horizontal autoscaler, without either of them.

KEDA's operator asks once in a polling interval, starts the first worker and ends the last. In between the horizontal
autoscaler decides, every 15 seconds, from the same number: as many as divide it into the target, within what the
stabilisation windows and the policies allow. Written after kubernetes/pkg/controller/podautoscaler/horizontal.go and
KEDA's documentation.
"""

from __future__ import annotations

import math

from services.scaled_object import Policy, ScaledObject

#: Seconds between two rounds of the horizontal autoscaler, by default.
ROUND = 15.0

#: How far the load of a worker may be from the target before anything is done, by default.
TOLERANCE = 0.1


class Autoscaler:
    """Decides about the number of workers; times are in seconds of any clock that both methods are called with.

    Parameters
    ----------
    rule : ScaledObject

    Attributes
    ----------
    replicas : int
        Workers there should be.
    """

    def __init__(self, rule: ScaledObject) -> None:
        self.rule = rule
        self.replicas = rule.minimum
        self._active: float | None = None
        self._recommended: list[tuple[float, int]] = []
        self._changes: list[tuple[float, int]] = []

    def poll(self, now: float, wanted: float | None) -> int:
        """KEDA's turn; without an answer (None) nothing changes."""
        if wanted is None:
            return self.replicas
        if wanted > self.rule.activation:
            self._active = now
            if self.replicas == 0:
                self.replicas = max(self.rule.minimum, 1)
        elif self.rule.minimum == 0 and (self._active is None or now - self._active > self.rule.cooldown):
            self.replicas = 0
        return self.replicas

    def round(self, now: float, wanted: float | None) -> int:
        """The horizontal autoscaler's turn; it rests without an answer, and while there are no workers."""
        if wanted is None or self.replicas == 0:
            return self.replicas
        within = min(max(self._stabilised(now, self._desired(wanted)), max(self.rule.minimum, 1)), self.rule.maximum)
        allowed = within
        if within > self.replicas:
            allowed = min(within, max(self._limit(now, one, 1) for one in self.rule.up.policies))
            allowed = max(allowed, self.replicas)
        elif within < self.replicas:
            allowed = max(within, min(self._limit(now, one, -1) for one in self.rule.down.policies))
            allowed = min(allowed, self.replicas)
        if allowed != self.replicas:
            self._changes.append((now, allowed - self.replicas))
        self.replicas = allowed
        return self.replicas

    def _desired(self, wanted: float) -> int:
        load = wanted / (self.rule.target * self.replicas)
        return self.replicas if abs(load - 1.0) <= TOLERANCE else math.ceil(wanted / self.rule.target)

    def _stabilised(self, now: float, desired: int) -> int:
        """The least of the window for more, the most of the window for fewer, and else what there is."""
        up, down = self.rule.up.window, self.rule.down.window
        self._recommended = [(at, count) for at, count in self._recommended if now - at < max(up, down)]
        least = min([desired, *(count for at, count in self._recommended if now - at < up)])
        most = max([desired, *(count for at, count in self._recommended if now - at < down)])
        self._recommended.append((now, desired))
        return min(max(self.replicas, least), most)

    def _limit(self, now: float, policy: Policy, sign: int) -> int:
        """The number that a policy allows, in view of what came and went in its period."""
        before = self.replicas - sum(change for at, change in self._changes if now - at < policy.seconds)
        if policy.kind == "Pods":
            return before + sign * policy.value
        share = before * (1.0 + sign * policy.value / 100.0)
        return math.ceil(share) if sign > 0 else math.floor(share)
