import { describe, expect, it } from 'vitest';
import { message } from './request.ts';
import { turnPosition } from './turn.ts';

const user = (text: string) => message('user', { text });
const assistant = (text: string) => message('assistant', { text });
const result = (output: string) => message('tool', { toolResults: [{ id: 'c', output, isError: false }] });

describe('position in a turn', () => {
  it('counts answers and tool results since the newest user text', () => {
    const messages = [
      user('one'),
      assistant('a'),
      result('old'),
      assistant('b'),
      user('two'),
      assistant('c'),
      result('x'),
    ];
    expect(turnPosition(messages)).toMatchObject({ prompt: 'two', turn: 1, step: 1, toolResults: [{ output: 'x' }] });
  });

  it('counts consecutive user messages as one input', () => {
    const messages = [user('context of the CLI'), user('the prompt'), assistant('a')];
    expect(turnPosition(messages)).toMatchObject({ prompt: 'the prompt', turn: 0, step: 1 });
  });

  it('ignores text that the CLI added', () => {
    const reminder = user('<system-reminder>tick</system-reminder>');
    const mixed = message('user', { ...result('x'), role: 'user', text: '<system-reminder>t</system-reminder>' });
    const messages = [user('go <system-reminder>a\nb</system-reminder>'), reminder, assistant('a'), mixed];
    expect(turnPosition(messages)).toMatchObject({ prompt: 'go', turn: 0, step: 1, toolResults: [{ output: 'x' }] });
  });

  it('is the start of a conversation without messages', () => {
    expect(turnPosition([])).toEqual({ prompt: '', turn: 0, step: 0, toolResults: [] });
  });
});
