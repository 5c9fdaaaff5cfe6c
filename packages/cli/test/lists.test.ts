import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/command-table.ts';
import { amux, newPlace, PATIENCE_MS } from './amux.ts';

const place = newPlace();
const options = { timeout: PATIENCE_MS };

describe('amux', () => {
  it('tells its version', options, async () => {
    expect(await amux(place, ['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  it('explains itself: commands, exit codes, what to try', options, async () => {
    const { code, stdout } = await amux(place, ['help']);
    expect(code).toBe(0);
    for (const name of Object.keys(COMMANDS)) expect(stdout).toContain(`  ${name} `);
    expect(stdout).toMatch(/ 14 {2}a rate or usage limit/);
    expect((await amux(place, [])).stdout).toBe(stdout);
  });

  it.each(Object.keys(COMMANDS))('explains %s with examples', options, async (name) => {
    const { code, stdout } = await amux(place, [name, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: amux ${name}`);
    expect(stdout).toMatch(/Examples\n {2}# /);
    expect((await amux(place, ['help', name])).stdout).toBe(stdout);
  });
});

describe('amux agents', () => {
  it('lists who is there, for people and for programs', options, async () => {
    const { stdout } = await amux(place, ['agents']);
    expect(stdout).toMatch(/^AGENT +NAME +INSTALLED +VERSION +LOGGED IN +EVIDENCE +DEFAULT MODE$/m);
    expect(stdout).toMatch(/^demo +Demo agent +yes +- +yes +- +live$/m);
    const { agents } = JSON.parse((await amux(place, ['agents', '--json'])).stdout);
    expect(agents).toContainEqual(expect.objectContaining({ agent: 'demo', installed: true, defaultMode: 'live' }));
    expect(agents).toContainEqual(expect.objectContaining({ agent: 'claude', installed: false, evidence: 'proven' }));
  });

  it('says which agents are known from documents only, and from which', options, async () => {
    expect((await amux(place, ['agents'])).stdout).toMatch(/^kiro +Kiro CLI +no +documented +acp$/m);
    const { agents } = JSON.parse((await amux(place, ['agents', '--json'])).stdout);
    const documentedBy = expect.arrayContaining([expect.stringContaining('kiro.dev')]);
    expect(agents).toContainEqual(expect.objectContaining({ agent: 'kiro', evidence: 'documented', documentedBy }));
  });
});

describe('amux detect', () => {
  it('says how to get what is missing', options, async () => {
    const { stdout } = await amux(place, ['detect', 'claude']);
    expect(stdout).toMatch(/installed +no\n.*to install +npm install/);
    const json = JSON.parse((await amux(place, ['detect', 'demo', '--json'])).stdout);
    expect(json).toMatchObject({ agent: 'demo', installed: true, authState: 'authenticated', install: [] });
  });
});

describe('amux capabilities', () => {
  it('prints what the adapters declare', options, async () => {
    const { stdout } = await amux(place, ['capabilities']);
    expect(stdout).toMatch(/^ +.*claude\/live .*demo\/live/);
    expect(stdout).toMatch(/^Sessions\n {2}resume by id +yes +/m);
    const beside = (await amux(place, ['capabilities', 'demo', 'claude'])).stdout;
    expect(beside).toMatch(/^ +demo\/live +claude\/live$/m);
    expect(beside).toMatch(/^ {2}platforms +macOS Linux Windows +macOS Linux Windows$/m);
    const { modes } = JSON.parse((await amux(place, ['capabilities', 'demo', '--json'])).stdout);
    expect(modes[0]).toMatchObject({ agent: 'demo', mode: 'live', isDefault: true, capabilities: { canFork: true } });
    expect(await amux(place, ['capabilities', 'demo', '--mode', 'x'])).toMatchObject({ code: 2 });
  });
});

describe('amux verify', () => {
  it('has proven nothing where there is nothing to prove', options, async () => {
    const { code, stdout } = await amux(place, ['verify', 'demo', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'proof', agent: 'demo', status: 'skipped' });
    expect(await amux(place, ['verify', 'claude'])).toMatchObject({ code: 4 });
    expect(await amux(place, ['verify', '--case', 'helo'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean hello?'),
    });
  });
});

describe('amux demo', () => {
  it('shows a run from start to end and what to do next', options, async () => {
    const { code, stdout, stderr } = await amux(place, ['demo']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const order = [
      'one contract',
      '● list_folder',
      'approved for you, since',
      '+ Hello from',
      '✓ done',
      'Next',
      'amux agents',
    ];
    const places = order.map((text) => stdout.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });
});
