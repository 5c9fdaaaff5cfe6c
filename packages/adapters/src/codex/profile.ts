import { APPROVAL_MODES } from '@agent-mux/core';
import { z } from 'zod';
import { explicitPermissions, isApprovalMode, knownAgentFields, knownAgentProfile } from '../generic/known-agent.ts';
import { codexAdapter } from './index.ts';
import { APPROVAL_POLICIES, permissionsFor, SANDBOX_MODES } from './permissions.ts';

const CodexConfigSchema = z
  .strictObject({
    ...knownAgentFields(codexAdapter),
    /** A policy of Codex, or an approval mode of agent-mux. */
    approval_mode: z.enum(['', ...APPROVAL_POLICIES, ...APPROVAL_MODES]).default(''),
    sandbox_mode: z.enum(['', ...SANDBOX_MODES]).default(''),
  })
  .refine(({ approval_mode, sandbox_mode }) => sandbox_mode === '' || !isApprovalMode(approval_mode), {
    path: ['sandbox_mode'],
    message: `cannot be combined with an approval_mode of agent-mux; use one of: ${APPROVAL_POLICIES.join(', ')}`,
  });

export const codexProfile = knownAgentProfile<z.infer<typeof CodexConfigSchema>>({
  profile: 'codex',
  key: 'codex',
  schema: CodexConfigSchema,
  known: codexAdapter,
  fill: ({ approval_mode, sandbox_mode }, options) => {
    if (explicitPermissions(options) || isApprovalMode(approval_mode) || !(approval_mode || sandbox_mode)) return {};
    // The unset one is as for `prompt`.
    const { approvalPolicy, sandbox } = permissionsFor('prompt');
    return { nativePermissionMode: `${approval_mode || approvalPolicy}/${sandbox_mode || sandbox}` };
  },
});
