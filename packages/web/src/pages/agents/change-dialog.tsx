import type { AgentPlan, Job } from '@agent-mux/api/browser';
import { useQuery as useAnswer, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleX, LoaderCircle } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Button, Elapsed, Scrolled } from '../../components/primitives.tsx';
import { showErrorToast } from '../../components/toasts.tsx';
import { call } from '../../data/call.ts';
import { addLines } from './agents.logic.ts';
import { ResultsTable } from './results-table.tsx';

interface ChangeProps {
  agent: string;
  displayName: string;
  action: Job['action'];
  onClose(): void;
}

const POLL_MS = 700;
const STATES = { running: 'Running', completed: 'Done', failed: 'Failed', interrupted: 'Interrupted' } as const;
const LABELS = { install: 'Install', update: 'Update', verify: 'Verify' } as const;
const OPERATIONS = { install: 'installAgent', update: 'updateAgent', verify: 'verifyAgent' } as const;

/** Shows the plan first and runs exactly that plan. Closing the dialog does not stop the job. */
export function ChangeDialog({ agent, displayName, action, onClose }: ChangeProps) {
  const [job, setJob] = useState<Job>();
  const [lines, setLines] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [startError, setStartError] = useState<Error>();
  const queries = useQueryClient();
  const plan = useAnswer({
    queryKey: ['plan', agent, action],
    queryFn: ({ signal }) => call('planAgentChange', { params: { agent }, query: { action } }, signal),
    staleTime: 0,
    retry: false,
  });
  // A job that is already running replaces the plan.
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
    const poll = async () => {
      try {
        const now = await call('getJob', { params: { id }, query: { after } }, ended.signal);
        after = now.lastLine;
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
        showErrorToast(error);
      }
      timer = setTimeout(() => void poll(), POLL_MS);
    };
    setLines([]);
    void poll();
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [id, agent, queries]);

  const start = async () => {
    if (!plan.data || isBusy) return;
    setBusy(true);
    setStartError(undefined);
    try {
      const body = { commands: plan.data.commands };
      setJob(await call(OPERATIONS[action], { params: { agent }, body }));
      void queries.invalidateQueries({ queryKey: ['jobs'] });
    } catch (error) {
      setStartError(error instanceof Error ? error : new Error(String(error)));
      void plan.refetch();
    }
    setBusy(false);
  };
  return (
    <Dialog title={`${LABELS[job?.action ?? action]} ${displayName}`} size="large" onClose={onClose}>
      <div className="form">
        {plan.error && !job ? <ErrorMessage error={plan.error} /> : null}
        {startError ? <ErrorMessage error={startError} /> : null}
        {plan.isPending && !job ? <p className="muted">Preparing…</p> : null}
        {plan.data?.action === 'verify' && !job ? <VerifyPlan plan={plan.data} displayName={displayName} /> : null}
        {plan.data && plan.data.action !== 'verify' && !job ? (
          <>
            <p>
              These commands run on this machine as your user, with <b>{plan.data.method}</b>:
            </p>
            <Commands lines={plan.data.commands} />
            {plan.data.notes === undefined ? null : <p className="muted">{plan.data.notes}</p>}
          </>
        ) : null}
        {job ? <Progress job={job} lines={lines} /> : null}
        <div className="form-actions">
          <span className="grow" />
          {job?.state === 'running' ? (
            <Button
              look="danger"
              onClick={() => void call('cancelJob', { params: { id: job.id } }).catch(showErrorToast)}
            >
              {job.action === 'verify' ? 'Stop' : 'Cancel installer'}
            </Button>
          ) : null}
          <Button onClick={onClose}>{job ? 'Close' : 'Cancel'}</Button>
          {job ? null : (
            <Button look="next" disabled={!plan.data || isBusy} onClick={() => void start()}>
              {isBusy ? 'Starting…' : action === 'verify' ? 'Verify' : 'Run'}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

/** What a verification involves, shown before it starts. */
function VerifyPlan({ plan: { cases, commands }, displayName }: { plan: AgentPlan; displayName: string }) {
  const modes = new Set(cases.map(({ mode }) => mode));
  return (
    <>
      <p>
        Runs the installed {displayName} through <b>{cases.length} cases</b>
        {modes.size > 1 ? ` in ${modes.size} modes` : ''}, the same ones that verified its adapter.
      </p>
      <ul className="steps">
        <li>
          A scripted model on this machine answers instead of a real one: no account is used, nothing leaves this
          machine, and it costs nothing.
        </li>
        <li>
          Runs in a temporary home folder, which is removed afterwards. Files of failed cases are kept and listed.
        </li>
        <li>Takes a few minutes and significant CPU. You can stop it at any time.</li>
      </ul>
      <details>
        <summary>Cases</summary>
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls whenever lines are added.
  useEffect(() => {
    if (end.current) end.current.scrollTop = end.current.scrollHeight;
  }, [lines]);
  const { caseCount, results } = job;
  return (
    <>
      {job.action === 'verify' ? null : <Commands lines={job.commands} />}
      <p className="job-state" role="status" data-state={job.state}>
        {job.state === 'running' ? (
          <>
            <LoaderCircle className="icon spin" aria-hidden />
            {job.action === 'verify' ? ` ${results.length} of ${caseCount} cases done, ` : ' Running, '}
            <Elapsed since={job.startedAt} />
          </>
        ) : (
          <>
            {job.state === 'completed' ? (
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
        <progress className="job-progress" value={results.length} max={caseCount} aria-label="Cases" />
      ) : null}
      {results.length === 0 ? null : <ResultsTable results={[...results].reverse()} />}
      {job.hint === null ? null : <p className="muted">{job.hint}</p>}
      {lines.length === 0 ? null : (
        <Scrolled ref={end} label="Installer output" className="job-lines">
          {lines.join('\n')}
        </Scrolled>
      )}
    </>
  );
}
