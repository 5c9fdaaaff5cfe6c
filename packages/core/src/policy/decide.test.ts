import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { usePolicy } from '../../test/policy-scratch.ts';
import { TOOL_KINDS } from '../contract/tool-kinds.ts';

const scratch = usePolicy();
const run = (command: string) => ({ input: { command } });

describe('rules', () => {
  it('ask without a matching rule', () => {
    expect(scratch().ask(run('ls'))).toMatchObject({ decision: 'ask', rule: null, reason: 'no rule matches' });
  });

  it('decide by the first match, which is named', () => {
    const { rules, ask, userFile } = scratch();
    rules(
      { name: 'no-push', decision: 'deny', kind: 'execute', pattern: 'git push*' },
      { name: 'git', decision: 'allow', kind: 'execute', pattern: 'git *' },
      { name: 'all', decision: 'deny', agent: 'claude', kind: ['execute', 'fetch'] },
    );
    expect(ask(run('git push'))).toMatchObject({
      decision: 'deny',
      rule: { name: 'no-push', file: userFile, line: 4 },
    });
    expect(ask(run('git status'))).toMatchObject({ decision: 'allow', rule: { name: 'git' } });
    expect(ask(run('ls'))).toMatchObject({ decision: 'deny', rule: { name: 'all' } });
    expect(ask({ ...run('ls'), agent: 'codex' })).toMatchObject({ decision: 'ask', rule: null });
  });

  it('explain why a similar rule does not apply', () => {
    const { rules, ask } = scratch();
    rules({ name: 'git', decision: 'allow', kind: 'execute', pattern: 'git *' });
    expect(ask(run('git log; reboot')).reason).toBe(
      'no rule matches; rule "git" does not apply: the command does more than its pattern covers',
    );
  });

  it('name tools and folders', () => {
    const { rules, ask, home, project } = scratch();
    mkdirSync(join(home, 'other'));
    rules(
      { decision: 'allow', tool: 'Web*', kind: 'fetch', folder: '~/repo' },
      { decision: 'deny', tool: 'bash', folder: '~/other' },
    );
    const fetch = { toolName: 'WebFetch', kind: 'fetch' as const, input: { url: 'https://a.b/' } };
    expect(ask(fetch)).toMatchObject({ decision: 'allow', rule: { name: 'user-1' } });
    expect(ask({ ...fetch, cwd: join(home, 'other') }).decision).toBe('ask');
    expect(ask({ ...run('ls'), cwd: join(home, 'other') }).decision).toBe('deny');
    symlinkSync(join(home, 'other'), join(project, 'link'));
    expect(ask({ ...fetch, cwd: join(project, 'link') }).decision).toBe('ask');
    expect(ask({ ...run('ls'), cwd: join(project, 'link') }).decision).toBe('deny');
  });

  it('cover only the URLs that they name', () => {
    const { rules, ask } = scratch();
    const fetch = (url: string) => ask({ toolName: 'WebFetch', kind: 'fetch', input: { url, prompt: 'x' } }).decision;
    rules(
      { decision: 'deny', kind: 'fetch', pattern: 'evil.com' },
      { decision: 'allow', kind: 'fetch', pattern: ['docs.example.com', 'https://*.safe.org/public/*'] },
    );
    expect(
      ['https://docs.example.com/a?b', 'http://docs.example.com', 'https://x.safe.org/public/a'].map(fetch),
    ).toEqual(['allow', 'allow', 'allow']);
    const asked = [
      'https://docs.example.com.attacker.net/',
      'https://docs.example.com@attacker.net/',
      'https://attacker.net/docs.example.com',
      'https://attacker.net/?docs.example.com',
      'https://attacker.net/.safe.org/public/a',
      'https://x.safe.org/private/a',
      'https://x.safe.org/public/../private/a',
      'http://x.safe.org/public/a',
      'https://docs.example.com:8443/',
      'ftp://docs.example.com/',
      'javascript:alert(1)',
      'docs.example.com\\@attacker.net',
    ];
    expect(asked.map((url) => [url, fetch(url)])).toEqual(asked.map((url) => [url, 'ask']));
    const denied = ['https://evil.com', 'https://sub.EVIL.com/x', 'http://x@evil.com:80/', 'evil.com/x'];
    expect(denied.map(fetch)).toEqual(denied.map(() => 'deny'));
  });

  it('cover MCP tools by server and tool', () => {
    const { rules, ask } = scratch();
    rules({ decision: 'allow', kind: 'mcp', pattern: 'github/get_*' });
    const call = (toolName: string) => ask({ toolName, kind: 'mcp', input: { anything: '/etc' } }).decision;
    const others = ['mcp__github__delete', 'mcp__evil__get_issue', 'get_issue', 'github/get_issue'];
    expect(['mcp__github__get_issue', ...others].map(call)).toEqual(['allow', 'ask', 'ask', 'ask', 'ask']);
  });
});

describe('paths', () => {
  const edit = (path: string) => ({
    toolName: 'Edit',
    kind: 'edit' as const,
    input: { file_path: path, new_string: 'x' },
  });

  it('are resolved to their real location', () => {
    const { rules, ask, project, home } = scratch();
    mkdirSync(join(project, 'src'));
    writeFileSync(join(home, 'secret'), '');
    symlinkSync(home, join(project, 'src', 'up'));
    symlinkSync(join(home, 'nowhere'), join(project, 'src', 'dangling'));
    rules({ decision: 'allow', kind: 'edit', pattern: 'src/**' });
    const inside = [
      'src/a.ts',
      './src/new/b.ts',
      join(project, 'src/a.ts'),
      'src/x/../a.ts',
      `file://${project}/src/a.ts`,
    ];
    expect(inside.map((path) => [path, ask(edit(path)).decision])).toEqual(inside.map((path) => [path, 'allow']));
    const outside = [
      'src/../../secret',
      'src/../x',
      'src',
      'other/src/a',
      '/etc/passwd',
      'src/up/secret',
      'src/up/new',
      'src/dangling',
      '~/secret',
      'src/a\0b',
      'http://src/a',
      '',
    ];
    expect(outside.map((path) => [path, ask(edit(path)).decision])).toEqual(outside.map((path) => [path, 'ask']));
  });

  it('do not follow a folder that was replaced by a link', () => {
    const { rules, ask, project } = scratch();
    symlinkSync('/etc', join(project, 'src'));
    rules({ decision: 'allow', kind: 'edit', pattern: 'src/*' });
    expect(ask(edit('src/passwd')).decision).toBe('ask');
  });

  it('outside of the folder are not covered by a rule without a pattern', () => {
    const { rules, ask, home } = scratch();
    rules({ name: 'reads', decision: 'allow', kind: ['read', 'search'] });
    const read = (path: string) => ask({ toolName: 'Read', kind: 'read', input: { file_path: path } });
    expect(read('a.txt').decision).toBe('allow');
    expect(read('../x')).toMatchObject({ decision: 'ask', reason: expect.stringContaining('outside') });
    expect(read(join(home, '.ssh/id')).decision).toBe('ask');
    expect(ask({ toolName: 'Grep', kind: 'search', input: { pattern: 'x' } }).decision).toBe('allow');
    expect(ask({ toolName: 'Glob', kind: 'search', input: { pattern: '/etc/*' } }).decision).toBe('ask');
    rules({ decision: 'allow', kind: 'read', pattern: '~/notes/*' });
    expect(read(join(home, 'notes', 'a')).decision).toBe('allow');
  });

  it('must all be covered, of several', () => {
    const { rules, ask } = scratch();
    rules({ decision: 'allow', kind: 'edit', pattern: 'src/*' });
    const patch = (input: unknown) => ask({ toolName: 'apply_patch', kind: 'edit', input }).decision;
    expect(patch({ paths: ['src/a', 'src/b'] })).toBe('allow');
    expect(patch({ paths: ['src/a', 'b'] })).toBe('ask');
    expect(patch({ changes: [{ path: 'src/a', kind: { type: 'update', move_path: 'b' }, diff: '' }] })).toBe('ask');
    expect(patch({ file_path: 'src/a', edits: [{ path: '/etc/passwd', newText: '' }] })).toBe('ask');
    expect(patch({ input: '*** Begin Patch\n*** Update File: src/a\n*** End Patch' })).toBe('allow');
    expect(patch({ input: '*** Begin Patch\n*** Update File: src/a\n*** Add File: ../b\n*** End Patch' })).toBe('ask');
    expect(patch({ patch: '--- a\n+++ b' })).toBe('ask');
    expect(patch({})).toBe('ask');
  });

  it('are denied however they are written', () => {
    const { rules, ask, home, project } = scratch();
    mkdirSync(join(home, '.ssh'));
    symlinkSync(join(home, '.ssh'), join(project, 'keys'));
    rules(
      { decision: 'deny', pattern: ['~/.ssh', '*.env', 'secrets'] },
      { decision: 'allow', kind: ['read', 'edit'], allowFields: ['*'] },
    );
    const denied = [
      '~/.ssh/id',
      join(home, '.ssh', 'id'),
      '../.ssh/id',
      'keys/id',
      '../.SSH/id',
      'a/.env',
      'prod.env',
      'secrets/a',
      'x/secrets',
      `file://${home}/.ssh/id`,
    ];
    expect(denied.map((path) => [path, ask(edit(path)).decision])).toEqual(denied.map((path) => [path, 'deny']));
    const not = ['mysecrets', 'a.envx/b', join(home, '.sshx')];
    expect(not.map((path) => [path, ask(edit(path)).decision])).toEqual(not.map((path) => [path, 'allow']));
  });

  it('of agent-mux itself are never changed by a rule', () => {
    const { rules, ask, userFile, env, home } = scratch();
    rules({ decision: 'allow', kind: ['edit', 'read', 'delete'], allowFields: ['*'] });
    const own = ['.agent-mux/config.json', userFile, join(home, '.local/state/agent-mux/policy/remembered.json')];
    expect(env.HOME).toBe(home);
    expect(own.map((path) => ask(edit(path)).decision)).toEqual(['ask', 'ask', 'ask']);
  });

  it('of a worktree in the state folder count as project files', () => {
    const { rules, ask, home } = scratch();
    const cwd = join(home, '.local/state/agent-mux/daemon/worktrees/a');
    mkdirSync(cwd, { recursive: true });
    rules({ decision: 'allow', kind: 'edit', allowFields: ['*'] });
    expect(ask({ ...edit('src/a.ts'), cwd }).decision).toBe('allow');
    expect(ask({ ...edit('../b/a.ts'), cwd }).decision).toBe('ask');
    expect(ask({ ...edit('../../token'), cwd }).decision).toBe('ask');
  });

  it('have no meaning for a remote agent', () => {
    const { rules, ask } = scratch();
    rules({ decision: 'allow', kind: 'edit', pattern: '*' }, { decision: 'allow', folder: '~/repo' });
    expect(ask({ ...edit('a'), isLocal: false }).decision).toBe('ask');
  });
});

describe('additional requests', () => {
  it('are allowed only by a rule that names them', () => {
    const { rules, ask } = scratch();
    rules({ decision: 'allow', kind: 'execute', pattern: 'npm *' });
    const asked = (input: object, more: object = {}) =>
      ask({ input: { command: 'npm test', ...input }, ...more }).decision;
    expect(asked({ description: 'x', timeout: 5, run_in_background: true })).toBe('allow');
    expect(asked({ dangerouslyDisableSandbox: false })).toBe('allow');
    expect(asked({ dangerouslyDisableSandbox: true })).toBe('ask');
    expect(asked({ additionalPermissions: { network: true } })).toBe('ask');
    expect(asked({ request: { sandbox: 'none' } })).toBe('ask');
    expect(asked({ cwd: '/etc' })).toBe('ask');
    expect(asked({ cwd: '.' })).toBe('allow');
    expect(asked({ cmd: 'rm -rf ~' })).toBe('ask');
    expect(asked({ command: 'make', fullCommand: 'npm test' })).toBe('ask');
    expect(asked({ command: 'npm', fullCommand: 'npm test' })).toBe('ask');
    expect(asked({ request: { command: 'npm' } })).toBe('allow');
    expect(asked({ request: { command: 'rm x' } })).toBe('ask');
    expect(asked({ args: ['x'] })).toBe('ask');
    expect(asked({ env: { LD_PRELOAD: 'x' } })).toBe('ask');
    expect(asked({ kind: 'writeStdin' })).toBe('ask');
    expect(asked({ token: { $blob: {} } })).toBe('ask');
    expect(asked({}, { elevated: true })).toBe('ask');
    rules({
      decision: 'allow',
      kind: 'execute',
      pattern: 'npm *',
      allowFields: ['elevated', 'dangerouslyDisableSandbox'],
    });
    expect(asked({ dangerouslyDisableSandbox: true }, { elevated: true })).toBe('allow');
  });

  it('are understood in the format of each agent', () => {
    const { rules, ask, project } = scratch();
    rules({ decision: 'allow', kind: 'execute', pattern: 'touch *' });
    const codex = {
      command: "/bin/bash -lc 'touch a.txt'",
      cwd: project,
      kind: 'command',
      environmentId: 'local',
      commandActions: [{ type: 'unknown', command: 'touch a.txt' }],
      proposedExecpolicyAmendment: ['touch', 'a.txt'],
    };
    const droid = {
      command: 'touch a.txt',
      summary: 's',
      riskLevel: 'low',
      riskLevelReason: 'r',
      timeout: 60,
      request: { type: 'exec', command: 'touch', extractedCommands: ['touch'], impactLevel: 'low' },
    };
    const opencode = { permission: 'bash', patterns: ['touch a.txt'], always: ['touch *'], command: 'touch a.txt' };
    const external = { resource: 'touch a.txt' };
    const argv = { command: ['touch', 'a b'] };
    for (const input of [codex, droid, opencode, external, argv, 'touch a.txt']) {
      expect([input, ask({ input }).decision]).toEqual([input, 'allow']);
    }
    expect(ask({ input: { command: ['bash', '-c', 'touch a; reboot'] } }).decision).toBe('ask');
    expect(ask({ input: { ...opencode, patterns: ['touch a.txt', 'rm x'] } }).decision).toBe('ask');
    expect(
      ask({
        input: [
          { name: 'Execute', input: droid },
          { name: 'Execute', input: { command: 'rm x' } },
        ],
      }).decision,
    ).toBe('ask');
  });

  it('cannot hide the kind of a request', () => {
    const { rules, ask } = scratch();
    rules(
      { name: 'no-rm', decision: 'deny', kind: 'execute', pattern: 'rm *' },
      { decision: 'allow', kind: ['read', 'other'] },
    );
    expect(ask({ toolName: 'X', kind: 'read', input: { command: 'ls' } }).decision).toBe('ask');
    expect(ask({ toolName: 'X', kind: 'other', input: { command: 'rm x' } })).toMatchObject({ decision: 'deny' });
    expect(ask({ toolName: 'X', kind: 'other', input: { command: 'ls' } }).decision).toBe('ask');
    expect(ask({ toolName: 'ExitPlanMode', kind: 'other', input: { plan: 'x' } }).decision).toBe('allow');
    expect(ask({ toolName: 'X', kind: undefined, input: {} }).decision).toBe('allow');
  });

  it('are not allowed if a part was redacted or is nested too deeply', () => {
    const { rules, ask } = scratch();
    rules({ decision: 'allow', kind: 'execute' });
    expect(ask(run('curl -H token=[redacted] x')).decision).toBe('ask');
    expect(ask({ input: { command: { $blob: { preview: 'npm test' } } } }).decision).toBe('ask');
    let deep: unknown = 1;
    for (let i = 0; i < 200; i += 1) deep = { edits: deep };
    expect(ask({ input: { command: 'ls', description: deep } }).decision).toBe('allow');
    expect(ask({ input: { command: 'ls', input: deep } }).decision).toBe('ask');
  });
});

describe('untrusted project', () => {
  it('tightens and never loosens', () => {
    const { rules, projectRules, ask } = scratch();
    rules(
      { name: 'no-rm', decision: 'deny', kind: 'execute', pattern: 'rm *' },
      { name: 'npm', decision: 'allow', kind: 'execute', pattern: 'npm *' },
    );
    projectRules(
      { name: 'ask-all', decision: 'ask', pattern: 'rm *' },
      { name: 'no-publish', decision: 'deny', pattern: 'npm publish*' },
      { name: 'all', decision: 'allow', kind: 'execute' },
    );
    expect(ask(run('rm x'))).toMatchObject({ decision: 'deny', rule: { name: 'no-rm' } });
    expect(ask(run('npm publish'))).toMatchObject({
      decision: 'deny',
      rule: { name: 'no-publish', source: 'project' },
    });
    expect(ask(run('npm test')).decision).toBe('allow');
    expect(ask(run('make')).decision).toBe('ask');
    expect(ask({ ...run('make'), trustProject: true })).toMatchObject({ decision: 'allow', rule: { name: 'all' } });
    expect(ask({ ...run('rm x'), trustProject: true }).decision).toBe('deny');
  });

  it('never loosens anything, whatever its file contains', () => {
    const { rules, write, projectFile, ask } = scratch();
    rules(
      { decision: 'deny', kind: 'execute', pattern: 'rm *' },
      { decision: 'ask', kind: 'execute', pattern: 'git push*' },
      { decision: 'allow', kind: 'execute', pattern: 'git *' },
    );
    const strictness = { allow: 0, ask: 1, deny: 2 };
    const asked = ['rm x', 'git push', 'git log', 'make'].map((command) => ({ ...run(command), cwd: undefined }));
    const without = asked.map((one) => ask(one).decision);
    const rule = fc.record(
      {
        decision: fc.constantFrom('allow', 'ask', 'deny', 'allowed', 5),
        kind: fc.constantFrom(...TOOL_KINDS, 'x'),
        pattern: fc.constantFrom('*', 'git *', 'rm *', '', 5),
        name: fc.constantFrom('a', '../x'),
        odd: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.array(rule, { maxLength: 4 }), fc.jsonValue()), (content) => {
        write(projectFile, { policy: { rules: content } });
        asked.forEach((one, at) => {
          expect(strictness[ask(one).decision]).toBeGreaterThanOrEqual(strictness[without[at] ?? 'ask']);
        });
      }),
      { numRuns: 60 },
    );
  });
});
