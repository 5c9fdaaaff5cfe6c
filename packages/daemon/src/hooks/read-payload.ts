import { isRecord, parseIfJson } from '@agent-mux/core';

/** What an agent handed to its hook. Of a text that was cut, what can be had of its beginning; of anything else nothing. */
export function readPayload(text: string, cut: boolean): Record<string, unknown> {
  const whole = parseIfJson(text);
  if (isRecord(whole)) return whole;
  if (!cut) return {};
  const { closed, upToLastMember } = mend(text);
  return [closed, upToLastMember].map(parseIfJson).find(isRecord) ?? {};
}

/**
 * Two tries at the beginning of a JSON text, in one pass: whatever is open at its end is closed there; or all behind the last
 * member of the outermost object that is whole is left out.
 */
function mend(text: string): { closed: string; upToLastMember: string } {
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
  // An escape may have been cut too.
  const isHalf = escapeAt >= 0 && text.length - escapeAt < (text[escapeAt + 1] === 'u' ? 6 : 2);
  const end = isInString && isHalf ? escapeAt : text.length;
  const closers = open.toReversed().join('');
  return {
    closed: `${text.slice(0, end)}${isInString ? '"' : ''}${closers}`,
    upToLastMember: lastMember < 0 ? '' : `${text.slice(0, lastMember)}}`,
  };
}
