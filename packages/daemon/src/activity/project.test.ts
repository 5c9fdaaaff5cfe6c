import type { Session, SessionEvent } from '@agent-mux/api';
import { describe, expect, it } from 'vitest';
import { createSession } from '../store/suite/fixtures.ts';
import { Projector } from './project.ts';

const SESSION: Session = { ...createSession('s1'), openRequests: 0, queuedMessages: 0, rev: 1 };

let seq = 0;
const at = () => ({ agent: 'demo', runId: 's1-1', turnIndex: 0, seq: seq++, timestamp: 1000 + seq });
const user = (messageId: string, text: string): SessionEvent => ({
  type: 'user_message',
  messageId,
  text,
  attachments: [],
  delivery: 'turn',
  ...at(),
});
const text = (delta: string): SessionEvent => ({ type: 'text_delta', delta, ...at() });
const turnStart = (): SessionEvent => ({ type: 'turn_start', origin: 'user', ...at() });
const turnEnd = (): SessionEvent => ({ type: 'turn_end', status: 'completed', ...at() });
const cost = (total: number, scope: 'delta' | 'turn' | 'session', costUsd: number | null = null): SessionEvent => ({
  type: 'cost',
  scope,
  source: 'reported',
  costUsd,
  usage: { inputTokens: total, outputTokens: 0, cacheReadTokens: null, cacheCreationTokens: null, totalTokens: total },
  ...at(),
});

function projector(session: Partial<Session> = {}) {
  return new Projector({ ...SESSION, ...session }, { estimate: () => null, dayOf: () => '2026-11-16' });
}

describe('Projector', () => {
  it('takes the title from the first prompt, the summary from the last answer and the agent session id', () => {
    const start: SessionEvent = { type: 'session_start', model: 'm-1', ...at(), sessionId: 'native-1' };
    const { session } = projector().project([
      user('m1', '\n  Fix the test\nplease'),
      turnStart(),
      start,
      { type: 'message_start', ...at() },
      text('First.'),
      { type: 'message_start', ...at() },
      text('All '),
      text('done.\nBye'),
      turnEnd(),
    ]);
    expect(session).toMatchObject({
      title: 'Fix the test',
      summary: 'All done.\nBye',
      agentSessionId: 'native-1',
      model: 'm-1',
      activity: 'idle',
      turns: 1,
      statusText: 'Bye',
    });
  });

  it('links a limit to the message it stopped and keeps the text of a message that may be resent', () => {
    const refused = (): SessionEvent => ({
      ...{ type: 'rate_limit_error', message: 'later', resetsAt: 5000.4, retrying: false },
      ...at(),
    });
    const failed = (): SessionEvent => ({ type: 'turn_end', status: 'failed', ...at() });
    const one = projector();
    const limit = refused();
    const immediate = one.project([user('m1', 'clean text'), turnStart(), limit, failed()]);
    expect(immediate.session).toMatchObject({
      activity: 'limited',
      limit: { id: `l${limit.seq}`, kind: 'usage', resetsAt: 5000, messageId: 'm1', hadOutput: false, state: 'paused' },
    });
    const last = (changes: typeof immediate) => changes.messageChanges.at(-1);
    expect(last(immediate)).toEqual({ id: 'm1', change: { state: 'completed', endedAt: expect.any(Number) } });
    // The governor writes its later states; the projector reports a limit only when it changes.
    expect(one.project([{ type: 'title', title: 'x', ...at() }]).session).not.toHaveProperty('limit');
    const inTheMiddle = one.project([user('m2', 'clean text'), turnStart(), text('I begin'), refused(), failed()]);
    expect(inTheMiddle.session).toMatchObject({ limit: { messageId: 'm2', hadOutput: true } });
    expect(last(inTheMiddle)).toMatchObject({ id: 'm2', change: { text: 'clean text' } });
    expect(one.project([user('m3', 'on')]).session).toMatchObject({ limit: null, activity: 'active' });
  });

  it('keeps the agent session id of a resumed session and reports a different conversation', () => {
    const resumed = projector({ agentSessionId: 'native-1', launch: 2 });
    resumed.project([{ type: 'session_start', ...at(), sessionId: 'native-1' }]);
    expect(resumed.unexpectedSessionId).toBeNull();
    const { session } = resumed.project([{ type: 'session_start', ...at(), sessionId: 'native-2' }]);
    expect(session.agentSessionId).toBeUndefined();
    expect([resumed.agentSessionId, resumed.unexpectedSessionId]).toEqual(['native-1', 'native-2']);
  });

  it('keeps a title set by the user', () => {
    const named = projector({ title: 'mine', metadata: { titleBy: 'user' } });
    expect(named.project([user('m1', 'hi'), { type: 'title', title: 'other', ...at() }]).session.title).toBeUndefined();
  });

  it('tracks a message from its acceptance to the end of its turn', () => {
    const one = projector();
    expect(one.project([user('m1', 'hi')]).messageChanges).toMatchObject([{ id: 'm1', change: { state: 'accepted' } }]);
    expect(one.accepted).toEqual(['m1']);
    expect(one.project([turnStart(), turnEnd()]).messageChanges).toMatchObject([
      { id: 'm1', change: { state: 'completed' } },
    ]);
    expect(one.accepted).toEqual([]);
  });

  it('requeues a message that the agent did not receive', () => {
    const one = projector();
    const note = (messageId: string): SessionEvent => ({
      type: 'debug',
      level: 'warn',
      code: 'message_not_delivered',
      message: 'it was leaving',
      data: { messageId },
      ...at(),
    });
    const steered: SessionEvent = { ...user('m2', 'and'), type: 'user_message', delivery: 'steer' } as SessionEvent;
    const { messageChanges, session } = one.project([user('m1', 'hi'), note('m1'), steered, note('m2')]);
    expect(messageChanges.map(({ id, change }) => [id, change.state])).toEqual([
      ['m1', 'accepted'],
      ['m1', 'queued'],
      ['m2', 'accepted'],
      ['m2', 'failed'],
    ]);
    expect(session.activity).toBe('idle');
    expect(one.accepted).toEqual([]);
  });

  it('marks messages as unknown and cancels requests when the keeper is lost', () => {
    const one = projector();
    const asks: SessionEvent = {
      type: 'approval_request',
      requestId: 'a',
      toolName: 'Bash',
      title: 't',
      kind: 'execute',
      options: [],
      ...at(),
    };
    const { requests } = one.project([user('m1', 'hi'), turnStart(), asks]);
    const lost = one.project([{ type: 'keeper_lost', message: 'gone', unknownMessages: [], ...at() }]);
    expect(lost.messageChanges).toMatchObject([{ id: 'm1', change: { state: 'unknown' } }]);
    expect(lost.requestChanges).toMatchObject([{ id: requests[0]?.id, change: { state: 'cancelled' } }]);
    expect(lost.session).toMatchObject({ activity: 'exited', isTerminated: true, keeperPid: null });
  });

  it('identifies a request by session, launch and agent request id', () => {
    const asks = (): SessionEvent => ({ type: 'input_required', requestId: '1', questions: [], ...at() });
    const first = projector().project([asks()]).requests[0];
    const later = projector({ launch: 2 }).project([asks()]).requests[0];
    expect(first).toMatchObject({ kind: 'question', state: 'open', agentRequestId: '1', launch: 1 });
    expect(first?.id).toMatch(/^r[0-9a-f]{15}$/);
    expect(later?.id).not.toBe(first?.id);
  });

  it('converts totals to deltas and sums them over launches', () => {
    const one = projector({
      usage: { inputTokens: 5, outputTokens: 0, cacheReadTokens: null, cacheCreationTokens: null, totalTokens: 5 },
    });
    const { usage, session } = one.project([turnStart(), cost(10, 'session', 0.1), cost(30, 'session', 0.4)]);
    expect(usage.map((each) => [each.usage.inputTokens, each.costUsd?.toFixed(2)])).toEqual([
      [10, '0.10'],
      [20, '0.30'],
    ]);
    expect(session.usage?.inputTokens).toBe(35);
    one.startLaunch(2);
    expect(one.project([turnStart(), cost(3, 'delta')]).session.usage?.inputTokens).toBe(38);
  });

  it('counts nothing twice after a restart', () => {
    const before = projector();
    const events = [turnStart(), cost(10, 'session', 0.1), text('half an '), cost(30, 'session', 0.4)];
    const { session } = before.project(events);
    const again = projector(session);
    again.recall(events.slice(0, 2));
    again.recall(events.slice(2));
    again.endRecall();
    const more = again.project([cost(31, 'session', 0.5), text('answer'), turnEnd()]);
    expect(more.usage).toMatchObject([{ usage: { inputTokens: 1 } }]);
    expect(more.session).toMatchObject({ usage: { inputTokens: 31 }, summary: 'half an answer' });
    expect(more.session.costUsd).toBeCloseTo(0.5);
  });
});
