import { z } from 'zod';
import { knownAgentFields, knownAgentProfile } from '../generic/known-agent.ts';
import { CodexAdapter } from './index.ts';
import { APPROVAL_POLICIES, permissionsFor, SANDBOX_MODES } from './permissions.ts';

const CodexConfigSchema = z.strictObject({
  ...knownAgentFields('codex'),
  approval_mode: z.enum(['', ...APPROVAL_POLICIES]).default(''),
  sandbox_mode: z.enum(['', ...SANDBOX_MODES]).default(''),
});

export const codexProfile = knownAgentProfile<z.infer<typeof CodexConfigSchema>>({
  profile: 'codex',
  key: 'codex',
  schema: CodexConfigSchema,
  Known: CodexAdapter,
  fill: ({ approval_mode, sandbox_mode }, options) => {
    if (options.approvalModeGiven || options.nativePermissionMode || !(approval_mode || sandbox_mode)) return {};
    // The one that is not named is as it would be for `prompt`.
    const { approvalPolicy, sandbox } = permissionsFor('prompt');
    return { nativePermissionMode: `${approval_mode || approvalPolicy}/${sandbox_mode || sandbox}` };
  },
});
