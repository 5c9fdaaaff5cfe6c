import stripAnsi from 'strip-ansi';
import { ValidationError } from '../contract/errors.ts';
import { withoutEnding } from '../values.ts';

/** Programs that redraw write a space as a cursor movement. */
const STEPS_RIGHT = /\x1b\[(\d{0,3})C/g;
const ERASES_LINE = '\x1b[2K';
const ERASES_REST = /\x1b\[0?K/;
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f]/;
const ALL_CONTROLS = new RegExp(CONTROLS, 'g');

/**
 * The final visible text of a terminal line, without colors and titles. Of text that was overwritten (progress bars,
 * spinners) only the last state remains. Cursor movements to other lines are ignored.
 */
export function readTerminalLine(line: string): string {
  if (!CONTROLS.test(line)) return line;
  const drawings = withoutEnding(line, '\r').split('\r');
  let shown = '';
  // From the last drawing back: an earlier one is visible only where later ones are too short to cover it.
  for (let i = drawings.length - 1; i >= 0; i -= 1) {
    const drawing = drawings[i] ?? '';
    const erased = drawing.lastIndexOf(ERASES_LINE);
    const text = stripDrawing(erased < 0 ? drawing : drawing.slice(erased));
    if (text.length > shown.length) shown += text.slice(shown.length);
    if (erased >= 0 || ERASES_REST.test(drawing)) break;
  }
  return shown;
}

/** Removes colors, titles and other control sequences. */
export function stripSequences(text: string): string {
  return stripAnsi(text);
}

function stripDrawing(drawing: string): string {
  const text = stripAnsi(drawing.replace(STEPS_RIGHT, (_sequence, steps: string) => ' '.repeat(Number(steps) || 1)));
  return (text.includes('\b') ? applyBackspaces(text) : text).replace(ALL_CONTROLS, '');
}

function applyBackspaces(text: string): string {
  const shown: string[] = [];
  for (const character of text) {
    if (character === '\b') shown.pop();
    else shown.push(character);
  }
  return shown.join('');
}

/** A terminal silently drops the rest of a longer line. */
export const MAX_TYPED_LINE_BYTES = process.platform === 'darwin' ? 1023 : 4094;

/**
 * Text as a person would type it: Enter for a newline, and every other control character quoted (Ctrl-V), so that none
 * of them interrupts the program, ends its input or triggers completion. Throws for a line that would be cut.
 */
export function quoteForTerminal(text: string): string {
  for (const line of text.split('\n')) {
    const bytes = Buffer.byteLength(line);
    if (bytes <= MAX_TYPED_LINE_BYTES) continue;
    const problem = `has a line of ${bytes} bytes; the limit of a terminal is ${MAX_TYPED_LINE_BYTES}`;
    throw new ValidationError('run options', [{ field: 'prompt', problem }], { hint: 'break it into shorter lines' });
  }
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\x00-\x09\x0b-\x1f\x7f]/g, '\x16$&')
    .replaceAll('\n', '\r');
}
