import { readFileSync } from 'node:fs';
import type { EventBody } from '@agent-mux/core';
import { assertDeterministic, type LiveAct, only, parseRecording, replayLive, replayOneshot } from '@agent-mux/testkit';
import { expect } from 'vitest';
import { claudeAdapter } from '../src/claude/index.ts';
import { claudeCodec } from '../src/claude/live.ts';

export const adapter = claudeAdapter;

export function recording(name: string): Buffer {
  return readFileSync(new URL(`../src/claude/recordings/${name}`, import.meta.url));
}

export function oneshot(name: string): EventBody[] {
  return assertDeterministic((options) => replayOneshot(adapter, recording(`${name}.jsonl`), options));
}

/** Lines to the agent become actions of the caller; the codec sends the handshake itself. */
export function actOf(line: string): LiveAct | undefined {
  const said = JSON.parse(line);
  if (said.type === 'user') return { act: said.priority ? 'steer' : 'turn', text: said.message.content };
  if (said.request?.subtype === 'interrupt') return { act: 'interrupt' };
  return undefined;
}

export function live(name: string): EventBody[] {
  const lines = parseRecording(recording(`${name}.txt`));
  return assertDeterministic((options) => replayLive(claudeCodec, lines, { ...options, actOf })).events;
}

export const shape = (events: readonly EventBody[]) =>
  events.map((event) => event.type).filter((type) => type !== 'skill_loaded' && type !== 'plugin_loaded');
export function spent(events: readonly EventBody[]) {
  const costs = only(events, 'cost');
  expect(costs.every((cost) => cost.scope === 'delta' && cost.source === 'reported')).toBe(true);
  const sum = (pick: (cost: (typeof costs)[number]) => number | null) =>
    costs.reduce((total, cost) => total + (pick(cost) ?? 0), 0);
  return {
    input: sum((cost) => cost.usage.inputTokens),
    output: sum((cost) => cost.usage.outputTokens),
    usd: Number(sum((cost) => cost.costUsd).toFixed(6)),
  };
}
