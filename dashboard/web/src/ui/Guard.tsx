import { Component, type ComponentChildren } from "preact";

import { asProblem } from "../api/use";
import { ProblemNote } from "./Problem";

/** A fault of a part of a page is said in its place, and does not blank the page. */
export class Guard extends Component<{ children?: ComponentChildren }, { error: unknown }> {
  override state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    const again = (): void => this.setState({ error: undefined });
    return <ProblemNote problem={asProblem(this.state.error)} retry={again} />;
  }
}
