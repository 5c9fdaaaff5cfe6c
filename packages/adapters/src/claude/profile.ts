import { z } from 'zod';
import { knownAgentFields, knownAgentProfile } from '../generic/known-agent.ts';
import { ClaudeAdapter } from './index.ts';

const ClaudeConfigSchema = z.strictObject({
  ...knownAgentFields('claude'),
  permission_mode: z.string().default(''),
  max_turns: z.int().min(0).default(0),
  allowed_tools: z.array(z.string().min(1)).default([]),
  system_prompt: z.string().default(''),
});

/** The name of a flag that people write where a mode belongs. */
const MODE_BY_FLAG: Readonly<Record<string, string>> = { 'dangerously-skip-permissions': 'bypassPermissions' };

export const claudeProfile = knownAgentProfile<z.infer<typeof ClaudeConfigSchema>>({
  profile: 'claude-code',
  key: 'claude_code',
  schema: ClaudeConfigSchema,
  Known: ClaudeAdapter,
  fill: ({ permission_mode, max_turns, allowed_tools, system_prompt }, options) => ({
    ...(permission_mode && !options.approvalModeGiven && !options.nativePermissionMode
      ? { nativePermissionMode: MODE_BY_FLAG[permission_mode] ?? permission_mode }
      : {}),
    ...(max_turns ? { maxTurns: options.maxTurns ?? max_turns } : {}),
    ...(allowed_tools.length > 0 ? { allowedTools: options.allowedTools ?? allowed_tools } : {}),
    ...(system_prompt ? { systemPrompt: options.systemPrompt ?? system_prompt } : {}),
  }),
});
