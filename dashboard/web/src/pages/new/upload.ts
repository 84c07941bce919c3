/** Sending a file in parts; what was sent once is not sent again, not even after the page was loaded anew. */
import { useRef } from "preact/hooks";

import { Problem, address, get, post, problemOf } from "../../api/client";
import { stringify } from "../../api/json";
import { ask } from "../../api/reach";
import type { Dataset } from "../../api/types";
import { asProblem } from "../../api/use";
import type { Reading } from "./reading";

/** Files up to this size are hashed beforehand, so that the server can tell whether it got the same. */
const HASHED_BYTES = 2 ** 26;

/** Seconds to wait before a part is sent again; then it is left to the reader. */
const WAITS = [1, 2, 4, 8, 15, 30];

export async function upload(
  file: File,
  reading: Reading,
  onProgress: (sent: number) => void,
  onWait: (seconds: number | undefined) => void,
  signal: AbortSignal,
): Promise<Dataset> {
  if (file.size === 0) throw new Problem(422, "input", "This file is empty", `${file.name} has no bytes: choose another file`);
  const memory = new Memory(file, reading);
  const sha256 = await digest(file);
  const begun = (await unfinished(memory, file, signal)) ?? (await begin(file, reading, sha256, signal));
  // The same file is here already.
  if (begun.state !== "UPLOADING") return begun;
  memory.keep(begun.id);
  const path = { dataset_id: begun.id };
  const { part_bytes, parts, present } = await get("/datasets/{dataset_id}/parts", { path, signal });
  const there = new Set(present);
  const length = (number: number): number => Math.min(part_bytes, file.size - number * part_bytes);
  let sent = present.reduce((sum, number) => sum + length(number), 0);
  onProgress(sent);
  for (let number = 0; number < parts; number++) {
    if (there.has(number)) continue;
    const part = file.slice(number * part_bytes, number * part_bytes + length(number));
    const url = address("/datasets/{dataset_id}/parts/{number}", { ...path, number });
    await patiently(() => put(url, part, (come) => onProgress(sent + come), signal), onWait, signal);
    sent += length(number);
    onProgress(sent);
  }
  const done = await post("/datasets/{dataset_id}/complete", { path, body: { sha256 }, signal });
  memory.forget();
  return done;
}

function begin(file: File, reading: Reading, sha256: string | null, signal: AbortSignal): Promise<Dataset> {
  return post("/datasets", { body: { name: file.name, bytes: file.size, sha256, ...reading }, key: newKey(), signal });
}

/** The upload of this file that was begun before, if it is still there. */
async function unfinished(memory: Memory, file: File, signal: AbortSignal): Promise<Dataset | null> {
  const id = memory.recall();
  if (id === null) return null;
  try {
    const found = await get("/datasets/{dataset_id}", { path: { dataset_id: id }, signal });
    return found.state === "UPLOADING" && found.bytes === file.size ? found : null;
  } catch (error) {
    if (asProblem(error).status === 404) return null;
    throw error;
  }
}

/** Which upload a file belongs to, remembered by the browser. */
class Memory {
  private readonly key: string;

  constructor(file: File, reading: Reading) {
    this.key = `disnplbm-upload:${JSON.stringify([file.name, file.size, file.lastModified, reading])}`;
  }

  recall(): string | null {
    return this.safely(() => localStorage.getItem(this.key)) ?? null;
  }

  keep(id: string): void {
    this.safely(() => localStorage.setItem(this.key, id));
  }

  forget(): void {
    this.safely(() => localStorage.removeItem(this.key));
  }

  /** A browser may refuse to remember anything. */
  private safely<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch {
      return undefined;
    }
  }
}

/** Try again what failed for a reason that may pass; who waits is told for how many seconds. */
async function patiently(
  act: () => Promise<void>,
  onWait: (seconds: number | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const wait of [...WAITS, null]) {
    try {
      await act();
      onWait(undefined);
      return;
    } catch (error) {
      const { status } = asProblem(error);
      if (signal.aborted || wait === null || (status !== 0 && status < 500)) throw error;
      onWait(wait);
      await new Promise((resolve) => window.setTimeout(resolve, wait * 1000));
      if (signal.aborted) throw error;
    }
  }
}

/** PUT with progress, which fetch does not have. */
function put(url: string, part: Blob, onProgress: (sent: number) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = (): void => request.abort();
    signal.addEventListener("abort", abort, { once: true });
    const away = (): void => {
      void ask();
      reject(new Problem(0, "away", "The upload was interrupted", "the server does not answer: try again to continue it"));
    };
    request.upload.onprogress = (event) => onProgress(event.loaded);
    request.onerror = away;
    request.onabort = () => reject(new DOMException("the upload was stopped", "AbortError"));
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else void problemOf(new Response(request.responseText, { status: request.status || 502 })).then(reject);
    };
    request.onloadend = () => signal.removeEventListener("abort", abort);
    request.open("PUT", url);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.send(part);
  });
}

/** sha256 of a file, if it is not too large for one go; null also where the browser does not offer it. */
async function digest(file: File): Promise<string | null> {
  if (file.size > HASHED_BYTES || globalThis.crypto?.subtle === undefined) return null;
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  return hex(bytes);
}

/** A key that makes a creation safe to repeat. */
function newKey(): string {
  return hex(crypto.getRandomValues(new Uint8Array(16)));
}

/** A key for each body: pressed twice, or sent again after an answer that was lost, it is done once. */
export function useKey(): (body: unknown) => string {
  const last = useRef({ of: "", is: "" });
  return (body) => {
    const of = stringify(body);
    if (last.current.of !== of) last.current = { of, is: newKey() };
    return last.current.is;
  };
}

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
