import type { ApprovalAnswer, ApprovalRequest } from './options.ts';
import type { ToolKind } from './tool-kinds.ts';

export const POLICY_DECISIONS = ['allow', 'ask', 'deny'] as const;
export type PolicyDecision = (typeof POLICY_DECISIONS)[number];

/** What a rule of a configuration file is about. Whatever it does not name may be anything. */
export interface PolicyCriteria {
  /** Names of agents. */
  agent?: readonly string[];
  kind?: readonly ToolKind[];
  /** The agent's own names of its tools; `*` stands for any characters. */
  tool?: readonly string[];
  /** On what is asked: a command line, a path, an address, `server/tool`. `*` stands for any characters. */
  pattern?: readonly string[];
  /** Sessions in one of these folders, or below. */
  folder?: readonly string[];
  /** What else a request may ask for, by the names of its fields; `beyond`: more than a use of the tool; `*`: anything. */
  also?: readonly string[];
}

export interface PolicyRule extends PolicyCriteria {
  name: string;
  decision: PolicyDecision;
  source: 'user' | 'project';
  file: string;
  line: number;
  /** It has a fault: whatever it was to say, it asks, and about more than it would have. */
  faulty?: true;
}

export const REMEMBER_SCOPES = ['session', 'project', 'everywhere'] as const;
export type RememberScope = (typeof REMEMBER_SCOPES)[number];

/** An answer that a person gave for the next time too. */
export interface RememberedAnswer {
  id: string;
  decision: 'allow' | 'deny';
  scope: RememberScope;
  /** Of scope `session`. */
  session?: string;
  /** Of scope `project`. */
  folder?: string;
  agent: string;
  tool: string;
  kind: ToolKind;
  /** What was asked, to be read. */
  asked: string;
  /** What counts: exactly this. */
  fingerprint?: string;
  /** In its place: whatever looks like this. */
  pattern?: string;
  at: number;
  by: string;
}

/** What would happen, and why. */
export interface PolicyVerdict {
  decision: PolicyDecision;
  /** The rule that decided; null: none did. */
  rule: PolicyRule | null;
  /** The answer of a person that decided. */
  remembered: RememberedAnswer | null;
  /** In words, for people. */
  reason: string;
}

/** What decides before a person is asked. */
export interface ApprovalPolicy {
  /** Undefined: a person is asked. Never throws. */
  answer(
    request: Pick<ApprovalRequest, 'toolName' | 'kind' | 'title' | 'input' | 'beyond' | 'options'>,
    run: { agent: string; cwd: string; runId: string; isLocal: boolean },
  ): PolicyAnswer | undefined;
}

export interface PolicyAnswer {
  answer: ApprovalAnswer;
  /** The name of the rule, or `remembered ID`. */
  rule: string;
}
