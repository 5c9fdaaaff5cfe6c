import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, createTestHome, TIMEOUT_MS } from './amux.ts';

const options = { timeout: TIMEOUT_MS };

describe('amux auth', () => {
  it('shows login status and method without secrets', options, async () => {
    const testHome = createTestHome();
    mkdirSync(join(testHome.home, '.codex'));
    writeFileSync(join(testHome.home, '.codex/auth.json'), '{"OPENAI_API_KEY":"sk-local-0123456789"}');
    const env = { ANTHROPIC_API_KEY: 'sk-ant-0123456789' };
    const { code, stdout } = await amux(testHome, ['auth'], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^AGENT +LOGGED IN +METHOD +ACCOUNT +EXPIRES \(UTC\) +SOURCE$/m);
    expect(stdout).toMatch(/^claude +yes +api_key +ANTHROPIC_API_KEY is set$/m);
    expect(stdout).toMatch(/^codex +yes .*~\/\.codex\/auth\.json is present$/m);
    const json = await amux(testHome, ['auth', 'status', 'claude', 'gemini', '--json'], { env });
    expect(json.code).toBe(5);
    expect(JSON.parse(json.stdout)).toMatchObject({
      agents: [
        { agent: 'claude', status: 'authenticated', method: 'api_key' },
        { agent: 'gemini', status: 'unauthenticated' },
      ],
    });
    expect(stdout + json.stdout).not.toContain('0123456789');
  });

  it('shows steps and commands to log in', options, async () => {
    const testHome = createTestHome();
    const { code, stdout } = await amux(testHome, ['auth', 'guide', 'claude']);
    expect(code).toBe(0);
    expect(stdout).toContain('Claude Code: not logged in');
    expect(stdout).toContain("export ANTHROPIC_API_KEY='...'");
    const json = JSON.parse((await amux(testHome, ['auth', 'guide', 'claude', '--json'])).stdout);
    expect(json).toMatchObject({
      agent: 'claude',
      state: { status: 'unauthenticated' },
      steps: expect.arrayContaining([expect.any(String)]),
    });
  });

  it('rejects unknown arguments', options, async () => {
    const testHome = createTestHome();
    expect(await amux(testHome, ['auth', 'cloude'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('did you mean claude?'),
    });
    expect(await amux(testHome, ['auth', 'guide'])).toMatchObject({ code: 2 });
  });
});

describe('amux detect', () => {
  it('includes the login method', options, async () => {
    const env = { ANTHROPIC_API_KEY: 'sk-ant-0123456789' };
    const { stdout } = await amux(createTestHome(), ['detect', 'claude', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ auth: { status: 'authenticated', method: 'api_key' } });
  });
});

describe('amux detect-host', () => {
  it('prints the agent this shell runs in, or none', options, async () => {
    const testHome = createTestHome();
    expect(await amux(testHome, ['detect-host'], { env: { CLAUDECODE: '1' } })).toMatchObject({
      code: 0,
      stdout: 'claude (CLAUDECODE is set)\n',
    });
    expect(await amux(testHome, ['detect-host'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^none: /) });
    const json = await amux(testHome, ['detect-host', '--json']);
    expect(JSON.parse(json.stdout)).toEqual({ agent: null, signal: null });
  });
});
