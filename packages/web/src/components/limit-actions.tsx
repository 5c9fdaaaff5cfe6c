import type { Session } from '@agent-mux/api/browser';
import { useState } from 'react';
import { changeSession, runLimitAction } from './actions.ts';
import { limitOffers, limitOutlook } from './limit.logic.ts';
import { Button, Countdown } from './primitives.tsx';
import { Link } from './router.tsx';
import { SessionBudget } from './session-budget.tsx';

/** Buttons to resolve a limit, the same wherever one is shown. */
export function LimitActions({ session, onDone }: { session: Session; onDone?(): void }) {
  const [isRaising, setRaising] = useState(false);
  const { id } = session;
  const offers = limitOffers(session);
  const done = (work: Promise<boolean>) => void work.then(onDone);
  return (
    <>
      {offers.includes('raise') ? (
        <Button look="next" onClick={() => setRaising(true)}>
          Raise budget…
        </Button>
      ) : null}
      {offers.includes('settings') ? (
        <Link className="button" href="/settings#budgets">
          Raise in settings
        </Link>
      ) : null}
      {offers.includes('continue') ? (
        <Button onClick={() => done(changeSession(id, { onLimit: 'continue' }))}>Continue automatically</Button>
      ) : null}
      {offers.includes('cancel') ? (
        <Button onClick={() => done(runLimitAction('cancelContinuation', id))}>Don’t continue</Button>
      ) : null}
      {offers.includes('now') ? (
        <Button onClick={() => done(runLimitAction('continueSession', id))}>Continue now</Button>
      ) : null}
      {isRaising ? <SessionBudget session={session} onClose={() => setRaising(false)} /> : null}
    </>
  );
}

/** How and when a limited session proceeds. */
export function LimitOutlook({ session }: { session: Session }) {
  const outlook = limitOutlook(session);
  if (outlook === null) return null;
  return (
    <span className="muted">
      {outlook.text} {outlook.at === null ? null : <Countdown until={outlook.at} passed="now" />}
    </span>
  );
}
