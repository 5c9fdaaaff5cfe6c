import { navigate } from '../../components/router.tsx';
import { showErrorToast } from '../../components/toasts.tsx';
import { call } from '../../data/call.ts';
import { applySession } from '../../data/rows.ts';

/** Starts the demo agent's tour in a scratch folder. */
export async function startDemo(): Promise<void> {
  try {
    const { path: cwd } = await call('createScratchFolder');
    const session = await call('createSession', {
      body: { agent: 'demo', prompt: 'Take me on a tour', cwd, title: 'A tour of agent-mux' },
    });
    applySession(session);
    navigate(`/sessions/${session.id}`);
  } catch (error) {
    showErrorToast(error);
  }
}
