import type { AgentAdapter } from '@agent-mux/core';
import type { AgentProofRecord } from '@agent-mux/testkit';
import { MARKS } from './capability-status.ts';

/** What `amux` manages of an agent beside running it, and the case that shows it on the real CLI. */
const COLUMNS: readonly { title: string; case?: string; tell(adapter: AgentAdapter): string | undefined }[] = [
  { title: 'sessions', case: 'stored-session', tell: ({ sessionStore }) => (sessionStore ? 'read' : undefined) },
  {
    title: 'configuration',
    case: 'native-model',
    tell: ({ configSchema: { fields, format = 'json' } }) =>
      fields.length > 0 ? `${format}, ${fields.length} fields` : undefined,
  },
  {
    title: 'MCP servers',
    case: 'native-mcp',
    tell({ configSchema: { mcp } }) {
      const scopes = [mcp?.globalFile && 'global', mcp?.projectFile && 'project'].filter(Boolean);
      return scopes.length > 0 ? scopes.join(', ') : undefined;
    },
  },
  {
    title: 'models',
    case: 'own-models',
    tell: ({ modelQuery, models }) =>
      modelQuery ? 'asks the agent' : models.length > 0 ? `${models.length} bundled` : undefined,
  },
  { title: 'plugins', tell: ({ plugins }) => plugins?.formats.join(', ') },
  {
    title: 'skills and sub-agents',
    tell: ({ extensionFolders: { skills, subagents } = {} }) =>
      [skills && 'skills', subagents && 'sub-agents'].filter(Boolean).join(', ') || undefined,
  },
  {
    title: 'hooks',
    case: 'hooks-of-a-workspace',
    tell: ({ hooks }) => hooks && (hooks.forRun ? 'workspace, one run' : 'workspace'),
  },
];

export const MANAGED_HEAD: readonly string[] = ['agent', ...COLUMNS.map(({ title }) => title)];

export function managedRow(adapter: AgentAdapter, record: AgentProofRecord | undefined): string[] {
  const passed = new Set(
    Object.values(record?.modes ?? {}).flatMap((cases) =>
      Object.entries(cases).flatMap(([id, result]) => (result === 'passed' ? [id] : [])),
    ),
  );
  const cells = COLUMNS.map(({ case: id, tell }) => {
    const told = tell(adapter);
    if (told === undefined) return MARKS.none;
    return `${id !== undefined && passed.has(id) ? MARKS.verified : MARKS.documented} ${told}`;
  });
  return [`\`${adapter.agent}\``, ...cells];
}
