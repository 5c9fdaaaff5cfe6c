import '../../styles/tables.css';
import type { AgentDetail, Job } from '@agent-mux/api/browser';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { tokensOf } from '../../components/format.logic.ts';
import { Age, Button, Empty } from '../../components/primitives.tsx';
import { Link } from '../../components/router.tsx';
import { useAgent, useModels } from '../../data/agents.ts';
import { call } from '../../data/call.ts';
import { capabilityRows, evidenceText, installedText, lastVerified, verifiedText } from './agents.logic.ts';
import { ChangeDialog } from './change-dialog.tsx';
import { ResultsTable } from './results-table.tsx';
import { useJobs } from './use-jobs.ts';

const MAX_MODELS = 200;

export function AgentPage({ params: { agent = '' } }: { params: Readonly<Record<string, string>> }) {
  const detail = useAgent(agent);
  const name = detail.data?.displayName ?? agent;
  useEffect(() => {
    document.title = `${name} · agent-mux`;
  }, [name]);
  if (detail.error) {
    return (
      <Empty title="Could not load this agent">
        <ErrorMessage error={detail.error} />
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
        {installed && detail.evidence === 'verified' ? (
          <Button onClick={() => setChanges('verify')}>Verify…</Button>
        ) : null}
      </header>
      <div className="parts">
        <dl className="pairs">
          <Pair name="Version">{installedText({ ...detail, modes: [] }).text}</Pair>
          <Pair name="Command">
            {cliPath === null ? needsNoInstall ? 'nothing to install' : 'none' : <code>{cliPath}</code>}
          </Pair>
          <Pair name="Adapter">
            {detail.source}, {evidenceText(detail)}
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

/** Result of the last verification on this machine, including those before a daemon restart. */
function Verified({ detail: { agent, version } }: { detail: AgentDetail }) {
  const jobs = useJobs();
  const job = lastVerified(jobs.data ?? [], agent);
  if (!job) return null;
  const { text, tone } = verifiedText(job, version);
  return (
    <section aria-labelledby="verified">
      <h2 id="verified">Verified here</h2>
      <p>
        <span data-tone={tone}>{text}</span>
        {job.state === 'running' ? ', running' : null}
        {job.state === 'interrupted' ? `: ${job.message}` : null}, <Age time={job.endedAt ?? job.startedAt} />
      </p>
      <details open={job.state === 'failed'}>
        <summary>Results by case</summary>
        <ResultsTable results={job.results} />
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

const LOGIN_TEXTS = {
  authenticated: 'Logged in',
  unauthenticated: 'Not logged in',
  expired: 'Login expired',
  unknown: 'Login status unknown',
} as const;

function Login({ agent, displayName }: { agent: string; displayName: string }) {
  const login = useAnswer({
    queryKey: ['login', agent],
    queryFn: ({ signal }) => call('getLogin', { params: { agent } }, signal),
  });
  if (login.error) return <ErrorMessage error={login.error} />;
  if (!login.data) return <p className="loading">Loading…</p>;
  const { status, identity, method, details, steps, commands, docsUrl } = login.data;
  return (
    <section aria-labelledby="login">
      <h2 id="login">Login</h2>
      <p>
        {LOGIN_TEXTS[status]}
        {identity === undefined ? '' : ` as ${identity}`}
        {method === undefined ? '' : `, via ${method}`}.{' '}
        {details === undefined ? null : <span className="muted">{details}</span>}
      </p>
      {steps.length === 0 && commands.length === 0 ? null : (
        <details open={status === 'unauthenticated' || status === 'expired'}>
          <summary>How to log in to {displayName}</summary>
          <ol className="steps">
            {steps.map((step) => (
              <li key={step}>
                <InlineCode text={step} />
              </li>
            ))}
          </ol>
          {commands.map(({ name, command }) => (
            <div key={name + command} className="step-command">
              <span className="muted">
                <InlineCode text={name} />
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

/** Renders text between backticks as code. */
function InlineCode({ text }: { text: string }) {
  return (
    text
      .split('`')
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other key.
      .map((part, at) => (at % 2 === 0 ? <span key={at}>{part}</span> : <code key={at}>{part}</code>))
  );
}

function Capabilities({ detail }: { detail: AgentDetail }) {
  const rows = capabilityRows(detail);
  return (
    <section aria-labelledby="capabilities">
      <h2 id="capabilities">Capabilities</h2>
      <div className="table-frame">
        <table className="table">
          <caption className="hidden-text">Capabilities by mode, best mode first</caption>
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
  if (models.error) return <ErrorMessage error={models.error} />;
  if (!models.data || models.data.models.length === 0) return null;
  const { source, problem, models: list } = models.data;
  return (
    <section aria-labelledby="models">
      <h2 id="models">
        Models <span className="count">{list.length}</span>
      </h2>
      <p className="muted">
        {source === 'agent' ? 'Reported by the agent.' : 'Bundled with this version of agent-mux.'}
        {problem === undefined ? '' : ` Could not query the agent: ${problem}`}
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
              <th scope="col">Thinking</th>
              <th scope="col">Images</th>
            </tr>
          </thead>
          <tbody>
            {list
              .slice(0, MAX_MODELS)
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
