/**
 * Controls, marks that reorder what is read, what takes no room, line separators, halves of a surrogate pair. Letters that
 * only look like others are not among them.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const SHORT: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\b': '\\b' };

/** The text with everything written out that a terminal or a browser would act on or not show: `\x1b`, `\u202e`. */
export function makeVisible(text: string): string {
  return text.replace(UNSEEN, (character) => SHORT[character] ?? escapeOf(character.codePointAt(0) ?? 0));
}

function escapeOf(code: number): string {
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}
