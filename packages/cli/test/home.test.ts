import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, hasScript, newPlace, onTerminal, PATIENCE_MS } from './amux.ts';

const options = { timeout: PATIENCE_MS };

describe.runIf(hasScript)('amux alone on a terminal', () => {
  it('shows the agents that are here without starting any, and what to try', options, async () => {
    const place = newPlace();
    const bin = join(place.home, 'bin');
    const mark = join(place.home, 'started');
    mkdirSync(bin);
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\ntouch ${mark}\necho 1.2.3\n`);
    chmodSync(join(bin, 'claude'), 0o755);
    const env = { NO_COLOR: '1', PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin` };
    const { code, stdout } = await onTerminal(place, [], env).finished;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^claude +Claude Code +no\r$/m);
    expect(stdout).not.toContain('agent-mux-remote');
    expect(stdout).toMatch(/Try\r\n {2}amux demo .*\r\n {2}amux auth guide claude/);
    expect(existsSync(mark)).toBe(false);
  });

  it('shows the newest sessions, and how to get an agent where there is none', options, async () => {
    const place = newPlace();
    await amux(place, ['run', '-a', 'demo', 'hello there']);
    const { stdout } = await onTerminal(place, [], { NO_COLOR: '1' }).finished;
    expect(stdout).toContain('No coding agent was found');
    expect(stdout).toMatch(/Recent sessions\r\n {2}\w{8} +demo +\d+ (?:s|min) ago +hello there/);
    expect(stdout).toContain('amux install claude');
  });
});

describe('amux alone', () => {
  it('prints the help where nobody looks', options, async () => {
    expect((await amux(newPlace(), [])).stdout).toContain('Usage: amux <command>');
  });
});
