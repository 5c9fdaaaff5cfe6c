import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { Workspace } from '@agent-mux/api';
import type { FileDiff, WorkspaceDiff } from '@agent-mux/api/schemas';
import { findRepository, type GitAnswer, type GitLocation, type OpenRepository } from '@agent-mux/core/git';
import { DaemonError } from '../../daemon-error.ts';
import { useRepository } from '../../workspaces/repository.ts';
import { clearFlags, emptyTree, findHead, SUBMODULES } from '../../workspaces/work-files.ts';
import { locateWorktree } from '../../workspaces/worktree.ts';
import { readHistory } from './history.ts';
import { isBinaryPatch, parseSummary, parseUnmerged, splitPatch } from './parse-diff.ts';
import { findUntracked } from './untracked.ts';

const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--find-renames', ...SUBMODULES, '--relative'];
const SHA = /^[0-9a-f]{40,64}$/;

export interface DiffLimits {
  diffBytes: number;
  diffMs: number;
  untrackedFiles: number;
}

/** Diff of a workspace: for a worktree, all changes since its base; for a folder, uncommitted changes. */
export async function diffWorkspace(workspace: Workspace, limits: DiffLimits): Promise<WorkspaceDiff> {
  const signal = AbortSignal.timeout(limits.diffMs);
  try {
    const location = await locate(workspace);
    return await useRepository(location, { writes: false, signal }, (repository) =>
      diff(workspace, repository, limits),
    );
  } catch (error) {
    if (signal.aborted) throw new DaemonError('WORKSPACE_ERROR', `git took longer than ${limits.diffMs} ms`);
    if (error instanceof DaemonError) throw error;
    throw new DaemonError('WORKSPACE_ERROR', 'failed to run git in the workspace', {
      hint: 'check that git is installed and the workspace exists',
    });
  }
}

async function locate(workspace: Workspace): Promise<GitLocation> {
  if (workspace.kind === 'worktree') return locateWorktree(workspace);
  const found = await findRepository(workspace.path);
  if (found) return found;
  throw new DaemonError('WORKSPACE_ERROR', 'the workspace is not a git repository', { hint: 'run "git init" in it' });
}

async function diff(workspace: Workspace, repository: OpenRepository, limits: DiffLimits): Promise<WorkspaceDiff> {
  const cwd = workspace.path;
  const run = (args: readonly string[]): Promise<GitAnswer> =>
    repository.tryGit(args, { cwd, maxBytes: limits.diffBytes });
  const head = await findHead(repository);
  const worktreeBase = workspace.kind === 'worktree' && SHA.test(workspace.base) ? workspace.base : null;
  const base = worktreeBase ?? head;
  const against = base ?? (await emptyTree(repository));
  const inner = relative(repository.top, await realpath(cwd))
    .split(sep)
    .join('/');

  // Read first: new files are added to the index below.
  const unmerged = parseUnmerged((await run(['ls-files', '-z', '--unmerged'])).out.toString('utf8'));
  await clearFlags(repository);
  const changedRules = async (path: string) =>
    (await run(['diff', '--quiet', '--no-ext-diff', '--no-textconv', ...SUBMODULES, against, '--', path])).code !== 0;
  const others = await findUntracked(repository, { cwd, inner, max: limits.untrackedFiles, changedRules });

  const summary = await run([...DIFF, '--raw', '--numstat', '-z', against, '--', '.']);
  if (summary.code !== 0 && !summary.isCut) throw gitFailed(summary.error);
  const patch = await run([...DIFF, '--patch', against, '--', '.']);
  const files = addPatches(parseSummary(summary.out.toString('utf8')), patch).map((file) =>
    unmerged.has(file.path) ? { ...file, status: 'unmerged' as const } : file,
  );
  return {
    base,
    files,
    truncated: [summary, patch].some((answer) => answer.isCut) || others.isCut,
    ignored: others.ignored,
    nested: others.nested,
    ...(await readHistory(workspace, repository, head)),
  };
}

/** Omits the last patch of a truncated text, which is incomplete. */
function addPatches(files: FileDiff[], { out, isCut }: GitAnswer): FileDiff[] {
  const parts = splitPatch(out.toString('utf8'));
  const whole = isCut ? parts.slice(0, -1) : parts;
  return files.map((file, at) => {
    const patch = whole[at];
    return patch === undefined || isBinaryPatch(patch) ? file : { ...file, patch };
  });
}

function gitFailed(error: string): DaemonError {
  return new DaemonError('WORKSPACE_ERROR', `git diff failed: ${error.split('\n')[0] ?? ''}`);
}
