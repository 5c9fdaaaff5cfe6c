/**
 * `node misbehave.ts GROUP`: a host program whose adapters misbehave, one member at a time, in every way. For each it
 * prints a line of JSON with the outcome and the reported errors, or that it hangs. It must run to its end.
 */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AgentAdapter,
  type AgentEvent,
  createClient,
  type HookSpec,
  type RunHandle,
  type RunOptions,
} from '@agent-mux/core';
import { FakeAdapter, type Step } from '@agent-mux/testkit';
import { live, sessionStart, text, turnEnd } from './steps.ts';

/** A case that takes longer hangs. */
const HANGS_MS = 60_000;
const AT_ONCE = 6;

export interface HostReport {
  member: string;
  how: string;
  hung: boolean;
  exitReason: string | null;
  /** Codes of `error` events, and what the call itself threw. */
  errors: string[];
}

const delta = { type: 'text_delta', delta: 'x' } as const;
const promises = {
  'a rejected promise': () => Promise.reject(new Error('rejected')),
  'a promise that never settles': () => new Promise(() => {}),
};
const BAD: Readonly<Record<string, () => unknown>> = {
  'throws an error': () => {
    throw new Error('thrown');
  },
  'throws undefined': () => {
    throw undefined;
  },
  'throws what cannot be read': () => {
    throw new Proxy(
      {},
      {
        get() {
          throw new Error('unreadable');
        },
      },
    );
  },
  undefined: () => undefined,
  null: () => null,
  '[null]': () => [null],
  'a string': () => 'what?',
  'a number': () => 42,
  '{}': () => ({}),
  '[{}]': () => [{}],
  'an unknown type': () => [{ type: 'unknown' }],
  'a field of another type': () => [{ type: 'text_delta', delta: 7 }],
  'events that are null': () => ({ events: [null], replies: [null] }),
  'an event that cannot be read': () => [
    {
      get type() {
        throw new Error('unreadable');
      },
    },
  ],
  'frozen events': () => Object.freeze([Object.freeze({ ...delta })]),
  'far too many events': () => Array.from({ length: 200_000 }, () => ({ ...delta })),
  'far too much text': () => [{ type: 'text_delta', delta: 'x'.repeat(40_000_000) }],
  ...promises,
};

interface Scenario {
  steps: Step[];
  options?: Partial<RunOptions>;
  /** Makes the engine call the member. */
  act?: (handle: RunHandle, event: AgentEvent) => void;
  adapter?: Partial<ConstructorParameters<typeof FakeAdapter>[0]>;
  /** Replaces the member. */
  put?: (adapter: FakeAdapter, bad: () => unknown) => void;
}

const hello = [sessionStart, text('hello'), turnEnd];
const talk = live([text('one'), turnEnd], [text('two'), turnEnd]);
const hang: Step = { do: 'hang' };
const ask: Step = {
  do: 'ask',
  event: { type: 'approval_request', requestId: 'r', toolName: 'Bash', title: 'ls', options: [] },
  allowed: [text('allowed')],
};
const onText = (does: (handle: RunHandle) => unknown) => (handle: RunHandle, each: AgentEvent) => {
  if (each.type === 'text_delta') void Promise.resolve(does(handle)).catch((error) => note(handle, error));
};
const thrown = new WeakMap<RunHandle, string[]>();
const note = (handle: RunHandle, error: unknown) => {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error);
  thrown.set(handle, [...(thrown.get(handle) ?? []), code]);
};

const onAdapter =
  (name: string): Scenario['put'] =>
  (adapter, bad) =>
    Object.defineProperty(adapter, name, { value: bad, configurable: true });
const onCodec =
  (name: string): Scenario['put'] =>
  (adapter, bad) => {
    const spec = adapter.modes[0]?.live;
    if (spec) Object.assign(spec.codec, { [name]: bad });
  };
/** Hooks of which one function misbehaves. */
function badHooks(name: string, bad: () => unknown): HookSpec {
  const shape = ['entry', 'text', 'fileOf'].includes(name);
  const file = {
    shape: 'scripts',
    folder: 'hooks',
    fileOf: () => 'one',
    text: () => 'two',
    ...(shape ? { [name]: bad } : {}),
  };
  const flat = { shape: 'json-flat', path: 'hooks.json', under: [], entry: bad };
  return {
    events: [{ name: 'Stop' }],
    file: name === 'entry' ? flat : file,
    read: () => ({}),
    forRun: () => ({}),
    ...(shape ? {} : { [name]: bad }),
  } as HookSpec;
}
const onHooks =
  (name: string): Scenario['put'] =>
  (adapter, bad) =>
    Object.defineProperty(adapter, 'hooks', { value: badHooks(name, bad), configurable: true });
const onShare =
  (name: string): Scenario['put'] =>
  (adapter, bad) => {
    const spec = adapter.modes[0]?.live;
    const share = { key: () => 'k', channelOf: () => 'c', route: () => undefined, [name]: bad };
    if (spec) Object.assign(spec, { share });
  };

const RUNS: Readonly<Record<string, Record<string, Scenario>>> = {
  launching: {
    initialize: { steps: hello, options: { timeout: 1500 }, put: onAdapter('initialize') },
    applyDefaults: { steps: hello, put: onAdapter('applyDefaults') },
    buildSpawnArgs: { steps: hello, put: onAdapter('buildSpawnArgs') },
    beforeSpawn: {
      steps: hello,
      options: { timeout: 1500 },
      put: onAdapter('beforeSpawn'),
    },
    detectInstallation: { steps: hello, adapter: { versionSteps: [] }, put: onAdapter('detectInstallation') },
    'hooks.forRun': { steps: hello, options: { hooks: true }, put: onHooks('forRun') },
  },
  decoding: {
    parseEvent: { steps: hello, put: onAdapter('parseEvent') },
    'parseEvent of a live agent': {
      steps: live([{ do: 'line', text: 'noise', to: 'stderr' }, text('one'), turnEnd]),
      options: { timeout: 3000 },
      put: onAdapter('parseEvent'),
    },
    parseEnd: { steps: hello, put: onAdapter('parseEnd') },
  },
  hooks: {
    onProcessExit: { steps: [sessionStart, { do: 'exit', code: 3 }], put: onAdapter('onProcessExit') },
    'onProcessExit after a turn': { steps: hello, put: onAdapter('onProcessExit') },
    onTimeout: { steps: [sessionStart, hang], options: { timeout: 400 }, put: onAdapter('onTimeout') },
    'onTimeout of a silence': {
      steps: [sessionStart, hang],
      options: { inactivityTimeout: 400 },
      put: onAdapter('onTimeout'),
    },
    onSpawnError: {
      steps: hello,
      put: (adapter, bad) => {
        const build = adapter.buildSpawnArgs.bind(adapter);
        Object.defineProperty(adapter, 'onSpawnError', { value: bad });
        Object.defineProperty(adapter, 'buildSpawnArgs', {
          value: (options: never) => ({ ...build(options), command: '/nonexistent/agent' }),
        });
      },
    },
    shouldRetry: {
      steps: [sessionStart, { do: 'exit', code: 3 }],
      options: { retryPolicy: { maxRetries: 1, initialDelayMs: 1 } },
      put: onAdapter('shouldRetry'),
    },
  },
  conversation: {
    open: { steps: talk, put: onCodec('open'), options: { timeout: 1500 } },
    handshake: { steps: talk, put: onCodec('handshake'), options: { timeout: 1500 } },
    turn: { steps: talk, put: onCodec('turn'), options: { timeout: 1500 } },
    'turn before the session': {
      steps: talk,
      adapter: { waitForSession: false },
      put: onCodec('turn'),
      options: { timeout: 1500 },
    },
    decode: { steps: talk, put: onCodec('decode'), options: { timeout: 1500 } },
    resolve: {
      steps: live([ask, turnEnd]),
      put: onCodec('resolve'),
      options: { onApprovalRequest: () => ({ decision: 'allow' }), timeout: 5000 },
    },
    interrupt: {
      steps: live([text('one'), hang]),
      put: onCodec('interrupt'),
      act: onText((handle) => handle.interrupt()),
    },
    steer: {
      steps: live([text('one'), hang]),
      options: { timeout: 1500 },
      put: onCodec('steer'),
      act: onText((handle) => handle.steer('left')),
    },
    setModel: {
      steps: live([text('one'), hang]),
      options: { timeout: 1500 },
      put: onCodec('setModel'),
      act: onText((handle) => handle.setModel('other')),
    },
    setApprovalMode: {
      steps: live([text('one'), hang]),
      options: { timeout: 1500 },
      put: onCodec('setApprovalMode'),
      act: onText((handle) => handle.setApprovalMode('yolo')),
    },
    close: { steps: talk, put: onCodec('close') },
    idleMs: { steps: talk, put: onCodec('idleMs') },
    onIdle: {
      steps: live([text('one'), hang]),
      adapter: { quietMs: 100 },
      options: { timeout: 1500 },
      put: onCodec('onIdle'),
    },
    'share.key': { steps: talk, put: onShare('key') },
    'share.channelOf': { steps: talk, put: onShare('channelOf') },
    'share.route': { steps: talk, put: onShare('route'), options: { timeout: 3000 } },
  },
};

/** Members that no run calls, each with the client call that does. */
const CALLS: Readonly<Record<string, (client: ReturnType<typeof createClient>) => unknown>> = {
  detectAuth: (client) => client.auth.checkAll(),
  getAuthGuidance: (client) => client.auth.guidance('fake'),
  sessionDir: (client) => client.sessions.list(),
  listSessionFiles: (client) => client.sessions.list(),
  parseSessionFile: (client) => client.sessions.list(),
  readConfig: (client) => Promise.all([client.adapters.installed(), client.doctor(), client.models.list('fake')]),
  writeConfig: (client) => client.adapters.get('fake').writeConfig({}),
  listPlugins: (client) => client.plugins.list('fake'),
  installPlugin: (client) => client.plugins.install('fake', 'x'),
  uninstallPlugin: (client) => client.plugins.uninstall('fake', 'x'),
  searchPlugins: (client) => client.plugins.search('fake', 'x'),
  detectInstallation: (client) => Promise.all([client.health('fake'), client.adapters.installed()]),
  install: (client) => client.install('fake'),
  update: (client) => client.update('fake'),
  'hooks.read': (client) => client.adapters.get('fake').hooks?.read('Stop', {}),
  'hooks.entry': (client) => client.hooks.install('fake', { cwd: workspace }),
  'hooks.text': (client) => client.hooks.install('fake', { cwd: workspace }),
  'hooks.fileOf': (client) => client.hooks.install('fake', { cwd: workspace }),
};
/** For misbehavior that is allowed. */
const workspace = mkdtempSync(join(tmpdir(), 'misbehave-'));
process.once('exit', () => rmSync(workspace, { recursive: true, force: true }));

async function drive(scenario: Scenario, bad: () => unknown): Promise<Omit<HostReport, 'member' | 'how' | 'hung'>> {
  const adapter = new FakeAdapter({ steps: scenario.steps, ...scenario.adapter });
  scenario.put?.(adapter, bad);
  const client = createClient({ adapters: [adapter], runIndex: false });
  const errors: string[] = [];
  let exitReason: string | null = null;
  let handle: RunHandle | undefined;
  try {
    handle = client.run({ agent: 'fake', prompt: 'go', ...scenario.options });
    for await (const each of handle) {
      if (each.type === 'error') errors.push(each.code);
      scenario.act?.(handle, each);
    }
    ({ exitReason } = await handle);
  } catch (error) {
    errors.push(codeOf(error));
  }
  if (handle) errors.push(...(thrown.get(handle) ?? []));
  await client.close();
  return { exitReason, errors };
}

async function call(member: string, bad: () => unknown): Promise<Omit<HostReport, 'member' | 'how' | 'hung'>> {
  const adapter: AgentAdapter = new FakeAdapter({ steps: hello, capabilities: { supportsPlugins: true } });
  for (const name of ['listPlugins', 'installPlugin', 'uninstallPlugin', 'searchPlugins'])
    Object.defineProperty(adapter, name, { value: async () => [], configurable: true });
  const [spec, inner] = member.split('.');
  const value = inner === undefined ? bad : badHooks(inner, bad);
  Object.defineProperty(adapter, spec ?? member, { value, configurable: true });
  const errors: string[] = [];
  const env = { ...process.env, XDG_STATE_HOME: join(workspace, 'state') };
  const client = createClient({ adapters: [adapter], runIndex: false, env });
  try {
    await CALLS[member]?.(client);
  } catch (error) {
    errors.push(codeOf(error));
  }
  await client.close();
  return { exitReason: null, errors };
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'not one of ours';
}

async function inTime<Value>(work: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, HANGS_MS, undefined);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function report(member: string, how: string, work: () => ReturnType<typeof drive>): Promise<void> {
  const outcome = await inTime(work());
  const line: HostReport = { member, how, hung: outcome === undefined, exitReason: null, errors: [], ...outcome };
  appendFileSync(1, `${JSON.stringify(line)}\n`);
}

const [group = ''] = process.argv.slice(2);
const cases: (() => Promise<void>)[] = [];
for (const [how, bad] of Object.entries(BAD)) {
  for (const [member, scenario] of Object.entries(RUNS[group] ?? {}))
    cases.push(() => report(member, how, () => drive(scenario, bad)));
  // What a person waits for and can end (installing) may take its time.
  if (group === 'auth-and-config' && how !== 'a promise that never settles')
    for (const member of Object.keys(CALLS)) cases.push(() => report(member, how, () => call(member, bad)));
}
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let next = cases.shift(); next; next = cases.shift()) await next();
  }),
);
process.exit(0);
