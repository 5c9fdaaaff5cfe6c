import type { MessagePlan } from './round-plan.ts';

/** Twice as many words as planned pieces: the demo agent prints them without a pause. */
const WORDS_PER_PIECE = 20;

/** The prompt that makes the demo agent do what was planned. */
export function demoTextOf({ id, does, pieces }: MessagePlan): string {
  if (does === 'ask') return `write ${id}.txt`;
  if (isRecall(id)) return `what did I say before? ${id}`;
  return pieces % 2 === 0 ? `long ${pieces * WORDS_PER_PIECE} ${id}` : `hello from ${id}`;
}

/** The expected answer, as far as it is known beforehand. */
export function isDemoAnswer({ id, does, decision, pieces }: MessagePlan, text: string): boolean {
  const file = `agent-mux-demo/${id}.txt`;
  if (does === 'ask') return text === (decision === 'allow' ? `Wrote ${file}.\n` : `Then I leave ${file} alone.\n`);
  if (isRecall(id))
    return /^(?:Before this you said: .*\.|This is the first thing you say to me in this session\.)\n$/s.test(text);
  if (pieces % 2 === 0) return text === longText(pieces * WORDS_PER_PIECE);
  return /^Hello(?:! I am the demo agent\. .*| again! This is message \d+ of our session\.)\n$/.test(text);
}

function isRecall(id: string): boolean {
  return id.endsWith('mlast');
}

/** What it says to `long N`. */
export function longText(words: number): string {
  return Array.from({ length: words }, (_, at) => `word-${at + 1}${(at + 1) % 10 === 0 ? '\n' : ' '}`).join('');
}
