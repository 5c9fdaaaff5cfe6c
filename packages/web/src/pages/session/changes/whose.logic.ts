import type { AuditEntry, Session } from '@agent-mux/api/browser';

/** A commit, merge or discard of a worktree, made here or with the CLI. */
export interface Step {
  kind: 'commit' | 'merge' | 'discard';
  time: number;
  /** The commit or ref with the work. Null: there was nothing to save. */
  where: string | null;
  into: string | null;
}

const KINDS = { 'worktree.commit': 'commit', 'worktree.merge': 'merge', 'worktree.discard': 'discard' } as const;

/** The last merge and later commits or discards, oldest first, each kind once. */
export function lastSteps(entries: readonly Pick<AuditEntry, 'action' | 'timestamp' | 'detail'>[]): Step[] {
  const steps = entries.flatMap(({ action, timestamp, detail }): Step[] => {
    const kind = KINDS[action as keyof typeof KINDS];
    if (kind === undefined) return [];
    const textOf = (name: string) => (typeof detail[name] === 'string' ? detail[name] : null);
    return [{ kind, time: timestamp, where: textOf(kind === 'discard' ? 'savedRef' : 'commit'), into: textOf('into') }];
  });
  const after = steps.slice(Math.max(0, lastOf(steps, 'merge')));
  return after.filter((step, at) => lastOf(after, step.kind) === at);
}

function lastOf(steps: readonly Step[], kind: Step['kind']): number {
  return steps.findLastIndex((step) => step.kind === kind);
}

/** Other sessions that may have made some of the changes: those in the same folder, a nested one or a parent. */
export function sharersOf(session: Pick<Session, 'id' | 'cwd'>, all: Iterable<Session>): Session[] {
  return [...all].filter(
    ({ id, cwd, workspace }) =>
      id !== session.id && workspace.kind === 'folder' && (isWithin(cwd, session.cwd) || isWithin(session.cwd, cwd)),
  );
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
