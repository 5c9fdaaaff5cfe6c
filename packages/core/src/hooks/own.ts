import { isRecord } from '../values.ts';

/** Set for a run whose hooks report: its folder need not be a workspace with hooks installed. */
export const HOOKS_VARIABLE = 'AGENT_MUX_HOOKS';

/** The same on every machine: what is installed may be copied along with its workspace. */
export function hookCommand(agent: string, event: string): string {
  return `${ownBeginning(agent)}${event}`;
}

function ownBeginning(agent: string): string {
  return `amux hooks ${agent} `;
}

/** An entry of ours: one of its fields is our command. */
export function isOwnEntry(entry: unknown, agent: string): boolean {
  const beginning = ownBeginning(agent);
  return (
    isRecord(entry) && Object.values(entry).some((value) => typeof value === 'string' && value.startsWith(beginning))
  );
}
