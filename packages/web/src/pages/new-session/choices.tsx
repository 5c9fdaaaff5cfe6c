import type { Agent } from '@agent-mux/api/browser';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { useState } from 'react';
import { useModels } from '../../data/agents.ts';
import { call } from '../../data/call.ts';
import { AmountFields } from '../../parts/amount-fields.tsx';
import type { Draft } from './draft.logic.ts';
import type { Offer } from './new-session.logic.ts';

interface ChoicesProps {
  draft: Draft;
  change(change: Partial<Omit<Draft, 'id'>>): void;
  agent: string;
  agents: readonly Agent[];
  offer: Offer;
}

/** Who does it, and how. */
export function Choices({ draft, change, agent, agents, offer }: ChoicesProps) {
  const name = agents.find((each) => each.agent === agent)?.displayName ?? agent;
  return (
    <>
      <label className="field">
        <span>Agent</span>
        <select
          className="input"
          value={agent}
          // A model of one agent means nothing to another.
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
      {offer.model ? (
        <ModelField key={agent} agent={agent} value={draft.model} onChange={(model) => change({ model })} />
      ) : null}
      {offer.modes.length > 0 ? (
        <label className="field">
          <span>Permissions</span>
          <select
            className="input"
            value={offer.modes.some(({ mode }) => mode === draft.approvalMode) ? draft.approvalMode : 'prompt'}
            onChange={({ target }) => change({ approvalMode: target.value === 'prompt' ? '' : target.value })}
          >
            {offer.modes.map(({ mode, word }) => (
              <option key={mode} value={mode}>
                {word}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {offer.efforts.length > 0 ? (
        <label className="field">
          <span>Thinking</span>
          <select
            className="input"
            value={offer.efforts.includes(draft.effort) ? draft.effort : ''}
            onChange={({ target }) => change({ effort: target.value })}
          >
            <option value="">The agent’s default</option>
            {offer.efforts.map((effort) => (
              <option key={effort} value={effort}>
                {effort}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {offer.onLimit ? <LimitField value={draft.onLimit} onChange={(onLimit) => change({ onLimit })} /> : null}
      {offer.worktree ? (
        <label className="check">
          <input
            type="checkbox"
            checked={draft.worktree}
            onChange={({ target }) => change({ worktree: target.checked })}
          />
          A git worktree of its own
        </label>
      ) : draft.worktree ? (
        <p className="faint not-here">No worktree: this folder is in no git repository.</p>
      ) : null}
      {offer.terminal ? (
        <label className="check">
          <input
            type="checkbox"
            checked={draft.inTerminal}
            onChange={({ target }) => change({ inTerminal: target.checked })}
          />
          In a terminal: the agent’s own screen
        </label>
      ) : offer.terminal === false ? (
        <p className="faint not-here">No terminal: {name} has no screen of its own that can be shown.</p>
      ) : null}
      <More draft={draft} change={change} hasBudget={offer.onLimit} />
    </>
  );
}

/** What few sessions need; open where something of it was chosen. */
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
            placeholder="The start of the prompt"
            value={title}
            onChange={({ target }) => change({ title: target.value })}
          />
        </label>
        {hasBudget ? <AmountFields usd={usd} tokens={tokens} fault={null} onChange={change} /> : null}
      </div>
    </details>
  );
}

const OTHER = '\0other';

/** Those that the agent tells of; any other by its name, since vendors have new ones before anybody knows. */
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
          // biome-ignore lint/a11y/noAutofocus: whoever chose to write a name writes it next.
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
        <option value={OTHER}>Another, by its name…</option>
      </select>
    </label>
  );
}

const ON_LIMIT = { stop: 'Wait for me', wait: 'Go on by itself when it is lifted' } as const;

function LimitField({ value, onChange }: { value: Draft['onLimit']; onChange(value: Draft['onLimit']): void }) {
  const limits = useAnswer({ queryKey: ['limits'], queryFn: ({ signal }) => call('getLimits', {}, signal) });
  const usual = limits.data?.rules.onLimit;
  return (
    <label className="field">
      <span>At a limit</span>
      <select
        className="input"
        value={value}
        onChange={({ target }) => onChange(target.value === 'stop' || target.value === 'wait' ? target.value : '')}
      >
        <option value="">As usual{usual ? `: ${ON_LIMIT[usual].toLowerCase()}` : ''}</option>
        <option value="stop">{ON_LIMIT.stop}</option>
        <option value="wait">{ON_LIMIT.wait}</option>
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
