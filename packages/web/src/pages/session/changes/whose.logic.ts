import type { AuditEntry, Session } from '@agent-mux/api/browser';

/** One thing that was done with the work of a worktree from here or from the command line. */
export interface Step {
  kind: 'commit' | 'merge' | 'discard';
  time: number;
  /** The commit or the ref that has the work. Null: nothing was left to save. */
  where: string | null;
  into: string | null;
}

const KINDS = { 'worktree.commit': 'commit', 'worktree.merge': 'merge', 'worktree.discard': 'discard' } as const;

/** The last merge, and what was committed or discarded after it; the oldest first, each kind once. */
export function lastSteps(entries: readonly Pick<AuditEntry, 'action' | 'time' | 'detail'>[]): Step[] {
  const steps = entries.flatMap(({ action, time, detail }): Step[] => {
    const kind = KINDS[action as keyof typeof KINDS];
    if (kind === undefined) return [];
    const textOf = (name: string) => (typeof detail[name] === 'string' ? detail[name] : null);
    return [{ kind, time, where: textOf(kind === 'discard' ? 'savedRef' : 'commit'), into: textOf('into') }];
  });
  const after = steps.slice(Math.max(0, lastOf(steps, 'merge')));
  return after.filter((step, at) => lastOf(after, step.kind) === at);
}

function lastOf(steps: readonly Step[], kind: Step['kind']): number {
  return steps.findLastIndex((step) => step.kind === kind);
}

/** Other sessions that may have made some of the changes: those that have worked in the same folder, or in one inside or around it. */
export function sharersOf(session: Pick<Session, 'id' | 'cwd'>, all: Iterable<Session>): Session[] {
  return [...all].filter(
    ({ id, cwd, workspace }) =>
      id !== session.id && workspace.kind === 'folder' && (isWithin(cwd, session.cwd) || isWithin(session.cwd, cwd)),
  );
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
