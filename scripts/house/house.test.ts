import { describe, expect, it } from 'vitest';
import { findRoomFaults } from './rooms.ts';
import { findSizeFaults, MOST_LINES, MOST_SOURCES } from './sizes.ts';

const lines = (count: number) => 'x\n'.repeat(count);

describe('the rooms of the house', () => {
  const faultsOf = (path: string, imported: string) =>
    findRoomFaults([{ path, text: `import { x } from '${imported}';\n` }]);

  it.each([
    ['packages/core/src/contract/run.ts', './options.ts'],
    ['packages/core/src/contract/usage.ts', '../values.ts'],
    ['packages/core/src/run/drivers/live.ts', '../channels/channel.ts'],
    ['packages/core/src/run/run.ts', './drivers/live.ts'],
    ['packages/core/src/index.ts', './client/client.ts'],
    ['packages/core/src/contract/usage.test.ts', '../client/client.ts'],
    ['packages/adapters/src/claude/index.ts', '@agent-mux/core'],
    ['packages/adapters/src/claude/claude.test.ts', '@agent-mux/testkit/contract-suite'],
  ])('let %s import %s', (path, imported) => {
    expect(faultsOf(path, imported)).toEqual([]);
  });

  it.each([
    ['packages/core/src/contract/run.ts', '../extensions/plugins.ts', 'contract may not import extensions'],
    ['packages/core/src/process/lines.ts', '../run/order/sequence.ts', 'process may not import run/order'],
    ['packages/core/src/run/channels/channel.ts', '../drivers/driver.ts', 'run/channels may not import run/drivers'],
    ['packages/core/src/run/turns/requests.ts', '../run.ts', 'run/turns may not import run'],
    ['packages/core/src/sessions/sessions.ts', '../client/client.ts', 'sessions may not import client'],
    ['packages/core/src/values.ts', './files/paths.ts', "what is everybody's imports nothing"],
    ['packages/core/src/attic/box.ts', '../files/paths.ts', 'does not know the room attic'],
    ['packages/core/src/files/paths.ts', '@agent-mux/adapters', 'core may not'],
    ['packages/adapters/src/claude/index.ts', '@agent-mux/testkit', 'adapters may not'],
    ['packages/adapters/src/claude/index.ts', '../../../core/src/values.ts', 'outside of its package'],
  ])('do not let %s import %s', (path, imported, problem) => {
    expect(faultsOf(path, imported)).toEqual([expect.stringContaining(problem)]);
  });

  it('see what is loaded later, and what is only a type', () => {
    const path = 'packages/core/src/contract/run.ts';
    expect(findRoomFaults([{ path, text: "const later = () => import('../client/client.ts');\n" }])).toHaveLength(1);
    expect(findRoomFaults([{ path, text: "import type {\n  Client,\n} from '../client/client.ts';\n" }])).toHaveLength(
      1,
    );
  });
});

describe('the sizes of the house', () => {
  it('stop at a number of lines, of tests too', () => {
    const [fits, long] = [lines(MOST_LINES), lines(MOST_LINES + 1)];
    expect(findSizeFaults([{ path: 'packages/core/src/a.ts', text: fits }])).toEqual([]);
    expect(findSizeFaults([{ path: 'packages/core/src/a.test.ts', text: long }])).toEqual([
      'packages/core/src/a.test.ts has 401 lines, and 400 are the limit: cut it by what it does',
    ]);
  });

  it('stop at a number of sources in a folder, where tests and inner folders do not count', () => {
    const folder = Array.from({ length: MOST_SOURCES }, (_, at) => ({
      path: `packages/core/src/a/${at}.ts`,
      text: '',
    }));
    const around = [
      { path: 'packages/core/src/a/0.test.ts', text: '' },
      { path: 'packages/core/src/a/b/0.ts', text: '' },
    ];
    expect(findSizeFaults([...folder, ...around])).toEqual([]);
    expect(findSizeFaults([...folder, { path: 'packages/core/src/a/more.ts', text: '' }])).toEqual([
      'packages/core/src/a holds 26 sources, and 25 are the limit: it has more than one job',
    ]);
  });
});
