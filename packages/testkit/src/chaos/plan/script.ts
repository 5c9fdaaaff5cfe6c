import type { ModelRequest, ReplyLike } from '../../model/index.ts';
import { reply } from '../../model/index.ts';
import type { ScriptedCall } from '../../verify/index.ts';
import { MARKER } from './plan-round.ts';
import type { MessagePlan, RoundPlan, SessionPlan } from './round-plan.ts';

/** The model's reply to one request, and its message. */
export interface ScriptedReply {
  index: number;
  marker: string;
  step: number;
  text: string;
}

export interface ModelScript {
  scenario(request: ModelRequest): ReplyLike;
  said: readonly ScriptedReply[];
}

/** Not the marker itself: some agents show their model the names of all files, which are not messages. */
export function runsFile(marker: string): string {
  return `ran-${marker.replaceAll('-', '_')}.txt`;
}

/** Appends a line at each run, to detect a command that ran twice. */
function commandOf(marker: string): string {
  return `sh -c "id >> ${runsFile(marker)}"`;
}

function wordsOf(marker: string, pieces: number): string {
  const words = Array.from({ length: pieces }, (_, at) => `${marker.replaceAll('-', '.')}/${at}`);
  return [...words, 'over'].join(' ');
}

/** Text of a message to an agent with a scripted model; the demo agent has a separate script. */
export function textOf(message: MessagePlan): string {
  return `Please do what is written for ${message.id}.`;
}

/** The last message that a text names. */
function lastMarkerIn(text: string): string | undefined {
  return text.match(MARKER)?.at(-1);
}

/** Answers each message of a round as planned, and records the replies. */
export function scriptModel(
  plan: Pick<RoundPlan, 'sessions'>,
  shellOf: (agent: string, command: string) => ScriptedCall,
): ModelScript {
  const said: ScriptedReply[] = [];
  const known = new Map(
    plan.sessions.flatMap((session) =>
      session.messages.map((message): [string, [SessionPlan, MessagePlan]] => [message.id, [session, message]]),
    ),
  );
  return {
    said,
    scenario({ index, prompt, step, toolResults }) {
      const marker = lastMarkerIn(prompt) ?? '';
      const [session, message] = known.get(marker) ?? [];
      if (!session || !message) return 'this belongs to no message of the round';
      const asks = message.does === 'ask' && toolResults.length === 0;
      const text = asks ? '' : wordsOf(marker, message.pieces);
      said.push({ index, marker, step, text });
      if (!asks) return reply.text(text, { chunks: message.pieces, delayMs: message.delayMs });
      const { name, input } = shellOf(session.agent, commandOf(marker));
      return reply.toolCall(name, input);
    },
  };
}
