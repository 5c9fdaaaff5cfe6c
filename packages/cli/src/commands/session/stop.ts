import { commandOnSession } from './one.ts';

export const stop = commandOnSession({
  name: 'stop',
  description: `Stops a session's process. The conversation is kept; "amux restore" resumes it.`,
  examples: [{ command: 'amux stop 3f2a', about: 'Stop a session' }],
  act: (daemon, id) => daemon.sessions.stop(id),
  describe: () => 'Session stopped.',
  hint: (id) => `run "amux restore ${id}" to resume it, "amux rm ${id}" to remove it`,
});
