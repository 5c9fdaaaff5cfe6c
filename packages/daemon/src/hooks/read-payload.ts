import { isRecord, parseIfJson } from '@agent-mux/core';

/** Parses the payload of a hook. Recovers the start of a truncated text; returns an empty object for anything else. */
export function readPayload(text: string, cut: boolean): Record<string, unknown> {
  const whole = parseIfJson(text);
  if (isRecord(whole)) return whole;
  if (!cut) return {};
  const { closed, upToLastMember } = repair(text);
  return [closed, upToLastMember].map(parseIfJson).find(isRecord) ?? {};
}

/**
 * Makes two attempts to repair a truncated JSON text in one pass: close everything that is open at its end, or drop
 * everything after the last complete member of the outermost object.
 */
function repair(text: string): { closed: string; upToLastMember: string } {
  const open: string[] = [];
  let isInString = false;
  let escapeAt = -1;
  let lastMember = -1;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (isInString) {
      if (char === '\\') {
        escapeAt = at;
        at += 1;
      } else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === '{') open.push('}');
    else if (char === '[') open.push(']');
    else if (char === '}' || char === ']') open.pop();
    else if (char === ',' && open.length === 1) lastMember = at;
  }
  // An escape sequence may be truncated, too.
  const isHalf = escapeAt >= 0 && text.length - escapeAt < (text[escapeAt + 1] === 'u' ? 6 : 2);
  const end = isInString && isHalf ? escapeAt : text.length;
  const closers = open.toReversed().join('');
  return {
    closed: `${text.slice(0, end)}${isInString ? '"' : ''}${closers}`,
    upToLastMember: lastMember < 0 ? '' : `${text.slice(0, lastMember)}}`,
  };
}
