import { ROUTES } from '@agent-mux/api/schemas';
import { defaultClientConditions, defineConfig } from 'vite';

/** Method and path of each route. The schemas stay in the daemon, which validates. */
const routes = Object.fromEntries(
  Object.entries(ROUTES).map(([name, { method, path }]) => [name, { method: method.toUpperCase(), path }]),
);

export default defineConfig({
  root: import.meta.dirname,
  define: { __ROUTES__: JSON.stringify(routes) },
  resolve: { conditions: ['agent-mux-source', ...defaultClientConditions] },
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    // The CSP forbids the inline polyfill, and all supported browsers have modulepreload.
    modulePreload: { polyfill: false },
    // The CSP forbids data URLs, so fonts and images must not be inlined into styles.
    assetsInlineLimit: 0,
    license: { fileName: 'licenses.txt' },
    rolldownOptions: {
      // Ignore "use client" directives of libraries, since nothing is rendered on a server.
      onLog: (level, log, handle) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : handle(level, log)),
    },
  },
});
