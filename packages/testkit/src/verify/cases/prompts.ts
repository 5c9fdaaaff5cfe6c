import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { SystemPromptMode } from '@agent-mux/core';
import { type ModelRequest, reply } from '../../model/index.ts';
import type { Bench } from '../bench.ts';
import { always, type VerifyCase } from '../verify-case.ts';
import { attachmentRun, longPrompt, longPromptRun, ODD_PROMPT, oddRun, UNICODE } from './shared-runs.ts';

const KB = 1000;
/** Line ends for JavaScript or Python, but not for JSON. */
const ODD_CHARACTERS = '\u2028\u2029\u0085';
/** Long, odd and decorated input. */
export const promptCases: readonly VerifyCase[] = [
  {
    id: 'long-stream',
    unasserted: ['mergesText'],
    title: 'an answer of 2,000 chunks arrives whole and in order',
    rank: 'essential',
    shows: ['supportsTextStreaming'],
    needs: always,
    async run(bench) {
      const answer = reply.chunks(2000);
      bench.replies(answer);
      const run = (await bench.run({ prompt: 'Talk.' })).completed();
      const expected = Array.from({ length: 2000 }, (_, i) => `${`c${i} `.padEnd(11, 'x')} `).join('');
      assert.equal(run.result.text.trimEnd(), expected.trimEnd());
      const pieces = bench.asserts('mergesText') ? 20 : 1;
      if (bench.capabilities.supportsTextStreaming) assert.ok(run.of('text_delta').length > pieces, run.summary);
    },
  },
  {
    id: 'unicode',
    unasserted: ['composesUnicode'],
    title: 'no character is lost or changed on the way in or out',
    rank: 'essential',
    shares: 'odd run',
    shows: [],
    needs: always,
    async run(bench) {
      const { run, requests } = await oddRun(bench);
      run.completed(UNICODE);
      assert.ok(requests[0]?.prompt.includes(asSent(bench, `${UNICODE} end`)), requests[0]?.prompt);
      assert.equal(run.result.text.length, UNICODE.length);
    },
  },
  {
    id: 'odd-characters',
    title: 'characters at which some readers split lines arrive within the prompt, and a lone surrogate does no harm',
    shows: [],
    needs: always,
    async run(bench) {
      bench.replies('Seen.');
      (await bench.run({ prompt: `before${ODD_CHARACTERS}after \ud83d half` })).completed('Seen.');
      const { prompt } = bench.request(-1);
      assert.match(prompt, /before[\s\S]{0,20}after/, 'it is one prompt');
      assert.ok(prompt.includes('half'), 'and all of it is there');
    },
  },
  {
    id: 'prompt-200kb',
    title: 'a prompt of 200 KB arrives whole',
    rank: 'essential',
    shares: 'long prompt',
    shows: [],
    needs: always,
    run: (bench) => arrivesWhole(bench, 200 * KB),
  },
  {
    id: 'prompt-1mb',
    title: 'a prompt of 1 MB arrives whole',
    shares: 'long prompt',
    shows: [],
    needs: (_, setup) => (setup.quirks?.maxPromptChars ?? 0) >= 1000 * KB,
    run: (bench) => arrivesWhole(bench, 1000 * KB),
  },
  {
    id: 'dash-prompt',
    unasserted: ['composesUnicode'],
    title: 'a prompt that starts with a dash is a prompt, not an option',
    rank: 'essential',
    shares: 'odd run',
    shows: [],
    needs: always,
    async run(bench) {
      const { run, requests } = await oddRun(bench);
      run.completed();
      assert.ok(requests[0]?.prompt.includes(asSent(bench, ODD_PROMPT)), requests[0]?.prompt);
    },
  },
  systemPromptCase('append'),
  systemPromptCase('prepend'),
  systemPromptCase('replace'),
  {
    id: 'image',
    title: 'an attached image reaches the model as an image',
    shares: 'attachments',
    shows: ['supportsImageInput'],
    needs: (capabilities) => capabilities.supportsImageInput,
    async run(bench) {
      const { run, requests } = await attachmentRun(bench);
      run.completed('Seen.');
      const images = requests.flatMap(({ messages }) => messages.map((message) => message.images));
      assert.ok(Math.max(...images) >= 1, 'a message with an image');
    },
  },
  {
    id: 'file',
    title: 'an attached file reaches the model, by its content or by its path',
    shares: 'attachments',
    shows: ['supportsFileAttachments'],
    needs: (capabilities) => capabilities.supportsFileAttachments,
    async run(bench) {
      const { run, requests } = await attachmentRun(bench);
      run.completed('Seen.');
      const said = JSON.stringify(requests.map(({ messages }) => messages));
      assert.ok(said.includes('MARZIPAN') || said.includes('notes.txt'), 'the file is named or quoted');
    },
  },
];

const asSent = (bench: Bench, prompt: string): string =>
  bench.asserts('composesUnicode') ? prompt : prompt.normalize('NFC');

async function arrivesWhole(bench: Bench, least: number): Promise<void> {
  const { run, requests } = await longPromptRun(bench);
  run.completed();
  const [prompt, seen = ''] = [longPrompt(bench), requests[0]?.prompt];
  const file = bench.quirks.longPromptFile?.exec(seen)?.[1];
  const got = file === undefined ? seen : readFileSync(file, 'utf8');
  assert.ok(prompt.length >= least);
  assert.ok(got.includes(prompt), `the model got ${got.length} of ${prompt.length} characters`);
}

function systemPromptCase(mode: SystemPromptMode): VerifyCase {
  const marker = `SYSTEM-MARK-${mode}`;
  const instructions = `${marker}: answer in rhymes.`;
  return {
    id: `system-${mode}`,
    title: `a system prompt is put into effect by ${mode}`,
    shares: 'system prompt',
    shows: [`systemPrompt.${mode}`],
    needs: (capabilities) => capabilities.systemPrompt[mode] !== undefined,
    async run(bench) {
      bench.replies('with instructions');
      (await bench.run({ prompt: 'Say it.', systemPrompt: instructions, systemPromptMode: mode })).completed();
      const instructed = bench.request(-1);
      if (bench.capabilities.systemPrompt[mode] === 'prefix') {
        const user = instructed.messages.filter((message) => message.role === 'user').map((message) => message.text);
        const text = user.join('\n');
        assert.ok(text.includes(marker), 'the prefix is in the prompt');
        assert.ok(text.indexOf(marker) < text.indexOf('Say it.'), 'and before it');
        return;
      }
      const plain = await bench.once('plain request', async () => {
        (await bench.run({ prompt: 'Say it.' })).completed();
        return bench.request(-1);
      });
      assert.ok(systemOf(instructed).includes(marker), 'the model sees it as system text');
      assert.ok(!systemOf(plain).includes(marker));
      // A note on the environment, which some agents add as a message, stays in any case.
      const own = sampleOf(plain.system || systemOf(plain));
      if (mode === 'replace') assert.ok(!systemOf(instructed).includes(own), "the agent's own is gone");
      else assert.ok(systemOf(instructed).includes(own), "the agent's own is still there");
      if (mode === 'prepend') assert.ok(systemOf(instructed).indexOf(marker) < systemOf(instructed).indexOf(own));
    },
  };
}

function systemOf(request: ModelRequest): string {
  const said = request.messages.filter((message) => message.role === 'system').map((message) => message.text);
  return [request.system, ...said].join('\n');
}

/** A line from the middle of the agent's own system prompt, long enough to be unique. */
function sampleOf(system: string): string {
  const lines = system.split('\n').filter((line) => line.length > 60);
  return lines[Math.floor(lines.length / 2)] ?? system.slice(0, 200);
}
