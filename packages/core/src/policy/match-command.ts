import { REDACTED } from '../redact/redact.ts';
import { matchesWhole, matchesWithin, parseWildcard } from '../wildcard.ts';
import { readingsOf } from './command-readings.ts';
import { parseCommand, type ShellCommand, type ShellKind, unwrapShell } from './simple-command.ts';

/** A longer command is never allowed by a pattern. */
const LONGEST_ALLOWED = 32_768;

/**
 * Whether the pattern covers everything that this command does. A pattern of one simple command covers one simple
 * command; one with operators covers commands with the same operators in the same order, part by part. A star never
 * covers an operator, a substitution or a variable. Without a star the text must be equal.
 */
export function allowsCommand(pattern: string, command: string, shell: ShellKind): boolean {
  if (command.length > LONGEST_ALLOWED || command.includes(REDACTED)) return false;
  const stars = parseWildcard(pattern);
  if (stars.length === 1 && stars[0] === command) return true;
  const wanted = parseCommand(pattern, shell);
  const options = parseCommand(command, shell);
  if (!wanted || !options) return false;
  if (covers(wanted, options)) return true;
  const inner = unwrapShell(options);
  const parsed = inner === undefined ? undefined : parseCommand(inner, shell);
  return parsed !== undefined && covers(wanted, parsed);
}

/** `/bin/r? x` runs whatever file is there. */
const GLOB = /[*?]/;

/** A pattern that could never allow anything, since its meaning is ambiguous. */
export function isUnclearPattern(pattern: string): boolean {
  return parseWildcard(pattern).length > 1 && parseCommand(pattern, 'posix') === undefined;
}

function covers(wanted: ShellCommand, options: ShellCommand): boolean {
  return (
    wanted.operators.join(' ') === options.operators.join(' ') &&
    wanted.parts.every(({ env, text, redirections }, at) => {
      const part = options.parts[at];
      return (
        part !== undefined &&
        !GLOB.test(part.words[0] ?? '') &&
        part.env.length === env.length &&
        part.env.every((variable, index) => variable === env[index]) &&
        part.redirections.length === redirections.length &&
        part.redirections.every(({ operator, target }, index) => {
          const { operator: same, target: pattern } = redirections[index]!;
          return operator === same && matchesWhole(parseWildcard(pattern), target);
        }) &&
        matchesWhole(parseWildcard(text), part.text)
      );
    })
  );
}

const WORD = /[\p{L}\p{N}_.+-]/u;
const isWordCharacter = (character: string) => WORD.test(character);

/**
 * Whether the pattern matches from any word of the command on, in any part of it, also inside quotes and substitutions.
 * It is broader than a shell would be: `rm *` also matches `sudo rm x` and `git rm x`.
 */
export function deniesCommand(pattern: string, command: string): boolean {
  const flat = flatten(pattern);
  const wanted = parseWildcard(flat);
  const names = flat.split(' ').filter((word) => !word.includes('*'));
  return readingsOf(command, names).some((text) => matchesWithin(wanted, flatten(text), isWordCharacter));
}

function flatten(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}
