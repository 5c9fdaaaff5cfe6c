import { readFileSync } from 'node:fs';
import type { EventBody, RequestAnswer, ResolvedRunOptions } from '@agent-mux/core';
import { assertDeterministic, type LiveAct, parseRecording, replayLive, replayOneshot } from '@agent-mux/testkit';
import { expect } from 'vitest';
import { appServerCodec } from '../src/codex/app-server/live.ts';
import { codexAdapter } from '../src/codex/index.ts';

export const adapter = codexAdapter;

export function recording(name: string): Buffer {
  return readFileSync(new URL(`../src/codex/recordings/${name}`, import.meta.url));
}

export function exec(name: string): EventBody[] {
  return assertDeterministic((options) => replayOneshot(adapter, recording(`exec-${name}.jsonl`), options));
}

/** Lines to the agent become actions of the caller; the codec sends the rest itself. */
export function actOf(line: string): LiveAct | undefined {
  const said = JSON.parse(line);
  if (said.method === 'turn/start') return { act: 'turn', text: said.params.input[0].text };
  if (said.method === 'turn/steer') return { act: 'steer', text: said.params.input[0].text };
  if (said.method === 'turn/interrupt') return { act: 'interrupt' };
  if (said.method !== undefined || said.result === undefined) return undefined;
  return { act: 'resolve', requestId: String(said.id), answer: answerOf(said.result) };
}

export function answerOf(result: {
  decision?: string;
  action?: string;
  _meta?: unknown;
  answers?: object;
}): RequestAnswer {
  if (result.answers) {
    const answers = Object.entries(result.answers).map(([id, { answers: given }]) => [id, given]);
    return { kind: 'input', answer: { answers: Object.fromEntries(answers) } };
  }
  const word = result.decision ?? (result._meta ? 'acceptForSession' : result.action);
  const decision = word?.startsWith('accept') ? 'allow' : 'deny';
  return { kind: 'approval', answer: { decision, optionId: word } };
}

/** Replays a conversation of this codec with Codex 0.166, and checks that it sends the same again. */
export function live(name: string, options: Partial<ResolvedRunOptions> = {}): EventBody[] {
  const lines = parseRecording(recording(`${name}.txt`));
  const accepted = lines.filter(({ line }) => line.includes('"result":{"decision":"accept"}'));
  const bySelf = options.approvalMode === 'accept-edits' ? accepted.length : 0;
  const replayed = assertDeterministic((more) =>
    replayLive(
      appServerCodec(),
      lines.filter(({ line }) => bySelf === 0 || !accepted.some((one) => one.line === line)),
      { ...more, options: { cwd: '/workspace', ...options }, actOf },
    ),
  );
  const said = lines.filter(({ direction }) => direction === 'out').map(({ line }) => JSON.parse(line));
  expect(replayed.sent.map(({ line }) => JSON.parse(line))).toEqual(said);
  return replayed.events;
}

export const shape = (events: readonly EventBody[]) =>
  events
    .map(({ type }) => type)
    .filter((type) => type !== 'cost' && type !== 'context_usage')
    .filter((type, i, all) => !(type.endsWith('_delta') && all[i - 1] === type));
