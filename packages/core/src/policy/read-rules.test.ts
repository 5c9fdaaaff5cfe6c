import { describe, expect, it } from 'vitest';
import { usePolicy } from '../../test/policy-scratch.ts';

const scratch = usePolicy();
const run = (command: string) => ({ input: { command } });

describe('rules with a fault', () => {
  it('fail closed: a faulty denial asks, about more than it would have denied', () => {
    const { rules, ask, book, project } = scratch();
    rules(
      { name: 'typo', decision: 'deny', knid: 'execute', tool: 'Bash' },
      { name: 'all', decision: 'allow', kind: ['execute', 'read'] },
    );
    expect(ask(run('ls'))).toMatchObject({ decision: 'ask', rule: { name: 'typo', faulty: true } });
    expect(ask({ toolName: 'Read', kind: 'read', input: {} }).decision).toBe('allow');
    const { faults } = book.overview({ cwd: project, trustProject: false });
    expect(faults).toMatchObject([
      { line: 7, field: 'policy.rules[0].knid', problem: expect.stringContaining('kind') },
    ]);
  });

  it.each([
    [{ decision: 'denny', kind: 'execute' }],
    [{ kind: 'execute' }],
    [{ decision: 'deny', kind: 'exec' }],
    [{ decision: 'deny', kind: [] }],
    [{ decision: 'deny', pattern: '' }],
    [{ decision: 'deny', pattern: [5] }],
    [{ decision: 'deny', pattern: '../x' }],
    [{ decision: 'deny', folder: 'relative' }],
    [{ decision: 'ask', agent: 'no such name!' }],
    [{ decision: 'deny', name: 'no such name!', pattern: 'x' }],
    [{ decision: 'deny', __proto__x: 1 }],
    ['deny'],
    [null],
  ])('%j is told and lets nothing behind it pass', (faulty) => {
    const { rules, ask, book, project } = scratch();
    rules(faulty, { decision: 'allow', kind: 'execute' });
    expect(ask(run('x')).decision).toBe('ask');
    expect(book.overview({ cwd: project, trustProject: false }).faults).not.toEqual([]);
  });

  it.each([
    [{ decision: 'allow' }],
    [{ decision: 'allow', also: ['*'] }],
    [{ decision: 'allow', kind: 'execute', patern: 'x' }],
    [{ decision: 'allow', kind: 'execute', pattern: 'echo $(*)' }],
    [{ decision: 'allow', kind: 'execute', folder: '~/../x' }],
  ])('%j allows nothing', (faulty) => {
    const { rules, ask, book, project } = scratch();
    rules(faulty);
    expect(ask(run('x')).decision).toBe('ask');
    expect(book.overview({ cwd: project, trustProject: false }).faults).toHaveLength(1);
  });

  it.each([
    '{ "policy": { "rules": [{ "decision": "allow", "kind": "execute" }',
    '[]',
    '{"policy": 5}',
    '{"policy":{"rules":{}}}',
  ])('a file such as %s suspends all that is allowed, and keeps what is denied', (text) => {
    const { rules, write, projectFile, userFile, ask } = scratch();
    rules({ decision: 'deny', pattern: 'rm *' }, { decision: 'allow', kind: 'execute' });
    write(projectFile, text);
    expect(ask(run('ls'))).toMatchObject({ decision: 'ask', reason: expect.stringContaining(projectFile) });
    expect(ask(run('rm x')).decision).toBe('deny');
    write(projectFile, '{}');
    expect(ask(run('ls')).decision).toBe('allow');
    write(userFile, text);
    expect(ask(run('ls')).decision).toBe('ask');
  });

  it('are too many: what is left out may have been a denial', () => {
    const { rules, ask } = scratch();
    rules(...Array.from({ length: 1001 }, () => ({ decision: 'allow', kind: 'execute' })));
    expect(ask(run('ls')).decision).toBe('ask');
  });

  it('of the same name are told, and count', () => {
    const { rules, ask, book, project } = scratch();
    rules({ name: 'a', decision: 'deny', pattern: 'x' }, { name: 'a', decision: 'deny', pattern: 'y' });
    expect(ask(run('y'))).toMatchObject({ decision: 'deny', rule: { name: 'user-2' } });
    expect(book.overview({ cwd: project, trustProject: false }).faults).toHaveLength(1);
  });
});
