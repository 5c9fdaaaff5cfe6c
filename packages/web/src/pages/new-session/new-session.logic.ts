import type { Agent, AgentDetail, FolderList, NewSession } from '@agent-mux/api/browser';
import { acceptedBy } from '../../components/attachments.logic.ts';
import { readAmounts } from '../../components/limit.logic.ts';
import type { Draft } from './draft.logic.ts';

const LABELS: Readonly<Record<string, string>> = {
  prompt: 'Ask before anything except reads',
  'accept-edits': 'Edit files, ask for the rest',
  plan: 'Plan only, no changes',
  deny: 'Deny anything that needs approval',
  yolo: 'Allow everything',
};

/** Ready agents first; the demo after real agents. */
export function sortAgents(agents: readonly Agent[]): Agent[] {
  const rank = ({ installed, authState, agent, cliPath }: Agent) => {
    if (!installed) return 4;
    if (agent === 'demo') return 2;
    if (authState === 'authenticated') return 0;
    return authState === 'unknown' && cliPath !== null ? 1 : 3;
  };
  return [...agents].sort((a, b) => rank(a) - rank(b) || a.displayName.localeCompare(b.displayName));
}

/** Options that the agent offers in a folder. */
export interface AgentChoices {
  /** Whether the agent has a terminal UI; null while unknown. */
  terminal: boolean | null;
  inTerminal: boolean;
  /** Whether it accepts a prompt from here. */
  prompt: boolean;
  model: boolean;
  modes: { mode: string; label: string }[];
  files: ReturnType<typeof acceptedBy>;
  worktree: boolean;
  /** Supported thinking efforts. */
  efforts: readonly string[];
  /** Whether limits and budgets apply; they hold back only messages that the daemon sends. */
  onLimit: boolean;
}

export function choicesFor(
  detail: Pick<AgentDetail, 'modes' | 'screen'> | undefined,
  draft: Pick<Draft, 'inTerminal'>,
  folder: Pick<FolderList, 'inRepository'> | undefined,
): AgentChoices {
  const can = detail?.modes[0]?.capabilities ?? {};
  const screen = detail?.screen ?? null;
  const shown = draft.inTerminal ? screen : null;
  const known: readonly unknown[] = Array.isArray(can.approvalModes) ? can.approvalModes : [];
  const modes = Object.entries(LABELS).flatMap(([mode, label]) => {
    const isKnown = shown ? mode === 'prompt' || shown.approvalModes.includes(mode) : known.includes(mode);
    return isKnown ? [{ mode, label }] : [];
  });
  return {
    terminal: detail ? screen !== null : null,
    inTerminal: shown !== null,
    prompt: shown?.takesPrompt ?? true,
    model: can.supportsModelSelection === true && (shown?.takesModel ?? true),
    modes,
    // Accept any pasted file until the agent is loaded.
    files: shown ? null : detail === undefined ? '' : acceptedBy(can),
    worktree: folder?.inRepository === true,
    efforts: shown || !Array.isArray(can.thinkingEfforts) ? [] : can.thinkingEfforts.map(String),
    onLimit: shown === null,
  };
}

/**
 * Builds the API request. Options that are not offered are omitted, even if chosen for another agent or folder before.
 */
export function toNewSession(
  draft: Draft,
  choices: AgentChoices,
  { agent, cwd }: { agent: string; cwd: string },
): NewSession {
  const { id, prompt, files, model, approvalMode, onLimit, effort, title, worktree } = draft;
  const budget = choices.onLimit ? budgetOf(draft) : null;
  const sendsPrompt = prompt.trim() !== '' && !choices.inTerminal;
  const mode = choices.modes.find((each) => each.mode === approvalMode)?.mode ?? 'prompt';
  return {
    id,
    agent,
    cwd,
    worktree: worktree && choices.worktree,
    options: {
      ...(choices.model && model.trim() !== '' ? { model: model.trim() } : {}),
      ...(mode === 'prompt' ? {} : { approvalMode: mode }),
      ...(choices.efforts.includes(effort) ? { thinkingEffort: effort } : {}),
    },
    ...(title.trim() === '' ? {} : { title: title.trim() }),
    ...(budget === null ? {} : { budget }),
    ...(choices.onLimit && onLimit !== '' ? { onLimit } : {}),
    ...(sendsPrompt ? { prompt, files: choices.files === null ? [] : files.map((file) => file.id) } : {}),
  };
}

/** Null if no budget is set. Throws if the typed amounts are invalid. */
function budgetOf(draft: Pick<Draft, 'usd' | 'tokens'>): NonNullable<NewSession['budget']> | null {
  if (draft.usd.trim() === '' && draft.tokens.trim() === '') return null;
  const read = readAmounts(draft);
  if (typeof read === 'string') throw new Error(read);
  return read;
}
