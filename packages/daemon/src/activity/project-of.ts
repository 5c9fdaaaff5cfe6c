import type { Session } from '@agent-mux/api';

/** The folder that a session works for: of a worktree, the one that it was made from. */
export function projectOf({ cwd, workspace }: Pick<Session, 'cwd' | 'workspace'>): string {
  return workspace.kind === 'worktree' ? workspace.repository : cwd;
}
