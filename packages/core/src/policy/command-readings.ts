/** Maximum number of brace expansions: a command with more is not understood, and a person is asked. */
const MAX_EXPANSIONS = 64;
const MAX_EXPANDED_CHARS = 20_000;
/** Longer texts are not searched for braces. */
const MAX_BRACED_CHARS = 4000;
/** Deeper nested expansions are not removed. */
const MAX_NESTING = 8;

/** A redirection with its target: it may be between any two words. */
const REDIRECTION =
  /(?:(?<!\d)\d+)?(?:&>>|<<<|<<-?|>>|>&|<&|<>|>\||&>|[<>])[ \t]*(?:'[^']*'|"(?:\\.|[^"\\])*"|\\[\s\S]|[^\s'"\\;|&<>()])*/g;
/** What often expands to nothing: unset variables, an empty substitution. The innermost first. */
const EMPTY = /\$(?:\{[^}$]*\}|\(\s*\)|[@*#?$!_-]|\w+)|`\s*`/g;
const ANSI_QUOTED = /\$'((?:\\[\s\S]|[^'\\])*)'/g;
const ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|([\s\S]))/g;
const LETTERS: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  v: '\v',
  f: '\f',
  a: '',
  b: '',
  e: '',
  E: '',
};

/**
 * The texts that a shell may read a command as: as written, without quotes, without redirections, with braces and file
 * names expanded. For denying rules: an extra reading only asks or denies more. `names`: what a name with `?` or `*`
 * may match.
 */
export function readingsOf(command: string, names: readonly string[]): string[] {
  const plain = command.replace(REDIRECTION, ' ');
  const texts = [command, plain].flatMap((text) => {
    const unquoted = withoutQuoting(text);
    return [text, unquoted, withoutEmpty(unquoted), ...expandBraces(unquoted)];
  });
  return [...new Set([...texts, ...texts.flatMap((text) => withNames(text, names))])];
}

/** `r\m`, `"rm"`, `$'\x72m'` and `rm${IFS}x` are ways to write the same. */
function withoutQuoting(text: string): string {
  return text
    .replace(/\\\r?\n/g, '')
    .replace(/\$\{?IFS\}?/g, ' ')
    .replace(ANSI_QUOTED, (_, inner: string) => decodeAnsi(inner))
    .replace(/\$(?=["'])/g, '')
    .replace(/["'\\]/g, '');
}

function withoutEmpty(text: string): string {
  let shorter = text.replace(EMPTY, '');
  for (let depth = 1, before = text; shorter !== before && depth < MAX_NESTING; depth += 1) {
    before = shorter;
    shorter = before.replace(EMPTY, '');
  }
  return shorter;
}

function decodeAnsi(text: string): string {
  return text.replace(ESCAPE, (_, ...groups: (string | undefined)[]) => {
    const [hex, four, eight, octal, letter] = groups;
    const code = hex ?? four ?? eight;
    if (code !== undefined || octal !== undefined) {
      const point = code === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(code, 16);
      return point > 0x10ffff ? '' : String.fromCodePoint(point);
    }
    return LETTERS[letter ?? ''] ?? letter ?? '';
  });
}

/** `{rm,-rf,x}` is `rm -rf x`, `r{m,} x` is `rm r x`. */
function expandBraces(text: string): string[] {
  if (!text.includes('{') || text.length > MAX_BRACED_CHARS) return [];
  const words = text.split(/([\s;|&<>()]+)/);
  const expanded = words.map((word) => expandWord(word).join(' ')).join('');
  return expanded === text || expanded.length > MAX_EXPANDED_CHARS ? [] : [expanded];
}

function expandWord(word: string): string[] {
  let done: string[] = [];
  let open = [word];
  while (open.length > 0) {
    const [next, ...rest] = open;
    const parts = next === undefined ? undefined : firstBraces(next);
    if (next === undefined) break;
    if (!parts) done = [...done, next];
    open = [...(parts ?? []), ...rest];
    if (done.length + open.length > MAX_EXPANSIONS) return [word];
  }
  return done;
}

/** Replaces the first braces that expand by each of their choices, in order. */
function firstBraces(word: string): string[] | undefined {
  for (let from = word.indexOf('{'); from >= 0; from = word.indexOf('{', from + 1)) {
    const commas: number[] = [];
    let depth = 0;
    let close = -1;
    for (let at = from; at < word.length && close < 0; at += 1) {
      const character = word.charAt(at);
      if (character === '{') depth += 1;
      else if (character === '}') {
        depth -= 1;
        if (depth === 0) close = at;
      } else if (character === ',' && depth === 1) commas.push(at);
    }
    if (close < 0) continue;
    const inner = word.slice(from + 1, close);
    const bounds = [from, ...commas, close];
    const choices =
      commas.length > 0 ? bounds.slice(1).map((end, index) => word.slice(bounds[index]! + 1, end)) : rangeOf(inner);
    if (choices) return choices.map((choice) => word.slice(0, from) + choice + word.slice(close + 1));
  }
  return undefined;
}

/** `a..e`, `1..9..2`. */
function rangeOf(inner: string): string[] | undefined {
  const [, from, to, step] = /^(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.(-?\d{1,9}))?$/.exec(inner) ?? [];
  if (from === undefined || to === undefined) return undefined;
  const isNumber = /\d/.test(from);
  if (isNumber !== /\d/.test(to)) return undefined;
  const [first, last] = [from, to].map((end) => (isNumber ? Number(end) : end.charCodeAt(0))) as [number, number];
  const stride = Math.max(1, Math.abs(Number(step ?? 1)));
  const count = Math.min(MAX_EXPANSIONS, Math.floor(Math.abs(last - first) / stride) + 1);
  return Array.from({ length: count }, (_, index) => {
    const value = first + index * stride * (last < first ? -1 : 1);
    return isNumber ? String(value) : String.fromCharCode(value);
  });
}

/** Programs that run the command that follows. */
const RUNNERS =
  /^(?:.*\/)?(?:sudo|doas|env|exec|command|builtin|eval|xargs|nohup|nice|time|timeout|busybox|setsid|stdbuf)$/;
const BEFORE_COMMAND = /^(?:[A-Za-z_]\w*\+?=.*|-.*|\d+[smhd]?|[!({`$]+)$/;

/** `/bin/r? x` may be `/bin/rm x`. Only for the program name: a file named like a program is not run. */
function withNames(text: string, names: readonly string[]): string[] {
  if (!/[*?[]/.test(text)) return [];
  const pieces = text.split(/([\n;|&()`]+)/);
  return names.flatMap((name) => {
    const replaced = pieces.map((piece) => nameProgram(piece, name)).join('');
    return replaced === text ? [] : [replaced];
  });
}

function nameProgram(piece: string, name: string): string {
  const words = piece.split(/(\s+)/);
  const at = words.findIndex(
    (word) => word !== '' && !/^\s/.test(word) && !RUNNERS.test(word) && !BEFORE_COMMAND.test(word),
  );
  const program = words[at] ?? '';
  const file = program.slice(program.lastIndexOf('/') + 1);
  if (!/[*?[]/.test(program) || !fitsGlob(file.toLowerCase(), name)) return piece;
  return [...words.slice(0, at), program.slice(0, program.length - file.length) + name, ...words.slice(at + 1)].join(
    '',
  );
}

/** Brackets match any character. Linear in the name for each star. */
function fitsGlob(glob: string, name: string): boolean {
  const tokens = globTokens(glob);
  let at = 0;
  let index = 0;
  let star = -1;
  let mark = 0;
  while (at < name.length) {
    const token = tokens[index];
    if (token === '*') {
      star = index;
      mark = at;
      index += 1;
    } else if (token !== undefined && (token === '?' || token.length > 1 || token === name.charAt(at))) {
      index += 1;
      at += 1;
    } else if (star >= 0) {
      index = star + 1;
      mark += 1;
      at = mark;
    } else return false;
  }
  return tokens.slice(index).every((token) => token === '*');
}

/** A bracket expression is one token. `]` is searched only while there is one, so that this is linear. */
function globTokens(glob: string): string[] {
  const tokens: string[] = [];
  const lastClose = glob.lastIndexOf(']');
  for (let at = 0; at < glob.length; ) {
    const end = glob.charAt(at) === '[' && at < lastClose ? glob.indexOf(']', at) + 1 : at + 1;
    tokens.push(glob.slice(at, end));
    at = end;
  }
  return tokens;
}
