import type { BudgetStatus, Session } from '@agent-mux/api/browser';
import { useQuery as useAnswer, useQueryClient } from '@tanstack/react-query';
import { call } from '../../data/call.ts';
import { Fault } from '../../parts/fault.tsx';
import { LimitActions, LimitOutlook } from '../../parts/limit-actions.tsx';
import { Link } from '../../parts/router.tsx';
import { Countdown } from '../../parts/small.tsx';
import { titleOf } from '../../parts/words.logic.ts';
import { CellBar } from './charts.tsx';
import { budgetText, limitWords } from './limits.logic.ts';

/** Who waits for a limit and until when, and what is left of the budgets. */
export function LimitsPart() {
  const limits = useAnswer({
    queryKey: ['limits'],
    queryFn: ({ signal }) => call('getLimits', {}, signal),
    staleTime: 2_000,
    refetchInterval: 15_000,
  });
  if (limits.error) return <Fault error={limits.error} />;
  if (!limits.data) return null;
  const { sessions, budgets } = limits.data;
  return (
    <>
      {sessions.length > 0 ? (
        <section aria-labelledby="limited">
          <h2 id="limited">
            Waiting for a limit <span className="count">{sessions.length}</span>
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
          {agent} · {limitWords(session)}
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
            <li key={`${budget.per} ${budget.of} ${budget.sessionId ?? ''}`} className="entry" data-step tabIndex={-1}>
              <div className="entry-main">
                <span className="entry-title">
                  {budget.of}{' '}
                  {budget.spent ? (
                    <span className="tag" data-tone="bad">
                      spent
                    </span>
                  ) : null}
                </span>
                <span className="muted">{text}</span>
              </div>
              <CellBar share={share} />
              {budget.spent ? (
                <span>
                  {budget.liftsAt === null ? 'until somebody raises it' : <Countdown until={budget.liftsAt} />}
                </span>
              ) : null}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
