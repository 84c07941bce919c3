import { expect, test } from "vitest";

import { capitalized } from "../src/report/ProfileSection";

test("what is told of a cluster begins with a capital letter", () => {
  expect(capitalized("high in CD3D (5 times the others); low in LTB (none, and the others have some)")).toBe(
    "High in CD3D (5 times the others); low in LTB (none, and the others have some)",
  );
  expect(capitalized("")).toBe("");
});
