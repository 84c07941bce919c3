import { render } from "preact";

import { parse } from "../api/json";
import { Guard } from "../ui/Guard";
import { CalibrationReport } from "./CalibrationReport";
import { PartsReport } from "./PartsReport";
import { RunReport } from "./RunReport";
import type { ReportDocument } from "./document";
import "../style.css";
import "./report.css";

const found = parse(document.getElementById("document")!.textContent!) as ReportDocument;
const page = document.getElementById("page")!;
page.replaceChildren();
render(<Guard>{reportOf(found)}</Guard>, page);

function reportOf(found: ReportDocument) {
  if (found.kind === "calibration") return <CalibrationReport found={found} />;
  return found.kind === "parts" ? <PartsReport found={found} /> : <RunReport found={found} />;
}
