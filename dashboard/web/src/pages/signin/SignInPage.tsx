import { useState } from "preact/hooks";

import { type Problem, post } from "../../api/client";
import type { Session } from "../../api/types";
import { asProblem } from "../../api/use";
import { Button, Field, PageHead, ProblemNote } from "../../ui";

/** Asks for a token, once: the browser keeps a session from then on, and the page that was asked for is shown. */
export function SignInPage({ onSignedIn }: { onSignedIn: (session: Session) => void }) {
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const signIn = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      onSignedIn(await post("/session", { body: { token: token.trim() } }));
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  return (
    <div class="narrow">
      <PageHead title="Sign in" />
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}
      >
        <Field
          label="Token"
          hint={
            <>
              Begins with dnp_. Whoever runs this server makes one with{" "}
              <code>disnplbm token create --name you --scope run</code>.
            </>
          }
        >
          {(tie) => (
            <input
              {...tie}
              type="password"
              name="token"
              autocomplete="current-password"
              required
              autofocus
              value={token}
              onInput={(event) => setToken(event.currentTarget.value)}
            />
          )}
        </Field>
        {problem && <ProblemNote problem={problem} />}
        <div class="actions">
          <Button kind="primary" type="submit" busy={busy} disabled={token.trim() === ""}>
            Sign in
          </Button>
        </div>
      </form>
    </div>
  );
}
