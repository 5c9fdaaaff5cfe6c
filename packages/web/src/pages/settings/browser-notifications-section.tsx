import '../../styles/notices.css';
import { useEffect, useState } from 'react';
import { permission } from '../../shell/notifications/browser-notifications.ts';
import { NOTICE_KINDS, type NoticeKind } from '../../shell/notifications/notices.logic.ts';
import { setNotificationSettings, useNotificationSettings } from '../../shell/notifications/notification-settings.ts';

const LABELS: Readonly<Record<NoticeKind, string>> = {
  request: 'Approvals and questions',
  failure: 'Failures',
  limit: 'Limits',
  done: 'Turns that took 30 seconds or more',
};

/** Settings of system notifications, shown while no dashboard page is visible. */
export function BrowserNotificationsSection() {
  const { isOn, kinds } = useNotificationSettings();
  const [allowed, refresh] = usePermission();
  const toggle = async (next: boolean) => {
    if (next && permission() === 'default') await Notification.requestPermission();
    // Denying the browser's prompt turns notifications off.
    setNotificationSettings({ isOn: next && permission() !== 'denied' });
    refresh();
  };
  return (
    <section aria-labelledby="browser-notices">
      <h2 id="browser-notices">In this browser</h2>
      <p className="muted">
        Shows a system notification while a dashboard page is open but not visible. It disappears once you answer, on
        any device.
      </p>
      {allowed === 'missing' ? (
        <p className="muted">
          This browser does not support notifications. On an iPhone, add this page to the home screen.
        </p>
      ) : (
        <label className="check">
          <input
            type="checkbox"
            checked={isOn && allowed !== 'denied'}
            disabled={allowed === 'denied'}
            onChange={({ target }) => void toggle(target.checked)}
          />
          Notify me in this browser
        </label>
      )}
      {allowed === 'denied' ? (
        <p className="muted" role="status">
          The browser blocks notifications from this page. Allow them in the site settings next to the address bar, then
          turn them on here.
        </p>
      ) : null}
      {isOn && allowed === 'default' ? (
        <p className="muted" role="status">
          The browser has no permission yet. Answer its prompt, or turn notifications on again.
        </p>
      ) : null}
      {isOn && allowed === 'granted' ? (
        <fieldset className="notice-kinds" aria-label="Notify me about">
          {NOTICE_KINDS.map((kind) => (
            <label key={kind} className="check">
              <input
                type="checkbox"
                checked={kinds[kind]}
                onChange={({ target }) => setNotificationSettings({ kinds: { ...kinds, [kind]: target.checked } })}
              />
              {LABELS[kind]}
            </label>
          ))}
        </fieldset>
      ) : null}
    </section>
  );
}

/** The current permission, updated when it changes in the browser's settings. */
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
