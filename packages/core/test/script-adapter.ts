import {
  type AgentMode,
  BaseAgentAdapter,
  type EventBody,
  type LiveSpec,
  NO_CAPABILITIES,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';

/** An agent of a few lines of JavaScript, driven by the given live spec. */
export class ScriptAdapter extends BaseAgentAdapter {
  readonly agent = 'script';
  readonly displayName = 'Script agent';
  readonly cliCommand: string = process.execPath;
  override readonly needsNoInstall = true;
  override readonly modes: readonly AgentMode[];
  readonly #code: string;

  constructor(code: string, live: LiveSpec) {
    super();
    this.#code = code;
    const capabilities = { ...NO_CAPABILITIES, supportsMultiTurn: true, approvalModes: ['prompt'] as const };
    const driver = live.transport === 'http' ? 'http' : 'live';
    this.modes = [{ name: driver, driver, summary: '', capabilities, live }];
  }

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return { command: this.cliCommand, args: ['-e', this.#code], env: {}, cwd: options.cwd, usePty: false };
  }

  parseEvent(line: string): EventBody | null {
    return line.startsWith('limit') ? { type: 'rate_limit_error', message: line, retrying: true } : null;
  }
}
