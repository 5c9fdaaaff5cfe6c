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

describe('an answer that is remembered', () => {
  const by = { decision: 'allow', by: 'ada' } as const;

  it('is given again for exactly the same, and for nothing else', async () => {
    const { book, requestOf, ask } = scratch();
    const asked = { ...run('npm test; ls'), title: 'x' };
    const answer = await book.remember(requestOf(asked), { ...by, scope: 'everywhere' }, false);
    expect(answer).toMatchObject({
      asked: 'npm test; ls',
      tool: 'Bash',
      kind: 'execute',
      by: 'ada',
      at: expect.any(Number),
    });
    expect(ask({ ...asked, title: 'another', input: { ...asked.input, description: 'd' } })).toMatchObject({
      decision: 'allow',
      rule: null,
      remembered: { id: answer.id },
    });
    expect(ask(run('npm test')).decision).toBe('ask');
    expect(ask({ ...asked, toolName: 'Shell' }).decision).toBe('ask');
    expect(ask({ ...asked, agent: 'codex' }).decision).toBe('ask');
    expect(ask({ ...asked, beyond: true }).decision).toBe('ask');
    expect(ask({ input: { ...asked.input, sandbox: 'off' } }).decision).toBe('ask');
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
    const { book, requestOf, ask } = scratch();
    const of = (input: unknown) => ({ toolName, kind: 'edit' as const, title: 'edit a.ts', input });
    const decided = (input: unknown) => ask(of(input)).decision;
    for (const input of [one, other]) {
      await book.remember(requestOf(of(input)), { ...by, scope: 'everywhere' }, false);
      expect([decided(input), decided(input === one ? other : one)]).toEqual(['allow', 'ask']);
      await book.forget('all');
    }
    const worded = typeof one === 'object' ? { ...one, description: 'in other words', toolCallId: 'another' } : one;
    await book.remember(requestOf(of(one)), { ...by, scope: 'everywhere' }, false);
    expect(decided(worded)).toBe('allow');
  });

  it('is refused for an edit whose content is not shown, or was taken out', async () => {
    const { book, requestOf, ask } = scratch();
    const of = (input: unknown) => requestOf({ toolName: 'Edit', kind: 'edit', input });
    const remember = (input: unknown, how: object = {}) =>
      book.remember(of(input), { ...by, scope: 'everywhere', ...how }, false);
    await expect(remember({ file_path: 'a.ts' })).rejects.toThrow('what it would write is not in the request');
    await expect(remember({ file_path: 'a.ts', content: 'key=[redacted]' })).rejects.toThrow('only be answered once');
    await remember({ file_path: 'a.ts' }, { pattern: 'a.ts' });
    expect(ask({ toolName: 'Edit', kind: 'edit', input: { file_path: 'a.ts', content: 'x' } }).decision).toBe('allow');
  });

  it('covers another question in the same place as little', async () => {
    const { book, requestOf, ask } = scratch();
    const look = (query: string) => ({ toolName: 'Grep', kind: 'search' as const, input: { path: '.', query } });
    await book.remember(requestOf(look('one')), { ...by, scope: 'everywhere' }, false);
    expect([ask(look('one')).decision, ask(look('two')).decision]).toEqual(['allow', 'ask']);
  });

  it('holds where it was given for: a session, a folder, everywhere', async () => {
    const { book, requestOf, ask, project, home } = scratch();
    mkdirSync(join(project, 'sub'));
    mkdirSync(join(home, 'other'));
    const at = (command: string, cwd = project, session = 's1') => ask({ ...run(command), cwd, session }).decision;
    const remember = (command: string, scope: 'session' | 'project' | 'everywhere') =>
      book.remember(requestOf({ ...run(command), cwd: join(project, 'sub'), session: 's1' }), { ...by, scope }, false);
    await remember('a', 'session');
    await remember('b', 'project');
    await remember('c', 'everywhere');
    expect([at('a'), at('a', project, 's2')]).toEqual(['allow', 'ask']);
    expect([at('b'), at('b', join(home, 'other'))]).toEqual(['allow', 'ask']);
    expect([at('c'), at('c', join(home, 'other'), 's3')]).toEqual(['allow', 'allow']);
  });

  it('may be a pattern, under the rules of patterns', async () => {
    const { book, requestOf, ask } = scratch();
    const remember = (command: string, pattern: string) =>
      book.remember(requestOf(run(command)), { ...by, scope: 'everywhere', pattern }, false);
    await remember('git log', 'git *');
    expect(ask(run('git status')).decision).toBe('allow');
    expect(ask(run('git status; rm x')).decision).toBe('ask');
    await expect(remember('npm test', 'git *')).rejects.toThrow('does not cover what is asked');
    await expect(remember('npm test; ls', 'npm *')).rejects.toThrow('does not cover what is asked');
  });

  it('never stands over a rule, and a denial stands over what rules allow', async () => {
    const { book, requestOf, ask, rules } = scratch();
    await book.remember(requestOf(run('a')), { ...by, scope: 'everywhere' }, false);
    await book.remember(requestOf(run('b')), { decision: 'deny', by: 'ada', scope: 'everywhere' }, false);
    rules({ name: 'no-a', decision: 'ask', pattern: 'a' }, { decision: 'allow', kind: 'execute' });
    expect(ask(run('a'))).toMatchObject({ decision: 'ask', rule: { name: 'no-a' } });
    expect(ask(run('b'))).toMatchObject({ decision: 'deny', remembered: { by: 'ada' } });
    const again = book.remember(requestOf(run('a')), { ...by, scope: 'everywhere' }, false);
    await expect(again).rejects.toThrow('the rule "no-a" decides here');
  });

  it('is not taken of what is not wholly known, or would change agent-mux itself', async () => {
    const { book, requestOf } = scratch();
    const remember = (given: Parameters<typeof requestOf>[0]) =>
      book.remember(requestOf(given), { ...by, scope: 'everywhere' }, false);
    await expect(remember(run('curl token=[redacted]'))).rejects.toThrow('only be answered once');
    const own = { toolName: 'Edit', kind: 'edit' as const, input: { file_path: '.agent-mux/config.json' } };
    await expect(remember(own)).rejects.toThrow('only be answered once');
    await expect(book.remember(requestOf(run('x')), { ...by, scope: 'session' }, false)).rejects.toThrow('no session');
  });

  it('is listed, taken back, and kept for its owner alone without secrets', async () => {
    const { book, requestOf, ask, env, project } = scratch();
    const one = await book.remember(
      requestOf(run('curl -H "Authorization: Bearer abcdefghijkl" x')),
      { ...by, scope: 'everywhere' },
      false,
    );
    const two = await book.remember(requestOf(run('b')), { ...by, scope: 'everywhere' }, false);
    await book.remember(requestOf(run('b')), { ...by, scope: 'everywhere' }, false);
    const file = rememberedFile(env);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain('abcdefghijkl');
    const listed = () => book.overview({ cwd: project, trustProject: false }).remembered;
    expect(listed()).toHaveLength(2);
    expect(await book.forget(one.id.slice(0, 6))).toMatchObject([{ id: one.id }]);
    await expect(book.forget(two.id)).rejects.toThrow('no remembered answer');
    expect(await book.forget('all')).toHaveLength(1);
    expect(ask(run('b')).decision).toBe('ask');
  });

  it('is shared by all who keep answers, at the same time too', async () => {
    const { book, requestOf, project } = scratch();
    await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        book.remember(requestOf(run(`x${at}`)), { ...by, scope: 'everywhere' }, false),
      ),
    );
    expect(book.overview({ cwd: project, trustProject: false }).remembered).toHaveLength(8);
  });

  it('is not lost by a file that cannot be read: nothing is allowed, nothing is written', async () => {
    const { book, requestOf, ask, env, rules, project } = scratch();
    rules({ decision: 'allow', kind: 'execute', pattern: 'ls' });
    await book.remember(requestOf(run('b')), { ...by, scope: 'everywhere' }, false);
    const file = rememberedFile(env);
    for (const text of ['{', '[]', '{"schema":"agent-mux.remembered.v1","answers":[{"decision":"deny"}]}']) {
      writeFileSync(file, text);
      expect([ask(run('b')).decision, ask(run('ls')).decision]).toEqual(['ask', 'ask']);
      expect(book.overview({ cwd: project, trustProject: false }).faults).toMatchObject([{ file }]);
      await expect(book.remember(requestOf(run('c')), { ...by, scope: 'everywhere' }, false)).rejects.toThrow(file);
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });
});

describe('a book of rules', () => {
  it('is read anew when a file changes', () => {
    const { rules, projectRules, ask } = scratch();
    rules({ decision: 'allow', kind: 'execute', pattern: 'a' });
    expect(ask(run('a')).decision).toBe('allow');
    rules({ decision: 'deny', kind: 'execute', pattern: 'a' });
    expect(ask(run('a')).decision).toBe('deny');
    rules();
    projectRules({ decision: 'deny', pattern: 'a' });
    expect(ask(run('a')).decision).toBe('deny');
  });

  it.skipIf(process.getuid?.() === 0)('allows nothing where its file cannot be opened', () => {
    const { rules, ask, userFile } = scratch();
    rules({ decision: 'allow', kind: 'execute', pattern: 'a' });
    chmodSync(userFile, 0);
    expect(ask(run('a')).decision).toBe('ask');
  });

  it('answers with what the agent offers for this once, and never for always', () => {
    const { rules, book, requestOf } = scratch();
    rules({ name: 'a', decision: 'allow', pattern: 'a' }, { name: 'b', decision: 'deny', pattern: 'b' });
    const answer = (command: string, options: typeof OPTIONS) => {
      const given = requestOf(run(command));
      return book.answer({ ...given, request: { ...given.request, options } }, false);
    };
    expect(answer('a', OPTIONS)).toEqual({ answer: { decision: 'allow', optionId: 'once' }, rule: 'a' });
    expect(answer('a', OPTIONS.slice(0, 1))).toBeUndefined();
    expect(answer('b', OPTIONS)).toEqual({
      answer: { decision: 'deny', optionId: 'no', message: 'denied by the rule "b"' },
      rule: 'b',
    });
    expect(answer('b', [])).toMatchObject({ answer: { decision: 'deny' } });
    expect(answer('c', OPTIONS)).toBeUndefined();
  });

  it('takes a pipe or a folder in the place of a file for a fault', () => {
    const { ask, userFile, book, project } = scratch();
    mkdirSync(dirname(userFile), { recursive: true });
    mkdirSync(userFile);
    expect(ask(run('a')).decision).toBe('ask');
    expect(book.overview({ cwd: project, trustProject: false }).faults).toMatchObject([{ file: userFile }]);
  });
});
