import { columnsOf, widthOf, wrapToWidth } from '../screen/width.ts';

/** With less than this many columns beside it a question stands above what is typed. */
const ROOM_TO_TYPE = 10;

/** A question stands before what is typed, or above it where that leaves no room. */
export function placePrompt(question: string, room = ROOM_TO_TYPE): { above: string[]; prompt: string } {
  const columns = columnsOf(process.stderr);
  const plain = withoutColours(question);
  if (widthOf(plain) <= columns - Math.max(room + 1, ROOM_TO_TYPE)) return { above: [], prompt: question };
  return { above: wrapToWidth(plain.replace(/\s*› $/, ''), columns - 1), prompt: '  › ' };
}

export function withoutColours(text: string): string {
  return text.replace(/\x1b\[\d*m/g, '');
}
