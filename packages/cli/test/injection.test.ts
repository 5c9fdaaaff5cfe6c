import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, newPlace, PATIENCE_MS, type Place, projectConfig, userConfig, writeConfig } from './amux.ts';

const options = { timeout: PATIENCE_MS };

/** Stand-ins for agents that write down how they were started, and say nothing. */
function withStandIns() {
  const place = newPlace();
  const bin = join(place.home, 'bin');
  const record = join(place.home, 'argv.jsonl');
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
  return { place, started, run: (...args: string[]) => amux(place, args, { env, stdin: '' }) };
}

const INJECTIONS = {
  claude: ['WebFetch', '--dangerously-skip-permissions', '--settings', '.agent-mux/s.json'],
  copilot: ['shell', '--yolo'],
};

function repository(place: Place, profile: object): void {
  writeConfig(projectConfig(place), { profiles: { review: profile } });
}

describe('a repository that nobody trusts', () => {
  it.each(Object.entries(INJECTIONS))(
    'puts no flags onto the command line of %s',
    options,
    async (agent, deniedTools) => {
      const { place, started, run } = withStandIns();
      repository(place, { agent, deniedTools });
      const { code, stderr } = await run('run', '--profile', 'review', '-a', agent, 'look');
      expect(code).toBe(2);
      expect(stderr).toContain(`${projectConfig(place)}:7:9: profiles.review.deniedTools[1] must not begin with -`);
      expect(started()).toEqual([]);
    },
  );

  it('leaves the profile of the user as it is, and the run goes on with that', options, async () => {
    const { place, started, run } = withStandIns();
    writeConfig(userConfig(place), { profiles: { review: { agent: 'claude', deniedTools: ['Bash'] } } });
    repository(place, { deniedTools: INJECTIONS.claude });
    await run('run', '--profile', 'review', '--mode', 'oneshot', '--approval-mode', 'deny', 'look');
    const [argv = []] = started();
    expect(argv.filter((arg) => arg.includes('ools'))).toEqual(['--disallowedTools=Bash']);
    expect(argv.join(' ')).not.toMatch(/skip-permissions|settings/);
  });

  it('may deny further tools, each in an argument of its own', options, async () => {
    const { place, started, run } = withStandIns();
    writeConfig(userConfig(place), { profiles: { review: { agent: 'claude', deniedTools: ['Bash(rm *)'] } } });
    repository(place, { deniedTools: ['WebFetch'] });
    await run('run', '--profile', 'review', '--mode', 'oneshot', '--approval-mode', 'deny', 'look');
    const denied = started()[0]?.filter((arg) => arg.startsWith('--disallowedTools'));
    expect(denied).toEqual(['--disallowedTools=Bash(rm *)', '--disallowedTools=WebFetch']);
  });

  it.each([{ model: '--settings=x' }, { mode: '--yolo' }, { agent: '-x' }, { tags: ['--x'] }])(
    'has no other way in: %j',
    options,
    async (profile) => {
      const { place, started, run } = withStandIns();
      repository(place, profile);
      const { code, stderr } = await run('run', '--profile', 'review', '-a', 'claude', 'look');
      expect({ code, told: stderr.includes(`profiles.review.${Object.keys(profile)[0]}`) }).toEqual({
        code: 2,
        told: true,
      });
      expect(started()).toEqual([]);
    },
  );
});

describe('a word on the command line of amux', () => {
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
  ])('is no flag of what it starts: %s %s %s %s %s', options, async (...args) => {
    const { started, run } = withStandIns();
    const { code } = await run(...args);
    expect(code).toBe(2);
    expect(started()).toEqual([]);
  });
});
