/** The iterations of a stream as a strip: what each shard of each took, and one of them to choose. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { IterationTimeline } from "../../api/types";
import { taken } from "../../charts/ticks";
import { format, useDark } from "../../ui";
import { LEFT, drawStrip, layoutOf } from "./drawStrip";
import { stragglers } from "./timeline";

/** A cell for each shard of each iteration, the darker the longer it took. */
export function Strip({
  items,
  chosen,
  onChoose,
}: {
  items: readonly IterationTimeline[];
  chosen: IterationTimeline;
  onChoose: (iteration: number) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const dark = useDark();
  const [width, setWidth] = useState(0);
  const layout = layoutOf(items, width);
  const { shards, column, height, longest } = layout;

  useEffect(() => {
    const observer = new ResizeObserver(() => setWidth(canvas.current!.clientWidth));
    observer.observe(canvas.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (width < LEFT + 10) return;
    drawStrip(canvas.current!, width, items, layout, items.indexOf(chosen), dark ? "dark" : "light");
  }, [items, chosen, width, height, dark]);

  const at = (event: MouseEvent): void => {
    const x = event.clientX - canvas.current!.getBoundingClientRect().left - LEFT;
    const item = items[Math.floor(x / column)];
    if (item) onChoose(item.iteration);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const next = step !== undefined && items[items.indexOf(chosen) + step];
    if (!next) return;
    event.preventDefault();
    onChoose(next.iteration);
  };
  const slow = items.reduce((sum, item) => sum + stragglers(item.shards).size, 0);
  const again = items.reduce((sum, item) => sum + item.shards.reduce((of, shard) => of + shard.redelivered, 0), 0);
  const said = `${slow === 0 ? "None was slow" : `${format.count(slow)} ${slow === 1 ? "was" : "were"} slow`}, ${again === 0 ? "none" : format.count(again)} ${again > 1 ? "were" : "was"} sent again; the longest took ${taken(longest)}.`;
  return (
    <>
      <canvas
        ref={canvas}
        class="strip"
        style={{ height: `${height}px` }}
        role="img"
        tabIndex={0}
        aria-label={`Seconds of ${format.plural(shards, "shard")} in ${format.plural(items.length, "iteration")}: ${said} Arrow keys choose an iteration.`}
        onClick={at}
        onKeyDown={onKeyDown}
      />
      <p class="note">
        A column for each iteration, a row for each shard; {dark ? "brighter" : "darker"} took longer. {said}{" "}
        {slow > 0 && "● marks a slow shard, which took more than twice as long as its iteration's median. "}
        {again > 0 && "○ marks a shard that was sent again, because its worker was lost."}
      </p>
    </>
  );
}
