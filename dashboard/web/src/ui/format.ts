/** Numbers and times as people read them; what is missing or no number is a dash, never a blank page. */

export const NONE = "–";

const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

type Maybe = number | null | undefined;

const known = (value: Maybe): value is number => typeof value === "number" && Number.isFinite(value);

/** 178 -> "178", 1234567 -> "1,234,567". */
export function count(value: Maybe): string {
  return known(value) ? plain.format(value) : NONE;
}

/** A number with so many significant digits, in plain notation where that is short. */
export function number(value: Maybe, digits = 4): string {
  if (!known(value)) return NONE;
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e9 || size < 1e-4)) return value.toExponential(digits - 1).replaceAll("-", "−");
  const decimals = size >= 10 ** (digits - 1) || size === 0 ? 0 : digits - 1 - Math.floor(Math.log10(size));
  return new Intl.NumberFormat("en", { maximumFractionDigits: Math.min(decimals, 12) })
    .format(value)
    .replace("-", "−");
}

/** A number with so many digits behind the point. */
export function fixed(value: Maybe, decimals: number): string {
  if (!known(value)) return NONE;
  const text = new Intl.NumberFormat("en", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(value);
  // What is written as zero has no sign.
  return text.replace("-", /[1-9]/.test(text) ? "−" : "");
}

/** A log density: one decimal is enough to tell iterations apart. */
export const logJoint = (value: Maybe): string => fixed(value, 1);

/**
 * One format for numbers that stand below each other, so that their points align.
 *
 * All but the smallest quarter get two significant digits and the largest at least three, but never more than five.
 */
export function column(values: readonly number[]): (value: Maybe) => string {
  const sizes = values.filter((value) => Number.isFinite(value) && value !== 0).map(Math.abs);
  sizes.sort((a, b) => a - b);
  const magnitude = (size: number | undefined): number => (size === undefined ? 0 : Math.floor(Math.log10(size)));
  const largest = magnitude(sizes.at(-1));
  const small = magnitude(sizes[Math.floor(sizes.length / 4)]);
  if (largest < -4 || largest >= 9) {
    return (value) => (known(value) ? value.toExponential(2).replaceAll("-", "−") : NONE);
  }
  const decimals = Math.max(0, Math.min(Math.max(2 - largest, 1 - small), 4 - largest));
  return (value) => fixed(value, decimals);
}

/** Seconds as "0.4 s", "12 s", "3 min 5 s", "2 h 4 min", "3 d 2 h". */
export function duration(seconds: Maybe): string {
  if (!known(seconds)) return NONE;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const [days, hours, minutes] = [Math.floor(whole / 86400), Math.floor(whole / 3600), Math.floor(whole / 60)];
  if (minutes < 60) return pair(minutes, "min", whole % 60, "s");
  if (hours < 24) return pair(hours, "h", minutes % 60, "min");
  return pair(days, "d", hours % 24, "h");
}

const pair = (a: number, unit: string, b: number, small: string): string =>
  b === 0 ? `${a} ${unit}` : `${a} ${unit} ${b} ${small}`;

/** Bytes as "512 B", "1.5 kB", "20 MB". */
export function bytes(value: Maybe): string {
  if (!known(value)) return NONE;
  const units = ["B", "kB", "MB", "GB", "TB"];
  let size = value;
  let at = 0;
  while (size >= 999.5 && at < units.length - 1) {
    size /= 1000;
    at += 1;
  }
  return `${at > 0 && size < 9.95 ? size.toFixed(1) : Math.round(size)} ${units[at]}`;
}

/** A share of 0 to 1 as "0 %", "0.4 %", "37 %". */
export function percent(share: Maybe): string {
  if (!known(share)) return NONE;
  const hundredths = share * 100;
  return `${hundredths > 0 && hundredths < 9.95 ? Number(hundredths.toPrecision(2)) : Math.round(hundredths)} %`;
}

/** "1 row", "2 rows". */
export function plural(value: number, one: string, more = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : more}`;
}

/** "178 × 13", with the numbers of a cell behind if there are several; a dash before a table was read. */
export function shape(rows: Maybe, columns: Maybe, dimension?: Maybe): string {
  if (!known(rows) || !known(columns)) return NONE;
  return `${count(rows)} × ${count(columns)}${known(dimension) && dimension > 1 ? ` × ${dimension}` : ""}`;
}
