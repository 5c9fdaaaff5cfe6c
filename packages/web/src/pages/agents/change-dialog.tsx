import type { AgentPlan, Job } from '@agent-mux/api/browser';
import { useQuery as useAnswer, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleX, LoaderCircle } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../data/call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Fault } from '../../parts/fault.tsx';
import { Button, Elapsed, Scrolled } from '../../parts/small.tsx';
import { tellFault } from '../../parts/toasts.tsx';
import { addLines } from './agents.logic.ts';
import { ProofTable } from './proof-table.tsx';

interface ChangeProps {
  agent: string;
  displayName: string;
  action: Job['action'];
  onClose(): void;
}

const ASK_MS = 700;
const STATES = { running: 'At work', done: 'Done', failed: 'It failed', lost: 'Cut off' } as const;
const WORDS = { install: 'Install', update: 'Update', verify: 'Verify' } as const;
const ORDERS = { install: 'installAgent', update: 'updateAgent', verify: 'verifyAgent' } as const;

/** What would be done is shown first, and only that is done. Closing it leaves it at work. */
export function ChangeDialog({ agent, displayName, action, onClose }: ChangeProps) {
  const [job, setJob] = useState<Job>();
  const [lines, setLines] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Error>();
  const queries = useQueryClient();
  const plan = useAnswer({
    queryKey: ['plan', agent, action],
    queryFn: ({ signal }) => call('planAgentChange', { params: { agent }, query: { action } }, signal),
    staleTime: 0,
    retry: false,
  });
  // One that somebody has begun is shown in the place of the plan.
  useEffect(() => {
    const ended = new AbortController();
    void call('listJobs', {}, ended.signal).then(
      ({ jobs }) => setJob((known) => known ?? jobs.find((each) => each.agent === agent && each.state === 'running')),
      () => undefined,
    );
    return () => ended.abort();
  }, [agent]);

  const id = job?.id;
  useEffect(() => {
    if (id === undefined) return;
    const ended = new AbortController();
    let after = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        const now = await call('getJob', { params: { id }, query: { after } }, ended.signal);
        after = now.last;
        setLines((before) => addLines(before, now.lines));
        setJob(now);
        if (now.state !== 'running') {
          void queries.invalidateQueries({ queryKey: ['agents'] });
          void queries.invalidateQueries({ queryKey: ['agent', agent] });
          void queries.invalidateQueries({ queryKey: ['models', agent] });
          void queries.invalidateQueries({ queryKey: ['jobs'] });
          return;
        }
      } catch (error) {
        if (ended.signal.aborted) return;
        tellFault(error);
      }
      timer = setTimeout(() => void look(), ASK_MS);
    };
    setLines([]);
    void look();
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [id, agent, queries]);

  const begin = async () => {
    if (!plan.data || isBusy) return;
    setBusy(true);
    setFault(undefined);
    try {
      const body = { commands: plan.data.commands };
      setJob(await call(ORDERS[action], { params: { agent }, body }));
      void queries.invalidateQueries({ queryKey: ['jobs'] });
    } catch (error) {
      setFault(error instanceof Error ? error : new Error(String(error)));
      void plan.refetch();
    }
    setBusy(false);
  };
  return (
    <Dialog title={`${WORDS[job?.action ?? action]} ${displayName}`} size="large" onClose={onClose}>
      <div className="form">
        {plan.error && !job ? <Fault error={plan.error} /> : null}
        {fault ? <Fault error={fault} /> : null}
        {plan.isPending && !job ? <p className="muted">Making the plan…</p> : null}
        {plan.data?.action === 'verify' && !job ? <ProofPlan plan={plan.data} displayName={displayName} /> : null}
        {plan.data && plan.data.action !== 'verify' && !job ? (
          <>
            <p>
              This is run on this machine, as you, by <b>{plan.data.method}</b>:
            </p>
            <Commands lines={plan.data.commands} />
            {plan.data.notes === undefined ? null : <p className="muted">{plan.data.notes}</p>}
          </>
        ) : null}
        {job ? <Progress job={job} lines={lines} /> : null}
        <div className="form-actions">
          <span className="grow" />
          {job?.state === 'running' ? (
            <Button look="danger" onClick={() => void call('cancelJob', { params: { id: job.id } }).catch(tellFault)}>
              {job.action === 'verify' ? 'Stop it' : 'Cancel the installer'}
            </Button>
          ) : null}
          <Button onClick={onClose}>{job ? 'Close' : 'Do nothing'}</Button>
          {job ? null : (
            <Button look="next" disabled={!plan.data || isBusy} onClick={() => void begin()}>
              {isBusy ? 'Starting…' : action === 'verify' ? 'Verify' : 'Run it'}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

/** What it takes, before it is begun. */
function ProofPlan({ plan: { cases, commands }, displayName }: { plan: AgentPlan; displayName: string }) {
  const modes = new Set(cases.map(({ mode }) => mode));
  return (
    <>
      <p>
        The {displayName} that is installed here is driven through <b>{cases.length} cases</b>
        {modes.size > 1 ? ` in ${modes.size} modes` : ''}, the same that its adapter was proven with.
      </p>
      <ul className="steps">
        <li>
          A scripted model on this machine answers in place of a real one: no account is used, nothing is sent to
          anybody, and it costs nothing.
        </li>
        <li>
          It works in a home folder of its own, which is removed. Only what a failed case leaves is kept, and named.
        </li>
        <li>It takes minutes, and a good part of the processor. It can be stopped.</li>
      </ul>
      <details>
        <summary>The cases</summary>
        <ol className="steps">
          {cases.map(({ mode, case: id, title }) => (
            <li key={`${mode} ${id}`}>
              {title} <span className="faint">{mode}</span>
            </li>
          ))}
        </ol>
      </details>
      <p className="muted">
        In a terminal: <code>{commands.join('; ')}</code>
      </p>
    </>
  );
}

function Commands({ lines }: { lines: readonly string[] }) {
  return (
    <Scrolled label="Commands" className="command">
      {lines.join('\n')}
    </Scrolled>
  );
}

function Progress({ job, lines }: { job: Job; lines: readonly string[] }) {
  const end = useRef<HTMLPreElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there are more lines.
  useEffect(() => {
    if (end.current) end.current.scrollTop = end.current.scrollHeight;
  }, [lines]);
  const { cases, proofs } = job;
  return (
    <>
      {job.action === 'verify' ? null : <Commands lines={job.commands} />}
      <p className="job-state" role="status" data-state={job.state}>
        {job.state === 'running' ? (
          <>
            <LoaderCircle className="icon spin" aria-hidden />
            {job.action === 'verify' ? ` ${proofs.length} of ${cases} tried, ` : ' at work, '}for{' '}
            <Elapsed since={job.startedAt} />
          </>
        ) : (
          <>
            {job.state === 'done' ? (
              <CircleCheck className="icon" aria-hidden />
            ) : (
              <CircleX className="icon" aria-hidden />
            )}
            <span>
              {STATES[job.state]}: {job.message ?? ''}
            </span>
          </>
        )}
      </p>
      {job.action === 'verify' && job.state === 'running' ? (
        <progress className="job-progress" value={proofs.length} max={cases} aria-label="Cases" />
      ) : null}
      {proofs.length === 0 ? null : <ProofTable proofs={[...proofs].reverse()} />}
      {job.remedy === null ? null : <p className="muted">{job.remedy}</p>}
      {lines.length === 0 ? null : (
        <Scrolled ref={end} label="What the installer prints" className="job-lines">
          {lines.join('\n')}
        </Scrolled>
      )}
    </>
  );
}
