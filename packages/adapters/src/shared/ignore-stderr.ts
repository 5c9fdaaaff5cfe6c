import type { AdapterSpec, EventBody, ParseContext } from '@agent-mux/core';

/** For an agent with unknown stderr output. */
export function ignoreStderr(
  parse: (line: string, context: ParseContext) => EventBody[] | null,
): NonNullable<AdapterSpec['parse']> {
  return (line, context) => (context.source === 'stdout' ? parse(line, context) : null);
}
