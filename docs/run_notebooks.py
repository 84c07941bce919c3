"""Run the notebooks of the docs, and write what their cells print and draw: ``python docs/run_notebooks.py [NOTEBOOK...]``.

The cells of a notebook are run in order, in this process. What is drawn is kept in the notebook and, for the page of
pictures, in ``docs/images/gallery``.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
GALLERY = DOCS / "images" / "gallery"


def read(path: Path) -> dict[str, Any]:
    """Read a notebook."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells of a notebook that are run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Run a notebook and return the outputs of each cell of code."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    mpl.use("Agg")
    # Whoever else draws in this process may have left a figure open, and the first cell would show it.
    plt.close("all")
    names: dict[str, Any] = {"__name__": "__main__"}
    return [_run_cell("".join(cell["source"]), names) for cell in code_cells(notebook)]


def told(outputs: list[dict[str, Any]]) -> list[str]:
    """What a cell prints and says, without its pictures."""
    texts = [output.get("text", output.get("data", {}).get("text/plain", [])) for output in outputs]
    return [
        "".join(text) for output, text in zip(outputs, texts, strict=True) if output["output_type"] != "display_data"
    ]


def pictures(outputs: list[dict[str, Any]]) -> list[bytes]:
    """What a cell draws, as PNG files."""
    drawn = [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    return [base64.b64decode("".join(text)) for text in drawn]


def _run_cell(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    from matplotlib import pyplot as plt

    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": printed.getvalue().splitlines(True)})
    if value is not None and not source.rstrip().endswith(";"):
        result = {"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": _shown(value)}
        outputs.append(result)
    for number in plt.get_fignums():
        plt.figure(number).savefig(drawn := io.BytesIO(), format="png", dpi=72)
        text = base64.b64encode(drawn.getvalue()).decode("ascii")
        outputs.append({"output_type": "display_data", "metadata": {}, "data": {"image/png": text}})
    plt.close("all")
    return outputs


def _shown(value: Any) -> dict[str, list[str]]:
    """A value as a notebook shows it."""
    shown = {"text/plain": repr(value)}
    if hasattr(value, "_repr_mimebundle_"):
        shown |= value._repr_mimebundle_()
    elif hasattr(value, "_repr_html_"):
        shown["text/html"] = value._repr_html_()
    return {kind: text.splitlines(True) for kind, text in shown.items()}


def main() -> None:
    """Run all notebooks, or those that are named."""
    GALLERY.mkdir(parents=True, exist_ok=True)
    for path in [Path(name) for name in sys.argv[1:]] or NOTEBOOKS:
        notebook = read(path)
        drawn = 0
        for cell, outputs in zip(code_cells(notebook), run(notebook), strict=True):
            cell["outputs"] = outputs
            for picture in pictures(outputs):
                drawn += 1
                (GALLERY / f"{path.stem}-{drawn}.png").write_bytes(picture)
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
