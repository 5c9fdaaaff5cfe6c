import type { AgentAdapter, AgentMode, LiveCodec, ParseContext, ResolvedRunOptions, SpawnArgs } from '@agent-mux/core';
import { MODES, ValidAdapter } from '../valid-adapter/adapter.ts';
import { codec, httpCodec } from '../valid-adapter/codec.ts';

/** An adapter with one fault. */
export interface Mutant {
  what: string;
  /** Created for each use, since some remember what they should not. */
  make: () => AgentAdapter;
  /** The sentence of the check that must fail. */
  caughtBy: string;
  /** Other checks (`topic: sentence`) that necessarily fail with it; otherwise none may. */
  also?: RegExp;
  /** It never ends, so it is not awaited for long. */
  endless?: true;
  /** It shows in a real run only. */
  inRun?: true;
}

/**
 * The valid adapter with other members, in one mode to be fast. Their types are not checked: that is the job of the
 * suite.
 */
export function altered(members: Partial<Record<keyof AgentAdapter, unknown>>): AgentAdapter {
  const adapter = new ValidAdapter();
  Object.defineProperty(adapter, 'modes', { value: [MODES.oneshot], configurable: true });
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(adapter, name, { value, configurable: true });
  return adapter;
}

export function launching(change: (spawn: SpawnArgs, options: ResolvedRunOptions) => unknown): AgentAdapter {
  const sound = new ValidAdapter();
  return altered({ buildSpawnArgs: (options: ResolvedRunOptions) => change(sound.buildSpawnArgs(options), options) });
}

/** Behaves like the valid one for every line for which it returns undefined. */
export function decoding(parse: (line: string, context: ParseContext) => unknown): AgentAdapter {
  const sound = new ValidAdapter();
  return altered({
    parseEvent: (line: string, context: ParseContext) => parse(line, context) ?? sound.parseEvent(line, context),
  });
}

export function speaking(speech: Partial<Record<keyof LiveCodec, unknown>>): AgentAdapter {
  return inLive({ codec: { ...codec, ...speech } });
}

export function calling(speech: Partial<Record<keyof LiveCodec, unknown>>): AgentAdapter {
  return altered({ modes: [{ ...MODES.http, live: { ...MODES.http.live, codec: { ...httpCodec, ...speech } } }] });
}

export function inLive(change: object): AgentAdapter {
  return altered({ modes: [{ ...MODES.live, live: { ...MODES.live.live, ...change } }] });
}

export function serving(change: object): AgentAdapter {
  const { live } = MODES.http;
  const server = live?.transport === 'http' ? { ...live.server, ...change } : change;
  return altered({ modes: [{ ...MODES.http, live: { ...live, server } }] });
}

/** Declares something else in one mode, and behaves as before. */
export function declaring(name: 'oneshot' | 'live', capabilities: Partial<AgentMode['capabilities']>): AgentAdapter {
  const mode: AgentMode = MODES[name];
  return altered({ modes: [{ ...mode, capabilities: { ...mode.capabilities, ...capabilities } }] });
}

/** Flags with this prefix are lost. */
export function dropping(flag: string): AgentAdapter {
  return launching((spawn) => ({ ...spawn, args: spawn.args.filter((arg) => !arg.startsWith(`--${flag}=`)) }));
}

/** A promise that never settles. */
export function never(): Promise<never> {
  return new Promise(() => {});
}
