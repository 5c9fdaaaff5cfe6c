import { type ApprovalMode, withoutEnding } from '@agent-mux/core';
import { entryOf, records, text } from '../shared/json.ts';

export type RuleAction = 'allow' | 'ask' | 'deny';

/** As the server has it; of the matching rules, the last one wins. */
export interface PermissionRule {
  permission: string;
  pattern: string;
  action: RuleAction;
}

/** Reading, thinking and asking: none of it changes anything. */
const HARMLESS = [
  'read',
  'glob',
  'grep',
  'list',
  'semantic_search',
  'todoread',
  'todowrite',
  'question',
  'skill',
  'lsp',
];

/** The user's own rules decide these in every mode: secrets, folders outside the project, loops. */
const LEFT_TO_THE_USER: ReadonlySet<string> = new Set(['read', 'external_directory', 'doom_loop']);

/** All edits (`edit`, `write`, `apply_patch`) have one permission. */
const PERMISSION_OF_TOOL: Readonly<Record<string, string>> = { write: 'edit', apply_patch: 'edit', multiedit: 'edit' };

const MODES: Readonly<Record<ApprovalMode, Readonly<Record<string, RuleAction>>>> = {
  prompt: { '*': 'ask', ...allow(HARMLESS) },
  'accept-edits': { '*': 'ask', ...allow(HARMLESS), edit: 'allow' },
  // Requested, and refused by the engine: so the stream reports the denial, and the model can continue.
  deny: { '*': 'ask', ...allow(HARMLESS) },
  plan: { '*': 'deny', ...allow(HARMLESS) },
  yolo: { '*': 'allow' },
};

/** The same for a process that cannot ask: requests are denied. */
export function unaskedPermissions(mode: ApprovalMode, deniedTools: readonly string[]): Record<string, RuleAction> {
  const table = Object.entries(MODES[mode]).map(([key, action]) => [key, action === 'ask' ? 'deny' : action] as const);
  return {
    ...Object.fromEntries(table),
    ...Object.fromEntries(deniedTools.map((tool) => [permissionOf(tool), 'deny'])),
  };
}

export interface RuleRequest {
  mode: ApprovalMode;
  /** The configured rules of the agent: built-in ones, then the user's. */
  agentRules: readonly PermissionRule[];
  /** Permissions that each subagent has without asking, by name. */
  subagents: Readonly<Record<string, readonly string[]>>;
  deniedTools: readonly string[];
  addDirs: readonly string[];
}

/**
 * The rules of a session. They override those of the agent, so each of those is repeated: a denial stays a denial,
 * decisions left to the user stay unchanged, and the mode decides everything else. They do not reach the sessions of
 * subagents (seen with both CLIs: only denials are inherited, and rules that a session gets while it works are
 * ignored). So a subagent that may do without asking what needs approval here is not started.
 */
export function sessionRules({ mode, agentRules, subagents, deniedTools, addDirs }: RuleRequest): PermissionRule[] {
  const own = Object.entries(MODES[mode]).map(([permission, action]) => rule(permission, '*', action));
  const rules = [...own];
  for (const agentRule of agentRules) {
    if (agentRule.action === 'deny' || LEFT_TO_THE_USER.has(agentRule.permission)) rules.push(agentRule);
    else if (agentRule.permission.includes('*')) rules.push(...own);
    else rules.push(rule(agentRule.permission, agentRule.pattern, evaluate(own, agentRule.permission, '*')));
  }
  for (const folder of addDirs) rules.push(rule('external_directory', `${withoutEnding(folder, '/\\')}/*`, 'allow'));
  for (const [name, unasked] of Object.entries(subagents)) {
    if (unasked.some((permission) => evaluate(own, permission, '*') !== 'allow'))
      rules.push(rule('task', name, 'deny'));
  }
  for (const tool of deniedTools) rules.push(rule(permissionOf(tool), '*', 'deny'));
  return withoutRepeats(rules);
}

/** The last matching rule; without one the server asks. */
export function evaluate(rules: readonly PermissionRule[], permission: string, pattern: string): RuleAction {
  const found = rules.findLast((one) => matches(one.permission, permission) && matches(one.pattern, pattern));
  return found?.action ?? 'ask';
}

export function readRules(value: unknown): PermissionRule[] {
  return records(value).flatMap(({ permission, pattern, action }): PermissionRule[] =>
    typeof permission === 'string' &&
    typeof pattern === 'string' &&
    (action === 'allow' || action === 'ask' || action === 'deny')
      ? [{ permission, pattern, action }]
      : [],
  );
}

/** The rules of the named agent in the answer of `GET /agent`. */
export function rulesOfAgent(agents: unknown, name: string): PermissionRule[] {
  const agent = records(agents).find((one) => text(one.name) === name);
  return readRules(agent?.permission);
}

/** Agents that others may start: which permissions they have for everything, by their own rules. */
export function subagentsOf(agents: unknown): Record<string, string[]> {
  const subagents = records(agents).filter(({ mode }) => mode !== 'primary');
  return Object.fromEntries(
    subagents.map(({ name, permission }) => [text(name) ?? '', unaskedOf(readRules(permission))]),
  );
}

function unaskedOf(rules: readonly PermissionRule[]): string[] {
  const from = rules.findLastIndex(({ permission, pattern }) => permission === '*' && pattern === '*');
  const counting = rules.slice(Math.max(0, from));
  const free = counting.filter(({ permission, pattern, action }, i) => {
    if (action !== 'allow' || pattern !== '*' || LEFT_TO_THE_USER.has(permission)) return false;
    return !counting.slice(i + 1).some((later) => later.permission === permission && later.pattern === '*');
  });
  return free.map(({ permission }) => permission);
}

export function endsWith(rules: readonly PermissionRule[], tail: readonly PermissionRule[]): boolean {
  const from = rules.length - tail.length;
  return from >= 0 && tail.every((one, i) => same(one, rules[from + i]!));
}

function permissionOf(tool: string): string {
  return entryOf(PERMISSION_OF_TOOL, tool) ?? tool;
}

function allow(names: readonly string[]): Record<string, RuleAction> {
  return Object.fromEntries(names.map((name) => [name, 'allow']));
}

function rule(permission: string, pattern: string, action: RuleAction): PermissionRule {
  return { permission, pattern, action };
}

function same(a: PermissionRule, b: PermissionRule): boolean {
  return a.permission === b.permission && a.pattern === b.pattern && a.action === b.action;
}

/** Of equal rules the last one wins anyway. */
function withoutRepeats(rules: readonly PermissionRule[]): PermissionRule[] {
  return rules.filter((one, i) => !rules.slice(i + 1).some((later) => same(one, later)));
}

function matches(glob: string, value: string): boolean {
  if (glob === '*') return true;
  if (!/[*?]/.test(glob)) return glob === value;
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(value);
}
