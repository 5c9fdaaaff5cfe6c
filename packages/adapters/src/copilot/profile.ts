import { z } from 'zod';
import { knownAgentFields, knownAgentProfile } from '../generic/known-agent.ts';
import { CopilotAdapter } from './index.ts';

const CopilotConfigSchema = z.strictObject({
  ...knownAgentFields('copilot'),
  allowed_tools: z.array(z.string().min(1)).default([]),
  denied_tools: z.array(z.string().min(1)).default([]),
});

export const copilotProfile = knownAgentProfile<z.infer<typeof CopilotConfigSchema>>({
  profile: 'github-copilot',
  key: 'copilot',
  schema: CopilotConfigSchema,
  Known: CopilotAdapter,
  fill: ({ allowed_tools, denied_tools }, options) => ({
    ...(allowed_tools.length > 0 ? { allowedTools: options.allowedTools ?? allowed_tools } : {}),
    ...(denied_tools.length > 0 ? { deniedTools: options.deniedTools ?? denied_tools } : {}),
  }),
});
