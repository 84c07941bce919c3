/** What a run is called, so that it can be seen and pressed. */

/** A character that is neither blank nor without a width. */
const SEEN = /[^\p{Z}\p{C}\p{M}\u115f\u1160\u2800\u3164\uffa0]/u;

/** Characters of a text where there is little room. */
const MOST = 40;

/** The name of a run; its id where nothing of the name can be seen. */
export const titleOf = (run: { id: string; name: string }): string => (SEEN.test(run.name) ? run.name : `Run ${run.id}`);

/** The beginning of a text, for where there is little room. */
export const shortened = (text: string): string =>
  text.length <= MOST ? text : `${[...text].slice(0, MOST - 1).join("")}…`;
