import { describe, expect, it } from 'vitest';
import { usePolicy } from '../../test/policy-scratch.ts';

const scratch = usePolicy();
const run = (command: string) => ({ input: { command } });

describe('invalid rules', () => {
  it('fail closed: an invalid denial asks, and matches more than it would have denied', () => {
    const { rules, ask, store, project } = scratch();
    rules(
      { name: 'typo', decision: 'deny', knid: 'execute', tool: 'Bash' },
      { name: 'all', decision: 'allow', kind: ['execute', 'read'] },
    );
    expect(ask(run('ls'))).toMatchObject({ decision: 'ask', rule: { name: 'typo', invalid: true } });
    expect(ask({ toolName: 'Read', kind: 'read', input: {} }).decision).toBe('allow');
    const { issues } = store.overview({ cwd: project, trustProject: false });
    expect(issues).toMatchObject([
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
  ])('%j is reported and blocks all rules after it', (invalid) => {
    const { rules, ask, store, project } = scratch();
    rules(invalid, { decision: 'allow', kind: 'execute' });
    expect(ask(run('x')).decision).toBe('ask');
    expect(store.overview({ cwd: project, trustProject: false }).issues).not.toEqual([]);
  });

  it.each([
    [{ decision: 'allow' }],
    [{ decision: 'allow', allowFields: ['*'] }],
    [{ decision: 'allow', kind: 'execute', patern: 'x' }],
    [{ decision: 'allow', kind: 'execute', pattern: 'echo $(*)' }],
    [{ decision: 'allow', kind: 'execute', folder: '~/../x' }],
  ])('%j allows nothing', (invalid) => {
    const { rules, ask, store, project } = scratch();
    rules(invalid);
    expect(ask(run('x')).decision).toBe('ask');
    expect(store.overview({ cwd: project, trustProject: false }).issues).toHaveLength(1);
  });

  it.each([
    '{ "policy": { "rules": [{ "decision": "allow", "kind": "execute" }',
    '[]',
    '{"policy": 5}',
    '{"policy":{"rules":{}}}',
  ])('a file such as %s suspends all allow rules and keeps denials', (text) => {
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

  it('above the limit suspend allow rules: a dropped one may be a denial', () => {
    const { rules, ask } = scratch();
    rules(...Array.from({ length: 1001 }, () => ({ decision: 'allow', kind: 'execute' })));
    expect(ask(run('ls')).decision).toBe('ask');
  });

  it('with the same name are reported and apply', () => {
    const { rules, ask, store, project } = scratch();
    rules({ name: 'a', decision: 'deny', pattern: 'x' }, { name: 'a', decision: 'deny', pattern: 'y' });
    expect(ask(run('y'))).toMatchObject({ decision: 'deny', rule: { name: 'user-2' } });
    expect(store.overview({ cwd: project, trustProject: false }).issues).toHaveLength(1);
  });
});
