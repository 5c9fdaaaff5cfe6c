import { lazy, Suspense, useEffect } from 'react';
import { Empty } from '../components/primitives.tsx';
import { hasFocusJustMoved } from '../components/request/hand-over-focus.ts';
import { Link, navigate, usePath } from '../components/router.tsx';
import { Toasts } from '../components/toasts.tsx';
import { useInbox } from '../data/inbox.ts';
import { useConnection } from '../data/rows.ts';
import { ConnectionLine } from './connection-line.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { focusedStep, stepFocus, useKeys } from './keys.ts';
import { Navigation } from './navigation.tsx';
import { Announcer } from './notifications/announcer.tsx';
import { showOverlay, useOverlay } from './overlays.ts';
import { findPage, PAGES } from './pages.tsx';
import { SignIn } from './sign-in.tsx';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const Help = lazy(async () => ({ default: (await import('./help.tsx')).Help }));
const NewSession = lazy(async () => ({ default: (await import('../pages/new-session/new-session.tsx')).NewSession }));

export function App() {
  const path = usePath();
  const connection = useConnection();
  const waiting = useInbox().length;
  const found = findPage(path);
  const title = found?.page.title ?? 'Not found';
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} · agent-mux`;
  }, [title, waiting]);
  useKeys(KEYS);
  if (connection === 'signed-out') return <SignIn />;
  return (
    <>
      <ConnectionLine />
      <div className="shell">
        <a className="skip" href="#main">
          Skip to content
        </a>
        <Navigation path={path} waiting={waiting} />
        <main id="main" tabIndex={-1}>
          <ErrorBoundary key={path}>
            <Suspense fallback={<p className="loading">Loading…</p>}>
              {found ? (
                <found.page.view key={path} params={found.params} />
              ) : (
                <Empty title="Page not found">
                  <p>
                    <Link className="text-link" href="/">
                      Go to the inbox
                    </Link>
                  </p>
                </Empty>
              )}
            </Suspense>
          </ErrorBoundary>
        </main>
      </div>
      <Suspense>
        <Overlays />
      </Suspense>
      <Toasts />
      <Announcer />
    </>
  );
}

function Overlays() {
  const overlay = useOverlay();
  const close = () => showOverlay('none');
  if (overlay === 'palette') return <Palette onClose={close} />;
  if (overlay === 'help') return <Help onClose={close} />;
  return overlay === 'new-session' ? <NewSession onClose={close} /> : null;
}

const KEYS = [
  { keys: 'mod+k', label: 'Commands', group: 'Everywhere', run: () => showOverlay('palette') },
  { keys: '?', label: 'Keyboard shortcuts', group: 'Everywhere', run: () => showOverlay('help') },
  { keys: 'c', label: 'New session', group: 'Everywhere', run: () => showOverlay('new-session') },
  { keys: 'j', label: 'Next', group: 'Lists', repeats: true, run: () => stepFocus(1) },
  { keys: 'k', label: 'Previous', group: 'Lists', repeats: true, run: () => stepFocus(-1) },
  { keys: 'ArrowDown', repeats: true, run: () => stepFocus(1) },
  { keys: 'ArrowUp', repeats: true, run: () => stepFocus(-1) },
  { keys: 'Enter', label: 'Open', group: 'Lists', run: openStep },
  { keys: 'a', label: 'Approve selected', group: 'Lists', run: () => press('approve') },
  { keys: 'd', label: 'Deny selected', group: 'Lists', run: () => press('deny') },
  { keys: 'l', label: 'Snooze or dismiss', group: 'Lists', run: () => press('snooze') },
  { keys: 'p', label: 'Pin', group: 'Lists', run: () => press('pin') },
  { keys: '/', label: 'Search', group: 'Lists', run: focusSearch },
  ...PAGES.flatMap(({ path, title, key }) =>
    key === undefined ? [] : [{ keys: `g ${key}`, label: title, group: 'Go to', run: () => navigate(path) }],
  ),
];

/** Activates the focused button or link, else opens the selected entry. */
function openStep(): void {
  const active = document.activeElement;
  if (active instanceof HTMLElement && /^(?:BUTTON|A|SUMMARY)$/.test(active.tagName)) active.click();
  else focusedStep()?.querySelector<HTMLElement>('[data-open]')?.click();
}

/** Presses a button of the selected entry. If nothing is selected, only selects the first entry with such a button. */
function press(name: string): void {
  if (hasFocusJustMoved()) return;
  const step = focusedStep();
  const button = step?.querySelector<HTMLButtonElement>(`[data-key="${name}"]:not(:disabled)`);
  if (button) button.click();
  else if (!step) {
    const first = document.querySelector<HTMLElement>(`main [data-step]:has([data-key="${name}"])`);
    first?.focus();
    first?.scrollIntoView({ block: 'nearest' });
  }
}

function focusSearch(): void {
  document.querySelector<HTMLInputElement>('main input[type="search"]')?.focus();
}
