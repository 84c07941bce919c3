/** Names for what the API takes and gives; `npm run types` makes the types themselves from docs/openapi.json. */
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Run = Schemas["RunAnswer"];
export type Verdict = Schemas["VerdictAnswer"];
export type Runs = Schemas["Runs"];
export type State = Schemas["State"];
export type Action = Run["allowed_actions"][number];
export type RunChanges = Schemas["RunChanges"];
export type RunOptions = Schemas["RunOptions"];
export type Dataset = Schemas["DatasetAnswer"];
export type Preflight = Schemas["PreflightAnswer"];
export type Event = Schemas["Event"];
export type Progress = Schemas["ProgressMessage"];
export type StreamTrace = Schemas["StreamTrace"];
export type IterationTimeline = Schemas["IterationTimeline"];
export type ShardTiming = Schemas["ShardTiming"];
export type Activity = Schemas["ActivityAnswer"];
export type Comparison = Schemas["Comparison"];
export type Explanation = Schemas["ExplanationAnswer"];
export type Session = Schemas["SessionAnswer"];
export type Workers = Schemas["Workers"];
export type System = Schemas["SystemAnswer"];

/** States in the order in which a run comes through them. */
export const STATES: readonly State[] = ["PENDING", "RUNNING", "PAUSED", "SUCCEEDED", "FAILED", "CANCELLED"];

/** Whether a run of that state may still move by itself. */
export const isLive = (state: State): boolean => state === "PENDING" || state === "RUNNING";
