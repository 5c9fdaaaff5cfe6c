import type { MessageDiff, SessionDiff, TextDiffLine } from '../contract/session-queries.ts';
import type { SessionMessage, SessionToolCall } from '../contract/sessions.ts';
import { orderedParts, type ShownPart } from '../session-stores/message-parts.ts';
import { toJson } from '../values.ts';
import { type DiffStep, diffSequences } from './sequence-diff.ts';

/** What two conversations share and where they differ. Times, ids and usage do not make messages different. */
export function diffMessages(
  before: readonly SessionMessage[],
  after: readonly SessionMessage[],
): Pick<SessionDiff, 'sharedCount' | 'messages'> {
  const steps = diffSequences(before, after, keyOf);
  const parted = steps.findIndex(({ sign }) => sign !== ' ');
  return { sharedCount: parted === -1 ? steps.length : parted, messages: pairMessages(steps) };
}

function keyOf(message: SessionMessage): string {
  const parts = comparedParts(message).map((part) =>
    part.type === 'tool' ? [part.call.toolName, part.call.input, part.call.output] : part.text,
  );
  return toJson([message.role, parts]);
}

/** Thinking is ignored. */
function comparedParts(message: SessionMessage): ShownPart[] {
  return orderedParts(message).filter(({ type }) => type !== 'thinking');
}

/** A removed message and an added one of the same role at the same position: it was changed. */
function pairMessages(steps: readonly DiffStep<SessionMessage>[]): MessageDiff[] {
  const result: MessageDiff[] = [];
  for (let at = 0; at < steps.length; ) {
    const step = steps[at]!;
    if (step.sign === ' ') {
      result.push({ kind: 'same', message: step.after });
      at += 1;
      continue;
    }
    const removed: SessionMessage[] = [];
    const added: SessionMessage[] = [];
    for (let next = steps[at]; next && next.sign !== ' '; next = steps[at]) {
      (next.sign === '-' ? removed : added).push(next.item);
      at += 1;
    }
    result.push(...pairReplaced(removed, added));
  }
  return result;
}

function pairReplaced(removed: readonly SessionMessage[], added: readonly SessionMessage[]): MessageDiff[] {
  const result: MessageDiff[] = [];
  const common = Math.min(removed.length, added.length);
  let at = 0;
  for (; at < common && removed[at]?.role === added[at]?.role; at += 1) {
    const [before, after] = [removed[at]!, added[at]!];
    result.push({ kind: 'changed', before, after, lines: diffLines(wholeText(before), wholeText(after)) });
  }
  for (const message of removed.slice(at)) result.push({ kind: 'removed', message });
  for (const message of added.slice(at)) result.push({ kind: 'added', message });
  return result;
}

/** Line by line. */
function diffLines(before: string, after: string): TextDiffLine[] {
  return diffSequences(before.split('\n'), after.split('\n'), (line) => line).map((step) =>
    step.sign === ' ' ? { sign: ' ', text: step.after } : { sign: step.sign, text: step.item },
  );
}

function wholeText(message: SessionMessage): string {
  const parts = comparedParts(message).map((part) => (part.type === 'tool' ? callText(part.call) : part.text));
  return parts.filter((part) => part !== '').join('\n');
}

function callText({ toolName, input, output }: SessionToolCall): string {
  return `${toolName} ${toJson(input)}${output === undefined ? '' : `\n${output}`}`;
}
