import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { TEST_AGENTS_FLAGS } from './agents/flags.ts';
import { readVerifications } from './agents/record.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, '.github', 'workflows');
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
const scripts: Readonly<Record<string, string>> = manifest.scripts;

/** Every `npm test` and `npm run NAME -- ...` in them, the words of comments and issues too. */
const calls = workflows.flatMap(({ name: workflow, text }) =>
  [...text.matchAll(/\bnpm (?:run (?:--silent )?([\w:-]+)|(test)\b)(?: -- ([^\n`>]*))?/g)].map(
    ([, run, test, args = '']) => ({ workflow, script: run ?? test ?? '', args: args.trim() }),
  ),
);

describe.each(workflows)('$name', ({ text }) => {
  it('uses only official actions, pinned to a major version', () => {
    const used = [...text.matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(([, action]) => action);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((action) => !/^actions\/[\w-]+@v\d+$/.test(action ?? ''))).toEqual([]);
  });

  it('declares its permissions and stores no credentials in the checkout', () => {
    expect(text).toMatch(/^permissions:/m);
    const checkouts = text.match(/uses: actions\/checkout@/g)?.length ?? 0;
    expect(text.match(/persist-credentials: false/g)?.length).toBe(checkouts);
  });

  it('passes external values to scripts only through variables', () => {
    const inScripts = [...text.matchAll(/^\s*(?:- )?run: (.*(?:\n {10}.*)*)/gm)].map(([, script]) => script ?? '');
    expect(inScripts.filter((script) => script.includes('${{'))).toEqual([]);
  });
});

describe('commands of the workflows', () => {
  it('are scripts of the workspace', () => {
    expect(calls.map(({ script }) => script)).toEqual(expect.arrayContaining(['test', 'check', 'test:agents']));
    expect(calls.filter(({ script }) => scripts[script] === undefined)).toEqual([]);
  });

  it('use only known flags of test:agents', () => {
    const flags = calls.flatMap(({ script, args }) => {
      if (script !== 'test:agents') return args === '' ? [] : [`${script} ${args}`];
      return [...args.matchAll(/--([\w-]+)/g)].map(([, flag]) => flag ?? '');
    });
    expect(flags).toContain('release');
    expect(flags.filter((flag) => !(flag in TEST_AGENTS_FLAGS))).toEqual([]);
  });

  it('run one nightly job per recorded agent', () => {
    const nightly = workflows.find(({ name }) => name === 'nightly.yml')?.text ?? '';
    expect(nightly).toContain("jq -c '.agents | keys' docs/verifications.json");
    expect(Object.keys(readVerifications().agents).length).toBeGreaterThan(10);
  });
});
