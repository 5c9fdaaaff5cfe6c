import { ok } from 'node:assert/strict';
import type {
  AgentAdapter,
  AgentMode,
  EventBody,
  HttpServerSpec,
  ResolvedRunOptions,
  SpawnArgs,
} from '@agent-mux/core';
import { createParseContext } from '../replay/resolved-options.ts';
import { assertRecord, describeValue } from './assert-returned.ts';
import { Conversation, turnInput } from './conversation.ts';
import { codecOf, type Subject } from './subject.ts';

/** Everything observable about the start of a run, without starting it. */
export interface LaunchPlan {
  spawn: SpawnArgs;
  /** Messages of the live codec, up to the first turn. */
  said: unknown[];
  server: unknown;
  /** Events of a process per turn that printed one plain line and exited. */
  events: EventBody[];
  state: object | null;
}

export function launch(subject: Subject, mode: AgentMode, options: ResolvedRunOptions): LaunchPlan {
  const { adapter, fixtures } = subject;
  const spawn = spawnOf(adapter, options);
  const codec = codecOf(mode);
  if (!codec) return { spawn, said: [], server: null, events: plainRun(subject, options), state: null };
  const input = turnInput(options);
  const peer = fixtures.peers?.[mode.name];
  const conversation = new Conversation(codec, options, {
    // A peer for another transport is an error of the fixture, and shows as such.
    ...(peer ? { peer: peer as (said: unknown) => readonly unknown[] } : {}),
    waitForSession: peer !== undefined && mode.live?.waitForSession === true,
    inputs: [input],
  });
  const server = mode.live?.transport === 'http' ? serverOf(mode.live.server, options) : null;
  return { spawn, said: conversation.said, server, events: [], state: conversation.state };
}

/**
 * The compared values. Without a peer the handshake stops at its first question, so the remaining messages only show in
 * the state.
 */
export function visible(
  subject: Subject,
  mode: AgentMode,
  { spawn, said, server, state }: LaunchPlan,
  withState = subject.fixtures.peers?.[mode.name] === undefined,
): string {
  const kept = withState ? state : null;
  return JSON.stringify({ spawn, said, server, kept });
}

/** Permission modes also show in the state, by which the codec answers requests, and in the events of the run. */
export function visiblePermissions({ spawn, said, events, state }: LaunchPlan): string {
  return JSON.stringify({ spawn, said, events, state });
}

/** Which runs share a process or a server with this one; null: none. */
export function shareKey(mode: AgentMode, options: ResolvedRunOptions): string | null {
  const { live } = mode;
  if (live?.transport === 'http') return live.server.shareKey?.(options) ?? null;
  return live?.share?.key(options) ?? null;
}

/** Throws unless it can be inspected; a separate check tests that it is complete. */
function spawnOf(adapter: AgentAdapter, options: ResolvedRunOptions): SpawnArgs {
  const spawn = adapter.buildSpawnArgs(options, {});
  assertRecord(spawn, 'buildSpawnArgs');
  ok(Array.isArray(spawn.args), `buildSpawnArgs must return a list of args, and gave ${describeValue(spawn.args)}`);
  return spawn;
}

function plainRun({ decoder }: Subject, options: ResolvedRunOptions): EventBody[] {
  const context = createParseContext({ agent: decoder.agent, options });
  const events = decoder.parseEvent('a plain line', context) ?? [];
  return [events, decoder.parseEnd?.(context, { code: 0, signal: null }) ?? []].flat();
}

function serverOf(server: HttpServerSpec, options: ResolvedRunOptions): unknown {
  return {
    baseUrl: server.baseUrl?.(options, process.env),
    headers: server.headers?.(options, 'contract-password', process.env),
    events: server.eventsPath?.(options),
  };
}
