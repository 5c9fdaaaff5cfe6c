import { describe, expect, it } from 'vitest';
import { findViolations } from './check-session.ts';
import type { SessionEvidence, StoredEvent } from './evidence.ts';

type Draft = Partial<StoredEvent> & { type: string };

const FIRST = 'chaos-s0-m0';
const SECOND = 'chaos-s0-m1';

function turn(messageId: string, runId: string, turnIndex: number, text = `about ${messageId}`): Draft[] {
  const about = { runId, turnIndex, sessionId: 'native' };
  return [
    { type: 'user_message', messageId, ...about },
    ...(turnIndex === 0 ? [{ type: 'session_start', ...about }] : []),
    { type: 'turn_start', ...about },
    { type: 'message_start', ...about },
    { type: 'text_delta', delta: text, ...about },
    { type: 'message_stop', ...about },
    { type: 'turn_end', status: 'completed', ...about },
  ];
}

function numbered(drafts: readonly Draft[]): StoredEvent[] {
  return drafts.map((draft, seq) => ({ runId: 'run-1', timestamp: seq, ...draft, seq }));
}

function message(id: string, more: object = {}) {
  return { id, does: 'speak' as const, decision: 'allow' as const, pieces: 1, delayMs: 0, ...more };
}

/** An undisturbed session, with these changes. */
function evidence(
  change: Partial<SessionEvidence> = {},
  drafts: readonly Draft[] = [...turn(FIRST, 'run-1', 0), ...turn(SECOND, 'run-1', 1)],
): SessionEvidence {
  const events = numbered(drafts);
  return {
    plan: { name: 's0', agent: 'scripted', messages: [message(FIRST), message(SECOND)] },
    session: {
      ...{
        id: 's',
        agentSessionId: 'native',
        activity: 'idle',
        isTerminated: false,
        parked: false,
        launch: 1,
        keeperPid: 1,
        error: null,
        openRequests: 0,
      },
      lastSeq: events.length - 1,
    },
    messages: [
      { id: FIRST, state: 'completed' },
      { id: SECOND, state: 'completed' },
    ],
    events,
    readers: [
      {
        name: 'steady',
        connections: 2,
        events: events.map((event) => ({ id: event.seq, data: JSON.stringify(event) })),
      },
    ],
    heard: {
      conversations: [[FIRST], [FIRST, SECOND]],
      started: () => 1,
      isAnswer: (marker, text) => text === `about ${marker}`,
    },
    ran: () => 0,
    struck: new Set(),
    unrecoverable: null,
    ...change,
  };
}

/** Its keeper was killed in the second turn, and the session was restored. */
function lostAndBack(
  change: Partial<SessionEvidence> = {},
  lost: Draft[] = [{ type: 'keeper_lost', unknownMessages: [SECOND], turnIndex: 1 }],
): SessionEvidence {
  const third = 'chaos-s0-m2';
  const drafts = [
    ...turn(FIRST, 'run-1', 0),
    ...turn(SECOND, 'run-1', 1).slice(0, 4),
    ...lost,
    ...turn(third, 'run-2', 0),
  ];
  return evidence(
    {
      plan: { name: 's0', agent: 'scripted', messages: [message(FIRST), message(SECOND), message(third)] },
      messages: [
        { id: FIRST, state: 'completed' },
        { id: SECOND, state: 'unknown' },
        { id: third, state: 'completed' },
      ],
      heard: { ...evidence().heard, conversations: [[FIRST], [FIRST, SECOND], [FIRST, SECOND, third]] },
      struck: new Set(['keeper']),
      ...change,
    },
    drafts,
  );
}

describe('oracle', () => {
  it('finds no violations if nothing was lost', () => {
    expect(findViolations(evidence())).toEqual([]);
  });

  it.each<[string, RegExp, SessionEvidence]>([
    [
      'an event is missing',
      /has seq 4/,
      evidence({ events: numbered([...turn(FIRST, 'run-1', 0), ...turn(SECOND, 'run-1', 1)]).toSpliced(3, 1) }),
    ],
    ['the last event is missing', /says that 12 is the last/, evidence({ events: evidence().events.slice(0, -1) })],
    [
      'a reader saw one twice',
      /reader steady .* saw 3 in the place of 4/,
      evidence({
        readers: [
          {
            name: 'steady',
            connections: 1,
            events: evidence().readers[0]!.events.toSpliced(3, 0, evidence().readers[0]!.events[3]!),
          },
        ],
      }),
    ],
    [
      'a reader saw another event than is stored',
      /in the place of 2/,
      evidence({
        readers: [
          { name: 'steady', connections: 1, events: evidence().readers[0]!.events.with(2, { id: 2, data: '{}' }) },
        ],
      }),
    ],
    [
      'a reader did not see the end',
      /saw 12 of 13/,
      evidence({ readers: [{ name: 'steady', connections: 1, events: evidence().readers[0]!.events.slice(0, -1) }] }),
    ],
    [
      'the order of a run is broken',
      /no turn is open/,
      evidence({}, [
        ...turn(FIRST, 'run-1', 0),
        ...turn(SECOND, 'run-1', 1),
        { type: 'turn_end', status: 'completed', turnIndex: 1 },
      ]),
    ],
    [
      'a word of the answer is missing',
      /not what the model has sent/,
      evidence({}, [...turn(FIRST, 'run-1', 0, 'abo'), ...turn(SECOND, 'run-1', 1)]),
    ],
    [
      'a message got to the model twice',
      /got to the model 2 times/,
      evidence({ heard: { ...evidence().heard, started: () => 2 } }),
    ],
    [
      'a message never got to the model',
      /never got to the model/,
      evidence({ heard: { ...evidence().heard, started: () => 0 } }),
    ],
    [
      'a conversation has a message twice',
      /twice in one conversation/,
      evidence({ heard: { ...evidence().heard, conversations: [[FIRST, FIRST]] } }),
    ],
    [
      'the history is gone',
      /does not have chaos-s0-m0/,
      evidence({ heard: { ...evidence().heard, conversations: [[FIRST], [SECOND]] } }),
    ],
    [
      'messages overtook each other',
      /another order/,
      evidence({ heard: { ...evidence().heard, conversations: [[SECOND, FIRST]] } }),
    ],
    [
      'a message was accepted twice',
      /accepted 2 times/,
      evidence({}, [...turn(FIRST, 'run-1', 0), ...turn(SECOND, 'run-1', 1), ...turn(SECOND, 'run-1', 2)]),
    ],
    [
      'a message was never sent',
      /was never sent/,
      evidence({}, [...turn(FIRST, 'run-1', 0), ...turn(SECOND, 'run-1', 1), ...turn('other', 'run-1', 2)]),
    ],
    [
      'a message is queued forever',
      /is queued/,
      evidence({
        messages: [
          { id: FIRST, state: 'completed' },
          { id: SECOND, state: 'queued' },
        ],
      }),
    ],
    ['a message is gone', /chaos-s0-m1 is not there/, evidence({ messages: [{ id: FIRST, state: 'completed' }] })],
    [
      'a process was replaced',
      /2 processes/,
      evidence({}, [...turn(FIRST, 'run-1', 0), { type: 'run_result' }, ...turn(SECOND, 'run-2', 0)]),
    ],
    [
      'it continued as another session of the agent',
      /another session/,
      evidence({}, [
        ...turn(FIRST, 'run-1', 0),
        ...turn(SECOND, 'run-1', 1).map((draft) => ({ ...draft, sessionId: 'other' })),
      ]),
    ],
    ['a living keeper is reported as lost', /was not killed/, lostAndBack({ struck: new Set() })],
    ['a lost keeper is not reported', /is not reported/, lostAndBack({}, [])],
    [
      'an unknown message is not reported',
      /no event says so/,
      lostAndBack({}, [{ type: 'keeper_lost', unknownMessages: [], turnIndex: 1 }]),
    ],
    [
      'it ends as if it still worked',
      /it is active in the end/,
      evidence({ session: { ...evidence().session, activity: 'active' } }),
    ],
  ])('sees that %s', (_, fault, options) => {
    expect(findViolations(options).join('\n')).toMatch(fault);
  });

  it('accepts a keeper killed in mid-turn if that is reported and nothing is doubled', () => {
    expect(findViolations(lostAndBack())).toEqual([]);
  });

  it('counts a message once whose acceptance was withdrawn because its agent was exiting', () => {
    const third = 'chaos-s0-m2';
    const takenBack: Draft[] = [
      { type: 'user_message', messageId: third, turnIndex: 1 },
      { type: 'debug', code: 'message_not_delivered', data: { messageId: third }, turnIndex: 0 },
      { type: 'session_end', reason: 'crashed', turnIndex: 0 },
      { type: 'run_result' },
    ];
    const again = (change: Partial<SessionEvidence>, between: Draft[] = takenBack) =>
      findViolations(
        evidence(
          {
            plan: { name: 's0', agent: 'scripted', messages: [message(FIRST), message(third)] },
            messages: [FIRST, third].map((id) => ({ id, state: 'completed' })),
            heard: { ...evidence().heard, conversations: [[FIRST], [FIRST, third]] },
            struck: new Set(['agent']),
            ...change,
          },
          [...turn(FIRST, 'run-1', 0), ...between, ...turn(third, 'run-2', 0)],
        ),
      ).join('\n');
    expect(again({})).toBe('');
    expect(again({}, takenBack.toSpliced(1, 1))).toMatch(/accepted 2 times/);
    expect(again({ struck: new Set() })).toMatch(/reported as not delivered/);
    expect(again({ heard: { ...evidence().heard, conversations: [[FIRST, third]], started: () => 2 } })).toMatch(
      /got to the model 2 times/,
    );
  });

  it('finds a command that ran without approval, twice, or not at all', () => {
    const asking = (decision: 'allow' | 'deny', runs: number) =>
      findViolations(
        evidence({
          plan: {
            name: 's0',
            agent: 'scripted',
            messages: [message(FIRST, { does: 'ask', decision }), message(SECOND)],
          },
          ran: () => runs,
        }),
      );
    expect(asking('allow', 1)).toEqual([]);
    expect(asking('deny', 0)).toEqual([]);
    expect(asking('deny', 1).join()).toMatch(/ran 1 times, and was denied/);
    expect(asking('allow', 2).join()).toMatch(/ran 2 times/);
    expect(asking('allow', 0).join()).toMatch(/did not run/);
  });

  it('accepts a session that ended before it had an id, and no other', () => {
    const session = { ...evidence().session, agentSessionId: null, isTerminated: true, activity: 'exited' };
    const drafts = [
      { type: 'user_message', messageId: FIRST, turnIndex: 0 },
      { type: 'keeper_lost', unknownMessages: [FIRST], turnIndex: 0 },
    ];
    const unrecoverable: Partial<SessionEvidence> = {
      ...{ struck: new Set(['keeper'] as const), unrecoverable: 'NO_AGENT_SESSION' as const },
      messages: [
        { id: FIRST, state: 'unknown' },
        { id: SECOND, state: 'queued' },
      ],
      heard: { conversations: [], started: () => 0, isAnswer: () => false },
    };
    expect(findViolations(evidence({ ...unrecoverable, session: { ...session, lastSeq: 1 } }, drafts))).toEqual([]);
    const identified = drafts.map((draft) => ({ ...draft, sessionId: 'native' }));
    expect(
      findViolations(evidence({ ...unrecoverable, session: { ...session, lastSeq: 1 } }, identified)).join(),
    ).toMatch(/has the id/);
  });

  it('accepts a message refused for lack of an id only if no event carried one', () => {
    const session = { ...evidence().session, agentSessionId: null, isTerminated: true, activity: 'exited', lastSeq: 1 };
    const drafts = [
      { type: 'user_message', messageId: FIRST, turnIndex: 0 },
      { type: 'keeper_lost', unknownMessages: [FIRST], turnIndex: 0 },
    ];
    const refused: Partial<SessionEvidence> = {
      ...{ session, struck: new Set(['keeper'] as const) },
      messages: [
        { id: FIRST, state: 'unknown' },
        { id: SECOND, state: 'failed', error: { code: 'NO_AGENT_SESSION' } },
      ],
      heard: { conversations: [], started: () => 0, isAnswer: () => false },
    };
    const inTheEnd = (events: typeof drafts) => findViolations(evidence(refused, events)).join();
    expect(inTheEnd(drafts)).not.toMatch(/is failed in the end/);
    expect(inTheEnd(drafts.map((draft) => ({ ...draft, sessionId: 'native' })))).toMatch(/is failed in the end/);
  });
});
