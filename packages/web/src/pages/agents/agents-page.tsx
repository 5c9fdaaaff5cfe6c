import '../../styles/tables.css';
import type { Agent, Job } from '@agent-mux/api/browser';
import { useMemo, useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Button } from '../../components/primitives.tsx';
import { Link } from '../../components/router.tsx';
import { useAgents } from '../../data/agents.ts';
import { evidenceText, installedText, lastVerified, loginText, orderAgents, verifiedText } from './agents.logic.ts';
import { ChangeDialog } from './change-dialog.tsx';
import { useJobs } from './use-jobs.ts';

/** All agents with an adapter, installed or not. */
export function AgentsPage() {
  const agents = useAgents();
  const jobs = useJobs();
  const ordered = useMemo(() => orderAgents(agents.data ?? []), [agents.data]);
  const [changed, setChanged] = useState<Agent>();
  const here = ordered.filter(({ installed }) => installed).length;
  return (
    <div className="page">
      <header className="page-head">
        <h1>
          Agents <span className="count">{here} installed</span>
        </h1>
        <span className="grow" />
        <Button onClick={() => void agents.refetch()} disabled={agents.isFetching}>
          {agents.isFetching ? 'Refreshing…' : 'Refresh'}
        </Button>
      </header>
      {agents.error ? <ErrorMessage error={agents.error} /> : null}
      {agents.isPending ? <p className="loading">Loading agents…</p> : null}
      <ul className="rows agent-rows">
        {ordered.map((agent) => (
          <AgentRow
            key={agent.agent}
            agent={agent}
            verified={lastVerified(jobs.data ?? [], agent.agent)}
            onChange={() => setChanged(agent)}
          />
        ))}
      </ul>
      {changed ? (
        <ChangeDialog
          agent={changed.agent}
          displayName={changed.displayName}
          action={changed.installed ? 'update' : 'install'}
          onClose={() => setChanged(undefined)}
        />
      ) : null}
    </div>
  );
}

function AgentRow({ agent, verified, onChange }: { agent: Agent; verified: Job | undefined; onChange(): void }) {
  const installed = installedText(agent);
  const login = loginText(agent);
  return (
    <li className="row" data-step tabIndex={-1}>
      <Link className="row-main" href={`/agents/${encodeURIComponent(agent.agent)}`} data-open>
        <span className="row-title cut">{agent.displayName}</span>
        <span className="row-line cut faint">{agent.source === 'plugin' ? 'plugin' : ''}</span>
      </Link>
      <span className="cut" data-tone={installed.tone} title={installed.text}>
        {installed.text}
      </span>
      <span className="cut row-login" data-tone={login.tone}>
        {login.text}
      </span>
      {verified ? (
        <span className="cut row-evidence" data-tone={verifiedText(verified, agent.version).tone} title="Verified here">
          {verifiedText(verified, agent.version).text}
        </span>
      ) : (
        <span className="cut faint row-evidence" title={evidenceText(agent)}>
          {agent.evidence ?? ''}
        </span>
      )}
      {agent.needsNoInstall ? (
        <span className="faint row-part">nothing to install</span>
      ) : (
        <Button onClick={onChange} aria-label={`${agent.installed ? 'Update' : 'Install'} ${agent.displayName}`}>
          {agent.installed ? 'Update…' : 'Install…'}
        </Button>
      )}
    </li>
  );
}
