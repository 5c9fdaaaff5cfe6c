import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, newPlace, PATIENCE_MS } from './amux.ts';

const options = { timeout: PATIENCE_MS };

describe('amux auth', () => {
  it('says who is logged in, by what, and prints no secret', options, async () => {
    const place = newPlace();
    mkdirSync(join(place.home, '.codex'));
    writeFileSync(join(place.home, '.codex/auth.json'), '{"OPENAI_API_KEY":"sk-local-0123456789"}');
    const env = { ANTHROPIC_API_KEY: 'sk-ant-0123456789' };
    const { code, stdout } = await amux(place, ['auth'], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^AGENT +LOGGED IN +METHOD +WHO +UNTIL \(UTC\) +SEEN$/m);
    expect(stdout).toMatch(/^claude +yes +api_key +ANTHROPIC_API_KEY is set$/m);
    expect(stdout).toMatch(/^codex +yes .*~\/\.codex\/auth\.json is present$/m);
    const json = await amux(place, ['auth', 'status', 'claude', 'gemini', '--json'], { env });
    expect(json.code).toBe(5);
    expect(JSON.parse(json.stdout)).toMatchObject({
      agents: [
        { agent: 'claude', status: 'authenticated', method: 'api_key' },
        { agent: 'gemini', status: 'unauthenticated' },
      ],
    });
    expect(stdout + json.stdout).not.toContain('0123456789');
  });

  it('says what to do and what to type', options, async () => {
    const place = newPlace();
    const { code, stdout } = await amux(place, ['auth', 'guide', 'claude']);
    expect(code).toBe(0);
    expect(stdout).toContain('Claude Code: nobody is logged in');
    expect(stdout).toContain("export ANTHROPIC_API_KEY='...'");
    const json = JSON.parse((await amux(place, ['auth', 'guide', 'claude', '--json'])).stdout);
    expect(json).toMatchObject({
      agent: 'claude',
      state: { status: 'unauthenticated' },
      steps: expect.arrayContaining([expect.any(String)]),
    });
  });

  it('refuses what it does not know', options, async () => {
    const place = newPlace();
    expect(await amux(place, ['auth', 'cloude'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Did you mean claude?'),
    });
    expect(await amux(place, ['auth', 'guide'])).toMatchObject({ code: 2 });
  });
});

describe('amux detect', () => {
  it('tells the way of the login too', options, async () => {
    const env = { ANTHROPIC_API_KEY: 'sk-ant-0123456789' };
    const { stdout } = await amux(newPlace(), ['detect', 'claude', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ auth: { status: 'authenticated', method: 'api_key' } });
  });
});

describe('amux detect-host', () => {
  it('says which agent this shell runs inside of, or that it is none', options, async () => {
    const place = newPlace();
    expect(await amux(place, ['detect-host'], { env: { CLAUDECODE: '1' } })).toMatchObject({
      code: 0,
      stdout: 'claude (CLAUDECODE is set)\n',
    });
    expect(await amux(place, ['detect-host'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^none: /) });
    const json = await amux(place, ['detect-host', '--json']);
    expect(JSON.parse(json.stdout)).toEqual({ agent: null, signal: null });
  });
});
