import type { Agent, NewSession as Given } from '@agent-mux/api/browser';
import { Sparkles } from 'lucide-react';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { capabilitiesOf, useAgent, useAgents, useModels } from '../../data/agents.ts';
import { call } from '../../data/call.ts';
import { currentRows, takeSession } from '../../data/rows.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Fault } from '../../parts/fault.tsx';
import { navigate } from '../../parts/router.tsx';
import { Button } from '../../parts/small.tsx';
import { folderOf } from '../../parts/words.logic.ts';
import { approvalModesOf, sortAgents } from './new-session.logic.ts';
import { startDemo } from './start-demo.ts';

const LAST_AGENT = 'agent-mux.last-agent';

/** Only what the agent can do is offered. */
export function NewSession({ onClose }: { onClose(): void }) {
  const agents = useAgents();
  const sorted = useMemo(() => sortAgents(agents.data ?? []), [agents.data]);
  const folders = useMemo(listFolders, []);
  const [chosen, setChosen] = useState(() => localStorage.getItem(LAST_AGENT) ?? '');
  const agent = sorted.some(({ agent: name }) => name === chosen) ? chosen : (sorted[0]?.agent ?? '');
  const [cwd, setCwd] = useState(folders[0] ?? '');
  const [model, setModel] = useState('');
  const [approvalMode, setApprovalMode] = useState('');
  const [worktree, setWorktree] = useState(false);
  const [prompt, setPrompt] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Error | null>(null);
  const detail = useAgent(agent);
  const can = capabilitiesOf(detail.data);
  const models = useModels(can.supportsModelSelection === true ? agent : '');
  const modes = approvalModesOf(can);

  const create = async () => {
    if (isBusy) return;
    setBusy(true);
    setFault(null);
    const given: Given = {
      agent,
      cwd,
      worktree,
      options: { ...(model === '' ? {} : { model }), ...(approvalMode === '' ? {} : { approvalMode }) },
      ...(prompt.trim() === '' ? {} : { prompt }),
    };
    try {
      const session = await call('createSession', { body: given });
      localStorage.setItem(LAST_AGENT, agent);
      takeSession(session);
      onClose();
      navigate(`/sessions/${session.id}`);
    } catch (error) {
      setFault(error instanceof Error ? error : new Error(String(error)));
      setBusy(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      void create();
    }
  };
  return (
    <Dialog title="New session" onClose={onClose}>
      <form
        className="form"
        onKeyDown={onKeyDown}
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <textarea
          className="input new-prompt"
          aria-label="Prompt"
          placeholder="What is to be done?"
          rows={5}
          value={prompt}
          onChange={({ target }) => setPrompt(target.value)}
        />
        <div className="form-grid">
          <label className="field">
            <span>Agent</span>
            <select className="input" value={agent} onChange={({ target }) => setChosen(target.value)}>
              {sorted.map((each) => (
                <option key={each.agent} value={each.agent}>
                  {each.displayName}
                  {noteOf(each)}
                </option>
              ))}
            </select>
          </label>
          {can.supportsModelSelection === true ? (
            <label className="field">
              <span>Model</span>
              <select className="input" value={model} onChange={({ target }) => setModel(target.value)}>
                <option value="">The agent’s default</option>
                {(models.data?.models ?? []).map(({ id, displayName }) => (
                  <option key={id} value={id}>
                    {displayName ?? id}
                  </option>
                ))}
              </select>
            </label>
          ) : null}
          <label className="field form-wide">
            <span>Folder</span>
            <input
              className="input mono"
              list="known-folders"
              placeholder="/home/you/project"
              required
              spellCheck={false}
              value={cwd}
              onChange={({ target }) => setCwd(target.value)}
            />
            <datalist id="known-folders">
              {folders.map((folder) => (
                <option key={folder} value={folder} />
              ))}
            </datalist>
          </label>
          {modes.length > 0 ? (
            <label className="field">
              <span>Permissions</span>
              <select className="input" value={approvalMode} onChange={({ target }) => setApprovalMode(target.value)}>
                {modes.map(({ mode, word }) => (
                  <option key={mode} value={mode === 'prompt' ? '' : mode}>
                    {word}
                  </option>
                ))}
              </select>
            </label>
          ) : null}
          <label className="check">
            <input type="checkbox" checked={worktree} onChange={({ target }) => setWorktree(target.checked)} />A git
            worktree of its own
          </label>
        </div>
        <AgentNote agent={sorted.find(({ agent: name }) => name === agent)} />
        {fault ? <Fault error={fault} /> : null}
        <div className="form-actions">
          <Button
            look="quiet"
            onClick={() => {
              onClose();
              void startDemo();
            }}
          >
            <Sparkles />
            Try the demo
          </Button>
          <span className="grow" />
          <Button onClick={onClose}>Cancel</Button>
          <Button look="next" type="submit" disabled={isBusy || agent === '' || cwd === ''}>
            {isBusy ? 'Starting…' : 'Start'}
            <kbd>Ctrl ⏎</kbd>
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function noteOf({ installed, authState }: Agent): string {
  if (!installed) return ' (not installed)';
  return authState === 'unauthenticated' || authState === 'expired' ? ' (not logged in)' : '';
}

function AgentNote({ agent }: { agent: Agent | undefined }) {
  if (!agent) return null;
  if (!agent.installed) {
    return (
      <p className="muted">
        {agent.displayName} is not installed here: <code>amux install {agent.agent}</code> installs it.
      </p>
    );
  }
  if (agent.authState !== 'unauthenticated' && agent.authState !== 'expired') return null;
  return (
    <p className="muted">
      Nobody is logged in to {agent.displayName}: <code>amux auth guide {agent.agent}</code> says how.
    </p>
  );
}

/** Where sessions were before, the last first. */
function listFolders(): string[] {
  const sessions = [...currentRows().sessions.values()].sort((a, b) => b.createdAt - a.createdAt);
  return [...new Set(sessions.map(folderOf))].slice(0, 30);
}
