import { useQuery as useAnswer } from '@tanstack/react-query';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Age, Button } from '../../components/primitives.tsx';
import { showErrorToast } from '../../components/toasts.tsx';
import { call } from '../../data/call.ts';
import { browserText } from './settings.logic.ts';
import { useMutation } from './use-mutation.ts';

export function BrowsersSection() {
  const browsers = useAnswer({
    queryKey: ['browsers'],
    queryFn: async ({ signal }) => (await call('listBrowsers', {}, signal)).browsers,
    staleTime: 0,
  });
  const mutate = useMutation('browsers');
  if (browsers.error) return <ErrorMessage error={browsers.error} />;
  return (
    <section aria-labelledby="browsers">
      <h2 id="browsers">Signed-in browsers</h2>
      <p className="muted">
        Run <code>amux open</code> to sign in a browser.
      </p>
      <ul className="entries">
        {(browsers.data ?? []).map(({ id, name, lastSeenAt, expiresAt, current }) => (
          <li key={id} className="entry" data-step tabIndex={-1}>
            <div className="entry-main">
              <span className="entry-title">
                <span title={name}>{browserText(name)}</span>{' '}
                {current ? <span className="tag">this browser</span> : null}
              </span>
              <span className="muted">
                last seen <Age time={lastSeenAt} />, expires {new Date(expiresAt).toLocaleDateString()}
              </span>
            </div>
            <Button
              look="danger"
              aria-label={`Sign out ${current ? 'this browser' : browserText(name)}`}
              onClick={() => {
                const signOut = () => call('removeBrowser', { params: { id } });
                if (current) void signOut().then(() => window.location.assign('/'), showErrorToast);
                else void mutate(signOut, 'Signed out');
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
