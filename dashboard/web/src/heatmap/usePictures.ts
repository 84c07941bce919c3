/** Pictures of a matrix, asked for as the reader moves about. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { compared, multiplesOf, scaleOfMultiples } from "./multiples";
import type { Order, Picture } from "./picture";
import { type Spread, fitted, quantiles, spreadAs } from "./scale";
import { type Size, type View, covered, isWhole, length } from "./viewport";

/** A part of a matrix, and the pixels to show it on. */
export interface Query {
  readonly order: Order;
  readonly component: number;
  readonly height: number;
  readonly width: number;
  readonly row_from?: number;
  readonly row_to?: number;
  readonly column_from?: number;
  readonly column_to?: number;
}

/** Where pictures come from. */
export interface Source {
  /** Tells sources apart. */
  readonly key: string;
  /** A picture of what was asked for, or of the whole matrix. */
  readonly picture: (query: Query, signal: AbortSignal) => Promise<Picture>;
}

/** Milliseconds that the reader rests before a picture is asked for. */
const REST = 90;

/** The server makes no larger pictures. */
const MOST = 2000;

const KEPT = 40;

/** Steps of a colour scale. */
const STEPS = 100;

interface Asked {
  readonly source: Source;
  readonly order: Order;
  readonly component: number;
  /** How colours are spread; null: as they are best. */
  readonly spread: Spread | null;
  /** Whether counts are shown beside what is expected. */
  readonly compare: boolean;
  /** Undefined as long as the shape is not known: the whole. */
  readonly view: View | undefined;
  readonly size: Size;
}

export interface Pictures {
  /** The whole matrix, once it was there. */
  readonly overview: Picture | undefined;
  /** The last one of this order and component, though perhaps not of the view. */
  readonly picture: Picture | undefined;
  readonly loading: boolean;
  /** Why there is none; undefined if there is one. */
  readonly problem: string | undefined;
  readonly retry: () => void;
}

/** Pixels of a picture, about: more take long to send. */
const ENOUGH = 900_000;

/** Pixels to ask for on each of the page's, so that one is one of the screen if these are not too many. */
const densityOf = (size: Size): number =>
  Math.min(window.devicePixelRatio || 1, Math.sqrt(ENOUGH / Math.max(1, size.width * size.height)));

function pixels(shown: number, asked: number, size: number, density: number): number {
  return Math.max(1, Math.min(MOST, Math.round((size * density * asked) / shown)));
}

export function usePictures({ source, order, component, spread, compare, view, size }: Asked): Pictures {
  const kept = useRef(new Map<string, Picture>());
  const [shown, setShown] = useState<{ of: string; picture: Picture }>();
  const [overviews, setOverviews] = useState<Record<string, Picture>>({});
  const [loading, setLoading] = useState(true);
  const [problem, setProblem] = useState<string>();
  const [turn, setTurn] = useState(0);

  const of = `${source.key} ${order} ${component}`;
  const overview = overviews[of];
  // The shape is the table's, whatever the order.
  const shape = Object.values(overviews)[0]?.answer.shape;
  const table = shape && { rows: shape[0]!, columns: shape[1]! };
  const part = view && table && !isWhole(view, table) && overview ? covered(view, table) : undefined;
  const density = densityOf(size);
  const query: Query = {
    order,
    component,
    ...(part
      ? { row_from: part.rows.from, row_to: part.rows.to, column_from: part.columns.from, column_to: part.columns.to }
      : {}),
    height: pixels(part ? length(view!.rows) : 1, part ? length(part.rows) : 1, size.height, density),
    width: pixels(part ? length(view!.columns) : 1, part ? length(part.columns) : 1, size.width, density),
  };
  const key = JSON.stringify([source.key, query]);

  useEffect(() => {
    if (size.width < 10 || size.height < 10) return;
    const had = kept.current.get(key);
    if (had) {
      setShown({ of, picture: had });
      setLoading(false);
      setProblem(undefined);
      return;
    }
    const control = new AbortController();
    setLoading(true);
    const timer = window.setTimeout(
      () => {
        source
          .picture(query, control.signal)
          .then((found) => {
            if (control.signal.aborted) return;
            // The scale that comes is of a cell's first number; the scale of another is read off its overview.
            const scale = component === 0 ? found.scale : (overview?.scale ?? fitted(quantiles(found.mean, STEPS)));
            const picture = scale === found.scale ? found : { ...found, scale };
            const [rows, columns] = found.answer.shape as [number, number];
            if (kept.current.size >= KEPT) kept.current.delete(kept.current.keys().next().value!);
            kept.current.set(key, picture);
            if (isWhole(picture.view, { rows, columns })) {
              setOverviews((now) => ({ ...now, [of]: picture }));
            }
            setShown({ of, picture });
            setLoading(false);
            setProblem(undefined);
          })
          .catch((error: unknown) => {
            if (control.signal.aborted) return;
            setProblem(error instanceof Error ? error.message : String(error));
            setLoading(false);
          });
      },
      overview ? REST : 0,
    );
    return () => {
      window.clearTimeout(timer);
      control.abort();
    };
  }, [key, turn, size.width < 10 || size.height < 10]);

  const picture = shown?.of === of ? shown.picture : undefined;
  const multiples = useMemo(() => {
    const found = compare && overview ? multiplesOf(overview) : undefined;
    return found && scaleOfMultiples(found);
  }, [overview, compare]);
  const coloured = (each: Picture): Picture => (multiples ? compared(each, multiples) : withSpread(each, spread));
  const spreadOver = useMemo(() => overview && coloured(overview), [overview, multiples, spread]);
  const spreadOut = useMemo(
    () => (picture === overview ? spreadOver : picture && coloured(picture)),
    [picture, overview, spreadOver, multiples, spread],
  );
  return {
    overview: spreadOver,
    picture: spreadOut,
    loading,
    problem,
    retry: () => setTurn((now) => now + 1),
  };
}

const withSpread = (picture: Picture, spread: Spread | null): Picture => {
  const scale = spreadAs(picture.scale, spread);
  return scale === picture.scale ? picture : { ...picture, scale };
};
