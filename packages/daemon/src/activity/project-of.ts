import type { Session } from '@agent-mux/api';

/** The project folder of a session; for a worktree, the repository it was created from. */
export function projectOf({ cwd, workspace }: Pick<Session, 'cwd' | 'workspace'>): string {
  return workspace.kind === 'worktree' ? workspace.repository : cwd;
}
