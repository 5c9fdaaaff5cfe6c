import { Command } from 'cmdk';
import { type ReactNode, useState } from 'react';
import { currentRows } from '../data/rows.ts';
import { Dialog } from '../parts/dialog.tsx';
import { navigate } from '../parts/router.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { titleOf } from '../parts/words.logic.ts';
import { showOverlay } from './overlays.ts';
import { listPageActions } from './page-actions.ts';
import { PAGES } from './pages.tsx';
import { setPreferences } from './preferences.ts';

const MOST_SESSIONS = 200;

/** Everything by its name: pages, sessions, orders. */
export function Palette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('');
  const isFlat = text.trim() !== '';
  const run = (work: () => void) => () => {
    onClose();
    work();
  };
  const sessions = [...currentRows().sessions.values()]
    .sort((a, b) => b.lastActiveAt - a.lastActiveAt)
    .slice(0, MOST_SESSIONS);
  return (
    <Dialog title="Commands" hideTitle onClose={onClose}>
      <Command label="Commands" className="palette" loop>
        <Command.Input placeholder="A page, a session, an order…" value={text} onValueChange={setText} />
        <Command.List>
          <Command.Empty>Nothing is called so.</Command.Empty>
          {listPageActions().map(({ heading, actions }) => (
            <Section key={heading} heading={heading} isFlat={isFlat}>
              {actions
                .filter(({ isDisabled }) => isDisabled !== true)
                .map(({ label, keys, onSelect }) => (
                  <Command.Item key={label} value={`${label} ${heading}`} onSelect={run(onSelect)}>
                    {label} {keys ? <kbd>{keys}</kbd> : null}
                  </Command.Item>
                ))}
            </Section>
          ))}
          <Section heading="Do" isFlat={isFlat}>
            <Command.Item onSelect={run(() => showOverlay('new-session'))}>
              New session <kbd>C</kbd>
            </Command.Item>
            <Command.Item onSelect={run(() => setPreferences({ theme: 'light' }))}>Light theme</Command.Item>
            <Command.Item onSelect={run(() => setPreferences({ theme: 'dark' }))}>Dark theme</Command.Item>
            <Command.Item onSelect={run(() => setPreferences({ theme: 'system' }))}>Theme of the system</Command.Item>
            <Command.Item onSelect={run(() => showOverlay('help'))}>
              Keys <kbd>?</kbd>
            </Command.Item>
          </Section>
          <Section heading="Go to" isFlat={isFlat}>
            {PAGES.filter(({ icon }) => icon).map(({ path, title, key }) => (
              <Command.Item key={path} onSelect={run(() => navigate(path))}>
                {title}{' '}
                {key ? (
                  <span className="keys">
                    <kbd>G</kbd> <kbd>{key.toUpperCase()}</kbd>
                  </span>
                ) : null}
              </Command.Item>
            ))}
          </Section>
          {sessions.length > 0 ? (
            <Section heading="Sessions" isFlat={isFlat}>
              {sessions.map((session) => (
                <Command.Item
                  key={session.id}
                  value={`${titleOf(session)} ${session.agent} ${session.cwd} ${session.id}`}
                  onSelect={run(() => navigate(`/sessions/${session.id}`))}
                >
                  <StateMark session={session} />
                  <span className="cut">{titleOf(session)}</span>
                  <span className="faint">{session.agent}</span>
                </Command.Item>
              ))}
            </Section>
          ) : null}
        </Command.List>
      </Command>
    </Dialog>
  );
}

/** Groups stay in their order, whatever is looked for: what fits best comes first only where there are none. */
function Section({ heading, isFlat, children }: { heading: string; isFlat: boolean; children: ReactNode }) {
  return isFlat ? children : <Command.Group heading={heading}>{children}</Command.Group>;
}
