import { REDACTED } from '../redact/redact.ts';
import { matchesWhole, matchesWithin, readStars } from '../star-pattern.ts';
import { readingsOf } from './command-readings.ts';
import { parseCommand, type ShellCommand, type ShellKind, unwrapShell } from './simple-command.ts';

/** A longer command is no longer looked through for what could be allowed. */
const LONGEST_ALLOWED = 32_768;

/**
 * Whether all that this command does is what the pattern says. A pattern of one simple command covers one simple command; one
 * with operators covers commands with the same ones in the same order, part by part. A star never covers an operator, a
 * substitution or a variable. Without a star it is the whole text, whatever is in it.
 */
export function allowsCommand(pattern: string, command: string, shell: ShellKind): boolean {
  if (command.length > LONGEST_ALLOWED || command.includes(REDACTED)) return false;
  const stars = readStars(pattern);
  if (stars.length === 1 && stars[0] === command) return true;
  const wanted = parseCommand(pattern, shell);
  const given = parseCommand(command, shell);
  if (!wanted || !given) return false;
  if (covers(wanted, given)) return true;
  const inner = unwrapShell(given);
  const parsed = inner === undefined ? undefined : parseCommand(inner, shell);
  return parsed !== undefined && covers(wanted, parsed);
}

/** `/bin/r? x` runs whatever file is there. */
const GLOB = /[*?]/;

/** A pattern that could never allow anything, since nobody knows what it would stand for. */
export function isUnclearPattern(pattern: string): boolean {
  return readStars(pattern).length > 1 && parseCommand(pattern, 'posix') === undefined;
}

function covers(wanted: ShellCommand, given: ShellCommand): boolean {
  return (
    wanted.operators.join(' ') === given.operators.join(' ') &&
    wanted.parts.every(({ env, text, redirections }, at) => {
      const part = given.parts[at];
      return (
        part !== undefined &&
        !GLOB.test(part.words[0] ?? '') &&
        part.env.length === env.length &&
        part.env.every((variable, index) => variable === env[index]) &&
        part.redirections.length === redirections.length &&
        part.redirections.every(({ operator, target }, index) => {
          const { operator: same, target: pattern } = redirections[index]!;
          return operator === same && matchesWhole(readStars(pattern), target);
        }) &&
        matchesWhole(readStars(text), part.text)
      );
    })
  );
}

const WORD = /[\p{L}\p{N}_.+-]/u;
const isWordCharacter = (character: string) => WORD.test(character);

/**
 * Whether the pattern fits from any word of the command on, in any part of it, inside of quotes and substitutions too. It is
 * wider than what a shell would do: `rm *` also finds `sudo rm x` and `git rm x`.
 */
export function deniesCommand(pattern: string, command: string): boolean {
  const flat = flatten(pattern);
  const wanted = readStars(flat);
  const names = flat.split(' ').filter((word) => !word.includes('*'));
  return readingsOf(command, names).some((text) => matchesWithin(wanted, flatten(text), isWordCharacter));
}

function flatten(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}
