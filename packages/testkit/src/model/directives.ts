import { parseJson } from './json.ts';

export type Directive =
  | { type: 'text' | 'think'; text: string }
  | { type: 'tool'; name: string; input: unknown }
  | { type: 'status'; status: number; retryAfterSeconds: number | undefined; until: number | null }
  | { type: 'chunks'; count: number; delayMs: number | undefined; size: number | undefined }
  | { type: 'hang' | 'drop' }
  | { type: 'unreadable'; source: string };

const OPENING = /\[\[(text|think|tool|status|chunks|hang|drop)\b\s*/g;
const TOOL_NAME = /[^\s\]]+\s*/y;

/**
 * Reads, in order:
 * `[[text ..]]`, `[[think ..]]`, `[[tool NAME {json}]]` (a JSON string calls a freeform tool),
 * `[[status 429 retry-after 30]]`, `[[status 429 until EPOCH_SECONDS]]`, `[[chunks 2000 delay 5 size 40]]`,
 * `[[hang]]`, `[[drop]]`.
 */
export function readDirectives(text: string): Directive[] {
  const found: Directive[] = [];
  OPENING.lastIndex = 0;
  for (let opening = OPENING.exec(text); opening; opening = OPENING.exec(text)) {
    const [, word = ''] = opening;
    const bodyStart = OPENING.lastIndex;
    const end = word === 'tool' ? endOfTool(text, bodyStart) : text.indexOf(']]', bodyStart);
    if (end === -1) {
      found.push({ type: 'unreadable', source: text.slice(opening.index, opening.index + 80) });
      break;
    }
    const directive = readOne(word, text.slice(bodyStart, end).trim());
    found.push(directive ?? { type: 'unreadable', source: text.slice(opening.index, end + 2) });
    OPENING.lastIndex = end + 2;
  }
  return found;
}

function readOne(word: string, body: string): Directive | null {
  switch (word) {
    case 'text':
    case 'think':
      return { type: word, text: body };
    case 'hang':
    case 'drop':
      return { type: word };
    case 'tool':
      return readTool(body);
    case 'status':
      return readStatus(body);
    case 'chunks':
      return readChunks(body);
    default:
      return null;
  }
}

function readTool(body: string): Directive | null {
  const [, name = '', json = ''] = /^(\S+)\s*([\s\S]*)$/.exec(body) ?? [];
  const input = json === '' ? {} : parseJson(json);
  return name === '' || input === undefined ? null : { type: 'tool', name, input };
}

function readStatus(body: string): Directive | null {
  const match = /^(\d{3})(?:\s+retry-after\s+(\d+))?(?:\s+until\s+(\d+))?$/.exec(body);
  if (!match) return null;
  const [, status, retryAfter, until] = match;
  return {
    type: 'status',
    status: Number(status),
    retryAfterSeconds: retryAfter === undefined ? undefined : Number(retryAfter),
    until: until === undefined ? null : Number(until),
  };
}

function readChunks(body: string): Directive | null {
  const match = /^(\d+)(?:\s+delay\s+(\d+))?(?:\s+size\s+(\d+))?$/.exec(body);
  if (!match) return null;
  const [, count, delay, size] = match;
  return {
    type: 'chunks',
    count: Number(count),
    delayMs: delay === undefined ? undefined : Number(delay),
    size: size === undefined ? undefined : Number(size),
  };
}

/** `]]` may be inside the JSON, so the closing one is the first that leaves valid JSON before it. */
function endOfTool(text: string, start: number): number {
  TOOL_NAME.lastIndex = start;
  if (!TOOL_NAME.test(text)) return text.indexOf(']]', start);
  for (let end = text.indexOf(']]', TOOL_NAME.lastIndex); end !== -1; end = text.indexOf(']]', end + 1)) {
    const json = text.slice(TOOL_NAME.lastIndex, end).trim();
    if (json === '' || parseJson(json) !== undefined) return end;
  }
  return text.indexOf(']]', start);
}
