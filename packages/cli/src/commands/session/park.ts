import { commandOnSession } from './one.ts';

export const park = commandOnSession({
  name: 'park',
  description:
    "Stops a session's process when its turn ends, to free resources. The next message starts it\n" + 'again.',
  examples: [{ command: 'amux park 3f2a', about: 'Free the process until the next message' }],
  act: (daemon, id) => daemon.sessions.park(id),
  describe: ({ parked, activity }) =>
    parked || activity === 'idle' ? 'Session parked.' : 'The session will be parked when its turn ends.',
  hint: (id) => `run "amux send ${id} ..." to resume it`,
});
