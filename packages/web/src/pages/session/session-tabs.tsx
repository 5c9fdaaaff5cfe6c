import type { Session } from '@agent-mux/api/browser';
import { GitCompare, ListTree, type LucideIcon, MessagesSquare, SquareTerminal } from 'lucide-react';
import { useQuery } from '../../components/router.tsx';
import { useKeys } from '../../shell/keys.ts';
import { usePageActions } from '../../shell/page-actions.ts';

export type View = 'conversation' | 'changes' | 'terminal' | 'events';

const TABS: readonly { view: View; title: string; icon: LucideIcon }[] = [
  { view: 'conversation', title: 'Conversation', icon: MessagesSquare },
  { view: 'changes', title: 'Changes', icon: GitCompare },
  { view: 'terminal', title: 'Terminal', icon: SquareTerminal },
  { view: 'events', title: 'Events', icon: ListTree },
];

/** The visible view of a session, stored in the URL. A session in a terminal shows the terminal by default. */
export function useView({ origin }: Pick<Session, 'origin'>): [View, (view: View) => void] {
  const first = origin === 'terminal' ? 'terminal' : 'conversation';
  const [named, setNamed] = useQuery('view');
  const view = TABS.find((tab) => tab.view === named)?.view ?? first;
  return [view, (next) => setNamed(next === first ? '' : next)];
}

export function SessionTabs({ view, onView }: { view: View; onView(view: View): void }) {
  useKeys(
    TABS.map((tab, at) => ({ keys: String(at + 1), label: tab.title, group: 'Session', run: () => onView(tab.view) })),
  );
  usePageActions({
    heading: 'Session view',
    actions: TABS.map((tab, at) => ({ label: tab.title, keys: String(at + 1), onSelect: () => onView(tab.view) })),
  });
  return (
    <div className="session-tabs" role="tablist" aria-label="Session views">
      {TABS.map(({ view: each, title, icon: Icon }) => (
        <button
          key={each}
          type="button"
          role="tab"
          id={`tab-${each}`}
          aria-selected={each === view}
          aria-controls="session-view"
          className="session-tab"
          onClick={() => onView(each)}
        >
          <Icon className="icon" aria-hidden />
          <span>{title}</span>
        </button>
      ))}
    </div>
  );
}
