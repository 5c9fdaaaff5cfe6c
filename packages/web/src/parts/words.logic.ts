import type { Session } from '@agent-mux/api/browser';
import { projectOf } from './format.logic.ts';

/** What a session is called: by its user, its agent, or by what it is. */
export function titleOf({ title, agent, cwd }: Pick<Session, 'title' | 'agent' | 'cwd'>): string {
  return title ?? `${agent} in ${projectOf(cwd)}`;
}

/** The folder that people know: of a worktree the repository that it was made from. */
export function folderOf({ cwd, workspace }: Pick<Session, 'cwd' | 'workspace'>): string {
  return workspace.kind === 'worktree' ? workspace.repository : cwd;
}
