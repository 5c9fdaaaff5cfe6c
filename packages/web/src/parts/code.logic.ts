export interface Piece {
  text: string;
  /** Null: as the text around it. */
  colour: string | null;
}

/** By the names that agents give them; null: none that is known. */
export function languageOf(className: string | undefined): string | null {
  const [, name] = /(?:^|\s)language-([\w+#.-]+)/.exec(className ?? '') ?? [];
  if (name === undefined) return null;
  const low = name.toLowerCase();
  return OTHER_NAMES[low] ?? low;
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  // Its own grammar is ten times as large, for little more.
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

/** What is highlighted already, and plainly what was written since: text grows at its end. Null: nothing of it fits. */
export function joinGrown(pieces: readonly Piece[], highlighted: string, text: string): readonly Piece[] | null {
  if (highlighted === '' || !text.startsWith(highlighted)) return null;
  return text === highlighted ? pieces : [...pieces, { text: text.slice(highlighted.length), colour: null }];
}
