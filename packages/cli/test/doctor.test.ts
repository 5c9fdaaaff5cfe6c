import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, newPlace, PATIENCE_MS, type Place, userConfig, writeConfig } from './amux.ts';

const options = { timeout: PATIENCE_MS };

function installed(place: Place, name: string, version: string): Record<string, string> {
  const bin = join(place.home, 'path');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, name), `#!/bin/sh\necho ${version}\n`);
  chmodSync(join(bin, name), 0o755);
  return { PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':') };
}

describe('amux doctor', () => {
  it('finds nothing wrong where nothing is', options, async () => {
    const { code, stdout } = await amux(newPlace(), ['doctor']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^agent-mux\n {2}✓ node /);
    expect(stdout).toMatch(/^not installed: .*claude/m);
    expect(stdout).toMatch(/nothing is wrong\n$/);
  });

  it('says of each finding what helps, and fails for an error', options, async () => {
    const place = newPlace();
    const env = installed(place, 'claude', '0.1.0');
    mkdirSync(join(place.home, '.codex'));
    writeFileSync(join(place.home, '.codex/config.toml'), 'model = ');
    writeConfig(userConfig(place), { agents: [{ id: 'not a name' }] });
    const { code, stdout, stderr } = await amux(place, ['doctor'], { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/✗ own-config .*config\.json:\d+:\d+: agents\[0\]\.id .*\n +→ mend /);
    expect(stdout).toMatch(/! login +nobody is logged in\n +→ amux auth guide claude/);
    expect(stdout).toMatch(/✗ config .*config\.toml:\d+:\d+: cannot be read/);
    expect(stdout).toMatch(/✗ version +Claude Code 0\.1\.0 is older than \S+, which is needed\n +→ amux update claude/);
    expect(stdout).toMatch(/3 errors, 1 warning\n$/);
  });

  it('is one document for a program', options, async () => {
    const place = newPlace();
    const { code, stdout } = await amux(place, ['doctor', 'claude', '--json']);
    expect(code).toBe(1);
    const { ok, counts, findings } = JSON.parse(stdout);
    expect({ ok, errors: counts.error }).toEqual({ ok: false, errors: 1 });
    expect(findings).toContainEqual({
      level: 'error',
      check: 'binary',
      agent: 'claude',
      message: expect.stringContaining('is not installed'),
      remedy: 'amux install claude',
    });
    expect(await amux(place, ['doctor', 'cloude'])).toMatchObject({ code: 3 });
  });
});
