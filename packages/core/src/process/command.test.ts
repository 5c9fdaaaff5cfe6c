import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type CommandWatch, runCommand } from './command.ts';

const TIMEOUT_MS = 30_000;

function shell(script: string, watch: Partial<CommandWatch> = {}, stdin = '') {
  const env = { PATH: '/usr/bin:/bin' };
  const plan = { command: '/bin/sh', args: ['-c', script], env, cwd: tmpdir(), usePty: false, stdin };
  return runCommand(plan, randomUUID(), { timeoutMs: TIMEOUT_MS, ...watch });
}

describe.skipIf(process.platform === 'win32')('runCommand', () => {
  it('returns the output, by line and as a whole, with any exit code', async () => {
    const lines: string[] = [];
    const output = await shell('echo one; echo two >&2; exit 3', { onLine: (line) => lines.push(line) });
    expect(output).toEqual({ exitCode: 3, stdout: 'one\n', stderr: 'two\n' });
    expect(lines.sort()).toEqual(['one', 'two']);
  });

  it('passes its input, then the end of it', async () => {
    expect(await shell('cat', {}, 'a question\n')).toMatchObject({ exitCode: 0, stdout: 'a question\n' });
    expect(await shell('cat; echo over')).toMatchObject({ stdout: 'over\n' });
  });

  it('is ended by a timeout or an abort', async () => {
    await expect(shell('sleep 60', { timeoutMs: 100 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    const stop = new AbortController();
    const running = shell('echo started; sleep 60', { signal: stop.signal, onLine: () => stop.abort() });
    await expect(running).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(shell('echo never', { signal: stop.signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
