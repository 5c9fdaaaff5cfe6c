import { resolve } from 'node:path';
import type { RunOptions } from '@agent-mux/core';
import type { NewSession, Session, SessionPatch } from '../../schemas/session.ts';

export interface LaunchContext {
  /** The caller's environment; the agent gets the allowed variables. */
  env: NodeJS.ProcessEnv;
  cwd: string;
  trustProject: boolean;
}

/** Converts run options to a new session, without functions and options that have their own field. */
export function toNewSession(
  options: RunOptions,
  { env, cwd, trustProject }: LaunchContext,
  { messageId, files }: { messageId: string; files: string[] },
): NewSession {
  const {
    agent,
    prompt,
    env: own,
    cwd: folder,
    attachments: _attachments,
    signal: _signal,
    onApprovalRequest: _onApprovalRequest,
    onInputRequired: _onInputRequired,
    // A session outlives its runs: the daemon keeps it open and numbers its launches.
    interactive: _interactive,
    runId: _runId,
    sessionId: _sessionId,
    forkSessionId: _forkSessionId,
    ...rest
  } = options;
  return {
    agent,
    prompt: typeof prompt === 'string' ? prompt : prompt.join('\n'),
    messageId,
    cwd: resolve(cwd, folder ?? '.'),
    options: {
      ...withoutGaps(rest),
      ...(rest.tracePath === undefined ? {} : { tracePath: resolve(cwd, rest.tracePath) }),
    },
    env: withoutGaps(own ?? {}),
    hostEnv: withoutGaps(env),
    trustProject,
    files,
    tags: [...(options.tags ?? [])],
  };
}

/** Options that can be applied to an existing session. */
export function changesOf({ model, approvalMode }: RunOptions, session: Session): SessionPatch | undefined {
  const patch = {
    ...(model === undefined || model === session.model ? {} : { model }),
    ...(approvalMode === undefined || approvalMode === session.approvalMode ? {} : { approvalMode }),
  };
  return Object.keys(patch).length > 0 ? patch : undefined;
}

function withoutGaps<Value>(record: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  const defined: Record<string, Value> = {};
  for (const [name, value] of Object.entries(record)) if (value !== undefined) defined[name] = value;
  return defined;
}
