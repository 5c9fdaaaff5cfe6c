import type { ToolKind } from '../contract/tool-kinds.ts';
import type { PolicyRequest } from './resource.ts';

/** Builds a request as an agent would make it, to test rules. `resource`: a command, a path, a URL or `server/tool`. */
export function createTestRequest(options: {
  kind: ToolKind;
  resource?: string;
  tool?: string;
  elevated?: boolean;
}): PolicyRequest['request'] {
  const { kind, resource, tool, elevated } = options;
  return {
    toolName: tool ?? (kind === 'mcp' && resource !== undefined ? toolOf(resource) : kind),
    kind,
    title: resource ?? kind,
    input: resource === undefined || kind === 'mcp' ? {} : { resource: resource },
    ...(elevated ? { elevated } : {}),
  };
}

function toolOf(resource: string): string {
  return resource.includes('/') ? `mcp__${resource.replace('/', '__')}` : resource;
}
