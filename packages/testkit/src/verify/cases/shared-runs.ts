import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listProcessTree, type McpServer } from '@agent-mux/core';
import { type ModelRequest, type Reply, reply } from '../../model/index.ts';
import type { Bench } from '../bench.ts';
import type { RecordedRun } from '../recorded-run.ts';
import { redDot } from '../red-dot.ts';

/** A run that several cases check: starting an agent takes most of the time of a verification. */
export interface SharedRun {
  run: RecordedRun;
  /** Its requests to the model. */
  requests: readonly ModelRequest[];
}

const shared = (name: string, make: (bench: Bench) => Promise<RecordedRun>) => (bench: Bench) =>
  bench.once(name, async (): Promise<SharedRun> => {
    const before = bench.requests.length;
    const run = await make(bench);
    return { run, requests: bench.requests.slice(before) };
  });

/** An emoji of several code points, combining marks, CJK, right-to-left text, a surrogate pair, quotes and controls. */
export const UNICODE = '👩‍💻 naïve e\u0301 日本語 한국어 שלום مرحبا 𝒳 "quoted" \\n tab\there ₿ ﷽ Z\u0351\u036b';
export const ODD_PROMPT = `--version -p "x" -- is what I typed: ${UNICODE} end`;
/** Token counts of the model: new, from a cache, into a cache, output. */
export const TOKENS = { input: 321, cacheRead: 1000, cacheWrite: 50, output: 45 };

/** An odd prompt to another model that counts its tokens. */
export const oddRun = shared('odd run', (bench) => {
  bench.replies(reply.text(UNICODE, { chunks: 30 }).usage(TOKENS));
  const { supportsModelSelection } = bench.capabilities;
  return bench.run({
    prompt: ODD_PROMPT,
    ...(supportsModelSelection ? { model: bench.setup.otherModel.name } : {}),
  });
});

export const THOUGHT = 'First I ponder where to look.';

/** Its one tool returns the secret word, which is pineapple. */
export const VERIFY_MCP_SERVER: McpServer = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../mcp-server.mjs', import.meta.url))],
};

/** The call of that tool; undefined if it is not among the tools offered to the model. */
export function callSecretWord({ setup }: Bench, tools: readonly string[]): Reply | undefined {
  const input = { key: 'k1' };
  const call = setup.mcpCall?.('verify', 'secret_word', input);
  if (call) return reply.toolCall(call.name, call.input);
  const name = tools.find((tool) => tool.includes('secret_word')) ?? setup.mcpTool?.('verify', 'secret_word');
  return name ? reply.toolCall(name, input) : undefined;
}

export interface Tour extends SharedRun {
  cwd: string;
  /** Content of the file that the tool wrote, read after the run. */
  made: string | null;
}

/** The ten-line program: the model thinks, writes, calls one tool and writes again. */
export async function tour(bench: Bench): Promise<Tour> {
  return bench.once('tour', async () => {
    const first = reply.think(THOUGHT, { chunks: 4 }).text('I look.');
    bench.replies(bench.shell('printf made-by-tool > made.txt && cat made.txt', first), 'I have looked.');
    const before = bench.requests.length;
    const run = await bench.run({ prompt: 'Look around.' });
    const path = bench.path('made.txt');
    const made = existsSync(path) ? readFileSync(path, 'utf8') : null;
    return { run, requests: bench.requests.slice(before), made, cwd: bench.cwd };
  });
}

export interface TwoTurns extends SharedRun {
  /** The processes of the run, at each piece of text. */
  families: readonly (readonly number[])[];
}

export async function twoTurns(bench: Bench): Promise<TwoTurns> {
  return bench.once('two turns', async () => {
    bench.replies(
      reply.text('the first answer').usage({ ...TOKENS, output: 40 }),
      reply.text('the second answer').usage({ ...TOKENS, output: 7 }),
    );
    const families: number[][] = [];
    const before = bench.requests.length;
    let sent = false;
    const run = await bench.run({ prompt: 'The first question.' }, async (event, handle) => {
      if (event.type === 'text_delta') families.push(listProcessTree(-1, handle.runId).map(({ pid }) => pid));
      if (event.type !== 'turn_end' || sent) return;
      sent = true;
      await handle.send('The second question.');
    });
    return { run, requests: bench.requests.slice(before), families };
  });
}

/** A finished session of one turn to resume, and its folder: some agents store sessions by folder. */
export async function aSession(bench: Bench): Promise<{ run: RecordedRun; cwd: string }> {
  return bench.once('a session', async () => {
    bench.replies('My name is Ada.');
    const run = (await bench.run({ prompt: 'What is your name?' })).completed('My name is Ada.');
    return { run, cwd: bench.cwd };
  });
}

/** An image and a file, as far as the mode supports them. */
export const attachmentRun = shared('attachments', (bench) => {
  const { supportsImageInput, supportsFileAttachments } = bench.capabilities;
  const attachments = [
    ...(supportsImageInput ? [{ path: bench.put('dot.png', redDot()) }] : []),
    ...(supportsFileAttachments ? [{ path: bench.put('notes.txt', 'the secret is MARZIPAN\n') }] : []),
  ];
  bench.replies('Seen.');
  return bench.run({ prompt: 'What is this?', attachments });
});

const KB = 1000;

export const longPrompt = (bench: Bench): string => {
  const length = (bench.quirks.maxPromptChars ?? 0) >= 1000 * KB ? 1000 * KB : 200 * KB;
  const lines = Array.from({ length: Math.ceil(length / 20) }, (_, i) => `line ${String(i).padStart(12, '0')} |`);
  return `BEGIN ${lines.join('\n').slice(0, length)} THE-END`;
};

/** The longest prompt that the CLI accepts, up to a megabyte. */
export const longPromptRun = shared('long prompt', (bench) => {
  bench.replies('That was long.');
  return bench.run({ prompt: longPrompt(bench) });
});
