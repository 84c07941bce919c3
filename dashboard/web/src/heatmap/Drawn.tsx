/** The drawing of a matrix, with what is said of the place that the reader points at. */

import { useId } from "preact/hooks";
import { Button } from "../ui/Button";
import type { Picture } from "./picture";
import { readOut, summarised } from "./readOut";
import type { Heatmap } from "./useHeatmap";
import { STEP } from "./useKeyboard";

interface Props {
  readonly map: Heatmap;
  /** What it is a picture of. */
  readonly label: string;
  /** The element that says how to move about. */
  readonly help: string;
  /** What is known of a place, line by line; the value comes last. */
  readonly told?: (overview: Picture | undefined, picture: Picture, row: number, column: number) => string[];
}

export function Drawn({ map, label, help, told = readOut }: Props) {
  const { picture, overview, problem, mark, hover } = map;
  const status = useId();
  const lines = mark && picture ? told(overview, picture, mark.row, mark.column) : [];
  const summary = map.view && map.shape && picture ? summarised(map.view, map.shape, picture) : "Being read.";
  return (
    <>
      <div ref={map.box} class="heatmap-box" data-state={problem ? "failed" : map.loading ? "loading" : "ready"}>
        <canvas
          ref={map.canvas}
          // 0 until it is measured.
          style={{ height: `${map.outer.height}px` }}
          class={map.dragging ? "dragging" : ""}
          data-whole={map.isWhole ? "" : undefined}
          role="img"
          tabIndex={0}
          aria-label={`${label}. ${summary}`}
          aria-describedby={help}
          onKeyDown={map.onKeyDown}
          onFocus={map.onFocus}
          onBlur={map.onBlur}
        />
        {!picture && !problem && <p class="heatmap-note">Reading the matrix…</p>}
        {problem && (
          <p class="heatmap-note" role="alert">
            The heatmap could not be loaded: {problem}{" "}
            <Button kind="quiet" onClick={map.retry}>
              Try again
            </Button>
          </p>
        )}
        {hover && lines.length > 0 && <Tip at={hover} within={map.outer} lines={lines} />}
      </div>
      <p class="heatmap-status" id={status} aria-live="polite">
        {map.focused && lines.length > 0 ? `At the mark: ${lines.join("; ")}` : summary}
      </p>
    </>
  );
}

/** Buttons that zoom, for who has no wheel. */
export function Zoom({ map, of = "" }: { readonly map: Heatmap; readonly of?: string }) {
  const dead = !map.shape;
  const which = of && ` ${of}`;
  return (
    <div class="heatmap-zoom">
      <Button
        kind="quiet"
        onClick={() => map.zoom(STEP * STEP)}
        disabled={dead}
        aria-label={`Zoom in${which}`}
        title="Zoom in (+)"
      >
        +
      </Button>
      <Button
        kind="quiet"
        onClick={() => map.zoom(1 / STEP / STEP)}
        disabled={dead || map.isWhole}
        aria-label={`Zoom out${which}`}
        title="Zoom out (-)"
      >
        −
      </Button>
      <Button
        kind="quiet"
        onClick={map.showWhole}
        disabled={dead || map.isWhole}
        aria-label={of ? `Whole${which}` : undefined}
        title="Show the whole matrix (0)"
      >
        Whole
      </Button>
    </div>
  );
}

function Tip({
  at,
  within,
  lines,
}: {
  at: { x: number; y: number };
  within: { width: number; height: number };
  lines: string[];
}) {
  const right = at.x > within.width / 2;
  const low = at.y > within.height / 2;
  return (
    <div
      class="heatmap-tip"
      style={{
        left: right ? undefined : `${at.x + 14}px`,
        right: right ? `${within.width - at.x + 14}px` : undefined,
        top: low ? undefined : `${at.y + 14}px`,
        bottom: low ? `${within.height - at.y + 14}px` : undefined,
      }}
    >
      {lines.map((line, i) => (
        <div key={i}>{line}</div>
      ))}
    </div>
  );
}
