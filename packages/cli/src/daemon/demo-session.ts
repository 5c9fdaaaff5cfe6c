import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewSession, Session } from '@agent-mux/api';

import type { FoundDaemon } from '@agent-mux/daemon/start';
import { withRunningDaemon } from './open.ts';

const PROMPT = 'Take me on a tour';

export interface DemoSession {
  session: Session;
  /** Removes the session's process, row and folder. */
  end(): Promise<void>;
}

/** A running session of the demo agent in its own temporary folder. */
export async function startDemoSession(found: FoundDaemon): Promise<DemoSession> {
  const folder = mkdtempSync(join(tmpdir(), 'amux-demo-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    const { PATH = '', HOME = '', DEMO_SPEED } = process.env;
    const options: NewSession = {
      agent: 'demo',
      prompt: PROMPT,
      cwd: folder,
      title: 'A tour of agent-mux',
      // Leaves the user time to read the next steps before answering.
      options: { approvalTimeout: 60 * 60_000 },
      hostEnv: { PATH, HOME, ...(DEMO_SPEED === undefined ? {} : { DEMO_SPEED }) },
    };
    const session = await withRunningDaemon(found, (daemon) => daemon.sessions.create(options));
    return {
      session,
      async end() {
        await withRunningDaemon(found, (daemon) => daemon.sessions.remove(session.id)).catch(() => {});
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}
