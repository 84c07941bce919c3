import { render } from "preact";

import { parse } from "../api/json";
import { Guard } from "../ui/Guard";
import { CalibrationReport } from "./CalibrationReport";
import { RunReport } from "./RunReport";
import type { ReportDocument } from "./document";
import "../style.css";
import "./report.css";

const found = parse(document.getElementById("document")!.textContent!) as ReportDocument;
const page = document.getElementById("page")!;
page.replaceChildren();
render(
  <Guard>{found.kind === "run" ? <RunReport found={found} /> : <CalibrationReport found={found} />}</Guard>,
  page,
);
