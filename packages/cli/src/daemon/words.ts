import type { Activity, Session } from '@agent-mux/api';
import type { Paint } from '../screen/paint.ts';
import { cutToWidth } from '../screen/width.ts';

interface Look {
  /** Told apart also without colour. */
  shape: string;
  word: string;
  colour?: keyof Paint;
}

const LOOKS: Readonly<Record<Activity, Look>> = {
  spawning: { shape: '◌', word: 'starting', colour: 'cyan' },
  idle: { shape: '○', word: 'idle' },
  active: { shape: '●', word: 'working', colour: 'green' },
  waiting_input: { shape: '◆', word: 'asks', colour: 'yellow' },
  blocked: { shape: '◆', word: 'blocked', colour: 'yellow' },
  limited: { shape: '▲', word: 'limited', colour: 'yellow' },
  exited: { shape: '■', word: 'ended', colour: 'dim' },
  no_signal: { shape: '?', word: 'unknown', colour: 'dim' },
};
const PARKED: Look = { shape: '□', word: 'parked', colour: 'dim' };
const FAILED: Look = { shape: '✗', word: 'failed', colour: 'red' };

type State = Pick<Session, 'activity' | 'parked' | 'isTerminated' | 'error' | 'openRequests' | 'origin'>;

export function lookOf({ activity, parked, isTerminated, error, openRequests }: State): Look {
  if (openRequests > 0) return LOOKS.waiting_input;
  if (isTerminated || activity === 'exited') return error ? FAILED : LOOKS.exited;
  if (parked) return activity === 'limited' ? LOOKS.limited : PARKED;
  return LOOKS[activity];
}

export function stateWords(state: State): string {
  const { shape, word } = lookOf(state);
  return `${shape} ${word}${isElsewhere(state) ? ', by hand' : ''}`;
}

/** It lives in a terminal: it can be watched from here, and nothing else. */
export function isElsewhere({ origin, isTerminated }: Pick<Session, 'origin' | 'isTerminated'>): boolean {
  return origin === 'hand' && !isTerminated;
}

export function paintState(state: State, text: string, paint: Paint): string {
  const { colour } = lookOf(state);
  return colour ? paint[colour](text) : text;
}

/** With `~` for the home, and without its middle where it is long: the end says most. */
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

/** Waits for a person. */
export function needsPerson({ openRequests, activity, isTerminated }: State): boolean {
  return openRequests > 0 || (!isTerminated && (activity === 'waiting_input' || activity === 'blocked'));
}

/** `claude · the title  ~/folder  5 min ago` within so many columns: the title is what gives way. */
export function headline(
  { agent, title, cwd }: { agent: string; title: string; cwd?: string },
  { paint, width, home, ago = '' }: { paint: Paint; width: number; home: string | undefined; ago?: string },
): string {
  const folder = cwd === undefined ? '' : shortFolder(cwd, home, Math.max(12, Math.floor(width / 3)));
  const behind = [folder, ago]
    .filter(Boolean)
    .map((part) => `  ${part}`)
    .join('');
  const room = Math.max(12, width - agent.length - behind.length - 3);
  return `${agent} · ${paint.bold(cutToWidth(title, room))}${paint.dim(behind)}`;
}
