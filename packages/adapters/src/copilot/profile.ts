import type { ResolvedRunOptions } from '@agent-mux/core';
import { z } from 'zod';
import { explicitPermissions, knownAgentFields, knownAgentProfile } from '../generic/known-agent.ts';
import { copilotAdapter } from './index.ts';

const CopilotConfigSchema = z.strictObject({
  ...knownAgentFields(copilotAdapter),
  allowed_tools: z.array(z.string().min(1)).default([]),
  denied_tools: z.array(z.string().min(1)).default([]),
});
type CopilotConfig = z.infer<typeof CopilotConfigSchema>;

export const copilotProfile = knownAgentProfile<CopilotConfig>({
  profile: 'github-copilot',
  key: 'copilot',
  schema: CopilotConfigSchema,
  known: copilotAdapter,
  fill: (config, options) => {
    const { allowed_tools, denied_tools } = config;
    return {
      ...(allowed_tools.length + denied_tools.length > 0 ? listsHonoured(config, options) : {}),
      ...(allowed_tools.length > 0 ? { allowedTools: options.allowedTools ?? allowed_tools } : {}),
      ...(denied_tools.length > 0
        ? { deniedTools: [...new Set([...denied_tools, ...(options.deniedTools ?? [])])] }
        : {}),
    };
  },
});

/**
 * Lists of tools take effect only in mode `json`, which cannot ask (1.0.102): by default, a definition with such lists
 * runs there, and everything they do not allow is denied.
 */
function listsHonoured(
  { mode, approval_mode }: CopilotConfig,
  options: ResolvedRunOptions,
): Partial<ResolvedRunOptions> {
  return {
    ...(mode === '' && !options.modeGiven ? { mode: 'json' } : {}),
    ...(approval_mode === '' && !explicitPermissions(options) ? { approvalMode: 'deny' as const } : {}),
  };
}
