import { matchesWhole, readStars } from '../star-pattern.ts';

/** What a tool does, in the same words for every agent; those of ACP where it has them. */
export const TOOL_KINDS = [
  /** Looks at files or at what the agent itself keeps. */
  'read',
  'edit',
  'delete',
  'move',
  /** Looks for something in files. */
  'search',
  /** Runs a program, whatever it is told to run. */
  'execute',
  /** Goes to the network, a search there included. */
  'fetch',
  /** Only the agent's own notes: a plan, a thought. */
  'think',
  /** A tool of an MCP server, whatever it does. */
  'mcp',
  /** Nobody knows, or none of the others: a subagent, a question, another mode. */
  'other',
] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/**
 * The agent's own names of its tools, and what each does. A `*` stands for any characters (`mcp__*`); a name without one
 * counts first. What is not in it is `other`.
 */
export type ToolKindTable = Readonly<Record<string, ToolKind>>;

export function kindOfTool(name: string, table: ToolKindTable): ToolKind | undefined {
  if (Object.hasOwn(table, name)) return table[name];
  return Object.entries(table).find(
    ([pattern]) => pattern.includes('*') && matchesWhole(readStars(pattern), name),
  )?.[1];
}

/** From what is known least to what may do most. */
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
 * What a call is of which both were said: more than nothing, and never less than the worse of two. So nothing that is said
 * later makes a command look like something that only reads.
 */
export function graverKind(one: ToolKind, other: ToolKind): ToolKind {
  return BY_GRAVITY.indexOf(other) > BY_GRAVITY.indexOf(one) ? other : one;
}

export function isToolKind(value: unknown): value is ToolKind {
  return TOOL_KINDS.some((kind) => kind === value);
}
