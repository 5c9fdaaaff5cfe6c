import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentEvent, Invocation } from '@agent-mux/core';
import { reply } from '../../model/index.ts';
import { findSshd, type Sshd, startSshd } from '../../sshd/sshd.ts';
import type { Bench, BenchRunOptions } from '../bench.ts';
import type { VerifyCase } from '../verify-case.ts';

/** On a busy machine the agent starts slowly, too. */
const WAIT_MS = 60_000;

/** The agent on another host: a real ssh server on loopback. */
export const overSshCase: VerifyCase = {
  id: 'over-ssh',
  carrier: 'process',
  title:
    'over ssh: the same events as here; an abort leaves nothing behind; a lost connection leaves a session to resume',
  shows: [],
  rank: 'essential',
  ofProject: true,
  needs: (_, setup) => setup.overSsh === true && (findSshd() !== undefined || sshdRequired()),
  timeoutMs: 300_000,
  async run(bench) {
    const binary = findSshd();
    assert.ok(binary, 'no sshd on this machine: install the package openssh-server');
    const sshd = await startSshd(binary);
    try {
      await sameEvents(bench, sshd);
      await abortLeavesNothing(bench, sshd);
      await lostAndResumed(bench, sshd);
    } finally {
      await sshd.close();
    }
  },
};

function sshdRequired(): boolean {
  return process.env.AGENT_MUX_REQUIRE_SSHD === '1';
}

/** The agent gets everything by env: the host has nothing. */
function there(bench: Bench, { host, port, user, args }: Sshd, more: BenchRunOptions): BenchRunOptions {
  const invocation: Invocation = { mode: 'ssh', host, port, user, args };
  return { ...more, invocation, env: { ...bench.env, ...bench.setup.runEnv } };
}

async function sameEvents(bench: Bench, sshd: Sshd): Promise<void> {
  const [first, second] = ['here', 'there'].map((place) => {
    const cwd = bench.siblingFolder(place);
    return { cwd, replies: [bench.shell('printf made > made.txt && cat made.txt'), 'I have looked.'] };
  });
  bench.replies(...first!.replies);
  const here = (await bench.run({ prompt: 'Look around.', cwd: first!.cwd })).completed('I have looked.');
  bench.replies(...second!.replies);
  const remote = (await bench.run(there(bench, sshd, { prompt: 'Look around.', cwd: second!.cwd }))).completed();
  assert.deepEqual(storyOf(remote.events), storyOf(here.events));
  assert.equal(remote.result.text, here.result.text);
}

/** Types and texts; ids, times and folders differ. Deltas are joined: a network splits them differently. */
function storyOf(events: readonly AgentEvent[]): string[] {
  const story: string[] = [];
  let said = '';
  for (const event of events) {
    if (event.type === 'debug' || event.type === 'rate_limit_status') continue;
    if (event.type === 'text_delta') {
      if (said === '') story.push('text_delta');
      said += event.delta;
      continue;
    }
    if (said !== '') story.push(said);
    said = '';
    if (event.type === 'tool_input_delta' && story.at(-1) === 'tool_input_delta') continue;
    story.push(event.type === 'tool_result' ? `tool_result ${JSON.stringify(event.output)}` : event.type);
  }
  return story;
}

async function abortLeavesNothing(bench: Bench, sshd: Sshd): Promise<void> {
  // One child in the tool's shell, and one that has left its session, group and parent.
  bench.replies(bench.shell('setsid sleep 4242 & sleep 4243'), 'It slept.');
  const handle = bench.start(there(bench, sshd, { prompt: 'Sleep forever.' }));
  const reading = bench.read(handle);
  await until(() => bench.processes().some(({ command }) => command.startsWith('sleep 4243')), 'the tool does not run');
  await handle.abort('enough');
  const left = bench.processes().map(({ pid, command }) => `${pid} ${command}`);
  assert.deepEqual(left, [], 'nothing of the agent is left when abort() resolves');
  const run = await reading;
  assert.equal(run.result.exitReason, 'aborted', run.summary);
  await until(() => sshd.sessions().length === 0, 'the connection is still there');
}

async function lostAndResumed(bench: Bench, sshd: Sshd): Promise<void> {
  bench.replies(reply.text('one two three four five six', { chunks: 6, delayMs: 500 }));
  let cut = false;
  const lost = await bench.run(there(bench, sshd, { prompt: 'Count to six.' }), (event) => {
    if (event.type !== 'text_delta' || cut) return;
    cut = true;
    sshd.drop();
  });
  assert.equal(lost.result.error?.code, 'NETWORK_ERROR', JSON.stringify(lost.result.error));
  await until(() => bench.processes().length === 0, 'the agent is still running');
  bench.replies('You asked me to count.');
  const again = await bench.run(there(bench, sshd, { prompt: 'What did I ask?', sessionId: lost.sessionId }));
  again.completed('You asked me to count.');
  const texts = bench.request(-1).messages.map((message) => message.text);
  assert.ok(
    texts.some((text) => text.includes('Count to six.')),
    'the model sees the turn that was cut',
  );
}

async function until(holds: () => boolean, otherwise: string): Promise<void> {
  const end = performance.now() + WAIT_MS;
  while (!holds()) {
    assert.ok(performance.now() < end, otherwise);
    await sleep(50);
  }
}
