import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { usePolicy } from '../../test/policy-scratch.ts';
import { addRule, removeRule } from './edit-rules.ts';

const scratch = usePolicy();

describe('addRule', () => {
  it('inserts denying rules first and allowing rules last, and keeps comments', async () => {
    const { write, userFile, env, store, project } = scratch();
    write(
      userFile,
      '{\n  // mine\n  "policy": {\n    "rules": [\n      // first\n      { "name": "a", "decision": "allow", "kind": "read" }\n    ]\n  }\n}\n',
    );
    await addRule({ name: 'no-rm', decision: 'deny', kind: ['execute'], pattern: ['rm *'] }, { env });
    await addRule({ name: 'git', decision: 'allow', kind: ['execute'], pattern: ['git *', 'gh *'] }, { env });
    const { rules, issues } = store.overview({ cwd: project, trustProject: false });
    expect(rules.map(({ name }) => name)).toEqual(['no-rm', 'a', 'git']);
    expect(rules[0]).toMatchObject({ decision: 'deny', kind: ['execute'], pattern: ['rm *'] });
    expect(issues).toEqual([]);
    const text = readFileSync(userFile, 'utf8');
    expect(text).toContain('// mine');
    expect(text).toContain('// first');
  });

  it('creates the file of the user or the project', async () => {
    const { env, store, project, projectFile } = scratch();
    expect(await addRule({ decision: 'allow', kind: ['read'] }, { env })).toMatchObject({ created: true });
    expect(await addRule({ decision: 'deny', kind: ['fetch'] }, { env, cwd: project, project: true })).toMatchObject({
      file: projectFile,
      created: true,
    });
    expect(store.overview({ cwd: project, trustProject: false }).rules.map(({ source }) => source)).toEqual([
      'user',
      'project',
    ]);
  });

  it.each([
    [{ decision: 'allow' as const }, 'would allow everything'],
    [{ decision: 'deny' as const, pattern: ['../x'] }, 'leads upwards'],
    [{ decision: 'deny' as const, name: 'a b' }, 'name'],
    [{ decision: 'allow' as const, kind: ['read' as const], pattern: ['$(*)'] }, 'would allow nothing'],
  ])('rejects %j without writing', async (rule, problem) => {
    const { env, store, project } = scratch();
    await expect(addRule(rule, { env })).rejects.toThrow(problem);
    expect(store.overview({ cwd: project, trustProject: false }).rules).toEqual([]);
  });

  it('rejects a duplicate name, and an allow rule in a project', async () => {
    const { env, project } = scratch();
    await addRule({ name: 'a', decision: 'deny', kind: ['fetch'] }, { env });
    await expect(addRule({ name: 'a', decision: 'deny', kind: ['read'] }, { env })).rejects.toThrow('already exists');
    const loose = addRule({ decision: 'allow', kind: ['read'] }, { env, cwd: project, project: true });
    await expect(loose).rejects.toThrow('may only ask or deny');
  });
});

describe('removeRule', () => {
  it('removes the named rule, or suggests a similar name', async () => {
    const { rules, env, store, project } = scratch();
    rules({ name: 'alpha', decision: 'deny', kind: 'read' }, { name: 'beta', decision: 'deny', kind: 'read' });
    await removeRule('alpha', { env });
    expect(store.overview({ cwd: project, trustProject: false }).rules.map(({ name }) => name)).toEqual(['beta']);
    await expect(removeRule('bta', { env })).rejects.toMatchObject({ hint: 'did you mean beta?' });
  });

  it('removes an unnamed rule by its displayed name', async () => {
    const { rules, env, store, project } = scratch();
    rules({ name: 'alpha', decision: 'deny', kind: 'read' }, { decision: 'deny', kind: 'fetch' });
    const [, unnamed] = store.overview({ cwd: project, trustProject: false }).rules;
    await removeRule(unnamed?.name ?? '', { env });
    expect(store.overview({ cwd: project, trustProject: false }).rules.map(({ name }) => name)).toEqual(['alpha']);
  });
});
