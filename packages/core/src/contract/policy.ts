import type { ApprovalAnswer, ApprovalRequest } from './options.ts';
import type { ToolKind } from './tool-kinds.ts';

export const POLICY_DECISIONS = ['allow', 'ask', 'deny'] as const;
export type PolicyDecision = (typeof POLICY_DECISIONS)[number];

/** Criteria of a rule in a configuration file. An omitted field matches anything. */
export interface PolicyCriteria {
  /** Agent names. */
  agent?: readonly string[];
  kind?: readonly ToolKind[];
  /** The agent's own tool names; `*` matches any characters. */
  tool?: readonly string[];
  /** The requested resource: a command line, a path, an address, `server/tool`. `*` matches any characters. */
  pattern?: readonly string[];
  /** Sessions in one of these folders or below. */
  folder?: readonly string[];
  /** Additional request fields the rule permits; `elevated`: more than one tool call; `*`: anything. */
  allowFields?: readonly string[];
}

export interface PolicyRule extends PolicyCriteria {
  name: string;
  decision: PolicyDecision;
  source: 'user' | 'project';
  file: string;
  line: number;
  /** The rule is invalid. It falls back to "ask" and matches more broadly than written. */
  invalid?: true;
}

export const REMEMBER_SCOPES = ['session', 'project', 'global'] as const;
export type RememberScope = (typeof REMEMBER_SCOPES)[number];

/** An answer a person gave for future requests too. */
export interface RememberedAnswer {
  id: string;
  decision: 'allow' | 'deny';
  scope: RememberScope;
  /** With scope `session`. */
  sessionId?: string;
  /** With scope `project`. */
  folder?: string;
  agent: string;
  tool: string;
  kind: ToolKind;
  /** The requested resource, human-readable. */
  resource: string;
  /** Matches exactly this request. */
  fingerprint?: string;
  /** Matches this pattern instead. */
  pattern?: string;
  createdAt: number;
  by: string;
}

/** The decision and its reason. */
export interface PolicyVerdict {
  decision: PolicyDecision;
  /** The rule that decided; null: none. */
  rule: PolicyRule | null;
  /** The remembered answer that decided. */
  remembered: RememberedAnswer | null;
  /** Human-readable. */
  reason: string;
}

/** Decides requests before a person is asked. */
export interface ApprovalPolicy {
  /** Undefined: a person is asked. Never throws. */
  answer(
    request: Pick<ApprovalRequest, 'toolName' | 'kind' | 'title' | 'input' | 'elevated' | 'options'>,
    run: { agent: string; cwd: string; runId: string; isLocal: boolean },
  ): PolicyAnswer | undefined;
}

export interface PolicyAnswer {
  answer: ApprovalAnswer;
  /** Name of the rule, or `remembered ID`. */
  rule: string;
}
