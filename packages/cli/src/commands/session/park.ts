import { commandOnSession } from './one.ts';

export const park = commandOnSession({
  name: 'park',
  about: 'Ends the process of a session once its turn is over, to free what it takes. The next message brings it back.',
  examples: [{ command: 'amux park 3f2a', about: 'it goes on tomorrow' }],
  act: (daemon, id) => daemon.sessions.park(id),
  tell: ({ parked, activity }, id) =>
    `${parked || activity === 'idle' ? 'It is parked.' : 'It is parked once its turn is over.'} amux send ${id} "..." brings it back.`,
});
