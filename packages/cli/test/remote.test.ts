import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findSshd, type Sshd, startSshd } from '@agent-mux/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amux, createTestHome, TIMEOUT_MS, writeProgram } from './amux.ts';

const binary = findSshd();
const testHome = createTestHome();
const there = createTestHome();
const [hereBin, thereBin] = [join(testHome.home, 'bin'), join(there.home, 'bin')];

it.skipIf(binary || process.env.AGENT_MUX_REQUIRE_SSHD === '1')(
  'SKIPPED, no sshd on this machine (package openssh-server): amux remote is not tested over ssh',
  () => {},
);

describe.runIf(binary || process.env.AGENT_MUX_REQUIRE_SSHD === '1')('amux remote', { timeout: TIMEOUT_MS }, () => {
  let sshd: Sshd;
  let target: string;
  const run = (...args: string[]) =>
    amux(testHome, args, { env: { PATH: `${hereBin}:${dirname(process.execPath)}:/usr/bin:/bin` } });

  beforeAll(async () => {
    if (!binary) throw new Error('no sshd on this machine: install the package openssh-server');
    sshd = await startSshd(binary, { HOME: there.home, PATH: `${thereBin}:/usr/bin:/bin` });
    target = `ssh://${sshd.user}@${sshd.host}:${sshd.port}/~/project`;
    const ssh = spawnSync('sh', ['-c', 'command -v ssh'], { encoding: 'utf8' }).stdout.trim();
    writeProgram(hereBin, 'ssh', `exec ${ssh} ${sshd.args.map((arg) => `'${arg}'`).join(' ')} "$@"`);
    // A minimal installer on the other machine.
    const claude = join(thereBin, 'claude');
    const made = `printf '#!/bin/sh\\necho 2.1.325 "(Claude Code)"\\n' > ${claude}; chmod +x ${claude}`;
    writeProgram(thereBin, 'npm', `echo "npm $*"; ${made}`);
  }, TIMEOUT_MS);
  afterAll(() => sshd?.close());

  it('reports a missing agent, installs it and reports its version', async () => {
    const before = await run('remote', 'verify', target, 'claude');
    expect(before).toMatchObject({ code: 4, stdout: expect.stringContaining('is not installed') });
    const installed = await run('remote', 'install', target, 'claude');
    expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining('2.1.325') });
    expect(installed.stderr).toContain('npm install -g');
    const after = await run('remote', 'verify', target, 'claude', '--json');
    expect(JSON.parse(after.stdout)).toMatchObject({
      ...{ target, agent: 'claude', installed: true, version: '2.1.325' },
      ...{ path: join(thereBin, 'claude'), verifiedVersions: expect.any(Array), meetsMinVersion: true },
    });
    expect(existsSync(join(hereBin, 'claude'))).toBe(false);
  });

  it('runs an agent there with --on', async () => {
    writeProgram(thereBin, 'qwen', 'pwd >&2; exit 3');
    const ran = await run('run', '-a', 'qwen', '--on', target, '--approval-mode', 'deny', '--json', 'hello');
    expect(ran.code).toBe(12);
    const crash = ran.stdout.split('\n').find((line) => line.includes('"crash"')) ?? '{}';
    expect(JSON.parse(crash)).toMatchObject({ exitCode: 3, stderr: `${there.cwd}\n` });
  });

  it.each([
    [['remote', 'verify', 'ssh://127.0.0.1:1', 'claude'], 1, 'Connection refused'],
    [['remote', 'verify', 'box', 'claude'], 2, 'invalid target'],
    [['remote', 'look', 'docker:x', 'claude'], 2, 'amux remote install, amux remote verify'],
    [['remote', 'verify', 'docker:x'], 2, 'TARGET AGENT'],
    [['remote', 'verify', 'docker:x', 'unknown'], 3, 'unknown'],
    [['remote', 'verify', 'docker:x', 'demo'], 2, 'built into amux'],
    [['run', '-a', 'opencode', '--on', 'ssh://box', '--mode', 'serve', 'x'], 6, 'needs a port'],
  ])('%j exits with %i and says why', async (args, code, text) => {
    const ran = await run(...args);
    expect(ran.stderr).toContain(text);
    expect(ran.code).toBe(code);
  });

  it('refuses to install into an image and says how to do it', async () => {
    writeProgram(
      hereBin,
      'docker',
      '[ "$1" = run ] || exit 0; while [ "$1" != the-image ]; do shift; done; shift; exec "$@"',
    );
    const ran = await run('remote', 'install', 'docker:the-image', 'claude');
    expect(ran).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('RUN npm install -g @anthropic-ai/claude-code'),
    });
  });
});
