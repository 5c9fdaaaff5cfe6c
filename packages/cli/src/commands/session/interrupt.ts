import { commandOnSession } from './one.ts';

export const interrupt = commandOnSession({
  name: 'interrupt',
  description: 'Interrupts the current turn. The session stays; the next queued message is sent.',
  examples: [{ command: 'amux interrupt 3f2a', about: 'Interrupt the current turn' }],
  act: (daemon, id) => daemon.sessions.interrupt(id),
  describe: () => 'Turn interrupted.',
  hint: (id) => `run "amux send ${id} ..." to continue`,
});
