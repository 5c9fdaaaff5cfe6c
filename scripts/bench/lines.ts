/** An agent that writes 100,000 lines: read directly ("bare") and by agent-mux in each of its ways. */
import { spawn } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AgentMuxClient,
  BaseAgentAdapter,
  createClient,
  type EventBody,
  NO_CAPABILITIES,
  type ResolvedRunOptions,
  type RunHandle,
  type SpawnArgs,
} from '@agent-mux/core';

export const LINES = 100_000;

/** A file of N event lines for `cat` to print; created once per folder. */
export function writeLines(scratch: string): string {
  const file = join(scratch, 'lines.jsonl');
  if (existsSync(file)) return file;
  const delta = (i: number) => `word ${i} of a long answer that an agent streams, about as long as usual`;
  writeFileSync(file, Array.from({ length: LINES }, (_, i) => lineOf(delta(i))).join(''));
  return file;
}

function lineOf(delta: string): string {
  return `${JSON.stringify({ type: 'text_delta', delta })}\n`;
}

/** Uses the text as a writer would, which flattens concatenated strings. */
export function expectText(text: string, file: string): void {
  // It is ASCII, and nothing in it is quoted.
  const due = statSync(file).size - LINES * lineOf('').length;
  const bytes = Buffer.byteLength(text);
  if (bytes !== due) throw new Error(`lost text: ${bytes} bytes of ${due}`);
}

/** An agent whose lines are events: what is measured is the engine, not a decoder. */
class LinesAdapter extends BaseAgentAdapter {
  readonly agent = 'bench';
  readonly displayName = 'Bench';
  readonly cliCommand: string;
  override readonly capabilities = {
    ...NO_CAPABILITIES,
    approvalModes: ['yolo' as const],
    supportsTextStreaming: true,
  };
  override readonly needsNoInstall = true;
  readonly #args: readonly string[];

  constructor(command: string, args: readonly string[]) {
    super();
    this.cliCommand = command;
    this.#args = args;
  }

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return { command: this.cliCommand, args: [...this.#args], env: {}, cwd: options.cwd, usePty: false };
  }

  parseEvent(line: string): EventBody {
    return JSON.parse(line) as EventBody;
  }
}

export function clientFor(command: string, args: readonly string[]): AgentMuxClient {
  return createClient({ adapters: [new LinesAdapter(command, args)], runIndex: false });
}

export function start(client: AgentMuxClient, cwd: string): RunHandle {
  return client.run({ agent: 'bench', prompt: 'go', approvalMode: 'yolo', cwd });
}

type Delta = { type: string; delta: string };

/**
 * The minimum to read an agent: a process, its output split into lines, each of them parsed, the text
 * collected. Resolves to the text, as all of these do.
 */
export async function readBare(
  command: string,
  args: readonly string[],
  take: (event: Delta) => void = () => {},
): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let rest = '';
  let text = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = JSON.parse(line) as Delta;
      if (event.type === 'text_delta') text += event.delta;
      take(event);
    }
  });
  await new Promise((resolve) => child.on('close', resolve));
  return text;
}

/** Bare, and what no engine can leave out: each line is made an event, of which the last thousand are kept. */
export function readBareEvents(command: string, args: readonly string[]): Promise<string> {
  const kept: object[] = [];
  let seq = 0;
  return readBare(command, args, ({ type, delta }) => {
    kept.push({ type, delta, agent: 'bench', runId: 'run', turnIndex: 0, seq: seq++, timestamp: Date.now() });
    if (kept.length > 2000) kept.splice(0, 1000);
  });
}

export async function readAwaiting(handle: RunHandle): Promise<string> {
  const { exitReason, text } = await handle;
  if (exitReason !== 'completed') throw new Error(`a run ended as ${exitReason}`);
  return text;
}

export async function readEvents(handle: RunHandle): Promise<string> {
  let text = '';
  for await (const event of handle) if (event.type === 'text_delta') text += event.delta;
  return text;
}

export async function readBatches(handle: RunHandle): Promise<string> {
  let text = '';
  for await (const events of handle.batches())
    for (const event of events) if (event.type === 'text_delta') text += event.delta;
  return text;
}
