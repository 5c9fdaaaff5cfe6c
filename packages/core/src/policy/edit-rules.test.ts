import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { usePolicy } from '../../test/policy-scratch.ts';
import { addRule, removeRule } from './edit-rules.ts';

const scratch = usePolicy();

describe('addRule', () => {
  it('puts what denies before what is there, and what allows behind it; comments stay', async () => {
    const { write, userFile, env, book, project } = scratch();
    write(
      userFile,
      '{\n  // mine\n  "policy": {\n    "rules": [\n      // first\n      { "name": "a", "decision": "allow", "kind": "read" }\n    ]\n  }\n}\n',
    );
    await addRule({ name: 'no-rm', decision: 'deny', kind: ['execute'], pattern: ['rm *'] }, { env });
    await addRule({ name: 'git', decision: 'allow', kind: ['execute'], pattern: ['git *', 'gh *'] }, { env });
    const { rules, faults } = book.overview({ cwd: project, trustProject: false });
    expect(rules.map(({ name }) => name)).toEqual(['no-rm', 'a', 'git']);
    expect(rules[0]).toMatchObject({ decision: 'deny', kind: ['execute'], pattern: ['rm *'] });
    expect(faults).toEqual([]);
    const text = readFileSync(userFile, 'utf8');
    expect(text).toContain('// mine');
    expect(text).toContain('// first');
  });

  it('makes the file where there is none, the user’s or the project’s', async () => {
    const { env, book, project, projectFile } = scratch();
    expect(await addRule({ decision: 'allow', kind: ['read'] }, { env })).toMatchObject({ created: true });
    expect(await addRule({ decision: 'deny', kind: ['fetch'] }, { env, cwd: project, project: true })).toMatchObject({
      file: projectFile,
      created: true,
    });
    expect(book.overview({ cwd: project, trustProject: false }).rules.map(({ source }) => source)).toEqual([
      'user',
      'project',
    ]);
  });

  it.each([
    [{ decision: 'allow' as const }, 'would allow everything'],
    [{ decision: 'deny' as const, pattern: ['../x'] }, 'leads upwards'],
    [{ decision: 'deny' as const, name: 'a b' }, 'name'],
    [{ decision: 'allow' as const, kind: ['read' as const], pattern: ['$(*)'] }, 'would allow nothing'],
  ])('refuses %j, and writes nothing', async (rule, problem) => {
    const { env, book, project } = scratch();
    await expect(addRule(rule, { env })).rejects.toThrow(problem);
    expect(book.overview({ cwd: project, trustProject: false }).rules).toEqual([]);
  });

  it('refuses a name that is taken, and what a project may not say', async () => {
    const { env, project } = scratch();
    await addRule({ name: 'a', decision: 'deny', kind: ['fetch'] }, { env });
    await expect(addRule({ name: 'a', decision: 'deny', kind: ['read'] }, { env })).rejects.toThrow('another rule');
    const loose = addRule({ decision: 'allow', kind: ['read'] }, { env, cwd: project, project: true });
    await expect(loose).rejects.toThrow('may only ask or deny');
  });
});

describe('removeRule', () => {
  it('takes out the one that is named, and says what there is instead', async () => {
    const { rules, env, book, project } = scratch();
    rules({ name: 'alpha', decision: 'deny', kind: 'read' }, { name: 'beta', decision: 'deny', kind: 'read' });
    await removeRule('alpha', { env });
    expect(book.overview({ cwd: project, trustProject: false }).rules.map(({ name }) => name)).toEqual(['beta']);
    await expect(removeRule('bta', { env })).rejects.toMatchObject({ hint: 'did you mean beta?' });
  });

  it('removes an unnamed rule by the name that the list shows', async () => {
    const { rules, env, book, project } = scratch();
    rules({ name: 'alpha', decision: 'deny', kind: 'read' }, { decision: 'deny', kind: 'fetch' });
    const [, unnamed] = book.overview({ cwd: project, trustProject: false }).rules;
    await removeRule(unnamed?.name ?? '', { env });
    expect(book.overview({ cwd: project, trustProject: false }).rules.map(({ name }) => name)).toEqual(['alpha']);
  });
});
