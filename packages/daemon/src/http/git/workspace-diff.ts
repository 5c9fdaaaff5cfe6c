import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { Workspace } from '@agent-mux/api';
import type { FileDiff, WorkspaceDiff } from '@agent-mux/api/schemas';
import { findRepository, type GitAnswer, type GitLocation, type OpenRepository } from '@agent-mux/core/git';
import { DaemonError } from '../../daemon-error.ts';
import { useRepository } from '../../workspaces/repository.ts';
import { emptyTree, findHead, SUBMODULES, showFlagged } from '../../workspaces/work-files.ts';
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

/** What differs in a workspace: since its worktree began, committed or not; in a folder, what is not committed. */
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
    throw new DaemonError('WORKSPACE_ERROR', 'git could not be run in the workspace', {
      hint: 'is git installed, and the workspace still there?',
    });
  }
}

async function locate(workspace: Workspace): Promise<GitLocation> {
  if (workspace.kind === 'worktree') return locateWorktree(workspace);
  const found = await findRepository(workspace.path);
  if (found) return found;
  throw new DaemonError('WORKSPACE_ERROR', 'the workspace is no git work tree', { hint: 'git init makes it one' });
}

async function diff(workspace: Workspace, repository: OpenRepository, limits: DiffLimits): Promise<WorkspaceDiff> {
  const cwd = workspace.path;
  const run = (args: readonly string[]): Promise<GitAnswer> =>
    repository.tryGit(args, { cwd, maxBytes: limits.diffBytes });
  const head = await findHead(repository);
  const began = workspace.kind === 'worktree' && SHA.test(workspace.base) ? workspace.base : null;
  const base = began ?? head;
  const against = base ?? (await emptyTree(repository));
  const inner = relative(repository.top, await realpath(cwd))
    .split(sep)
    .join('/');

  // Read first: what is shown as new is added to the index below.
  const unmerged = parseUnmerged((await run(['ls-files', '-z', '--unmerged'])).out.toString('utf8'));
  await showFlagged(repository);
  const changedRules = async (path: string) =>
    (await run(['diff', '--quiet', '--no-ext-diff', '--no-textconv', ...SUBMODULES, against, '--', path])).code !== 0;
  const others = await findUntracked(repository, { cwd, inner, most: limits.untrackedFiles, changedRules });

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

/** The last part of a text that was cut is not whole, and left out. */
function addPatches(files: FileDiff[], { out, isCut }: GitAnswer): FileDiff[] {
  const parts = splitPatch(out.toString('utf8'));
  const whole = isCut ? parts.slice(0, -1) : parts;
  return files.map((file, at) => {
    const patch = whole[at];
    return patch === undefined || isBinaryPatch(patch) ? file : { ...file, patch };
  });
}

function gitFailed(error: string): DaemonError {
  return new DaemonError('WORKSPACE_ERROR', `git could not compare: ${error.split('\n')[0] ?? ''}`);
}
