/** Pictures of a matrix, asked of the server as the reader moves about. */

import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api/client";
import { asProblem } from "../api/use";
import type { Problem } from "../api/client";
import { type Picture, decoded } from "./picture";
import { quantiles } from "./scale";
import { type Size, type View, covered, isWhole, length } from "./viewport";

export type Order = "reordered" | "original";

/** Milliseconds that the reader rests before a picture is asked for. */
const REST = 90;

/** The server makes no larger pictures. */
const MOST = 2000;

const KEPT = 40;

/** Steps of a colour scale. */
const STEPS = 16;

interface Asked {
  readonly run: string;
  readonly order: Order;
  readonly component: number;
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
  readonly problem: Problem | undefined;
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

export function usePictures({ run, order, component, view, size }: Asked): Pictures {
  const kept = useRef(new Map<string, Picture>());
  const [shown, setShown] = useState<{ of: string; picture: Picture }>();
  const [overviews, setOverviews] = useState<Record<string, Picture>>({});
  const [loading, setLoading] = useState(true);
  const [problem, setProblem] = useState<Problem>();
  const [turn, setTurn] = useState(0);

  const of = `${order} ${component}`;
  const overview = overviews[of];
  // The shape is that of the table, whatever the order.
  const shape = Object.values(overviews)[0]?.answer.shape;
  const table = shape && { rows: shape[0], columns: shape[1] };
  const part = view && table && !isWhole(view, table) && overview ? covered(view, table) : undefined;
  const density = densityOf(size);
  const query = {
    order,
    component,
    ...(part
      ? { row_from: part.rows.from, row_to: part.rows.to, column_from: part.columns.from, column_to: part.columns.to }
      : {}),
    height: pixels(part ? length(view!.rows) : 1, part ? length(part.rows) : 1, size.height, density),
    width: pixels(part ? length(view!.columns) : 1, part ? length(part.columns) : 1, size.width, density),
  };
  const key = JSON.stringify(query);

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
        get("/runs/{run_id}/heatmap", { path: { run_id: run }, query, signal: control.signal })
          .then((answer) => {
            if (control.signal.aborted) return;
            const found = decoded(answer);
            // The server knows the quantiles of a cell's first number; those of another are read off its overview.
            const scale = component === 0 ? answer.scale : (overview?.answer.scale ?? quantiles(found.mean, STEPS));
            const picture = { ...found, answer: { ...answer, scale } };
            if (kept.current.size >= KEPT) kept.current.delete(kept.current.keys().next().value!);
            kept.current.set(key, picture);
            if (isWhole(picture.view, { rows: answer.shape[0], columns: answer.shape[1] })) {
              setOverviews((now) => ({ ...now, [of]: picture }));
            }
            setShown({ of, picture });
            setLoading(false);
            setProblem(undefined);
          })
          .catch((error: unknown) => {
            if (control.signal.aborted) return;
            setProblem(asProblem(error));
            setLoading(false);
          });
      },
      overview ? REST : 0,
    );
    return () => {
      window.clearTimeout(timer);
      control.abort();
    };
  }, [run, key, turn, size.width < 10 || size.height < 10]);

  return {
    overview,
    picture: shown?.of === of ? shown.picture : undefined,
    loading,
    problem,
    retry: () => setTurn((now) => now + 1),
  };
}
