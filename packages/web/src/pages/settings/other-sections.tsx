import { useQuery as useAnswer } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../data/call.ts';
import { Fault } from '../../parts/fault.tsx';
import { Age, Button } from '../../parts/small.tsx';
import { tell, tellFault } from '../../parts/toasts.tsx';
import { Budgets } from '../usage/limits-part.tsx';
import { bytesOf, spanOf } from './settings.logic.ts';
import { useOrder } from './use-order.ts';

const SHOWN = 20;

export function NotificationsSection() {
  const list = useAnswer({
    queryKey: ['notifications'],
    queryFn: ({ signal }) => call('listNotifications', { query: { limit: SHOWN } }, signal),
    staleTime: 0,
  });
  const order = useOrder('notifications');
  if (list.error) return <Fault error={list.error} />;
  const { targets = [], notifications = [], problems = [] } = list.data ?? {};
  const test = (target: string) =>
    order(async () => {
      const { notifications: sent } = await call('testNotification', { body: { target } });
      for (const { outcome, error } of sent)
        if (outcome !== 'sent') throw new Error(`${target}: ${error?.message ?? outcome}`);
    }, `${target} was told something harmless`);
  return (
    <section aria-labelledby="notifications">
      <h2 id="notifications">Notifications</h2>
      {problems.map((problem) => (
        <Fault key={problem} error={new Error(problem)} />
      ))}
      {list.data && targets.length === 0 ? (
        <p className="muted">
          Nobody is told anything outside of this page. Targets and rules are set in the field{' '}
          <code>daemon.notify</code> of the configuration file.
        </p>
      ) : null}
      <ul className="entries">
        {targets.map(({ name, type, place }) => (
          <li key={name} className="entry" data-step tabIndex={-1}>
            <div className="entry-main">
              <span className="entry-title">{name}</span>
              <span className="muted">
                {type} {place}
              </span>
            </div>
            <Button aria-label={`Test ${name}`} onClick={() => void test(name)}>
              Test
            </Button>
          </li>
        ))}
      </ul>
      {notifications.length === 0 ? null : (
        <details>
          <summary>The last {notifications.length} that were told</summary>
          <ul className="entries">
            {notifications.map(({ id, target, title, outcome, createdAt, error }) => (
              <li key={id} className="entry">
                <div className="entry-main">
                  <span>{title}</span>
                  <span className="muted">
                    {target}: {outcome}
                    {error ? `, ${error.message}` : ''}
                  </span>
                </div>
                <Age time={createdAt} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

export function BrowsersSection() {
  const browsers = useAnswer({
    queryKey: ['browsers'],
    queryFn: async ({ signal }) => (await call('listBrowsers', {}, signal)).browsers,
    staleTime: 0,
  });
  const order = useOrder('browsers');
  if (browsers.error) return <Fault error={browsers.error} />;
  return (
    <section aria-labelledby="browsers">
      <h2 id="browsers">Browsers that are signed in</h2>
      <p className="muted">
        <code>amux open</code> signs one in.
      </p>
      <ul className="entries">
        {(browsers.data ?? []).map(({ id, name, lastSeenAt, expiresAt, current }) => (
          <li key={id} className="entry" data-step tabIndex={-1}>
            <div className="entry-main">
              <span className="entry-title">
                {name} {current ? <span className="tag">this one</span> : null}
              </span>
              <span className="muted">
                seen <Age time={lastSeenAt} />, until {new Date(expiresAt).toLocaleDateString()}
              </span>
            </div>
            <Button
              look="danger"
              aria-label={`Sign out ${current ? 'this browser' : name}`}
              onClick={() => {
                const signOut = () => call('removeBrowser', { params: { id } });
                if (current) void signOut().then(() => window.location.assign('/'), tellFault);
                else void order(signOut, 'It is signed out');
              }}
            >
              Sign out
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function LimitsSection() {
  const limits = useAnswer({ queryKey: ['limits'], queryFn: ({ signal }) => call('getLimits', {}, signal) });
  if (limits.error) return <Fault error={limits.error} />;
  if (!limits.data) return null;
  const { rules, budgets } = limits.data;
  const { onLimit, hours, maxPerDay, today, staggerMs } = rules;
  return (
    <>
      <section aria-labelledby="at-limits">
        <h2 id="at-limits">At a limit</h2>
        <p className="muted">Set in the configuration file; a session may say otherwise when it is made.</p>
        <dl className="pairs">
          <Setting field="daemon.onLimit">
            {onLimit === 'wait' ? 'sessions go on by themselves when the limit is lifted' : 'sessions wait for you'}
          </Setting>
          <Setting field="daemon.limits.hours">{hours ?? 'at any time'}</Setting>
          <Setting field="daemon.limits.maxContinuationsPerDay">
            {maxPerDay}, today {today}
          </Setting>
          <Setting field="daemon.limits.stagger">{spanOf(staggerMs)} between two of one login</Setting>
        </dl>
      </section>
      {budgets.length > 0 ? (
        <Budgets budgets={budgets} />
      ) : (
        <section aria-labelledby="no-budgets">
          <h2 id="no-budgets">Budgets</h2>
          <p className="muted">
            None. They are set in the field <code>daemon.budgets</code> of the configuration file.
          </p>
        </section>
      )}
    </>
  );
}

export function RetentionSection() {
  const settings = useAnswer({ queryKey: ['settings'], queryFn: ({ signal }) => call('getSettings', {}, signal) });
  if (settings.error) return <Fault error={settings.error} />;
  if (!settings.data) return null;
  const { file, keepMs, keepBytes, storeActivity, idleParkMs, maxLiveSessions } = settings.data;
  const copy = () => navigator.clipboard.writeText(file).then(() => tell('The path is copied'), tellFault);
  return (
    <section aria-labelledby="retention">
      <h2 id="retention">What is kept</h2>
      <p className="muted">
        Only the configuration file sets these, and the daemon reads them when it starts:{' '}
        <code className="wrapped">{file}</code>{' '}
        <Button look="quiet" onClick={() => void copy()}>
          Copy the path
        </Button>
      </p>
      <dl className="pairs">
        <Setting field="daemon.keep">ended sessions are dropped after: {spanOf(keepMs)}</Setting>
        <Setting field="daemon.keepBytes">and the oldest above: {bytesOf(keepBytes)}</Setting>
        <Setting field="daemon.storeActivity">
          {storeActivity ? 'what is said in sessions is stored' : 'only how sessions go is stored, not what is said'}
        </Setting>
        <Setting field="daemon.idlePark">an idle session is parked after: {spanOf(idleParkMs)}</Setting>
        <Setting field="daemon.maxLiveSessions">{maxLiveSessions} processes of agents at once</Setting>
      </dl>
    </section>
  );
}

function Setting({ field, children }: { field: string; children: ReactNode }) {
  return (
    <div>
      <dt>
        <code>{field}</code>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
