import { z } from 'zod';
import { explicitPermissions, knownAgentFields, knownAgentProfile } from '../generic/known-agent.ts';
import { claudeAdapter } from './index.ts';

const ClaudeConfigSchema = z
  .strictObject({
    ...knownAgentFields(claudeAdapter),
    permission_mode: z.string().default(''),
    max_turns: z.int().min(0).default(0),
    allowed_tools: z.array(z.string().min(1)).default([]),
    system_prompt: z.string().default(''),
  })
  .refine(({ permission_mode, approval_mode }) => permission_mode === '' || approval_mode === '', {
    path: ['approval_mode'],
    message: 'conflicts with permission_mode; set only one of them',
  });

/** A flag name that people use instead of a mode. */
const MODE_BY_FLAG: Readonly<Record<string, string>> = { 'dangerously-skip-permissions': 'bypassPermissions' };

export const claudeProfile = knownAgentProfile<z.infer<typeof ClaudeConfigSchema>>({
  profile: 'claude-code',
  key: 'claude_code',
  schema: ClaudeConfigSchema,
  known: claudeAdapter,
  fill: ({ permission_mode, max_turns, allowed_tools, system_prompt }, options) => ({
    ...(permission_mode && !explicitPermissions(options)
      ? { nativePermissionMode: MODE_BY_FLAG[permission_mode] ?? permission_mode }
      : {}),
    ...(max_turns ? { maxTurns: options.maxTurns ?? max_turns } : {}),
    ...(allowed_tools.length > 0 ? { allowedTools: options.allowedTools ?? allowed_tools } : {}),
    ...(system_prompt ? { systemPrompt: options.systemPrompt ?? system_prompt } : {}),
  }),
});
