import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeSparse, ODD_FILES } from '../../test/odd-files.ts';
import { useScratch } from '../../test/scratch.ts';
import { CONFIG_FILE_LIMIT } from './files.ts';
import { loadConfig } from './load-config.ts';

const newPlace = useScratch();
/** On a machine of its own it takes half a second; what is quadratic takes minutes. */
const QUICK_MS = 15_000;

function project() {
  const { home, env } = newPlace();
  mkdirSync(join(home, 'project', '.agent-mux'), { recursive: true });
  const file = join(home, 'project', '.agent-mux', 'config.json');
  const load = () => {
    const started = performance.now();
    const config = loadConfig({ cwd: join(home, 'project'), env });
    expect(performance.now() - started).toBeLessThan(QUICK_MS);
    return config;
  };
  return { file, load };
}

describe.skipIf(process.platform === 'win32')("a project's configuration that is no file", () => {
  it.each(Object.entries(ODD_FILES))('is named when it is %s', async (kind, make) => {
    const { file, load } = project();
    await make(file);
    expect(load().faults).toMatchObject([{ file, problem: `cannot be read: it is ${kind}, not a file` }]);
  });

  it('is named when it is huge', () => {
    const { file, load } = project();
    makeSparse(file, 1024 ** 3);
    const problem = expect.stringContaining(`${1024 ** 3} bytes, and ${CONFIG_FILE_LIMIT} are the limit`);
    expect(load().faults).toMatchObject([{ file, problem }]);
  });
});

/** As much of it as a file may have. */
function filled(unit: (index: number) => string): string {
  const units: string[] = [];
  for (let size = 100; size < CONFIG_FILE_LIMIT; size += units.at(-1)?.length ?? 0) units.push(unit(units.length));
  return units.slice(0, -1).join('');
}

describe("a project's configuration that was made to be slow", () => {
  it('is told where it is too deep', () => {
    const { file, load } = project();
    writeFileSync(file, `{"agents":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    expect(load().faults).toEqual([{ file, line: 1, column: 110, field: '', problem: 'is nested more than 100 deep' }]);
  });

  it.each([
    ['brackets that close nothing', () => filled(() => '} ')],
    ['words that mean nothing', () => filled(() => 'a\n')],
    ['a key again and again', () => `{${filled(() => '"a":1,\n')}}`],
    ['keys that are not known', () => `{${filled((i) => `"k${i}":1,\n`)}}`],
    ['agents that are none', () => `{"agents":[${filled(() => '1,\n')}]}`],
    ['agents without a name', () => `{"agents":[${filled(() => '{},\n')}]}`],
    ['an agent again and again', () => `{"agents":[${filled(() => '{"id":"a"},\n')}]}`],
    ['adapters that are none', () => `{"adapters":[${filled(() => '1,\n')}]}`],
    ['profiles that are none', () => `{"profiles":{${filled((i) => `"p${i}":1,\n`)}}}`],
    ['profiles with one fault each', () => `{"profiles":{${filled((i) => `"p${i}":{"x":1},\n`)}}}`],
    ['a profile of nothing but faults', () => `{"profiles":{"p":{${filled((i) => `"x${i}":1,\n`)}}}}`],
  ])('is read quickly, and its first faults are told: %s', (_, text) => {
    const { file, load } = project();
    writeFileSync(file, text());
    const { faults } = load();
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.length).toBeLessThanOrEqual(21);
  });

  it('is read quickly where it is only long', () => {
    const { file, load } = project();
    writeFileSync(file, `{"agents":[${filled((i) => `{"id":"a${i}"},\n`)}]}`);
    expect(load().definitions).toHaveLength(1000);
    writeFileSync(file, `{"profiles":{${filled((i) => `"p${i}":{"model":"m"},\n`)}}}`);
    expect(Object.keys(load().profiles)).toHaveLength(1000);
  });
});
