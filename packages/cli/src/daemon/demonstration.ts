import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewSession, Session } from '@agent-mux/api';

import type { FoundDaemon } from '@agent-mux/daemon/start';
import { withFound } from './open.ts';

const PROMPT = 'Take me on a tour';

export interface Demonstration {
  session: Session;
  /** Nothing of it is left: no process, no row, no folder. */
  end(): Promise<void>;
}

/** A session of the demo agent at work, in a scratch folder of its own. */
export async function demonstrate(found: FoundDaemon): Promise<Demonstration> {
  const folder = mkdtempSync(join(tmpdir(), 'amux-demo-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    const { PATH = '', HOME = '', DEMO_SPEED } = process.env;
    const given: NewSession = {
      agent: 'demo',
      prompt: PROMPT,
      cwd: folder,
      title: 'A tour of agent-mux',
      // A person who reads the next steps first has time to answer.
      options: { approvalTimeout: 60 * 60_000 },
      hostEnv: { PATH, HOME, ...(DEMO_SPEED === undefined ? {} : { DEMO_SPEED }) },
    };
    const session = await withFound(found, (daemon) => daemon.sessions.create(given));
    return {
      session,
      async end() {
        await withFound(found, (daemon) => daemon.sessions.remove(session.id)).catch(() => {});
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}
