import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type Machine, useMachines } from './daemons.ts';
import { AGENT } from './lifecycle/adapter.ts';
import { settle } from './lifecycle/check.ts';
import { COMMANDS, commandOf, type Model, someCommands } from './lifecycle/commands.ts';
import { KINDS, type Kind } from './lifecycle/kinds.ts';
import { TOURS } from './lifecycle/tours.ts';
import { Coverage, SharedDaemon, VERBS, type Verb, World } from './lifecycle/world.ts';

/**
 * Tests the session lifecycle with a real daemon, real keepers and fake agents of every kind.
 *   LIFECYCLE_SECONDS  time after which no random sequence is started (default 45)
 *   LIFECYCLE_SEED     run only random sequences, starting with this seed
 *   LIFECYCLE_KIND     test only these kinds of agents: stays,once
 *   LIFECYCLE_PATH, LIFECYCLE_REPLAY  with seed and kind: repeat what a failure printed as `path` and `replayPath`
 */
const { LIFECYCLE_SECONDS = '45', LIFECYCLE_SEED, LIFECYCLE_PATH, LIFECYCLE_REPLAY, LIFECYCLE_KIND } = process.env;
const SECONDS = Number(LIFECYCLE_SECONDS);
const SEED = LIFECYCLE_SEED === undefined ? 20261118 : Number(LIFECYCLE_SEED);
/** Maximum time to shrink a failure. */
const SHRINK_MS = Number(process.env.LIFECYCLE_SHRINK_MS ?? 60_000);
const STATES = ['parked', 'idle', 'active', 'blocked', 'ended'];
/** A run that has not covered all of these fails. */
const REQUIRED = [
  ...Object.keys(COMMANDS).map((name) => `command: ${name}`),
  ...STATES.map((name) => `state: ${name}`),
];
const ADAPTER = fileURLToPath(new URL('./lifecycle/adapter.ts', import.meta.url));

const machines = useMachines();
vi.setConfig({ testTimeout: SECONDS * 1000 + 600_000 });

function startMachine(): Promise<Machine> {
  const job = { command: process.execPath, args: [AGENT, '--no-id', '--once', '--job'] };
  return machines.start(
    { maxLiveSessions: 50 },
    {
      adapters: KINDS.filter(({ isJob }) => !isJob).map((options) => ({ from: ADAPTER, options })),
      agents: [{ id: 'job', profile: 'generic-job', job }],
    },
  );
}

/** Releases what waits, follows hints, restores ended sessions with messages, and removes everything. */
async function finish(world: World): Promise<void> {
  await settle(world, true);
  for (const slot of [...world.slots]) {
    const row = await world.row(slot);
    if (row.error?.hint) await world.followHint(slot, `the error ${row.error.code}`, row.error.hint);
    const { isTerminated, queuedMessages, origin } = await world.row(slot);
    if (origin !== 'daemon' && !isTerminated) await world.stop(slot);
    if (queuedMessages === 0) continue;
    const restored = await world.restore(slot);
    if (!restored.ok) world.fail(`${slot.id} has queued messages and cannot be restored: ${restored.error.message}`);
  }
  await settle(world, true);
  for (const slot of [...world.slots]) await world.removeSlot(slot);
}

type Sequence = Iterable<fc.AsyncCommand<Model, World>>;

async function run(world: World, first: Verb, sequence: Sequence): Promise<void> {
  await world.create(first);
  await fc.asyncModelRun(() => ({ model: { open: 1 } satisfies Model, real: world }), sequence);
  await finish(world);
}

/** Runs the tours, and then random sequences with consecutive seeds until the time is up. */
async function explore(daemon: SharedDaemon, kind: Kind, coverage: Coverage, until: number): Promise<number> {
  const index = KINDS.indexOf(kind);
  const world = () => new World(daemon, kind, coverage);
  if (LIFECYCLE_SEED === undefined)
    for (const { first, commands, isFor } of TOURS)
      if (isFor(kind, index)) await run(world(), first, commands.map(commandOf));

  let shrinkUntil = Number.POSITIVE_INFINITY;
  const commands = someCommands({ maxCommands: 12, replayPath: LIFECYCLE_REPLAY });
  const property = fc.asyncProperty(fc.constantFrom(...VERBS), commands, async (first, sequence) => {
    if (performance.now() > shrinkUntil) return;
    try {
      await run(world(), first, sequence);
    } catch (error) {
      shrinkUntil = Math.min(shrinkUntil, performance.now() + SHRINK_MS);
      throw error;
    }
  });
  const replay = LIFECYCLE_PATH === undefined ? {} : { path: LIFECYCLE_PATH, endOnFailure: true };
  let runs = 0;
  while (performance.now() < until && (LIFECYCLE_PATH === undefined || runs === 0)) {
    const seed = LIFECYCLE_PATH === undefined ? SEED + 10_000 * index + runs : SEED;
    await fc.assert(property, { seed, numRuns: 1, ...replay });
    runs += 1;
  }
  return runs;
}

function describeFailure(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  return reason.cause === undefined ? reason.message : `${reason.message}\n${reason.cause}`;
}

describe('session lifecycle', () => {
  it(`holds its invariants for every kind of agent (seed ${SEED})`, async () => {
    const daemon = new SharedDaemon(await startMachine());
    const kinds = KINDS.filter(
      ({ agent }) => LIFECYCLE_KIND === undefined || LIFECYCLE_KIND.split(',').includes(agent),
    );
    const coverage = new Coverage();
    const until = performance.now() + SECONDS * 1000;
    const explored = await Promise.allSettled(kinds.map((kind) => explore(daemon, kind, coverage, until)));
    const runs = explored.map(
      (one, index) => `${kinds[index]?.agent} ${one.status === 'fulfilled' ? one.value : 'failed'}`,
    );
    console.info(`${runs.join(', ')}\n${coverage}`);
    const failures = explored.flatMap((one) => (one.status === 'rejected' ? [describeFailure(one.reason)] : []));
    expect(failures.join('\n\n')).toBe('');
    if (kinds.length < KINDS.length || LIFECYCLE_SEED !== undefined) return;
    expect(coverage.missing(REQUIRED)).toEqual([]);
  });
});
