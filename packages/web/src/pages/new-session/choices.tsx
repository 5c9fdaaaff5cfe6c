import type { Agent } from '@agent-mux/api/browser';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { useState } from 'react';
import { AmountFields } from '../../components/amount-fields.tsx';
import { useModels } from '../../data/agents.ts';
import { call } from '../../data/call.ts';
import type { Draft } from './draft.logic.ts';
import type { AgentChoices } from './new-session.logic.ts';

interface ChoicesProps {
  draft: Draft;
  change(change: Partial<Omit<Draft, 'id'>>): void;
  agent: string;
  agents: readonly Agent[];
  choices: AgentChoices;
}

/** Agent and options of a new session. */
export function Choices({ draft, change, agent, agents, choices }: ChoicesProps) {
  const name = agents.find((each) => each.agent === agent)?.displayName ?? agent;
  return (
    <>
      <label className="field">
        <span>Agent</span>
        <select
          className="input"
          value={agent}
          // Models differ between agents.
          onChange={({ target }) => change({ agent: target.value, model: '' })}
        >
          {agents.map((each) => (
            <option key={each.agent} value={each.agent}>
              {each.displayName}
              {noteOf(each)}
            </option>
          ))}
        </select>
      </label>
      {choices.model ? (
        <ModelField key={agent} agent={agent} value={draft.model} onChange={(model) => change({ model })} />
      ) : null}
      {choices.modes.length > 0 ? (
        <label className="field">
          <span>Permissions</span>
          <select
            className="input"
            value={choices.modes.some(({ mode }) => mode === draft.approvalMode) ? draft.approvalMode : 'prompt'}
            onChange={({ target }) => change({ approvalMode: target.value === 'prompt' ? '' : target.value })}
          >
            {choices.modes.map(({ mode, label }) => (
              <option key={mode} value={mode}>
                {label}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {choices.efforts.length > 0 ? (
        <label className="field">
          <span>Thinking</span>
          <select
            className="input"
            value={choices.efforts.includes(draft.effort) ? draft.effort : ''}
            onChange={({ target }) => change({ effort: target.value })}
          >
            <option value="">The agent’s default</option>
            {choices.efforts.map((effort) => (
              <option key={effort} value={effort}>
                {effort}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {choices.onLimit ? <LimitField value={draft.onLimit} onChange={(onLimit) => change({ onLimit })} /> : null}
      {choices.worktree ? (
        <label className="check">
          <input
            type="checkbox"
            checked={draft.worktree}
            onChange={({ target }) => change({ worktree: target.checked })}
          />
          Use a git worktree
        </label>
      ) : draft.worktree ? (
        <p className="faint not-here">No worktree: this folder is not in a git repository.</p>
      ) : null}
      {choices.terminal ? (
        <label className="check">
          <input
            type="checkbox"
            checked={draft.inTerminal}
            onChange={({ target }) => change({ inTerminal: target.checked })}
          />
          Open the agent’s own terminal UI
        </label>
      ) : choices.terminal === false ? (
        <p className="faint not-here">No terminal: {name} has no terminal UI.</p>
      ) : null}
      <More draft={draft} change={change} hasBudget={choices.onLimit} />
    </>
  );
}

/** Rarely used fields; expanded if one of them is set. */
function More({ draft, change, hasBudget }: Pick<ChoicesProps, 'draft' | 'change'> & { hasBudget: boolean }) {
  const { title, usd, tokens } = draft;
  const [wasUsed] = useState(title !== '' || usd !== '' || tokens !== '');
  return (
    <details className="form-wide more-choices" open={wasUsed}>
      <summary>Title and budget</summary>
      <div className="more-fields">
        <label className="field">
          <span>Title</span>
          <input
            className="input"
            maxLength={200}
            placeholder="Start of the prompt"
            value={title}
            onChange={({ target }) => change({ title: target.value })}
          />
        </label>
        {hasBudget ? <AmountFields usd={usd} tokens={tokens} issue={null} onChange={change} /> : null}
      </div>
    </details>
  );
}

const OTHER = '\0other';

/** Models that the agent reports, or any other by name, since providers release new models before agents list them. */
function ModelField({ agent, value, onChange }: { agent: string; value: string; onChange(model: string): void }) {
  const models = useModels(agent);
  const known = models.data?.models ?? [];
  const isListed = value === '' || known.some(({ id }) => id === value);
  const [isOther, setOther] = useState(!isListed);
  if (models.data && (isOther || known.length === 0 || !isListed)) {
    return (
      <label className="field">
        <span>Model</span>
        <input
          className="input mono"
          list="known-models"
          placeholder="The agent’s default"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          // biome-ignore lint/a11y/noAutofocus: the user just chose to type a name.
          autoFocus={isOther && value === ''}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          onBlur={() => setOther(value !== '' && !isListed)}
        />
        <datalist id="known-models">
          {known.map(({ id, displayName }) => (
            <option key={id} value={id}>
              {displayName ?? id}
            </option>
          ))}
        </datalist>
      </label>
    );
  }
  return (
    <label className="field">
      <span>Model</span>
      <select
        className="input"
        value={value}
        onChange={({ target }) => (target.value === OTHER ? setOther(true) : onChange(target.value))}
      >
        <option value="">The agent’s default</option>
        {known.map(({ id, displayName }) => (
          <option key={id} value={id}>
            {displayName ?? id}
          </option>
        ))}
        <option value={OTHER}>Other…</option>
      </select>
    </label>
  );
}

const ON_LIMIT = { pause: 'Pause', continue: 'Continue automatically after the reset' } as const;

function LimitField({ value, onChange }: { value: Draft['onLimit']; onChange(value: Draft['onLimit']): void }) {
  const limits = useAnswer({ queryKey: ['limits'], queryFn: ({ signal }) => call('getLimits', {}, signal) });
  const defaultRule = limits.data?.rules.onLimit;
  return (
    <label className="field">
      <span>At a limit</span>
      <select
        className="input"
        value={value}
        onChange={({ target }) => onChange(target.value === 'pause' || target.value === 'continue' ? target.value : '')}
      >
        <option value="">Default{defaultRule ? `: ${ON_LIMIT[defaultRule].toLowerCase()}` : ''}</option>
        <option value="pause">{ON_LIMIT.pause}</option>
        <option value="continue">{ON_LIMIT.continue}</option>
      </select>
    </label>
  );
}

function noteOf({ installed, authState }: Agent): string {
  if (!installed) return ' (not installed)';
  return authState === 'unauthenticated' || authState === 'expired' ? ' (not logged in)' : '';
}

export function AgentNote({ agent }: { agent: Agent | undefined }) {
  if (!agent) return null;
  if (!agent.installed) {
    return (
      <p className="muted">
        {agent.displayName} is not installed. Run <code>amux install {agent.agent}</code>.
      </p>
    );
  }
  if (agent.authState !== 'unauthenticated' && agent.authState !== 'expired') return null;
  return (
    <p className="muted">
      Not logged in to {agent.displayName}. Run <code>amux auth guide {agent.agent}</code> to see how.
    </p>
  );
}
