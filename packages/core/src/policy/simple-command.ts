/** A command line as a shell would read it, as far as that is certain. */
export interface ShellCommand {
  /** Simple commands, in order; one more than operators. */
  parts: readonly ShellPart[];
  /** `;`, `|`, `&&` and similar, between the parts. */
  operators: readonly string[];
}

interface ShellPart {
  /** Variables that are set for it, as written. */
  env: readonly string[];
  /** As written, without redirections, with one blank between two words. */
  text: string;
  /** Without their quotes. */
  words: readonly string[];
  /** In their order. The target is one word: what follows it belongs to the command again. */
  redirections: readonly Redirection[];
}

interface Redirection {
  /** With the number before it: `2>`. */
  operator: string;
  /** As written. */
  target: string;
}

export type ShellKind = 'posix' | 'windows';

/** Longer ones first. */
const OPERATORS = [
  '&>>',
  '<<<',
  '&&',
  '||',
  '|&',
  ';;',
  '>>',
  '<<',
  '>&',
  '<&',
  '<>',
  '>|',
  '&>',
  ';',
  '|',
  '&',
  '<',
  '>',
];
const REDIRECTS = /[<>]/;
/** What no shell expands, or only to file names. */
const PLAIN = /[\p{L}\p{N}_@%+=:,./~^*?-]/u;
/** Special characters of cmd.exe. */
const WINDOWS_ODD = /[%^']/;
/** What a double-quoted text may not contain: substitutions, escapes, history. */
const NOT_IN_DOUBLE = /[$`\\!]/;
const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]/u;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const SHELLS = /^(?:\/(?:usr\/)?(?:local\/)?bin\/|\/opt\/homebrew\/bin\/)?(?:bash|sh|zsh|dash)$/;

/**
 * Undefined if the text contains something ambiguous (a substitution, a variable, an escape, a group, a line break), so
 * that its effect is unknown. Linear: each character is read once.
 */
export function parseCommand(source: string, shell: ShellKind): ShellCommand | undefined {
  // Also a trailing line break: what followed it is unknown.
  const text = source.replace(/^ +/, '');
  if (CONTROL.test(text) || (shell === 'windows' && WINDOWS_ODD.test(text))) return undefined;
  const parts: ShellPart[] = [];
  const operators: string[] = [];
  let words: Word[] = [];
  let redirections: Redirection[] = [];
  /** A redirection that waits for its target. */
  let redirecting: string | undefined;
  const end = () => {
    parts.push(partOf(words, redirections));
    words = [];
    redirections = [];
  };
  let at = 0;
  while (at < text.length) {
    if (text.charAt(at) === ' ') {
      at += 1;
      continue;
    }
    const operator = OPERATORS.find((one) => text.startsWith(one, at));
    if (operator !== undefined) {
      if (redirecting !== undefined) return undefined;
      if (REDIRECTS.test(operator)) redirecting = `${takeNumber(words, at)}${operator}`;
      else {
        end();
        operators.push(operator);
      }
      at += operator.length;
      continue;
    }
    const word = readWord(text, at);
    if (!word) return undefined;
    if (redirecting === undefined) words.push(word);
    else redirections.push({ operator: redirecting, target: word.raw });
    redirecting = undefined;
    at = word.end;
  }
  if (redirecting !== undefined) return undefined;
  end();
  return { parts, operators };
}

/** `2` of `2>`: a number directly before the operator is not a word of the command. */
function takeNumber(words: Word[], at: number): string {
  const last = words.at(-1);
  if (last?.end !== at || !/^\d+$/.test(last.raw)) return '';
  words.pop();
  return last.raw;
}

/** The script of `bash -lc 'npm test'`, which some agents use for every command. Undefined for other commands. */
export function unwrapShell({ parts, operators }: ShellCommand): string | undefined {
  const [part] = parts;
  if (!part || operators.length > 0 || part.env.length > 0 || part.words.length !== 3) return undefined;
  if (part.redirections.length > 0) return undefined;
  const [program = '', flag = '', script] = part.words;
  return SHELLS.test(program) && (flag === '-c' || flag === '-lc') ? script : undefined;
}

interface Word {
  raw: string;
  value: string;
  end: number;
}

function readWord(text: string, from: number): Word | undefined {
  let value = '';
  let at = from;
  while (at < text.length) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (character === "'" || character === '"') {
      const close = text.indexOf(character, at + 1);
      if (close < 0) return undefined;
      const inner = text.slice(at + 1, close);
      if (character === '"' && NOT_IN_DOUBLE.test(inner)) return undefined;
      value += inner;
      at = close + 1;
    } else if (PLAIN.test(character)) {
      value += character;
      at += character.length;
    } else if (at > from && (character === ' ' || OPERATORS.some((one) => one.startsWith(character)))) break;
    else return undefined;
  }
  return { raw: text.slice(from, at), value, end: at };
}

function partOf(words: readonly Word[], redirections: readonly Redirection[]): ShellPart {
  const first = words.findIndex(({ raw }) => !ASSIGNMENT.test(raw));
  const count = first < 0 ? words.length : first;
  const command = words.slice(count);
  return {
    env: words.slice(0, count).map(({ raw }) => raw),
    text: command.map(({ raw }) => raw).join(' '),
    words: command.map(({ value }) => value),
    redirections,
  };
}
