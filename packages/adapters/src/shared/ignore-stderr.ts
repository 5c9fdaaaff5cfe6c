import type { AdapterSheet, EventBody, ParseContext } from '@agent-mux/core';

/** For an agent of whose stderr nothing is known. */
export function ignoreStderr(
  parse: (line: string, context: ParseContext) => EventBody[] | null,
): NonNullable<AdapterSheet['parse']> {
  return (line, context) => (context.source === 'stdout' ? parse(line, context) : null);
}
