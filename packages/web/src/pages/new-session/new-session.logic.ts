import type { Agent, AgentDetail, FolderList, NewSession } from '@agent-mux/api/browser';
import { acceptedBy } from '../../parts/attachments.logic.ts';
import { readAmounts } from '../../parts/limit.logic.ts';
import type { Draft } from './draft.logic.ts';

const WORDS: Readonly<Record<string, string>> = {
  prompt: 'Ask before anything but reading',
  'accept-edits': 'Edit files, ask for the rest',
  plan: 'Look and plan, change nothing',
  deny: 'Refuse whatever would ask',
  yolo: 'Everything, without asking',
};

/** Those that can be used now first; the demo after those that do real work. */
export function sortAgents(agents: readonly Agent[]): Agent[] {
  const rank = ({ installed, authState, agent, cliPath }: Agent) => {
    if (!installed) return 4;
    if (agent === 'demo') return 2;
    if (authState === 'authenticated') return 0;
    return authState === 'unknown' && cliPath !== null ? 1 : 3;
  };
  return [...agents].sort((a, b) => rank(a) - rank(b) || a.displayName.localeCompare(b.displayName));
}

/** What the agent can do in this folder. */
export interface Offer {
  /** It has a screen of its own; null: nobody knows yet. */
  terminal: boolean | null;
  inTerminal: boolean;
  /** Something can be said to it from here. */
  prompt: boolean;
  model: boolean;
  modes: { mode: string; word: string }[];
  files: ReturnType<typeof acceptedBy>;
  worktree: boolean;
  /** How much it can be asked to think. */
  efforts: readonly string[];
  /** Only what is sent by the daemon is held up by it: at a limit, or at a budget. */
  onLimit: boolean;
}

export function offerOf(
  detail: Pick<AgentDetail, 'modes' | 'screen'> | undefined,
  draft: Pick<Draft, 'inTerminal'>,
  place: Pick<FolderList, 'inRepository'> | undefined,
): Offer {
  const can = detail?.modes[0]?.capabilities ?? {};
  const screen = detail?.screen ?? null;
  const shown = draft.inTerminal ? screen : null;
  const known: readonly unknown[] = Array.isArray(can.approvalModes) ? can.approvalModes : [];
  const modes = Object.entries(WORDS).flatMap(([mode, word]) => {
    const isKnown = shown ? mode === 'prompt' || shown.approvalModes.includes(mode) : known.includes(mode);
    return isKnown ? [{ mode, word }] : [];
  });
  return {
    terminal: detail ? screen !== null : null,
    inTerminal: shown !== null,
    prompt: shown?.takesPrompt ?? true,
    model: can.supportsModelSelection === true && (shown?.takesModel ?? true),
    modes,
    // Until it is known, whatever is pasted is taken.
    files: shown ? null : detail === undefined ? '' : acceptedBy(can),
    worktree: place?.inRepository === true,
    efforts: shown || !Array.isArray(can.thinkingEfforts) ? [] : can.thinkingEfforts.map(String),
    onLimit: shown === null,
  };
}

/** What is not offered is not asked for, whatever was chosen for another agent or folder before. */
export function wishOf(draft: Draft, offer: Offer, { agent, cwd }: { agent: string; cwd: string }): NewSession {
  const { id, prompt, files, model, approvalMode, onLimit, effort, title, worktree } = draft;
  const budget = offer.onLimit ? budgetOf(draft) : null;
  const speaks = prompt.trim() !== '' && !offer.inTerminal;
  const mode = offer.modes.find((each) => each.mode === approvalMode)?.mode ?? 'prompt';
  return {
    id,
    agent,
    cwd,
    worktree: worktree && offer.worktree,
    options: {
      ...(offer.model && model.trim() !== '' ? { model: model.trim() } : {}),
      ...(mode === 'prompt' ? {} : { approvalMode: mode }),
      ...(offer.efforts.includes(effort) ? { thinkingEffort: effort } : {}),
    },
    ...(title.trim() === '' ? {} : { title: title.trim() }),
    ...(budget === null ? {} : { budget }),
    ...(offer.onLimit && onLimit !== '' ? { onLimit } : {}),
    ...(speaks ? { prompt, files: offer.files === null ? [] : files.map((file) => file.id) } : {}),
  };
}

/** Null: none. Throws what is wrong with what was typed. */
function budgetOf(draft: Pick<Draft, 'usd' | 'tokens'>): NonNullable<NewSession['budget']> | null {
  if (draft.usd.trim() === '' && draft.tokens.trim() === '') return null;
  const read = readAmounts(draft);
  if (typeof read === 'string') throw new Error(read);
  return read;
}
