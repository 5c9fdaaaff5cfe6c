import type { ApprovalMode, ResolvedRunOptions } from '@agent-mux/core';

export const APPROVAL_POLICIES = ['untrusted', 'on-request', 'never'] as const;
export const SANDBOX_MODES = ['read-only', 'workspace-write', 'danger-full-access'] as const;
type SandboxMode = (typeof SANDBOX_MODES)[number];

/** Codex has two words for what may happen; one that is null is left to the user's own configuration. */
interface Permissions {
  approvalPolicy: string | null;
  sandbox: string | null;
}

/**
 * Each was run with 0.166 on `exec_command`, on `apply_patch` and on tools of an MCP server. `untrusted` asks before
 * each of them, also where the sandbox would allow it. What was accepted still runs in the sandbox; what that refuses
 * is tried again outside of it, but the refusal is not always noticed: hence `workspace-write` for `prompt`.
 * `on-request` lets commands run in the sandbox and asks where something wants out, so it is an answer neither to
 * `prompt` nor to `accept-edits` (there the codec accepts the patches, see approvals.ts); in a sandbox that is
 * read-only it is one to `deny`.
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
 * A native mode is a policy, a sandbox, or both with a slash between them (`on-request/workspace-write`); Codex itself
 * refuses a word that it does not know.
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

/** What `turn/start` calls a sandbox; it then holds for the following turns too. */
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
