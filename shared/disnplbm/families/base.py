"""What a family of cells is: the few things in which one differs from another.

A family sums sets of cells up by :class:`Statistics`, of a fixed length, and weighs sets by them: the parameters of a
block are integrated out, or instantiated where labels are drawn given a measure. An *item* is a row that is weighed
against row clusters, or a column that is weighed against column clusters; its cells stand in G groups, which are the
clusters of the other axis.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.errors import RunError
from disnplbm.kernels.companions import Companions, no_companions
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Floats, Labels

#: Rows whose statistics are held at a time when they are too many to keep.
ROWS_AT_ONCE = 8192

#: The rows to take, of those that are there.
Rows = slice | NDArray[np.intp]


class Statistics(Protocol):
    """Sufficient statistics of an array of sets of cells."""

    @property
    def names(self) -> tuple[str, ...]:
        """What files call the :attr:`arrays`."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of sets."""

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All there is to keep of the sets: arrays that begin with the axes of the sets, unless they are light."""

    @property
    def row_shape(self) -> tuple[int, ...]:
        """Shape of what there is of the sets at one place of the first axis, in the array that has the most axes."""

    @property
    def n_bytes(self) -> int:
        """In memory."""

    @property
    def T(self) -> Self:
        """The sets of shape (a, b) as (b, a), to be read: contiguous, or a view."""

    def __getitem__(self, index: Any) -> Self:
        """The sets at a NumPy index over the axes of the array."""

    def __setitem__(self, index: Any, sets: Self) -> None:
        """Put other sets at a NumPy index over the axes of the array; TypeError if they are to be read alone."""

    def put(self, index: NDArray[np.intp], sets: Self) -> Self:
        """The same with other sets at some places of the first axis; these may be changed for it."""

    def empty_like(self, shape: tuple[int, ...]) -> Self:
        """Statistics of empty sets of such cells."""

    def extended(self, number: int) -> Self:
        """The same sets and that many empty ones behind them, along the first axis."""

    def copy(self) -> Self:
        """An independent copy."""


class Clusters(Protocol):
    """Clusters while items are swept: one slot each, and slots to spare."""

    @property
    def size(self) -> Floats:
        """Members of each slot's cluster."""

    @property
    def opened_in_sweep(self) -> NDArray[np.bool_]:
        """Whether the slot's cluster was opened during this sweep."""

    @property
    def partner(self) -> NDArray[np.int32]:
        """The cluster that each may be merged with after the sweep, or -1."""

    @property
    def overlap(self) -> Floats:
        """Sum over the items drawn into a slot of -log P(it, not its partner)."""


class Choices(NamedTuple):
    """Clusters that labels are drawn from."""

    coefficients: Floats  # (F, C) drawn from the posterior of their blocks
    log_weights: Floats  # (C,)
    visibility: Floats  # (C,) at most 1


class Proposals(NamedTuple):
    """Splits and merges that are tried at once, T of them, on clusters that are all different."""

    contrasts: Floats  # (T, F + 1) log odds of side 0, see FamilyOf.launch
    guided: NDArray[np.bool_]  # (T,) whether the contrasts are used, or sides are drawn by chance
    try_of: Labels  # (K,) the try that each cluster takes part in, or -1
    present: Labels  # (K,) the side that each stands for in a merge, or -1 in a split
    chances: Floats  # (T,) probability of side 0 where chance decides


class BlockFit(Protocol):
    """How well the cells of each block fit the family."""

    @property
    def T(self) -> Self:
        """The same with rows and columns swapped."""

    @property
    def columns(self) -> dict[str, Floats]:
        """What blocks.csv holds of it, by the names of the columns: shape (K, L, d), NaN where nothing is known."""

    @property
    def plain(self) -> NDArray[np.bool_]:
        """What clearly does not fit, shape (K, L, d)."""

    def to_dict(self) -> dict[str, Any]:
        """What run.json says of it; with a sentence for people."""


class FitCheck(Protocol):
    """A check of the blocks while the shards pass by."""

    def add(self, cells: Any, items: NDArray[np.int64]) -> None:
        """Look at the cells of some items."""

    def finish(self) -> BlockFit:
        """What was found, once all cells were looked at."""


#: Averages what drawn blocks have, shape (K', L', d), over the positions of each block of other partitions, (K, L, d).
Average = Callable[[Floats], Floats]

#: A family's own types of statistics, of items as its kernels read them, and of clusters.
S = TypeVar("S", bound=Statistics)
Items = TypeVar("Items")
C = TypeVar("C", bound=Clusters)


class CellsOf(ABC, Generic[S]):
    """The cells of some rows, in the form that the sampler works on.

    Attributes
    ----------
    n_rows, n_columns : int
    n_bytes : int
        In memory.
    numbers : int
        That the statistics of a set hold.
    complete : bool
        That no cell of the whole data (not of these rows alone) is missing.
    rows_at_once : int
        Rows whose statistics are held at a time when they are too many to keep.
    """

    n_rows: int
    n_columns: int
    n_bytes: int
    numbers: int
    complete: bool
    rows_at_once: int = ROWS_AT_ONCE

    @abstractmethod
    def by_group(self, rows: Rows, column_labels: Labels, n_groups: int) -> S:
        """Statistics of some rows' cells in each column cluster, shape (m, G)."""

    @abstractmethod
    def by_cluster(self, labels: Labels, n_clusters: int) -> S:
        """Statistics of every column's cells in every cluster of rows, shape (K, p); a row of label -1 is left out."""

    def light_by_group(self, rows: Rows, column_labels: Labels, n_groups: int) -> Statistics:
        """The same as :meth:`by_group`, to be read alone: light, in another form, where that is smaller."""
        return self.by_group(rows, column_labels, n_groups)

    def light_by_cluster(self, labels: Labels, n_clusters: int) -> Statistics:
        """The same as :meth:`by_cluster`, to be read alone: light, in another form, where that is smaller."""
        return self.by_cluster(labels, n_clusters)


class SparseCellsOf(CellsOf[S]):
    """Rows of cells in compressed form: a cell that is not stored is a zero, or what stands for one, or missing.

    Parameters
    ----------
    indptr : ndarray of int64, shape (n + 1,)
        Where the stored cells of each row begin.
    indices : ndarray of int32, shape (N,)
        Column of each stored cell.
    values : ndarray of shape (N,)
    n_columns : int
    complete : bool
        That no cell of the whole data (not of these rows alone) is missing.
    """

    def __init__(
        self,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        values: NDArray[Any],
        n_columns: int,
        *,
        complete: bool,
    ) -> None:
        self._stored = indptr, indices, values
        self.n_rows, self.n_columns = len(indptr) - 1, n_columns
        self.n_bytes = sum(part.nbytes for part in self._stored)
        self.complete = complete

    @abstractmethod
    def to_csr(self) -> csr_array:
        """The cells for pictures, in the units of the table: NaN where missing."""


class FamilyOf(ABC, Generic[S, Items, C]):
    """A family of cells with its prior, and the power that its likelihood is raised to.

    Densities leave out what all candidates share and no decision depends on.

    Attributes
    ----------
    prefers_draws : bool
        Whether `split-merge` draws labels given parameters wherever it can, of all columns at once too, where collapsed
        sweeps take long and open many clusters that stay.
    power : float
    """

    prefers_draws = False
    power: float

    @abstractmethod
    def tempered(self, power: float) -> Self:
        """The same family and prior at another power."""

    # Sets of cells.

    @abstractmethod
    def empty(self, shape: tuple[int, ...]) -> S:
        """Statistics of empty sets."""

    @abstractmethod
    def merge(self, a: S, b: S) -> S:
        """Statistics of the union of disjoint sets, element by element."""

    @abstractmethod
    def aggregate(self, statistics: S, labels: Labels, n_clusters: int, axis: int, into: S | None = None) -> S:
        """Merge the sets of one axis that share a label.

        Parameters
        ----------
        statistics : Statistics of shape (a, b)
        labels : ndarray of int32, length a (axis 0) or b (axis 1)
        n_clusters : int
            Number of labels; one without members yields an empty set.
        axis : {0, 1}
        into : Statistics, optional
            Sets to merge into, in place, instead of into empty ones.

        Returns
        -------
        Statistics of shape (n_clusters, b) or (a, n_clusters)
        """

    def gather(self, statistics: S, targets: Labels, n_clusters: int, into: S | None = None) -> S:
        """Merge clusters into those that they are of, no two of them of the same.

        Parameters
        ----------
        statistics : Statistics of shape (h, p)
        targets : ndarray of int32, shape (h,)
        n_clusters : int
            K.
        into : Statistics of shape (K, p), optional
            Clusters to merge into instead of into empty ones; they may be changed for it.

        Returns
        -------
        Statistics of shape (K, p)
        """
        return self.aggregate(statistics, targets, n_clusters, 0, into)

    @abstractmethod
    def log_marginals(self, sets: S) -> Floats:
        """Log marginal of every set, in the shape of the array of sets; 0 for an empty set."""

    def for_levels(self, blocks: S) -> FamilyOf[S, Items, C]:  # noqa: ARG002
        """The family whose log marginals trees and levels compare clusters by; by default itself.

        Parameters
        ----------
        blocks : Statistics of shape (K, L)
            Of the fit, in the working frame.
        """
        return self

    def average_columns(self, cells: S, sizes: NDArray[np.int64]) -> S:  # noqa: ARG002
        """Each cluster as the published join sees it: averaged over the columns seen, and worth its size.

        Parameters
        ----------
        cells : Statistics of shape (H, p)
        sizes : ndarray of int64, shape (H,)

        Returns
        -------
        Statistics of shape (H,)

        Raises
        ------
        RunError
            The family has no such average.
        """
        raise RunError("the averaged join is for real numbers: take join = blockwise")

    # Blocks, for people.

    def fit_check(self, blocks: S, item_labels: Labels, other_labels: Labels) -> FitCheck | None:  # noqa: ARG002
        """Begin a check of whether cells vary as the family says; None if the family has none.

        Parameters
        ----------
        blocks : Statistics of shape (K, L)
            Of all cells.
        item_labels, other_labels : ndarray of int32, shapes (n,) and (p,)
            Clusters of the items, whose cells are looked at shard by shard, and of the other axis.
        """
        return None

    def leave(self, blocks: S) -> S:
        """Blocks of the working frame, in the units of the table; by default the same."""
        return blocks

    def enter(self, blocks: S) -> S:
        """What :meth:`leave` gave, in the working frame again; by default the same."""
        return blocks

    def count_cells(self, blocks: S) -> Floats | None:  # noqa: ARG002
        """Observed cells of each block; None where the statistics do not say."""
        return None

    def weights(self, blocks: S) -> Floats | None:
        """What each block weighs where figures of several are averaged, shape (K, L): by default its observed cells."""
        return self.count_cells(blocks)

    @abstractmethod
    def figures(self, blocks: S) -> dict[str, Floats]:
        """What a block's cells say of it, by the names that tables give it: arrays of shape (K, L, d).

        Parameters
        ----------
        blocks : Statistics of shape (K, L)
            In the units of the table.

        Returns
        -------
        dict of ndarray
            NaN where a block has no cell.
        """

    @abstractmethod
    def draw_figures(self, blocks: S, average: Average, generator: np.random.Generator) -> dict[str, Floats]:
        """Draw the parameters of blocks, and say what they make of the blocks of other partitions, (K, L, d).

        Parameters
        ----------
        blocks : Statistics of shape (K', L')
            Of a draw, in the working frame.

        Returns
        -------
        dict of ndarray
            In the units of the table; the names are some of the names in :meth:`figures`.
        """

    @abstractmethod
    def may_be(self, cells: S, most: NDArray[np.int64]) -> bool:
        """Whether a worker may have sent statistics of clusters, in which a set has at most so many cells.

        Parameters
        ----------
        cells : Statistics of shape (H, ...)
            Of finite numbers.
        most : ndarray of int64, shape (H,)
        """

    # Items, and their collapsed sweep.

    @abstractmethod
    def items(self, statistics: S, *, alike: bool) -> Items:
        """Make items of their statistics per group.

        Parameters
        ----------
        statistics : Statistics of shape (n, G)
        alike : bool
            That every item has the same number of cells in a group (complete data).
        """

    @abstractmethod
    def bare_items(self, statistics: S) -> Items:
        """Make items that are not to be swept, of statistics of shape (n, G)."""

    @abstractmethod
    def add_items(self, items: Items, labels: Labels, blocks: S) -> None:
        """Merge every item's cells into the blocks of its cluster, shape (K, G), in place."""

    @abstractmethod
    def clusters(self, sizes: NDArray[np.int64], blocks: S, items: Items, partition_prior: PartitionPrior) -> C:
        """Make clusters that items are swept among, of their sizes, shape (K,), and their blocks, shape (K, G)."""

    @abstractmethod
    def sweep(
        self,
        labels: Labels,
        uniforms: Floats,
        items: Items,
        clusters: C,
        partition_prior: PartitionPrior,
        companions: Companions = no_companions,
    ) -> C:
        """Take each item in turn out of its cluster and draw it anew.

        Parameters
        ----------
        labels : ndarray of int32, shape (n,)
            Slot of each item; changed in place.
        uniforms : ndarray of shape (n,)
            One uniform in [0, 1) an item.
        companions : callable
            What :meth:`companion` gives for the further parts of a table, whose log marginals are added.

        Returns
        -------
        Clusters
            The clusters after the sweep: those given, changed, or a copy with more slots.

        Raises
        ------
        WeightError
            The log weights of an item are not finite numbers.
        """

    def companion(self, items: Items, clusters: C, slots: int) -> tuple[Any, C]:  # noqa: ARG002
        """Make what the kernel of another part's sweep reads of this one (:mod:`disnplbm.kernels.companions`).

        Parameters
        ----------
        items, clusters
            As for :meth:`sweep`; the clusters are changed by it.
        slots : int
            That the clusters of the leading part have.

        Returns
        -------
        companion : NamedTuple
        clusters : Clusters
            Those given, or a copy with more slots.

        Raises
        ------
        RunError
            The family cannot stand beside others.
        """
        raise RunError(f"cells of the family {type(self).__name__} cannot stand beside others in one table")

    # Labels drawn given instantiated parameters: log densities are products of features and coefficients.

    @abstractmethod
    def n_features(self, blocks: S) -> int:
        """Count the features F of an item that is weighed against blocks of shape (..., G)."""

    @abstractmethod
    def draw_coefficients(self, blocks: S, generator: np.random.Generator) -> Floats:
        """Draw the parameters of clusters from the posterior of their blocks, shape (K, G); shape (F, K)."""

    @abstractmethod
    def mean_coefficients(self, blocks: S) -> Floats:
        """The parameters of clusters at the posterior mean of their blocks, shape (K, G); shape (F, K)."""

    @abstractmethod
    def draw_prior_coefficients(self, number: int, n_features: int, generator: np.random.Generator) -> Floats:
        """Draw the parameters of clusters without members from the prior, shape (F, number)."""

    def log_densities(self, items: Items, coefficients: Floats) -> Floats:  # noqa: ARG002
        """Log density of each item in each cluster, shape (n, K), of coefficients of shape (F, K).

        Raises
        ------
        RunError
            The family cannot stand beside others.
        WeightError
            The log densities of an item are not finite numbers.
        """
        raise RunError(f"cells of the family {type(self).__name__} cannot stand beside others in one table")

    @abstractmethod
    def draw_labels(
        self,
        items: Items,
        choices: Choices,
        uniforms: Floats,
        slices: Floats,
        labels: Labels,
        offsets: Floats | None = None,
    ) -> None:
        """Draw a label for each item in proportion to exp(log weight + log density), of the clusters that it sees.

        Parameters
        ----------
        uniforms, slices : ndarray of shape (n,)
            An item sees the clusters whose visibility is above its slice.
        labels : ndarray of int32, shape (n,)
            Written to: places among the choices.
        offsets : ndarray of shape (n, C), optional
            Log densities of the same rows in further parts of a table.

        Raises
        ------
        WeightError
            The log weights of an item are not finite numbers.
        """

    @abstractmethod
    def likeliest(self, items: Items, choices: Choices) -> Labels:
        """Find the place, among the choices, where log weight + log density is largest; the first of several.

        Raises
        ------
        WeightError
            The log weights of an item are not finite numbers.
        """

    # Proposed splits.

    @abstractmethod
    def launch(self, items: S, first: int, second: int) -> Floats:
        """Find the log odds by which a guided split puts items on the side of the first anchor, or of the second.

        It is a function of the items and the anchors alone: nothing of how the items are split at present may enter.

        Parameters
        ----------
        items : Statistics of shape (m, G)
            The items of the cluster to split, or as many of them as are enough to tell the sides.
        first, second : int
            Positions of the anchors among them.

        Returns
        -------
        ndarray of shape (F + 1,)
            One coefficient a feature, then a constant.
        """

    @abstractmethod
    def draw_sides(
        self,
        items: Items,
        proposals: Proposals,
        uniforms: Floats,
        labels: Labels,
        sides: Labels,
        minus_log_q: Floats,
        offsets: Floats | None = None,
    ) -> None:
        """Draw the sides of proposed splits, or weigh those that are there.

        Parameters
        ----------
        uniforms : ndarray of shape (n,)
        labels : ndarray of int32, shape (n,)
            Cluster of each item.
        sides : ndarray of int32, shape (n,)
            -1 to be filled in; an anchor's side is given. Items in no try stay at -1.
        minus_log_q : ndarray of shape (T, 2)
            Added to: -log P(side) of the items on each side, where the data guide.
        offsets : ndarray of shape (n,), optional
            Log odds of the same rows in further parts of a table.

        Raises
        ------
        WeightError
            The log odds of an item are not a finite number.
        """


#: Whatever the family: all that samplers see of one.
Cells = CellsOf[Any]
SparseCells = SparseCellsOf[Any]
Family = FamilyOf[Any, Any, Any]
