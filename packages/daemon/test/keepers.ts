import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SessionEvent } from '@agent-mux/api';
import { type EventBody, listProcessTree } from '@agent-mux/core';
import type { FakeAdapterOptions, Step } from '@agent-mux/testkit';
import { afterAll, afterEach, expect } from 'vitest';
import { type ConnectOptions, connectKeeper, type KeeperConnection } from '../src/keeper/connect-keeper.ts';
import type { KeeperRecord, LaunchSpec } from '../src/keeper/protocol.ts';
import { isKeeperAlive, readRecord } from '../src/keeper/record.ts';
import { startKeeper } from '../src/keeper/start-keeper.ts';

const ADAPTER = fileURLToPath(new URL('./fake-adapter.ts', import.meta.url));

/** Timeouts that also work on a busy machine. */
export const PATIENT = { timeout: 20_000 };

/** A daemon as seen by a keeper, with everything it received, in order. */
export interface TestDaemon {
  connection: KeeperConnection;
  /** All lines of all sessions in order of arrival. */
  lines: { sessionId: string; seq: number; event: SessionEvent }[];
  ended: string[];
  problems: (string | null)[];
  readonly isGone: boolean;
  events(sessionId?: string): SessionEvent[];
  /** The last received seq of a session. */
  last(sessionId?: string): number;
}

export interface Home {
  root: string;
  work: string;
  hostEnv: Record<string, string>;
  /** A launch of the demo agent, with overrides. */
  launch(overrides?: Partial<LaunchSpec>): LaunchSpec;
  folder(sessionId?: string): string;
}

export interface Keepers {
  /** A home with a fake agent. */
  home(fake?: FakeAdapterOptions): Home;
  start(launch: LaunchSpec): Promise<TestDaemon>;
  connect(folder: string, after: Record<string, number>): Promise<TestDaemon>;
}

/**
 * Keepers and folders for the tests of a file. Kills the keepers after each test and deletes the folders at the end.
 */
export function useKeepers(): Keepers {
  const roots: string[] = [];
  const daemons: TestDaemon[] = [];

  afterEach(async () => {
    // Including those that no test has connected to.
    for (const record of roots.flatMap(recordsIn)) if (isKeeperAlive(record)) process.kill(record.pid, 'SIGKILL');
    for (const { connection } of daemons.splice(0)) {
      const { record } = connection;
      connection.close();
      if (isKeeperAlive(record)) process.kill(record.pid, 'SIGKILL');
      await expect.poll(() => isKeeperAlive(record), PATIENT).toBe(false);
      for (const { runId } of connection.welcome.sessions)
        await expect.poll(() => listProcessTree(-1, runId), PATIENT).toEqual([]);
    }
  });
  afterAll(() => {
    for (const root of roots) rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  function home(fake?: FakeAdapterOptions): Home {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'k-')));
    roots.push(root);
    const work = join(root, 'work');
    for (const name of ['work', 'sessions', 'config/agent-mux', 'tmp'])
      mkdirSync(join(root, name), { recursive: true, mode: 0o700 });
    const config = fake ? { adapters: [{ from: ADAPTER, options: fake }] } : {};
    writeFileSync(join(root, 'config/agent-mux/config.json'), JSON.stringify(config));
    const hostEnv = {
      PATH: process.env.PATH ?? '',
      HOME: root,
      TMPDIR: join(root, 'tmp'),
      XDG_CONFIG_HOME: join(root, 'config'),
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? '',
      DEMO_SPEED: '0',
    };
    const folder = (sessionId = 's1') => join(root, 'sessions', sessionId);
    const launch = (overrides: Partial<LaunchSpec> = {}): LaunchSpec => {
      const sessionId = overrides.sessionId ?? 's1';
      return {
        sessionId,
        folder: folder(sessionId),
        launch: 1,
        runId: randomUUID(),
        firstSeq: 0,
        agent: fake ? 'fake' : 'demo',
        trustProject: false,
        env: {},
        hostEnv,
        message: { messageId: 'm1', text: 'hello', attachments: [] },
        limits: { maxOutputBytes: 0, maxInlineChars: 16_000 },
        ...overrides,
        options: { cwd: work, ...overrides.options },
      };
    };
    return { root, work, hostEnv, launch, folder };
  }

  async function listen(open: (options: ConnectOptions) => Promise<KeeperConnection>, after: Record<string, number>) {
    const lines: TestDaemon['lines'] = [];
    const ended: string[] = [];
    const problems: (string | null)[] = [];
    let isGone = false;
    const connection = await open({
      after,
      listener: {
        events: ({ sessionId, from, lines: texts }) =>
          void lines.push(...texts.map((text, index) => ({ sessionId, seq: from + index, event: JSON.parse(text) }))),
        ended: ({ sessionId }) => ended.push(sessionId),
        storageError: ({ problem }) => problems.push(problem),
        gone: () => {
          isGone = true;
        },
      },
    });
    const daemon: TestDaemon = {
      ...{ connection, lines, ended, problems },
      get isGone() {
        return isGone;
      },
      events: (sessionId) =>
        lines.flatMap((one) => (sessionId === undefined || one.sessionId === sessionId ? one.event : [])),
      last: (sessionId = 's1') => lines.findLast((one) => one.sessionId === sessionId)?.seq ?? after[sessionId] ?? -1,
    };
    daemons.push(daemon);
    return daemon;
  }

  return {
    home,
    start: (launch) =>
      listen((options) => startKeeper(launch.folder, launch, options), { [launch.sessionId]: launch.firstSeq - 1 }),
    connect: (folder, after) => listen((options) => connectKeeper(folder, options), after),
  };
}

function recordsIn(root: string): KeeperRecord[] {
  const sessions = join(root, 'sessions');
  return readdirSync(sessions).flatMap((name) => readRecord(join(sessions, name)) ?? []);
}

/** Waits for the given number of events of a type. */
export async function sees(daemon: TestDaemon, type: SessionEvent['type'], times = 1): Promise<SessionEvent> {
  await expect.poll(() => ofType(daemon, type).length, PATIENT).toBeGreaterThanOrEqual(times);
  return ofType(daemon, type)[times - 1]!;
}

export function ofType(daemon: TestDaemon, type: SessionEvent['type']): SessionEvent[] {
  return daemon.events().filter((event) => event.type === type);
}

export function textOf(events: readonly SessionEvent[]): string {
  return events.flatMap((event) => (event.type === 'text_delta' ? event.delta : [])).join('');
}

export const event = (body: EventBody): Step => ({ do: 'event', event: body });
export const turnEnd = event({ type: 'turn_end', status: 'completed' });
export const say = (delta: string): Step => event({ type: 'text_delta', delta });

/** A fake agent for live sessions. */
export function live(...turns: Step[][]): FakeAdapterOptions {
  return { steps: [{ do: 'live', turns: turns.map((steps) => [...steps, turnEnd]) }] };
}

export function message(messageId: string, text = 'continue') {
  return { messageId, text, attachments: [] };
}

/** Expects every event once, in order, with consecutive numbers. */
export function expectDense(events: readonly SessionEvent[], first = 0): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => first + index));
}
