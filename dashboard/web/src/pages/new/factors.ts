/** Factors of rows and columns that counts are compared with: read from files, and sent with the run. */
import { type Problem, post } from "../../api/client";
import type { components } from "../../api/schema";
import { asProblem } from "../../api/use";
import { plural } from "../../ui/format";
import { base64 } from "./base64";
import type { Values } from "./parameters";

/** As a run takes them: with names, or in the order of the table. */
type Factors = number[] | { ids: string[]; labels: number[] };

export type Axis = "row" | "column";

/** A file that was chosen, and what the server reads in it. */
export interface FactorFile {
  name: string;
  factors?: Factors;
  problem?: Problem;
}

export type FactorFiles = Partial<Record<Axis, FactorFile>>;

/** The most bytes that the server takes: base64 makes four letters of three. */
export const MOST_BYTES = 12 * 2 ** 20;

/** Have the server read a file of factors. */
export async function readFactors(file: File): Promise<FactorFile> {
  const { name } = file;
  try {
    if (file.size > MOST_BYTES) {
      throw new Error(`${name} has more than 12 MB: leave out what is no name and no factor, or submit the run with \`disnplbm submit\``);
    }
    const body = { name, content: await base64(file) };
    return { name, factors: plain(await post("/previews/factors", { body })) };
  } catch (error) {
    return { name, problem: asProblem(error) };
  }
}

/** Without names they are a list. */
export const plain = ({ ids, labels }: components["schemas"]["FactorsAnswer"]): Factors =>
  ids === null ? labels : { ids, labels };

/** What goes with the run; nothing where counts are compared with something else. */
export function factorsOf(values: Values, files: FactorFiles): { row_factors?: Factors; column_factors?: Factors } {
  if (values.exposure !== "given") return {};
  const [rows, columns] = [files.row?.factors, files.column?.factors];
  return { ...(rows && { row_factors: rows }), ...(columns && { column_factors: columns }) };
}

/** What is in a file, for people. */
export function inWords({ factors }: FactorFile, axis: Axis): string {
  if (factors === undefined) return "";
  const [number, how] = Array.isArray(factors)
    ? [factors.length, `taken in the order of the ${axis}s`]
    : [factors.labels.length, `matched by the names of the ${axis}s`];
  return `${plural(number, "factor")}, ${how}.`;
}
