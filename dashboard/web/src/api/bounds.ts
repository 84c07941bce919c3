/** The least and the most that each numeric option may be. Written from the code by `make generated`. */

// As text: a seed may be larger than a number of JavaScript holds.
export const BOUNDS: Readonly<Record<string, readonly [least: string, most: string]>> = {
  iterations: ["1", "10000000"],
  burn_in: ["0", "9999999"],
  draws: ["0", "10000000"],
  chains: ["1", "1000"],
  restarts: ["1", "1000"],
  seed: ["0", "9223372036854775807"],
  alpha: ["1e-09", "1000000000.0"],
  beta: ["1e-09", "1000000000.0"],
  fix_row_clusters: ["1", "2147483647"],
  fix_column_clusters: ["1", "2147483647"],
  power: ["1e-06", "1.0"],
  kappa0: ["1e-09", "1000000000.0"],
  psi0_factor: ["1e-12", "1000000000000.0"],
  shards: ["1", "10000"],
  threads: ["1", "1024"],
};
