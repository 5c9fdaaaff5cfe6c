import { commandOnSession } from './one.ts';

export const stop = commandOnSession({
  name: 'stop',
  about: 'Ends the process of a session. What was said stays; amux restore brings it back.',
  examples: [{ command: 'amux stop 3f2a', about: 'enough of that' }],
  act: (daemon, id) => daemon.sessions.stop(id),
  tell: () => 'The session has ended.',
  hint: (id) => `run "amux restore ${id}" to bring it back, "amux rm ${id}" to remove it`,
});
