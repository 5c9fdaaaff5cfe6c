import type { KeeperHandlers } from '../keeper/connect-keeper.ts';
import type { Desk, LiveSession } from './desk.ts';
import { takeLines } from './take-events.ts';

/** What is done with all that a keeper says. */
export function keeperEvents(desk: Desk, folder: string): KeeperHandlers {
  return {
    /** The keeper is not read from until these are stored: it has them on disk, and nothing piles up here. */
    async events(sessionId, lines) {
      const live = desk.live.get(sessionId);
      if (!live) return;
      const events = await takeLines(desk, live, lines);
      if (events.some(({ type }) => type === 'run_result')) release(desk, live);
      if (events.some(({ type }) => type === 'turn_end' || type === 'run_result')) desk.kick(sessionId);
    },
    ended(sessionId) {
      const live = desk.live.get(sessionId);
      if (live) release(desk, live);
      desk.kick(sessionId);
    },
    trouble(sessionId, problem) {
      const live = desk.live.get(sessionId);
      if (live) live.trouble = problem;
      desk.log(`${sessionId}: ${problem ?? 'its journal can be written again'}`);
    },
    gone() {
      desk.keepers.delete(folder);
      if (!desk.isClosing()) desk.keeperGone(folder);
    },
  };
}

/** No keeper holds it any more; its rows say what it is now. */
function release(desk: Desk, live: LiveSession): void {
  if (desk.live.get(live.id) === live) desk.live.delete(live.id);
  desk.wakers.wake(live.id);
}
