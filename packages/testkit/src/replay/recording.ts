import { readFile } from 'node:fs/promises';
import { toLines } from './lines.ts';
import { parseTrace } from './trace.ts';

/** One line of a recorded conversation. As in LiveCodec: `out` is sent to the agent, `in` comes from it. */
export interface RecordedLine {
  direction: 'out' | 'in';
  line: string;
}

/** The names that recordings use for a direction. */
const DIRECTIONS: Readonly<Record<string, RecordedLine['direction']>> = {
  '>': 'out',
  out: 'out',
  'client->agent': 'out',
  'host->agent': 'out',
  '<': 'in',
  in: 'in',
  'agent->client': 'in',
  'agent->host': 'in',
};

/** Reads any of the formats that `parseRecording` knows. */
export async function readRecording(path: string): Promise<RecordedLine[]> {
  return parseRecording(await readFile(path));
}

/**
 * The content determines the format:
 * - the first line names the schema of traces: the output of a run with `tracePath`;
 * - every line starts with `> ` or `< `: both directions, as text;
 * - every line is a record `{dir, msg}` (or `frame`), or a remark (`mark`, `closed`, dir `note`): both directions, each
 *   message one line of JSON, the remarks left out;
 * - anything else is raw output of the agent, byte for byte.
 */
export function parseRecording(content: Uint8Array | string): RecordedLine[] {
  const lines = toLines(content);
  return (
    parseTrace(lines) ?? parseArrows(lines) ?? parseRecords(lines) ?? lines.map((line) => ({ direction: 'in', line }))
  );
}

function parseArrows(lines: readonly string[]): RecordedLine[] | null {
  const recorded: RecordedLine[] = [];
  for (const text of lines) {
    if (text === '') continue;
    const direction = text[1] === ' ' && (text[0] === '>' || text[0] === '<') ? DIRECTIONS[text[0]] : undefined;
    if (!direction) return null;
    recorded.push({ direction, line: text.slice(2) });
  }
  return recorded.length > 0 ? recorded : null;
}

function parseRecords(lines: readonly string[]): RecordedLine[] | null {
  const recorded: RecordedLine[] = [];
  let records = 0;
  for (const text of lines) {
    if (text === '') continue;
    const record = readRecord(text);
    if (!record) return null;
    records++;
    if (record.direction) recorded.push({ direction: record.direction, line: record.line });
  }
  return records > 0 ? recorded : null;
}

/** Null: not a record at all. A record without a direction is a remark of the recorder. */
function readRecord(text: string): { direction: RecordedLine['direction'] | undefined; line: string } | null {
  if (!text.startsWith('{')) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  if (('mark' in value && 't' in value) || 'closed' in value) return { direction: undefined, line: '' };
  if (!('dir' in value) || typeof value.dir !== 'string') return null;
  const message = 'msg' in value ? value.msg : 'frame' in value ? value.frame : undefined;
  const direction = DIRECTIONS[value.dir];
  if (message === undefined || (!direction && value.dir !== 'note')) return null;
  return { direction, line: typeof message === 'string' ? message : JSON.stringify(message) };
}
