import { deepStrictEqual, ok } from 'node:assert/strict';
import type { AgentMode, EventBody, LiveCodec } from '@agent-mux/core';
import { assertDeterministic } from '../../replay/determinism.ts';
import { replayLive } from '../../replay/live.ts';
import { replayOneshot } from '../../replay/oneshot.ts';
import { createResolvedOptions } from '../../replay/resolved-options.ts';
import { aboutTopic, type ContractCheck } from '../check.ts';
import { Conversation } from '../conversation.ts';
import { assertEvents, assertIds } from '../event-schema.ts';
import type { EventMatch, RecordingFixture } from '../fixtures.ts';
import { linesOf } from '../recorded-lines.ts';
import { codecOf, plainApproval, type Subject } from '../subject.ts';

export function recordingChecks(subject: Subject): ContractCheck[] {
  return aboutTopic('its recordings', (show) => {
    const recordings = subject.fixtures.recordings ?? [];
    if (recordings.length === 0) show('are replayed', () => {}, 'no recordings in the fixtures');
    for (const fixture of recordings) {
      show(`${fixture.name} is decoded deterministically to its expected events`, () => {
        const events = assertDeterministic((options) => [...replayRecording(subject, fixture, options)]);
        assertEvents(events);
        assertIds(events);
        contains(events, fixture.contains ?? []);
        const unwanted = events.filter(({ type }) => fixture.lacks?.includes(type));
        deepStrictEqual(unwanted, [], 'events that must not be there');
      });
    }
  });
}

export function replayRecording(
  subject: Subject,
  fixture: RecordingFixture,
  store: { storeState: boolean } = { storeState: false },
): readonly EventBody[] {
  if ('replay' in fixture) return fixture.replay(store);
  const { adapter, decoder, modes, fixtures } = subject;
  const mode = modes.find(({ name }) => name === fixture.mode);
  ok(
    mode,
    `the fixture names mode "${fixture.mode}", which is not one of: ${modes.map(({ name }) => name).join(', ')}`,
  );
  const recorded = linesOf(fixture);
  const options = { agent: adapter.agent, mode: mode.name, approvalMode: plainApproval(mode) };
  const heard = recorded.filter(({ direction }) => direction === 'in').map(({ line }) => line);
  if (!mode.live) {
    const { oneshot = {} } = fixture;
    return replayOneshot(decoder, heard, { ...oneshot, ...store, options: { ...options, ...oneshot.options } });
  }
  const { live = {} } = fixture;
  if (mode.live.transport === 'stdio') {
    const { waitForSession } = mode.live;
    // Output over stdio is lines: `codecOf` has checked.
    const codec = codecOf(mode) as LiveCodec<object>;
    return replayLive(codec, recorded, { waitForSession, ...live, ...store, options: { ...options, ...live.options } })
      .events;
  }
  return replayEventStream(mode, heard, {
    run: createResolvedOptions({ ...options, ...live.options }),
    peer: fixtures.peers?.[mode.name],
    inputs: (live.inputs ?? ['say hello']).map((text) => ({ text, attachments: [] })),
    ...store,
  });
}

/** Each line is the data of one server-sent event; the peer answers the calls. */
function replayEventStream(
  mode: AgentMode,
  lines: readonly string[],
  how: {
    run: ReturnType<typeof createResolvedOptions>;
    peer: unknown;
    inputs: { text: string; attachments: [] }[];
    storeState: boolean;
  },
): EventBody[] {
  const messages = lines.map((data) => ({ kind: 'event', data }));
  const { run, inputs, storeState } = how;
  const peer = typeof how.peer === 'function' ? { peer: how.peer as (said: unknown) => readonly unknown[] } : {};
  const codec = codecOf(mode);
  return codec ? new Conversation(codec, run, { ...peer, inputs, messages, storeState }).events : [];
}

function contains(events: readonly EventBody[], wanted: readonly EventMatch[]): void {
  let at = 0;
  for (const match of wanted) {
    const found = events.findIndex((event, index) => index >= at && matches(event, match));
    const course = events.slice(at).map(({ type }) => type);
    ok(found !== -1, `no ${JSON.stringify(match)} after event ${at} in: ${course.join(' ')}`);
    at = found + 1;
  }
}

function matches(value: unknown, wanted: unknown): boolean {
  if (wanted instanceof RegExp) return typeof value === 'string' && wanted.test(value);
  if (typeof wanted !== 'object' || wanted === null) return Object.is(value, wanted);
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map(Object.entries(value));
  return Object.entries(wanted).every(([key, field]) => matches(fields.get(key), field));
}
