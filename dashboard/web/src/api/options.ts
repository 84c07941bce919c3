/** What a run can be asked for, and the files it can be made of. Written from the code by `make generated`. */
import type { Field } from "../pages/new/parameters";
import type { ReadBy } from "../pages/new/reading";

export const OPTIONS: readonly (Field & { group: string })[] = [
  {"name": "iterations", "label": "Iterations", "hint": "Length of a chain, burn-in included. A few hundred are enough for most tables.", "group": "", "kind": "whole", "default": "", "placeholder": "100, plus the burn-in", "bounds": ["1", "10000000"]},
  {"name": "burn_in", "label": "Burn-in", "hint": "Iterations before the first state is kept. Half of the iterations is a good choice. With 0 no state is kept, and the result does not say how sure it is.", "group": "", "kind": "whole", "default": "", "placeholder": "0; half with several chains", "bounds": ["0", "9999999"]},
  {"name": "seed", "label": "Seed", "hint": "The same data, seed, shards and options give the same result, bit for bit.", "group": "", "kind": "whole", "default": "0", "bounds": ["0", "9223372036854775807"]},
  {"name": "draws", "label": "Draws", "hint": "States to keep after the burn-in, or in the second half if there is none.", "group": "How sure it is", "kind": "whole", "default": "", "placeholder": "up to 200 with a burn-in", "bounds": ["0", "10000000"]},
  {"name": "chains", "label": "Chains", "hint": "Independent chains, whose draws are pooled if they agree.", "group": "How sure it is", "kind": "whole", "default": "1", "bounds": ["1", "1000"]},
  {"name": "restarts", "label": "Restarts", "hint": "Short chains to try before each chain, each a tenth as long. The chain starts where the best of them ended, by log joint. 1 tries none.", "group": "How sure it is", "kind": "whole", "default": "1", "bounds": ["1", "1000"]},
  {"name": "estimate", "label": "Estimate", "hint": "What is reported: the consensus of the draws, the draw of the highest density (map), or the last state. auto is the consensus if there are draws.", "group": "How sure it is", "kind": "choice", "default": "auto", "choices": [["auto", "auto"], ["consensus", "consensus"], ["map", "map"], ["last", "last"]]},
  {"name": "clusters", "label": "Clusters shown first", "hint": "How many clusters the result shows first: all that the fit found (fine), a number of row clusters such as 5, or of both axes, 5x4. auto shows all up to 24, and of more as many as the chains agree on or the tree suggests. The chains stay as they are.", "group": "Numbers of clusters", "kind": "text", "default": "auto", "form": ["(auto|fine|[1-9][0-9]{0,8})(x(auto|fine|[1-9][0-9]{0,8}))?", "auto, fine, a number from 1, or two of them with an x between, such as 5x4"]},
  {"name": "tree_loss", "label": "Loss of the tree", "hint": "What clusters of real numbers lose when they merge. shared: all blocks have one variance, so that a noisy row is no branch of its own. model: each block has its own, and the losses add up to the log joint.", "group": "Numbers of clusters", "kind": "choice", "default": "shared", "of": {"cells": "gaussian", "several": false, "samplers": []}, "choices": [["shared", "shared"], ["model", "model"]]},
  {"name": "loss", "label": "Loss", "hint": "What the consensus minimises over the draws: variation of information (vi), or Binder's loss.", "group": "How sure it is", "kind": "choice", "default": "", "placeholder": "vi", "choices": [["", "vi (default)"], ["vi", "vi"], ["binder", "binder"]]},
  {"name": "cells", "label": "Cells", "hint": "What the cells are: real numbers (gaussian), counts, 0 or 1 (binary), one of a few values (categorical), responses that depend on covariates, or of several kinds (mixed: `disnplbm fit` alone). auto looks at them, and says what it finds, never responses.", "group": "", "kind": "choice", "default": "auto", "choices": [["auto", "auto"], ["gaussian", "gaussian"], ["counts", "counts"], ["binary", "binary"], ["categorical", "categorical"], ["responses", "responses"]]},
  {"name": "exposure", "label": "Exposure", "hint": "What counts are compared with: what the totals of their row and their column let expect (margins), or nothing (none).", "group": "Prior and likelihood", "kind": "choice", "default": "margins", "of": {"cells": "counts", "several": false, "samplers": []}, "choices": [["margins", "margins"], ["none", "none"]]},
  {"name": "alpha", "label": "Alpha, of rows", "hint": "Concentration of rows: larger, more row clusters. learn leaves the choice to the sampler.", "group": "Numbers of clusters", "kind": "concentration", "default": "1", "bounds": ["1e-09", "1000000000.0"]},
  {"name": "beta", "label": "Beta, of columns", "hint": "Concentration of columns: larger, more column clusters. learn leaves the choice to the sampler.", "group": "Numbers of clusters", "kind": "concentration", "default": "1", "bounds": ["1e-09", "1000000000.0"]},
  {"name": "fix_row_clusters", "label": "Most row clusters", "hint": "Most row clusters there may be: the parametric model, under a symmetric Dirichlet.", "group": "Numbers of clusters", "kind": "whole", "default": "", "placeholder": "no limit", "bounds": ["1", "2147483647"]},
  {"name": "fix_column_clusters", "label": "Most column clusters", "hint": "Most column clusters there may be.", "group": "Numbers of clusters", "kind": "whole", "default": "", "placeholder": "no limit", "bounds": ["1", "2147483647"]},
  {"name": "sampler", "label": "Sampler", "hint": "split-merge is exact for any number of shards, after the burn-in; collapsed is exact with one. auto is collapsed for real numbers, one a cell, and else split-merge.", "group": "Sampler and shards", "kind": "choice", "default": "auto", "choices": [["auto", "auto"], ["collapsed", "collapsed"], ["split-merge", "split-merge"]]},
  {"name": "start", "label": "Start", "hint": "Where each chain starts: at random clusters, at one cluster, with each row and column on its own, or crossed. A crossed start tries 12 short chains from random clusters, then 40 from the rows of one with the columns of another. The chain starts where the best of them ended. That finds better clusters of real tables, and takes 1,040 iterations more.", "group": "Sampler and shards", "kind": "choice", "default": "random", "choices": [["random", "random"], ["one", "one"], ["singletons", "singletons"], ["crossed", "crossed"]]},
  {"name": "crossings", "label": "Crossings", "hint": "Rounds of a crossed start. Each has two short chains of 20 iterations.", "group": "Sampler and shards", "kind": "whole", "default": "20", "bounds": ["1", "1000"]},
  {"name": "anneal", "label": "Annealed iterations", "hint": "Iterations at the start in which the power of the likelihood rises from half to full: for clusters that overlap. They belong to the burn-in. 0 is none.", "group": "Sampler and shards", "kind": "whole", "default": "0", "bounds": ["0", "10000000"]},
  {"name": "view", "label": "View of a shard", "hint": "What a shard sees of the other rows.", "group": "Sampler and shards", "kind": "choice", "default": "global", "of": {"cells": null, "several": false, "samplers": ["collapsed"]}, "choices": [["global", "global"], ["local", "local"]]},
  {"name": "join", "label": "Join of shards", "hint": "How clusters that shards found are joined into clusters of all rows. averaged is the published way.", "group": "Sampler and shards", "kind": "choice", "default": "blockwise", "of": {"cells": null, "several": false, "samplers": ["collapsed"]}, "choices": [["blockwise", "blockwise"], ["averaged", "averaged"]]},
  {"name": "pair_moves", "label": "Pair moves", "hint": "Merge and split whole clusters.", "group": "Sampler and shards", "kind": "switch", "default": "true"},
  {"name": "covariance", "label": "Covariance", "hint": "How the numbers of a cell vary within a block, where a cell is several numbers. diagonal takes them as independent, up to 1,024 of them; full takes up to 64.", "group": "Prior and likelihood", "kind": "choice", "default": "full", "of": {"cells": "gaussian", "several": true, "samplers": []}, "choices": [["full", "full"], ["diagonal", "diagonal"]]},
  {"name": "prior_scale", "label": "Prior scale", "hint": "precision is what the published code uses; it depends on the units of the data.", "group": "Prior and likelihood", "kind": "choice", "default": "covariance", "of": {"cells": "gaussian", "several": false, "samplers": []}, "choices": [["covariance", "covariance"], ["precision", "precision"]]},
  {"name": "kappa0", "label": "Kappa 0", "hint": "Weight of the prior mean of a block, in cells: the larger, the closer the means of blocks are to it.", "group": "Prior and likelihood", "kind": "number", "default": "1", "bounds": ["1e-09", "1000000000.0"], "of": {"cells": "gaussian", "several": false, "samplers": []}},
  {"name": "psi0_factor", "label": "Psi 0 factor", "hint": "Multiplies the prior spread of a block: larger, fewer blocks.", "group": "Prior and likelihood", "kind": "number", "default": "1", "bounds": ["1e-12", "1000000000000.0"], "of": {"cells": "gaussian", "several": false, "samplers": []}},
  {"name": "power", "label": "Power", "hint": "Power of the likelihood, for data that the model does not fit: smaller, fewer clusters.", "group": "Prior and likelihood", "kind": "number", "default": "1", "bounds": ["1e-06", "1.0"]},
];

export const SHARDS: Field["bounds"] = ["1", "10000"];

export const TRANSFORMS: readonly string[] = ["none", "log", "log1p", "boxcox", "center", "standardize", "standardize-rows"];

export const ENDINGS = ".csv, .tsv, .txt (also .gz), .npy, .npz, .parquet, .h5ad, .mtx (also .gz)";

/** By the ending of a file's name: what a file of that kind is read by. */
export const FORMATS: readonly { ending: string; by: ReadBy }[] = [
  {"ending": ".csv", "by": "text"},
  {"ending": ".csv.gz", "by": "text"},
  {"ending": ".tsv", "by": "text"},
  {"ending": ".tsv.gz", "by": "text"},
  {"ending": ".txt", "by": "text"},
  {"ending": ".txt.gz", "by": "text"},
  {"ending": ".npy", "by": "numbers"},
  {"ending": ".npz", "by": "numbers"},
  {"ending": ".parquet", "by": "columns"},
  {"ending": ".h5ad", "by": "layers"},
  {"ending": ".mtx", "by": "numbers"},
  {"ending": ".mtx.gz", "by": "numbers"},
];
