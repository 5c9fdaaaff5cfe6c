import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, createTestHome, projectConfig, type TestHome, TIMEOUT_MS, userConfig, writeConfig } from './amux.ts';

const options = { timeout: TIMEOUT_MS };

/** Fake agents that record how they were started and print nothing. */
function withStandIns() {
  const testHome = createTestHome();
  const bin = join(testHome.home, 'bin');
  const record = join(testHome.home, 'argv.jsonl');
  mkdirSync(bin);
  const script = `#!${process.execPath}
const argv = process.argv.slice(2);
if (argv[0] === '--version') console.log('9.9.9');
else require('node:fs').appendFileSync(${JSON.stringify(record)}, JSON.stringify(argv) + '\\n');
`;
  for (const name of ['claude', 'copilot', 'codex', 'ssh', 'npm']) {
    writeFileSync(join(bin, name), script);
    chmodSync(join(bin, name), 0o755);
  }
  const env = { PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':') };
  const started = (): string[][] =>
    existsSync(record)
      ? readFileSync(record, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];
  return { testHome, started, run: (...args: string[]) => amux(testHome, args, { env, stdin: '' }) };
}

const INJECTIONS = {
  claude: ['WebFetch', '--dangerously-skip-permissions', '--settings', '.agent-mux/s.json'],
  copilot: ['shell', '--yolo'],
};

function repository(testHome: TestHome, profile: object): void {
  writeConfig(projectConfig(testHome), { profiles: { review: profile } });
}

describe('untrusted repository', () => {
  it.each(Object.entries(INJECTIONS))(
    'cannot add flags to the command line of %s',
    options,
    async (agent, deniedTools) => {
      const { testHome, started, run } = withStandIns();
      repository(testHome, { agent, deniedTools });
      const { code, stderr } = await run('run', '--profile', 'review', '-a', agent, 'look');
      expect(code).toBe(2);
      expect(stderr).toContain(`${projectConfig(testHome)}:7:9: profiles.review.deniedTools[1] must not start with -`);
      expect(started()).toEqual([]);
    },
  );

  it('cannot change the user profile, which the run uses', options, async () => {
    const { testHome, started, run } = withStandIns();
    writeConfig(userConfig(testHome), { profiles: { review: { agent: 'claude', deniedTools: ['Bash'] } } });
    repository(testHome, { deniedTools: INJECTIONS.claude });
    await run('run', '--profile', 'review', '--mode', 'oneshot', '--approval-mode', 'deny', 'look');
    const [argv = []] = started();
    expect(argv.filter((arg) => arg.includes('ools'))).toEqual(['--disallowedTools=Bash']);
    expect(argv.join(' ')).not.toMatch(/skip-permissions|settings/);
  });

  it('may deny further tools, each in its own argument', options, async () => {
    const { testHome, started, run } = withStandIns();
    writeConfig(userConfig(testHome), { profiles: { review: { agent: 'claude', deniedTools: ['Bash(rm *)'] } } });
    repository(testHome, { deniedTools: ['WebFetch'] });
    await run('run', '--profile', 'review', '--mode', 'oneshot', '--approval-mode', 'deny', 'look');
    const denied = started()[0]?.filter((arg) => arg.startsWith('--disallowedTools'));
    expect(denied).toEqual(['--disallowedTools=Bash(rm *)', '--disallowedTools=WebFetch']);
  });

  it.each([{ model: '--settings=x' }, { mode: '--yolo' }, { agent: '-x' }, { tags: ['--x'] }])(
    'cannot inject a flag: %j',
    options,
    async (profile) => {
      const { testHome, started, run } = withStandIns();
      repository(testHome, profile);
      const { code, stderr } = await run('run', '--profile', 'review', '-a', 'claude', 'look');
      expect({ code, reported: stderr.includes(`profiles.review.${Object.keys(profile)[0]}`) }).toEqual({
        code: 2,
        reported: true,
      });
      expect(started()).toEqual([]);
    },
  );
});

describe('argument of amux', () => {
  it.each([
    ['run', '-a', 'claude', '--deny-tool=--dangerously-skip-permissions', 'look'],
    ['run', '-a', 'claude', '--model=--settings', 'look'],
    ['run', '-a', 'claude', '--resume=--yolo', 'look'],
    ['run', '-a', 'claude', '--resume=../../x', 'look'],
    ['run', '-a', 'claude', '--resume=latest', 'look'],
    ['run', '-a', 'codex', '--native-permission-mode=-c', 'look'],
    ['plugins', 'install', 'claude', '--', '--scope=project'],
    ['plugins', 'install', 'claude', 'x', '--registry=--x'],
    ['install', 'codex@--foo', '--yes'],
    ['remote', 'verify', 'ssh://-oProxyCommand=x', 'claude'],
    ['remote', 'verify', 'ssh://-oProxyCommand=x@host', 'claude'],
  ])('never becomes a flag of a started program: %s %s %s %s %s', options, async (...args) => {
    const { started, run } = withStandIns();
    const { code } = await run(...args);
    expect(code).toBe(2);
    expect(started()).toEqual([]);
  });
});
