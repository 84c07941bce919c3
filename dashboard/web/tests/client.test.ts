import { afterEach, describe, expect, it, vi } from "vitest";

import { Problem, address, del, get, onSignedOut, post } from "../src/api/client";

const answers = (body: string | null, status: number, kind = "application/json") =>
  vi.fn<typeof fetch>(async () => new Response(body, { status, headers: { "Content-Type": kind } }));

const problem = { type: "urn:disnplbm:problem:conflict", title: "Its state does not allow this", detail: "it is over" };

afterEach(() => vi.unstubAllGlobals());

describe("addresses", () => {
  it("have their places filled and nothing empty asked", () => {
    expect(address("/runs/{run_id}/trace", { run_id: "a/b" }, { after: 0, stream: null, search: "" })).toBe(
      "/api/v1/runs/a%2Fb/trace?after=0",
    );
  });
});

describe("calls", () => {
  it("send JSON, with a key if it must be done once", async () => {
    const fetched = answers('{"id": "abcd"}', 201);
    vi.stubGlobal("fetch", fetched);
    expect(await post("/runs", { body: { dataset: "abcd" }, key: "k1" })).toEqual({ id: "abcd" });
    const [url, init] = fetched.mock.calls[0]!;
    expect([url, init?.method, init?.body]).toEqual(["/api/v1/runs", "POST", '{"dataset":"abcd"}']);
    expect(init?.headers).toMatchObject({ "Idempotency-Key": "k1", "Content-Type": "application/json" });
  });

  it("give nothing where there is nothing to say", async () => {
    vi.stubGlobal("fetch", answers(null, 204));
    expect(await del("/runs/{run_id}", { path: { run_id: "abcd" } })).toBeUndefined();
  });

  it("fail with the problem that the server names", async () => {
    vi.stubGlobal("fetch", answers(JSON.stringify(problem), 409, "application/problem+json"));
    const failed = await get("/runs").catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(Problem);
    expect(failed).toMatchObject({ status: 409, kind: "conflict", message: "it is over" });
  });

  it("fail with something to read whatever comes back", async () => {
    vi.stubGlobal("fetch", answers("<html>", 502, "text/html"));
    await expect(get("/runs")).rejects.toMatchObject({ status: 502, title: "The server answered 502" });
    vi.stubGlobal("fetch", vi.fn().mockRejectedValue(new TypeError("Failed to fetch")));
    await expect(get("/runs")).rejects.toMatchObject({ status: 0, kind: "away" });
  });

  it("say so when the session is over", async () => {
    const told = vi.fn();
    onSignedOut(told);
    vi.stubGlobal("fetch", answers("{}", 401));
    await expect(get("/runs")).rejects.toMatchObject({ status: 401 });
    expect(told).toHaveBeenCalledOnce();
  });
});
