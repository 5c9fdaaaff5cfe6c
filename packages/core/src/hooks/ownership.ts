import { isRecord } from '../values.ts';

/** Set for a run whose hooks report: its folder need not be a workspace with hooks installed. */
export const HOOKS_VARIABLE = 'AGENT_MUX_HOOKS';

/** The same on every machine, so that a workspace with hooks can be copied. */
export function hookCommand(agent: string, event: string): string {
  return `${ownPrefix(agent)}${event}`;
}

function ownPrefix(agent: string): string {
  return `amux hooks ${agent} `;
}

/** Whether an entry is ours: one of its fields is our command. */
export function isOwnEntry(entry: unknown, agent: string): boolean {
  const prefix = ownPrefix(agent);
  return isRecord(entry) && Object.values(entry).some((value) => typeof value === 'string' && value.startsWith(prefix));
}
