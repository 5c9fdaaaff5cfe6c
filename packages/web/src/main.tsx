import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/pages.css';
import './styles/overlays.css';
import './styles/board.css';
import './styles/request.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { acceptLoginLink } from './data/login.ts';
import { keepRows, onReconnect } from './data/rows.ts';
import { App } from './shell/app.tsx';
import { keepShell } from './shell/keep-shell.ts';
import { keepNotices } from './shell/news/notices.ts';
import { applyPreferences } from './shell/preferences.ts';

applyPreferences();
acceptLoginLink();
void keepRows(new AbortController().signal);
void keepShell();
keepNotices();

/** For what is asked for now and then (agents, models, usage); sessions come by their own stream. */
const queries = new QueryClient({ defaultOptions: { queries: { staleTime: 60_000, retry: 1 } } });
// What could not be asked for while the daemon was down.
onReconnect(() => void queries.invalidateQueries());

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
