import { setTimeout as sleep } from 'node:timers/promises';
import { type ModelRequest, type ReplyLike, reply } from '../../model/index.ts';
import { agentSetups } from '../../verify/index.ts';
import { askDaemon, readEvents } from '../drive/live-session.ts';
import { kill } from '../drive/processes.ts';
import { waitFor } from '../drive/wait.ts';
import { openWorld, shellCall, type World } from '../drive/world.ts';
import type { StoredEvent } from '../oracle/evidence.ts';
import type { CaseOptions, ChaosCase } from './case.ts';

/** With the mode in which the agent reports a limit. */
const AGENTS = [{ agent: 'claude' }, { agent: 'codex' }, { agent: 'gemini', mode: 'stream-json' }] as const;
/** From the first refusal: in between every session must be limited, and the daemon killed and restarted. */
const LIFTED_AFTER_MS = 45_000;
const MINUTE_MS = 60_000;
const STAGGER_MS = 5000;
const LONG_MS = 150_000;
const CONTINUE = 'Continue where you left off.';

interface Row {
  id: string;
  activity: string;
  launch: number;
  turns: number;
  queuedMessages: number;
  account: string | null;
  waitingFor: { kind: string; until: number | null } | null;
  limit: { state: string; resetsAt: number | null; continuesAt: number | null; hadOutput: boolean } | null;
}

/**
 * One session of an agent: answered as usual, stopped at its first request, after a command, or started after the
 * account was exhausted.
 */
interface Player {
  agent: string;
  what: 'first' | 'at-once' | 'in-the-middle' | 'later';
  marker: string;
  id: string;
}

export const limitCases: readonly ChaosCase[] = [
  {
    id: 'limits',
    title: 'real agents hit a limit, others queue, and all continue once after the reset, across SIGKILL of the daemon',
    agents: AGENTS.map(({ agent }) => agent),
    run: (options) => playLimits(options),
  },
];

async function playLimits(options: CaseOptions): Promise<string> {
  const settings = { onLimit: 'continue', continuation: { stagger: `${STAGGER_MS / 1000}s` } };
  const world = await openWorld({ ...options, settings, agents: AGENTS.map(({ agent }) => agent) });
  try {
    const script = scriptLimits();
    world.model.setScenario(script.scenario);
    await world.startDaemon();
    await Promise.all(AGENTS.map(({ agent }) => warmUp(world, agent)));
    const players = await beginAll(world);
    await expectLimited(world, players);
    const late = await beginLate(world);
    await expectOtherContinues(world);
    await restart(world);
    await expectStillWaiting(world, players, late);
    // Around the moment in which they continue.
    await sleep(Math.max(0, script.lastReset() - Date.now()));
    for (const pause of [500, 2500, 4000]) {
      await sleep(pause);
      await restart(world);
    }
    const all = [...players, ...late];
    await Promise.all(all.map((player) => expectDone(world, player, script)));
    const gaps = await Promise.all(AGENTS.map(({ agent }) => expectStaggered(world, agent, all)));
    return `${all.length} sessions of ${AGENTS.length} agents; apart by ${gaps.join(', ')} s`;
  } finally {
    await world.close();
  }
}

/** Refuses each agent from its first refused request until its limit resets. */
function scriptLimits() {
  const lifted = new Map<string, number>();
  const answered: string[] = [];
  const scenario = (request: ModelRequest): ReplyLike => {
    const marker = markerIn(request);
    const agent = marker?.split('.')[0] ?? '';
    const isMiddle = marker?.endsWith('.in-the-middle') ?? false;
    if (!marker) return 'this belongs to no session';
    if (marker.endsWith('.first')) return 'hello';
    if (isMiddle && request.toolResults.length === 0 && !request.prompt.includes(CONTINUE)) {
      const { name, input } = shellCall(agent, 'id');
      return reply.toolCall(name, input);
    }
    // Codex reports the time of day without seconds.
    const until = lifted.get(agent) ?? Math.ceil((Date.now() + LIFTED_AFTER_MS) / MINUTE_MS) * MINUTE_MS;
    lifted.set(agent, until);
    if (until > Date.now()) return refuse(agent, until);
    answered.push(`${marker}${request.prompt.includes(CONTINUE) ? ' continued' : ''}`);
    return `all is done for ${marker}`;
  };
  return { scenario, answered, lastReset: () => Math.max(...lifted.values()) };
}

/** In the format of their vendors. */
function refuse(agent: string, until: number): ReplyLike {
  const seconds = Math.ceil((until - Date.now()) / 1000);
  const message = `You exceeded your current quota. Please retry in ${seconds}s.`;
  if (agent !== 'codex') return reply.status(429, { retryAfterSeconds: seconds, message });
  const error = { type: 'usage_limit_reached', message: 'The usage limit has been reached', plan_type: 'plus' };
  return reply.status(429, { body: { error: { ...error, resets_at: until / 1000, resets_in_seconds: seconds } } });
}

type Script = ReturnType<typeof scriptLimits>;

function markerIn({ messages }: ModelRequest): string | undefined {
  return messages
    .map(({ text }) => /\b[a-z]+\.(?:first|at-once|in-the-middle|later)\b/.exec(text)?.[0])
    .findLast(Boolean);
}

async function begin(world: World, agent: string, what: Player['what']): Promise<Player> {
  const setup = agentSetups[agent];
  const mode = AGENTS.find((one) => one.agent === agent);
  const marker = `${agent}.${what}`;
  const { id } = await askDaemon<Row>(world, 'POST', '/sessions', {
    agent,
    cwd: world.workFolder(marker),
    prompt: `Please do what is written for ${marker} here.`,
    messageId: marker,
    env: world.runEnv(agent),
    options: {
      approvalMode: 'yolo',
      ...(setup ? { model: setup.model.name } : {}),
      ...(mode && 'mode' in mode ? { mode: mode.mode } : {}),
    },
  });
  return { agent, what, marker, id };
}

/** Two that start at once in a new home may conflict (Codex 0.166 creates its database then). */
async function warmUp(world: World, agent: string): Promise<void> {
  const player = await begin(world, agent, 'first');
  await waitFor(`${agent} works`, LONG_MS, async () => {
    const { turns, activity } = await rowOf(world, player);
    return turns === 1 && activity === 'idle';
  });
}

function beginAll(world: World): Promise<Player[]> {
  return Promise.all(
    AGENTS.flatMap(({ agent }) => [begin(world, agent, 'in-the-middle'), begin(world, agent, 'at-once')]),
  );
}

const rowOf = (world: World, { id }: Pick<Player, 'id'>) => askDaemon<Row>(world, 'GET', `/sessions/${id}`);

async function expectLimited(world: World, players: readonly Player[]): Promise<void> {
  for (const player of players) {
    let row: Row | undefined;
    await waitFor(`${player.marker} is limited`, LONG_MS, async () => {
      row = await rowOf(world, player);
      return row.limit?.state === 'scheduled';
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(row)}`);
    });
    if (row?.activity !== 'limited' || (row.limit?.resetsAt ?? 0) < Date.now())
      throw new Error(`${player.marker} is not limited as it should be: ${JSON.stringify(row)}`);
    if ((row.limit?.continuesAt ?? 0) < (row.limit?.resetsAt ?? Number.POSITIVE_INFINITY))
      throw new Error(`${player.marker} would continue before its reset`);
    if (row.limit?.hadOutput !== (player.what === 'in-the-middle'))
      throw new Error(`${player.marker}: the output of its turn is unknown`);
  }
}

async function beginLate(world: World): Promise<Player[]> {
  const late: Player[] = [];
  for (const { agent } of AGENTS) {
    const player = await begin(world, agent, 'later');
    const { launch, waitingFor, queuedMessages } = await rowOf(world, player);
    if (launch !== 0 || waitingFor?.kind !== 'usage' || queuedMessages !== 1)
      throw new Error(`${player.marker} does not wait for its account`);
    late.push(player);
  }
  return late;
}

async function expectOtherContinues(world: World): Promise<void> {
  const cwd = world.workFolder('demo');
  const { id } = await askDaemon<Row>(world, 'POST', '/sessions', { agent: 'demo', cwd, prompt: 'hello' });
  await waitFor('another agent continues', LONG_MS, async () => (await rowOf(world, { id })).turns === 1);
}

async function restart(world: World): Promise<void> {
  if (world.daemon) kill(world.daemon.pid);
  world.daemon = undefined;
  await world.startDaemon();
}

async function expectStillWaiting(world: World, limited: readonly Player[], late: readonly Player[]): Promise<void> {
  for (const player of limited) {
    const { limit } = await rowOf(world, player);
    if (limit?.continuesAt === null || limit?.state !== 'scheduled')
      throw new Error(`${player.marker} has lost its countdown: ${JSON.stringify(limit)}`);
  }
  for (const player of late) {
    await waitFor(
      `${player.marker} waits again`,
      LONG_MS,
      async () => (await rowOf(world, player)).waitingFor !== null,
    );
  }
}

async function expectDone(world: World, player: Player, { answered }: Script): Promise<void> {
  let row: Row | undefined;
  await waitFor(`${player.marker} is done`, LONG_MS, async () => {
    row = await rowOf(world, player);
    return row.limit === null && row.activity === 'idle' && row.queuedMessages === 0 && row.turns > 0;
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify(row)}`);
  });
  const events = await readEvents(world, player);
  const heard = messagesIn(events);
  const continued = heard.filter((id) => id.startsWith('continue-'));
  const due = player.what === 'later' ? 0 : 1;
  if (continued.length !== due || new Set(heard).size !== heard.length)
    throw new Error(`${player.marker} received ${heard.join(', ')}`);
  const answers = answered.filter((one) => one.startsWith(player.marker));
  const expected = player.what === 'in-the-middle' ? `${player.marker} continued` : player.marker;
  if (answers.join() !== expected) throw new Error(`${player.marker} was answered ${JSON.stringify(answers)}`);
}

function messagesIn(events: readonly StoredEvent[]): string[] {
  return events.flatMap(({ type, messageId }) => (type === 'user_message' ? [String(messageId)] : []));
}

/** The shortest time between two continuations, in seconds, without the time of the launch. */
async function expectStaggered(world: World, agent: string, players: readonly Player[]): Promise<string> {
  const times: number[] = [];
  for (const { id } of players.filter((one) => one.agent === agent)) {
    const path = `/sessions/${id}/messages`;
    const { messages } = await askDaemon<{ messages: { id: string; createdAt: number }[] }>(world, 'GET', path);
    times.push(...messages.filter((message) => message.id.startsWith('continue-')).map(({ createdAt }) => createdAt));
  }
  times.sort((a, b) => a - b);
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  const least = Math.min(...gaps);
  if (!(least >= STAGGER_MS && Number.isFinite(least)))
    throw new Error(`sessions of ${agent} continued ${gaps.join(' and ')} ms apart`);
  return (least / 1000).toFixed(1);
}
