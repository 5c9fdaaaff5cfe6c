import type { PolicyDecision, PolicyVerdict, RememberedAnswer } from '../contract/policy.ts';
import type { ToolKind } from '../contract/tool-kinds.ts';
import { isWithin } from '../files/within.ts';
import { type LoadedRule, matchRule } from './match-rule.ts';
import type { ShellKind } from './simple-command.ts';
import type { Asked } from './what-is-asked.ts';

/** All that decides. */
export interface Policy {
  /** Of the user's file, in its order. */
  user: readonly LoadedRule[];
  /** Of the project's: what may count of it. */
  project: readonly LoadedRule[];
  remembered: readonly RememberedAnswer[];
  /** Why nothing is allowed, whatever the rules say: a file could not be read as a whole. */
  suspended: string | null;
}

const STRICTNESS: Readonly<Record<PolicyDecision, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * In each file the first rule that matches counts, and of the two files the stricter one. Where no rule matches, what a person
 * has answered before; where there is nothing of that either, the person is asked.
 */
export function decide(policy: Policy, asked: Asked, shell: ShellKind): PolicyVerdict {
  const near: string[] = [];
  const found = [policy.user, policy.project].flatMap((rules) => {
    const rule = rules.find((one) => {
      const { matches, why } = matchRule(one, asked, shell);
      if (why !== undefined) near.push(`rule "${one.name}" does not count: ${why}`);
      return matches;
    });
    return rule ? [rule] : [];
  });
  const rule = found.toSorted((a, b) => STRICTNESS[b.decision] - STRICTNESS[a.decision])[0] ?? null;
  const memory = findRemembered(policy.remembered, asked, shell);
  if (memory?.decision === 'deny' && rule?.decision !== 'deny') return ofMemory(memory);
  if (rule && (rule.decision !== 'allow' || policy.suspended === null)) {
    const { base: _, folders: __, ...plain } = rule;
    return { decision: rule.decision, rule: plain, remembered: null, reason: describeRule(rule) };
  }
  const nothing = { decision: 'ask', rule: null, remembered: null } as const;
  if (policy.suspended !== null) return { ...nothing, reason: `nothing is allowed by rules: ${policy.suspended}` };
  if (memory) return ofMemory(memory);
  return { ...nothing, reason: ['no rule matches', ...near].join('; ') };
}

/** What a person answered, and means this request too: a denial before anything else. */
function findRemembered(
  all: readonly RememberedAnswer[],
  asked: Asked,
  shell: ShellKind,
): RememberedAnswer | undefined {
  const fitting = all.filter((one) => isInScope(one, asked) && coversAsked(one, asked, shell));
  return fitting.find(({ decision }) => decision === 'deny') ?? fitting[0];
}

function isInScope({ scope, session, folder }: RememberedAnswer, { session: asking, realFolder }: Asked): boolean {
  if (scope === 'session') return session !== undefined && session === asking;
  if (scope === 'project') return folder !== undefined && realFolder !== undefined && isWithin(folder, realFolder);
  return true;
}

export function coversAsked(answer: RememberedAnswer, asked: Asked, shell: ShellKind): boolean {
  const { agent, tool, kind, pattern, fingerprint, decision } = answer;
  if (agent !== asked.agent || tool !== asked.tool || kind !== asked.kind) return false;
  if (pattern === undefined) {
    const isSure = decision === 'deny' || (asked.isExact && !asked.isBlurred && !asked.touchesOwnFiles);
    return isSure && fingerprint === asked.fingerprint;
  }
  return matchRule(ruleOfPattern(answer.id, decision, kind, pattern), asked, shell).matches;
}

function ruleOfPattern(name: string, decision: PolicyDecision, kind: ToolKind, pattern: string): LoadedRule {
  const place = { source: 'user', file: '', line: 0, base: null, folders: [] } as const;
  return { ...place, name, decision, kind: [kind], pattern: [pattern] };
}

function ofMemory(remembered: RememberedAnswer): PolicyVerdict {
  const { decision, by, at, scope } = remembered;
  const when = new Date(at).toISOString();
  const where = { session: 'for this session', project: 'for this folder', everywhere: 'everywhere' }[scope];
  const verb = decision === 'allow' ? 'allowed' : 'denied';
  return { decision, rule: null, remembered, reason: `${by} ${verb} it ${where} (${when})` };
}

function describeRule({ name, file, line, faulty }: LoadedRule): string {
  return `rule "${name}" (${file}:${line})${faulty ? ', which has a fault and so asks' : ''}`;
}
