import { readFileSync } from 'node:fs';
import { askDaemon, readEvents, readRow } from '../drive/live-session.ts';
import { followSession } from '../drive/reader.ts';
import type { Stage } from '../drive/stage.ts';
import { type StalledReader, stallReader } from '../drive/stalled-reader.ts';
import { waitFor } from '../drive/wait.ts';
import { findReaderViolations, findSeqViolations } from '../oracle/check-events.ts';
import { longText } from '../plan/demo-script.ts';
import { markerOf } from '../plan/plan-round.ts';
import type { SessionPlan } from '../plan/round-plan.ts';
import { type ChaosCase, onStage } from './case.ts';

const SESSIONS = 50;
const STALLED = 20;
const FLOOD_WORDS = 300_000;
const PROBES = 15;
/** During a flood the time to the first word may grow by this factor; few cores are shared. */
const LATENCY_RATIO = 3;
/** Noise of the machine itself, whatever the ratio. */
const LATENCY_SLACK_MS = 50;
/** Memory of the daemon: the streams it has read are on disk. */
const MAX_RSS_MB = 350;

/** Two readers follow each session, so that there are a hundred; some more do not read. */
export const loadCases: readonly ChaosCase[] = [
  {
    id: 'load',
    title: `${SESSIONS} sessions stream at once to ${2 * SESSIONS} readers, and ${STALLED} more are stalled: nothing is lost, memory is bounded`,
    run: (options) =>
      onStage(
        Array.from({ length: SESSIONS }, (_, at) => streaming(at, 80, 100)),
        { ...options, settings: { maxLiveSessions: SESSIONS + 5 } },
        async (stage) => {
          const { world, sessions } = stage;
          await world.startDaemon();
          const watch = watchMemory(stage);
          await Promise.all(sessions.map((session) => stage.begin(session)));
          const stalled = await Promise.all(
            sessions.slice(0, STALLED).map(async ({ id, plan }) => ({
              id,
              reader: await stallReader(world.daemon!, id, `stalled ${plan.name}`),
            })),
          );
          await stage.settle();
          await catchUp(stage, stalled);
          await stage.sayLast();
          const { idleMb, worstMb } = watch();
          if (worstMb > MAX_RSS_MB) throw new Error(`the daemon had ${worstMb} MB`);
          return `the daemon had ${worstMb} MB at most, ${idleMb} MB at first`;
        },
      ),
  },
  {
    id: 'flood',
    title: 'a flood in one session: others answer as before, and readers of the flood miss nothing',
    run: (options) =>
      // The demo agent makes the flood itself, so that this process only measures.
      onStage([], options, async (stage) => {
        const { world } = stage;
        await world.startDaemon();
        const probe = await openProbe(stage);
        const calm = await probe.measure(PROBES);
        const watch = watchMemory(stage);
        const flood = await askDaemon<{ id: string }>(world, 'POST', '/sessions', {
          agent: 'demo',
          cwd: world.workFolder('flood'),
          prompt: `long ${FLOOD_WORDS}`,
        });
        const stalled = await stallReader(world.daemon!, flood.id, 'stalled');
        await waitFor('the flood has come', 20_000, async () => (await readRow(world, flood)).lastSeq > 1000);
        const flooded = await probe.measure(PROBES);
        const isOver = (await readRow(world, flood)).activity === 'idle';
        await waitFor('the flood is over', 120_000, async () => (await readRow(world, flood)).activity === 'idle');
        await probe.close();
        const { worstMb } = watch();
        const faults = await findFloodFaults(stage, flood.id, stalled);
        const said = `first word after ${calm.toFixed(0)} ms, during a flood ${flooded.toFixed(0)} ms${isOver ? ' (which was over before the last)' : ''}; the daemon had ${worstMb} MB at most`;
        if (flooded > LATENCY_RATIO * calm + LATENCY_SLACK_MS || worstMb > MAX_RSS_MB) faults.push(said);
        if (faults.length > 0) throw new Error(faults.join('\n'));
        return said;
      }),
  },
];

function streaming(at: number, pieces: number, delayMs: number): SessionPlan {
  const name = `s${at}`;
  return {
    name,
    agent: 'scripted',
    messages: [{ id: markerOf(name, 0), does: 'speak', decision: 'allow', pieces, delayMs }],
  };
}

/** All words of the demo agent, once and in order, in the store and at the reader that stalled. */
async function findFloodFaults({ world }: Stage, id: string, reader: StalledReader): Promise<string[]> {
  const { lastSeq } = await readRow(world, { id });
  const events = await readEvents(world, { id });
  reader.wake();
  await waitFor('the stalled reader has caught up', 60_000, () => (reader.events.at(-1)?.id ?? -1) >= lastSeq).catch(
    () => {},
  );
  reader.close();
  const words = events.flatMap(({ type, delta }) => (type === 'text_delta' ? [String(delta)] : [])).join('');
  const isWhole = words === longText(FLOOD_WORDS);
  return [
    ...findSeqViolations(events, lastSeq),
    ...findReaderViolations([reader], events),
    ...(isWhole ? [] : [`the words of the flood are not those of the agent (${words.length} characters)`]),
  ];
}

async function catchUp(
  { world, sessions }: Stage,
  stalled: readonly { id: string; reader: StalledReader }[],
): Promise<void> {
  for (const { id, reader } of stalled) {
    const session = sessions.find((one) => one.id === id)!;
    reader.wake();
    const { lastSeq } = await readRow(world, session);
    await waitFor(`${reader.name} has caught up`, 20_000, () => (reader.events.at(-1)?.id ?? -1) >= lastSeq).catch(
      () => {},
    );
    session.faults.push(
      ...findReaderViolations(
        [{ ...reader, events: reader.events.slice(0, lastSeq + 1) }],
        await readEvents(world, session),
      ),
    );
    reader.close();
  }
}

/** Samples the daemon's memory and returns the maximum. */
function watchMemory({ world }: Stage): () => { idleMb: number; worstMb: number } {
  const look = () => {
    try {
      return Math.round(
        Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${world.daemon?.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
      );
    } catch {
      return 0;
    }
  };
  const idleMb = look();
  let worstMb = idleMb;
  const timer = setInterval(() => {
    worstMb = Math.max(worstMb, look());
  }, 100);
  return () => {
    clearInterval(timer);
    return { idleMb, worstMb: Math.max(worstMb, look()) };
  };
}

/** A session that measures the time from a message to the first word of its answer. */
async function openProbe({
  world,
}: Stage): Promise<{ measure(times: number): Promise<number>; close(): Promise<void> }> {
  const session = await askDaemon<{ id: string }>(world, 'POST', '/sessions', {
    agent: 'scripted',
    cwd: world.workFolder('probe'),
  });
  let words = 0;
  let ends = 0;
  const reader = followSession({
    ...{ name: 'probe', sessionId: session.id, address: () => world.daemon },
    onEvent: ({ type }) => {
      if (type === 'text_delta') words += 1;
      if (type === 'turn_end') ends += 1;
    },
  });
  const ask = async (): Promise<number> => {
    const [before, turns] = [words, ends];
    const started = performance.now();
    await askDaemon(world, 'POST', `/sessions/${session.id}/messages`, { text: 'how long does it take?' });
    await waitFor('the first word', 30_000, () => words > before);
    const ms = performance.now() - started;
    await waitFor('the end', 30_000, () => ends > turns);
    return ms;
  };
  await ask();
  return {
    measure: async (times) => {
      const taken: number[] = [];
      for (let at = 0; at < times; at += 1) taken.push(await ask());
      return taken.sort((a, b) => a - b)[Math.floor(times / 2)]!;
    },
    close: () => reader.stop(),
  };
}
