export interface Piece {
  text: string;
  /** Null: inherits the text color. */
  color: string | null;
}

/** Canonical language name from a code block's class; null if it names none. */
export function languageOf(className: string | undefined): string | null {
  const [, name] = /(?:^|\s)language-([\w+#.-]+)/.exec(className ?? '') ?? [];
  if (name === undefined) return null;
  const lower = name.toLowerCase();
  return ALIASES[lower] ?? lower;
}

const ALIASES: Readonly<Record<string, string>> = {
  // The C++ grammar is ten times as large for little gain.
  'c++': 'c',
  cpp: 'c',
  console: 'bash',
  htm: 'html',
  js: 'javascript',
  jsonc: 'json',
  jsx: 'tsx',
  md: 'markdown',
  patch: 'diff',
  py: 'python',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  svg: 'xml',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

/**
 * The highlighted prefix followed by the unhighlighted rest. Null if `text` does not start with the highlighted text.
 */
export function joinGrown(pieces: readonly Piece[], highlighted: string, text: string): readonly Piece[] | null {
  if (highlighted === '' || !text.startsWith(highlighted)) return null;
  return text === highlighted ? pieces : [...pieces, { text: text.slice(highlighted.length), color: null }];
}
