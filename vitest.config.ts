import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['agent-mux-source'] },
  ssr: { resolve: { conditions: ['agent-mux-source'] } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'examples/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    pool: 'forks',
    globalSetup: 'scripts/tests/run-folder.ts',
    setupFiles: 'scripts/tests/file-folder.ts',
  },
});
