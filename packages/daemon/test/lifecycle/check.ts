import { setTimeout as sleep } from 'node:timers/promises';
import type { Message, Session } from '@agent-mux/api';
import type { Received, Slot, World } from './world.ts';

/** Enough for a slow machine; a hang takes longer. */
const REST_WITHIN_MS = Number(process.env.LIFECYCLE_REST_MS ?? 40_000);
const POLL_MS = 50;
const LAST_EVENTS = 12;

/**
 * Waits until nothing changes any more, then compares the state of the daemon with the agents' record and the
 * processes. `isFinal`: nothing is left to wait for, so no turn may be running.
 */
export async function settle(world: World, isFinal: boolean): Promise<void> {
  const until = performance.now() + REST_WITHIN_MS;
  for (;;) {
    const restless: string[] = [];
    if (!world.isSpoolEmpty) restless.push('the spool is not empty');
    for (const slot of world.slots) {
      if (isFinal) {
        world.release(slot);
        await world.answerAll(slot, 'allow');
      }
      const row = await world.row(slot);
      world.check(slot, row);
      const running = (await world.messages(slot)).filter(({ state }) => state === 'accepted').map(({ id }) => id);
      const issue = findMovement(world, slot, { row, running, isFinal });
      if (issue) restless.push(`${slot.id} ${issue}: ${describe(row)}`);
    }
    if (restless.length === 0) break;
    if (performance.now() > until) {
      for (const slot of world.slots) await explain(world, slot);
      world.fail(`does not settle: ${restless.join('; ')}`);
    }
    await sleep(POLL_MS);
  }
  for (const slot of world.slots) await verify(world, slot);
}

/** Adds the messages and the last events to the report of a failure. */
async function explain(world: World, slot: Slot): Promise<void> {
  for (const { id, state, error } of await world.messages(slot)) world.trace.push(JSON.stringify({ id, state, error }));
  const { lastSeq } = await world.row(slot);
  const page = await world.daemon.ask((client) =>
    client.sessions.events(slot.id, { after: Math.max(-1, lastSeq - LAST_EVENTS) }),
  );
  for (const event of page.events) world.trace.push(JSON.stringify(event).slice(0, 300));
}

const describe = ({ activity, parked, isTerminated, launch, queuedMessages, origin, error }: Session) =>
  JSON.stringify({ activity, parked, isTerminated, launch, queuedMessages, origin, error });

interface Seen {
  row: Session;
  /** Accepted messages whose turn has not ended. */
  running: readonly string[];
  isFinal: boolean;
}

/** Undefined if the session is at rest and its processes match its row. */
function findMovement(world: World, slot: Slot, { row, running, isFinal }: Seen): string | undefined {
  if (row.origin !== 'daemon') return undefined;
  const keeper = world.keeperPid(slot);
  const agents = world.agentPids(slot.id, row.launch);
  if (!slot.kind.isShared && agents.length > 1) return `has ${agents.length} agent processes`;
  if (row.isTerminated || row.parked) {
    if (!row.isTerminated && row.queuedMessages > 0) return 'has queued messages';
    if (keeper !== undefined) return 'is ended or parked, and its keeper is alive';
    return slot.kind.isShared || agents.length === 0 ? undefined : 'is ended or parked, and its agent is alive';
  }
  if (keeper === undefined) return 'has no keeper';
  if (row.activity === 'idle') return row.queuedMessages > 0 ? 'has queued messages' : undefined;
  if (isFinal) return 'is not idle';
  const last = world.received(slot).find(({ message }) => message === running.at(-1));
  if (row.activity === 'blocked') return last?.verb === 'ask' && row.openRequests === 1 ? undefined : 'is blocked';
  if (row.activity !== 'active') return 'is in between';
  return last?.verb === 'hold' && !world.isReleased(last.message) ? undefined : 'is active';
}

async function verify(world: World, slot: Slot): Promise<void> {
  const received = world.received(slot);
  verifyConversation(world, slot, received);
  const row = await world.row(slot);
  const messages = new Map((await world.messages(slot)).map((message) => [message.id, message]));
  for (const { id, cuts } of slot.sent) {
    const message = messages.get(id);
    if (!message) world.fail(`message ${id} was acknowledged, but ${slot.id} does not have it`);
    const times = received.filter((entry) => entry.message === id).length;
    const issue = findLoss(message, times, slot.cuts > cuts, row);
    if (issue) await explain(world, slot);
    if (issue) world.fail(`message ${id} of ${slot.id} is ${message.state}, ${issue}; received ${times} times`);
    world.coverage.add(`message: ${message.state}`);
  }
}

/** `isCut`: the session was stopped, interrupted or lost its keeper after the message was acknowledged. */
function findLoss(
  { state, error }: Pick<Message, 'state' | 'error'>,
  times: number,
  isCut: boolean,
  row: Session,
): string | undefined {
  if (times > 1) return 'and was received more than once';
  switch (state) {
    case 'completed':
      return times === 0 && !isCut ? 'and never arrived' : undefined;
    case 'accepted':
      return row.activity === 'active' || row.activity === 'blocked' ? undefined : 'and no turn is running';
    case 'unknown':
      return isCut ? undefined : 'without a reason';
    case 'dismissed':
      // A dismissed message had failed, with an error, or was unknown.
      return findLoss({ state: error === null ? 'unknown' : 'failed', error }, times, isCut, row);
    case 'failed':
      if (error === null) return 'without an error';
      return times === 0 ? undefined : 'and arrived';
    default:
      return times === 0 ? undefined : 'and arrived';
  }
}

/** Every message of a session's conversation; that of a fork starts with the messages of its parent. */
function conversationIn(world: World, slot: Slot): readonly string[] {
  const last = world.received(slot).at(-1);
  if (last) return [...last.history, last.message];
  return slot.parent ? conversationIn(world, slot.parent) : [];
}

/** One conversation for the whole session, in the order of acknowledgment, without refused messages. */
function verifyConversation(world: World, slot: Slot, received: readonly Received[]): void {
  const order = slot.sent.map(({ id }) => id);
  const ids = received.map(({ message }) => message);
  for (const id of ids) if (slot.refused.has(id)) world.fail(`message ${id} was refused, but ${slot.id} received it`);
  const positions = ids.map((id) => order.indexOf(id));
  if (positions.some((position, index) => index > 0 && position < (positions[index - 1] ?? 0)))
    world.fail(`${slot.id} received ${ids.join(', ')}, sent were ${order.join(', ')}`);
  if (slot.kind.isJob) return;
  const [first] = received;
  if (!first) return;
  const before = slot.parent ? conversationIn(world, slot.parent) : [];
  const isInherited = first.history.every((id, index) => id === before[index]);
  if (!isInherited || first.history.length < slot.inherits)
    world.fail(`${slot.id} started with ${first.history.join(', ')}, its parent has ${before.join(', ')}`);
  for (const [index, { message, conversation, history }] of received.entries()) {
    const expected = [...first.history, ...ids.slice(0, index)];
    if (conversation !== first.conversation || history.join() !== expected.join())
      world.fail(
        `${slot.id} received ${message} in conversation ${conversation} after [${history}], expected ${first.conversation} after [${expected}]`,
      );
  }
}
