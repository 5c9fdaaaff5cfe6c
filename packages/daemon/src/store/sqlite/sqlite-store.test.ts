import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeStore } from '../store-suite.ts';
import { NOON } from '../suite/fixtures.ts';
import { openStore } from './sqlite-store.ts';

describeStore('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  const problems: string[] = [];
  const store = await openStore(join(folder, 'daemon', 'store.sqlite'), {
    now: () => NOON,
    report: (problem) => problems.push(problem),
  });
  return {
    store,
    dispose: async () => {
      await store.close();
      await rm(folder, { recursive: true });
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
  };
});
