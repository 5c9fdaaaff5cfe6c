import { call } from '../../data/call.ts';
import { takeSession } from '../../data/rows.ts';
import { navigate } from '../../parts/router.tsx';
import { tellFault } from '../../parts/toasts.tsx';

/** The demo agent on its tour, in a folder of its own. */
export async function startDemo(): Promise<void> {
  try {
    const { path: cwd } = await call('createScratchFolder');
    const session = await call('createSession', {
      body: { agent: 'demo', prompt: 'Take me on a tour', cwd, title: 'A tour of agent-mux' },
    });
    takeSession(session);
    navigate(`/sessions/${session.id}`);
  } catch (error) {
    tellFault(error);
  }
}
