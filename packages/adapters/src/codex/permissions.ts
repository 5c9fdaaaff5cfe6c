import type { ApprovalMode, ResolvedRunOptions } from '@agent-mux/core';

export const APPROVAL_POLICIES = ['untrusted', 'on-request', 'never'] as const;
export const SANDBOX_MODES = ['read-only', 'workspace-write', 'danger-full-access'] as const;
type SandboxMode = (typeof SANDBOX_MODES)[number];

/** Codex has two permission settings; null leaves one to the user's own configuration. */
interface Permissions {
  approvalPolicy: string | null;
  sandbox: string | null;
}

/**
 * Each was tested with 0.166 on `exec_command`, `apply_patch` and MCP tools. `untrusted` asks before each of them, even
 * if the sandbox would allow it. Accepted calls still run in the sandbox; if that refuses, Codex retries outside of it,
 * but it does not always notice the refusal: hence `workspace-write` for `prompt`. `on-request` runs commands in the
 * sandbox and asks only to leave it, so it fits neither `prompt` nor `accept-edits` (there the codec accepts the
 * patches, see approvals.ts); with a read-only sandbox it fits `deny`.
 */
const BY_MODE: Readonly<Record<ApprovalMode, Permissions>> = {
  prompt: { approvalPolicy: 'untrusted', sandbox: 'workspace-write' },
  'accept-edits': { approvalPolicy: 'untrusted', sandbox: 'workspace-write' },
  plan: { approvalPolicy: 'never', sandbox: 'read-only' },
  deny: { approvalPolicy: 'on-request', sandbox: 'read-only' },
  yolo: { approvalPolicy: 'never', sandbox: 'danger-full-access' },
};

export function permissionsFor(mode: ApprovalMode): Permissions {
  return BY_MODE[mode];
}

/**
 * A native mode is a policy, a sandbox, or both separated by a slash (`on-request/workspace-write`); Codex itself
 * refuses unknown values.
 */
export function permissionsOf({ nativePermissionMode, approvalMode }: ResolvedRunOptions): Permissions {
  return nativePermissionMode ? nativePermissions(nativePermissionMode) : permissionsFor(approvalMode);
}

function nativePermissions(words: string): Permissions {
  const found: Permissions = { approvalPolicy: null, sandbox: null };
  for (const word of words.split('/')) {
    if (isSandbox(word)) found.sandbox = word;
    else found.approvalPolicy = word;
  }
  return found;
}

function isSandbox(word: string): word is SandboxMode {
  return SANDBOX_MODES.some((known) => known === word);
}

/** Sandbox name for `turn/start`; it stays in effect for the following turns. */
export function sandboxPolicy(sandbox: string, writableRoots: readonly string[]): Record<string, unknown> {
  switch (sandbox) {
    case 'danger-full-access':
      return { type: 'dangerFullAccess' };
    case 'workspace-write':
      return {
        type: 'workspaceWrite',
        writableRoots,
        networkAccess: false,
        excludeTmpdirEnvVar: false,
        excludeSlashTmp: false,
      };
    default:
      return { type: 'readOnly', networkAccess: false };
  }
}
