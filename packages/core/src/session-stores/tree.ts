import type { SessionBranch } from '../contract/sessions.ts';
import { Transcript } from './transcript.ts';

/** One record of a store that keeps a tree: which it follows. */
export interface TreeEntry<Entry> {
  id: string;
  parentId: string | null;
  entry: Entry;
}

export interface TreeBranches {
  /** Of the active branch. */
  transcript: Transcript;
  /** Absent where there is but one. */
  branches?: SessionBranch[];
}

/** More leaves than this are not rebuilt: the newest are. */
export const BRANCH_LIMIT = 50;

/**
 * The ways from the root to each leaf, in the order of the leaves. `add` puts an entry into a conversation; entries that
 * say nothing are part of the way all the same. Without `activeId` the newest leaf is the active one.
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
  const told = ends.slice(-BRANCH_LIMIT).map((leaf) => {
    const transcript = new Transcript();
    for (const { entry } of traceWay(leaf, byId)) add(transcript, entry);
    return { id: leaf.id, active: leaf === active, transcript };
  });
  const transcript = told.find((branch) => branch.active)?.transcript ?? new Transcript();
  const spoken = told.filter((branch) => branch.transcript.messages.length > 0);
  if (spoken.length < 2) return { transcript };
  return {
    transcript,
    branches: spoken.map((one) => ({ id: one.id, active: one.active, messages: one.transcript.messages })),
  };
}

/** From the root; a record that names itself or a descendant as its parent ends the way. */
function traceWay<Entry>(leaf: TreeEntry<Entry>, byId: ReadonlyMap<string, TreeEntry<Entry>>): TreeEntry<Entry>[] {
  const way = new Set<TreeEntry<Entry>>();
  for (let at: TreeEntry<Entry> | undefined = leaf; at && !way.has(at); ) {
    way.add(at);
    at = at.parentId === null ? undefined : byId.get(at.parentId);
  }
  return [...way].reverse();
}
