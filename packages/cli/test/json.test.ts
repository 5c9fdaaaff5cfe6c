import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { amux } from '../src/amux.ts';
import { COMMANDS } from '../src/command-table.ts';
import type { JsonDocuments, JsonLines } from '../src/json/documents.ts';
import { createTestHome, environment, start, TIMEOUT_MS, userConfig, writeConfig } from './amux.ts';
import { loadCommand } from './assert-parses.ts';
import { FakeDaemon } from './fake-daemon.ts';
import { findSchemaIssues } from './schema-issues.ts';

const SCHEMAS = fileURLToPath(new URL('../../../docs/json', import.meta.url));
const FAILURE = 'error';

type Output = keyof JsonDocuments | keyof JsonLines;

const testHome = createTestHome();
const bin = join(testHome.home, 'bin');
const before = { env: process.env, cwd: process.cwd() };

/** Fake `claude` with a version and one plugin. */
const CLAUDE = `case "$*" in
*--available*) echo '{"installed":[],"available":[{"pluginId":"hello@m","description":"Says hello"}]}';;
*list*) test -f ~/none && echo '[]' || echo '[{"id":"hello@m","version":"1.0.0","enabled":true,"scope":"user"}]';;
*uninstall*) touch ~/none;;
*install*) rm -f ~/none;;
*) echo 2.1.325;; esac`;
/** Fake cluster client whose pod is this machine. */
const KUBECTL = 'while [ "$1" != "--" ]; do shift; done; shift; exec "$@"';

/** Final event of a launch. */
const RESULT = {
  type: 'run_result',
  mode: 'live',
  text: 'hi',
  sessionId: null,
  model: null,
  usage: null,
  costUsd: null,
  costSource: null,
  serviceTier: null,
  quota: null,
  durationMs: 1,
  exitReason: 'completed',
  exitCode: 0,
  error: null,
  turnCount: 1,
  tags: [],
};

/** Command lines in order; a command may be run in several ways. `SESSION` is a session, `FORK` for its fork. */
const TRIES = {
  run: ['run -a demo --no-stdin --yolo --raw write_a.txt', 'run -a demo --no-stdin fail', 'run -a demo --no-stdin ask'],
  demo: ['demo'],
  'sessions list': ['sessions list', 'sessions list --all'],
  'sessions show': ['sessions show SESSION'],
  'sessions search': ['sessions search write', 'sessions search nothing-like-this'],
  'sessions export': ['sessions export SESSION --out talk.html'],
  'sessions cost': ['sessions cost', 'sessions cost --by model'],
  'sessions diff': ['sessions diff SESSION FORK'],
  'sessions watch': [],
  'sessions delete': ['sessions delete FORK --yes'],
  agents: ['agents'],
  detect: ['detect', 'detect demo', 'detect codex'],
  'detect-host': ['detect-host'],
  capabilities: ['capabilities', 'capabilities demo'],
  'auth status': ['auth status', 'auth status demo claude'],
  'auth guide': ['auth guide claude', 'auth guide demo'],
  quota: ['quota'],
  'models list': ['models list', 'models list claude --bundled'],
  'models check': ['models check claude sonnet --bundled', 'models check claude sonet --bundled'],
  'models cost': ['models cost claude sonnet --input 1 --output 1', 'models cost claude nope --input 1 --output 1'],
  'config get': ['config get claude', 'config get claude model'],
  'config set': ['config set claude model opus', 'config set claude model opus --dry-run'],
  'config unset': ['config unset claude model'],
  'config schema': ['config schema claude', 'config schema codex', 'config schema pi'],
  'config validate': ['config validate'],
  'config path': ['config path claude'],
  'policy add': [
    'policy add deny --kind execute --pattern make --name no-make',
    'policy add allow --kind read --kind search --agent demo',
  ],
  'policy list': ['policy list', 'policy'],
  'policy test': [
    'policy test make --kind execute',
    'policy test --kind read --agent demo',
    'policy test x --kind edit',
  ],
  'policy remove': ['policy remove no-make'],
  'policy forget': ['policy forget --all'],
  'mcp add': ['mcp add docs -a claude,codex --url https://example.com/mcp', 'mcp add files -a claude -- npx server'],
  'mcp list': ['mcp list'],
  'mcp remove': ['mcp remove docs -a claude,codex'],
  'plugins list': ['plugins list', 'plugins list claude'],
  'plugins search': ['plugins search claude hello'],
  'plugins uninstall': ['plugins uninstall claude hello@m'],
  'plugins install': ['plugins install claude hello@m'],
  'skills add': ['skills add ../pdf -a claude', 'skills add ../pdf -a claude --force'],
  'skills list': ['skills list'],
  'skills remove': ['skills remove pdf -a claude'],
  'hooks install': ['hooks install claude', 'hooks install claude'],
  'hooks status': ['hooks status', 'hooks status claude'],
  'hooks uninstall': ['hooks uninstall claude'],
  'profiles set': ['profiles set quick model=opus timeout=5m'],
  'profiles list': ['profiles list'],
  'profiles show': ['profiles show quick'],
  'profiles remove': ['profiles remove quick'],
  install: ['install codex --dry-run', 'install codex'],
  update: ['update claude --dry-run --method npm'],
  uninstall: ['uninstall claude --dry-run --method npm'],
  doctor: ['doctor demo claude', 'doctor'],
  'remote install': ['remote install k8s:dev/pod claude'],
  'remote verify': ['remote verify k8s:dev/pod claude', 'remote verify k8s:dev/pod qwen'],
  verify: ['verify demo'],
  completion: ['completion bash'],
  new: ['new -a demo --no-stdin hello', 'new -a demo --no-stdin --worktree ask'],
  ps: ['ps', 'ps --all'],
  show: ['show KEPT'],
  inbox: ['inbox'],
  'limits list': ['limits'],
  'limits cancel': ['limits cancel KEPT'],
  'limits continue': ['limits continue KEPT'],
  'limits set': ['limits set KEPT continue'],
  'limits budget': ['limits budget KEPT 5usd,200ktokens'],
  send: ['send KEPT --no-stdin hello', 'send ASKS --no-stdin later'],
  approve: ['approve ASKS'],
  deny: ['deny MORE not like this'],
  answer: ['answer QUESTION 2'],
  events: ['events KEPT'],
  attach: [],
  interrupt: ['interrupt SLOW'],
  park: ['park KEPT'],
  stop: ['stop KEPT'],
  restore: ['restore KEPT'],
  fork: ['fork KEPT'],
  rm: ['rm KEPT --yes'],
  'schedule add': ['schedule add daily --missed run -- new -a demo --no-stdin --env HOME hello'],
  'schedule list': ['schedule list', 'schedule'],
  'schedule show': ['schedule show tday'],
  'schedule pause': ['schedule pause tday'],
  'schedule resume': ['schedule resume tday'],
  'schedule run': ['schedule run tday'],
  'schedule remove': ['schedule remove tday'],
  'notify list': ['notify list', 'notify'],
  'notify test': ['notify test', 'notify test phone'],
  logs: ['logs'],
  open: ['open'],
  status: ['status'],
  up: ['up'],
  down: ['down', 'down'],
} satisfies Record<Output, readonly string[]>;

/** Commands that may fail here; their output is checked anyway. */
const sessions = { SESSION: '', FORK: '', KEPT: '', ASKS: '', MORE: '', QUESTION: '', SLOW: '' };
const daemon = new FakeDaemon(testHome);

beforeAll(async () => {
  mkdirSync(bin);
  for (const [name, script] of Object.entries({
    claude: CLAUDE,
    kubectl: KUBECTL,
    npm: 'echo nothing done',
    amux: '',
  })) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  mkdirSync(join(testHome.home, 'pdf'));
  writeFileSync(join(testHome.home, 'pdf', 'SKILL.md'), '---\nname: pdf\ndescription: Reads PDFs.\n---\n');
  writeConfig(userConfig(testHome), {
    agents: [{ id: 'broken', profile: 'nonsense' }],
    adapters: ['unknown'],
  });
  writeConfig(join(testHome.cwd, '.agent-mux', 'config.json'), {
    agents: [{ id: 'theirs', profile: 'generic-job', job: { command: 'cat' } }],
  });
  const quota = join(testHome.home, '.local/state/agent-mux/quota');
  mkdirSync(quota, { recursive: true });
  const windows = [{ window: 'five_hour', usedPercent: 91, resetsAt: null, exhausted: false }];
  const reported = { agent: 'claude', limited: false, windows, earliestResetAt: null, asOf: Date.now() };
  writeFileSync(join(quota, 'claude.json'), JSON.stringify({ schema: 'agent-mux.quota/1', ...reported }));
  process.env = environment(testHome, { PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':') });
  process.chdir(testHome.cwd);
  sessions.SESSION = await talk('run', '-a', 'demo', '--no-stdin', '--yolo', 'write the zebra file');
  sessions.FORK = await talk('run', '-a', 'demo', '--no-stdin', '--fork', sessions.SESSION, 'and what did I say?');
  await daemon.listen();
  for (const [name, text] of Object.entries({
    KEPT: 'hi',
    ASKS: 'ask',
    MORE: 'ask',
    QUESTION: 'question',
    SLOW: 'slow',
  })) {
    const { id } = daemon.add({ title: name, usage: null, costUsd: 0.5, costSource: 'reported' });
    daemon.turn(id, text);
    Object.assign(sessions, { [name]: id });
  }
  daemon.happen(sessions.KEPT, RESULT);
}, TIMEOUT_MS);

afterAll(async () => {
  await daemon.die();
  process.env = before.env;
  process.chdir(before.cwd);
});

describe('JSON output of amux', () => {
  it('has a schema for every command and subcommand, and no others', async () => {
    const outputs: string[] = [];
    for (const name of Object.keys(COMMANDS)) {
      const { actions } = await loadCommand(name);
      outputs.push(...(actions ? Object.keys(actions).map((action) => `${name} ${action}`) : [name]));
    }
    const files = readdirSync(SCHEMAS).filter((name) => name.endsWith('.json'));
    expect(files.sort()).toEqual([...outputs, FAILURE].map(fileOf).sort());
    expect(Object.keys(TRIES).sort()).toEqual(outputs.sort());
  });

  it('is never a bare array', () => {
    for (const output of Object.keys(TRIES)) expect(JSON.parse(schemaText(output)).type, output).not.toBe('array');
  });

  const tried = Object.entries(TRIES).flatMap(([output, lines]) => lines.map((line) => [line, output] as const));
  it.each(tried)('matches the schema: amux %s', { timeout: TIMEOUT_MS }, async (line, output) => {
    const words = line.split(' ').map((word) => ({ ...sessions })[word] ?? word);
    const end = words.indexOf('--');
    words.splice(end === -1 ? words.length : end, 0, '--json');
    const printed = await printedBy(words);
    const values = isLines(output) ? jsonLines(printed) : [JSON.parse(printed)];
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) expectValid(output, value);
  });

  it('matches the schema: amux sessions watch', { timeout: TIMEOUT_MS }, async () => {
    const watching = start(testHome, ['sessions', 'watch', sessions.SESSION, '--json']);
    await watching.until('watching');
    await talk('run', '-a', 'demo', '--no-stdin', '--resume', sessions.SESSION, 'something new');
    await watching.until(/"text":"something new"/);
    watching.child.kill('SIGINT');
    for (const value of jsonLines((await watching.finished).stdout)) expectValid('sessions watch', value);
  });

  it.each(['agents --nonsense', 'detect unknown', 'run -a demo --no-stdin --max-turns 3 hi', 'config get unknown'])(
    'is an error document without a result: amux %s',
    async (line) => expectValid(FAILURE, JSON.parse(await printedBy([...line.split(' '), '--json']))),
  );

  it('is validated: missing, mistyped and undocumented values are issues', () => {
    const good = { agent: null, signal: null };
    expectValid('detect-host', good);
    for (const bad of [{ agent: null }, { agent: 1, signal: null }, { ...good, more: 1 }, [good]]) {
      expect(() => expectValid('detect-host', bad)).toThrow();
    }
  });
});

/** In this process, so that all adapters are loaded once. */
async function printedBy(args: readonly string[]): Promise<string> {
  const pieces: string[] = [];
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((piece) => pieces.push(String(piece)) > 0);
  const err = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  try {
    await amux(args);
    return pieces.join('');
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

/** The session of a run. */
async function talk(...args: string[]): Promise<string> {
  const result = jsonLines(await printedBy([...args, '--json'])).at(-1);
  if (typeof result === 'object' && result !== null && 'sessionId' in result) return String(result.sessionId);
  throw new Error(`no session: ${JSON.stringify(result)}`);
}

function jsonLines(text: string): unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function isLines(output: string): boolean {
  return ['run', 'demo', 'verify', 'events', 'logs'].includes(output);
}

function fileOf(output: string): string {
  return `${output.replaceAll(' ', '-')}.schema.json`;
}

function schemaText(output: string): string {
  return readFileSync(join(SCHEMAS, fileOf(output)), 'utf8');
}

function expectValid(output: string, value: unknown): void {
  expect(findSchemaIssues(JSON.parse(schemaText(output)), value), JSON.stringify(value).slice(0, 2000)).toEqual([]);
}
