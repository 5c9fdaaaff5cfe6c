/**
 * Removes control sequences from an agent's text. It must not move the cursor, hide lines or change the title: the user decides
 * on approvals by what is shown.
 */
export function escapeUnprintable(text: string): string {
  return text.replace(LINE_ENDS, '\n').replace(ESCAPE_SEQUENCES, '').replace(CONTROLS, '');
}

/** The same for text painted by amux: keeps its colors if they are enabled. */
export function keepOnlyColors(text: string, withColor: boolean): string {
  return text
    .split(OWN_COLORS)
    .map((part, index) => (index % 2 === 0 ? escapeUnprintable(part) : withColor ? part : ''))
    .join('');
}

const LINE_ENDS = /\r\n?|[\u2028\u2029]/g;
// Whole CSI and OSC sequences, so that their parameters do not remain as text. An unterminated one does not match, or it
// would swallow the rest of the text.
const ESCAPE_SEQUENCES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u009b[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)|\u001b[@-Z\\^_]?/g;
const OWN_COLORS = /(\u001b\[(?:1|2|22|31|32|33|36|39)m)/;
// C0 except tab and newline, C1, and bidirectional control characters.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** On one line of at most `width` characters. */
export function toOneLine(text: string, width: number): string {
  const flat = escapeUnprintable(text).replace(/\s+/g, ' ').trim();
  return cut(flat, width);
}

export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  return `${[...text].slice(0, Math.max(1, width - 1)).join('')}…`;
}
