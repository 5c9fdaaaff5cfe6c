import '../../styles/notices.css';
import { useEffect, useState } from 'react';
import { NEWS_KINDS, type NewsKind } from '../../shell/news/news.logic.ts';
import { setNotices, useNoticeSettings } from '../../shell/news/notice-settings.ts';
import { permission } from '../../shell/news/notices.ts';

const WORDS: Readonly<Record<NewsKind, string>> = {
  request: 'What waits for you: an approval, a question',
  failure: 'A failure',
  limit: 'A limit',
  done: 'The end of a turn that took half a minute or more',
};

/** Tells in this browser, while nobody looks at the page. */
export function BrowserNotificationsSection() {
  const { isOn, kinds } = useNoticeSettings();
  const [allowed, refresh] = usePermission();
  const turn = async (next: boolean) => {
    if (next && permission() === 'default') await Notification.requestPermission();
    // Whoever says no there has said no here.
    setNotices({ isOn: next && permission() !== 'denied' });
    refresh();
  };
  return (
    <section aria-labelledby="browser-notices">
      <h2 id="browser-notices">In this browser</h2>
      <p className="muted">
        A notice of the system, while nobody looks at a page of the dashboard and one is open. It goes when it was
        answered, wherever that was.
      </p>
      {allowed === 'missing' ? (
        <p className="muted">This browser shows no notices of pages. On an iPhone: put the page on the home screen.</p>
      ) : (
        <label className="check">
          <input
            type="checkbox"
            checked={isOn && allowed !== 'denied'}
            disabled={allowed === 'denied'}
            onChange={({ target }) => void turn(target.checked)}
          />
          Tell me in this browser
        </label>
      )}
      {allowed === 'denied' ? (
        <p className="muted" role="status">
          The browser blocks notices of this page. Allow them in the settings of the site, beside its address; then turn
          it on here.
        </p>
      ) : null}
      {isOn && allowed === 'default' ? (
        <p className="muted" role="status">
          The browser has not been allowed to yet: answer its question, or turn it on once more.
        </p>
      ) : null}
      {isOn && allowed === 'granted' ? (
        <fieldset className="notice-kinds" aria-label="Tell me of">
          {NEWS_KINDS.map((kind) => (
            <label key={kind} className="check">
              <input
                type="checkbox"
                checked={kinds[kind]}
                onChange={({ target }) => setNotices({ kinds: { ...kinds, [kind]: target.checked } })}
              />
              {WORDS[kind]}
            </label>
          ))}
        </fieldset>
      ) : null}
    </section>
  );
}

/** As it is now, also where it was changed in the settings of the browser. */
function usePermission(): [ReturnType<typeof permission>, () => void] {
  const [allowed, setAllowed] = useState(permission);
  const refresh = () => setAllowed(permission());
  useEffect(() => {
    const ending = new AbortController();
    void navigator.permissions?.query({ name: 'notifications' }).then(
      (status) => {
        status.addEventListener('change', () => setAllowed(permission()), { signal: ending.signal });
      },
      () => undefined,
    );
    return () => ending.abort();
  }, []);
  return [allowed, refresh];
}
