import { join } from 'node:path';
import { type AgentCapabilities, type ResolvedRunOptions, SYSTEM_PROMPT_MODES } from '@agent-mux/core';
import { attach } from './option-cases.ts';
import type { Sandbox } from './sandbox.ts';
import { modelOf, type Subject } from './subject.ts';

/** Input that a repository, a web page or an attacker would write where a value is expected. */
export const HOSTILE: readonly string[] = [
  '--hostile-flag',
  '-h',
  '--settings=hostile.json',
  'two words',
  'one,--two',
  `it's "quoted"`,
  'a\n--hostile-flag',
  'a\r\nb: c',
  'nul\0nul',
  '\u001b[31mred\u0007',
  '\u007f',
  '../../up',
  '/absolute/path',
  '$(touch x)',
  '`touch x`; touch y | touch z',
  '$HOME %s %n',
  '!touch x',
  '@notes.txt',
  'a=b',
  'a: b # c',
  '"]\n[[rule]]\nx = "',
  `${'very long '.repeat(6000)}end`,
];

/** An option that accepts foreign text, with a harmless and a hostile value at the same position. */
export interface HostileCase {
  name: string;
  /** The option that a refusal names. */
  option: string;
  declared(capabilities: AgentCapabilities): boolean;
  harmless(place: Sandbox, subject: Subject): string;
  options(value: string, place: Sandbox, subject: Subject): Partial<ResolvedRunOptions>;
}

const SESSION_ID = '7d4a1c52-6f0b-4e3d-9b8a-2c5e1f7a6d90';
const plainWord = () => 'harmless';

/** A path as the engine passes it: below some folder, absolute. */
const named = (folder: string, value: string) => join(folder, value);

export const HOSTILE_CASES: readonly HostileCase[] = [
  {
    name: 'model',
    option: 'model',
    declared: (c) => c.supportsModelSelection,
    harmless: (_, subject) => modelOf(subject),
    options: (model) => ({ model }),
  },
  {
    name: 'nativePermissionMode',
    option: 'nativePermissionMode',
    declared: () => true,
    harmless: plainWord,
    options: (nativePermissionMode) => ({ nativePermissionMode }),
  },
  {
    name: 'sessionId',
    option: 'sessionId',
    declared: (c) => c.canResume,
    harmless: () => SESSION_ID,
    options: (sessionId) => ({ sessionId }),
  },
  {
    name: 'forkSessionId',
    option: 'forkSessionId',
    declared: (c) => c.canFork,
    harmless: () => SESSION_ID,
    options: (forkSessionId) => ({ forkSessionId }),
  },
  ...(['allowedTools', 'deniedTools'] as const).map(
    (option): HostileCase => ({
      name: option,
      option,
      declared: (c) => (option === 'allowedTools' ? c.supportsAllowedTools : c.supportsDeniedTools),
      harmless: plainWord,
      // Between two others: it must neither swallow the next nor be swallowed by the previous one.
      options: (tool, _, { fixtures }) => ({ [option]: [fixtures.tool ?? 'bash', tool, 'other_tool'] }),
    }),
  ),
  ...SYSTEM_PROMPT_MODES.map(
    (systemPromptMode): HostileCase => ({
      name: `systemPrompt with mode "${systemPromptMode}"`,
      option: 'systemPrompt',
      declared: (c) => c.systemPrompt[systemPromptMode] === 'native',
      harmless: plainWord,
      options: (systemPrompt) => ({ systemPrompt, systemPromptMode }),
    }),
  ),
  {
    name: 'prompt',
    option: 'prompt',
    declared: () => true,
    harmless: () => 'say hello',
    options: (prompt) => ({ prompt }),
  },
  {
    name: 'cwd',
    option: 'cwd',
    declared: () => true,
    harmless: plainWord,
    options: (value, { root }) => ({ cwd: named(root, value) }),
  },
  {
    name: 'addDirs',
    option: 'addDirs',
    declared: (c) => c.supportsAddDirs,
    harmless: plainWord,
    options: (value, { root, folder }) => ({ addDirs: [folder, named(root, value), root] }),
  },
  {
    name: 'skills',
    option: 'skills',
    declared: (c) => c.supportsSkills,
    harmless: plainWord,
    options: (value, { root, skill }) => ({ skills: [skill, named(root, value)] }),
  },
  {
    name: 'attachments with a file',
    option: 'attachments',
    declared: (c) => c.supportsFileAttachments,
    harmless: plainWord,
    options: (value, { root }) => ({ attachments: [attach(named(root, value), 'text/plain')] }),
  },
  {
    name: 'the command of an MCP server',
    option: 'mcpServers',
    declared: (c) => c.supportsMCP,
    harmless: plainWord,
    options: (command) => ({ mcpServers: { contract: { command, args: ['a'] } } }),
  },
  {
    name: 'arguments of an MCP server',
    option: 'mcpServers',
    declared: (c) => c.supportsMCP,
    harmless: plainWord,
    options: (value) => ({ mcpServers: { contract: { command: 'contract-mcp', args: ['a', value, 'b'] } } }),
  },
  {
    name: 'the name of an MCP server',
    option: 'mcpServers',
    declared: (c) => c.supportsMCP,
    harmless: plainWord,
    options: (value) => ({ mcpServers: { [value]: { command: 'contract-mcp' } } }),
  },
  {
    name: 'outputSchema',
    option: 'outputSchema',
    declared: (c) => c.supportsStructuredOutput,
    harmless: plainWord,
    options: (description) => ({ outputSchema: { type: 'object', description, properties: { [description]: {} } } }),
  },
  {
    name: 'thinkingOverride',
    option: 'thinkingOverride',
    declared: (c) => c.supportsThinkingOverride,
    harmless: plainWord,
    options: (value) => ({ thinkingOverride: { contract_thinking: value } }),
  },
  {
    name: 'a key of thinkingOverride',
    option: 'thinkingOverride',
    declared: (c) => c.supportsThinkingOverride,
    harmless: plainWord,
    options: (value) => ({ thinkingOverride: { [value]: 'x' } }),
  },
];
