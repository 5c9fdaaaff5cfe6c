import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
    // What is kept between processes (versions of CLIs) is not the user's business here.
    env: { XDG_CACHE_HOME: join(tmpdir(), 'agent-mux-test-cache') },
  },
});
