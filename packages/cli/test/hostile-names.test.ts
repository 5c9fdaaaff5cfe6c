import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amux, hasScript, newPlace, onTerminal, PATIENCE_MS, userConfig, writeConfig } from './amux.ts';

const options = { timeout: PATIENCE_MS };
/** Retitles, clears, recolours, hides, reorders, ends lines. */
const EVIL = 'x\x1b]0;title\x07\x1b[2J\x1b[31m\x1b[8m\u009b2K\u202e\u2028\u2029\x7fy';
const place = newPlace();

beforeAll(async () => {
  writeConfig(userConfig(place), {
    agents: [{ id: 'evil', name: `Evil ${EVIL}`, profile: 'generic-job', job: { command: `/none/${EVIL}` } }],
    profiles: { [`p${EVIL}`]: { agent: 'demo', model: EVIL }, good: { agent: 'demo', model: EVIL, tags: [EVIL] } },
    [`unknown${EVIL}`]: 1,
  });
  mkdirSync(join(place.home, '.claude'), { recursive: true });
  writeFileSync(join(place.home, '.claude', 'settings.json'), JSON.stringify({ model: EVIL }));
  await amux(place, ['run', '-a', 'demo', `hello ${EVIL}`]);
}, PATIENCE_MS);
afterAll(() => rmSync(place.home, { recursive: true, force: true }));

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

describe('names and values that others chose', () => {
  it.each(COMMANDS)('bring no control character into a pipe: amux %s %s %s', options, async (...args) => {
    const { stdout, stderr } = await amux(place, args);
    expect(stdout + stderr).not.toBe('');
    expect(stdout + stderr).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]/);
  });

  it.each(['md', 'html', 'jsonl'])('nor does an export as %s', options, async (format) => {
    const { stdout: list } = await amux(place, ['sessions', '--all', '--json']);
    const [{ sessionId }] = JSON.parse(list).sessions;
    const { stdout } = await amux(place, ['sessions', 'export', sessionId, '--format', format]);
    expect(stdout).toContain('hello');
    expect(stdout).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]/);
  });

  it.runIf(hasScript).each([['sessions', '--all'], ['profiles'], ['detect', 'evil']])(
    'nor anything but the colours of amux onto a terminal: amux %s',
    options,
    async (...args) => {
      const { stdout } = await onTerminal(place, args).finished;
      // Colours, and the line that tells of progress.
      const own = stdout.replace(/\x1b\[(?:1|2|22|31|32|33|36|39)m|\r\x1b\[K/g, '').replaceAll('\r\n', '\n');
      expect(own).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]/);
    },
  );
});
