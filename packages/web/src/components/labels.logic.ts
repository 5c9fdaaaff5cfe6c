import type { Session } from '@agent-mux/api/browser';
import { projectOf } from './format.logic.ts';

/** Display title of a session: its title, or its agent and project. */
export function titleOf({ title, agent, cwd }: Pick<Session, 'title' | 'agent' | 'cwd'>): string {
  return title ?? `${agent} in ${projectOf(cwd)}`;
}

/** The session's folder; for a worktree, the repository it was created from. */
export function folderOf({ cwd, workspace }: Pick<Session, 'cwd' | 'workspace'>): string {
  return workspace.kind === 'worktree' ? workspace.repository : cwd;
}
