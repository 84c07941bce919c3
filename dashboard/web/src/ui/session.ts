/** Who looks at the pages, for those parts that offer only what they may do. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";

import type { Session } from "../api/types";

export const SessionContext = createContext<Session | undefined>(undefined);

/** Whether somebody may submit, cancel, rename and delete; a token of scope "read" may not. */
export const mayChange = (session: Session | undefined): boolean => session !== undefined && session.scope !== "read";

/** Whether who looks at this page may change anything. */
export const useMayChange = (): boolean => mayChange(useContext(SessionContext));
