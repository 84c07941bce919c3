/** Wheel, mouse and fingers on the heatmap. */

import { type RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Margins } from "./margins";
import type { Axes, Size } from "./viewport";

interface Options {
  readonly margins: Margins;
  readonly size: Size;
  /** Whether all is shown already: then a wheel that zooms out, and a finger, scroll the page. */
  readonly zoomedOut: boolean;
  readonly onZoom: (factor: number, at: { x: number; y: number }, axes: Axes) => void;
  readonly onPan: (right: number, down: number) => void;
  /** Where the mouse is on the canvas; undefined once it left. */
  readonly onHover: (at: { x: number; y: number } | undefined) => void;
}

/** Milliseconds after which a page that was scrolled rests: until then the wheel goes on with that. */
const SCROLLED = 250;

/** Milliseconds between two taps of one double tap. */
const DOUBLE = 350;

export function useGestures(canvas: RefObject<HTMLCanvasElement>, options: Options): { dragging: boolean } {
  const now = useRef(options);
  now.current = options;
  const [dragging, setDragging] = useState(false);

  useEffect(() => {
    const element = canvas.current!;
    const fingers = new Map<number, { x: number; y: number }>();
    let scrolledAt = -SCROLLED;
    let tappedAt = -DOUBLE;
    let moved = false;

    const point = (event: MouseEvent): { x: number; y: number } => {
      const box = element.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    /** As shares of the matrix. */
    const share = (at: { x: number; y: number }): { x: number; y: number } => {
      const { margins, size } = now.current;
      const within = (value: number): number => Math.min(1, Math.max(0, value));
      return { x: within((at.x - margins.left) / size.width), y: within((at.y - margins.top) / size.height) };
    };

    const onScroll = (): void => {
      scrolledAt = performance.now();
    };
    const onWheel = (event: WheelEvent): void => {
      const by = event.deltaY || event.deltaX;
      const pinched = event.ctrlKey;
      if (!pinched && (performance.now() - scrolledAt < SCROLLED || (by > 0 && now.current.zoomedOut))) return;
      event.preventDefault();
      const lines =
        event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 400 : 1;
      const factor = Math.exp(Math.min(1, Math.max(-1, by * lines * (pinched ? 0.01 : 0.0025))));
      now.current.onZoom(factor, share(point(event)), event.shiftKey ? "columns" : event.altKey ? "rows" : "both");
    };
    const onDown = (event: PointerEvent): void => {
      if (event.pointerType === "mouse" && event.button !== 0) return;
      fingers.set(event.pointerId, point(event));
      moved = false;
      // Tells of the pointer until it is lifted, wherever it goes; one that is gone already cannot.
      try {
        element.setPointerCapture(event.pointerId);
      } catch {
        fingers.delete(event.pointerId);
      }
    };
    const onMove = (event: PointerEvent): void => {
      const at = point(event);
      const before = fingers.get(event.pointerId);
      if (!before) {
        if (event.pointerType === "mouse") now.current.onHover(at);
        return;
      }
      const { size } = now.current;
      const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, other]) => other);
      if (!moved && Math.hypot(at.x - before.x, at.y - before.y) < 3) return;
      moved = true;
      setDragging(true);
      now.current.onHover(undefined);
      fingers.set(event.pointerId, at);
      const share0 = others.length > 0 ? 0.5 : 1;
      now.current.onPan((share0 * (before.x - at.x)) / size.width, (share0 * (before.y - at.y)) / size.height);
      const other = others[0];
      if (!other) return;
      const apart = (a: { x: number; y: number }): number => Math.max(20, Math.hypot(a.x - other.x, a.y - other.y));
      now.current.onZoom(
        apart(before) / apart(at),
        share({ x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 }),
        "both",
      );
    };
    const onUp = (event: PointerEvent): void => {
      if (!fingers.delete(event.pointerId)) return;
      setDragging(false);
      if (moved || event.type === "pointercancel" || event.pointerType === "mouse") return;
      const at = point(event);
      now.current.onHover(at);
      if (event.timeStamp - tappedAt < DOUBLE) now.current.onZoom(0.4, share(at), "both");
      tappedAt = event.timeStamp;
    };
    const onDouble = (event: MouseEvent): void => {
      now.current.onZoom(event.shiftKey ? 2.5 : 0.4, share(point(event)), "both");
    };
    const onLeave = (event: PointerEvent): void => {
      if (event.pointerType === "mouse") now.current.onHover(undefined);
    };

    window.addEventListener("scroll", onScroll, { passive: true });
    // The browser takes wheels for its own unless it is told in time that they may be refused.
    element.addEventListener("wheel", onWheel, { passive: false });
    element.addEventListener("pointerdown", onDown);
    element.addEventListener("pointermove", onMove);
    element.addEventListener("pointerup", onUp);
    element.addEventListener("pointercancel", onUp);
    element.addEventListener("pointerleave", onLeave);
    element.addEventListener("dblclick", onDouble);
    return () => {
      window.removeEventListener("scroll", onScroll);
      element.removeEventListener("wheel", onWheel);
      element.removeEventListener("pointerdown", onDown);
      element.removeEventListener("pointermove", onMove);
      element.removeEventListener("pointerup", onUp);
      element.removeEventListener("pointercancel", onUp);
      element.removeEventListener("pointerleave", onLeave);
      element.removeEventListener("dblclick", onDouble);
    };
  }, []);
  return { dragging };
}
