import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'examples/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // What is waited for comes when it comes; how soon is the bench's question.
    expect: { poll: { timeout: 15_000 } },
    // Two cores, and tests that wait as often as they work.
    maxWorkers: 3,
    pool: 'forks',
    // Modules are loaded by node itself, as everywhere else: what is loaded on demand would exist twice under another loader.
    execArgv: ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning'],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: 'scripts/tests/run-folder.ts',
    setupFiles: 'scripts/tests/file-folder.ts',
  },
});
