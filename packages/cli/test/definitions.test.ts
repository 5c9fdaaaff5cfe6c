import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, createTestHome, TIMEOUT_MS, userConfig, writeConfig } from './amux.ts';

const options = { timeout: TIMEOUT_MS };
const SAYS_WHERE = { command: process.execPath, args: ['-e', 'console.log(process.cwd())'] };

describe('amux run with a configured agent', () => {
  it('runs in the folder of the definition, unless -C is given', options, async () => {
    const testHome = createTestHome();
    const own = join(testHome.home, 'own');
    mkdirSync(own);
    writeConfig(userConfig(testHome), {
      agents: [{ id: 'where', profile: 'generic-job', job: { ...SAYS_WHERE, work_dir: own } }],
    });
    expect((await amux(testHome, ['run', '-q', '-a', 'where', 'go'])).stdout).toContain(`${own}\n`);
    expect((await amux(testHome, ['run', '-q', '-a', 'where', '-C', testHome.cwd, 'go'])).stdout).toContain(
      `${testHome.cwd}\n`,
    );
  });

  it(
    'lists an agent with an invalid definition and its issues, also one that hides a built-in agent',
    options,
    async () => {
      const testHome = createTestHome();
      writeConfig(userConfig(testHome), {
        agents: [
          { id: 'mine', profile: 'generic-job', job: {} },
          { id: 'claude', profile: 'generic-jbo' },
        ],
        profiles: 7,
      });
      const { stdout, stderr } = await amux(testHome, ['agents']);
      expect(stdout).toMatch(/^invalid: mine: .+: agents\[0\]\.job\.command is required$/m);
      expect(stdout).toMatch(
        /^invalid: claude: .+: agents\[1\]\.profile .+did you mean generic-job or generic-cli\?$/m,
      );
      // Each issue is reported once.
      expect(stderr.match(/^amux: .+$/gm)).toEqual([expect.stringMatching(/: profiles /)]);
      const { agents, invalid }: Record<string, { agent: string }[]> = JSON.parse(
        (await amux(testHome, ['agents', '--json'])).stdout,
      );
      expect(agents?.filter(({ agent }) => agent === 'claude')).toEqual([]);
      expect(invalid?.filter(({ agent }) => agent === 'claude')).toMatchObject([
        { issues: [{ field: 'agents[1].profile' }] },
      ]);
    },
  );

  it('reports where a definition is invalid instead of an unknown agent', options, async () => {
    const testHome = createTestHome();
    writeConfig(userConfig(testHome), { agents: [{ id: 'mine', profile: 'generic-job', job: { args: [] } }] });
    const { code, stderr } = await amux(testHome, ['run', '-a', 'mine', 'go']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/definition of agent "mine" is invalid: line 6:7: agents\[0\]\.job\.command is required/);
    expect(stderr).toContain(`hint: fix ${userConfig(testHome)}, line 6`);
    expect(stderr).not.toContain('unknown agent');
  });

  it('reports a command that is not executable', options, async () => {
    const testHome = createTestHome();
    const script = join(testHome.home, 'job.sh');
    writeFileSync(script, '#!/bin/sh\n');
    writeConfig(userConfig(testHome), { agents: [{ id: 'mine', profile: 'generic-job', job: { command: script } }] });
    const { code, stderr } = await amux(testHome, ['run', '-a', 'mine', 'go']);
    expect(code).toBe(4);
    expect(stderr).toContain(`"${script}" is not executable`);
    expect(stderr).toContain(`hint: run "chmod +x ${script}"`);
  });

  it('reports a mistyped profile, also one that names the agent', options, async () => {
    const testHome = createTestHome();
    writeConfig(userConfig(testHome), { profiles: { careful: { agent: 'demo' } } });
    const { code, stderr } = await amux(testHome, ['run', '--profile', 'carful', 'go']);
    expect(code).toBe(2);
    expect(stderr).toBe('amux: profile "carful" not found\nhint: did you mean careful?\n');
  });
});
