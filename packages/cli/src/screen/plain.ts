/**
 * Text of an agent on a terminal. What it sends must not move the cursor, hide lines or change the title: a person
 * decides on approvals by what stands there.
 */
export function makePrintable(text: string): string {
  return text.replace(LINE_ENDS, '\n').replace(ESCAPE_SEQUENCES, '').replace(CONTROLS, '');
}

/** The same for a line that amux has coloured: its own colours stay, where there are to be any. */
export function keepOnlyColours(text: string, withColour: boolean): string {
  return text
    .split(OWN_COLOURS)
    .map((part, index) => (index % 2 === 0 ? makePrintable(part) : withColour ? part : ''))
    .join('');
}

const LINE_ENDS = /\r\n?|[\u2028\u2029]/g;
// CSI and OSC sequences as a whole, so that their parameters do not stay behind as text. One that does not end is none, or
// it would take the rest of the text with it.
const ESCAPE_SEQUENCES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u009b[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)|\u001b[@-Z\\^_]?/g;
const OWN_COLOURS = /(\u001b\[(?:1|2|22|31|32|33|36|39)m)/;
// C0 except tab and newline, C1, and the marks that reorder what is read.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** On one line, at most `width` characters. */
export function toOneLine(text: string, width: number): string {
  const flat = makePrintable(text).replace(/\s+/g, ' ').trim();
  return cut(flat, width);
}

export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  return `${[...text].slice(0, Math.max(1, width - 1)).join('')}…`;
}
