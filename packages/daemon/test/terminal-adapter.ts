import { BaseAgentAdapter, NO_CAPABILITIES } from '@agent-mux/core';

/** An agent whose terminal UI is a program on the PATH. */
class ScreenAgent extends BaseAgentAdapter {
  override readonly agent = 'screen';
  override readonly displayName = 'Screen';
  override readonly cliCommand = 'screen-agent';
  override readonly capabilities = NO_CAPABILITIES;
  override readonly terminal = { prompt: (prompt: string) => [`--prompt=${prompt}`] };

  override buildSpawnArgs({ cwd }: { cwd: string }) {
    return { command: 'screen-agent', args: [], env: {}, cwd, usePty: false };
  }

  override parseEvent() {
    return null;
  }
}

export default function createScreenAgent(): ScreenAgent {
  return new ScreenAgent();
}
