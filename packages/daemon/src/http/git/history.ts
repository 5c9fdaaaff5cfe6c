import type { Workspace } from '@agent-mux/api';
import type { WorkspaceDiff } from '@agent-mux/api/schemas';
import { branchOf, type OpenRepository } from '@agent-mux/core/git';

/** Maximum number of listed commits, newest first. */
const MAX_COMMITS = 50;

type History = Pick<WorkspaceDiff, 'shows' | 'branch' | 'commits' | 'uncommitted' | 'merged'>;

/** Describes the changes of a diff: their kind, which are committed, and whether they are merged. */
export async function readHistory(
  workspace: Workspace,
  repository: OpenRepository,
  head: string | null,
): Promise<History> {
  const branch = await branchOf(repository.gitDir);
  const uncommitted = await countUncommitted(repository, workspace.path, head);
  if (workspace.kind === 'folder' || head === null)
    return { shows: workspace.kind, branch, commits: [], uncommitted, merged: null };
  const fields = await repository
    .list(['log', '-z', `--max-count=${MAX_COMMITS}`, '--format=%H%x09%at%x09%s', `${workspace.base}..${head}`])
    .catch(() => []);
  const commits = fields.flatMap((line) => {
    const [, commit, time, subject] = /^([0-9a-f]+)\t(\d+)\t(.*)$/s.exec(line.trim()) ?? [];
    return commit === undefined ? [] : [{ commit, subject: subject ?? '', time: Number(time) * 1000 }];
  });
  return { shows: 'worktree', branch, commits, uncommitted, merged: await findMerge(workspace, repository, head) };
}

/** Whether the base branch contains all commits of the worktree. */
async function findMerge(
  { base, baseBranch }: Extract<Workspace, { kind: 'worktree' }>,
  repository: OpenRepository,
  head: string,
): Promise<History['merged']> {
  if (baseBranch === null || head === base) return null;
  const ref = `refs/heads/${baseBranch}`;
  const isIn = await repository.tryGit(['merge-base', '--is-ancestor', head, ref]);
  return isIn.code === 0 ? { into: baseBranch, commit: head } : null;
}

/** Files that differ from the last commit. New files are already in the index. */
async function countUncommitted(repository: OpenRepository, cwd: string, head: string | null): Promise<number> {
  const args = ['diff-index', '-z', '--name-only', '--no-renames', '--ignore-submodules=dirty', '--relative'];
  if (head === null) return (await repository.list(['ls-files', '-z'], { cwd }).catch(() => [])).length;
  await repository.tryGit(['update-index', '-q', '--refresh']);
  return (await repository.list([...args, head, '--', '.'], { cwd }).catch(() => [])).length;
}
