import { useQuery as useAnswer } from '@tanstack/react-query';
import { call } from '../../data/call.ts';
import { Fault } from '../../parts/fault.tsx';
import { Age, Button } from '../../parts/small.tsx';
import { tellFault } from '../../parts/toasts.tsx';
import { browserWords } from './settings.logic.ts';
import { useOrder } from './use-order.ts';

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
                <span title={name}>{browserWords(name)}</span> {current ? <span className="tag">this one</span> : null}
              </span>
              <span className="muted">
                seen <Age time={lastSeenAt} />, until {new Date(expiresAt).toLocaleDateString()}
              </span>
            </div>
            <Button
              look="danger"
              aria-label={`Sign out ${current ? 'this browser' : browserWords(name)}`}
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
