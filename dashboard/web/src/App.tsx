import { useEffect, useState } from "preact/hooks";

import { type Problem, del, get, onSignedOut } from "./api/client";
import type { Session } from "./api/types";
import { asProblem } from "./api/use";
import { ComparePage } from "./pages/compare/ComparePage";
import { DatasetsPage } from "./pages/datasets/DatasetsPage";
import { NewRunPage } from "./pages/new/NewRunPage";
import { RunPage } from "./pages/run/RunPage";
import { RunsPage } from "./pages/runs/RunsPage";
import { SignInPage } from "./pages/signin/SignInPage";
import { SystemPage } from "./pages/system/SystemPage";
import { Link, useLocation } from "./router";
import { Empty, Guard, Loading, PageHead, ProblemNote, SessionContext, Shell } from "./ui";

/** Who asks is known first: without a session where one is needed, every address shows the sign-in. */
export function App() {
  const [session, setSession] = useState<Session | null>();
  const [problem, setProblem] = useState<Problem>();
  const ask = (): void => {
    setProblem(undefined);
    get("/session")
      .then(setSession)
      .catch((error: unknown) => {
        const found = asProblem(error);
        if (found.status === 401) setSession(null);
        else setProblem(found);
      });
  };
  useEffect(() => {
    onSignedOut(() => setSession(null));
    ask();
  }, []);
  const signOut = (): void => {
    del("/session")
      .then(() => setSession(null))
      .catch((error: unknown) => setProblem(asProblem(error)));
  };
  const { path } = useLocation();
  return (
    <Shell session={session ?? undefined} onSignOut={signOut}>
      {problem ? (
        <ProblemNote problem={problem} retry={ask} />
      ) : session === undefined ? (
        <Loading />
      ) : session === null ? (
        <SignInPage onSignedIn={setSession} />
      ) : (
        <SessionContext.Provider value={session}>
          <Guard key={path}>
            <Page path={path} />
          </Guard>
        </SessionContext.Provider>
      )}
    </Shell>
  );
}

function Page({ path: asked }: { path: string }) {
  const { search } = useLocation();
  const path = asked.length > 1 ? asked.replace(/\/$/, "") : asked;
  const run = /^\/runs\/([0-9a-f]{4,12})$/.exec(path)?.[1];
  if (path === "/" || path === "/runs") return <RunsPage />;
  if (path === "/runs/new") return <NewRunPage />;
  if (run !== undefined) return <RunPage key={run} id={run} />;
  if (path === "/compare") return <ComparePage ids={new URLSearchParams(search).getAll("run")} />;
  if (path === "/datasets") return <DatasetsPage />;
  if (path === "/system") return <SystemPage />;
  return (
    <>
      <PageHead title="No such page" />
      <Empty title={`There is nothing at ${path}`}>
        <p>
          <Link href="/runs">See the runs</Link>, or check the address.
        </p>
      </Empty>
    </>
  );
}
