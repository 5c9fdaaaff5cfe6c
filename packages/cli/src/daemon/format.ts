import type { Activity, Session } from '@agent-mux/api';
import type { Paint } from '../screen/paint.ts';
import { cutToWidth } from '../screen/width.ts';

interface Look {
  /** Distinguishable without color. */
  shape: string;
  word: string;
  color?: keyof Paint;
}

const LOOKS: Readonly<Record<Activity, Look>> = {
  spawning: { shape: '◌', word: 'starting', color: 'cyan' },
  idle: { shape: '○', word: 'idle' },
  active: { shape: '●', word: 'working', color: 'green' },
  waiting_input: { shape: '◆', word: 'needs input', color: 'yellow' },
  blocked: { shape: '◆', word: 'blocked', color: 'yellow' },
  limited: { shape: '▲', word: 'limited', color: 'yellow' },
  exited: { shape: '■', word: 'ended', color: 'dim' },
  no_signal: { shape: '?', word: 'unknown', color: 'dim' },
};
const PARKED: Look = { shape: '□', word: 'parked', color: 'dim' };
const FAILED: Look = { shape: '✗', word: 'failed', color: 'red' };

type State = Pick<Session, 'activity' | 'parked' | 'isTerminated' | 'error' | 'openRequests' | 'origin'>;

export function appearanceOf({ activity, parked, isTerminated, error, openRequests }: State): Look {
  if (openRequests > 0) return LOOKS.waiting_input;
  if (isTerminated || activity === 'exited') return error ? FAILED : LOOKS.exited;
  if (parked) return activity === 'limited' ? LOOKS.limited : PARKED;
  return LOOKS[activity];
}

export function formatState(state: State): string {
  const { shape, word } = appearanceOf(state);
  return `${shape} ${word}${isUnmanaged(state) ? ', unmanaged' : ''}`;
}

/** Runs in a terminal outside of agent-mux: it can only be watched. */
export function isUnmanaged({ origin, isTerminated }: Pick<Session, 'origin' | 'isTerminated'>): boolean {
  return origin === 'unmanaged' && !isTerminated;
}

export function paintState(state: State, text: string, paint: Paint): string {
  const { color } = appearanceOf(state);
  return color ? paint[color](text) : text;
}

/** Abbreviates the home folder to `~` and cuts the middle of a long path: the end is the most informative part. */
export function shortFolder(path: string, home: string | undefined, width: number): string {
  const isAtHome = home !== undefined && home !== '' && (path === home || path.startsWith(`${home}/`));
  const shown = isAtHome ? `~${path.slice(home.length)}` : path;
  if (shown.length <= width) return shown;
  const parts = shown.split('/');
  for (let from = 2; from < parts.length; from += 1) {
    const shorter = `${parts[0] || ''}/…/${parts.slice(from).join('/')}`;
    if (shorter.length <= width) return shorter;
  }
  return `…${shown.slice(1 - width)}`;
}

/** Needs input from a person. */
export function needsAttention({ openRequests, activity, isTerminated }: State): boolean {
  return openRequests > 0 || (!isTerminated && (activity === 'waiting_input' || activity === 'blocked'));
}

/** `claude · the title  ~/folder  5 min ago` within the given width; the title is shortened first. */
export function headline(
  { agent, title, cwd }: { agent: string; title: string; cwd?: string },
  { paint, width, home, ago = '' }: { paint: Paint; width: number; home: string | undefined; ago?: string },
): string {
  const folder = cwd === undefined ? '' : shortFolder(cwd, home, Math.max(12, Math.floor(width / 3)));
  const suffix = [folder, ago]
    .filter(Boolean)
    .map((part) => `  ${part}`)
    .join('');
  const space = Math.max(12, width - agent.length - suffix.length - 3);
  return `${agent} · ${paint.bold(cutToWidth(title, space))}${paint.dim(suffix)}`;
}
