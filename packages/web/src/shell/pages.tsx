import { Bot, ChartColumn, History, Inbox, ListTree, type LucideIcon, ScrollText, Settings } from 'lucide-react';
import { type ComponentType, lazy } from 'react';

/**
 * Every page: where it is, how it is called, and what draws it. A page is added here and nowhere else. Those that most people
 * open first are in the first file that is loaded; the others come when they are opened.
 */
export interface Page {
  /** With `:names` of what differs. */
  path: string;
  title: string;
  /** Absent: it has no place in the navigation. */
  icon?: LucideIcon;
  /** Pressed after `g`. */
  key?: string;
  view: ComponentType<{ params: Readonly<Record<string, string>> }>;
}

export const PAGES: readonly Page[] = [
  {
    path: '/',
    title: 'Inbox',
    icon: Inbox,
    key: 'i',
    view: lazy(async () => ({ default: (await import('../pages/board/board-page.tsx')).BoardPage })),
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
    path: '/history/:agent/:nativeId',
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
    title: 'Decisions',
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
    const fits = wanted.every((name, at) => {
      if (!name.startsWith(':')) return name === parts[at];
      params[name.slice(1)] = decodeURIComponent(parts[at] ?? '');
      return true;
    });
    if (fits) return { page, params };
  }
  return undefined;
}
