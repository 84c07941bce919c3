import { createHash } from "node:crypto";
import type { OutputAsset, OutputChunk } from "rollup";
import { type Plugin, defineConfig } from "vite";

/** One file that asks for nothing: the script and the style stand in the page, which allows that script alone. */
function inlined(): Plugin {
  return {
    name: "inlined",
    enforce: "post",
    generateBundle(_, bundle) {
      const files = Object.values(bundle);
      const page = files.find((file): file is OutputAsset => file.type === "asset" && file.fileName.endsWith(".html"));
      const script = files.find((file): file is OutputChunk => file.type === "chunk");
      const styles = files.filter(
        (file): file is OutputAsset => file.type === "asset" && file.fileName.endsWith(".css"),
      );
      if (!page || !script || files.length !== 2 + styles.length) throw new Error("one page, one script and styles");
      const code = script.code.trim().replaceAll("</script", "<\\/script");
      const hash = createHash("sha256").update(code).digest("base64");
      const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; img-src data:`;
      const style = styles.map(({ source }) => String(source).trim()).join("\n");
      page.source = String(page.source)
        .replace(/\s*<script type="module"[^>]*><\/script>/, "")
        .replace(/\s*<link rel="stylesheet"[^>]*>/g, "")
        .replace("<title>", () => `<meta http-equiv="Content-Security-Policy" content="${policy}" />\n    <title>`)
        .replace("</head>", () => `  <style>${style}</style>\n  </head>`)
        .replace("</body>", () => `  <script type="module">${code}</script>\n  </body>`);
      for (const file of [script, ...styles]) delete bundle[file.fileName];
    },
  };
}

// The page of a report enters the Python package, which puts the document of a run into it.
export default defineConfig({
  base: "./",
  logLevel: "warn",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  plugins: [inlined()],
  build: {
    outDir: "../../shared/disnplbm/report/pages",
    emptyOutDir: true,
    target: "es2022",
    cssTarget: "chrome123",
    modulePreload: false,
    rollupOptions: { input: "report.html" },
  },
});
