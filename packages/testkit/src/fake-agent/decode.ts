import type { EventBody } from '@agent-mux/core';
import { EVENT_TYPES } from './event-types.ts';

/** Reports of the process about itself; see `Step`. */
const REPORTS: ReadonlySet<string> = new Set([
  'stdin',
  'stdin_end',
  'stdin_closed',
  'signal',
  'grandchild',
  'process',
  'setting',
]);

/**
 * A line that is an event is that event. A report is a `debug` event with the code `fake_<report>` and the report as
 * its data. Anything else is not recognized.
 */
export function decodeFakeLine(line: string): EventBody | null {
  const value = parseObject(line);
  if (!value) return null;
  if (isEventBody(value)) return value;
  if (typeof value.type !== 'string' || !REPORTS.has(value.type)) return null;
  return { type: 'debug', level: 'info', code: `fake_${value.type}`, message: value.type, data: value };
}

export function parseObject(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The script defines the other fields, and scripts are typed. */
function isEventBody(value: object): value is EventBody {
  return 'type' in value && typeof value.type === 'string' && Object.hasOwn(EVENT_TYPES, value.type);
}
