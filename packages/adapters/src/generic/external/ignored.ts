import type { Decoded } from '@agent-mux/core';

/** Lines can be long; an error usually shows at the start. */
const SHOWN_CHARACTERS = 200;

export function ignoreLine(problem: string, line: string, code = 'malformed_line'): Decoded<string> {
  const message = `a message of the adapter was ignored: ${problem}`;
  return { events: [{ type: 'debug', level: 'warn', code, message, data: { line: line.slice(0, SHOWN_CHARACTERS) } }] };
}
