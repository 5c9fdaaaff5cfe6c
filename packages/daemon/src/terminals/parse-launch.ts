import { isAbsolute } from 'node:path';
import { isRecord } from '@agent-mux/core';
import { KeeperError } from '../keeper/keeper-error.ts';
import type { TerminalLaunch } from './protocol.ts';

/** Validated without a library, as for a session keeper. The engine validates `start`. */
export function parseTerminalLaunch(value: unknown): TerminalLaunch {
  if (!isLaunch(value)) throw new KeeperError('BAD_REQUEST', 'not a valid terminal launch');
  return value;
}

function isLaunch(value: unknown): value is TerminalLaunch {
  if (!isRecord(value)) return false;
  const { sessionId, folder, agent, trustProject, env, hostEnv, start } = value;
  return (
    [sessionId, folder, agent].every((text) => typeof text === 'string' && text !== '') &&
    isAbsolute(String(folder)) &&
    typeof trustProject === 'boolean' &&
    [env, hostEnv].every((variables) => isRecord(variables) && Object.values(variables).every(isText)) &&
    isRecord(start) &&
    isText(start.cwd) &&
    isRecord(start.size) &&
    typeof start.hooks === 'boolean' &&
    [start.sessionId, start.model, start.approvalMode, start.prompt].every((text) => text === undefined || isText(text))
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
