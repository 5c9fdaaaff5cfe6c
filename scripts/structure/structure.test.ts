import { describe, expect, it } from 'vitest';
import { findLayerViolations } from './layers.ts';
import { findSizeViolations, MAX_LINES, MAX_SOURCES } from './sizes.ts';

const lines = (count: number) => 'x\n'.repeat(count);

describe('layers', () => {
  const issuesOf = (path: string, imported: string) =>
    findLayerViolations([{ path, text: `import { x } from '${imported}';\n` }]);

  it.each([
    ['packages/core/src/contract/run.ts', './options.ts'],
    ['packages/core/src/contract/usage.ts', '../values.ts'],
    ['packages/core/src/run/drivers/live.ts', '../channels/channel.ts'],
    ['packages/core/src/run/run.ts', './drivers/live.ts'],
    ['packages/core/src/index.ts', './client/client.ts'],
    ['packages/core/src/contract/usage.test.ts', '../client/client.ts'],
    ['packages/adapters/src/claude/index.ts', '@agent-mux/core'],
    ['packages/adapters/src/claude/claude.test.ts', '@agent-mux/testkit/contract-suite'],
  ])('allow %s to import %s', (path, imported) => {
    expect(issuesOf(path, imported)).toEqual([]);
  });

  it.each([
    ['packages/core/src/contract/run.ts', '../extensions/plugins.ts', 'contract may not import extensions'],
    ['packages/core/src/process/lines.ts', '../run/ordering/sequence.ts', 'process may not import run/ordering'],
    ['packages/core/src/run/channels/channel.ts', '../drivers/driver.ts', 'run/channels may not import run/drivers'],
    ['packages/core/src/run/turns/requests.ts', '../run.ts', 'run/turns may not import run'],
    ['packages/core/src/sessions/sessions.ts', '../client/client.ts', 'sessions may not import client'],
    ['packages/core/src/values.ts', './files/paths.ts', 'shared files may not import modules'],
    ['packages/core/src/attic/box.ts', '../files/paths.ts', 'unknown module attic'],
    ['packages/core/src/files/paths.ts', '@agent-mux/adapters', 'core may not'],
    ['packages/adapters/src/claude/index.ts', '@agent-mux/testkit', 'adapters may not'],
    ['packages/adapters/src/claude/index.ts', '../../../core/src/values.ts', 'outside its package'],
  ])('forbid %s to import %s', (path, imported, problem) => {
    expect(issuesOf(path, imported)).toEqual([expect.stringContaining(problem)]);
  });

  it('cover dynamic imports and type imports', () => {
    const path = 'packages/core/src/contract/run.ts';
    expect(findLayerViolations([{ path, text: "const later = () => import('../client/client.ts');\n" }])).toHaveLength(
      1,
    );
    expect(
      findLayerViolations([{ path, text: "import type {\n  Client,\n} from '../client/client.ts';\n" }]),
    ).toHaveLength(1);
  });
});

describe('sizes', () => {
  it('limit the lines of a file, including tests', () => {
    const [fits, long] = [lines(MAX_LINES), lines(MAX_LINES + 1)];
    expect(findSizeViolations([{ path: 'packages/core/src/a.ts', text: fits }])).toEqual([]);
    expect(findSizeViolations([{ path: 'packages/core/src/a.test.ts', text: long }])).toEqual([
      'packages/core/src/a.test.ts has 401 lines (maximum 400): split it by responsibility',
    ]);
  });

  it('limit the sources of a folder, not counting tests and subfolders', () => {
    const folder = Array.from({ length: MAX_SOURCES }, (_, at) => ({
      path: `packages/core/src/a/${at}.ts`,
      text: '',
    }));
    const context = [
      { path: 'packages/core/src/a/0.test.ts', text: '' },
      { path: 'packages/core/src/a/b/0.ts', text: '' },
    ];
    expect(findSizeViolations([...folder, ...context])).toEqual([]);
    expect(findSizeViolations([...folder, { path: 'packages/core/src/a/more.ts', text: '' }])).toEqual([
      'packages/core/src/a has 26 sources (maximum 25): split it by responsibility',
    ]);
  });
});
