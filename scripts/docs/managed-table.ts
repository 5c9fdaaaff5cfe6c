import type { AgentAdapter } from '@agent-mux/core';
import type { AgentVerificationRecord } from '@agent-mux/testkit';
import { MARKS } from './capability-status.ts';

/** What `amux` manages for an agent, and the case that verifies it on the real CLI. */
const COLUMNS: readonly { title: string; case?: string; describe(adapter: AgentAdapter): string | undefined }[] = [
  { title: 'sessions', case: 'stored-session', describe: ({ sessionStore }) => (sessionStore ? 'read' : undefined) },
  {
    title: 'configuration',
    case: 'native-model',
    describe: ({ configSchema: { fields, format = 'json' } }) =>
      fields.length > 0 ? `${format}, ${fields.length} fields` : undefined,
  },
  {
    title: 'MCP servers',
    case: 'native-mcp',
    describe({ configSchema: { mcp } }) {
      const scopes = [mcp?.globalFile && 'global', mcp?.projectFile && 'project'].filter(Boolean);
      return scopes.length > 0 ? scopes.join(', ') : undefined;
    },
  },
  {
    title: 'models',
    case: 'own-models',
    describe: ({ modelQuery, models }) =>
      modelQuery ? 'queries the agent' : models.length > 0 ? `${models.length} bundled` : undefined,
  },
  { title: 'plugins', describe: ({ plugins }) => plugins?.formats.join(', ') },
  {
    title: 'skills and subagents',
    describe: ({ extensionFolders: { skills, subagents } = {} }) =>
      [skills && 'skills', subagents && 'subagents'].filter(Boolean).join(', ') || undefined,
  },
  {
    title: 'hooks',
    case: 'hooks-of-a-workspace',
    describe: ({ hooks }) => hooks && (hooks.forRun ? 'workspace, single run' : 'workspace'),
  },
];

export const MANAGED_HEAD: readonly string[] = ['Agent', ...COLUMNS.map(({ title }) => title)];

export function managedRow(adapter: AgentAdapter, record: AgentVerificationRecord | undefined): string[] {
  const passed = new Set(
    Object.values(record?.modes ?? {}).flatMap((cases) =>
      Object.entries(cases).flatMap(([id, result]) => (result === 'passed' ? [id] : [])),
    ),
  );
  const cells = COLUMNS.map(({ case: id, describe }) => {
    const text = describe(adapter);
    if (text === undefined) return MARKS.none;
    return `${id !== undefined && passed.has(id) ? MARKS.verified : MARKS.documented} ${text}`;
  });
  return [`\`${adapter.agent}\``, ...cells];
}
