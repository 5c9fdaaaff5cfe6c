import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  amux,
  createTestHome,
  hasScript,
  onTerminal,
  projectConfig,
  TIMEOUT_MS,
  userConfig,
  writeConfig,
} from './amux.ts';

const options = { timeout: TIMEOUT_MS };

describe('amux policy', () => {
  it('adds, lists, tests and removes rules', options, async () => {
    const testHome = createTestHome();
    const run = (...args: string[]) => amux(testHome, ['policy', ...args]);
    expect((await run()).stdout).toContain('no rules: every request asks you');
    await run('add', 'allow', '--kind', 'execute', '--pattern', 'git *', '--name', 'git');
    const added = await run('add', 'deny', '--kind', 'execute', '--pattern', 'rm *', '--name', 'no-rm');
    expect(added).toMatchObject({ code: 0, stdout: `✓ no-rm added ${userConfig(testHome)}\n` });
    const { stdout } = await run('list');
    expect(stdout).toMatch(/^no-rm +deny +kind execute · pattern rm \* +.*config.json:\d+$/m);
    expect(stdout.indexOf('no-rm')).toBeLessThan(stdout.indexOf('git '));
    const tried = async (resource: string) =>
      (await run('test', resource, '--kind', 'execute', '--agent', 'demo')).stdout;
    expect(await tried('git status')).toMatch(/^allow {2}rule "git" \(.*:\d+\)\n$/);
    expect(await tried('git status; rm -rf ~')).toMatch(/^deny {2}rule "no-rm"/);
    expect(await tried('git status && make')).toMatch(
      /^ask {2}no rule matches; rule "git" does not apply: the command/,
    );
    expect(JSON.parse((await run('test', 'ls', '--kind', 'execute', '--json')).stdout)).toEqual({
      decision: 'ask',
      rule: null,
      remembered: null,
      reason: 'no rule matches',
    });
    await run('remove', 'no-rm');
    expect(JSON.parse((await run('list', '--json')).stdout).rules).toMatchObject([{ name: 'git' }]);
  });

  it.each([
    [['add', 'allow'], 'would allow everything'],
    [['add', 'maybe', '--kind', 'read'], 'invalid decision "maybe"'],
    [['add', 'deny', '--kind', 'exec'], '--kind: unknown kind "exec"'],
    [['add', 'deny', '--agent', 'claud'], 'unknown agent "claud"'],
    [['add', 'allow', '--kind', 'read', '--project'], 'may only ask or deny'],
    [['test', 'x'], 'exactly one --kind is required'],
    [['forget'], 'missing answer id or --all'],
    [['forget', 'abc'], 'no remembered answer matches "abc"'],
    [['remove', 'abc'], 'has no rule named "abc"'],
  ])('rejects %j', options, async (args, problem) => {
    const { code, stderr } = await amux(createTestHome(), ['policy', ...args]);
    expect(stderr).toContain(problem);
    expect(code).not.toBe(0);
  });

  it('reports invalid rules with file and line, and what a project may not do', options, async () => {
    const testHome = createTestHome();
    writeConfig(userConfig(testHome), { policy: { rules: [{ decision: 'deny', knd: 'execute' }] } });
    writeConfig(projectConfig(testHome), { policy: { rules: [{ decision: 'allow', kind: 'execute' }] } });
    const { stdout, stderr } = await amux(testHome, ['policy']);
    expect(stderr).toContain(`${userConfig(testHome)}:6:9: policy.rules[0].knd is unknown; did you mean kind?`);
    expect(stderr).toContain(`${projectConfig(testHome)}:4:7: policy.rules[0] allows something`);
    expect(stdout).toMatch(/^user-1 +ask +everything \(invalid; falls back to ask\)/m);
    const trusted = await amux(testHome, ['policy', '--trust-project']);
    expect(trusted.stdout).toMatch(/^project-1 +allow +kind execute/m);
  });
});

describe('rules in a run', () => {
  const rules = (...all: unknown[]) => ({ policy: { rules: all } });

  it('answer without a terminal and are reported', options, async () => {
    const testHome = createTestHome();
    writeConfig(
      userConfig(testHome),
      rules({ name: 'node-ok', decision: 'allow', kind: 'execute', pattern: 'node *' }),
    );
    const run = (...args: string[]) => amux(testHome, ['run', '-a', 'demo', '--no-stdin', ...args, 'run it']);
    const allowed = await run();
    expect(allowed).toMatchObject({ code: 0, stdout: expect.stringContaining('Node is v') });
    expect(allowed.stderr).toContain('allowed by rule node-ok: Run node --version');
    const events = (await run('--json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.find(({ type }) => type === 'approval_resolved')).toMatchObject({ by: 'policy', rule: 'node-ok' });
    expect(await run('--no-policy')).toMatchObject({ code: 7 });
  });

  it('deny, also with --no-policy, and an invalid one asks and is reported', options, async () => {
    const testHome = createTestHome();
    const run = (...args: string[]) => amux(testHome, ['run', '-a', 'demo', '--no-stdin', ...args, 'run it']);
    writeConfig(userConfig(testHome), rules({ name: 'no-node', decision: 'deny', pattern: 'node *' }));
    for (const args of [[], ['--no-policy']]) {
      const { code, stderr, stdout } = await run(...args);
      expect(stderr).toContain('denied by rule no-node: Run node --version');
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'Then I do not run it.\n' });
    }
    writeConfig(userConfig(testHome), rules({ decision: 'allow', kind: 'execute', pattern: 'node *', odd: 1 }));
    const invalid = await run();
    expect(invalid.stderr).toContain('policy.rules[0].odd is unknown');
    expect(invalid.code).toBe(7);
  });

  it.runIf(hasScript)('are created by a key at the prompt: always in this project', options, async () => {
    const testHome = createTestHome();
    const run = onTerminal(testHome, ['run', '-a', 'demo', 'run it'], { NO_COLOR: '1' });
    await run.until('[p] Always in this project');
    run.child.stdin?.write('p\n');
    await run.finished;
    const again = await amux(testHome, ['run', '-a', 'demo', '--no-stdin', 'run it']);
    expect(again.stderr).toMatch(/allowed by remembered \w+: Run node --version/);
    const { stdout } = await amux(testHome, ['policy']);
    const [, id = ''] = /^(\w+) +allow +demo run_command \(execute\): node --version +project /m.exec(stdout) ?? [];
    expect((await amux(testHome, ['policy', 'forget', id])).stdout).toContain('forgotten: ');
    expect((await amux(testHome, ['run', '-a', 'demo', '--no-stdin', 'run it'])).code).toBe(7);
    expect(readFileSync(`${testHome.home}/.local/state/agent-mux/policy/remembered.json`, 'utf8')).toContain(
      '"answers": []',
    );
  });
});
