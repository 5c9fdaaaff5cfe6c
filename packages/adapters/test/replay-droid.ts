import { readFileSync } from 'node:fs';
import type { EventBody, RequestAnswer, ResolvedRunOptions } from '@agent-mux/core';
import { assertDeterministic, type LiveAct, parseRecording, replayLive, replayOneshot } from '@agent-mux/testkit';
import { expect } from 'vitest';
import { droidAdapter } from '../src/droid/index.ts';
import { jsonRpcCodec } from '../src/droid/live.ts';

export const adapter = droidAdapter;

export function recording(name: string): Buffer {
  return readFileSync(new URL(`../src/droid/recordings/${name}`, import.meta.url));
}

export function exec(name: string): EventBody[] {
  return assertDeterministic((options) => replayOneshot(adapter, recording(`exec-${name}.jsonl`), options));
}

/** Lines to the agent become actions of the caller; the codec sends the rest itself. */
export function actOf(steers: boolean) {
  let turns = 0;
  return (line: string): LiveAct | undefined => {
    const said = JSON.parse(line);
    if (said.method === 'droid.interrupt_session') return { act: 'interrupt' };
    if (said.method === 'droid.add_user_message') {
      turns += 1;
      return { act: steers && turns === 2 ? 'steer' : 'turn', text: said.params.text };
    }
    if (said.type !== 'response') return undefined;
    return { act: 'resolve', requestId: said.id, answer: answerOf(said.result) };
  };
}

export function answerOf(result: {
  selectedOption?: string;
  comment?: string;
  answers?: { index: number; answer: string }[];
}): RequestAnswer {
  if (result.answers) {
    const answers = result.answers.map(({ index, answer }) => [String(index), [answer]]);
    return { kind: 'input', answer: { answers: Object.fromEntries(answers) } };
  }
  if (result.selectedOption !== 'cancel') return { kind: 'approval', answer: { decision: 'allow' } };
  return { kind: 'approval', answer: { decision: 'deny', message: result.comment } };
}

/** Replays a conversation of this codec with Droid 0.215, and checks that it sends the same again. */
export function live(name: string, options: Partial<ResolvedRunOptions> = {}, steers = false): EventBody[] {
  const lines = parseRecording(recording(`${name}.txt`));
  const replayed = assertDeterministic((more) =>
    replayLive(jsonRpcCodec(), lines, {
      ...more,
      options: { cwd: '/workspace', model: 'custom:scripted-model-0', approvalMode: 'yolo', ...options },
      actOf: actOf(steers),
    }),
  );
  const said = lines.filter(({ direction }) => direction === 'out').map(({ line }) => JSON.parse(line));
  expect(replayed.sent.map(({ line }) => JSON.parse(line))).toEqual(said);
  return replayed.events;
}
