/** How a file is read, and the first lines of a text file: which of its columns are no numbers. */
import type { components } from "../../api/schema";

/** What the server takes, with nothing left out. */
export type Reading = Required<components["schemas"]["Reading"]>;

/** Bytes of a file that are looked at, and how many more where its first lines are longer than that. */
const HEAD_BYTES = 2 ** 18;
const MOST_HEAD_BYTES = 2 ** 26;

/** Lines that are looked at, and cells of them in a wide table; at least a few lines. */
const ROWS = 50;
const CELLS = 200_000;
const FEWEST_ROWS = 5;

/** Lines that must be whole. */
const WHOLE_LINES = FEWEST_ROWS + 1;

export interface Head {
  names: string[];
  rows: string[][];
  /** Columns that hold text. */
  text: string[];
}

export const AS_IT_IS: Reading = {
  id_column: null,
  class_column: null,
  header: "auto",
  delimiter: "auto",
  decimal: "auto",
  thousands: "none",
  missing: [],
  drop_columns: [],
  transpose: false,
  layout: "auto",
};

/** As the id_column: no column holds names. */
export const NO_COLUMN = "none";

const SIGNS: Record<string, string> = { comma: ",", semicolon: ";", tab: "\t", space: " ", pipe: "|" };

/** How a file's name says it is to be read: by lines of text, by named columns, or as numbers only. */
export function kindOf(name: string): "text" | "columns" | "numbers" {
  if (/\.(csv|tsv|txt)(\.gz)?$/i.test(name)) return "text";
  return /\.(parquet|h5ad)$/i.test(name) ? "columns" : "numbers";
}

/** The beginning of a text file; null if it cannot be read here, which the server may well. */
export async function headOf(file: File, reading: Reading): Promise<Head | null> {
  try {
    const { text, whole } = await beginning(file);
    return tableOf(text, reading, /\.csv(\.gz)?$/i.test(file.name) ? "," : "\t", whole);
  } catch {
    return null;
  }
}

/** A text that holds the first lines as wholes, or the whole file. */
async function beginning(file: File): Promise<{ text: string; whole: boolean }> {
  const enough = (text: string, bytes: number): boolean =>
    (bytes >= HEAD_BYTES && linesIn(text) >= WHOLE_LINES) || bytes >= MOST_HEAD_BYTES;
  if (!/\.gz$/i.test(file.name)) {
    for (let bytes = HEAD_BYTES; ; bytes *= 4) {
      const text = await file.slice(0, bytes).text();
      if (bytes >= file.size) return { text, whole: true };
      if (enough(text, bytes)) return { text, whole: false };
    }
  }
  const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!enough(text, text.length)) {
    const { done, value } = await reader.read();
    if (done) return { text, whole: true };
    text += decoder.decode(value, { stream: true });
  }
  void reader.cancel();
  return { text, whole: false };
}

function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0 && lines < WHOLE_LINES; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/**
 * Names, first rows and text columns of a delimited text.
 *
 * @param usual The delimiter that the ending of the file's name stands for.
 * @param whole Whether the text ends where the file does; else its last line may be cut.
 */
export function tableOf(text: string, reading: Reading, usual: string, whole = true): Head | null {
  const plain = text.replace(/^\uFEFF/, "");
  const asked = SIGNS[reading.delimiter] ?? reading.delimiter;
  const delimiter = asked === "auto" ? delimiterOf(plain, usual) : asked;
  const records = recordsOf(plain, delimiter, whole);
  const [first, second] = records;
  if (first === undefined) return null;
  const numerals = numeralsOf(reading, delimiter);
  const named = reading.header === "auto" ? isHeader(first, second, numerals) : reading.header;
  const names = named ? first.map((cell) => cell.trim()) : first.map((_, j) => String(j));
  const rows = records.slice(named ? 1 : 0);
  const odd = (cell: string): boolean => !numerals.isNumber(cell) && !numerals.isMissing(cell) && !MARK.test(cell);
  return { names, rows, text: names.filter((_, j) => rows.some((row) => odd(row[j] ?? ""))) };
}

/** The sign that cuts the first lines into equally many cells; the usual one if it does. */
function delimiterOf(text: string, usual: string): string {
  const widths = (sign: string): number => {
    const rows = recordsOf(text, sign, false, WHOLE_LINES);
    const width = rows.at(-1)?.length ?? 1;
    // R leaves out the name of the first column.
    const even = rows.every((row, i) => row.length === width || (i === 0 && row.length === width - 1));
    return even ? width : 1;
  };
  return [usual, ";", "\t", ",", "|"].find((sign) => widths(sign) > 1) ?? usual;
}

/**
 * What the text columns are likely to be: names of rows where no two are the same, known classes else.
 *
 * A column with numbers, too, is more likely one of the table with a cell that is at fault: it is not left out unasked.
 */
export function guess(head: Head | null): Pick<Reading, "id_column" | "class_column"> {
  const found: Pick<Reading, "id_column" | "class_column"> = { id_column: null, class_column: null };
  for (const name of head?.text ?? []) {
    // The server takes a first column without a name for the names of the rows.
    if (name === "") continue;
    const at = head!.names.indexOf(name);
    const cells = head!.rows.map((row) => row[at] ?? "");
    if (cells.some(PLAIN.isNumber)) continue;
    const distinct = new Set(cells).size === cells.length && cells.length > 1;
    if (distinct && found.id_column === null && head!.names[0] !== "") found.id_column = name;
    else if (found.class_column === null && !distinct) found.class_column = name;
  }
  return found;
}

/** A cell that is no number, of a column that holds numbers, too; undefined if it holds none. */
export function strayOf(head: Head, name: string): string | undefined {
  const at = head.names.indexOf(name);
  const cells = head.rows.map((row) => row[at] ?? "");
  return cells.some(PLAIN.isNumber) ? cells.find((cell) => !PLAIN.isNumber(cell) && !PLAIN.isMissing(cell)) : undefined;
}

function recordsOf(text: string, delimiter: string, whole: boolean, most = ROWS + 1): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let cell = "";
  let quoted = false;
  let cells = 0;
  const enough = (): boolean => records.length >= most || (cells >= CELLS && records.length > FEWEST_ROWS);
  for (let i = 0; i < text.length && !enough(); i++) {
    const sign = text[i]!;
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = false;
    } else if (sign === '"' && cell === "") quoted = true;
    else if (sign === delimiter) {
      record.push(cell);
      cell = "";
    } else if (sign === "\n") {
      record.push(cell.replace(/\r$/, ""));
      cells += record.length;
      if (record.length > 1 || record[0] !== "") records.push(record);
      record = [];
      cell = "";
    } else cell += sign;
  }
  // The last line of a file may have no end; that of a part of a file is cut.
  if (whole && !enough() && (cell !== "" || record.length > 0)) records.push([...record, cell]);
  return records;
}

interface Numerals {
  isNumber: (cell: string) => boolean;
  isMissing: (cell: string) => boolean;
}

const MISSING = /^\s*(na|nan|n\/a|null|none)?\s*$/i;
/** The server reads a column of these as numbers. */
const MARK = /^\s*(true|false|[+-]?[\d.,]+\s*%)\s*$/i;
const POINT = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/;
const COMMA = /^\s*[+-]?(\d+,?\d*|,\d+)([eE][+-]?\d+)?\s*$/;

const PLAIN: Numerals = {
  isNumber: (cell) => POINT.test(cell),
  isMissing: (cell) => MISSING.test(cell),
};

/** How numbers are written, as far as it matters here: the server judges. */
function numeralsOf(reading: Reading, delimiter: string): Numerals {
  const patterns = reading.decimal === "." ? [POINT] : reading.decimal === "," ? [COMMA] : delimiter === "," ? [POINT] : [POINT, COMMA];
  const marks = new Set(reading.missing.map((mark) => mark.trim()));
  const bare = (cell: string): string => (reading.thousands === "none" ? cell : cell.split(reading.thousands).join(""));
  return {
    isNumber: (cell) => patterns.some((pattern) => pattern.test(bare(cell))),
    isMissing: (cell) => PLAIN.isMissing(cell) || marks.has(cell.trim()),
  };
}

function isHeader(first: string[], second: string[] | undefined, { isNumber, isMissing }: Numerals): boolean {
  const filled = first.filter((cell) => !isMissing(cell));
  if (filled.length > 0 && !filled.some((cell) => isNumber(cell) || MARK.test(cell))) return true;
  const numeric = first.filter((_, j) => isNumber(second?.[j] ?? ""));
  return numeric.filter((cell) => !isNumber(cell) && !isMissing(cell)).length > numeric.length / 2;
}

const WORDS: Record<string, string> = { ",": "commas", ";": "semicolons", "\t": "tabs", " ": "blanks", "|": "pipes" };

/** What a reading says besides the defaults, one line each. */
export function linesOf(reading: Reading): string[] {
  const lines: [boolean, string][] = [
    [reading.id_column === NO_COLUMN, "No column names the rows"],
    [reading.id_column !== null && reading.id_column !== NO_COLUMN, `Row names: ${reading.id_column}`],
    [reading.class_column !== null, `Known classes: ${reading.class_column}`],
    [reading.drop_columns.length > 0, `Left out: ${reading.drop_columns.join(", ")}`],
    [reading.header !== "auto", reading.header ? "The first line names the columns" : "The first line is a row of data"],
    [reading.delimiter !== "auto", `Cells are separated by ${WORDS[SIGNS[reading.delimiter] ?? reading.delimiter] ?? `“${reading.delimiter}”`}`],
    [reading.decimal !== "auto", reading.decimal === "," ? "Numbers have a decimal comma" : "Numbers have a decimal point"],
    [reading.thousands !== "none", `Thousands are grouped by “${reading.thousands}”`],
    [reading.missing.length > 0, `Missing, too: ${reading.missing.map((mark) => `“${mark}”`).join(", ")}`],
    [reading.transpose, "Rows and columns are swapped"],
    [reading.layout === "long", "Each line is a row name, a column name and a value"],
    [reading.layout === "table", "It is an ordinary table"],
  ];
  return lines.filter(([said]) => said).map(([, line]) => line);
}
