/** The agents whose turns are measured, and how to drive each directly. */
import { join } from 'node:path';
import { isRecord } from '@agent-mux/core';
import { agentSetups, pathWith } from '@agent-mux/testkit';
import { installCli } from '../../agents/install.ts';
import { startModelProcess } from './model-process.ts';

const DEMO = join(import.meta.dirname, '../../../packages/adapters/dist/demo/agent.js');

/** A minimal client of a running CLI: lines in, lines out. */
interface DirectClient {
  command: string;
  args: readonly string[];
  /** First messages. */
  handshake: readonly unknown[];
  say(prompt: string): unknown;
  isDelta(line: Record<string, unknown>): boolean;
  isEnd(line: Record<string, unknown>): boolean;
}

export interface MeasuredAgent {
  agent: string;
  direct: DirectClient;
  /** Environment of the CLI and of the daemon that starts it. */
  env: Record<string, string>;
  greeting: string;
  /** Prompts for an answer of N deltas, and for one with a delayed first delta if the agent has a model. */
  longAnswer(deltas: number): string;
  lateAnswer?(ms: number): string;
  close(): Promise<void>;
}

/** The real Claude Code on the scripted model; if it cannot be installed, the demo agent. */
export async function prepareAgent(home: string): Promise<MeasuredAgent> {
  try {
    return await prepareClaude(home, await installCli('claude', console.error));
  } catch (error) {
    console.error(`bench: cannot install Claude Code, measuring the demo agent instead: ${String(error)}`);
    return prepareDemo(home);
  }
}

async function prepareClaude(home: string, folders: string[]): Promise<MeasuredAgent> {
  const setup = agentSetups.claude;
  if (!setup) throw new Error('testkit has no setup for claude');
  const model = await startModelProcess([setup.model.seen, setup.otherModel.seen]);
  const path = pathWith(folders, process.env.PATH ?? '');
  return {
    agent: 'claude',
    env: { PATH: path, HOME: home, ...setup.env({ modelUrl: model.url, home }), ...setup.runEnv },
    greeting: 'hello',
    longAnswer: (deltas) => `[[chunks ${deltas}]]`,
    lateAnswer: (ms) => `[[chunks 1 delay ${ms}]]`,
    direct: {
      command: 'claude',
      // As the adapter starts it, so that the same program does the same work.
      args: [
        ...['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
        ...['--forward-subagent-text', '--input-format', 'stream-json', '--permission-prompt-tool', 'stdio'],
        ...['--permission-mode', 'bypassPermissions'],
      ],
      handshake: [{ type: 'control_request', request_id: 'hello', request: { subtype: 'initialize' } }],
      say: (text) => ({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } }),
      isDelta: ({ event }) => isRecord(event) && isRecord(event.delta) && event.delta.type === 'text_delta',
      isEnd: ({ type }) => type === 'result',
    },
    close: () => model.close(),
  };
}

function prepareDemo(home: string): MeasuredAgent {
  const at = { session_id: 's1' };
  return {
    agent: 'demo',
    env: { PATH: process.env.PATH ?? '', HOME: home, DEMO_SPEED: '0' },
    greeting: 'hello',
    longAnswer: (deltas) => `long ${deltas}`,
    direct: {
      command: process.execPath,
      args: [DEMO],
      handshake: [{ type: 'session.start', ...at, protocol: 1, cwd: home, approval_mode: 'yolo' }],
      say: (content) => ({ type: 'user.input', ...at, content }),
      isDelta: ({ type, channel }) => type === 'output' && channel === 'stdout',
      isEnd: ({ type }) => type === 'turn.complete',
    },
    close: async () => {},
  };
}
