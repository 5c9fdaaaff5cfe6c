import { BaseAgentAdapter, NO_CAPABILITIES } from '@agent-mux/core';

/** An agent whose screen is a shell script: what it is started with is a program on PATH of that name. */
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

export default function makeScreenAgent(): ScreenAgent {
  return new ScreenAgent();
}
