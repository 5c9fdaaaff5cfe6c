import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { agentSetups, startScriptedModel } from '@agent-mux/testkit';
import { chromium } from 'playwright-core';
import { findBrowser } from '../../packages/web/test/find-browser.ts';
import { NEW_USER_AGENTS, type NewUserJob } from './job.ts';

const TIMEOUT_MS = 90_000;
const job: NewUserJob = JSON.parse(readFileSync(0, 'utf8'));
const home = join(job.folder, 'home');
const project = join(home, 'my-project');
const run = promisify(execFile);
const model = await startScriptedModel();
const setups = NEW_USER_AGENTS.map((agent) => agentSetups[agent]!);
const sandbox = { modelUrl: model.url, home };
const env: Record<string, string> = {
  PATH: [job.amux, ...job.clis, dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
  HOME: home,
  USER: 'dev',
  SHELL: '/bin/bash',
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
  DEMO_SPEED: '0',
  ...Object.assign({}, ...setups.map((setup) => ({ ...setup.env(sandbox), ...setup.runEnv }))),
};

const steps: [string, () => Promise<void>][] = [
  ['amux runs from a project of the user', help],
  ['the demo agent writes a file after it was allowed', demo],
  ...NEW_USER_AGENTS.map((agent): [string, () => Promise<void>] => [`${agent} answers`, () => ask(agent)]),
  ...NEW_USER_AGENTS.map((agent): [string, () => Promise<void>] => [
    `${agent} keeps its conversation in the daemon`,
    () => converse(agent),
  ]),
  ['hooks report a session that was started without amux', hooks],
  ['the dashboard opens with the link of "amux open"', dashboard],
  ['nothing is left after rm and down', leave],
];

let failed = 0;
prepare();
for (const [title, step] of steps) {
  const started = performance.now();
  const error = await step().then(
    () => undefined,
    (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
  );
  console.log(
    `${error === undefined ? 'ok    ' : 'FAILED'} ${title} (${((performance.now() - started) / 1000).toFixed(1)} s)`,
  );
  if (error !== undefined) {
    failed += 1;
    console.log(error.replace(/^/gm, '       '));
  }
}
await amux('down', '--stop-sessions').catch(() => {});
await model.close();
console.log(`${steps.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

function prepare(): void {
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'README.md'), '# My project\n');
  const author = ['-c', 'user.name=dev', '-c', 'user.email=dev@example.com'];
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    [...author, 'commit', '-qm', 'Start'],
  ])
    assert.equal(spawnSync('git', args, { cwd: project, env }).status, 0);
  for (const [name, content] of setups.flatMap((setup) => Object.entries(setup.files?.(sandbox) ?? {}))) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), content);
  }
}

async function amux(...args: string[]): Promise<string> {
  const { stdout } = await run('amux', args, { cwd: project, env, timeout: TIMEOUT_MS });
  return stdout;
}

async function read<Value>(...args: string[]): Promise<Value> {
  return JSON.parse(await amux(...args, '--json'));
}

interface Row {
  id: string;
  agent: string;
  activity: string;
  origin: string;
  openRequests: number;
  summary: string | null;
}

async function waitFor<Value>(what: string, look: () => Promise<Value | undefined | false>): Promise<Value> {
  for (const until = performance.now() + TIMEOUT_MS; performance.now() < until; await sleep(200)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`waited in vain for ${what}`);
}

async function help(): Promise<void> {
  assert.match(await amux('--version'), /\d+\.\d+\.\d+/);
  assert.match(await amux('help'), /amux run/);
  const table = await amux('agents');
  for (const agent of NEW_USER_AGENTS) assert.match(table, new RegExp(`^${agent} `, 'm'));
}

async function demo(): Promise<void> {
  const id = (await amux('new', '-a', 'demo', 'write a.txt')).trim();
  await waitFor('the approval request', async () => (await read<Row>('show', id)).openRequests === 1);
  await amux('approve', id);
  await waitFor('the end of the turn', async () => (await read<Row>('show', id)).activity === 'idle');
  assert.ok(existsSync(join(project, 'agent-mux-demo', 'a.txt')));
  await amux('rm', id, '--yes');
}

async function ask(agent: string): Promise<void> {
  const { name } = agentSetups[agent]!.model;
  assert.match(await amux('run', '-a', agent, '--model', name, '-q', '--no-stdin', 'Say the word pomegranate'), /\S/);
}

async function converse(agent: string): Promise<void> {
  const { name } = agentSetups[agent]!.model;
  const id = (await amux('new', '-a', agent, '--model', name, 'Remember the word pomegranate')).trim();
  const isIdle = async () => (await read<Row>('show', id)).activity === 'idle';
  await waitFor(`the first answer of ${agent}`, isIdle);
  await amux('park', id);
  const before = model.requests.length;
  await amux('send', id, 'Which word was it?');
  await waitFor(`the second answer of ${agent}`, async () => model.requests.length > before && (await isIdle()));
  const sent = JSON.stringify(model.requests.at(-1));
  assert.ok(sent.includes('pomegranate'), `${agent} started a new conversation`);
}

async function hooks(): Promise<void> {
  const setup = agentSetups.claude!;
  await amux('hooks', 'install', 'claude');
  const args = [...setup.unmanaged!.args('Say hello', project)];
  // Not spawnSync: the scripted model answers from this process.
  const running = run('claude', args, { cwd: project, env, timeout: TIMEOUT_MS });
  running.child.stdin?.end();
  const { stderr } = await running;
  assert.ok(!/amux/.test(stderr), stderr);
  await waitFor('the reported session', async () => {
    const { sessions } = await read<{ sessions: Row[] }>('ps', '--all');
    return sessions.some(({ agent, origin }) => agent === 'claude' && origin === 'unmanaged');
  });
  await amux('hooks', 'uninstall', 'claude');
}

async function dashboard(): Promise<void> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error('no browser on this machine');
  const { url } = await read<{ url: string }>('open');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByText('Remember the word pomegranate').first().waitFor({ timeout: TIMEOUT_MS });
  } finally {
    await browser.close();
  }
}

async function leave(): Promise<void> {
  const { sessions } = await read<{ sessions: Row[] }>('ps', '--all');
  for (const { id } of sessions) await amux('rm', id, '--yes');
  await amux('down');
  const { stdout } = await run('ps', ['-eo', 'args']);
  assert.ok(!/amux-(?:keeper|daemon)/.test(stdout), stdout);
}
