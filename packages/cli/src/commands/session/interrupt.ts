import { commandOnSession } from './one.ts';

export const interrupt = commandOnSession({
  name: 'interrupt',
  about:
    'Stops the turn that runs, and keeps the session: the next message goes on. What waits in its queue is sent next.',
  examples: [{ command: 'amux interrupt 3f2a', about: 'that was not what I meant' }],
  act: (daemon, id) => daemon.sessions.interrupt(id),
  tell: () => 'The turn is interrupted.',
  hint: (id) => `run "amux send ${id} ..." to continue`,
});
