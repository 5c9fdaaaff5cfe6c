/**
 * Control characters, bidirectional marks, zero-width characters, line separators and lone surrogates. Look-alike
 * letters are not included.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const SHORT: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\b': '\\b' };

/** Escapes everything a terminal or browser would interpret or not display: `\x1b`, `\u202e`. */
export function escapeControls(text: string): string {
  return text.replace(UNSEEN, (character) => SHORT[character] ?? escapeOf(character.codePointAt(0) ?? 0));
}

function escapeOf(code: number): string {
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}
