import '../../styles/tables.css';
import type { AgentDetail, Job } from '@agent-mux/api/browser';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useAgent, useModels } from '../../data/agents.ts';
import { call } from '../../data/call.ts';
import { Fault } from '../../parts/fault.tsx';
import { tokensOf } from '../../parts/format.logic.ts';
import { Link } from '../../parts/router.tsx';
import { Age, Button, Empty } from '../../parts/small.tsx';
import { capabilityRows, evidenceWords, installedWords, lastVerified, verifiedWords } from './agents.logic.ts';
import { ChangeDialog } from './change-dialog.tsx';
import { ProofTable } from './proof-table.tsx';
import { useJobs } from './use-jobs.ts';

const MOST_MODELS = 200;

export function AgentPage({ params: { agent = '' } }: { params: Readonly<Record<string, string>> }) {
  const detail = useAgent(agent);
  const name = detail.data?.displayName ?? agent;
  useEffect(() => {
    document.title = `${name} · agent-mux`;
  }, [name]);
  if (detail.error) {
    return (
      <Empty title="This agent cannot be shown">
        <Fault error={detail.error} />
        <p>
          <Link className="text-link" href="/agents">
            All agents
          </Link>
        </p>
      </Empty>
    );
  }
  if (!detail.data) return <p className="loading">Loading…</p>;
  return <Detail detail={detail.data} />;
}

function Detail({ detail }: { detail: AgentDetail }) {
  const { agent, displayName, installed, cliPath, install, needsNoInstall } = detail;
  const [changes, setChanges] = useState<Job['action']>();
  return (
    <div className="page">
      <Link className="muted stored-back" href="/agents">
        <ArrowLeft className="icon" aria-hidden /> Agents
      </Link>
      <header className="page-head">
        <h1>{displayName}</h1>
        <span className="grow" />
        {needsNoInstall ? null : (
          <Button look={installed ? 'plain' : 'next'} onClick={() => setChanges(installed ? 'update' : 'install')}>
            {installed ? 'Update…' : 'Install…'}
          </Button>
        )}
        {installed && detail.evidence === 'proven' ? (
          <Button onClick={() => setChanges('verify')}>Verify…</Button>
        ) : null}
      </header>
      <div className="parts">
        <dl className="pairs">
          <Pair name="Version">{installedWords({ ...detail, modes: [] }).text}</Pair>
          <Pair name="Command">
            {cliPath === null ? needsNoInstall ? 'nothing to install' : 'none' : <code>{cliPath}</code>}
          </Pair>
          <Pair name="Adapter">
            {detail.source}, {evidenceWords(detail)}
          </Pair>
          {detail.activeModel === null ? null : <Pair name="Model">{detail.activeModel}</Pair>}
          {install.length === 0 ? null : (
            <Pair name="Installed by">
              {install.map(({ type, command }) => (
                <div key={type + command}>
                  <code>{command}</code>
                </div>
              ))}
            </Pair>
          )}
        </dl>
        <Verified detail={detail} />
        <Login agent={agent} displayName={displayName} />
        <Capabilities detail={detail} />
        <Models agent={agent} />
      </div>
      {changes ? (
        <ChangeDialog agent={agent} displayName={displayName} action={changes} onClose={() => setChanges(undefined)} />
      ) : null}
    </div>
  );
}

/** What came of the last time that it was verified on this machine, also before the daemon was started anew. */
function Verified({ detail: { agent, version } }: { detail: AgentDetail }) {
  const jobs = useJobs();
  const job = lastVerified(jobs.data ?? [], agent);
  if (!job) return null;
  const { text, tone } = verifiedWords(job, version);
  return (
    <section aria-labelledby="verified">
      <h2 id="verified">Verified here</h2>
      <p>
        <span data-tone={tone}>{text}</span>
        {job.state === 'running' ? ', at work' : null}
        {job.state === 'lost' ? `: ${job.message}` : null}, <Age time={job.endedAt ?? job.startedAt} />
      </p>
      <details open={job.state === 'failed'}>
        <summary>Case by case</summary>
        <ProofTable proofs={job.proofs} />
      </details>
    </section>
  );
}

function Pair({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const LOGIN_WORDS = {
  authenticated: 'Logged in',
  unauthenticated: 'Nobody is logged in',
  expired: 'The login has expired',
  unknown: 'Whether somebody is logged in is not known',
} as const;

function Login({ agent, displayName }: { agent: string; displayName: string }) {
  const login = useAnswer({
    queryKey: ['login', agent],
    queryFn: ({ signal }) => call('getLogin', { params: { agent } }, signal),
  });
  if (login.error) return <Fault error={login.error} />;
  if (!login.data) return <p className="loading">Loading…</p>;
  const { status, identity, method, details, steps, commands, docsUrl } = login.data;
  return (
    <section aria-labelledby="login">
      <h2 id="login">Login</h2>
      <p>
        {LOGIN_WORDS[status]}
        {identity === undefined ? '' : ` as ${identity}`}
        {method === undefined ? '' : `, by ${method}`}.{' '}
        {details === undefined ? null : <span className="muted">{details}</span>}
      </p>
      {steps.length === 0 && commands.length === 0 ? null : (
        <details open={status === 'unauthenticated' || status === 'expired'}>
          <summary>How to log in to {displayName}</summary>
          <ol className="steps">
            {steps.map((step) => (
              <li key={step}>
                <Commented text={step} />
              </li>
            ))}
          </ol>
          {commands.map(({ name, command }) => (
            <div key={name + command} className="step-command">
              <span className="muted">
                <Commented text={name} />
              </span>
              <pre className="command">{command}</pre>
            </div>
          ))}
          {docsUrl !== undefined && /^https:\/\//.test(docsUrl) ? (
            <a className="text-link" href={docsUrl} target="_blank" rel="noreferrer noopener">
              {docsUrl}
            </a>
          ) : null}
        </details>
      )}
    </section>
  );
}

/** What stands between backticks is a command. */
function Commented({ text }: { text: string }) {
  return (
    text
      .split('`')
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, which have no other name.
      .map((part, at) => (at % 2 === 0 ? <span key={at}>{part}</span> : <code key={at}>{part}</code>))
  );
}

function Capabilities({ detail }: { detail: AgentDetail }) {
  const rows = capabilityRows(detail);
  return (
    <section aria-labelledby="capabilities">
      <h2 id="capabilities">What it can do</h2>
      <div className="table-frame">
        <table className="table">
          <caption className="hidden-text">What it can do in each mode; the best mode first</caption>
          <thead>
            <tr>
              <th scope="col">
                <span className="hidden-text">Capability</span>
              </th>
              {detail.modes.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, label, values }) => (
              <tr key={name}>
                <th scope="row" title={name}>
                  {label}
                </th>
                {values.map((value, at) => (
                  <td key={detail.modes[at]?.name} data-value={value}>
                    {value}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Models({ agent }: { agent: string }) {
  const models = useModels(agent);
  if (models.error) return <Fault error={models.error} />;
  if (!models.data || models.data.models.length === 0) return null;
  const { source, problem, models: list } = models.data;
  return (
    <section aria-labelledby="models">
      <h2 id="models">
        Models <span className="count">{list.length}</span>
      </h2>
      <p className="muted">
        {source === 'agent' ? 'As the agent itself tells.' : 'As this version of agent-mux knows them.'}
        {problem === undefined ? '' : ` The agent was asked: ${problem}`}
      </p>
      <div className="table-frame">
        <table className="table">
          <caption className="hidden-text">Models</caption>
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">Id</th>
              <th scope="col" className="right">
                Context
              </th>
              <th scope="col">Thinks</th>
              <th scope="col">Pictures</th>
            </tr>
          </thead>
          <tbody>
            {list
              .slice(0, MOST_MODELS)
              .map(({ id, displayName, contextWindow, supportsThinking, supportsImageInput }) => (
                <tr key={id}>
                  <th scope="row">{displayName ?? id}</th>
                  <td>
                    <code>{id}</code>
                  </td>
                  <td className="right number">{tokensOf(contextWindow)}</td>
                  <td>{supportsThinking ? 'yes' : 'no'}</td>
                  <td>{supportsImageInput ? 'yes' : 'no'}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
