import assert from 'node:assert/strict';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@agent-mux/core';
import { PUBLIC_KEY } from '../../model/incoming.ts';
import { HELLO } from '../../model/index.ts';
import type { Bench } from '../bench.ts';
import type { ProofCase } from '../proof-case.ts';
import { callSecretWord, PROOF_MCP_SERVER, tour } from './shared-runs.ts';

/** So much of a vendor's prompt standing in a session is no accident. */
const TELLING_CHARS = 80;

/** A model that misses a tool looks so often, with pauses. */
const MOST_ANSWERS = 5;

/** What the agent keeps around itself: read back after it has written it, and read by it after we have. */
export const surroundingCases: readonly ProofCase[] = [
  {
    id: 'stored-session',
    title: 'the session that the agent has stored is found by its id and read, without the prompt of its vendor',
    rank: 'essential',
    shares: 'tour',
    shows: ['sessionPersistence'],
    needs: ({ nativeSessionIds }, _, { sessionStore }) => nativeSessionIds && sessionStore !== undefined,
    async run(bench) {
      const { run, requests, cwd } = await tour(bench);
      run.completed();
      const { sessionId } = run.result;
      assert.ok(sessionId, 'the run has a session');
      const session = await bench.client.sessions.get(`${bench.agent}:${sessionId}`);
      assert.equal(session.sessionId, sessionId);
      assert.deepEqual(session.faults ?? [], []);
      const said = (role: string) =>
        session.messages.filter((message) => message.role === role).map(({ text }) => text);
      assert.deepEqual(
        said('user').map((text) => text.trim()),
        ['Look around.'],
      );
      assert.ok(said('assistant').join('\n').includes('I have looked.'), JSON.stringify(session.messages));
      if (session.cwd !== undefined) assert.equal(realpathSync(session.cwd), realpathSync(cwd));
      if (bench.capabilities.supportsNativeTools) {
        const calls = session.messages.flatMap(({ toolCalls = [] }) => toolCalls);
        assert.equal(calls.length, 1, JSON.stringify(session.messages));
        assert.ok(JSON.stringify(calls[0]?.input).includes('made.txt'), JSON.stringify(calls[0]));
        assert.ok(calls[0]?.output?.includes('made-by-tool'), JSON.stringify(calls[0]));
      }
      holdsNothingOf(session, requests.map(({ system }) => system).join('\n'));
      const { sessions } = await bench.client.sessions.list({ agents: [bench.agent] });
      assert.ok(
        sessions.some((one) => one.sessionId === sessionId),
        'it is in the list',
      );
    },
  },
  {
    id: 'native-model',
    title: 'a model that is set in the configuration of the agent is the one that it then uses',
    rank: 'essential',
    ofAgent: true,
    // A server that runs has read its configuration.
    alone: true,
    shows: [],
    needs: ({ supportsModelSelection }, { nativeModel }, { configSchema }) =>
      supportsModelSelection && nativeModel !== false && configSchema.fields.some(({ name }) => name === 'model'),
    async run(bench) {
      const { config } = bench.client;
      const before = (await config.get(bench.agent, { scope: 'global', names: ['model'] })).values.model;
      const { nativeModel, otherModel } = bench.proof;
      await config.set(bench.agent, { model: nativeModel || otherModel.name });
      try {
        bench.replies(HELLO);
        const run = await bench.run({ model: undefined });
        run.completed(HELLO);
        // What was written to another place, or not as the agent reads it, leaves it with the model that it had.
        assert.equal(bench.request(0).model, bench.proof.otherModel.seen);
      } finally {
        if (before === undefined) await config.unset(bench.agent, ['model']);
        else await config.set(bench.agent, { model: before });
      }
      assert.deepEqual(await config.validate(bench.agent), []);
    },
  },
  {
    id: 'native-mcp',
    title: 'an MCP server that is added to the configuration of the agent is used by it, until it is removed',
    rank: 'essential',
    ofAgent: true,
    alone: true,
    shows: [],
    needs: (_, { nativeMcp = true }, { configSchema }) => nativeMcp && configSchema.mcp?.globalFile !== undefined,
    async run(bench) {
      const { mcp } = bench.client;
      const agents = [bench.agent];
      await mcp.add('proof', PROOF_MCP_SERVER, { agents });
      const { servers } = await mcp.list({ agents, scope: 'global' });
      assert.deepEqual(
        servers.filter(({ name }) => name === 'proof').map(({ server }) => server),
        [PROOF_MCP_SERVER],
      );
      assert.equal(await secretWord(bench), 'It is pineapple.');
      await mcp.remove('proof', { agents });
      assert.notEqual(await secretWord(bench), 'It is pineapple.');
    },
  },
  {
    id: 'named-key',
    title:
      'a variable that the configuration of the agent names as its key reaches it, and is told where it is not set',
    rank: 'essential',
    ofAgent: true,
    alone: true,
    shows: [],
    needs: (_, { namedKey }) => namedKey !== undefined,
    async run(bench) {
      const { file, from, to, refuses } = bench.proof.namedKey!;
      const path = join(bench.home, file);
      const before = readFileSync(path, 'utf8');
      assert.ok(before.includes(from), `${file} has ${from}`);
      try {
        writeFileSync(path, before.replaceAll(from, to));
        bench.replies(HELLO);
        (await bench.run()).completed(HELLO);
        const { headers } = bench.request(0);
        assert.ok(
          Object.values(headers).some((value) => value.endsWith(PUBLIC_KEY)),
          JSON.stringify(headers),
        );
        assert.equal((await bench.client.auth.check(bench.agent)).status, 'authenticated');
        if (!refuses) return;
        writeFileSync(path, before.replaceAll(from, to.replace('PROOF_NAMED_KEY', 'PROOF_UNSET_KEY')));
        const { result } = await bench.run();
        assert.notEqual(result.exitReason, 'completed');
        assert.match(result.error?.message ?? '', /names PROOF_UNSET_KEY, which is not set: .*--env PROOF_UNSET_KEY/);
      } finally {
        writeFileSync(path, before);
      }
    },
  },
  {
    id: 'own-models',
    carrier: 'process',
    title: 'the agent itself tells its models, and the one that it is run with is among them',
    rank: 'essential',
    ofAgent: true,
    shows: [],
    needs: (_, { ownModels = true }, { modelQuery }) => ownModels && modelQuery !== undefined,
    async run(bench) {
      const { models, source } = await bench.client.models.list(bench.agent, { refresh: true });
      assert.equal(source, 'agent');
      assert.ok(models.length > 0);
    },
  },
];

/** The answer of a model that calls the tool of the server if it is offered. */
async function secretWord(bench: Bench): Promise<string> {
  let answers = 0;
  bench.script(({ tools, toolResults }) => {
    if (toolResults.some(({ output }) => output.includes('pineapple'))) return 'It is pineapple.';
    answers += 1;
    if (answers > MOST_ANSWERS) return 'There is no such tool.';
    // Some agents start the servers of their configuration beside the first turn.
    const call = answers % 2 === 1 ? callSecretWord(bench, tools) : undefined;
    // Never the same twice: some agents take that for a loop.
    return call ?? bench.shell(`sleep 1; echo ${answers}`);
  });
  const run = await bench.run({ prompt: 'What is the word?' });
  return run.completed().result.text;
}

function holdsNothingOf(session: Session, prompt: string): void {
  const stored = JSON.stringify(session);
  for (let at = 0; at + TELLING_CHARS <= prompt.length; at += TELLING_CHARS) {
    const part = JSON.stringify(prompt.slice(at, at + TELLING_CHARS)).slice(1, -1);
    assert.ok(!stored.includes(part), `the prompt of the vendor is in the session: ${part}`);
  }
}
