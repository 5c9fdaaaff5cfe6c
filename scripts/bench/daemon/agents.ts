/** The agents whose turns are measured, and how each is talked to by hand. */
import { join } from 'node:path';
import { isRecord } from '@agent-mux/core';
import { agentProofs, pathWith } from '@agent-mux/testkit';
import { installCli } from '../../agents/install.ts';
import { startModelProcess } from './model-process.ts';

const DEMO = join(import.meta.dirname, '../../../packages/adapters/dist/demo/agent.js');

/** Lines in, lines out: what anybody writes who keeps a CLI running and talks to it. */
interface ByHand {
  command: string;
  args: readonly string[];
  /** Said before anything else. */
  hello: readonly unknown[];
  say(prompt: string): unknown;
  isDelta(line: Record<string, unknown>): boolean;
  isEnd(line: Record<string, unknown>): boolean;
}

export interface MeasuredAgent {
  agent: string;
  byHand: ByHand;
  /** For the CLI, and for the daemon that starts it. */
  env: Record<string, string>;
  greeting: string;
  /** Prompts for an answer of so many deltas, and for one whose first delta takes its time, where the agent has a model. */
  longAnswer(deltas: number): string;
  lateAnswer?(ms: number): string;
  close(): Promise<void>;
}

/** The real Claude Code on the scripted model; where it cannot be had, the demo agent, which takes no time of its own. */
export async function prepareAgent(home: string): Promise<MeasuredAgent> {
  try {
    return await prepareClaude(home, await installCli('claude', console.error));
  } catch (error) {
    console.error(`bench: Claude Code cannot be had, so that the demo agent is measured: ${String(error)}`);
    return prepareDemo(home);
  }
}

async function prepareClaude(home: string, folders: string[]): Promise<MeasuredAgent> {
  const proof = agentProofs.claude;
  if (!proof) throw new Error('testkit has no proof of claude');
  const model = await startModelProcess([proof.model.seen, proof.otherModel.seen]);
  const path = pathWith(folders, process.env.PATH ?? '');
  return {
    agent: 'claude',
    env: { PATH: path, HOME: home, ...proof.env({ modelUrl: model.url, home }), ...proof.runEnv },
    greeting: 'hello',
    longAnswer: (deltas) => `[[chunks ${deltas}]]`,
    lateAnswer: (ms) => `[[chunks 1 delay ${ms}]]`,
    byHand: {
      command: 'claude',
      // As the adapter starts it, so that the same program does the same work.
      args: [
        ...['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
        ...['--forward-subagent-text', '--input-format', 'stream-json', '--permission-prompt-tool', 'stdio'],
        ...['--permission-mode', 'bypassPermissions'],
      ],
      hello: [{ type: 'control_request', request_id: 'hello', request: { subtype: 'initialize' } }],
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
    byHand: {
      command: process.execPath,
      args: [DEMO],
      hello: [{ type: 'session.start', ...at, protocol: 1, cwd: home, approval_mode: 'yolo' }],
      say: (content) => ({ type: 'user.input', ...at, content }),
      isDelta: ({ type, channel }) => type === 'output' && channel === 'stdout',
      isEnd: ({ type }) => type === 'turn.complete',
    },
    close: async () => {},
  };
}
