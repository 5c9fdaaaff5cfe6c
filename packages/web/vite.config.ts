import { ROUTES } from '@agent-mux/api/schemas';
import { defaultClientConditions, defineConfig } from 'vite';

/** Method and path of each route: the schemas themselves stay with the daemon, which checks. */
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
    // The policy of the page allows no inline script, and every browser of the last years knows how.
    modulePreload: { polyfill: false },
    // A font or picture inside of a style is an address of data, which the policy forbids.
    assetsInlineLimit: 0,
    license: { fileName: 'licenses.txt' },
    rolldownOptions: {
      // Libraries mark what a server may not render; there is no server that renders.
      onLog: (level, log, handle) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : handle(level, log)),
    },
  },
});
