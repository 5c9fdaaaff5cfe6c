import { matchesWhole, parseWildcard } from '../wildcard.ts';

/** What a tool does, with the same names for every agent; ACP's names where it has them. */
export const TOOL_KINDS = [
  /** Reads files or the agent's own state. */
  'read',
  'edit',
  'delete',
  'move',
  /** Searches files. */
  'search',
  /** Runs a program. */
  'execute',
  /** Accesses the network, including web search. */
  'fetch',
  /** The agent's own notes: a plan, a thought. */
  'think',
  /** A tool of an MCP server, whatever it does. */
  'mcp',
  /** Unknown or none of the others: a subagent, a question, a mode change. */
  'other',
] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/**
 * The agent's own tool names and the kind of each. `*` matches any characters (`mcp__*`); exact names take precedence.
 * A missing tool is `other`.
 */
export type ToolKindTable = Readonly<Record<string, ToolKind>>;

export function kindOfTool(name: string, table: ToolKindTable): ToolKind | undefined {
  if (Object.hasOwn(table, name)) return table[name];
  return Object.entries(table).find(
    ([pattern]) => pattern.includes('*') && matchesWhole(parseWildcard(pattern), name),
  )?.[1];
}

/** From least specific to most dangerous. */
const BY_GRAVITY: readonly ToolKind[] = [
  'other',
  'think',
  'read',
  'search',
  'fetch',
  'edit',
  'move',
  'delete',
  'execute',
  'mcp',
];

/**
 * The kind of a call that was reported with two kinds: the more dangerous one. A later report can never make a command
 * look like a read.
 */
export function stricterKind(one: ToolKind, other: ToolKind): ToolKind {
  return BY_GRAVITY.indexOf(other) > BY_GRAVITY.indexOf(one) ? other : one;
}

export function isToolKind(value: unknown): value is ToolKind {
  return TOOL_KINDS.some((kind) => kind === value);
}
