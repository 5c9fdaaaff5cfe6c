import type { Session } from '@agent-mux/api/browser';
import { useState } from 'react';
import { limitOffers, limitOutlook } from './limit.logic.ts';
import { changeSession, orderLimit } from './orders.ts';
import { Link } from './router.tsx';
import { SessionBudget } from './session-budget.tsx';
import { Button, Countdown } from './small.tsx';

/** How a limit is answered; the same wherever one is shown. */
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
          Raise it in the settings
        </Link>
      ) : null}
      {offers.includes('wait') ? (
        <Button onClick={() => done(changeSession(id, { onLimit: 'wait' }))}>Go on by itself</Button>
      ) : null}
      {offers.includes('cancel') ? (
        <Button onClick={() => done(orderLimit('cancelLimit', id))}>Do not go on</Button>
      ) : null}
      {offers.includes('now') ? <Button onClick={() => done(orderLimit('continueLimit', id))}>Go on now</Button> : null}
      {isRaising ? <SessionBudget session={session} onClose={() => setRaising(false)} /> : null}
    </>
  );
}

/** What becomes of it, and when. */
export function LimitOutlook({ session }: { session: Session }) {
  const outlook = limitOutlook(session);
  if (outlook === null) return null;
  return (
    <span className="muted">
      {outlook.words} {outlook.at === null ? null : <Countdown until={outlook.at} passed="by now" />}
    </span>
  );
}
