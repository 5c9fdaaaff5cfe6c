import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, newPlace, PATIENCE_MS, userConfig, writeConfig } from './amux.ts';

const options = { timeout: PATIENCE_MS };
const SAYS_WHERE = { command: process.execPath, args: ['-e', 'console.log(process.cwd())'] };

describe('amux run with an agent of the configuration', () => {
  it('works in the folder of the definition, unless -C names another', options, async () => {
    const place = newPlace();
    const own = join(place.home, 'own');
    mkdirSync(own);
    writeConfig(userConfig(place), {
      agents: [{ id: 'where', profile: 'generic-job', job: { ...SAYS_WHERE, work_dir: own } }],
    });
    expect((await amux(place, ['run', '-q', '-a', 'where', 'go'])).stdout).toContain(`${own}\n`);
    expect((await amux(place, ['run', '-q', '-a', 'where', '-C', place.cwd, 'go'])).stdout).toContain(`${place.cwd}\n`);
  });

  it(
    'lists an agent whose definition is faulty with what is wrong, also one that hides a built-in',
    options,
    async () => {
      const place = newPlace();
      writeConfig(userConfig(place), {
        agents: [
          { id: 'mine', profile: 'generic-job', job: {} },
          { id: 'claude', profile: 'generic-jbo' },
        ],
        profiles: 7,
      });
      const { stdout, stderr } = await amux(place, ['agents']);
      expect(stdout).toMatch(/^faulty: mine cannot be run: .+: agents\[0\]\.job\.command is required$/m);
      expect(stdout).toMatch(
        /^faulty: claude cannot be run: .+: agents\[1\]\.profile .+did you mean generic-job or generic-cli\?$/m,
      );
      // Each is told once.
      expect(stderr.match(/^amux: .+$/gm)).toEqual([expect.stringMatching(/: profiles /)]);
      const { agents, faulty }: Record<string, { agent: string }[]> = JSON.parse(
        (await amux(place, ['agents', '--json'])).stdout,
      );
      expect(agents?.filter(({ agent }) => agent === 'claude')).toEqual([]);
      expect(faulty?.filter(({ agent }) => agent === 'claude')).toMatchObject([
        { faults: [{ field: 'agents[1].profile' }] },
      ]);
    },
  );

  it('says where a definition is faulty instead of not knowing its agent', options, async () => {
    const place = newPlace();
    writeConfig(userConfig(place), { agents: [{ id: 'mine', profile: 'generic-job', job: { args: [] } }] });
    const { code, stderr } = await amux(place, ['run', '-a', 'mine', 'go']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/definition of agent "mine" is faulty: line 6:7: agents\[0\]\.job\.command is required/);
    expect(stderr).toContain(`hint: mend ${userConfig(place)}, line 6`);
    expect(stderr).not.toContain('There is no agent');
  });

  it('reports a command that is not executable as such', options, async () => {
    const place = newPlace();
    const script = join(place.home, 'job.sh');
    writeFileSync(script, '#!/bin/sh\n');
    writeConfig(userConfig(place), { agents: [{ id: 'mine', profile: 'generic-job', job: { command: script } }] });
    const { code, stderr } = await amux(place, ['run', '-a', 'mine', 'go']);
    expect(code).toBe(4);
    expect(stderr).toContain(`"${script}" is not executable`);
    expect(stderr).toContain(`hint: run "chmod +x ${script}"`);
  });

  it('names a mistyped profile, also where that would have named the agent', options, async () => {
    const place = newPlace();
    writeConfig(userConfig(place), { profiles: { careful: { agent: 'demo' } } });
    const { code, stderr } = await amux(place, ['run', '--profile', 'carful', 'go']);
    expect(code).toBe(2);
    expect(stderr).toBe('amux: there is no profile "carful"\nhint: did you mean careful?\n');
  });
});
