import {
  type AgentAdapter,
  type AgentMode,
  type ApprovalMode,
  type LiveCodec,
  modesOf,
  type ResolvedRunOptions,
} from '@agent-mux/core';
import { makeResolvedOptions } from '../replay/resolved-options.ts';
import { checkCodec } from './checked-codec.ts';
import { checkDecoder, type Decoder } from './checked-decoder.ts';
import type { ContractFixtures } from './fixtures.ts';
import type { Place } from './place.ts';

/** The adapter that is looked at. */
export interface Subject {
  adapter: AgentAdapter;
  /** What it decodes by, looked at. */
  decoder: Decoder;
  /** Another one of the same kind; the same where no factory was given. */
  make(): AgentAdapter;
  modes: readonly AgentMode[];
  fixtures: ContractFixtures;
}

export type AdapterOrFactory = AgentAdapter | (() => AgentAdapter);

export function subjectOf(given: AdapterOrFactory, fixtures: ContractFixtures): Subject {
  const make = typeof given === 'function' ? given : () => given;
  const adapter = make();
  return { adapter, decoder: checkDecoder(adapter), make, modes: modesOf(adapter), fixtures };
}

/** What is said and heard is the codec's own business here. */
export type AnyCodec = LiveCodec<object, unknown, unknown>;

/** Every answer of it is looked at: whoever talks by it need not. */
export function codecOf({ live }: AgentMode): AnyCodec | undefined {
  return live && checkCodec(live);
}

/** The mode that a run without further wishes has: to ask, where that is possible. */
export function plainApproval({ capabilities }: AgentMode): ApprovalMode {
  return capabilities.approvalModes.includes('prompt') ? 'prompt' : (capabilities.approvalModes[0] ?? 'prompt');
}

/** As the engine would hand them to the adapter. */
export function optionsFor(
  { adapter }: Subject,
  mode: AgentMode,
  place: Place,
  given: Partial<ResolvedRunOptions> = {},
): ResolvedRunOptions {
  return makeResolvedOptions({
    agent: adapter.agent,
    mode: mode.name,
    runId: '3f0c2d5e-9a71-4b6e-8d2f-5c1e7a904b13',
    prompt: 'say hello',
    approvalMode: plainApproval(mode),
    cwd: place.cwd,
    scratchDir: place.scratch,
    ...given,
  });
}

export function modelOf({ adapter, fixtures }: Subject): string {
  const other = adapter.models.find(({ id }) => id !== adapter.defaultModelId);
  return fixtures.model ?? other?.id ?? 'contract/model';
}
