import { readFileSync } from 'node:fs';
import type { EventBody, RequestAnswer } from '@agent-mux/core';
import { assertDeterministic, type LiveAct, parseRecording, replayLive, replayOneshot } from '@agent-mux/testkit';
import { piAdapter } from '../src/pi/index.ts';
import { piCodec } from '../src/pi/live.ts';

export const adapter = piAdapter;

export function recording(name: string): Buffer {
  return readFileSync(new URL(`../src/pi/recordings/${name}`, import.meta.url));
}

export function oneshot(name: string): EventBody[] {
  return assertDeterministic((options) => replayOneshot(adapter, recording(`${name}.jsonl`), options));
}

/** Lines to the agent become actions of the caller; the codec sends the rest itself. */
export function actOf(line: string): LiveAct | undefined {
  const said = JSON.parse(line);
  if (said.type === 'prompt') return { act: said.streamingBehavior ? 'steer' : 'turn', text: said.message };
  if (said.type === 'abort') return { act: 'interrupt' };
  if (said.type !== 'extension_ui_response') return undefined;
  const answer: RequestAnswer =
    said.value === undefined
      ? { kind: 'approval', answer: { decision: said.confirmed ? 'allow' : 'deny' } }
      : { kind: 'input', answer: { answers: { [said.id]: [said.value] } } };
  return { act: 'resolve', requestId: said.id, answer };
}

export function live(name: string) {
  const lines = parseRecording(recording(`${name}.txt`));
  return assertDeterministic((options) => replayLive(piCodec, lines, { ...options, actOf }));
}
