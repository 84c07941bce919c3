/** The first lines of a text file, and which of its columns are no numbers. */

/** Bytes that are looked at. */
const HEAD_BYTES = 2 ** 18;

const ROWS = 50;

export interface Reading {
  id_column: string | null;
  class_column: string | null;
  header: "auto" | boolean;
}

export interface Head {
  names: string[];
  rows: string[][];
  /** Columns that hold text. */
  text: string[];
}

export const AS_IT_IS: Reading = { id_column: null, class_column: null, header: "auto" };

/** How a file's name says it is to be read: by lines of text, by named columns, or as numbers only. */
export function kindOf(name: string): "text" | "columns" | "numbers" {
  if (/\.(csv|tsv|txt)(\.gz)?$/i.test(name)) return "text";
  return /\.(parquet|h5ad)$/i.test(name) ? "columns" : "numbers";
}

/** The beginning of a text file; null if it cannot be read here, which the server may well. */
export async function headOf(file: File, header: Reading["header"]): Promise<Head | null> {
  try {
    const delimiter = /\.csv(\.gz)?$/i.test(file.name) ? "," : "\t";
    return tableOf(await beginning(file), delimiter, header);
  } catch {
    return null;
  }
}

async function beginning(file: File): Promise<string> {
  if (!/\.gz$/i.test(file.name)) return file.slice(0, HEAD_BYTES).text();
  const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (text.length < HEAD_BYTES) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
  void reader.cancel();
  return text.slice(0, HEAD_BYTES);
}

/** Names, first rows and text columns of a delimited text, which may end within a line. */
export function tableOf(text: string, delimiter: string, header: Reading["header"]): Head | null {
  const records = recordsOf(text.replace(/^\uFEFF/, ""), delimiter);
  const [first, second] = records;
  if (first === undefined) return null;
  const named = header === "auto" ? isHeader(first, second) : header;
  const names = named ? first.map((cell) => cell.trim()) : first.map((_, j) => String(j));
  const rows = records.slice(named ? 1 : 0, ROWS);
  const text_ = names.filter((_, j) => rows.some((row) => !isNumber(row[j] ?? "") && !isMissing(row[j] ?? "")));
  return { names, rows, text: text_ };
}

/**
 * What the text columns are likely to be: names of rows where no two are the same, known classes else.
 *
 * A column with numbers, too, is more likely one of the table with a cell that is at fault: it is not left out unasked.
 */
export function guess(head: Head | null): Reading {
  const found = { ...AS_IT_IS };
  for (const name of head?.text ?? []) {
    // The server takes a first column without a name for the names of the rows.
    if (name === "") continue;
    const at = head!.names.indexOf(name);
    const cells = head!.rows.map((row) => row[at] ?? "");
    if (cells.some(isNumber)) continue;
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
  return cells.some(isNumber) ? cells.find((cell) => !isNumber(cell) && !isMissing(cell)) : undefined;
}

function recordsOf(text: string, delimiter: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let cell = "";
  let quoted = false;
  for (let i = 0; i < text.length && records.length <= ROWS; i++) {
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
      if (record.length > 1 || record[0] !== "") records.push(record);
      record = [];
      cell = "";
    } else cell += sign;
  }
  // The last line of a short file has no end; that of a part of a file is cut.
  if (text.length < HEAD_BYTES && records.length <= ROWS && (cell !== "" || record.length > 0)) {
    records.push([...record, cell]);
  }
  return records;
}

const isMissing = (cell: string): boolean => /^\s*(na|nan|n\/a|null|none)?\s*$/i.test(cell);
const isNumber = (cell: string): boolean => /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/.test(cell);

function isHeader(first: string[], second: string[] | undefined): boolean {
  const filled = first.filter((cell) => !isMissing(cell));
  if (filled.length > 0 && !filled.some(isNumber)) return true;
  const numeric = first.filter((_, j) => isNumber(second?.[j] ?? ""));
  return numeric.filter((cell) => !isNumber(cell) && !isMissing(cell)).length > numeric.length / 2;
}
