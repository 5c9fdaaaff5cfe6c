import { ok } from 'node:assert/strict';
import type {
  AgentAdapter,
  AgentMode,
  EventBody,
  HttpServerSpec,
  ResolvedRunOptions,
  SpawnArgs,
} from '@agent-mux/core';
import { makeParseContext } from '../replay/resolved-options.ts';
import { assertRecord, describeValue } from './assert-returned.ts';
import { Conversation, turnInput } from './conversation.ts';
import { codecOf, type Subject } from './subject.ts';

/** All that can be seen of how a run begins, without beginning it. */
export interface Launch {
  spawn: SpawnArgs;
  /** What the live codec says, up to the first turn. */
  said: unknown[];
  server: unknown;
  /** What a process per turn is told to have said, when it said one plain line and left. */
  told: EventBody[];
  state: object | null;
}

export function launch(subject: Subject, mode: AgentMode, options: ResolvedRunOptions): Launch {
  const { adapter, fixtures } = subject;
  const spawn = spawnOf(adapter, options);
  const codec = codecOf(mode);
  if (!codec) return { spawn, said: [], server: null, told: plainRun(subject, options), state: null };
  const input = turnInput(options);
  const peer = fixtures.peers?.[mode.name];
  const conversation = new Conversation(codec, options, {
    // A peer that is meant for another transport is the fixture's fault, and shows as such.
    ...(peer ? { peer: peer as (said: unknown) => readonly unknown[] } : {}),
    sessionFirst: peer !== undefined && mode.live?.sessionFirst === true,
    inputs: [input],
  });
  const server = mode.live?.transport === 'http' ? serverOf(mode.live.server, options) : null;
  return { spawn, said: conversation.said, server, told: [], state: conversation.state };
}

/**
 * What is compared. Without a peer the handshake stops at its first question, so what is still to be said can only be seen
 * in the state.
 */
export function visible(
  subject: Subject,
  mode: AgentMode,
  { spawn, said, server, state }: Launch,
  withState = subject.fixtures.peers?.[mode.name] === undefined,
): string {
  const kept = withState ? state : null;
  return JSON.stringify({ spawn, said, server, kept });
}

/** Permission modes are also kept by the engine, which answers requests by them, and by what the run is told. */
export function visiblePermissions({ spawn, said, told, state }: Launch): string {
  return JSON.stringify({ spawn, said, told, state });
}

/** Which runs share a process or a server with this one; null: none. */
export function shareKey(mode: AgentMode, options: ResolvedRunOptions): string | null {
  const { live } = mode;
  if (live?.transport === 'http') return live.server.shareKey?.(options) ?? null;
  return live?.share?.key(options) ?? null;
}

/** Throws unless it can be looked into; that it is complete is a check of its own. */
function spawnOf(adapter: AgentAdapter, options: ResolvedRunOptions): SpawnArgs {
  const spawn = adapter.buildSpawnArgs(options, {});
  assertRecord(spawn, 'buildSpawnArgs');
  ok(Array.isArray(spawn.args), `buildSpawnArgs must return a list of args, and gave ${describeValue(spawn.args)}`);
  return spawn;
}

function plainRun({ decoder }: Subject, options: ResolvedRunOptions): EventBody[] {
  const context = makeParseContext({ agent: decoder.agent, options });
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
