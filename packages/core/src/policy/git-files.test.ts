import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { usePolicy } from '../../test/policy-scratch.ts';

const scratch = usePolicy();
const edit = (path: string) => ({ toolName: 'Edit', kind: 'edit' as const, input: { file_path: path } });
const OF_GIT = [
  '.git',
  '.git/config',
  '.git/hooks/pre-commit',
  'sub/.git/config',
  '.GIT/config',
  '.git./config',
  '.gi\u200ct/config',
  'git~1/config',
  '.gitattributes',
  'src/.gitattributes',
  '.gitmodules',
  '.lfsconfig',
  'link/config',
];

describe('allow rule for edits', () => {
  it('does not cover files that can make git run a program', () => {
    const { rules, ask, project } = scratch();
    mkdirSync(join(project, '.git'), { recursive: true });
    symlinkSync(join(project, '.git'), join(project, 'link'));
    for (const rule of [{}, { pattern: '**' }, { pattern: '.git/**' }]) {
      rules({ decision: 'allow', kind: ['edit', 'delete', 'move'], ...rule });
      expect(OF_GIT.map((path) => [path, ask(edit(path)).decision])).toEqual(OF_GIT.map((path) => [path, 'ask']));
    }
    expect(ask(edit('.git/config')).reason).toContain('allowFields: ["git"]');
    expect(ask({ ...edit('.git/hooks/x'), kind: 'delete' }).decision).toBe('ask');
  });

  it('covers all other files, also those with similar names', () => {
    const { rules, ask } = scratch();
    rules({ decision: 'allow', kind: 'edit' });
    for (const path of ['.gitignore', '.github/workflows/x.yml', 'git/config', 'src/a.git.ts', '.gitkeep'])
      expect([path, ask(edit(path)).decision]).toEqual([path, 'allow']);
  });

  it('covers them if it names them with "allowFields"', () => {
    const { rules, ask } = scratch();
    rules({ decision: 'allow', kind: 'edit', allowFields: ['git'] });
    expect(ask(edit('.gitattributes')).decision).toBe('allow');
  });

  it('covers the files of a session whose folder is below .git', () => {
    const { rules, ask, project } = scratch();
    const cwd = join(project, '.git', 'trees', 'one');
    mkdirSync(cwd, { recursive: true });
    rules({ decision: 'allow', kind: 'edit' });
    expect(ask({ ...edit('a.txt'), cwd }).decision).toBe('allow');
    expect(ask({ ...edit('.git'), cwd }).decision).toBe('ask');
  });
});
