import type { PolicyDecision, PolicyVerdict, RememberedAnswer } from '../contract/policy.ts';
import type { ToolKind } from '../contract/tool-kinds.ts';
import { isWithin } from '../files/within.ts';
import { type LoadedRule, matchRule } from './match-rule.ts';
import type { RequestedResource } from './resource.ts';
import type { ShellKind } from './simple-command.ts';

/** Everything that decides about a request. */
export interface Policy {
  /** Rules of the user's file, in order. */
  user: readonly LoadedRule[];
  /** Rules of the project's file that may apply. */
  project: readonly LoadedRule[];
  remembered: readonly RememberedAnswer[];
  /** Why nothing is allowed, whatever the rules say: a file could not be read completely. */
  suspended: string | null;
}

const STRICTNESS: Readonly<Record<PolicyDecision, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * The first matching rule of each file applies, and the stricter one of both files. If no rule matches, a remembered
 * answer applies; otherwise the person is resource.
 */
export function decide(policy: Policy, resource: RequestedResource, shell: ShellKind): PolicyVerdict {
  const near: string[] = [];
  const found = [policy.user, policy.project].flatMap((rules) => {
    const rule = rules.find((one) => {
      const { matches, why } = matchRule(one, resource, shell);
      if (why !== undefined) near.push(`rule "${one.name}" does not apply: ${why}`);
      return matches;
    });
    return rule ? [rule] : [];
  });
  const rule = found.toSorted((a, b) => STRICTNESS[b.decision] - STRICTNESS[a.decision])[0] ?? null;
  const memory = findRemembered(policy.remembered, resource, shell);
  if (memory?.decision === 'deny' && rule?.decision !== 'deny') return ofMemory(memory);
  if (rule && (rule.decision !== 'allow' || policy.suspended === null)) {
    const { base: _, folders: __, ...plain } = rule;
    return { decision: rule.decision, rule: plain, remembered: null, reason: describeRule(rule) };
  }
  const nothing = { decision: 'ask', rule: null, remembered: null } as const;
  if (policy.suspended !== null) return { ...nothing, reason: `rules allow nothing: ${policy.suspended}` };
  if (memory) return ofMemory(memory);
  return { ...nothing, reason: ['no rule matches', ...near].join('; ') };
}

/** Remembered answers that cover this request: denials first. */
function findRemembered(
  all: readonly RememberedAnswer[],
  resource: RequestedResource,
  shell: ShellKind,
): RememberedAnswer | undefined {
  const fitting = all.filter((one) => isInScope(one, resource) && coversResource(one, resource, shell));
  return fitting.find(({ decision }) => decision === 'deny') ?? fitting[0];
}

function isInScope(
  { scope, sessionId, folder }: RememberedAnswer,
  { session: asking, realFolder }: RequestedResource,
): boolean {
  if (scope === 'session') return sessionId !== undefined && sessionId === asking;
  if (scope === 'project') return folder !== undefined && realFolder !== undefined && isWithin(folder, realFolder);
  return true;
}

export function coversResource(answer: RememberedAnswer, resource: RequestedResource, shell: ShellKind): boolean {
  const { agent, tool, kind, pattern, fingerprint, decision } = answer;
  if (agent !== resource.agent || tool !== resource.tool || kind !== resource.kind) return false;
  if (pattern === undefined) {
    const isSure = decision === 'deny' || (resource.isExact && !resource.isBlurred && !resource.touchesOwnFiles);
    return isSure && fingerprint === resource.fingerprint;
  }
  return matchRule(ruleOfPattern(answer.id, decision, kind, pattern), resource, shell).matches;
}

function ruleOfPattern(name: string, decision: PolicyDecision, kind: ToolKind, pattern: string): LoadedRule {
  const location = { source: 'user', file: '', line: 0, base: null, folders: [] } as const;
  return { ...location, name, decision, kind: [kind], pattern: [pattern] };
}

function ofMemory(remembered: RememberedAnswer): PolicyVerdict {
  const { decision, by, createdAt, scope } = remembered;
  const when = new Date(createdAt).toISOString();
  const where = { session: 'for this session', project: 'for this folder', global: 'for all folders' }[scope];
  const verb = decision === 'allow' ? 'allowed' : 'denied';
  return { decision, rule: null, remembered, reason: `${by} ${verb} it ${where} (${when})` };
}

function describeRule({ name, file, line, invalid }: LoadedRule): string {
  return `rule "${name}" (${file}:${line})${invalid ? ', which is invalid and therefore asks' : ''}`;
}
