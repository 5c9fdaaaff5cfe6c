import type { SessionBranch } from '../contract/sessions.ts';
import { Transcript } from './transcript.ts';

/** One record of a store with a tree of messages: its id and parent. */
export interface TreeEntry<Entry> {
  id: string;
  parentId: string | null;
  entry: Entry;
}

export interface TreeBranches {
  /** Of the active branch. */
  transcript: Transcript;
  /** Undefined if there is only one. */
  branches?: SessionBranch[];
}

/** Maximum number of leaves that are rebuilt, newest first. */
export const BRANCH_LIMIT = 50;

/**
 * The paths from the root to each leaf, in the order of the leaves. `add` adds an entry to a conversation; entries
 * without content are part of the path too. Without `activeId` the newest leaf is the active one.
 */
export function rebuildTree<Entry>(
  entries: readonly TreeEntry<Entry>[],
  add: (transcript: Transcript, entry: Entry) => void,
  activeId?: string,
): TreeBranches {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const parents = new Set(entries.map(({ parentId }) => parentId));
  const leaves = [...byId.values()].filter(({ id }) => !parents.has(id));
  const active = (activeId !== undefined && byId.get(activeId)) || leaves.at(-1);
  const ends = active && !leaves.includes(active) ? [...leaves, active] : leaves;
  const branches = ends.slice(-BRANCH_LIMIT).map((leaf) => {
    const transcript = new Transcript();
    for (const { entry } of tracePath(leaf, byId)) add(transcript, entry);
    return { id: leaf.id, active: leaf === active, transcript };
  });
  const transcript = branches.find((branch) => branch.active)?.transcript ?? new Transcript();
  const nonEmpty = branches.filter((branch) => branch.transcript.messages.length > 0);
  if (nonEmpty.length < 2) return { transcript };
  return {
    transcript,
    branches: nonEmpty.map((one) => ({ id: one.id, active: one.active, messages: one.transcript.messages })),
  };
}

/** From the root; a record that names itself or a descendant as its parent ends the path. */
function tracePath<Entry>(leaf: TreeEntry<Entry>, byId: ReadonlyMap<string, TreeEntry<Entry>>): TreeEntry<Entry>[] {
  const path = new Set<TreeEntry<Entry>>();
  for (let at: TreeEntry<Entry> | undefined = leaf; at && !path.has(at); ) {
    path.add(at);
    at = at.parentId === null ? undefined : byId.get(at.parentId);
  }
  return [...path].reverse();
}
