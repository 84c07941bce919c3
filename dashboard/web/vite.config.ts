import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { defineConfig, type Plugin } from "vite";

/** Beside each script, style and picture: a copy for clients that take brotli, and one for those that take gzip. */
function compress(): Plugin {
  return {
    name: "compress",
    writeBundle({ dir = "" }, bundle) {
      for (const name of Object.keys(bundle)) {
        if (!name.startsWith("assets/")) continue;
        const file = join(dir, name);
        const plain = readFileSync(file);
        writeFileSync(`${file}.br`, brotliCompressSync(plain));
        writeFileSync(`${file}.gz`, gzipSync(plain, { level: 9 }));
      }
    },
  };
}

// The pages enter the Python package, which serves them; `npm run dev` shows those of the source, on the API of a
// `disnplbm serve` beside it.
export default defineConfig({
  base: "/",
  plugins: [compress()],
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    outDir: "../disnplbm_dashboard/pages",
    emptyOutDir: true,
    target: "es2022",
    cssTarget: "chrome123",
    // Nothing inline: the content security policy forbids it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8000" } } },
});
