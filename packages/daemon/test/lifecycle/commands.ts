import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { runIdOf } from '../../src/sessions/ids.ts';
import { settle } from './check.ts';
import { type Slot, VERBS, type Verb, type World } from './world.ts';

/** Decides which commands are valid: the number of sessions. Everything else is observed. */
export interface Model {
  open: number;
}

const MAX_SESSIONS = 3;
const REPORTED = ['active', 'idle', 'blocked', 'exited'] as const;

/** Data of one command. `at` picks a session; `follows`: run what the hint of a refusal recommends. */
interface CommandData {
  at: number;
  verb: Verb;
  follows: boolean;
  isOld: boolean;
  reported: (typeof REPORTED)[number];
}

interface CommandKind {
  /** Minimum number of sessions. */
  needs: number;
  weight: number;
  /** Shown in a counterexample. */
  shows: readonly (keyof CommandData)[];
  opens?: 1 | -1;
  run(world: World, slot: Slot, options: CommandData): Promise<unknown>;
}

/** Runs a command that may be refused. If requested, follows the hint of a refusal; then the command must work. */
async function attempt<Outcome extends { ok: true } | { ok: false; error: { hint?: string | undefined } }>(
  world: World,
  slot: Slot,
  { follows }: CommandData,
  run: () => Promise<Outcome>,
  isExpectedToWork = false,
): Promise<Outcome> {
  const outcome = await run();
  if (outcome.ok || !follows) return outcome;
  const { hint } = outcome.error;
  if (!(await world.followHint(slot, 'a refusal', hint)) || !isExpectedToWork) return outcome;
  if (/\bamux restore\b/.test(hint ?? '')) {
    const again = await run();
    if (!again.ok) world.fail(`after "${hint}" the command is still refused`);
    return again;
  }
  return outcome;
}

async function hookOf(world: World, slot: Slot, options: CommandData, isOurs: boolean): Promise<void> {
  const { id, agentSessionId, launch, cwd, createdAt, agent } = await world.row(slot);
  const at = options.isOld ? createdAt - 60_000 : Date.now();
  const named = { session: id, sessionBy: 'environment', run: runIdOf(id, launch) } as const;
  const payload = { state: options.reported, ...(agentSessionId === null ? {} : { agentSessionId: agentSessionId }) };
  world.deliver({
    ...{ v: 1, id: `${at}-${world.deliveries.length}-${id}`, agent, event: 'Prompt', cwd, at, ppid: 1, ancestors: [] },
    ...(isOurs ? named : { session: null, sessionBy: null, run: null }),
    ...{ payload: JSON.stringify(payload), cut: false },
  });
}

export const COMMANDS = {
  new: {
    ...{ needs: 0, weight: 2, shows: ['verb'], opens: 1 },
    run: (world, _, { verb }) => world.create(verb),
  },
  send: {
    ...{ needs: 1, weight: 8, shows: ['at', 'verb', 'follows'] },
    run: (world, slot, options) => attempt(world, slot, options, () => world.send(slot, options.verb), true),
  },
  cancel: {
    ...{ needs: 1, weight: 2, shows: ['at'] },
    async run(world, slot) {
      const last = slot.sent.at(-1);
      if (last) await world.call(`cancel ${last.id}`, (client) => client.sessions.cancelMessage(slot.id, last.id));
    },
  },
  interrupt: {
    ...{ needs: 1, weight: 2, shows: ['at', 'follows'] },
    run: (world, slot, options) => {
      slot.cuts += 1;
      return attempt(world, slot, options, () =>
        world.call(`interrupt ${slot.id}`, (client) => client.sessions.interrupt(slot.id)),
      );
    },
  },
  approve: {
    ...{ needs: 1, weight: 2, shows: ['at', 'isOld'] },
    run: (world, slot, { isOld }) => world.answerAll(slot, isOld ? 'deny' : 'allow'),
  },
  release: { needs: 1, weight: 2, shows: ['at'], run: async (world, slot) => world.release(slot) },
  park: {
    ...{ needs: 1, weight: 5, shows: ['at', 'follows'] },
    run: (world, slot, options) =>
      attempt(world, slot, options, () => world.call(`park ${slot.id}`, (client) => client.sessions.park(slot.id))),
  },
  stop: {
    ...{ needs: 1, weight: 3, shows: ['at', 'follows'] },
    run: (world, slot, options) => attempt(world, slot, options, () => world.stop(slot)),
  },
  restore: {
    ...{ needs: 1, weight: 3, shows: ['at', 'follows'] },
    run: (world, slot, options) => attempt(world, slot, options, () => world.restore(slot)),
  },
  fork: {
    ...{ needs: 1, weight: 2, shows: ['at', 'verb', 'follows'], opens: 1 },
    async run(world, slot, options) {
      const before = await world.row(slot);
      const inherits = before.activity === 'idle' || before.isTerminated ? world.received(slot).length : 0;
      const message = world.nextMessage(options.verb);
      const forked = await attempt(world, slot, options, () =>
        world.call(`fork ${slot.id} ${message.text}`, (client) =>
          client.sessions.fork(slot.id, { prompt: message.text, messageId: message.id }),
        ),
      );
      if (forked.ok) world.noteSent(world.addSlot(forked.value, slot, inherits), message, options.verb);
    },
  },
  rm: { needs: 1, weight: 1, shows: ['at'], opens: -1, run: (world, slot) => world.removeSlot(slot) },
  report: {
    ...{ needs: 1, weight: 3, shows: ['at', 'reported', 'isOld'] },
    run: (world, { id }, { reported: state, isOld }) =>
      world.call(`report ${id} ${state}`, (client) =>
        client.sessions.reportActivity(id, { state, deliveryId: state, ...(isOld ? { timestamp: 1000 } : {}) }),
      ),
  },
  hook: {
    ...{ needs: 1, weight: 2, shows: ['at', 'reported', 'isOld'] },
    run: (world, slot, options) => hookOf(world, slot, options, true),
  },
  foreignHook: {
    ...{ needs: 1, weight: 1, shows: ['at', 'reported', 'isOld'] },
    async run(world, slot, options) {
      if (!slot.kind.hasId) return;
      if (!options.isOld) Object.assign(slot, { mayMove: true, mayEnd: true });
      await hookOf(world, slot, options, false);
    },
  },
  repeatHook: {
    ...{ needs: 1, weight: 2, shows: ['at'] },
    async run(world, _, { at }) {
      const delivery = world.deliveries[at % Math.max(1, world.deliveries.length)];
      if (delivery) world.deliver(delivery);
    },
  },
  killDaemon: {
    ...{ needs: 1, weight: 1, shows: [] },
    run: ({ daemon }) => daemon.killAndStart(),
  },
  killKeeper: {
    ...{ needs: 1, weight: 1, shows: ['at'] },
    async run(world, slot) {
      const pid = world.keeperPid(slot);
      if (pid === undefined) return;
      for (const each of world.slots)
        if (world.keeperPid(each) === pid) Object.assign(each, { mayEnd: true, cuts: each.cuts + 1 });
      process.kill(pid, 'SIGKILL');
    },
  },
  rest: { needs: 1, weight: 4, shows: [], run: (world) => settle(world, false) },
  pause: { needs: 1, weight: 2, shows: ['at'], run: (_, __, { at }) => sleep(at % 300) },
} as const satisfies Record<string, CommandKind>;

type CommandName = keyof typeof COMMANDS;

class LifecycleCommand implements fc.AsyncCommand<Model, World> {
  readonly name: CommandName;
  readonly options: CommandData;

  constructor(name: CommandName, options: CommandData) {
    this.name = name;
    this.options = options;
  }

  check({ open }: Readonly<Model>): boolean {
    const { needs, opens }: CommandKind = COMMANDS[this.name];
    return open >= needs && (opens !== 1 || open < MAX_SESSIONS);
  }

  async run(model: Model, world: World): Promise<void> {
    const { needs, run }: CommandKind = COMMANDS[this.name];
    const slot = world.slots[this.options.at % Math.max(1, world.slots.length)];
    world.trace.push(`> ${this}`);
    world.coverage.add(`command: ${this.name}`);
    if (slot || needs === 0) await run(world, slot as Slot, this.options);
    model.open = world.slots.length;
    await world.observe();
  }

  toString(): string {
    const { shows }: CommandKind = COMMANDS[this.name];
    return `${this.name}(${shows.map((name) => `${name}=${this.options[name]}`).join(' ')})`;
  }
}

/** Parses one command of a written sequence: `send hold`, `park`, `report old exited`, `restore follow`. */
export function commandOf(text: string): fc.AsyncCommand<Model, World> {
  const [name = '', ...args] = text.split(' ');
  if (!(name in COMMANDS)) throw new Error(`"${name}" is not a command`);
  const at = Number(args.find((arg) => /^\d+$/.test(arg)) ?? 0);
  return new LifecycleCommand(name as CommandName, {
    at,
    verb: VERBS.find((verb) => args.includes(verb)) ?? 'quick',
    follows: args.includes('follow'),
    isOld: args.includes('old'),
    reported: REPORTED.find((state) => args.includes(state)) ?? 'active',
  });
}

/** A sequence of commands for a world that has a session. */
export function someCommands({ maxCommands, replayPath }: { maxCommands: number; replayPath?: string | undefined }) {
  const options = fc.record({
    at: fc.nat({ max: 999 }),
    verb: fc.oneof({ weight: 3, arbitrary: fc.constant('quick' as const) }, fc.constantFrom(...VERBS)),
    follows: fc.boolean(),
    isOld: fc.boolean(),
    reported: fc.constantFrom(...REPORTED),
  });
  const entries = Object.entries(COMMANDS) as [CommandName, CommandKind][];
  const kinds = entries.flatMap(([name, { weight }]) =>
    Array.from({ length: weight }, () => options.map((data) => new LifecycleCommand(name, data))),
  );
  return fc.commands<Model, World, false>(kinds, {
    ...{ maxCommands, size: 'max' as const },
    ...(replayPath === undefined ? {} : { replayPath }),
  });
}
