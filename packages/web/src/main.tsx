import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/pages.css';
import './styles/overlays.css';
import './styles/inbox.css';
import './styles/request.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { acceptLoginLink } from './data/login.ts';
import { onReconnect, syncRows } from './data/rows.ts';
import { App } from './shell/app.tsx';
import { syncNotifications } from './shell/notifications/browser-notifications.ts';
import { applyPreferences } from './shell/preferences.ts';
import { registerServiceWorker } from './shell/service-worker.ts';

applyPreferences();
acceptLoginLink();
void syncRows(new AbortController().signal);
void registerServiceWorker();
syncNotifications();

/** Cache for occasional queries (agents, models, usage); sessions have their own stream. */
const queries = new QueryClient({ defaultOptions: { queries: { staleTime: 60_000, retry: 1 } } });
// Repeat queries that failed while the daemon was down.
onReconnect(() => void queries.invalidateQueries());

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
