import '../../styles/new-session.css';
import type { FolderList } from '@agent-mux/api/browser';
import { useMemo, useState } from 'react';
import { useAgent, useAgents } from '../../data/agents.ts';
import { call } from '../../data/call.ts';
import { currentRows } from '../../data/rows.ts';
import { folderOf } from '../../parts/words.logic.ts';
import { AgentNote, Choices } from './choices.tsx';
import type { Draft } from './draft.logic.ts';
import { FolderField, useFolders } from './folder-field.tsx';
import { type Offer, offerOf, sortAgents } from './new-session.logic.ts';

type Change = (change: Partial<Omit<Draft, 'id'>>) => void;

/** What a new session is made of, but for its prompt: the same in the dialog and in a schedule. */
export function useSessionFields(draft: Draft, change: Change, usualAgent: string) {
  const agents = useAgents();
  const sorted = useMemo(() => sortAgents(agents.data ?? []), [agents.data]);
  const folders = useMemo(listKnown, []);
  const [isFolderChosen, setFolderChosen] = useState(draft.cwd !== '');
  const [isRefused, setRefused] = useState(false);
  const names = sorted.map((each) => each.agent);
  const agent = [draft.agent, usualAgent].find((name) => names.includes(name)) ?? names[0] ?? '';
  const cwd = isFolderChosen ? draft.cwd : (folders[0] ?? '');
  const detail = useAgent(agent);
  const place = useFolders(cwd);
  const offer = offerOf(detail.data, draft, place.data);
  return {
    agent,
    cwd,
    offer,
    /** The folder as it is now, with what can be done in it; null: it is not there, and the field says so. */
    async findFolder(): Promise<{ folder: FolderList; offer: Offer } | null> {
      const folder = await call('listFolders', { query: { path: cwd } });
      if (folder.kind !== 'folder') {
        await place.refetch();
        setRefused(true);
        return null;
      }
      if (offer.worktree && draft.worktree && !folder.inRepository)
        throw new Error(`${folder.path} is not in a git repository, so it cannot have a worktree.`);
      return { folder, offer: offerOf(detail.data, draft, folder) };
    },
    clear: () => setFolderChosen(false),
    shown: (shownOffer: Offer = offer) => (
      <>
        <div className="form-grid">
          <FolderField
            value={cwd}
            known={folders}
            found={place.data}
            isCurrent={!place.isPlaceholderData}
            isRefused={isRefused}
            onChange={(value) => {
              setFolderChosen(true);
              setRefused(false);
              change({ cwd: value });
            }}
          />
          <Choices draft={draft} change={change} agent={agent} agents={sorted} offer={shownOffer} />
        </div>
        <AgentNote agent={sorted.find(({ agent: name }) => name === agent)} />
      </>
    ),
  };
}

/** Where sessions were before, the last first. */
function listKnown(): string[] {
  const sessions = [...currentRows().sessions.values()].sort((a, b) => b.createdAt - a.createdAt);
  return [...new Set(sessions.map(folderOf))].slice(0, 30);
}
