import { APPROVAL_MODES } from '@agent-mux/core';
import { z } from 'zod';
import { isApprovalMode, knownAgentFields, knownAgentProfile, permissionsGiven } from '../generic/known-agent.ts';
import { codexAdapter } from './index.ts';
import { APPROVAL_POLICIES, permissionsFor, SANDBOX_MODES } from './permissions.ts';

const CodexConfigSchema = z
  .strictObject({
    ...knownAgentFields(codexAdapter),
    /** A policy of Codex, or a word of agent-mux. */
    approval_mode: z.enum(['', ...APPROVAL_POLICIES, ...APPROVAL_MODES]).default(''),
    sandbox_mode: z.enum(['', ...SANDBOX_MODES]).default(''),
  })
  .refine(({ approval_mode, sandbox_mode }) => sandbox_mode === '' || !isApprovalMode(approval_mode), {
    path: ['sandbox_mode'],
    message: `cannot stand beside an approval_mode of agent-mux, which has its own; there are: ${APPROVAL_POLICIES.join(', ')}`,
  });

export const codexProfile = knownAgentProfile<z.infer<typeof CodexConfigSchema>>({
  profile: 'codex',
  key: 'codex',
  schema: CodexConfigSchema,
  known: codexAdapter,
  fill: ({ approval_mode, sandbox_mode }, options) => {
    if (permissionsGiven(options) || isApprovalMode(approval_mode) || !(approval_mode || sandbox_mode)) return {};
    // The one that is not named is as it would be for `prompt`.
    const { approvalPolicy, sandbox } = permissionsFor('prompt');
    return { nativePermissionMode: `${approval_mode || approvalPolicy}/${sandbox_mode || sandbox}` };
  },
});
