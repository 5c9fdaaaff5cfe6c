import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { allowsCommand, deniesCommand } from './match-command.ts';

/** Commands that only record their arguments; nothing else is on PATH. */
const NAMES = ['git', 'npm', 'rm', 'ls', 'sudo', 'env'];
/** Number of command lines per shell process. */
const BATCH = 60;
const BATCHES = Number(process.env.SHELL_ORACLE_BATCHES ?? 4);
const SHELLS = ['/bin/bash', '/bin/dash'].filter((path) => existsSync(path));

/** Patterns that a careless user may have allowed. */
const ANYTHING = ['*', ...['>', '<', '2>', '<<<', '&>', '|', ';', '&&'].map((operator) => `* ${operator} *`), '* 2>&1'];

const root = mkdtempSync(join(tmpdir(), 'shell-'));
const bin = join(root, 'bin');
const work = join(root, 'work');
mkdirSync(bin);
mkdirSync(work);
for (const name of NAMES)
  writeFileSync(
    join(bin, name),
    `#!/bin/sh\nline="\${0##*/}"\nfor word; do line="$line\u0001$word"; done\nprintf '%s\\n' "$line" >> "$LOG"\ncase "\${0##*/}" in sudo|env) [ $# -gt 0 ] && exec "$@";; esac\nexit 0\n`,
    { mode: 0o755 },
  );
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** What each command line really ran, and whether the shell could parse it. */
function runAll(shell: string, commands: readonly string[]): string[][][] {
  // A background process writes only to the log of its batch, however late.
  const batch = mkdtempSync(join(work, 'batch-'));
  const script = commands
    .map((command, at) => {
      const file = join(batch, `command-${at}`);
      writeFileSync(file, command);
      return `( export LOG=${batch}/log-${at}; cd ${batch}; mkdir -p in; cd in; ${shell} ${file} </dev/null >/dev/null 2>&1 )`;
    })
    .join('\n');
  // Program names are looked up only in the scratch folder; shells are given by full path.
  const { error } = spawnSync(
    '/bin/sh',
    [
      '-c',
      `PATH=/bin:/usr/bin\n${script.replaceAll('( export', `( export PATH=${bin}:/nowhere; export`).replaceAll('mkdir -p in', '/bin/mkdir -p in')}`,
    ],
    {
      timeout: 60_000,
      env: {},
    },
  );
  if (error) throw error;
  const ran = commands.map((_, at) => {
    const log = join(batch, `log-${at}`);
    if (!existsSync(log)) return [];
    return readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\u0001'));
  });
  rmSync(batch, { recursive: true, force: true, maxRetries: 5 });
  return ran;
}

const PLAIN_WORDS = [
  'git',
  'npm',
  'rm',
  'ls',
  'sudo',
  'env',
  '-rf',
  'x',
  'log',
  'test',
  'A=1',
  'a.log',
  '2',
  '--prefix',
];
const ODD_WORDS = [
  ...[
    '"a b"',
    "'c d'",
    'r"m"',
    "r''m",
    'r\\m',
    '{rm,-rf,x}',
    'r{m,}',
    "$'rm'",
    "$'\\x72m'",
    '$"rm"',
    'r$@m',
    '$X',
    '"$X"',
  ],
  ...[
    '*',
    'r?',
    '#x',
    '!',
    '~',
    '\\',
    '"',
    "'",
    '`',
    '$(',
    ')',
    '(',
    '{',
    '}',
    ',',
    '=',
    '$IFS',
    `\${IFS}`,
    '$9',
    '\u00a0',
  ],
];
const REDIRECTS = [
  '>',
  ' > ',
  '>>',
  '<',
  '2>',
  ' 2>&1 ',
  '</dev/null ',
  '>o ',
  ' >o',
  '<<<',
  '<<<y ',
  '&>',
  '>|',
  '>&',
  '<>',
];
const OPERATORS = [';', ' ; ', '|', '||', '&&', '&', '\n', '\\\n', '|&', ';;', '\t', ''];
/** Mostly what a rule can parse: anything else is never allowed. */
const WORDS = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PLAIN_WORDS) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_WORDS) },
);
const GLUE = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(' ', '  ') },
  { weight: 2, arbitrary: fc.constantFrom(...REDIRECTS) },
  { weight: 1, arbitrary: fc.constantFrom(...OPERATORS) },
);
const COMMAND = fc
  .tuple(
    fc.constantFrom('git ', 'npm test', 'rm', 'git log', '', 'sudo '),
    fc.array(fc.tuple(GLUE, WORDS), { maxLength: 5 }),
  )
  .map(([first, rest]) => first + rest.map((pair) => pair.join('')).join(''));

describe.skipIf(SHELLS.length === 0 || process.platform !== 'linux').each(SHELLS)('policy against %s', (shell) => {
  it('records what the shell runs', () => {
    const commands = ['rm</dev/null -rf x', 'git log; sudo npm "a b" >o', 'git "', 'ls in &&rm'];
    expect(runAll(shell, commands)).toEqual([
      [['rm', '-rf', 'x']],
      [
        ['git', 'log'],
        ['sudo', 'npm', 'a b'],
        ['npm', 'a b'],
      ],
      [],
      [['ls', 'in'], ['rm']],
    ]);
  });

  it('finds every denied program that the shell runs', {
    timeout: 300_000,
  }, () => {
    forEachBatch(shell, (command, ran) => {
      const removes = ran.some(([name, ...args]) => name === 'rm' && args.length > 0);
      if (!removes || !ANYTHING.some((pattern) => allowsCommand(pattern, command, 'posix'))) return;
      expect([command, deniesCommand('rm *', command)]).toEqual([command, true]);
    });
  });

  it('allows only the program of a pattern, once, with those arguments', { timeout: 300_000 }, () => {
    forEachBatch(shell, (command, ran) => {
      for (const [pattern, isMeant] of [
        ['git *', ([name]: string[]) => name === 'git'],
        ['git log *', ([name, first]: string[]) => name === 'git' && first === 'log'],
        ['npm test > *', (argv: string[]) => argv.join(' ') === 'npm test'],
        ['npm test > *.log', (argv: string[]) => argv.join(' ') === 'npm test'],
        ['npm test 2>&1', (argv: string[]) => argv.join(' ') === 'npm test'],
      ] as const) {
        if (!allowsCommand(pattern, command, 'posix')) continue;
        expect([pattern, command, ran, ran.length <= 1 && ran.every(isMeant)]).toEqual([pattern, command, ran, true]);
      }
    });
  });
});

function forEachBatch(shell: string, check: (command: string, ran: string[][]) => void): void {
  fc.assert(
    fc.property(fc.array(COMMAND, { minLength: BATCH, maxLength: BATCH }), (commands) => {
      const ran = runAll(shell, commands);
      for (const [at, command] of commands.entries()) check(command, ran[at]!);
    }),
    { numRuns: BATCHES, endOnFailure: true },
  );
}
