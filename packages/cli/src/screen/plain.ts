/**
 * Text of an agent on a terminal. What it sends must not move the cursor, hide lines or change the title: a person
 * decides on approvals by what stands there.
 */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(ESCAPE_SEQUENCES, '').replace(CONTROLS, '');
}

// CSI and OSC sequences as a whole, so that their parameters do not stay behind as text.
const ESCAPE_SEQUENCES = /[\u001b\u009b](?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])?/g;
// C0 except tab and newline, C1, and the marks that reorder what is read.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** On one line, at most `width` characters. */
export function oneLine(text: string, width: number): string {
  const flat = printable(text).replace(/\s+/g, ' ').trim();
  return cut(flat, width);
}

export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  return `${[...text].slice(0, Math.max(1, width - 1)).join('')}…`;
}
