import type { PolicyRule } from '../contract/policy.ts';
import { isWithin } from '../files/within.ts';
import { matchesWhole, parseWildcard } from '../wildcard.ts';
import { allowsCommand, deniesCommand } from './match-command.ts';
import { allowsPath, deniesPath, type PathBase } from './match-path.ts';
import { allowsUrl, deniesUrl } from './match-url.ts';
import type { RequestedResource } from './resource.ts';
import type { ShellKind } from './simple-command.ts';

/** A rule with its resolved folders. */
export interface LoadedRule extends PolicyRule {
  /** Base of relative patterns; null for the session's folder. */
  base: string | null;
  /** Its folders, as written and with all links resolved. */
  folders: readonly string[];
}

/** Whether a rule matches the request; `why` says how near it was. */
export interface Match {
  matches: boolean;
  why?: string;
}

const NO: Match = { matches: false };
const YES: Match = { matches: true };

export function matchRule(rule: LoadedRule, resource: RequestedResource, shell: ShellKind): Match {
  return rule.decision === 'allow' ? matchAllow(rule, resource, shell) : matchTight(rule, resource);
}

/** The rule must cover all of the request. */
function matchAllow(rule: LoadedRule, resource: RequestedResource, shell: ShellKind): Match {
  const { agent, kind, tool, pattern, allowFields = [] } = rule;
  if (agent && !agent.includes(resource.agent)) return NO;
  if (kind && !kind.includes(resource.kind)) return NO;
  if (tool && !tool.some((one) => matchesWhole(parseWildcard(one), resource.tool))) return NO;
  if (rule.folder && !isInFolders(rule, resource)) return NO;
  if (resource.isBlurred) return { matches: false, why: 'the request is not completely known' };
  if (resource.touchesOwnFiles) return { matches: false, why: 'it would change a file of agent-mux itself' };
  if (pattern && !allowsSubjects(rule, pattern, resource, shell)) {
    return resource.commands.length > 0 &&
      pattern.some((one) => resource.commands.some((text) => deniesCommand(one, text)))
      ? { matches: false, why: 'the command does more than its pattern covers' }
      : NO;
  }
  // A path covered by a pattern is named by it, wherever it is.
  const unnamed = resource.further.find(
    (name) => !allowFields.includes(name) && !allowFields.includes('*') && !(pattern && name === 'outside'),
  );
  return unnamed === undefined ? YES : { matches: false, why: describeFurther(unnamed) };
}

/** Any part of the request is enough. */
function matchTight(rule: LoadedRule, resource: RequestedResource): Match {
  const { agent, kind, tool, pattern } = rule;
  if (agent && !agent.includes(resource.agent)) return NO;
  if (kind && !kind.includes(resource.kind) && !resource.shown.some((one) => kind.includes(one))) return NO;
  if (tool && !resource.tool.split(', ').some((name) => tool.some((one) => fitsLoosely(one, name)))) return NO;
  if (rule.folder && !isInFolders(rule, resource)) return NO;
  return !pattern || pattern.some((one) => findsSubject(rule, one, resource)) ? YES : NO;
}

function allowsSubjects(
  rule: LoadedRule,
  patterns: readonly string[],
  resource: RequestedResource,
  shell: ShellKind,
): boolean {
  const { commands, paths, addresses, names } = resource;
  const base = baseOf(rule, resource);
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

/** A tool name chosen by the server does not become `server/tool` by containing a slash. */
function coversName(pattern: string, name: string, names: readonly string[]): boolean {
  return (names.length > 1 || !name.includes('/')) && matchesWhole(parseWildcard(pattern), name);
}

function findsSubject(rule: LoadedRule, pattern: string, resource: RequestedResource): boolean {
  const { commands, paths, addresses, names, texts, kind, folder, home } = resource;
  const base = baseOf(rule, resource) ?? { folder, home };
  const isKnown = commands.length + paths.length + addresses.length + names.length > 0;
  return (
    commands.some((command) => deniesCommand(pattern, command)) ||
    paths.some((path) => deniesPath(pattern, path, base)) ||
    addresses.some((address) => deniesUrl(pattern, address)) ||
    names.some((name) => fitsLoosely(pattern, name)) ||
    // The request is not understood: any of its texts may match.
    ((!isKnown || kind === 'other' || resource.isBlurred) && texts.some((text) => deniesCommand(pattern, text)))
  );
}

function baseOf(rule: LoadedRule, { realFolder, home }: RequestedResource): PathBase | undefined {
  const folder = rule.base ?? realFolder;
  return folder === undefined ? undefined : { folder, home };
}

function isInFolders({ folders, decision }: LoadedRule, { folder, realFolder }: RequestedResource): boolean {
  const locations = decision === 'allow' ? [realFolder] : [realFolder, folder];
  return folders.some((one) => locations.some((location) => location !== undefined && isWithin(one, location)));
}

function fitsLoosely(pattern: string, name: string): boolean {
  return matchesWhole(parseWildcard(pattern.toLowerCase()), name.toLowerCase());
}

function describeFurther(name: string): string {
  switch (name) {
    case 'elevated':
      return 'the request asks for more than a use of the tool, which the rule does not name (allowFields: ["elevated"])';
    case 'outside':
      return 'it affects a file outside of the session\'s folder, which the rule does not name (pattern, or allowFields: ["outside"])';
    case 'git':
      return 'it would change a file that can make git run a program, which the rule does not name (allowFields: ["git"])';
    case 'cwd':
      return 'it runs outside of the session\'s folder, which the rule does not name (allowFields: ["cwd"])';
    default:
      return `the request has "${name}", which the rule does not name (allowFields: ["${name}"])`;
  }
}
