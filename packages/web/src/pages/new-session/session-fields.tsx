import '../../styles/new-session.css';
import type { FolderList } from '@agent-mux/api/browser';
import { useMemo, useState } from 'react';
import { folderOf } from '../../components/labels.logic.ts';
import { useAgent, useAgents } from '../../data/agents.ts';
import { call } from '../../data/call.ts';
import { currentRows } from '../../data/rows.ts';
import { AgentNote, Choices } from './choices.tsx';
import type { Draft } from './draft.logic.ts';
import { FolderField, useFolders } from './folder-field.tsx';
import { type AgentChoices, choicesFor, sortAgents } from './new-session.logic.ts';

type Change = (change: Partial<Omit<Draft, 'id'>>) => void;

/** All fields of a new session except the prompt, shared by the dialog and schedules. */
export function useSessionFields(draft: Draft, change: Change, defaultAgent: string) {
  const agents = useAgents();
  const sorted = useMemo(() => sortAgents(agents.data ?? []), [agents.data]);
  const folders = useMemo(recentFolders, []);
  const [isFolderChosen, setFolderChosen] = useState(draft.cwd !== '');
  const [isRefused, setRefused] = useState(false);
  const names = sorted.map((each) => each.agent);
  const agent = [draft.agent, defaultAgent].find((name) => names.includes(name)) ?? names[0] ?? '';
  const cwd = isFolderChosen ? draft.cwd : (folders[0] ?? '');
  const detail = useAgent(agent);
  const folderQuery = useFolders(cwd);
  const choices = choicesFor(detail.data, draft, folderQuery.data);
  return {
    agent,
    cwd,
    choices,
    /** The folder's current state and its options; null if it does not exist, which the field then reports. */
    async findFolder(): Promise<{ folder: FolderList; choices: AgentChoices } | null> {
      const folder = await call('listFolders', { query: { path: cwd } });
      if (folder.kind !== 'folder') {
        await folderQuery.refetch();
        setRefused(true);
        return null;
      }
      if (choices.worktree && draft.worktree && !folder.inRepository)
        throw new Error(`${folder.path} is not in a git repository, so a worktree is not possible.`);
      return { folder, choices: choicesFor(detail.data, draft, folder) };
    },
    clear: () => setFolderChosen(false),
    shown: (shownChoices: AgentChoices = choices) => (
      <>
        <div className="form-grid">
          <FolderField
            value={cwd}
            known={folders}
            found={folderQuery.data}
            isCurrent={!folderQuery.isPlaceholderData}
            isRefused={isRefused}
            onChange={(value) => {
              setFolderChosen(true);
              setRefused(false);
              change({ cwd: value });
            }}
          />
          <Choices draft={draft} change={change} agent={agent} agents={sorted} choices={shownChoices} />
        </div>
        <AgentNote agent={sorted.find(({ agent: name }) => name === agent)} />
      </>
    ),
  };
}

/** Folders of earlier sessions, most recent first. */
function recentFolders(): string[] {
  const sessions = [...currentRows().sessions.values()].sort((a, b) => b.createdAt - a.createdAt);
  return [...new Set(sessions.map(folderOf))].slice(0, 30);
}
