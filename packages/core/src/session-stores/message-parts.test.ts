import { describe, expect, it } from 'vitest';
import type { Session, SessionMessage } from '../contract/sessions.ts';
import { exportSession } from '../sessions/export/export.ts';
import { diffMessages } from '../sessions/message-diff.ts';
import { orderedParts } from './message-parts.ts';
import { Transcript } from './transcript.ts';

function mixed(): SessionMessage {
  const transcript = new Transcript();
  transcript.assistant({ text: 'I will ' });
  transcript.assistant({ text: 'look.' });
  transcript.toolCall({ toolCallId: 'a', toolName: 'read', input: 1 });
  transcript.assistant({ thinking: 'Hm.', text: 'Now I write.' });
  transcript.toolCall({ toolCallId: 'b', toolName: 'write', input: 2 });
  transcript.toolResult('a', 'seen');
  return transcript.messages[0]!;
}

const session = (message: SessionMessage): Session => ({ agent: 'acme', sessionId: 's', messages: [message] });

describe('message parts', () => {
  it('keep their order, in addition to the whole text and the calls', () => {
    expect(mixed()).toMatchObject({
      text: 'I will look.Now I write.',
      thinking: 'Hm.',
      toolCalls: [{ toolCallId: 'a', output: 'seen' }, { toolCallId: 'b' }],
      parts: [
        { type: 'text', text: 'I will look.' },
        { type: 'tool', toolCallId: 'a' },
        { type: 'thinking', text: 'Hm.' },
        { type: 'text', text: 'Now I write.' },
        { type: 'tool', toolCallId: 'b' },
      ],
    });
  });

  it('are omitted if the message already shows their order', () => {
    const transcript = new Transcript();
    transcript.assistant({ thinking: 'Hm.', text: 'Look:' });
    transcript.toolCall({ toolCallId: 'a', toolName: 'read', input: 1 });
    transcript.toolCall({ toolCallId: 'b', toolName: 'read', input: 2 });
    const [message] = transcript.messages;
    expect(message).not.toHaveProperty('parts');
    expect(orderedParts(message!).map((part) => (part.type === 'tool' ? part.call.toolCallId : part.text))).toEqual([
      'Hm.',
      'Look:',
      'a',
      'b',
    ]);
  });

  it('lose no call: unnamed ones come last, duplicate ids stay at their position', () => {
    const call = (toolName: string) => ({ toolCallId: 'a', toolName, input: null });
    const parts = orderedParts({
      role: 'assistant',
      text: 'x',
      toolCalls: [call('first'), call('second'), call('third')],
      parts: [
        { type: 'tool', toolCallId: 'a' },
        { type: 'text', text: 'x' },
        { type: 'tool', toolCallId: 'a' },
        { type: 'tool', toolCallId: 'unknown' },
      ],
    });
    expect(parts.map((part) => (part.type === 'tool' ? part.call.toolName : part.text))).toEqual([
      'first',
      'x',
      'second',
      'third',
    ]);
  });

  it.each(['markdown', 'html'] as const)('appear in order in a document: %s', (format) => {
    const document = exportSession(session(mixed()), format);
    const positions = ['I will look.', 'read', 'Hm.', 'Now I write.', 'write</code>'].map((part) =>
      document.indexOf(format === 'html' ? part : part.replace('</code>', '`')),
    );
    expect(positions).not.toContain(-1);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  it('make messages with the same text and calls in another order different', () => {
    const { parts, ...plain } = mixed();
    const [first] = diffMessages([plain], [{ ...plain, parts }]).messages;
    expect(first?.kind).toBe('changed');
    expect(diffMessages([mixed()], [mixed()]).sharedCount).toBe(1);
  });
});
