import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createClient, type RunOptions } from '@agent-mux/core';
import { createResolvedOptions } from '@agent-mux/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { claudeRemoteControlAdapter } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'remote-control-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Output of 2.1.325 without a login, on stderr and with exit code 1; also with an API key. */
const REFUSAL = `Error: You must be logged in to use Remote Control.

Remote Control is only available with claude.ai subscriptions. Run \`claude auth login\` to sign in with your claude.ai account.`;

async function run(script: string, options: Partial<RunOptions> = {}) {
  writeFileSync(join(folder, 'claude'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'claude'), 0o755);
  const env = { PATH: [folder, '/usr/bin', '/bin'].join(delimiter), HOME: folder };
  const client = createClient({ adapters: [claudeRemoteControlAdapter], runIndex: false, env });
  const given = { agent: 'claude-remote-control', prompt: 'my work', approvalMode: 'deny', cwd: folder } as const;
  const result = await client.run({ ...given, ...options });
  await client.close();
  return result;
}

describe('claude remote-control', () => {
  it('reports an auth error with instructions without a claude.ai login', async () => {
    const result = await run(`cat >&2 <<'END'\n${REFUSAL}\nEND\nexit 1`);
    expect(result).toMatchObject({ exitReason: 'auth_error', error: { code: 'AUTH_ERROR' } });
    expect(result.error?.message).toBe('You must be logged in to use Remote Control.');
  });

  it('opens one session named after the prompt and shows the bridge output', async () => {
    const result = await run('printf "%s\\n" "$@"');
    expect(result.text).toBe('remote-control\n--spawn=session\n--name=my work\n--permission-mode=dontAsk\n');
  });

  it('rejects a task as a name', () => {
    const launch = (prompt: string) => claudeRemoteControlAdapter.buildSpawnArgs(createResolvedOptions({ prompt }));
    expect(() => launch('fix this\nand that')).toThrow(/must be a session name/);
    expect(() => launch('x'.repeat(201))).toThrow(/must be a session name/);
  });
});
