import type { PolicyRule } from '../contract/policy.ts';
import { isWithin } from '../files/within.ts';
import { matchesWhole, readStars } from '../star-pattern.ts';
import { allowsCommand, deniesCommand } from './match-command.ts';
import { allowsPath, deniesPath, type PathBase } from './match-path.ts';
import { allowsUrl, deniesUrl } from './match-url.ts';
import type { ShellKind } from './simple-command.ts';
import type { Asked } from './what-is-asked.ts';

/** A rule with the places that it names. */
export interface LoadedRule extends PolicyRule {
  /** What relative patterns are seen from; null: the session's folder. */
  base: string | null;
  /** Its folders, as they are written and with all links followed. */
  folders: readonly string[];
}

/** Whether a rule is about the request; `why` tells how near it was. */
export interface Match {
  matches: boolean;
  why?: string;
}

const NO: Match = { matches: false };
const YES: Match = { matches: true };

export function matchRule(rule: LoadedRule, asked: Asked, shell: ShellKind): Match {
  return rule.decision === 'allow' ? matchAllow(rule, asked, shell) : matchTight(rule, asked);
}

/** All of the request must be what the rule names. */
function matchAllow(rule: LoadedRule, asked: Asked, shell: ShellKind): Match {
  const { agent, kind, tool, pattern, also = [] } = rule;
  if (agent && !agent.includes(asked.agent)) return NO;
  if (kind && !kind.includes(asked.kind)) return NO;
  if (tool && !tool.some((one) => matchesWhole(readStars(one), asked.tool))) return NO;
  if (rule.folder && !isInFolders(rule, asked)) return NO;
  if (asked.isBlurred) return { matches: false, why: 'not all of the request is known here' };
  if (asked.touchesOwnFiles) return { matches: false, why: 'it would change a file of agent-mux itself' };
  if (pattern && !allowsSubjects(rule, pattern, asked, shell)) {
    return asked.commands.length > 0 && pattern.some((one) => asked.commands.some((text) => deniesCommand(one, text)))
      ? { matches: false, why: 'the command is more than what its pattern names' }
      : NO;
  }
  // A path that a pattern covers is named by it, wherever it lies.
  const unnamed = asked.further.find(
    (name) => !also.includes(name) && !also.includes('*') && !(pattern && name === 'outside'),
  );
  return unnamed === undefined ? YES : { matches: false, why: describeFurther(unnamed) };
}

/** Any part of the request is enough. */
function matchTight(rule: LoadedRule, asked: Asked): Match {
  const { agent, kind, tool, pattern } = rule;
  if (agent && !agent.includes(asked.agent)) return NO;
  if (kind && !kind.includes(asked.kind) && !asked.shown.some((one) => kind.includes(one))) return NO;
  if (tool && !asked.tool.split(', ').some((name) => tool.some((one) => fitsLoosely(one, name)))) return NO;
  if (rule.folder && !isInFolders(rule, asked)) return NO;
  return !pattern || pattern.some((one) => findsSubject(rule, one, asked)) ? YES : NO;
}

function allowsSubjects(rule: LoadedRule, patterns: readonly string[], asked: Asked, shell: ShellKind): boolean {
  const { commands, paths, addresses, names } = asked;
  const base = baseOf(rule, asked);
  const isCovered = <Subject>(subjects: readonly Subject[], covers: (pattern: string, subject: Subject) => boolean) =>
    subjects.every((subject) => patterns.some((pattern) => covers(pattern, subject)));
  return (
    commands.length + paths.length + addresses.length + names.length > 0 &&
    isCovered(commands, (pattern, command) => allowsCommand(pattern, command, shell)) &&
    isCovered(paths, (pattern, path) => base !== undefined && allowsPath(pattern, path, base)) &&
    isCovered(addresses, allowsUrl) &&
    (names.length === 0 || names.some((name) => patterns.some((one) => coversName(one, name, names))))
  );
}

/** A name of the server's own choosing does not become `server/tool` by having a slash in it. */
function coversName(pattern: string, name: string, names: readonly string[]): boolean {
  return (names.length > 1 || !name.includes('/')) && matchesWhole(readStars(pattern), name);
}

function findsSubject(rule: LoadedRule, pattern: string, asked: Asked): boolean {
  const { commands, paths, addresses, names, texts, kind, folder, home } = asked;
  const base = baseOf(rule, asked) ?? { folder, home };
  const isKnown = commands.length + paths.length + addresses.length + names.length > 0;
  return (
    commands.some((command) => deniesCommand(pattern, command)) ||
    paths.some((path) => deniesPath(pattern, path, base)) ||
    addresses.some((address) => deniesUrl(pattern, address)) ||
    names.some((name) => fitsLoosely(pattern, name)) ||
    // Nobody knows what it is about: any of its words may be it.
    ((!isKnown || kind === 'other' || asked.isBlurred) && texts.some((text) => deniesCommand(pattern, text)))
  );
}

function baseOf(rule: LoadedRule, { realFolder, home }: Asked): PathBase | undefined {
  const folder = rule.base ?? realFolder;
  return folder === undefined ? undefined : { folder, home };
}

function isInFolders({ folders, decision }: LoadedRule, { folder, realFolder }: Asked): boolean {
  const places = decision === 'allow' ? [realFolder] : [realFolder, folder];
  return folders.some((one) => places.some((place) => place !== undefined && isWithin(one, place)));
}

function fitsLoosely(pattern: string, name: string): boolean {
  return matchesWhole(readStars(pattern.toLowerCase()), name.toLowerCase());
}

function describeFurther(name: string): string {
  switch (name) {
    case 'beyond':
      return 'more is asked for than a use of the tool, which the rule does not name (also: ["beyond"])';
    case 'outside':
      return 'it is about a file outside of the session\'s folder, which the rule does not name (pattern, or also: ["outside"])';
    case 'git':
      return 'it would change a file that can make git run a program, which the rule does not name (also: ["git"])';
    case 'cwd':
      return 'it runs outside of the session\'s folder, which the rule does not name (also: ["cwd"])';
    default:
      return `the request has "${name}", which the rule does not name (also: ["${name}"])`;
  }
}
