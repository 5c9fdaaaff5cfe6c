import { columnsOf, widthOf, wrapToWidth } from '../screen/width.ts';

/** With fewer columns left, the question is printed above the input. */
const MIN_INPUT_WIDTH = 10;

/** Puts the question before the input, or above it if that leaves too little space. */
export function layoutPrompt(question: string, space = MIN_INPUT_WIDTH): { above: string[]; prompt: string } {
  const columns = columnsOf(process.stderr);
  const plain = stripColors(question);
  if (widthOf(plain) <= columns - Math.max(space + 1, MIN_INPUT_WIDTH)) return { above: [], prompt: question };
  return { above: wrapToWidth(plain.replace(/\s*› $/, ''), columns - 1), prompt: '  › ' };
}

export function stripColors(text: string): string {
  return text.replace(/\x1b\[\d*m/g, '');
}
