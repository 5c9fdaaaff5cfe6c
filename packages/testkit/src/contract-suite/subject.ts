import {
  type AgentAdapter,
  type AgentMode,
  type ApprovalMode,
  type LiveCodec,
  modesOf,
  type ResolvedRunOptions,
} from '@agent-mux/core';
import { createResolvedOptions } from '../replay/resolved-options.ts';
import { checkCodec } from './checked-codec.ts';
import { checkDecoder, type Decoder } from './checked-decoder.ts';
import type { ContractFixtures } from './fixtures.ts';
import type { Sandbox } from './sandbox.ts';

/** The adapter under test. */
export interface Subject {
  adapter: AgentAdapter;
  /** Its decoder, checked. */
  decoder: Decoder;
  /** Another one of the same kind; the same without a factory. */
  make(): AgentAdapter;
  modes: readonly AgentMode[];
  fixtures: ContractFixtures;
}

export type AdapterOrFactory = AgentAdapter | (() => AgentAdapter);

export function subjectOf(options: AdapterOrFactory, fixtures: ContractFixtures): Subject {
  const make = typeof options === 'function' ? options : () => options;
  const adapter = make();
  return { adapter, decoder: checkDecoder(adapter), make, modes: modesOf(adapter), fixtures };
}

/** The codec defines the message types. */
export type AnyCodec = LiveCodec<object, unknown, unknown>;

/** Every result of it is checked: users of it need not. */
export function codecOf({ live }: AgentMode): AnyCodec | undefined {
  return live && checkCodec(live);
}

/** The mode of a run without further options: `prompt`, if possible. */
export function plainApproval({ capabilities }: AgentMode): ApprovalMode {
  return capabilities.approvalModes.includes('prompt') ? 'prompt' : (capabilities.approvalModes[0] ?? 'prompt');
}

/** As the engine would pass them to the adapter. */
export function optionsFor(
  { adapter }: Subject,
  mode: AgentMode,
  place: Sandbox,
  options: Partial<ResolvedRunOptions> = {},
): ResolvedRunOptions {
  return createResolvedOptions({
    agent: adapter.agent,
    mode: mode.name,
    runId: '3f0c2d5e-9a71-4b6e-8d2f-5c1e7a904b13',
    prompt: 'say hello',
    approvalMode: plainApproval(mode),
    cwd: place.cwd,
    scratchDir: place.scratch,
    ...options,
  });
}

export function modelOf({ adapter, fixtures }: Subject): string {
  const other = adapter.models.find(({ id }) => id !== adapter.defaultModelId);
  return fixtures.model ?? other?.id ?? 'contract/model';
}
