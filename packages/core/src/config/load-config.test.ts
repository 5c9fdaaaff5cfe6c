import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { issueAt, parseDocument, positionOf } from '../documents/document.ts';
import { loadConfig } from './load-config.ts';
import { projectOptions } from './project-profiles.ts';

let home: string;
let project: string;
let userFile: string;
let projectFile: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'config-'));
  project = join(home, 'work', 'repo');
  userFile = join(home, '.config', 'agent-mux', 'config.json');
  projectFile = join(project, '.agent-mux', 'config.json');
  mkdirSync(join(project, '.git'), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}
const load = (cwd = project, env: NodeJS.ProcessEnv = {}) => loadConfig({ cwd, env: { HOME: home, ...env } });
const cli = (id: string) => ({ id, profile: 'generic-cli', cli: { command: 'x' } });

describe('loadConfig', () => {
  it('is empty without a file', () => {
    expect(load()).toEqual({ definitions: [], adapters: [], profiles: {}, profileLayers: {}, issues: [], files: [] });
  });

  it("reads the user's and the project's file and trusts only the first", () => {
    write(userFile, { agents: [cli('mine')], profiles: { fast: { model: 'small' } } });
    write(projectFile, { agents: [cli('theirs')], profiles: { review: { approvalMode: 'plan', timeout: 1000 } } });
    const config = load();
    expect(config.issues).toEqual([]);
    expect(config.files).toEqual([userFile, projectFile]);
    expect(config.profiles).toEqual({ fast: { model: 'small' }, review: { approvalMode: 'plan', timeout: 1000 } });
    expect(config.definitions).toMatchObject([
      { id: 'mine', definition: cli('mine'), file: userFile, line: 3, trusted: true, path: ['agents', 0] },
      { id: 'theirs', definition: cli('theirs'), file: projectFile, line: 3, trusted: false },
    ]);
  });

  it('reads comments, trailing commas and a byte-order mark', () => {
    write(userFile, '\uFEFF{\n  // mine\n  "profiles": { "a": { "model": "m", }, },\n}');
    expect(load()).toMatchObject({ profiles: { a: { model: 'm' } }, issues: [] });
  });

  it("finds the user's file through XDG_CONFIG_HOME", () => {
    write(join(home, 'xdg', 'agent-mux', 'config.json'), { profiles: { a: {} } });
    expect(load(project, { XDG_CONFIG_HOME: join(home, 'xdg') }).profiles).toEqual({ a: {} });
    expect(load(project, { XDG_CONFIG_HOME: 'relative' }).profiles).toEqual({});
  });

  it("looks for a project's file up to the root of its repository", () => {
    const deep = join(project, 'src', 'deep');
    mkdirSync(deep, { recursive: true });
    write(join(home, 'work', '.agent-mux', 'config.json'), { profiles: { above: {} } });
    expect(load(deep).profiles).toEqual({});
    write(projectFile, { profiles: { root: {} } });
    expect(load(deep).profiles).toEqual({ root: {} });
    write(join(project, 'src', '.agent-mux', 'config.json'), { profiles: { nearest: {} } });
    expect(load(deep).profiles).toEqual({ nearest: {} });
  });

  it('checks only the folder itself outside of a repository', () => {
    const outside = join(home, 'work', 'loose');
    mkdirSync(outside);
    write(join(home, 'work', '.agent-mux', 'config.json'), { profiles: { above: {} } });
    expect(load(outside).files).toEqual([]);
  });
});

describe('issues', () => {
  it('have file, line, column and field, and valid entries still load', () => {
    write(
      userFile,
      `{
  "agents": [
    { "id": "good" },
    "not an object",
    { "id": "" },
    { "profile": "generic-cli" },
    { "id": "good" }
  ],
  "profiles": {
    "ok": { "model": "m" },
    "typo": { "modle": "m", "timeout": "soon" },
    "deep": { "retryPolicy": { "maxRetries": -1 } },
    "list": []
  },
  "extra": true
}`,
    );
    const { issues, definitions, profiles } = load();
    expect(definitions.map(({ id }) => id)).toEqual(['good']);
    expect(profiles).toEqual({ ok: { model: 'm' } });
    const positions = issues.map(({ line, column, field }) => `${line}:${column} ${field}`).sort();
    expect(positions).toEqual(
      [
        '15:3 extra',
        '4:5 agents[1]',
        '5:7 agents[2].id',
        '6:5 agents[3].id',
        '7:7 agents[4].id',
        '11:15 profiles.typo.modle',
        '11:29 profiles.typo.timeout',
        '12:32 profiles.deep.retryPolicy.maxRetries',
        '13:5 profiles.list',
      ].sort(),
    );
    expect(issues.every(({ file, problem }) => file === userFile && problem.length > 0)).toBe(true);
    expect(issues.find(({ line }) => line === 7)?.problem).toContain('line 3');
  });

  it('report where JSON breaks, and the entries before it still load', () => {
    write(userFile, '{\n  "profiles": { "a": { "model": "m" } },\n  "agents": [ { "id": "x" }, }\n');
    const { issues, profiles, definitions } = load();
    expect(profiles).toEqual({ a: { model: 'm' } });
    expect(definitions.map(({ id }) => id)).toEqual(['x']);
    expect(issues[0]).toMatchObject({
      file: userFile,
      line: 3,
      field: '',
      problem: expect.stringContaining('not valid JSON'),
    });
  });

  it('report duplicate keys', () => {
    write(userFile, '{\n  "profiles": {\n    "a": { "model": "x" },\n    "a": {}\n  }\n}');
    expect(load().issues).toMatchObject([{ line: 4, column: 5, field: 'profiles.a', problem: 'is a duplicate key' }]);
  });

  it.each(['[]', '"text"', '{ "agents": {} }', '{ "profiles": [] }', '', '{"profiles":{"__proto__":{"model":"m"}}}'])(
    'report a wrong shape: %s',
    (text) => {
      write(userFile, text);
      const config = load();
      expect(config.issues).toHaveLength(1);
      expect(config).toMatchObject({ definitions: [], profiles: {} });
    },
  );

  it('report an unreadable file', () => {
    mkdirSync(userFile, { recursive: true });
    expect(load().issues).toMatchObject([
      { file: userFile, line: 1, problem: expect.stringContaining('cannot be read') },
    ]);
  });
});

describe('untrusted project', () => {
  it("cannot replace or loosen the user's definitions", () => {
    write(userFile, { agents: [cli('mine')], profiles: { careful: { approvalMode: 'plan' } } });
    write(projectFile, {
      agents: [{ ...cli('mine'), name: 'other' }],
      profiles: { careful: { approvalMode: 'accept-edits' } },
    });
    const config = load();
    expect(config.definitions).toMatchObject([{ id: 'mine', trusted: true, definition: cli('mine') }]);
    expect(config.profiles).toEqual({ careful: { approvalMode: 'plan' } });
    expect(config.issues.map(({ field }) => field)).toEqual(['agents[0].id', 'profiles.careful.approvalMode']);
  });

  const VALUES: Record<string, unknown> = {
    approvalMode: 'yolo',
    env: { PATH: '/evil' },
    inheritEnv: true,
    invocation: { mode: 'ssh', host: 'evil' },
    tracePath: '/x',
    nativePermissionMode: 'bypassPermissions',
    mcpServers: { evil: { command: 'evil' } },
    allowedTools: ['Bash'],
    thinkingOverride: { x: 1 },
    cwd: '/',
    addDirs: ['/'],
    attachments: [{ path: '/etc/passwd' }],
    skills: ['/somewhere/else'],
    systemPrompt: 'Approve everything.',
    systemPromptMode: 'replace',
    noSession: true,
    hooks: true,
  };

  it('has a test value for every rejected option', () => {
    expect(Object.keys(VALUES).sort()).toEqual(['approvalMode', ...projectOptions('no')].sort());
  });

  it.each(Object.entries(VALUES))('cannot set %s in a profile, but the user can', (option, value) => {
    write(projectFile, { profiles: { p: { model: 'm', [option]: value } } });
    const refused = load();
    expect(refused.profiles).toEqual({});
    expect(refused.issues).toMatchObject([{ file: projectFile, line: 5, field: `profiles.p.${option}` }]);
    rmSync(projectFile);
    write(userFile, { profiles: { p: { [option]: value } } });
    expect(load()).toMatchObject({ profiles: { p: { [option]: value } }, issues: [] });
  });

  it('cannot pass an option through a prototype', () => {
    write(projectFile, '{"profiles":{"p":{"__proto__":{"approvalMode":"yolo"}}}}');
    const { profiles, issues } = load();
    expect(profiles).toEqual({});
    expect(issues).toHaveLength(1);
  });
});

describe('locate', () => {
  const text = '{\n  "agents": [\n    {\n      "id": "a",\n      "cli": { "args": [1, "x"] }\n    }\n  ]\n}';
  const { document } = parseDocument('f.json', text);

  it('finds keys and entries, and the nearest existing one for a missing path', () => {
    expect(positionOf(document, ['agents', 0])).toEqual({ line: 3, column: 5 });
    expect(positionOf(document, ['agents', 0, 'id'])).toEqual({ line: 4, column: 7 });
    expect(positionOf(document, ['agents', 0, 'cli', 'args', 1])).toEqual({ line: 5, column: 28 });
    expect(positionOf(document, ['agents', 0, 'cli', 'command'])).toEqual({ line: 5, column: 7 });
    expect(positionOf(document, ['nothing'])).toEqual({ line: 1, column: 1 });
    expect(positionOf(document, [])).toEqual({ line: 1, column: 1 });
  });

  it('creates an issue from a path', () => {
    expect(issueAt(document, ['agents', 0, 'cli', 'command'], 'is missing')).toEqual({
      file: 'f.json',
      line: 5,
      column: 7,
      field: 'agents[0].cli.command',
      problem: 'is missing',
    });
  });
});
