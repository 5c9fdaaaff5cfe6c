import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, createTestHome, type TestHome, TIMEOUT_MS, userConfig, writeConfig } from './amux.ts';

const options = { timeout: TIMEOUT_MS };

function installed(testHome: TestHome, name: string, version: string): Record<string, string> {
  const bin = join(testHome.home, 'path');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, name), `#!/bin/sh\necho ${version}\n`);
  chmodSync(join(bin, name), 0o755);
  return { PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':') };
}

describe('amux doctor', () => {
  it('finds no problems in a valid setup', options, async () => {
    const { code, stdout } = await amux(createTestHome(), ['doctor']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^agent-mux\n {2}✓ node /);
    expect(stdout).toMatch(/^not installed: .*claude/m);
    expect(stdout).toMatch(/no problems found\n$/);
  });

  it('gives a hint for each finding and fails on an error', options, async () => {
    const testHome = createTestHome();
    const env = installed(testHome, 'claude', '0.1.0');
    mkdirSync(join(testHome.home, '.codex'));
    writeFileSync(join(testHome.home, '.codex/config.toml'), 'model = ');
    writeConfig(userConfig(testHome), { agents: [{ id: 'not a name' }] });
    const { code, stdout, stderr } = await amux(testHome, ['doctor'], { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/✗ own-config .*config\.json:\d+:\d+: agents\[0\]\.id .*\n +→ fix /);
    expect(stdout).toMatch(/! login +not logged in\n +→ run "amux auth guide claude"/);
    expect(stdout).toMatch(/✗ config .*config\.toml:\d+:\d+: cannot be read/);
    expect(stdout).toMatch(
      /✗ version +Claude Code 0\.1\.0 is older than the required \S+\n +→ run "amux update claude"/,
    );
    expect(stdout).toMatch(/3 errors, 1 warning\n$/);
  });

  it('prints one JSON document', options, async () => {
    const testHome = createTestHome();
    const { code, stdout } = await amux(testHome, ['doctor', 'claude', '--json']);
    expect(code).toBe(1);
    const { ok, counts, findings } = JSON.parse(stdout);
    expect({ ok, errors: counts.error }).toEqual({ ok: false, errors: 1 });
    expect(findings).toContainEqual({
      level: 'error',
      check: 'binary',
      agent: 'claude',
      message: expect.stringContaining('is not installed'),
      hint: 'run "amux install claude"',
    });
    expect(await amux(testHome, ['doctor', 'cloude'])).toMatchObject({ code: 3 });
  });
});
