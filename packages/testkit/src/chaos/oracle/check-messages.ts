import type { MessagePlan } from '../plan/round-plan.ts';
import type { MessageRow, SessionEvidence } from './evidence.ts';
import type { Turn } from './turns.ts';

/** Each message was accepted once, reached the agent once, and its answer is the one of the model. */
export function findMessageViolations(evidence: SessionEvidence, turns: readonly Turn[]): string[] {
  const known = new Set(evidence.plan.messages.map(({ id }) => id));
  const foreign = turns
    .filter(({ messageId }) => !known.has(messageId))
    .map(({ messageId }) => `the message ${messageId} was never sent`);
  return [
    ...foreign,
    ...evidence.plan.messages.flatMap((message) => findFaultsOf(message, evidence, turns)),
    ...findHistoryFaults(evidence, turns),
  ];
}

function findFaultsOf(message: MessagePlan, evidence: SessionEvidence, turns: readonly Turn[]): string[] {
  const { id } = message;
  const row = evidence.messages.find((one) => one.id === id);
  if (!row) return evidence.unrecoverable ? [] : [`the message ${id} is not there`];
  const faults: string[] = [];
  const reported = turns.filter(({ messageId }) => messageId === id);
  const own = reported.filter(({ isTakenBack }) => !isTakenBack);
  const [turn] = own;
  const started = evidence.heard.started(id);
  if (own.length > 1) faults.push(`the message ${id} was accepted ${own.length} times`);
  // Only an exiting agent cannot be reached.
  if (reported.length > own.length && evidence.struck.size === 0)
    faults.push(`the message ${id} is reported as not delivered, although nothing of its session was killed`);
  if (started > 1) faults.push(`the message ${id} got to the model ${started} times`);
  if (evidence.struck.size === 0 && (row.state !== 'completed' || turn?.status !== 'completed'))
    faults.push(
      `the message ${id} is ${row.state}, its turn ${turn?.status ?? 'without an end'}, although nothing of its session was killed`,
    );
  if (row.state === 'unknown' && !evidence.struck.has('keeper'))
    faults.push(`the message ${id} is unknown, and no keeper was killed`);
  if (row.state === 'unknown' && !reportsUnknown(evidence, id))
    faults.push(`the message ${id} is unknown, and no event says so`);
  const ends = evidence.unrecoverable ? ['completed', 'unknown', 'queued'] : ['completed', 'unknown'];
  if (!ends.includes(row.state) && !isRefused(row, evidence))
    faults.push(`the message ${id} is ${row.state} in the end (${row.error?.code ?? 'no error'})`);
  if (turn?.status === 'completed') faults.push(...findAnswerFaults(message, evidence, turn, started));
  faults.push(...findCommandFaults(message, evidence, turn));
  return faults;
}

/**
 * The conversation was killed before its agent reported an id: a message must fail rather than start another
 * conversation.
 */
function isRefused({ state, error }: MessageRow, { session, struck, events }: SessionEvidence): boolean {
  const isReported = session.agentSessionId !== null || events.some(({ sessionId }) => typeof sessionId === 'string');
  return state === 'failed' && error?.code === 'NO_AGENT_SESSION' && !isReported && struck.size > 0;
}

function reportsUnknown({ events }: SessionEvidence, id: string): boolean {
  return events.some(
    ({ type, unknownMessages }) =>
      type === 'keeper_lost' && Array.isArray(unknownMessages) && unknownMessages.includes(id),
  );
}

function findAnswerFaults({ id }: MessagePlan, { heard }: SessionEvidence, { text }: Turn, started: number): string[] {
  const faults: string[] = [];
  if (started === 0) faults.push(`the turn of ${id} is complete, and its message never got to the model`);
  if (!heard.isAnswer(id, text))
    faults.push(
      `the answer to ${id} is not what the model has sent: ${JSON.stringify(text.slice(0, 200))} (${text.length} characters)`,
    );
  return faults;
}

function findCommandFaults(
  { id, does, decision }: MessagePlan,
  { ran }: SessionEvidence,
  turn: Turn | undefined,
): string[] {
  if (does !== 'ask') return [];
  const times = ran(id);
  if (decision === 'deny') return times === 0 ? [] : [`the command of ${id} ran ${times} times, and was denied`];
  if (times > 1) return [`the command of ${id} ran ${times} times`];
  return turn?.status === 'completed' && times === 0 ? [`the command of ${id} was allowed, and did not run`] : [];
}

/** No message is twice in a conversation, and the last one has all answered messages before it. */
function findHistoryFaults({ heard, plan }: SessionEvidence, turns: readonly Turn[]): string[] {
  const faults: string[] = [];
  for (const conversation of heard.conversations) {
    const doubled = conversation.find((marker, at) => conversation.indexOf(marker) !== at);
    if (doubled !== undefined)
      return [`the model was shown ${doubled} twice in one conversation: ${conversation.join(' ')}`];
  }
  const last = heard.conversations.at(-1) ?? [];
  for (const { messageId, status } of turns) {
    if (status === 'completed' && !last.includes(messageId))
      faults.push(`the last conversation at the model does not have ${messageId}: ${last.join(' ')}`);
  }
  const order = plan.messages.map(({ id }) => id).filter((id) => last.includes(id));
  if (order.join() !== last.join()) faults.push(`the messages got to the model in another order: ${last.join(' ')}`);
  return faults;
}
