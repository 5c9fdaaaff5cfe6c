import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { amux, hasScript, newPlace, onTerminal, PATIENCE_MS, projectConfig, userConfig, writeConfig } from './amux.ts';

const options = { timeout: PATIENCE_MS };

describe('amux policy', () => {
  it('writes rules, lists them, tries them and takes them out', options, async () => {
    const place = newPlace();
    const run = (...args: string[]) => amux(place, ['policy', ...args]);
    expect((await run()).stdout).toContain('there are no rules');
    await run('add', 'allow', '--kind', 'execute', '--pattern', 'git *', '--name', 'git');
    const added = await run('add', 'deny', '--kind', 'execute', '--pattern', 'rm *', '--name', 'no-rm');
    expect(added).toMatchObject({ code: 0, stdout: `✓ no-rm is written ${userConfig(place)}\n` });
    const { stdout } = await run('list');
    expect(stdout).toMatch(/^no-rm +deny +kind execute · pattern rm \* +.*config.json:\d+$/m);
    expect(stdout.indexOf('no-rm')).toBeLessThan(stdout.indexOf('git '));
    const tried = async (asked: string) => (await run('test', asked, '--kind', 'execute', '--agent', 'demo')).stdout;
    expect(await tried('git status')).toMatch(/^allow {2}rule "git" \(.*:\d+\)\n$/);
    expect(await tried('git status; rm -rf ~')).toMatch(/^deny {2}rule "no-rm"/);
    expect(await tried('git status && make')).toMatch(
      /^ask {2}no rule matches; rule "git" does not count: the command/,
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
    [['add', 'maybe', '--kind', 'read'], '"maybe" is no decision'],
    [['add', 'deny', '--kind', 'exec'], '--kind "exec" is none'],
    [['add', 'deny', '--agent', 'claud'], 'there is no agent "claud"'],
    [['add', 'allow', '--kind', 'read', '--project'], 'may only ask or deny'],
    [['test', 'x'], 'say one --kind'],
    [['forget'], 'say which answer, or --all'],
    [['forget', 'abc'], 'no remembered answer begins with "abc"'],
    [['remove', 'abc'], 'has no rule named "abc"'],
  ])('refuses %j', options, async (args, problem) => {
    const { code, stderr } = await amux(newPlace(), ['policy', ...args]);
    expect(stderr).toContain(problem);
    expect(code).not.toBe(0);
  });

  it('tells what is wrong with file and line, and shows a project what it may not', options, async () => {
    const place = newPlace();
    writeConfig(userConfig(place), { policy: { rules: [{ decision: 'deny', knd: 'execute' }] } });
    writeConfig(projectConfig(place), { policy: { rules: [{ decision: 'allow', kind: 'execute' }] } });
    const { stdout, stderr } = await amux(place, ['policy']);
    expect(stderr).toContain(`${userConfig(place)}:6:9: policy.rules[0].knd is not known here; did you mean kind?`);
    expect(stderr).toContain(`${projectConfig(place)}:4:7: policy.rules[0] allows something`);
    expect(stdout).toMatch(/^user-1 +ask +everything \(has a fault, and so asks\)/m);
    const trusted = await amux(place, ['policy', '--trust-project']);
    expect(trusted.stdout).toMatch(/^project-1 +allow +kind execute/m);
  });
});

describe('rules in a run', () => {
  const rules = (...all: unknown[]) => ({ policy: { rules: all } });

  it('answer without a terminal, and say so', options, async () => {
    const place = newPlace();
    writeConfig(userConfig(place), rules({ name: 'node-ok', decision: 'allow', kind: 'execute', pattern: 'node *' }));
    const run = (...args: string[]) => amux(place, ['run', '-a', 'demo', '--no-stdin', ...args, 'run it']);
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

  it('deny, also with --no-policy, and a faulty one asks and is told', options, async () => {
    const place = newPlace();
    const run = (...args: string[]) => amux(place, ['run', '-a', 'demo', '--no-stdin', ...args, 'run it']);
    writeConfig(userConfig(place), rules({ name: 'no-node', decision: 'deny', pattern: 'node *' }));
    for (const args of [[], ['--no-policy']]) {
      const { code, stderr, stdout } = await run(...args);
      expect(stderr).toContain('denied by rule no-node: Run node --version');
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'Then I do not run it.\n' });
    }
    writeConfig(userConfig(place), rules({ decision: 'allow', kind: 'execute', pattern: 'node *', odd: 1 }));
    const faulty = await run();
    expect(faulty.stderr).toContain('policy.rules[0].odd is not known here');
    expect(faulty.code).toBe(7);
  });

  it.runIf(hasScript)('are made by a key in place: exactly this again in this project', options, async () => {
    const place = newPlace();
    const run = onTerminal(place, ['run', '-a', 'demo', 'run it'], { NO_COLOR: '1' });
    await run.until('[p] Always in this project');
    run.child.stdin?.write('p\n');
    await run.finished;
    const again = await amux(place, ['run', '-a', 'demo', '--no-stdin', 'run it']);
    expect(again.stderr).toMatch(/allowed by remembered \w+: Run node --version/);
    const { stdout } = await amux(place, ['policy']);
    const [, id = ''] = /^(\w+) +allow +demo run_command \(execute\): node --version +project /m.exec(stdout) ?? [];
    expect((await amux(place, ['policy', 'forget', id])).stdout).toContain('forgotten: ');
    expect((await amux(place, ['run', '-a', 'demo', '--no-stdin', 'run it'])).code).toBe(7);
    expect(readFileSync(`${place.home}/.local/state/agent-mux/policy/remembered.json`, 'utf8')).toContain(
      '"answers": []',
    );
  });
});
