import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@agent-mux/api';
import { fillDisk, mountDiskAt } from '@agent-mux/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { isDense, type Machine, useMachines } from './daemons.ts';
import { callHook, manage, withHooks } from './hooks.ts';

const disks: (() => void)[] = [];
// Hooks run in reverse order: processes that use a disk are ended first.
afterEach(() => {
  for (const unmount of disks.splice(0)) unmount();
});
const machines = useMachines();
const PATIENT = { timeout: 60_000, interval: 50 };
const INJECTOR = new URL('./inject-faults.mjs', import.meta.url).href;
const KILOBYTES = 24 * 1024;

interface Fault {
  isPossible: boolean;
  prepare(machine: Machine): void;
  begin(machine: Machine): void;
  end(machine: Machine): void;
  /** Files that are already open can still be written. */
  sparesOpenFiles?: true;
}

/** Injected into node and SQLite calls of the daemon and its keepers, since no real disk can be broken here. */
function injected(errno: string): Fault {
  const control = ({ root }: Machine) => join(root, 'fault.json');
  return {
    isPossible: process.platform === 'linux',
    prepare: (machine) =>
      Object.assign(machine.env, {
        NODE_OPTIONS: `--import=${INJECTOR}`,
        FAULT_CONTROL: control(machine),
        FAULT_STORE: machine.paths.database,
      }),
    begin: (machine) => writeFileSync(control(machine), JSON.stringify({ errno, under: machine.root })),
    end: (machine) => rmSync(control(machine)),
  };
}

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const hasPrlimit = process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0;
const prlimit = (pid: number, soft: number) => execFileSync('prlimit', ['--pid', `${pid}`, `--nofile=${soft}:`]);
/** The lowest free descriptor number. */
function nextDescriptor(pid: number): number {
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  for (let next = 0; ; next += 1) if (!open.has(next)) return next;
}

const FAULTS: Record<string, Fault> = {
  'a full disk': {
    isPossible: isRoot,
    prepare: (machine) => {
      // The configuration is on this disk, too.
      machine.env.XDG_CONFIG_HOME = join(machine.root, 'state', 'config');
      disks.push(mountDiskAt(join(machine.root, 'state'), KILOBYTES));
    },
    begin: ({ root }) => fillDisk(join(root, 'state', 'ballast')),
    end: ({ root }) => rmSync(join(root, 'state', 'ballast')),
  },
  'a read-only disk': injected('EROFS'),
  'a broken disk': injected('EIO'),
  'too few file descriptors': {
    isPossible: hasPrlimit,
    sparesOpenFiles: true,
    prepare: () => {},
    // One is left for the connection of the request.
    begin: ({ pid }) => prlimit(pid, nextDescriptor(pid) + 1),
    end: ({ pid }) => prlimit(pid, 4096),
  },
};

/** Everything that the daemon stores on request. Each is tried during the fault and after it. */
const WRITERS: Record<string, (machine: Machine, session: Session, round: string) => Promise<unknown>> = {
  'a session': ({ client, work }) => client.sessions.create({ agent: 'demo', cwd: work, prompt: 'hello' }),
  'a message': ({ client }, { id }, round) => client.sessions.send(id, { id: `m-${round}`, text: 'hello' }),
  'a title': ({ client }, { id }, round) => client.sessions.update(id, { title: round }),
  'a setting': ({ client }, _, round) => client.settings.update({ maxLiveSessions: round === 'during' ? 40 : 41 }),
  'a secret of a notification target': ({ client }) =>
    client.settings.update({
      notify: { targets: { phone: { type: 'webhook', url: 'http://127.0.0.1:9/', secret: 'a-secret-of-the-tests' } } },
    }),
  'an upload': ({ client }, _, round) => client.files.upload(`${round}.txt`, Buffer.alloc(64 * 1024, 'x')),
  'a schedule': ({ client, work }) =>
    client.schedules.create({ cron: '0 0 1 1 *', session: { agent: 'demo', cwd: work, prompt: 'hello' } }),
  'a policy rule': ({ client }, _, round) =>
    client.policy.add({ name: `rule-${round}`, decision: 'deny', kind: ['execute'], pattern: ['rm *'] }),
};

describe.each(Object.entries(FAULTS))('%s', (name, fault) => {
  it.skipIf(!fault.isPossible)(
    'refuses each write with an error, kills no process and recovers without a restart',
    async () => {
      const machine = await machines.start({}, withHooks(), fault.prepare);
      const session = await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'hello' });
      await machine.until(session.id, ({ turns }) => turns === 1);
      const { pid } = machine;

      let refused = 0;
      for (const [what, write] of Object.entries(WRITERS)) {
        fault.begin(machine);
        const failure = await write(machine, session, 'during').then(() => null, toProblem);
        if (failure === null) {
          expect(fault.sparesOpenFiles, `${what} was stored`).toBe(true);
        } else if (fault.sparesOpenFiles && failure.problem === 'UNREACHABLE') {
          // Something else in the daemon uses the descriptor at the moment, so the connection gets none.
        } else {
          refused += 1;
          expect(failure, what).toEqual({
            problem: expect.stringMatching(name === 'a full disk' ? /^DISK_FULL$/ : /^STORAGE_ERROR$/),
            message: expect.stringMatching(/disk|quota|read-only|too many open files|input\/output|cannot be written/),
            hint: expect.any(String),
          });
        }
      }
      expect(refused).toBeGreaterThan(0);
      const readable = () => machine.client.sessions.get(session.id).then(({ id }) => id, String);
      await expect.poll(readable, PATIENT).toBe(session.id);
      expect((await machine.events(session.id)).map(({ type }) => type)).toContain('turn_end');
      if (!fault.sparesOpenFiles)
        await expect(machine.client.ready()).rejects.toThrow(/store .* cannot be written|is full/);

      fault.end(machine);
      await expect.poll(() => machine.client.ready().then(({ ready }) => ready, String), PATIENT).toBe(true);
      for (const [what, write] of Object.entries(WRITERS))
        expect(await write(machine, session, 'after').then(() => null, toProblem), what).toBeNull();
      await machine.until(session.id, ({ queuedMessages, activity }) => queuedMessages === 0 && activity === 'idle');
      expect(isDense(await machine.events(session.id))).toBe(true);
      const messages = await machine.client.sessions.messages(session.id);
      expect(messages.find(({ id }) => id === 'm-after')).toMatchObject({ state: 'completed' });
      expect(machine.pid).toBe(pid);
      expect(readFileSync(machine.paths.log, 'utf8')).toMatch(
        /the store cannot be written|a request was refused: .*(?:disk|quota|open files|read-only)/,
      );
    },
  );
});

describe.each(['EROFS', 'EIO'])('journal, blobs and hook spool on %s', (errno) => {
  const fault = injected(errno);
  const journal = (machine: Machine) => JSON.stringify({ errno, under: machine.paths.sessions });

  it.skipIf(!fault.isPossible)('pause the agent and lose nothing', async () => {
    const machine = await machines.start({ maxInlineChars: 1024 }, {}, fault.prepare);
    const text = 'y'.repeat(5000);
    const { id } = await machine.client.sessions.create({
      agent: 'demo',
      cwd: machine.work,
      prompt: `write a.txt "${text}"`,
    });
    await machine.until(id, ({ openRequests }) => openRequests === 1);
    const keeper = machine.keeperOf(id);
    const [request] = (await machine.client.requests.list({ sessionId: id })).requests;

    writeFileSync(join(machine.root, 'fault.json'), journal(machine));
    await machine.client.requests.answer(request?.id ?? '', { decision: 'allow' });
    await expect.poll(() => machine.client.ready().then(String, String), PATIENT).toContain(errno);
    expect(machine.log()).toContain(`${id}: ${errno}`);

    fault.end(machine);
    await machine.until(id, ({ turns }) => turns === 1);
    expect(machine.keeperOf(id)).toEqual(keeper);
    const events = await machine.events(id);
    expect(isDense(events)).toBe(true);
    expect(events.map(({ type }) => type)).toContain('tool_result');
  });

  it.skipIf(!fault.isPossible)('keep a hook report until it can be stored, without affecting the agent', async () => {
    const machine = await machines.start({}, withHooks(), fault.prepare);
    const paths = manage(machine);
    const spooled = () => readdirSync(paths.spool);
    const report = (event: string, session: string) =>
      callHook(machine, { event, payload: { id: session, prompt: 'hello' } });

    writeFileSync(join(machine.root, 'fault.json'), JSON.stringify({ errno, under: machine.paths.root }));
    await report('Prompt', 'stored');
    await expect.poll(() => machine.log(), PATIENT).toMatch(/hooks: .*(?:cannot be written|is full)/);
    expect(spooled()).toHaveLength(1);
    writeFileSync(join(machine.root, 'fault.json'), JSON.stringify({ errno, under: paths.root }));
    // It cannot be written at all, but the agent must not notice.
    await report('Prompt', 'lost');

    fault.end(machine);
    const found = async () =>
      (await machine.client.sessions.list()).sessions.map(({ agentSessionId }) => agentSessionId);
    await expect.poll(found, PATIENT).toEqual(['stored']);
    await expect.poll(spooled, PATIENT).toEqual([]);
  });
});

function toProblem(error: unknown): { problem?: string; message?: string; hint?: string } {
  const { problem, message, hint } = error as { problem?: string; message?: string; hint?: string };
  return { problem, message, hint };
}
