import { expect, test } from "vitest";

import { toldOf } from "../src/report/ProfileSection";

test("a sentence is told without the cluster and its size", () => {
  expect(toldOf("Cluster 3: 214 rows; high in CD3D (5 times the others); low in LTB (none, and the others have some).")).toBe(
    "High in CD3D (5 times the others); low in LTB (none, and the others have some).",
  );
});
