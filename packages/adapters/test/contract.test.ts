import { dirname } from 'node:path';
import type { AgentAdapter } from '@agent-mux/core';
import { type ContractFixtures, runAdapterContractSuite } from '@agent-mux/testkit/contract-suite';
import { describe, expect, it } from 'vitest';
import { builtInAdapters } from '../src/catalog.ts';
import { definitionProfiles } from '../src/definition-profiles.ts';
import { acpPeer, codexPeer, droidPeer, familyPeer, piPeer, silentPeer } from './contract-peers.ts';
import { acpRecording, recordingsOf } from './contract-recordings.ts';
import { script } from './engine.ts';
import { standInPath } from './fakes.ts';

const NODE = { PATH: dirname(process.execPath) };
const STAND_INS = standInPath();

const CODEX: ContractFixtures = {
  peers: { 'app-server': codexPeer },
  exempt: {
    'the options in mode "exec": the secrets of MCP servers are in no argument':
      'they are passed by -c; env_vars and env_http_headers could carry them',
  },
};

/** The suite's input for each built-in agent. A new agent in the list must be added here. */
const BUILT_IN: Readonly<Record<string, ContractFixtures>> = {
  'agent-mux-remote': {},
  agy: {},
  aider: {},
  amp: {},
  auggie: { peers: { acp: acpPeer } },
  autohand: { peers: { acp: acpPeer } },
  claude: { peers: { live: silentPeer } },
  'claude-remote-control': {},
  cline: {},
  codex: CODEX,
  continue: {},
  copilot: { peers: { acp: acpPeer }, recordings: [acpRecording('copilot')] },
  crush: { run: { env: { PATH: STAND_INS }, text: /You said: / } },
  cursor: { peers: { acp: acpPeer }, run: { env: { PATH: STAND_INS }, text: /It is (not )?made/ } },
  demo: {
    peers: { live: silentPeer },
    run: { env: { ...NODE, DEMO_SPEED: '0' }, options: { prompt: 'hello' }, text: /Hello/ },
  },
  devin: { peers: { acp: acpPeer } },
  droid: { peers: { 'stream-jsonrpc': droidPeer } },
  gemini: { peers: { acp: acpPeer }, recordings: [...recordingsOf('gemini'), acpRecording('gemini')] },
  goose: { peers: { acp: acpPeer } },
  grok: { peers: { acp: acpPeer } },
  hermes: { peers: { acp: acpPeer } },
  kilo: { peers: { serve: familyPeer } },
  kimi: { peers: { acp: acpPeer }, recordings: [acpRecording('kimi')] },
  kiro: { peers: { acp: acpPeer } },
  omp: { peers: { rpc: piPeer } },
  openclaw: { peers: { acp: acpPeer } },
  opencode: { peers: { serve: familyPeer } },
  'opencode-http': { peers: { http: familyPeer } },
  pi: { peers: { rpc: piPeer } },
  qwen: { peers: { live: silentPeer } },
  roo: {},
  vibe: { peers: { acp: acpPeer } },
};

const ECHO = script(
  `process.stdin.setEncoding('utf8').on('data', (text) => process.stdout.write('You said: ' + text))`,
);
const ECHO_EXTERNAL = script(`
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { type, session_id, content } = JSON.parse(line);
    const say = (message) => console.log(JSON.stringify({ session_id, ...message }));
    if (type === 'user.input') {
      say({ type: 'output', content: 'You said: ' + content });
      say({ type: 'turn.complete' });
    }
  });`);
const ECHO_RUN = { env: NODE, text: /You said: say hello/ };

interface Defined {
  valid: readonly object[];
  invalid: readonly unknown[];
  fixtures?: ContractFixtures;
}

const NO_COMMAND = [
  {},
  { command: '' },
  { command: 7 },
  { command: 'x', args: 'y' },
  { command: 'x', unknown: 'red' },
  'x',
  null,
];
const AGENT_FIELDS = [{ command: 7 }, { env: { A: 1 } }, { model: ['m'] }, { unknown: 'red' }, 'x', null];

/** By the name of the profile. The first valid configuration must pass the whole contract. */
const DEFINED: Readonly<Record<string, Defined>> = {
  'generic-cli': {
    valid: [
      ECHO,
      { command: 'chat', pty: true },
      { command: 'chat', pty: { cols: 200, rows: 50 } },
      { ...ECHO, spawn_policy: 'persistent', work_dir: '/', env: { A: 'b' } },
    ],
    invalid: [...NO_COMMAND, { command: 'x', spawn_policy: 'often' }, { command: 'x', pty: { cols: 0 } }],
    fixtures: { run: ECHO_RUN },
  },
  'generic-job': {
    valid: [ECHO, { command: 'batch', max_runtime: '1h30m' }],
    invalid: [...NO_COMMAND, { command: 'x', max_runtime: 'soon' }],
    fixtures: { run: ECHO_RUN },
  },
  'generic-http': {
    valid: [{ base_url: 'http://127.0.0.1:9/chat' }, { base_url: 'https://example.com', method: 'get', timeout: '5s' }],
    invalid: [
      {},
      { base_url: 'ftp://x' },
      { base_url: 'http://x', method: 'DELETE' },
      { base_url: 'http://x', timeout: '5' },
    ],
  },
  external: {
    valid: [ECHO_EXTERNAL, { command: 'adapter' }],
    invalid: NO_COMMAND,
    fixtures: { peers: { live: silentPeer }, run: ECHO_RUN },
  },
  acp: {
    valid: [
      { command: 'any-agent', args: ['acp'], model_by: 'session/set_model' },
      { command: 'any-agent', modes: { plan: 'planning' }, model_by: 'model' },
    ],
    invalid: [...NO_COMMAND, { command: 'x', modes: { sometimes: 'y' } }],
    fixtures: { peers: { acp: acpPeer }, recordings: [acpRecording('goose')] },
  },
  'claude-code': {
    valid: [
      {},
      { command: '/opt/claude', model: 'opus', permission_mode: 'plan', max_turns: 3, allowed_tools: ['Read'] },
    ],
    invalid: [...AGENT_FIELDS, { max_turns: -1 }],
    fixtures: { peers: { live: silentPeer } },
  },
  codex: {
    valid: [{}, { model: 'gpt', approval_mode: 'never', sandbox_mode: 'read-only' }],
    invalid: [...AGENT_FIELDS, { sandbox_mode: 'none' }],
    fixtures: CODEX,
  },
  'github-copilot': {
    valid: [{}, { model: 'm', allowed_tools: ['shell'], denied_tools: ['write'] }],
    invalid: [...AGENT_FIELDS, { denied_tools: 'write' }],
    fixtures: { peers: { acp: acpPeer } },
  },
  'kilo-code': {
    valid: [{}, { model: 'm', provider: 'p' }, { model: 'p/m' }],
    invalid: [...AGENT_FIELDS, { model: 'm' }, { provider: 'p' }],
    fixtures: { peers: { serve: familyPeer } },
  },
};

describe('contract suite', () => {
  it('covers every built-in agent and profile', () => {
    expect(Object.keys(BUILT_IN).sort()).toEqual(builtInAdapters().map(({ agent }) => agent));
    expect(Object.keys(DEFINED).sort()).toEqual(definitionProfiles.map(({ profile }) => profile).sort());
  });
});

for (const { agent } of builtInAdapters()) {
  const fixtures = BUILT_IN[agent] ?? {};
  runAdapterContractSuite(() => builtIn(agent), { recordings: recordingsOf(agent), ...fixtures });
}

for (const profile of definitionProfiles) {
  const { valid = [], invalid = [], fixtures } = DEFINED[profile.profile] ?? {};
  const make = () => profile.create(`my-${profile.profile}`, 'Mine', profile.schema.parse(valid[0]));
  runAdapterContractSuite(make, { ...fixtures, definitions: { profile, valid, invalid } });
}

function builtIn(agent: string): AgentAdapter {
  const found = builtInAdapters().find((adapter) => adapter.agent === agent);
  if (!found) throw new Error(`unknown agent ${agent}`);
  return found;
}
