import { isRecord } from '@agent-mux/core';
import type { FromTerminal, ToTerminal } from './protocol.ts';

const MAX_COLUMNS = 1000;

/** Undefined: unknown to this version. */
export function parseToTerminal(value: unknown): ToTerminal | undefined {
  if (!isRecord(value)) return undefined;
  const { type, data, viewer, protocol, cols, rows } = value;
  switch (type) {
    case 'hello':
      return typeof viewer === 'string' && typeof protocol === 'number' ? { type, viewer, protocol } : undefined;
    case 'input':
      return typeof data === 'string' ? { type, data } : undefined;
    case 'size':
      return isCount(cols) && isCount(rows) ? { type, cols, rows } : undefined;
    case 'claim':
    case 'end':
      return { type };
    default:
      return undefined;
  }
}

export function parseFromTerminal(value: unknown): FromTerminal | undefined {
  if (!isRecord(value)) return undefined;
  const { type, data, cols, rows, reason, exit } = value;
  const writer = typeof value.writer === 'string' ? value.writer : null;
  switch (type) {
    case 'screen':
      return typeof data === 'string' && isCount(cols) && isCount(rows)
        ? { type, data, cols, rows, writer }
        : undefined;
    case 'data':
      return typeof data === 'string' ? { type, data } : undefined;
    case 'size':
      return isCount(cols) && isCount(rows) ? { type, cols, rows } : undefined;
    case 'writer':
      return { type, writer };
    case 'rejected':
      return { type, reason: String(reason) };
    case 'ended':
      return isRecord(exit) ? { type, exit: parseExit(exit) } : undefined;
    default:
      return undefined;
  }
}

function parseExit({ code, signal, problem }: Record<string, unknown>) {
  return {
    code: typeof code === 'number' ? code : null,
    signal: typeof signal === 'string' ? signal : null,
    ...(typeof problem === 'string' ? { problem } : {}),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_COLUMNS;
}
