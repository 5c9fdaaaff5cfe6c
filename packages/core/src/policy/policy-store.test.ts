import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { usePolicy } from '../../test/policy-scratch.ts';
import { rememberedFile } from './remembered.ts';

const scratch = usePolicy();
const run = (command: string) => ({ input: { command } });
const OPTIONS = [
  { id: 'always', label: 'Always', kind: 'allow_always' as const },
  { id: 'once', label: 'Once', kind: 'allow_once' as const },
  { id: 'no', label: 'No', kind: 'deny_once' as const },
];

describe('remembered answer', () => {
  const by = { decision: 'allow', by: 'ada' } as const;

  it('is reused for exactly the same request only', async () => {
    const { store, requestOf, ask } = scratch();
    const request = { ...run('npm test; ls'), title: 'x' };
    const answer = await store.remember(requestOf(request), { ...by, scope: 'global' }, false);
    expect(answer).toMatchObject({
      resource: 'npm test; ls',
      tool: 'Bash',
      kind: 'execute',
      by: 'ada',
      createdAt: expect.any(Number),
    });
    expect(ask({ ...request, title: 'another', input: { ...request.input, description: 'd' } })).toMatchObject({
      decision: 'allow',
      rule: null,
      remembered: { id: answer.id },
    });
    expect(ask(run('npm test')).decision).toBe('ask');
    expect(ask({ ...request, toolName: 'Shell' }).decision).toBe('ask');
    expect(ask({ ...request, agent: 'codex' }).decision).toBe('ask');
    expect(ask({ ...request, elevated: true }).decision).toBe('ask');
    expect(ask({ input: { ...request.input, sandbox: 'off' } }).decision).toBe('ask');
  });

  it.each<[string, unknown, unknown]>([
    ['Write', { file_path: 'a.ts', content: 'one' }, { file_path: 'a.ts', content: 'two' }],
    ['Write', { file_path: 'a.ts', content: '' }, { file_path: 'a.ts', content: 'two' }],
    [
      'Edit',
      { file_path: 'a.ts', old_string: 'x', new_string: 'y' },
      { file_path: 'a.ts', old_string: 'x', new_string: 'z' },
    ],
    [
      'Edit',
      { file_path: 'a.ts', old_string: 'x', new_string: 'y' },
      { file_path: 'a.ts', old_string: 'x', new_string: 'y', replace_all: true },
    ],
    [
      'MultiEdit',
      { file_path: 'a.ts', edits: [{ old_string: 'x', new_string: 'y' }] },
      {
        file_path: 'a.ts',
        edits: [
          { old_string: 'x', new_string: 'y' },
          { old_string: 'a', new_string: 'b' },
        ],
      },
    ],
    [
      'NotebookEdit',
      { notebook_path: 'a.ipynb', cell_id: '1', new_source: 'x' },
      { notebook_path: 'a.ipynb', cell_id: '2', new_source: 'x' },
    ],
    [
      'str_replace_editor',
      { command: 'insert', path: 'a', insert_line: 1, insert_text: 'x' },
      { command: 'insert', path: 'a', insert_line: 2, insert_text: 'x' },
    ],
    [
      'apply_patch',
      '*** Begin Patch\n*** Update File: a.ts\n+one\n*** End Patch',
      '*** Begin Patch\n*** Update File: a.ts\n+two\n*** End Patch',
    ],
    [
      'fileChange',
      { changes: [{ path: 'a.ts', kind: { type: 'update' }, diff: '+one' }] },
      { changes: [{ path: 'a.ts', kind: { type: 'update' }, diff: '+two' }] },
    ],
    [
      'fileChange',
      { changes: [{ path: 'a.ts', kind: { type: 'add' }, diff: 'x' }] },
      { changes: [{ path: 'a.ts', kind: { type: 'delete' }, diff: 'x' }] },
    ],
    [
      'edit',
      { path: 'a.ts', request: { content: [{ type: 'diff', path: 'a.ts', oldText: null, newText: 'one' }] } },
      { path: 'a.ts', request: { content: [{ type: 'diff', path: 'a.ts', oldText: null, newText: 'two' }] } },
    ],
  ])('covers only the content that was shown: %s', async (toolName, one, other) => {
    const { store, requestOf, ask } = scratch();
    const of = (input: unknown) => ({ toolName, kind: 'edit' as const, title: 'edit a.ts', input });
    const decided = (input: unknown) => ask(of(input)).decision;
    for (const input of [one, other]) {
      await store.remember(requestOf(of(input)), { ...by, scope: 'global' }, false);
      expect([decided(input), decided(input === one ? other : one)]).toEqual(['allow', 'ask']);
      await store.forget('all');
    }
    const worded =
      typeof one === 'object' ? { ...one, description: 'another description', toolCallId: 'another' } : one;
    await store.remember(requestOf(of(one)), { ...by, scope: 'global' }, false);
    expect(decided(worded)).toBe('allow');
  });

  it('is refused for an edit whose content is missing or redacted', async () => {
    const { store, requestOf, ask } = scratch();
    const of = (input: unknown) => requestOf({ toolName: 'Edit', kind: 'edit', input });
    const remember = (input: unknown, how: object = {}) =>
      store.remember(of(input), { ...by, scope: 'global', ...how }, false);
    await expect(remember({ file_path: 'a.ts' })).rejects.toThrow('does not contain what it would write');
    await expect(remember({ file_path: 'a.ts', content: 'key=[redacted]' })).rejects.toThrow('only be answered once');
    await remember({ file_path: 'a.ts' }, { pattern: 'a.ts' });
    expect(ask({ toolName: 'Edit', kind: 'edit', input: { file_path: 'a.ts', content: 'x' } }).decision).toBe('allow');
  });

  it('does not cover another question at the same location', async () => {
    const { store, requestOf, ask } = scratch();
    const look = (query: string) => ({ toolName: 'Grep', kind: 'search' as const, input: { path: '.', query } });
    await store.remember(requestOf(look('one')), { ...by, scope: 'global' }, false);
    expect([ask(look('one')).decision, ask(look('two')).decision]).toEqual(['allow', 'ask']);
  });

  it('applies to its scope: a session, a folder, everything', async () => {
    const { store, requestOf, ask, project, home } = scratch();
    mkdirSync(join(project, 'sub'));
    mkdirSync(join(home, 'other'));
    const at = (command: string, cwd = project, session = 's1') => ask({ ...run(command), cwd, session }).decision;
    const remember = (command: string, scope: 'session' | 'project' | 'global') =>
      store.remember(requestOf({ ...run(command), cwd: join(project, 'sub'), session: 's1' }), { ...by, scope }, false);
    await remember('a', 'session');
    await remember('b', 'project');
    await remember('c', 'global');
    expect([at('a'), at('a', project, 's2')]).toEqual(['allow', 'ask']);
    expect([at('b'), at('b', join(home, 'other'))]).toEqual(['allow', 'ask']);
    expect([at('c'), at('c', join(home, 'other'), 's3')]).toEqual(['allow', 'allow']);
  });

  it('may be a pattern, with the rules of patterns', async () => {
    const { store, requestOf, ask } = scratch();
    const remember = (command: string, pattern: string) =>
      store.remember(requestOf(run(command)), { ...by, scope: 'global', pattern }, false);
    await remember('git log', 'git *');
    expect(ask(run('git status')).decision).toBe('allow');
    expect(ask(run('git status; rm x')).decision).toBe('ask');
    await expect(remember('npm test', 'git *')).rejects.toThrow('does not cover the request');
    await expect(remember('npm test; ls', 'npm *')).rejects.toThrow('does not cover the request');
  });

  it('never overrides a rule, except that a denial overrides allow rules', async () => {
    const { store, requestOf, ask, rules } = scratch();
    await store.remember(requestOf(run('a')), { ...by, scope: 'global' }, false);
    await store.remember(requestOf(run('b')), { decision: 'deny', by: 'ada', scope: 'global' }, false);
    rules({ name: 'no-a', decision: 'ask', pattern: 'a' }, { decision: 'allow', kind: 'execute' });
    expect(ask(run('a'))).toMatchObject({ decision: 'ask', rule: { name: 'no-a' } });
    expect(ask(run('b'))).toMatchObject({ decision: 'deny', remembered: { by: 'ada' } });
    const again = store.remember(requestOf(run('a')), { ...by, scope: 'global' }, false);
    await expect(again).rejects.toThrow('rule "no-a" already decides this request');
  });

  it('is refused if the request is not completely known or changes agent-mux itself', async () => {
    const { store, requestOf } = scratch();
    const remember = (input: Parameters<typeof requestOf>[0]) =>
      store.remember(requestOf(input), { ...by, scope: 'global' }, false);
    await expect(remember(run('curl token=[redacted]'))).rejects.toThrow('only be answered once');
    const own = { toolName: 'Edit', kind: 'edit' as const, input: { file_path: '.agent-mux/config.json' } };
    await expect(remember(own)).rejects.toThrow('only be answered once');
    await expect(store.remember(requestOf(run('x')), { ...by, scope: 'session' }, false)).rejects.toThrow(
      'the request has none',
    );
  });

  it('is listed, forgotten, and stored privately without secrets', async () => {
    const { store, requestOf, ask, env, project } = scratch();
    const one = await store.remember(
      requestOf(run('curl -H "Authorization: Bearer abcdefghijkl" x')),
      { ...by, scope: 'global' },
      false,
    );
    const two = await store.remember(requestOf(run('b')), { ...by, scope: 'global' }, false);
    await store.remember(requestOf(run('b')), { ...by, scope: 'global' }, false);
    const file = rememberedFile(env);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain('abcdefghijkl');
    const listed = () => store.overview({ cwd: project, trustProject: false }).remembered;
    expect(listed()).toHaveLength(2);
    expect(await store.forget(one.id.slice(0, 6))).toMatchObject([{ id: one.id }]);
    await expect(store.forget(two.id)).rejects.toThrow('no remembered answer');
    expect(await store.forget('all')).toHaveLength(1);
    expect(ask(run('b')).decision).toBe('ask');
  });

  it('is shared by concurrent processes', async () => {
    const { store, requestOf, project } = scratch();
    await Promise.all(
      Array.from({ length: 8 }, (_, at) => store.remember(requestOf(run(`x${at}`)), { ...by, scope: 'global' }, false)),
    );
    expect(store.overview({ cwd: project, trustProject: false }).remembered).toHaveLength(8);
  });

  it('is not lost if its file is unreadable: nothing is allowed or written', async () => {
    const { store, requestOf, ask, env, rules, project } = scratch();
    rules({ decision: 'allow', kind: 'execute', pattern: 'ls' });
    await store.remember(requestOf(run('b')), { ...by, scope: 'global' }, false);
    const file = rememberedFile(env);
    for (const text of ['{', '[]', '{"schema":"agent-mux.remembered.v1","answers":[{"decision":"deny"}]}']) {
      writeFileSync(file, text);
      expect([ask(run('b')).decision, ask(run('ls')).decision]).toEqual(['ask', 'ask']);
      expect(store.overview({ cwd: project, trustProject: false }).issues).toMatchObject([{ file }]);
      await expect(store.remember(requestOf(run('c')), { ...by, scope: 'global' }, false)).rejects.toThrow(file);
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });
});

describe('policy store', () => {
  it('reloads a file when it changes', () => {
    const { rules, projectRules, ask } = scratch();
    rules({ decision: 'allow', kind: 'execute', pattern: 'a' });
    expect(ask(run('a')).decision).toBe('allow');
    rules({ decision: 'deny', kind: 'execute', pattern: 'a' });
    expect(ask(run('a')).decision).toBe('deny');
    rules();
    projectRules({ decision: 'deny', pattern: 'a' });
    expect(ask(run('a')).decision).toBe('deny');
  });

  it.skipIf(process.getuid?.() === 0)('allows nothing if its file cannot be opened', () => {
    const { rules, ask, userFile } = scratch();
    rules({ decision: 'allow', kind: 'execute', pattern: 'a' });
    chmodSync(userFile, 0);
    expect(ask(run('a')).decision).toBe('ask');
  });

  it('answers with one-time options and never with "always"', () => {
    const { rules, store, requestOf } = scratch();
    rules({ name: 'a', decision: 'allow', pattern: 'a' }, { name: 'b', decision: 'deny', pattern: 'b' });
    const answer = (command: string, options: typeof OPTIONS) => {
      const input = requestOf(run(command));
      return store.answer({ ...input, request: { ...input.request, options } }, false);
    };
    expect(answer('a', OPTIONS)).toEqual({ answer: { decision: 'allow', optionId: 'once' }, rule: 'a' });
    expect(answer('a', OPTIONS.slice(0, 1))).toBeUndefined();
    expect(answer('b', OPTIONS)).toEqual({
      answer: { decision: 'deny', optionId: 'no', message: 'denied by rule "b"' },
      rule: 'b',
    });
    expect(answer('b', [])).toMatchObject({ answer: { decision: 'deny' } });
    expect(answer('c', OPTIONS)).toBeUndefined();
  });

  it('reports a pipe or folder instead of a file as an issue', () => {
    const { ask, userFile, store, project } = scratch();
    mkdirSync(dirname(userFile), { recursive: true });
    mkdirSync(userFile);
    expect(ask(run('a')).decision).toBe('ask');
    expect(store.overview({ cwd: project, trustProject: false }).issues).toMatchObject([{ file: userFile }]);
  });
});
