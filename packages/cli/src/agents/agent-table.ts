import type { ConfiguredClient } from '@agent-mux/adapters/client';
import { type AgentAdapter, type AgentAdapterInfo, type InstalledAgentInfo, modesOf } from '@agent-mux/core';
import { addHead } from '../output.ts';
import { paint } from '../screen/paint.ts';

/** Login status as one word. */
export const LOGIN: Readonly<Record<InstalledAgentInfo['authState'], string>> = {
  authenticated: 'yes',
  unauthenticated: 'no',
  expired: 'expired',
  unknown: '?',
};

export interface AgentRow extends InstalledAgentInfo, Evidence {
  displayName: string;
  source: AgentAdapterInfo['source'];
  replacesBuiltIn?: string;
  defaultMode: string;
  modes: string[];
}

interface Evidence {
  evidence: 'verified' | 'documented' | null;
  verifiedVersions?: readonly string[];
  documentedBy?: readonly string[];
}

export function agentRows(client: ConfiguredClient, infos: readonly InstalledAgentInfo[]): AgentRow[] {
  const known = new Map<string, AgentAdapterInfo>(client.adapters.list().map((info) => [info.agent, info]));
  return infos.map((info) => {
    const adapter = client.adapters.get(info.agent);
    const modes = modesOf(adapter).map(({ name }) => name);
    const { displayName = info.agent, source = 'built-in', replacesBuiltIn } = known.get(info.agent) ?? {};
    const replaces = replacesBuiltIn === undefined ? {} : { replacesBuiltIn };
    return { ...info, displayName, source, ...replaces, ...evidenceOf(adapter), defaultMode: modes[0] ?? '', modes };
  });
}

/** Whether the adapter was verified with the agent, or only written from its documentation. */
function evidenceOf(adapter: AgentAdapter): Evidence {
  const { verifiedVersions = [], documentedBy } = adapter;
  if (documentedBy) return { evidence: 'documented', documentedBy };
  return verifiedVersions.length > 0 ? { evidence: 'verified', verifiedVersions } : { evidence: null };
}

interface Column {
  head: string;
  cell: (row: AgentRow) => string;
  style?: (cell: string, row: AgentRow) => string;
}

/** On a terminal, only installed agents. `pending`: agents whose version is being queried. */
export function agentTable(rows: readonly AgentRow[], pending: ReadonlySet<string>): string {
  const { green, dim, yellow } = paint(process.stdout);
  const isSeen = process.stdout.isTTY;
  const shown = isSeen ? rows.filter(({ installed }) => installed) : rows;
  const installed: Column = {
    head: 'INSTALLED',
    cell: (row) => (row.installed ? 'yes' : 'no'),
    style: (cell) => (cell === 'yes' ? green(cell) : dim(cell)),
  };
  const columns: Column[] = [
    { head: 'AGENT', cell: (row) => row.agent },
    { head: 'NAME', cell: (row) => row.displayName },
    ...(isSeen ? [] : [installed]),
    {
      head: 'VERSION',
      cell: (row) => versionCell(row, pending.has(row.agent)),
      style: (cell, { agent }) => (pending.has(agent) ? dim(cell) : cell),
    },
    {
      head: 'LOGGED IN',
      cell: (row) => (row.installed ? LOGIN[row.authState] : ''),
      style: (cell) => (cell === 'no' || cell === 'expired' ? yellow(cell) : cell),
    },
    {
      head: 'EVIDENCE',
      cell: (row) => (isTooOld(row) ? 'too old' : (row.evidence ?? '-')),
      style: (cell, row) => (isTooOld(row) ? yellow(cell) : cell),
    },
    { head: 'DEFAULT MODE', cell: (row) => row.defaultMode },
  ];
  const at = (head: string) => columns.findIndex((column) => column.head === head);
  return addHead(
    [columns.map(({ head }) => head), ...shown.map((row) => columns.map(({ cell }) => cell(row)))],
    (cell, r, c) => {
      const row = shown[r - 1];
      return (row && columns[c]?.style?.(cell, row)) ?? cell;
    },
    { keep: [0, at('VERSION'), at('LOGGED IN')], spare: [at('DEFAULT MODE'), at('EVIDENCE'), at('NAME')] },
  );
}

/** An unknown version is not treated as too old. */
function isTooOld({ version, meetsMinVersion }: AgentRow): boolean {
  return version !== null && !meetsMinVersion;
}

function versionCell({ installed, version }: AgentRow, isPending: boolean): string {
  if (isPending) return `${version ?? ''}…`;
  return version ?? (installed ? '-' : '');
}
