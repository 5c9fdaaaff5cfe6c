import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ParseContext, type ResolvedRunOptions, StreamAssembler } from '@agent-mux/core';

/** The default time of every replay. */
export const REPLAY_NOW = Date.UTC(2026, 0, 1);

/** Queried once: options are also created while access to the machine is forbidden. */
const TEMP = tmpdir();

/** Every field that an adapter may rely on, with a harmless value. Nothing below `scratchDir` is created. */
export function createResolvedOptions(partial: Partial<ResolvedRunOptions> = {}): ResolvedRunOptions {
  return {
    agent: 'fake',
    prompt: 'hello',
    cwd: TEMP,
    runId: 'run-1',
    mode: 'oneshot',
    approvalMode: 'prompt',
    approvalModeGiven: partial.approvalMode !== undefined,
    modeGiven: partial.mode !== undefined,
    cwdGiven: partial.cwd !== undefined,
    systemPromptMode: 'append',
    attachments: [],
    invocation: { mode: 'local' },
    retryPolicy: { maxRetries: 0, initialDelayMs: 0, maxDelayMs: 0, multiplier: 1, retryOn: [] },
    scratchDir: join(TEMP, 'agent-mux-replay'),
    ...partial,
  };
}

export function createParseContext(partial: Partial<ParseContext> = {}): ParseContext {
  const options = partial.options ?? createResolvedOptions();
  return {
    runId: options.runId,
    agent: options.agent,
    sessionId: undefined,
    turnIndex: 0,
    debug: options.debug ?? false,
    outputFormat: 'jsonl',
    source: 'stdout',
    assembler: new StreamAssembler(),
    eventCount: 0,
    lastEventType: null,
    adapterState: {},
    now: REPLAY_NOW,
    ...partial,
    options,
  };
}
