import { Bot, ChartColumn, History, Inbox, ListTree, type LucideIcon, ScrollText, Settings } from 'lucide-react';
import { type ComponentType, lazy } from 'react';

/**
 * All pages with path, title and component. This is the only list to extend for a new page. Each page is loaded when it
 * is first opened.
 */
export interface Page {
  /** Path pattern; `:name` is a parameter. */
  path: string;
  title: string;
  /** Absent: the page is not in the navigation. */
  icon?: LucideIcon;
  /** Key of the shortcut `g` + key. */
  key?: string;
  view: ComponentType<{ params: Readonly<Record<string, string>> }>;
}

export const PAGES: readonly Page[] = [
  {
    path: '/',
    title: 'Inbox',
    icon: Inbox,
    key: 'i',
    view: lazy(async () => ({ default: (await import('../pages/inbox/inbox-page.tsx')).InboxPage })),
  },
  {
    path: '/sessions',
    title: 'Sessions',
    icon: ListTree,
    key: 's',
    view: lazy(async () => ({ default: (await import('../pages/sessions/sessions-page.tsx')).SessionsPage })),
  },
  {
    path: '/sessions/:id',
    title: 'Session',
    view: lazy(async () => ({ default: (await import('../pages/session/session-page.tsx')).SessionPage })),
  },
  {
    path: '/history',
    title: 'History',
    icon: History,
    key: 'h',
    view: lazy(async () => ({ default: (await import('../pages/history/history-page.tsx')).HistoryPage })),
  },
  {
    path: '/history/:agent/:agentSessionId',
    title: 'History',
    view: lazy(async () => ({ default: (await import('../pages/history/stored-page.tsx')).StoredPage })),
  },
  {
    path: '/usage',
    title: 'Usage',
    icon: ChartColumn,
    key: 'u',
    view: lazy(async () => ({ default: (await import('../pages/usage/usage-page.tsx')).UsagePage })),
  },
  {
    path: '/agents',
    title: 'Agents',
    icon: Bot,
    key: 'a',
    view: lazy(async () => ({ default: (await import('../pages/agents/agents-page.tsx')).AgentsPage })),
  },
  {
    path: '/agents/:agent',
    title: 'Agent',
    view: lazy(async () => ({ default: (await import('../pages/agents/agent-page.tsx')).AgentPage })),
  },
  {
    path: '/audit',
    title: 'Audit log',
    icon: ScrollText,
    key: 'd',
    view: lazy(async () => ({ default: (await import('../pages/audit/audit-page.tsx')).AuditPage })),
  },
  {
    path: '/settings',
    title: 'Settings',
    icon: Settings,
    key: ',',
    view: lazy(async () => ({ default: (await import('../pages/settings/settings-page.tsx')).SettingsPage })),
  },
];

export function findPage(path: string): { page: Page; params: Readonly<Record<string, string>> } | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  for (const page of PAGES) {
    const wanted = page.path.split('/').filter((part) => part !== '');
    if (wanted.length !== parts.length) continue;
    const params: Record<string, string> = {};
    const matches = wanted.every((name, at) => {
      if (!name.startsWith(':')) return name === parts[at];
      params[name.slice(1)] = decodeURIComponent(parts[at] ?? '');
      return true;
    });
    if (matches) return { page, params };
  }
  return undefined;
}
