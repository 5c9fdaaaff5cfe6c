import { auxiliaryReply } from './auxiliary.ts';
import type { Reply } from './reply.ts';
import type { ModelRequest } from './request.ts';

/** A string is a reply of that text. */
export type ReplyLike = Reply | string;

/** Decides what the model answers. `turn` is `request.turn`: which input of the user this request belongs to. */
export type Scenario = (request: ModelRequest, turn: number) => ReplyLike | Promise<ReplyLike>;

export const HELLO = 'hello from the scripted model';

/** Answers auxiliary requests of a CLI briefly, in the format that the CLI expects. */
export const answerAuxiliary: Scenario = (request) => auxiliaryReply(request);

/** One reply per request, in order; the last one is repeated forever. */
export function inOrder(...replies: readonly ReplyLike[]): Scenario {
  let next = 0;
  return () => replies[Math.min(next++, replies.length - 1)] ?? HELLO;
}
