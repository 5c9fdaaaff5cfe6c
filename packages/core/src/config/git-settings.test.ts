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

it("allows filters in the user's file", () => {
  write('config/agent-mux/config.json', { allowFilters: ['lfs'] });
  expect(load()).toMatchObject({ git: { allowFilters: ['lfs'] }, issues: [] });
});

it("rejects filters in a project's file", () => {
  write('project/.agent-mux/config.json', { allowFilters: ['evil'] });
  const { git, issues } = load();
  expect(git).toBeUndefined();
  expect(issues).toMatchObject([{ field: 'git', problem: "is allowed in the user's own file only" }]);
});

it.each([[{ allowFilters: 'lfs' }], [{ allowFilters: ['a.clean=x'] }], [{ other: 1 }], ['lfs']])(
  'reports %j with its position and allows nothing',
  (git) => {
    write('config/agent-mux/config.json', git);
    const { git: loaded, issues } = load();
    expect(loaded).toBeUndefined();
    expect(issues).toMatchObject([{ line: 1 }]);
  },
);
