import type { Workspace } from '@agent-mux/api';
import type { FileDiff, WorkspaceDiff } from '@agent-mux/api/schemas';
import { DaemonError } from '../../daemon-error.ts';
import { isBinaryPatch, parseSummary, parseUnmerged, splitPatch } from './parse-diff.ts';
import { type GitAnswer, runGit } from './run-git.ts';
import { type StandIn, withStandIn } from './stand-in.ts';

const DIFF = [
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--find-renames',
  '--ignore-submodules=dirty',
  '--relative',
];
const SHA = /^[0-9a-f]{40,64}$/;

export interface DiffLimits {
  diffBytes: number;
  diffMs: number;
  untrackedFiles: number;
}

/** What differs in a workspace, committed since its worktree began or not; what git does not know yet too. */
export async function diffWorkspace(workspace: Workspace, limits: DiffLimits): Promise<WorkspaceDiff> {
  const signal = AbortSignal.timeout(limits.diffMs);
  try {
    return await withStandIn(workspace.path, signal, (standIn) => diff(workspace, standIn, limits, signal));
  } catch (error) {
    if (error instanceof DaemonError) throw error;
    if (signal.aborted) throw new DaemonError('WORKSPACE_ERROR', `git took longer than ${limits.diffMs} ms`);
    throw new DaemonError('WORKSPACE_ERROR', 'git could not be run in the workspace', {
      hint: 'is git installed, and the workspace still there?',
    });
  }
}

async function diff(
  workspace: Workspace,
  standIn: StandIn,
  limits: DiffLimits,
  signal: AbortSignal,
): Promise<WorkspaceDiff> {
  const run = (args: readonly string[], input?: string): Promise<GitAnswer> =>
    runGit({ cwd: workspace.path, args, env: standIn.env, input, maxBytes: limits.diffBytes, signal });
  const began = workspace.kind === 'worktree' && SHA.test(workspace.base) ? workspace.base : null;
  const base = began ?? standIn.head;
  const against = base ?? standIn.emptyTree;

  const others = await run(['ls-files', '-z', '--others', '--exclude-standard', `--exclude-from=${standIn.excludes}`]);
  const untracked = others.out
    .toString('utf8')
    .split('\0')
    // What ends with a slash is another repository.
    .filter((path) => path !== '' && !path.endsWith('/'));
  const shown = untracked.slice(0, limits.untrackedFiles);
  if (shown.length > 0) {
    await run(['add', '--intent-to-add', '--pathspec-from-file=-', '--pathspec-file-nul'], shown.join('\0'));
  }

  const summary = await run([...DIFF, '--raw', '--numstat', '-z', against, '--', '.']);
  if (summary.code !== 0 && !summary.isCut) throw gitFailed(summary.error);
  const patch = await run([...DIFF, '--patch', against, '--', '.']);
  const unmerged = parseUnmerged((await run(['ls-files', '-z', '--unmerged'])).out.toString('utf8'));
  const files = addPatches(parseSummary(summary.out.toString('utf8')), patch).map((file) =>
    unmerged.has(file.path) ? { ...file, status: 'unmerged' as const } : file,
  );
  const isCut = [others, summary, patch].some((answer) => answer.isCut) || shown.length < untracked.length;
  return { base, files, truncated: isCut };
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
