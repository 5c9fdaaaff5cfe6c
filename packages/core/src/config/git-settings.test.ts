import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig } from './load-config.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'config-'));
  mkdirSync(join(root, 'config/agent-mux'), { recursive: true });
  mkdirSync(join(root, 'project/.agent-mux'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (path: string, git: unknown) => writeFileSync(join(root, path), JSON.stringify({ git }));
const load = () =>
  loadConfig({ cwd: join(root, 'project'), env: { HOME: root, XDG_CONFIG_HOME: join(root, 'config') } });

it('allows filters by the file of the user', () => {
  write('config/agent-mux/config.json', { allowFilters: ['lfs'] });
  expect(load()).toMatchObject({ git: { allowFilters: ['lfs'] }, faults: [] });
});

it('refuses filters that a project wants to allow', () => {
  write('project/.agent-mux/config.json', { allowFilters: ['evil'] });
  const { git, faults } = load();
  expect(git).toBeUndefined();
  expect(faults).toMatchObject([{ field: 'git', problem: "is allowed in the user's own file only" }]);
});

it.each([[{ allowFilters: 'lfs' }], [{ allowFilters: ['a.clean=x'] }], [{ other: 1 }], ['lfs']])(
  'reports %j with its position and allows nothing',
  (git) => {
    write('config/agent-mux/config.json', git);
    const { git: loaded, faults } = load();
    expect(loaded).toBeUndefined();
    expect(faults).toMatchObject([{ line: 1 }]);
  },
);
