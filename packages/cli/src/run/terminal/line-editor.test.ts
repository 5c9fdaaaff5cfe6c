import { describe, expect, it } from 'vitest';
import type { KeyName } from './keys.ts';
import { LineEditor } from './line-editor.ts';

const type = (editor: LineEditor, text: string) => editor.press({ type: 'text', text });
const press = (editor: LineEditor, ...names: KeyName[]) => names.map((name) => editor.press({ type: 'key', name }));

function typed(text: string, ...names: KeyName[]): LineEditor {
  const editor = new LineEditor();
  type(editor, text);
  press(editor, ...names);
  return editor;
}

describe('LineEditor', () => {
  it('edits by grapheme', () => {
    expect(typed('a👨‍👩‍👧é', 'backspace').text).toBe('a👨‍👩‍👧');
    expect(typed('a👨‍👩‍👧', 'backspace').text).toBe('a');
    expect(typed('ab', 'left', 'delete').text).toBe('a');
    expect(typed('ab', 'home', 'backspace', 'delete').text).toBe('b');
  });

  it('edits by words and rows', () => {
    expect(typed('one two  ', 'delete-word').text).toBe('one ');
    expect(typed('one two', 'word-left', 'delete-to-end').text).toBe('one ');
    expect(typed('one\ntwo', 'delete-to-start').text).toBe('one\n');
    expect(typed('one\ntwo', 'up', 'delete-to-end').text).toBe('one\ntwo');
    expect(typed('one\ntwo', 'up', 'home', 'delete-to-end').text).toBe('\ntwo');
    expect(typed('one\ntwo', 'home', 'backspace').text).toBe('onetwo');
    expect(typed('\n', 'left', 'home', 'delete').text).toBe('');
  });

  it('sends on Enter and continues after a backslash', () => {
    const editor = new LineEditor();
    type(editor, 'one\\');
    expect(press(editor, 'enter')).toEqual(['edited']);
    type(editor, 'two');
    expect(press(editor, 'newline', 'enter')).toEqual(['edited', 'send']);
    expect(editor.text).toBe('one\ntwo\n');
  });

  it('ends on Ctrl-D only if the line is empty', () => {
    expect(press(typed('a', 'home'), 'end-of-input', 'end-of-input')).toEqual(['edited', 'end-of-input']);
  });

  it('browses the history and returns to the current line', () => {
    const editor = new LineEditor(['first', 'second\nof two rows']);
    type(editor, 'own');
    press(editor, 'up');
    expect(editor.text).toBe('second\nof two rows');
    press(editor, 'up', 'up', 'up');
    expect(editor.text).toBe('first');
    press(editor, 'down', 'down', 'down', 'down');
    expect(editor.text).toBe('own');
    expect(editor.take()).toBe('own');
    press(editor, 'up');
    expect(editor.text).toBe('own');
  });

  it('filters control characters', () => {
    const editor = new LineEditor();
    editor.press({ type: 'paste', text: 'a\x1b[2J\tb\r\nc\x9b' });
    expect(editor.text).toBe('a[2J    b\nc');
  });

  it('renders rows that fit and the cursor position', () => {
    const wide = typed('漢字漢字漢');
    expect(wide.rows('› ', 2, 10)).toEqual({ rows: ['› 漢字漢', '  字漢'], cursor: { row: 1, column: 6 } });
    press(wide, 'left', 'left');
    expect(wide.rows('› ', 2, 10).cursor).toEqual({ row: 1, column: 2 });
    expect(typed('a\n').rows('› ', 2, 10)).toEqual({ rows: ['› a', '  '], cursor: { row: 1, column: 2 } });
    const long = typed(Array.from({ length: 50 }, (_, row) => `row ${row}`).join('\n'));
    expect(long.rows('› ', 2, 40).rows).toHaveLength(8);
    expect(long.rows('› ', 2, 40).rows.at(-1)).toBe('  row 49');
  });
});
