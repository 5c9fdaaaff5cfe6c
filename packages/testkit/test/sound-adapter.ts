import {
  type AgentCapabilities,
  type AgentMode,
  BaseAgentAdapter,
  type EventBody,
  type LiveCodec,
  NO_CAPABILITIES,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';

export const ONESHOT: AgentCapabilities = {
  ...NO_CAPABILITIES,
  supportsTextStreaming: true,
  supportsModelSelection: true,
  supportsMultiTurn: true,
  approvalModes: ['deny', 'yolo'],
};
export const LIVE: AgentCapabilities = { ...ONESHOT, supportsInterrupt: true, supportsModelSwitch: true };

interface LiveState {
  model: string | null;
  words: number;
}

export const codec: LiveCodec<LiveState> = {
  open: ({ model = null }) => ({ model, words: 0 }),
  hello: (state) => [JSON.stringify({ open: state.model })],
  turn: ({ text }, state) => [JSON.stringify({ text, model: state.model })],
  decode(line, state) {
    state.words += 1;
    return { events: wordOf(line) };
  },
  resolve: () => [],
  interrupt: () => ['stop'],
  setModel(model, state) {
    state.model = model;
    return [];
  },
};

function wordOf(line: string): EventBody[] {
  const word = /^\{"word":("[^"\\]*")\}$/.exec(line)?.[1];
  return word ? [{ type: 'text_delta', delta: JSON.parse(word) }] : [];
}

/** Keeps the contract. What is wrong with an adapter is said by overriding it. */
export class Sound extends BaseAgentAdapter {
  readonly agent: string = 'sound';
  readonly displayName = 'Sound';
  readonly cliCommand = process.execPath;
  override readonly modes: readonly AgentMode[] = [
    { name: 'oneshot', driver: 'oneshot', summary: 'a process per turn', capabilities: ONESHOT },
    {
      name: 'live',
      driver: 'live',
      summary: 'one process',
      capabilities: LIVE,
      live: {
        transport: 'stdio',
        codec,
        sessionFirst: false,
        share: { key: shareKey, channelOf: () => '', route: () => undefined },
      },
    },
  ];
  override readonly configSchema = {
    agent: 'sound',
    fields: [{ name: 'model', type: 'string' as const, description: 'the model' }],
    configFilePaths: ['~/.sound.json'],
    projectConfigFilePaths: [],
  };

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    const { model = '', approvalMode, nativePermissionMode = approvalMode, prompt, cwd } = options;
    const args = ['-e', SAYS, '--', `--model=${model}`, `--permissions=${nativePermissionMode}`];
    return {
      command: process.execPath,
      args,
      env: {},
      cwd,
      usePty: false,
      ...(options.mode === 'live' ? {} : { stdin: prompt }),
    };
  }

  parseEvent(line: string, _context: ParseContext): EventBody[] | null {
    return wordOf(line);
  }
}

const SAYS = `console.log('{"word":"hello"}')`;

function shareKey({ model, approvalMode, env }: ResolvedRunOptions): string {
  return JSON.stringify([model, approvalMode, env]);
}

/** A live mode with another codec or other data. */
export function liveMode(change: Partial<AgentMode>, speech: Partial<LiveCodec<LiveState>> = {}): readonly AgentMode[] {
  return [
    {
      name: 'live',
      driver: 'live',
      summary: 'one process',
      capabilities: LIVE,
      live: { transport: 'stdio', codec: { ...codec, ...speech }, sessionFirst: false },
      ...change,
    },
  ];
}
