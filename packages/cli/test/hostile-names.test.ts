import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amux, createTestHome, hasScript, onTerminal, TIMEOUT_MS, userConfig, writeConfig } from './amux.ts';

const options = { timeout: TIMEOUT_MS };
/** Retitles, clears, recolors, hides, reorders, ends lines. */
const EVIL = 'x\x1b]0;title\x07\x1b[2J\x1b[31m\x1b[8m\u009b2K\u202e\u2028\u2029\x7fy';
const testHome = createTestHome();

beforeAll(async () => {
  writeConfig(userConfig(testHome), {
    agents: [{ id: 'evil', name: `Evil ${EVIL}`, profile: 'generic-job', job: { command: `/none/${EVIL}` } }],
    profiles: { [`p${EVIL}`]: { agent: 'demo', model: EVIL }, good: { agent: 'demo', model: EVIL, tags: [EVIL] } },
    [`unknown${EVIL}`]: 1,
  });
  mkdirSync(join(testHome.home, '.claude'), { recursive: true });
  writeFileSync(join(testHome.home, '.claude', 'settings.json'), JSON.stringify({ model: EVIL }));
  await amux(testHome, ['run', '-a', 'demo', `hello ${EVIL}`]);
}, TIMEOUT_MS);
afterAll(() => rmSync(testHome.home, { recursive: true, force: true }));

const COMMANDS = [
  ['sessions', '--all'],
  ['sessions', 'search', 'hello'],
  ['sessions', '--all', '--json'],
  ['profiles'],
  ['profiles', 'show', 'good'],
  ['agents'],
  ['agents', '--json'],
  ['detect', 'evil'],
  ['doctor', 'evil'],
  ['config', 'get', 'claude'],
  ['config', 'get', 'claude', 'model'],
  ['models', 'evil'],
  ['auth', 'evil'],
  ['capabilities', 'evil'],
  ['run', '-a', 'evil', 'go'],
  ['run', '-a', `no${EVIL}`, 'go'],
  ['run', '-a', 'demo', '--json', `hello ${EVIL}`],
  [`no${EVIL}`],
];

describe('untrusted names and values', () => {
  it.each(COMMANDS)('write no control character to a pipe: amux %s %s %s', options, async (...args) => {
    const { stdout, stderr } = await amux(testHome, args);
    expect(stdout + stderr).not.toBe('');
    expect(stdout + stderr).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]/);
  });

  it.each(['md', 'html', 'jsonl'])('write no control character to an export as %s', options, async (format) => {
    const { stdout: list } = await amux(testHome, ['sessions', '--all', '--json']);
    const [{ sessionId }] = JSON.parse(list).sessions;
    const { stdout } = await amux(testHome, ['sessions', 'export', sessionId, '--format', format]);
    expect(stdout).toContain('hello');
    expect(stdout).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]/);
  });

  it.runIf(hasScript).each([['sessions', '--all'], ['profiles'], ['detect', 'evil']])(
    'write only colors of amux to a terminal: amux %s',
    options,
    async (...args) => {
      const { stdout } = await onTerminal(testHome, args).finished;
      // Colors and the progress line.
      const own = stdout.replace(/\x1b\[(?:1|2|22|31|32|33|36|39)m|\r\x1b\[K/g, '').replaceAll('\r\n', '\n');
      expect(own).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]/);
    },
  );
});
