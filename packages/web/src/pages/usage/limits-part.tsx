import type { BudgetStatus, Session } from '@agent-mux/api/browser';
import { useQuery as useAnswer, useQueryClient } from '@tanstack/react-query';
import { ErrorMessage } from '../../components/error-message.tsx';
import { titleOf } from '../../components/labels.logic.ts';
import { LimitActions, LimitOutlook } from '../../components/limit-actions.tsx';
import { Countdown } from '../../components/primitives.tsx';
import { Link } from '../../components/router.tsx';
import { call } from '../../data/call.ts';
import { CellBar } from './charts.tsx';
import { budgetText, limitText } from './limits.logic.ts';

/** Limited sessions with their outlook, and the status of budgets. */
export function LimitsPart() {
  const limits = useAnswer({
    queryKey: ['limits'],
    queryFn: ({ signal }) => call('getLimits', {}, signal),
    staleTime: 2_000,
    refetchInterval: 15_000,
  });
  if (limits.error) return <ErrorMessage error={limits.error} />;
  if (!limits.data) return null;
  const { sessions, budgets } = limits.data;
  return (
    <>
      {sessions.length > 0 ? (
        <section aria-labelledby="limited">
          <h2 id="limited">
            Paused by a limit <span className="count">{sessions.length}</span>
          </h2>
          <ul className="entries">
            {sessions.map((session) => (
              <Limited key={session.id} session={session} />
            ))}
          </ul>
        </section>
      ) : null}
      {budgets.length > 0 ? <Budgets budgets={budgets} /> : null}
    </>
  );
}

function Limited({ session }: { session: Session }) {
  const queries = useQueryClient();
  const { id, agent } = session;
  return (
    <li className="entry" data-step tabIndex={-1}>
      <div className="entry-main">
        <Link className="entry-title cut" href={`/sessions/${id}`} data-open>
          {titleOf(session)}
        </Link>
        <span className="muted">
          {agent} · {limitText(session)}
        </span>
      </div>
      <LimitOutlook session={session} />
      <span className="entry-actions">
        <LimitActions session={session} onDone={() => void queries.invalidateQueries({ queryKey: ['limits'] })} />
      </span>
    </li>
  );
}

function Budgets({ budgets }: { budgets: readonly BudgetStatus[] }) {
  return (
    <section aria-labelledby="budgets">
      <h2 id="budgets">Budgets</h2>
      <ul className="entries">
        {budgets.map((budget) => {
          const { text, share } = budgetText(budget);
          return (
            <li
              key={`${budget.per} ${budget.label} ${budget.sessionId ?? ''}`}
              className="entry"
              data-step
              tabIndex={-1}
            >
              <div className="entry-main">
                <span className="entry-title">
                  {budget.label}{' '}
                  {budget.exhausted ? (
                    <span className="tag" data-tone="bad">
                      used up
                    </span>
                  ) : null}
                </span>
                <span className="muted">{text}</span>
              </div>
              <CellBar share={share} />
              {budget.exhausted ? (
                <span>{budget.resetsAt === null ? 'until you raise it' : <Countdown until={budget.resetsAt} />}</span>
              ) : null}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
