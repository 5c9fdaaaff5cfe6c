import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROFILE_FORBIDDEN_OPTIONS, PROJECT_ALLOWED_OPTIONS, projectOptions } from '@agent-mux/core';
import { RunProfileSchema } from '@agent-mux/core/schemas';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/command-table.ts';
import { expectParses, loadCommand } from './assert-parses.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const page = (name: string) => readFileSync(join(ROOT, name), 'utf8');

/** The sources of the packages that users run, without tests. */
function sources(): string {
  return ['core', 'cli', 'adapters']
    .flatMap((name) => {
      const folder = join(ROOT, 'packages', name, 'src');
      return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));
    })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}

describe('docs/configuration.md', () => {
  const text = page('docs/configuration.md');

  it('lists every agent-mux variable that is read', () => {
    const own = /\b(?:AMUX_[A-Z_]+|AGENT_MUX_[A-Z_]+|XDG_(?:CONFIG|CACHE|STATE)_HOME|NO_COLOR|FORCE_COLOR)\b/g;
    const names = new Set(sources().match(own));
    expect(names.size).toBeGreaterThan(6);
    for (const name of names) expect(text).toContain(`\`${name}`);
  });

  it('states for every profile option whether a project may set it', () => {
    const rows = [...text.matchAll(/^\| (`[^|]+`) \| (yes|tighter|no) \|/gm)].flatMap(([, names = '', say]) =>
      names.split(', ').map((name) => [name.replaceAll('`', ''), say] as const),
    );
    expect(Object.fromEntries(rows)).toEqual(PROJECT_ALLOWED_OPTIONS);
  });

  it('lists every profile field and every forbidden one', () => {
    const fields = [
      ...Object.keys(RunProfileSchema.shape),
      ...Object.keys(PROFILE_FORBIDDEN_OPTIONS),
      ...projectOptions('no'),
    ];
    for (const field of fields) expect(text).toContain(`\`${field}\``);
  });
});

describe('docs/cli.md', () => {
  it('lists every command', () => {
    const text = page('docs/cli.md');
    const missing = Object.keys(COMMANDS).filter(
      (name) => !new RegExp(`amux (?:[\\w\\\\|]*\\|)?${name}\\b`).test(text),
    );
    expect(missing).toEqual([]);
  });
});

const PAGES = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/*/README.md'], { cwd: ROOT }).sort();

describe('commands in texts', () => {
  it.each(PAGES)('parse as written in %s', async (name) => {
    for (const line of commandsOf(page(name))) await expectParses(line);
  });

  it('are found in the pages', () => {
    expect(PAGES.flatMap((name) => commandsOf(page(name))).length).toBeGreaterThan(80);
  });

  it('exist if a hint or a closing line names them', async () => {
    // A command follows a quote or punctuation; "amux itself" within a sentence is not one.
    const named = sources().matchAll(/(?<=['"`]|: |; |→ |, )amux ([a-z][a-z-]*)\b(?: ([a-z][a-z-]*)\b)?/g);
    const wrong: string[] = [];
    for (const [text, called = '', word] of named) {
      if (PROSE.has(called)) continue;
      if (!Object.hasOwn(COMMANDS, called)) wrong.push(text);
      else {
        const { actions, usage } = await loadCommand(called);
        if (!actions || word === undefined || PROSE.has(word)) continue;
        if (!Object.hasOwn(actions, word) && !/agent/i.test(usage)) wrong.push(text);
      }
    }
    expect(wrong).toEqual([]);
  });
});

/** Words that follow "amux" or a command in our texts. */
const PROSE = new Set([
  'complete',
  'help',
  'itself',
  'was',
  'knows',
  'and',
  'lists',
  'alone',
  'cannot',
  'does',
  'is',
  'needs',
  'says',
  'has',
  'run',
  'runs',
  'would',
  'over',
]);

/** Commands in code blocks, and commands in sentences without placeholders. */
function commandsOf(text: string): string[] {
  const blocks = [...text.matchAll(/^```(?:sh|)\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) => block.split('\n'));
  const inSentences = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`(amux [^`\n]+)`/g)].map(
    ([, line = '']) => line,
  );
  return [...blocks.map((line) => line.replace(/^\$ /, '')), ...inSentences]
    .filter(
      (line) =>
        /(?:^|[|&;(] ?)amux\b/.test(line) &&
        !/[[\]<]|\\\||\w\|\w|\.\.\. /.test(line.replace(/"[^"]*"|'[^']*'|< env.json|<\(/g, '')),
    )
    .map((line) => line.replace(/\s#\s.*$/, ''));
}
