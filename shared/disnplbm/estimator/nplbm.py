"""The estimator."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import InvalidParameterError

from disnplbm.bars import progress_for
from disnplbm.cell_types import MIXED
from disnplbm.data.cell_choice import words_for
from disnplbm.engine.options import Options
from disnplbm.engine.stages import Stages
from disnplbm.errors import DataWarning, InputError
from disnplbm.estimator.biclusters import BlocksAsBiclusters
from disnplbm.estimator.fitting import Fitted, fit_table
from disnplbm.estimator.frames import FramesMixin
from disnplbm.estimator.judging import flat
from disnplbm.estimator.loading import LoadingMixin
from disnplbm.estimator.notebook import NotebookMixin
from disnplbm.estimator.parameters import CONSTRAINTS, in_parameters, parameter, to_options, to_threads
from disnplbm.estimator.parts import check_parameters, fit_parts
from disnplbm.estimator.pooling import PoolingMixin
from disnplbm.estimator.tables import given_covariates, given_factors, read_table, start_labels
from disnplbm.estimator.writing import WritingMixin
from disnplbm.families.counts.dispersion import Dispersion
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Labels
from disnplbm.notes import say
from disnplbm.posterior.normality import Normality


class NPLBM(
    NotebookMixin,
    LoadingMixin,
    WritingMixin,
    FramesMixin,
    PoolingMixin,
    BlocksAsBiclusters,
    BaseEstimator,  # type: ignore[misc]
):
    """Bayesian non-parametric latent block model: co-clustering that finds both numbers of clusters.

    Rows and columns are partitioned at once, so that the cells of each block (row cluster, column cluster) look like
    draws from one distribution. The labels are the last state of a Markov chain on the posterior, or with a
    burn-in the consensus of its draws, which also judge new rows and missing cells.

    Parameters
    ----------
    n_iterations : int or None, default=None
        Length of a chain, burn-in included. None is 100, after the burn-in where one is given.
    n_shards : int or "auto", default=1
        Parts that the data are cut into, swept by threads. More than there are rows (or columns) are clamped, with a
        warning. "auto" is what the command line takes: it depends on the shape alone.
    random_state : int, RandomState instance or None, default=0
        Seed of the chain. Same data, seed, shards and parameters: the same labels and trace, bit for bit.
    burn_in : int or None, default=None
        Iterations before the first draw that is kept. None is 0 for one chain, and half of the iterations for several.
    n_draws : int or None, default=None
        Draws to keep of each chain; None is up to 200 with a burn-in and none without.
    n_chains : int, default=1
        Independent chains whose draws are pooled.
    estimate : {"auto", "consensus", "map", "last"}, default="auto"
        What the labels are: the consensus of the draws ("auto", if there are any), the draw of the highest joint
        density, or the last state.
    loss : "vi", "binder" or None, default=None
        What the consensus minimises the expectation of: variation of information (None, where there are draws), or
        Binder's loss.
    clusters : str or int, default="auto"
        What ``cut("auto")`` and :meth:`explain` take: all clusters of the fit ("fine"), a number of row clusters, or of
        both axes, "5x4". "auto" leaves up to 24 of an axis, and of more takes as many as the chains agree on or the
        tree suggests. The chains stay as they are.
    tree_loss : {"shared", "model"}, default="shared"
        What clusters of real numbers lose when they merge: "shared" takes one variance for all blocks, so that a noisy
        row is no branch of its own; with "model" each block has its own, and losses add up to the log joint.
    n_restarts : int, default=1
        Each chain starts where the best of so many, a tenth as long, ended: by log joint.
    sampler : {"auto", "collapsed", "split-merge"}, default="auto"
        "collapsed" is exact with one shard, "split-merge" with any number, after the burn-in. "auto" is "collapsed"
        for real numbers, one a cell, and else "split-merge".
    cells : {"auto", "gaussian", "counts", "binary", "categorical", "responses", "mixed"}, default="auto"
        What the cells are: real numbers, counts, 0 or 1, or one of a few values. "auto" looks at them: whole numbers
        from 0 of which half are 0 are counts, and where there is nothing but 0 and 1, they are binary, or counts if
        fewer than a tenth of them are 1. A table of words is one of categories. All else are real numbers. "responses"
        depend on covariates: each block has a regression of its own. X is then of shape (n, p), or (n, p, 1 + c) with
        c covariates of each cell behind its response. "mixed" looks at the columns of a DataFrame one by one.
    columns_as : mapping or None, default=None
        What columns of a DataFrame are taken as, by name: "gaussian", "counts", "binary" or "categorical"; the others
        are looked at, as with ``cells="mixed"``.
    exposure : {"margins", "none"}, array-like or tuple, default="margins"
        What counts are compared with: what the totals of their row and their column let expect, or nothing; or a
        factor for each row (its size, the time it was watched), or a pair ``(of_rows, of_columns)`` of which one may be
        None. A block's rate is then per unit of the product. A Series is matched by its index.
    row_covariates, column_covariates : array-like of shape (n, a) and (p, b), optional
        Numbers that responses depend on, of each row and of each column. A DataFrame is matched by its index.
    alpha, beta : float or "learn", default=1.0
        Concentrations of rows and of columns: larger, more clusters.
    fix_row_clusters, fix_column_clusters : int or None, default=None
        At most so many clusters, under a symmetric Dirichlet: the parametric model.
    start : {"random", "one", "singletons", "crossed"} or tuple, default="random"
        Where the chain starts: up to 30 x 30 random clusters, one cluster, each row and column on its own, or a pair
        ``(row_labels, column_labels)``, of which one may be None for random. "crossed" tries 12 short chains from
        random clusters, then two a round from the rows of one with the columns of another, and starts where the best
        of them ended: better clusters of real tables, for 1,040 iterations more.
    crossings : int, default=20
        Rounds of a crossed start.
    anneal : int, default=0
        Iterations at the start in which the power of the likelihood rises from half to full, for clusters that overlap.
    view : {"global", "local"}, default="global"
        Whether a shard sees the statistics of all rows or of its own only.
    join : {"blockwise", "averaged"}, default="blockwise"
        How clusters that shards found are joined into global ones. "averaged" is the published way. It merges profiles
        that mirror each other.
    pair_moves : bool, default=True
        Whether whole clusters may merge and split.
    power : float, default=1.0
        Likelihood power in (0, 1], for data that the model does not fit (Miller and Dunson 2019).
    prior : NIWPrior or None, default=None
        Prior of the blocks in the units of the (transformed) data, instead of the one from the data that
        ``prior_scale``, ``kappa0`` and ``psi0_factor`` describe.
    covariance : {"full", "diagonal"}, default="full"
        Of a block's cells, where a cell is several numbers. With "diagonal" the numbers are independent given the
        block: for more than 64 numbers, and where a block has too few cells to tell how they go together.
    prior_scale : {"covariance", "precision"}, default="covariance"
        "precision" is the published code's; the result then depends on the units of the data.
    kappa0 : float, default=1.0
        How many cells the prior mean of a block is worth.
    psi0_factor : float, default=1.0
        Multiplies the prior's scale matrix: smaller, more blocks.
    column_transform : str or sequence of str, default="none"
        Applied first: "none", "log", "log1p", "boxcox", "center", "standardize", "standardize-rows", or several in
        order: "log1p,center" or ``["log1p", "center"]``. The command line and the API call it transform; here
        :meth:`transform` is a method.
    shard_axis : {"auto", "rows", "columns"}, default="auto"
        The axis that is cut; "auto" takes the longer one, and of counts, 0/1 and categories the shorter one.
    n_jobs : int or None, default=None
        Threads; None is one and -1 is one for each processor. The result does not depend on it.
    verbose : bool, default=False
        Whether ``fit`` shows on stderr which stage it is in (compiling, sampling, consensus ...) and how long each
        takes: bars on a terminal and in a notebook, a line for each stage elsewhere.

    Attributes
    ----------
    row_labels_ : ndarray of int32, shape (n,)
        0 is the largest cluster.
    labels_ : ndarray of int32, shape (n,)
        ``row_labels_`` by the name that scikit-learn's clusterers use.
    column_labels_ : ndarray of int32, shape (p,)
        Likewise, of the columns.
    row_order_, column_order_ : ndarray of int, shape (n,) and (p,)
        Rows and columns in the order of the report: ``X[model.row_order_][:, model.column_order_]`` has the clusters
        together.
    rows_ : ndarray of bool, shape (K * L, n)
        Rows of each bicluster; k * L + l is the block of row cluster k and column cluster l. Made when it is asked for.
    columns_ : ndarray of bool, shape (K * L, p)
    n_row_clusters_, n_column_clusters_ : int
        K and L.
    block_means_, block_sds_ : ndarray of shape (K, L), or (K, L, d) if d > 1
        Mean and standard deviation of the observed cells of each block, after the transform; NaN where there are none.
        Only where cells are real numbers.
    block_figures_ : dict of ndarray of shape (K, L), or (K, L, F)
        What each block says, by the names of blocks.csv: "mean" and "sd" of real numbers, "total" and "rate" of counts,
        "share" of 0/1 and of categories.
    blocks_ : DataFrame
        What each block says, with the columns of blocks.csv, by ``k`` and ``l``: needs pandas. Made when it is asked
        for.
    cells_ : str
        What the cells were taken for: "gaussian", "counts", "binary", "categorical" or "responses".
    log_joint_ : float
        log p(X, z, w) of the labels, up to the likelihood power; where concentrations are learned, at their mean.
    trace_ : dict of ndarray of shape (n_iter_,)
        "log_joint", "row_clusters", "column_clusters", "seconds", "alpha" and "beta" of every iteration of the first
        chain.
    draws_ : Draws or None
        The kept draws: :class:`disnplbm.posterior.draws.Draws`. How often rows are together,
        shape (n, n): ``disnplbm.posterior.similarity.similarity(draws_.labels("rows"))``.
    row_confidence_, column_confidence_ : ndarray of shape (n,) and (p,), or None
        Posterior probability of being together with another member of the cluster.
    row_runner_up_, column_runner_up_ : RunnerUp or None
        The second answer, where the draws gather around two (:class:`disnplbm.posterior.runner_up.RunnerUp`).
    diagnosis_ : Diagnosis or None
        Whether the chains agree.
    normality_ : Normality or None
        Posterior predictive check of each block of real numbers: skewness, kurtosis and p-value
        (:class:`disnplbm.posterior.normality.Normality`).
    dispersion_ : Dispersion or None
        How many times as much as Poisson counts the counts of each block vary
        (:class:`disnplbm.families.counts.dispersion.Dispersion`).
    digest_ : str
        SHA-256 of labels and trace (without seconds); ``disnplbm fit`` prints the same one for the same run.
    sampler_ : {"collapsed", "split-merge"}
        The sampler that ran: what "auto" chose.
    n_iter_ : int
        Iterations done.
    n_features_in_ : int
        p.
    feature_names_in_ : ndarray of str, shape (p,)
        Only if X is a DataFrame whose column names are all strings. A column that has neither a name nor a value is
        left out with a warning and does not count in p, as on the command line: pandas makes one ("Unnamed: 10") of a
        delimiter at the end of each line.
    warnings_ : list of str
        What is odd about the data, such as constant columns, one line each. ``fit`` gives each as a
        :class:`disnplbm.DataWarning` too.
    notes_ : list of str
        What is odd about the clusters, with what to do: nearly every row (column) alone, or all in one cluster.
    seconds_ : dict of str to float
        What each stage took.

    See Also
    --------
    sklearn.cluster.SpectralBiclustering : Checkerboard biclusters, with both numbers given.

    Notes
    -----
    A fit holds one dense copy of X as float64 beside X itself, and about 100 MiB more: 202 to 267 MiB for 200,000 x 100
    numbers, which are 153 MiB (``python -m benchmarks.estimator_memory``). Of a million cells or more, at least half of
    them zero, it holds those that are not, be X dense or sparse. It refuses what does not fit into memory before it
    starts. What many clusters of a large table add to that shows only later.

    References
    ----------
    Khoufache, Belhadj, Azzag, Lebbah: Distributed MCMC inference for Bayesian non-parametric latent block model.
    PAKDD 2024, arXiv:2402.01050.

    Examples
    --------
    >>> import numpy as np
    >>> from disnplbm import NPLBM
    >>> means = np.array([[5.0, -5.0, 1.0], [-5.0, 5.0, 1.0]])
    >>> X = np.random.default_rng(0).normal(means.repeat([30, 20], axis=0).repeat(4, axis=1))
    >>> model = NPLBM(n_iterations=50, random_state=1).fit(X)
    >>> model.n_row_clusters_, model.n_column_clusters_
    (2, 3)
    >>> model.block_means_.round()
    array([[ 5., -5.,  1.],
           [-5.,  5.,  1.]])
    >>> model.get_shape(0)
    (30, 4)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = CONSTRAINTS

    def __init__(
        self,
        n_iterations: int | None = None,
        n_shards: int | str = 1,
        random_state: int | np.random.RandomState | None = 0,
        *,
        burn_in: int | None = None,
        n_draws: int | None = None,
        n_chains: int = 1,
        estimate: str = "auto",
        loss: str | None = None,
        clusters: str | int = "auto",
        tree_loss: str = "shared",
        n_restarts: int = 1,
        sampler: str = "auto",
        cells: str = "auto",
        columns_as: Mapping[str, str] | None = None,
        exposure: Any = "margins",
        row_covariates: Any = None,
        column_covariates: Any = None,
        alpha: float | str = 1.0,
        beta: float | str = 1.0,
        fix_row_clusters: int | None = None,
        fix_column_clusters: int | None = None,
        start: str | tuple[ArrayLike | None, ArrayLike | None] = "random",
        crossings: int = 20,
        anneal: int = 0,
        view: str = "global",
        join: str = "blockwise",
        pair_moves: bool = True,
        power: float = 1.0,
        prior: NIWPrior | None = None,
        covariance: str = "full",
        prior_scale: str = "covariance",
        kappa0: float = 1.0,
        psi0_factor: float = 1.0,
        column_transform: str | Sequence[str] = "none",
        shard_axis: str = "auto",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_iterations = n_iterations
        self.n_shards = n_shards
        self.random_state = random_state
        self.burn_in = burn_in
        self.n_draws = n_draws
        self.n_chains = n_chains
        self.estimate = estimate
        self.loss = loss
        self.clusters = clusters
        self.tree_loss = tree_loss
        self.n_restarts = n_restarts
        self.sampler = sampler
        self.fix_row_clusters = fix_row_clusters
        self.fix_column_clusters = fix_column_clusters
        self.cells = cells
        self.columns_as = columns_as
        self.exposure = exposure
        self.row_covariates = row_covariates
        self.column_covariates = column_covariates
        self.alpha = alpha
        self.beta = beta
        self.start = start
        self.crossings = crossings
        self.anneal = anneal
        self.view = view
        self.join = join
        self.pair_moves = pair_moves
        self.power = power
        self.prior = prior
        self.covariance = covariance
        self.prior_scale = prior_scale
        self.kappa0 = kappa0
        self.psi0_factor = psi0_factor
        self.column_transform = column_transform
        self.shard_axis = shard_axis
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: None = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Co-cluster a matrix.

        Parameters
        ----------
        X : array-like of shape (n, p) or (n, p, d), or a table of shape (n, p)
            A table is a DataFrame of pandas or polars, an Arrow table, a SciPy sparse matrix, or AnnData, of which
            the matrix X is taken. A cell is a number or a d-vector; NaN or a mask in any of its components means
            missing. What a sparse matrix does not store is zero. Where most cells are words, they are categories; a
            blank and NA are missing then. A dict of tables is matched by the names of their rows. X is not changed.
            Where columns are of several kinds, or tables several, the columns of each are a part: ``column_labels_``
            and ``feature_names_in_`` have those of the first part first.
        y : Ignored

        Returns
        -------
        NPLBM
            Itself, fitted.

        Raises
        ------
        InputError
            A ValueError: a parameter is out of its range, X is no table of finite numbers, or does not fit into memory.
        """
        with in_parameters(), progress_for(verbose=bool(self.verbose)) as progress:
            self._fit(X, Stages(progress))
        for note in self.warnings_:
            warnings.warn(note, DataWarning, stacklevel=2)
        return self

    def fit_predict(self, X: Any, y: None = None) -> Labels:
        """Co-cluster a matrix and return the labels of its rows, as scikit-learn's clusterers do.

        Parameters
        ----------
        X, y
            As for :meth:`fit`.

        Returns
        -------
        ndarray of int32, shape (n,)
            ``row_labels_``.
        """
        labels: Labels = self.fit(X, y).row_labels_
        return labels

    @property
    def labels_(self) -> Labels:
        """``row_labels_`` by the name that scikit-learn's clusterers use."""
        labels: Labels = self.row_labels_
        return labels

    def _fit(self, X: Any, stages: Stages) -> None:
        try:
            self._validate_params()
        except InvalidParameterError as error:
            raise InputError(str(error)) from error
        options, threads = to_options(self.get_params(deep=False)), to_threads(self.n_jobs)
        # A sparse array by its keys is a dict, too.
        if self.cells == MIXED or self.columns_as or (isinstance(X, dict) and not issparse(X)):
            self._fit_parts(X, options, threads, stages)
            return
        source = read_table(self, X, words=words_for(self.cells))
        d = source.dimension
        if self.prior is not None and self.prior.dimension != d:
            raise InputError(f"prior is for cells of {self.prior.dimension} numbers, and cells of X have {d}")
        options.resolved(d)
        fitted = fit_table(
            source,
            options,
            start_labels(self.start, source.row_names, source.rows, source.column_names),
            stages,
            n_shards=self.n_shards,
            axis=self.shard_axis,
            transform=self.column_transform,
            prior=self.prior,
            threads=threads,
            compile_first=bool(self.verbose),
            factors=given_factors(self.exposure, source),
            covariates=given_covariates(self.row_covariates, self.column_covariates, source),
        )
        self._keep(fitted)
        self.seconds_ = stages.seconds

    def _fit_parts(self, X: Any, options: Options, threads: int, stages: Stages) -> None:
        check_parameters(self.get_params(deep=False))
        fitted = fit_parts(
            X,
            replace(options, cells=MIXED) if self.columns_as else options,
            self.start,
            stages,
            columns_as=self.columns_as or {},
            n_shards=self.n_shards,
            axis=self.shard_axis,
            transform=self.column_transform,
            threads=threads,
            compile_first=bool(self.verbose),
        )
        self.n_features_in_ = fitted.table.p
        self.feature_names_in_ = np.array(fitted.table.column_names, dtype=object)
        self._keep(fitted)
        self.seconds_ = stages.seconds

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.three_d_array = True
        return tags

    def _keep(self, fitted: Fitted) -> None:
        found = fitted.findings
        result, summary = found.result, found.summary
        self._fitted = fitted
        self.row_labels_, self.column_labels_ = result.row_labels, result.column_labels
        self.n_row_clusters_, self.n_column_clusters_ = result.n_row_clusters, result.n_column_clusters
        figures = [part.family.figures(blocks) for part, blocks in zip(found.meta.parts, result.parts, strict=True)]
        named = [{name: flat(values) for name, values in of_part.items()} for of_part in figures]
        self.block_figures_: Any = (
            named[0] if len(named) == 1 else dict(zip(fitted.table.part_names, named, strict=True))
        )
        if "mean" in self.block_figures_:
            self.block_means_, self.block_sds_ = self.block_figures_["mean"], self.block_figures_["sd"]
        self._drawn_trees = None
        self.log_joint_ = result.log_joint
        self.trace_ = result.trace.arrays()
        self.digest_ = result.digest()
        self.n_iter_ = len(result.trace)
        self.draws_ = found.draws
        self.normality_ = next((fit for fit in found.fits if isinstance(fit, Normality)), None)
        self.dispersion_ = next((fit for fit in found.fits if isinstance(fit, Dispersion)), None)
        self.row_confidence_ = self.column_confidence_ = self.row_runner_up_ = self.column_runner_up_ = None
        self.diagnosis_: Any = None
        if summary is not None:
            self.row_confidence_, self.column_confidence_ = summary.rows.confidence, summary.columns.confidence
            self.row_runner_up_, self.column_runner_up_ = summary.rows.runner_up, summary.columns.runner_up
            self.diagnosis_ = summary.diagnosis
        self.sampler_, self.cells_ = fitted.options.sampler, fitted.options.cells
        self.warnings_ = [say(note, parameter) for note in fitted.warnings]
        self.notes_ = [say(note, parameter) for note in fitted.notes]
