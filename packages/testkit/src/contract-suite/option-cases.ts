import { basename } from 'node:path';
import {
  type AgentCapabilities,
  APPROVAL_MODES,
  type Attachment,
  type ResolvedRunOptions,
  SYSTEM_PROMPT_MODES,
  THINKING_EFFORTS,
} from '@agent-mux/core';
import { IMAGE, type Sandbox } from './sandbox.ts';
import { modelOf, type Subject } from './subject.ts';

/** Options that caller and adapter write in the same way. */
type CaseOptions = Partial<Omit<ResolvedRunOptions, 'attachments' | 'retryPolicy'>> & {
  attachments?: Required<Attachment>[];
};

/** An option that needs a capability, and its visible effect. */
export interface OptionCase {
  /** Its name in sentences. */
  name: string;
  /** The option that the refusal names. */
  option: string;
  options(place: Sandbox, subject: Subject): CaseOptions;
  declared(capabilities: AgentCapabilities): boolean;
  /** Handled by the engine, so the adapter never sees it. */
  byEngine?(capabilities: AgentCapabilities): boolean;
  /** One of these texts must be in the launch. Without: any difference is enough. */
  carries?(place: Sandbox, subject: Subject): readonly string[];
  /** A live codec may keep it, to answer the agent's requests with it. */
  mayBeKept?: boolean;
  /** May be refused in this form with a CapabilityError, even if the capability is declared. */
  mayBeRefused?: boolean;
}

const SESSION_ID = '7d4a1c52-6f0b-4e3d-9b8a-2c5e1f7a6d90';
export const MCP_SECRET = 'contract-mcp-secret-4711';
const SYSTEM_PROMPT = 'Answer in the manner of the contract.';
const SCHEMA = {
  type: 'object',
  properties: { contractAnswer: { type: 'string' } },
  required: ['contractAnswer'],
  additionalProperties: false,
};

export function attach(path: string, mimeType: string): Required<Attachment> {
  return { path, mimeType, name: basename(path) };
}

export const OPTION_CASES: readonly OptionCase[] = [
  {
    name: 'model',
    option: 'model',
    options: (_, subject) => ({ model: modelOf(subject) }),
    declared: (c) => c.supportsModelSelection,
    carries: (_, subject) => [modelOf(subject), modelOf(subject).replace(/^[^/]*\//, '')],
  },
  ...THINKING_EFFORTS.map(
    (thinkingEffort): OptionCase => ({
      name: `thinkingEffort "${thinkingEffort}"`,
      option: 'thinkingEffort',
      options: () => ({ thinkingEffort }),
      declared: (c) => c.thinkingEfforts.includes(thinkingEffort),
    }),
  ),
  {
    name: 'thinkingBudgetTokens',
    option: 'thinkingBudgetTokens',
    options: () => ({ thinkingBudgetTokens: 4321 }),
    declared: (c) => c.supportsThinkingBudgetTokens,
    carries: () => ['4321'],
    // Not every model has one.
    mayBeRefused: true,
  },
  {
    name: 'thinkingOverride',
    option: 'thinkingOverride',
    options: () => ({ thinkingOverride: { contract_thinking: 'native' } }),
    declared: (c) => c.supportsThinkingOverride,
    carries: () => ['contract_thinking'],
  },
  ...SYSTEM_PROMPT_MODES.map(
    (systemPromptMode): OptionCase => ({
      name: `systemPrompt with mode "${systemPromptMode}"`,
      option: 'systemPromptMode',
      options: () => ({ systemPrompt: SYSTEM_PROMPT, systemPromptMode }),
      declared: (c) => c.systemPrompt[systemPromptMode] !== undefined,
      byEngine: (c) => c.systemPrompt[systemPromptMode] === 'prefix',
      carries: () => [SYSTEM_PROMPT],
    }),
  ),
  {
    name: 'sessionId',
    option: 'sessionId',
    options: () => ({ sessionId: SESSION_ID }),
    declared: (c) => c.canResume,
    carries: () => [SESSION_ID],
  },
  {
    name: 'forkSessionId',
    option: 'forkSessionId',
    options: () => ({ forkSessionId: SESSION_ID }),
    declared: (c) => c.canFork,
    carries: () => [SESSION_ID],
  },
  {
    name: 'noSession',
    option: 'noSession',
    options: () => ({ noSession: true }),
    declared: (c) => c.canRunWithoutSession,
  },
  {
    name: 'maxTurns',
    option: 'maxTurns',
    options: () => ({ maxTurns: 37 }),
    declared: (c) => c.supportsMaxTurns,
    carries: () => ['37'],
  },
  {
    name: 'allowedTools',
    option: 'allowedTools',
    options: (_, { fixtures }) => ({ allowedTools: [fixtures.tool ?? 'bash'] }),
    declared: (c) => c.supportsAllowedTools,
    mayBeKept: true,
  },
  {
    name: 'deniedTools',
    option: 'deniedTools',
    options: (_, { fixtures }) => ({ deniedTools: [fixtures.tool ?? 'bash'] }),
    declared: (c) => c.supportsDeniedTools,
    mayBeKept: true,
  },
  {
    name: 'mcpServers over stdio',
    option: 'mcpServers',
    options: () => ({
      mcpServers: { contract: { command: 'contract-mcp', args: ['--stdio'], env: { CONTRACT_TOKEN: MCP_SECRET } } },
    }),
    declared: (c) => c.supportsMCP,
    carries: () => ['contract-mcp'],
  },
  ...(['http', 'sse'] as const).map(
    (type): OptionCase => ({
      name: `mcpServers over ${type}`,
      option: 'mcpServers',
      options: () => ({
        mcpServers: {
          contract: { type, url: 'http://127.0.0.1:9/contract-mcp', headers: { authorization: MCP_SECRET } },
        },
      }),
      declared: (c) => c.supportsMCP,
      carries: () => ['contract-mcp'],
      mayBeRefused: true,
    }),
  ),
  {
    name: 'skills',
    option: 'skills',
    options: ({ skill }) => ({ skills: [skill] }),
    declared: (c) => c.supportsSkills,
    carries: ({ skill }) => [skill],
  },
  {
    name: 'addDirs',
    option: 'addDirs',
    options: ({ folder }) => ({ addDirs: [folder] }),
    declared: (c) => c.supportsAddDirs,
    carries: ({ folder }) => [folder],
  },
  {
    name: 'attachments with an image',
    option: 'attachments',
    options: ({ image }) => ({ attachments: [attach(image, 'image/png')] }),
    declared: (c) => c.supportsImageInput || c.supportsFileAttachments,
    carries: ({ image }) => [image, IMAGE],
  },
  {
    name: 'attachments with a file',
    option: 'attachments',
    options: ({ notes }) => ({ attachments: [attach(notes, 'text/plain')] }),
    declared: (c) => c.supportsFileAttachments,
    carries: ({ notes }) => [notes],
  },
  {
    name: 'outputSchema',
    option: 'outputSchema',
    options: () => ({ outputSchema: SCHEMA }),
    declared: (c) => c.supportsStructuredOutput,
    carries: () => ['contractAnswer'],
  },
  {
    name: 'interactive',
    option: 'interactive',
    options: () => ({ interactive: true }),
    declared: (c) => c.supportsMultiTurn,
    byEngine: () => true,
  },
];

/** Compared with each other and not with a run without options, since one of them always applies. */
export const APPROVAL_CASES: readonly OptionCase[] = APPROVAL_MODES.map((approvalMode) => ({
  name: `approvalMode "${approvalMode}"`,
  option: 'approvalMode',
  options: () => ({ approvalMode }),
  declared: (c) => c.approvalModes.includes(approvalMode),
}));
