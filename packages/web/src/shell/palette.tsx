import { Command } from 'cmdk';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { titleOf } from '../components/labels.logic.ts';
import { navigate } from '../components/router.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { currentRows } from '../data/rows.ts';
import { showOverlay } from './overlays.ts';
import { listPageActions } from './page-actions.ts';
import { PAGES } from './pages.tsx';
import { setPreferences } from './preferences.ts';

const MAX_SESSIONS = 200;

/** Command palette: pages, sessions and actions by name. */
export function Palette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('');
  const isFlat = text.trim() !== '';
  const run = (work: () => void) => () => {
    onClose();
    work();
  };
  const sessions = [...currentRows().sessions.values()]
    .sort((a, b) => b.lastActiveAt - a.lastActiveAt)
    .slice(0, MAX_SESSIONS);
  return (
    <Dialog title="Commands" hideTitle onClose={onClose}>
      <Command label="Commands" className="palette" loop>
        <Command.Input placeholder="Search pages, sessions and commands…" value={text} onValueChange={setText} />
        <Command.List>
          <Command.Empty>No results.</Command.Empty>
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
          <Section heading="Actions" isFlat={isFlat}>
            <Command.Item onSelect={run(() => showOverlay('new-session'))}>
              New session <kbd>C</kbd>
            </Command.Item>
            <Command.Item onSelect={run(() => setPreferences({ theme: 'light' }))}>Light theme</Command.Item>
            <Command.Item onSelect={run(() => setPreferences({ theme: 'dark' }))}>Dark theme</Command.Item>
            <Command.Item onSelect={run(() => setPreferences({ theme: 'system' }))}>System theme</Command.Item>
            <Command.Item onSelect={run(() => showOverlay('help'))}>
              Keyboard shortcuts <kbd>?</kbd>
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

/** Groups keep their order while searching, so results are ungrouped to show the best match first. */
function Section({ heading, isFlat, children }: { heading: string; isFlat: boolean; children: ReactNode }) {
  return isFlat ? children : <Command.Group heading={heading}>{children}</Command.Group>;
}
