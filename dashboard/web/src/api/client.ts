/** Calls of the API, typed by its document. The browser sends the session cookie; the server refuses other origins. */
import { BASE } from "../base";
import { parse, stringify } from "./json";
import type { Noted } from "./names";
import { tellReach } from "./reach";
import type { paths } from "./schema";

const PREFIX = `${BASE}/api/v1`;

type Method = "get" | "post" | "put" | "delete";

/** Paths of the document, without their common beginning. */
type Tail<P> = P extends `/api/v1${infer T}` ? T : never;
type Full<T extends string> = `/api/v1${T}` & keyof paths;

/** Those that take a method. */
export type Path<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends object ? Tail<P> : never;
}[keyof paths];

type Operation<T extends string, M extends Method> = NonNullable<paths[Full<T>][M]>;
type Json<R> = R extends { content: { "application/json": infer A } } ? A : never;
type Good<R> = { [S in keyof R]: S extends 200 | 201 | 202 ? Json<R[S]> : never }[keyof R];

/** What an operation answers with when all is well; undefined if it has nothing to say. */
export type Answer<T extends string, M extends Method> =
  Operation<T, M> extends { responses: infer R } ? ([Good<R>] extends [never] ? undefined : Good<R>) : never;

type Place<O> = O extends { parameters: { path: infer P } } ? { path: P } : { path?: undefined };
type Query<O> = O extends { parameters: { query?: infer Q } } ? { query?: Q } : object;
type Sent<B> = { content: { "application/json": B } };
type Body<O> = O extends { requestBody: Sent<infer B> }
  ? { body: B }
  : O extends { requestBody?: Sent<infer B> }
    ? { body?: B }
    : object;

export type Asked<T extends string, M extends Method> = Place<Operation<T, M>> &
  Query<Operation<T, M>> &
  Body<Operation<T, M>> & {
    signal?: AbortSignal;
    /** Makes a creation safe to repeat. */
    key?: string;
  };

/** Nothing to give where nothing is needed. */
type Rest<A> = Record<string, never> extends A ? [asked?: A] : [asked: A];

/** An error with a text for people: what is wrong, where, and how to mend it. */
export class Problem extends Error {
  constructor(
    /** HTTP status; 0 if the server did not answer. */
    readonly status: number,
    /** Last part of the problem's type, such as "not-found"; "away" if the server did not answer. */
    readonly kind: string,
    readonly title: string,
    detail: string,
    /** What else the server says of it. */
    readonly more: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
    this.name = "Problem";
  }

  /** Its text, with the options that it names. */
  get said(): Noted {
    return (this.more.note as Noted | undefined) ?? this.message;
  }
}

/** The address of a path of the API. */
export function address(path: string, place?: object, query?: object): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((place as Record<string, unknown> | undefined)?.[name])),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return PREFIX + filled + (text && `?${text}`);
}

let signedOut = (): void => undefined;

/** Have a function called whenever the server asks for a token. */
export function onSignedOut(listener: () => void): void {
  signedOut = listener;
}

const AWAY = "the server does not answer: see that `disnplbm serve` runs, and that this machine is connected";

/** What a failed answer says. */
export async function problemOf(response: Response): Promise<Problem> {
  const problem = await response
    .text()
    .then(parse)
    .then((found: unknown) => (typeof found === "object" && found !== null ? (found as Record<string, unknown>) : {}))
    .catch(() => ({}) as Record<string, unknown>);
  const kind = typeof problem.type === "string" ? problem.type.split(":").pop()! : "internal";
  const title = typeof problem.title === "string" ? problem.title : `The server answered ${response.status}`;
  const detail = typeof problem.detail === "string" ? problem.detail : response.statusText || title;
  return new Problem(response.status, kind, title, detail, problem);
}

/** fetch, with a Problem for everything that is not a good answer; AbortError if the signal says so. */
async function send(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: "same-origin", ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    tellReach(false);
    throw new Problem(0, "away", "The server is away", AWAY);
  }
  tellReach(true);
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (response.status === 401) signedOut();
  throw problem;
}

/** A file of the results of a run. */
export const artifact = (run: string, name: string, signal: AbortSignal): Promise<Response> =>
  send(address("/runs/{run_id}/artifacts/{name}", { run_id: run, name }), { signal });

async function ask(method: Method, path: string, asked: Record<string, unknown> = {}): Promise<unknown> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (asked.body !== undefined) headers["Content-Type"] = "application/json";
  if (typeof asked.key === "string") headers["Idempotency-Key"] = asked.key;
  const response = await send(address(path, asked.path as object, asked.query as object), {
    method: method.toUpperCase(),
    headers,
    body: asked.body === undefined ? undefined : stringify(asked.body),
    signal: asked.signal as AbortSignal | undefined,
  });
  return response.status === 204 ? undefined : parse(await response.text());
}

function call<M extends Method>(method: M) {
  return <T extends Path<M>>(path: T, ...rest: Rest<Asked<T, M>>): Promise<Answer<T, M>> =>
    ask(method, path, rest[0] as Record<string, unknown> | undefined) as Promise<Answer<T, M>>;
}

/** `get("/runs/{run_id}", { path: { run_id: id } })`; likewise post and put (with body) and del. */
export const get = call("get");
export const post = call("post");
export const put = call("put");
export const del = call("delete");
