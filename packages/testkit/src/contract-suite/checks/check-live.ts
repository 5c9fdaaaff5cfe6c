import { deepStrictEqual, notStrictEqual, ok } from 'node:assert/strict';
import type { AgentMode, RequestAnswer, TurnInput } from '@agent-mux/core';
import fc from 'fast-check';
import { assertDeterministic } from '../../replay/determinism.ts';
import { createResolvedOptions } from '../../replay/resolved-options.ts';
import { assertStaysQuick } from '../assert-stays-quick.ts';
import { aboutTopic, type ContractCheck } from '../check.ts';
import { Conversation, type ConversationOptions } from '../conversation.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { assertEvents } from '../event-schema.ts';
import { garbageHttp, garbageLine, hardLines, longLines } from '../garbage.ts';
import { guardPrototype } from '../prototype-guard.ts';
import { reachesOf } from '../pure-work.ts';
import { heardIn } from '../recorded-lines.ts';
import { type AnyCodec, codecOf, modelOf, plainApproval, type Subject } from '../subject.ts';
import { garbageRuns } from './check-decoders.ts';

const ALLOW: RequestAnswer = { kind: 'approval', answer: { decision: 'allow' } };
const INPUTS: readonly TurnInput[] = ['say hello', 'and again'].map((text) => ({ text, attachments: [] }));
const LONG = 90_000;
const LONG_LIMIT_MS = 4_000;
const FEW = 200;

/** The conversation with a long-lived agent, in every mode that has one. */
export function liveChecks(subject: Subject): ContractCheck[] {
  return subject.modes.flatMap((mode) => {
    const codec = codecOf(mode);
    return codec ? modeChecks(subject, mode, codec) : [];
  });
}

function modeChecks(subject: Subject, mode: AgentMode, codec: AnyCodec): ContractCheck[] {
  const { fixtures, adapter } = subject;
  const { capabilities } = mode;
  const http = mode.live?.transport === 'http';
  const freshRun = () =>
    createResolvedOptions({ agent: adapter.agent, mode: mode.name, approvalMode: plainApproval(mode) });
  const run = freshRun();
  const peer = fixtures.peers?.[mode.name];
  const waits = peer !== undefined && mode.live?.waitForSession === true;
  const peered = peer ? { peer: peer as (said: unknown) => readonly unknown[] } : {};
  const message = (line: string): unknown => (http ? { kind: 'event', data: line } : line);
  const hear = (messages: readonly unknown[], more: ConversationOptions = {}) => {
    const options = { ...peered, inputs: INPUTS, waitForSession: waits, answer: ALLOW, messages, ...more };
    const { said, events } = guardPrototype(() =>
      assertDeterministic(({ storeState }) => {
        const { said: out, events: emitted } = new Conversation(codec, run, { ...options, storeState });
        return { said: out, events: emitted };
      }),
    );
    assertEvents(events);
    return said;
  };
  /** Output after the session start: of the action itself, and of the next turn. */
  const after = (act: (conversation: Conversation) => readonly unknown[], inTurn = false): string => {
    const options = { ...peered, inputs: inTurn ? INPUTS.slice(0, 1) : [], waitForSession: waits };
    const conversation = new Conversation(codec, run, options);
    const before = conversation.said.length;
    conversation.say(act(conversation));
    if (!inTurn) conversation.send(INPUTS[0]!);
    return JSON.stringify([conversation.said.slice(before), conversation.state]);
  };

  return aboutTopic(`the conversation in mode "${mode.name}"`, (show) => {
    show('survives garbage and gives only events of the contract, the same for the same bytes', () => {
      const recorded = heardIn(subject, mode.name);
      const tags = http ? tagsOf(new Conversation(codec, run, { inputs: INPUTS }).said) : [];
      const garbage: fc.Arbitrary<unknown> = http ? garbageHttp(recorded, tags) : garbageLine(recorded);
      fc.assert(
        fc.property(fc.array(garbage, { maxLength: 8 }), (messages) => {
          hear(messages);
        }),
        garbageRuns(subject),
      );
    });
    for (const [name, line] of hardLines()) {
      show(`survives ${name}`, () => {
        hear([message(line)]);
      });
    }
    show('handles a long message in linear time', () => {
      for (const [name, line] of longLines(LONG)) {
        const startedAt = performance.now();
        new Conversation(codec, run, { ...peered, inputs: INPUTS, messages: [message(line)] });
        const took = performance.now() - startedAt;
        ok(took < LONG_LIMIT_MS, `${LONG} ${name} took ${Math.round(took)} ms`);
      }
    });
    show(
      'reaches a session with its handshake',
      () => {
        const { events } = new Conversation(codec, run, {
          ...peered,
          inputs: INPUTS.slice(0, 1),
          waitForSession: true,
        });
        const emitted = events.map(({ type }) => type).join(' ');
        ok(
          !mode.live?.waitForSession || emitted.includes('session_start'),
          `no session_start in: ${emitted || 'nothing'}`,
        );
      },
      peer === undefined && mode.live?.waitForSession ? 'no peer for this mode in the fixtures' : undefined,
    );
    show('keeps two simultaneous runs apart', () => {
      const lines = [...heardIn(subject, mode.name).slice(0, 60), ...hardLines().map(([, line]) => line)];
      const begin = () => new Conversation(codec, run, { ...peered, inputs: INPUTS, waitForSession: waits });
      const alone = begin();
      for (const line of lines) alone.hear(message(line));
      const both = [begin(), begin()];
      for (const line of lines) for (const each of both) each.hear(message(line));
      for (const { events, said } of both) {
        deepStrictEqual(
          [events, said],
          [alone.events, alone.said],
          'a run receives or sends something else during another one',
        );
      }
    });
    show('does not slow down after many messages', () => {
      const some = [
        ...heardIn(subject, mode.name)
          .filter((line) => line.length < 1_000)
          .slice(0, 20),
        '{"type":"text"}',
      ];
      assertStaysQuick(FEW, (count) => {
        const messages = Array.from({ length: count }, (_, at) => message(some[at % some.length]!));
        new Conversation(codec, run, { ...peered, inputs: INPUTS, answer: ALLOW, messages });
      });
    });
    show('does not access the machine: no file, process, network, clock or randomness', () => {
      const lines = [...heardIn(subject, mode.name), ...hardLines().map(([, line]) => line)];
      const reaches = reachesOf(() => {
        const options = { ...peered, inputs: INPUTS, answer: ALLOW, messages: lines.map(message) };
        const conversation = new Conversation(codec, run, options);
        codec.interrupt?.(conversation.state);
        codec.close?.(conversation.state);
      });
      deepStrictEqual(reaches, [], 'time and all else that counts are passed in');
    });
    show('does not change its input', () => {
      const lines = [...heardIn(subject, mode.name), ...hardLines().map(([, line]) => line)];
      const options = { ...peered, inputs: INPUTS.map(deepFreeze), answer: deepFreeze(ALLOW), waitForSession: waits };
      new Conversation(codec, deepFreeze(freshRun()), { ...options, messages: lines.map(message).map(deepFreeze) });
    });
    show('repeats no secret of the run in an event', () => {
      const secret = 'contract-secret-3097';
      const mcpServers = { contract: { command: 'contract-mcp', env: { CONTRACT_TOKEN: secret } } };
      const secretive = { ...run, env: { CONTRACT_API_KEY: secret }, mcpServers };
      const messages = heardIn(subject, mode.name).map(message);
      const { events } = new Conversation(codec, secretive, { ...peered, inputs: INPUTS, answer: ALLOW, messages });
      ok(!JSON.stringify(events).includes(secret), 'an event holds a value of options.env or of an MCP server');
    });
    if (capabilities.supportsMultiTurn) {
      show('passes a further turn to the agent', () => {
        const conversation = new Conversation(codec, run, {
          ...peered,
          inputs: INPUTS.slice(0, 1),
          waitForSession: waits,
        });
        const before = conversation.said.length;
        conversation.send({ text: 'the further turn of the contract', attachments: [] });
        const seen = JSON.stringify([conversation.said.slice(before), conversation.state]);
        ok(seen.includes('the further turn of the contract'), 'its text is neither said nor remembered');
      });
    }
    const nothing = () => [];
    if (capabilities.supportsInterrupt) {
      show('interrupts the running turn', () => {
        const acts = after((c) => codec.interrupt?.(c.state) ?? [], true);
        notStrictEqual(acts, after(nothing, true), 'interrupt says nothing and remembers nothing');
      });
    }
    if (capabilities.supportsSteer) {
      show('steers the running turn', () => {
        const acts = after((c) => codec.steer?.({ text: 'steer-by-this', attachments: [] }, c.state) ?? [], true);
        ok(acts.includes('steer-by-this'), 'what was steered is neither said nor remembered');
      });
    }
    if (capabilities.supportsModelSwitch) {
      show('switches the model', () => {
        const model = modelOf(subject);
        notStrictEqual(
          after((c) => codec.setModel?.(model, c.state) ?? []),
          after(nothing),
          'setModel changes nothing',
        );
      });
    }
    if (capabilities.supportsModeSwitch) {
      for (const approvalMode of capabilities.approvalModes.filter((each) => each !== run.approvalMode)) {
        show(`switches to approvalMode "${approvalMode}"`, () => {
          const acts = after((c) => codec.setApprovalMode?.(approvalMode, c.state) ?? []);
          notStrictEqual(acts, after(nothing), 'setApprovalMode changes nothing');
        });
      }
    }
    show('can be closed at any time', () => {
      codec.close?.(codec.open(run));
      const conversation = new Conversation(codec, run, { ...peered, inputs: INPUTS.slice(0, 1) });
      conversation.say(codec.close?.(conversation.state) ?? []);
    });
  });
}

function tagsOf(said: readonly unknown[]): string[] {
  return said.flatMap((call) =>
    typeof call === 'object' && call !== null && 'tag' in call && typeof call.tag === 'string' ? [call.tag] : [],
  );
}
