/** What pages are made of. */
export { Button } from "./Button";
export { Confirm } from "./Confirm";
export { Doubt, doubtOf } from "./Doubt";
export { Empty, Loading } from "./Empty";
export { Fact } from "./Fact";
export { Field } from "./Field";
export { Guard } from "./Guard";
export { PageHead, Shell } from "./Shell";
export { ProblemNote } from "./Problem";
export { Said } from "./Said";
export { SearchField } from "./SearchField";
export { ProgressBar } from "./ProgressBar";
export { StateBadge, stateWord } from "./StateBadge";
export { Ago, Elapsed, Time, useNow } from "./Time";
export { useDark, useTheme } from "./theme";
export * as format from "./format";
export { SessionContext, useMayChange } from "./session";
export { shortened, titleOf } from "./title";
