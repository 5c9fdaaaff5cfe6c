import { commandOnSession } from './one.ts';

export const park = commandOnSession({
  name: 'park',
  about: 'Ends the process of a session once its turn is over, to free what it takes. The next message brings it back.',
  examples: [{ command: 'amux park 3f2a', about: 'it goes on tomorrow' }],
  act: (daemon, id) => daemon.sessions.park(id),
  tell: ({ parked, activity }) =>
    parked || activity === 'idle' ? 'The session is parked.' : 'The session is parked when its turn ends.',
  hint: (id) => `run "amux send ${id} ..." to bring it back`,
});
