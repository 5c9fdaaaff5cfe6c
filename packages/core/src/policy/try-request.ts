import type { ToolKind } from '../contract/tool-kinds.ts';
import type { PolicyRequest } from './what-is-asked.ts';

/** A request as an agent would make it, to see what rules say of it. `asked`: a command, a path, an address or `server/tool`. */
export function makeTrial(given: {
  kind: ToolKind;
  asked?: string;
  tool?: string;
  beyond?: boolean;
}): PolicyRequest['request'] {
  const { kind, asked, tool, beyond } = given;
  return {
    toolName: tool ?? (kind === 'mcp' && asked !== undefined ? toolOf(asked) : kind),
    kind,
    title: asked ?? kind,
    input: asked === undefined || kind === 'mcp' ? {} : { resource: asked },
    ...(beyond ? { beyond } : {}),
  };
}

function toolOf(asked: string): string {
  return asked.includes('/') ? `mcp__${asked.replace('/', '__')}` : asked;
}
