import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, createTestHome, hasScript, onTerminal, TIMEOUT_MS } from './amux.ts';

const options = { timeout: TIMEOUT_MS };

describe.runIf(hasScript)('amux alone on a terminal', () => {
  it('shows installed agents without starting any, and next steps', options, async () => {
    const testHome = createTestHome();
    const bin = join(testHome.home, 'bin');
    const mark = join(testHome.home, 'started');
    mkdirSync(bin);
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\ntouch ${mark}\necho 1.2.3\n`);
    chmodSync(join(bin, 'claude'), 0o755);
    const env = { NO_COLOR: '1', PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin` };
    const { code, stdout } = await onTerminal(testHome, [], env).finished;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^claude +Claude Code +no\r$/m);
    expect(stdout).not.toContain('agent-mux-remote');
    expect(stdout).toMatch(/Next steps\r\n {2}amux demo .*\r\n {2}amux auth guide claude/);
    expect(existsSync(mark)).toBe(false);
  });

  it('shows recent sessions, and how to install an agent if there is none', options, async () => {
    const testHome = createTestHome();
    await amux(testHome, ['run', '-a', 'demo', 'hello there']);
    const { stdout } = await onTerminal(testHome, [], { NO_COLOR: '1' }).finished;
    expect(stdout).toContain('No coding agent found');
    expect(stdout).toMatch(/Recent sessions\r\n {2}\w{8} +demo +\d+ (?:s|min) ago +hello there/);
    expect(stdout).toContain('amux install claude');
  });
});

describe('amux alone', () => {
  it('prints the help without a terminal', options, async () => {
    expect((await amux(createTestHome(), [])).stdout).toContain('Usage: amux <command>');
  });
});
