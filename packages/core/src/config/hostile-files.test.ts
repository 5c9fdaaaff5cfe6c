import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSparse, ODD_FILES } from '../../test/odd-files.ts';
import { useScratch } from '../../test/scratch.ts';
import { CONFIG_FILE_LIMIT } from './files.ts';
import { loadConfig } from './load-config.ts';

const newPlace = useScratch();
/** Takes half a second on an idle machine; a quadratic algorithm takes minutes. */
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

describe.skipIf(process.platform === 'win32')('project configuration that is not a regular file', () => {
  it.each(Object.entries(ODD_FILES))('is reported if it is %s', async (kind, make) => {
    const { file, load } = project();
    await make(file);
    expect(load().issues).toMatchObject([{ file, problem: `cannot be read: it is ${kind}, not a file` }]);
  });

  it('is reported if it is huge', () => {
    const { file, load } = project();
    createSparse(file, 1024 ** 3);
    const problem = expect.stringContaining(`${1024 ** 3} bytes; the limit is ${CONFIG_FILE_LIMIT}`);
    expect(load().issues).toMatchObject([{ file, problem }]);
  });
});

/** Content up to the maximum file size. */
function filled(unit: (index: number) => string): string {
  const units: string[] = [];
  for (let size = 100; size < CONFIG_FILE_LIMIT; size += units.at(-1)?.length ?? 0) units.push(unit(units.length));
  return units.slice(0, -1).join('');
}

describe('project configuration designed to be slow', () => {
  it('is reported if nested too deeply', () => {
    const { file, load } = project();
    writeFileSync(file, `{"agents":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    expect(load().issues).toEqual([
      { file, line: 1, column: 110, field: '', problem: 'is nested more than 100 levels deep' },
    ]);
  });

  it.each([
    ['unmatched brackets', () => filled(() => '} ')],
    ['meaningless words', () => filled(() => 'a\n')],
    ['a repeated key', () => `{${filled(() => '"a":1,\n')}}`],
    ['unknown keys', () => `{${filled((i) => `"k${i}":1,\n`)}}`],
    ['invalid agents', () => `{"agents":[${filled(() => '1,\n')}]}`],
    ['agents without a name', () => `{"agents":[${filled(() => '{},\n')}]}`],
    ['a repeated agent', () => `{"agents":[${filled(() => '{"id":"a"},\n')}]}`],
    ['invalid adapters', () => `{"adapters":[${filled(() => '1,\n')}]}`],
    ['invalid profiles', () => `{"profiles":{${filled((i) => `"p${i}":1,\n`)}}}`],
    ['profiles with one issue each', () => `{"profiles":{${filled((i) => `"p${i}":{"x":1},\n`)}}}`],
    ['a profile with only issues', () => `{"profiles":{"p":{${filled((i) => `"x${i}":1,\n`)}}}}`],
  ])('is read quickly and reports its first issues: %s', (_, text) => {
    const { file, load } = project();
    writeFileSync(file, text());
    const { issues } = load();
    expect(issues.length).toBeGreaterThan(0);
    expect(issues.length).toBeLessThanOrEqual(21);
  });

  it('is read quickly if it is only long', () => {
    const { file, load } = project();
    writeFileSync(file, `{"agents":[${filled((i) => `{"id":"a${i}"},\n`)}]}`);
    expect(load().definitions).toHaveLength(1000);
    writeFileSync(file, `{"profiles":{${filled((i) => `"p${i}":{"model":"m"},\n`)}}}`);
    expect(Object.keys(load().profiles)).toHaveLength(1000);
  });
});
