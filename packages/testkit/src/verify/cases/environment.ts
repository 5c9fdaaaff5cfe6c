import assert from 'node:assert/strict';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@agent-mux/core';
import { PUBLIC_KEY } from '../../model/incoming.ts';
import { HELLO } from '../../model/index.ts';
import type { Bench } from '../bench.ts';
import type { VerifyCase } from '../verify-case.ts';
import { callSecretWord, tour, VERIFY_MCP_SERVER } from './shared-runs.ts';

/** This much of a vendor's prompt in a session is not a coincidence. */
const DISTINCTIVE_CHARS = 80;

/** A model that misses a tool tries this many times, with pauses. */
const MAX_ANSWERS = 5;

/** Stored sessions and configuration: what the agent writes is read here, and the other way round. */
export const environmentCases: readonly VerifyCase[] = [
  {
    id: 'stored-session',
    title: 'a stored session is found by its id and read, without the vendor prompt',
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
      assert.deepEqual(session.warnings ?? [], []);
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
    title: 'a model set in the configuration of the agent is used',
    rank: 'essential',
    ofAgent: true,
    // A running server has already read its configuration.
    alone: true,
    shows: [],
    needs: ({ supportsModelSelection }, { nativeModel }, { configSchema }) =>
      supportsModelSelection && nativeModel !== false && configSchema.fields.some(({ name }) => name === 'model'),
    async run(bench) {
      const { config } = bench.client;
      const before = (await config.get(bench.agent, { scope: 'global', names: ['model'] })).values.model;
      const { nativeModel, otherModel } = bench.setup;
      await config.set(bench.agent, { model: nativeModel || otherModel.name });
      try {
        bench.replies(HELLO);
        const run = await bench.run({ model: undefined });
        run.completed(HELLO);
        // If the setting was written to the wrong location or format, the agent keeps its model.
        assert.equal(bench.request(0).model, bench.setup.otherModel.seen);
      } finally {
        if (before === undefined) await config.unset(bench.agent, ['model']);
        else await config.set(bench.agent, { model: before });
      }
      assert.deepEqual(await config.validate(bench.agent), []);
    },
  },
  {
    id: 'native-mcp',
    title: 'an MCP server added to the configuration of the agent is used until it is removed',
    rank: 'essential',
    ofAgent: true,
    alone: true,
    shows: [],
    needs: (_, { nativeMcp = true }, { configSchema }) => nativeMcp && configSchema.mcp?.globalFile !== undefined,
    async run(bench) {
      const { mcp } = bench.client;
      const agents = [bench.agent];
      await mcp.add('verify', VERIFY_MCP_SERVER, { agents });
      const { servers } = await mcp.list({ agents, scope: 'global' });
      assert.deepEqual(
        servers.filter(({ name }) => name === 'verify').map(({ server }) => server),
        [VERIFY_MCP_SERVER],
      );
      assert.equal(await secretWord(bench), 'It is pineapple.');
      await mcp.remove('verify', { agents });
      assert.notEqual(await secretWord(bench), 'It is pineapple.');
    },
  },
  {
    id: 'named-key',
    title: 'a key variable named in the agent configuration reaches the agent, and is reported if unset',
    rank: 'essential',
    ofAgent: true,
    alone: true,
    shows: [],
    needs: (_, { namedKey }) => namedKey !== undefined,
    async run(bench) {
      const { file, from, to, refuses } = bench.setup.namedKey!;
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
        writeFileSync(path, before.replaceAll(from, to.replace('VERIFY_NAMED_KEY', 'VERIFY_UNSET_KEY')));
        const { result } = await bench.run();
        assert.notEqual(result.exitReason, 'completed');
        assert.match(result.error?.message ?? '', /names VERIFY_UNSET_KEY, which is not set: .*--env VERIFY_UNSET_KEY/);
      } finally {
        writeFileSync(path, before);
      }
    },
  },
  {
    id: 'own-models',
    carrier: 'process',
    title: 'the agent lists its models, including the one it runs with',
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
    if (answers > MAX_ANSWERS) return 'The tool is missing.';
    // Some agents start the configured servers during the first turn.
    const call = answers % 2 === 1 ? callSecretWord(bench, tools) : undefined;
    // Never the same twice: some agents treat that as a loop.
    return call ?? bench.shell(`sleep 1; echo ${answers}`);
  });
  const run = await bench.run({ prompt: 'What is the word?' });
  return run.completed().result.text;
}

function holdsNothingOf(session: Session, prompt: string): void {
  const stored = JSON.stringify(session);
  for (let at = 0; at + DISTINCTIVE_CHARS <= prompt.length; at += DISTINCTIVE_CHARS) {
    const part = JSON.stringify(prompt.slice(at, at + DISTINCTIVE_CHARS)).slice(1, -1);
    assert.ok(!stored.includes(part), `the prompt of the vendor is in the session: ${part}`);
  }
}
