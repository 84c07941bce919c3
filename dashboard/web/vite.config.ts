import { defineConfig } from "vite";

// The pages enter the Python package, which serves them; `npm run dev` shows those of the source, on the API of a
// `disnplbm serve` beside it.
export default defineConfig({
  base: "/",
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
