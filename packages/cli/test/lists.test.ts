import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/command-table.ts';
import { amux, createTestHome, TIMEOUT_MS } from './amux.ts';

const testHome = createTestHome();
const options = { timeout: TIMEOUT_MS };

describe('amux', () => {
  it('prints its version', options, async () => {
    expect(await amux(testHome, ['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  it('prints commands, exit codes and examples', options, async () => {
    const { code, stdout } = await amux(testHome, ['help']);
    expect(code).toBe(0);
    for (const name of Object.keys(COMMANDS)) expect(stdout).toContain(`  ${name} `);
    expect(stdout).toMatch(/ 14 {2}Rate or usage limit/);
    expect((await amux(testHome, [])).stdout).toBe(stdout);
  });

  it.each(Object.keys(COMMANDS))('prints help with examples for %s', options, async (name) => {
    const { code, stdout } = await amux(testHome, [name, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: amux ${name}`);
    expect(stdout).toMatch(/Examples\n {2}# /);
    expect((await amux(testHome, ['help', name])).stdout).toBe(stdout);
  });
});

describe('amux agents', () => {
  it('lists agents as text and JSON', options, async () => {
    const { stdout } = await amux(testHome, ['agents']);
    expect(stdout).toMatch(/^AGENT +NAME +INSTALLED +VERSION +LOGGED IN +EVIDENCE +DEFAULT MODE$/m);
    expect(stdout).toMatch(/^demo +Demo agent +yes +- +yes +- +live$/m);
    const { agents } = JSON.parse((await amux(testHome, ['agents', '--json'])).stdout);
    expect(agents).toContainEqual(expect.objectContaining({ agent: 'demo', installed: true, defaultMode: 'live' }));
    expect(agents).toContainEqual(expect.objectContaining({ agent: 'claude', installed: false, evidence: 'verified' }));
  });

  it('marks agents known from documentation only, with the source', options, async () => {
    expect((await amux(testHome, ['agents'])).stdout).toMatch(/^kiro +Kiro CLI +no +documented +acp$/m);
    const { agents } = JSON.parse((await amux(testHome, ['agents', '--json'])).stdout);
    const documentedBy = expect.arrayContaining([expect.stringContaining('kiro.dev')]);
    expect(agents).toContainEqual(expect.objectContaining({ agent: 'kiro', evidence: 'documented', documentedBy }));
  });
});

describe('amux detect', () => {
  it('says how to install a missing agent', options, async () => {
    const { stdout } = await amux(testHome, ['detect', 'claude']);
    expect(stdout).toMatch(/installed +no\n.*to install +npm install/);
    const json = JSON.parse((await amux(testHome, ['detect', 'demo', '--json'])).stdout);
    expect(json).toMatchObject({ agent: 'demo', installed: true, authState: 'authenticated', install: [] });
  });
});

describe('amux capabilities', () => {
  it('prints the declared capabilities', options, async () => {
    const { stdout } = await amux(testHome, ['capabilities']);
    expect(stdout).toMatch(/^ +.*claude\/live .*demo\/live/);
    expect(stdout).toMatch(/^Sessions\n {2}resume by id +yes +/m);
    const sideBySide = (await amux(testHome, ['capabilities', 'demo', 'claude'])).stdout;
    expect(sideBySide).toMatch(/^ +demo\/live +claude\/live$/m);
    expect(sideBySide).toMatch(/^ {2}platforms +macOS Linux Windows +macOS Linux Windows$/m);
    const { modes } = JSON.parse((await amux(testHome, ['capabilities', 'demo', '--json'])).stdout);
    expect(modes[0]).toMatchObject({ agent: 'demo', mode: 'live', isDefault: true, capabilities: { canFork: true } });
    expect(await amux(testHome, ['capabilities', 'demo', '--mode', 'x'])).toMatchObject({ code: 2 });
  });
});

describe('amux verify', () => {
  it('fails if there is nothing to verify', options, async () => {
    const { code, stdout } = await amux(testHome, ['verify', 'demo', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'verify_result', agent: 'demo', status: 'skipped' });
    expect(await amux(testHome, ['verify', 'claude'])).toMatchObject({ code: 4 });
    expect(await amux(testHome, ['verify', '--case', 'helo'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean hello?'),
    });
  });
});

describe('amux demo', () => {
  it('shows a complete run and next steps', options, async () => {
    const { code, stdout, stderr } = await amux(testHome, ['demo']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const order = [
      'one interface',
      '● list_folder',
      'approved automatically, no terminal',
      '+ Hello from',
      '✓ done',
      'Next',
      'amux agents',
    ];
    const paths = order.map((text) => stdout.indexOf(text));
    expect(paths).not.toContain(-1);
    expect(paths).toEqual([...paths].sort((a, b) => a - b));
  });
});
