/** The short chains that each chain of a run starts from, as the server plans them. */

const POPULATION = 12;
const CROSSED_ITERATIONS = 20;
/** A short chain of restarts is this part of the chain. */
const PART = 10;

export interface ShortChains {
  number: number;
  iterations: number;
}

export function shortChains(start: string, restarts: number, crossings: number, iterations: number): ShortChains {
  if (start === "crossed") return { number: POPULATION + 2 * crossings, iterations: CROSSED_ITERATIONS };
  return { number: restarts > 1 ? restarts : 0, iterations: Math.max(Math.floor(iterations / PART), 1) };
}
