import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeAdapter } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { live, sessionStart, text, turnEnd, useBench } from '../../../test/engine.ts';
import { ScriptAdapter } from '../../../test/script-adapter.ts';
import type { AgentMode } from '../../contract/adapter.ts';
import type { AgentCapabilities } from '../../contract/capabilities.ts';
import type { RunOptions } from '../../contract/options.ts';

const bench = useBench();
const files = bench.folder();
const image = join(files, 'a.png');
const page = join(files, 'a.txt');
for (const path of [image, page]) writeFileSync(path, 'x');

interface Row {
  option: keyof RunOptions;
  value: Partial<RunOptions>;
  off: Partial<AgentCapabilities>;
  message: RegExp;
}
const TABLE: readonly Row[] = [
  { option: 'sessionId', value: { sessionId: 's' }, off: { canResume: false }, message: /cannot resume/ },
  { option: 'forkSessionId', value: { forkSessionId: 's' }, off: { canFork: false }, message: /cannot fork/ },
  {
    option: 'noSession',
    value: { noSession: true },
    off: { canRunWithoutSession: false },
    message: /always keeps a session/,
  },
  { option: 'model', value: { model: 'm' }, off: { supportsModelSelection: false }, message: /takes no model/ },
  {
    option: 'thinkingEffort',
    value: { thinkingEffort: 'max' },
    off: { thinkingEfforts: ['low'] },
    message: /efforts low/,
  },
  { option: 'thinkingEffort', value: { thinkingEffort: 'low' }, off: { thinkingEfforts: [] }, message: /no setting/ },
  {
    option: 'thinkingBudgetTokens',
    value: { thinkingBudgetTokens: 9 },
    off: { supportsThinkingBudgetTokens: false },
    message: /no thinking budget/,
  },
  {
    option: 'thinkingOverride',
    value: { thinkingOverride: { a: 1 } },
    off: { supportsThinkingOverride: false },
    message: /no native thinking/,
  },
  { option: 'systemPromptMode', value: { systemPrompt: 'x' }, off: { systemPrompt: {} }, message: /cannot append/ },
  {
    option: 'systemPromptMode',
    value: { systemPrompt: 'x', systemPromptMode: 'replace' },
    off: { systemPrompt: { append: 'native' } },
    message: /cannot replace a system prompt; it can: append/,
  },
  { option: 'maxTurns', value: { maxTurns: 3 }, off: { supportsMaxTurns: false }, message: /no turn limit/ },
  { option: 'approvalMode', value: {}, off: { approvalModes: ['yolo'] }, message: /cannot ask for approval.*yolo/ },
  {
    option: 'approvalMode',
    value: { approvalMode: 'plan' },
    off: { approvalModes: ['prompt'] },
    message: /approvalMode "plan"; it can: prompt/,
  },
  {
    option: 'allowedTools',
    value: { allowedTools: ['a'] },
    off: { supportsAllowedTools: false },
    message: /allowed tools/,
  },
  {
    option: 'deniedTools',
    value: { deniedTools: ['a'] },
    off: { supportsDeniedTools: false },
    message: /denied tools/,
  },
  { option: 'mcpServers', value: { mcpServers: { s: { command: 'x' } } }, off: { supportsMCP: false }, message: /MCP/ },
  { option: 'skills', value: { skills: [files] }, off: { supportsSkills: false }, message: /no skills/ },
  { option: 'addDirs', value: { addDirs: [files] }, off: { supportsAddDirs: false }, message: /additional folders/ },
  {
    option: 'attachments',
    value: { attachments: [{ path: image }] },
    off: { supportsImageInput: false, supportsFileAttachments: false },
    message: /takes no images/,
  },
  {
    option: 'attachments',
    value: { attachments: [{ path: page }] },
    off: { supportsFileAttachments: false },
    message: /takes no files/,
  },
  {
    option: 'outputSchema',
    value: { outputSchema: { type: 'string' } },
    off: { supportsStructuredOutput: false },
    message: /structured output/,
  },
  { option: 'interactive', value: { interactive: true }, off: { supportsMultiTurn: false }, message: /one turn only/ },
];

describe('option that the agent does not support', () => {
  it.each(TABLE.map((row) => [row.option, row] as const))('%s is refused before a process starts', (_option, row) => {
    const mark = join(bench.folder(), 'started');
    const { run } = bench.fake([{ do: 'append', path: mark, text: 'x' }], { capabilities: row.off });
    let refusal: unknown;
    try {
      run(row.value);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ code: 'CAPABILITY_ERROR', option: row.option, agent: 'fake' });
    expect(String(refusal)).toMatch(row.message);
    expect(existsSync(mark)).toBe(false);
  });

  it('is accepted if the agent supports it', async () => {
    const { run } = bench.fake([sessionStart, text('"done"'), turnEnd]);
    const results = TABLE.map(async ({ value }) => {
      const handle = run(value);
      if (value.interactive) void handle.end();
      return (await handle).exitReason;
    });
    expect(new Set(await Promise.all(results))).toEqual(new Set(['completed']));
  });

  it('names another mode that supports it', () => {
    class TwoFaced extends FakeAdapter {
      override readonly modes: readonly AgentMode[];
      constructor() {
        super({ steps: live([text('x'), turnEnd]) });
        const [first, second] = new FakeAdapter({ steps: live([]) }).modes;
        this.modes = [{ ...first!, capabilities: { ...first!.capabilities, canFork: false } }, second!];
      }
    }
    const { run } = bench.use(new TwoFaced());
    expect(() => run({ forkSessionId: 's' })).toThrow(/in mode "live" cannot fork a session.*mode "oneshot" can/);
    expect(() => run({ mode: 'acp' })).toThrow(/has no mode "acp"; it has: live, oneshot/);
  });

  it("does not restrict the agent's own permission mode", async () => {
    const { run } = bench.fake([sessionStart, text('ok')], { capabilities: { approvalModes: ['yolo'] } });
    expect(await run({ nativePermissionMode: 'bypass' })).toMatchObject({ exitReason: 'completed' });
  });

  it('is refused if only the path of a local file would arrive', () => {
    const { run } = bench.fake(live([text('x'), turnEnd]));
    const invocation = { mode: 'ssh', host: '127.0.0.1', port: 1 } as const;
    expect(() => run({ invocation, attachments: [{ path: page }] })).toThrow(/cannot see over ssh.*attachments/);
    expect(() => run({ invocation, skills: [page] })).toThrow(/cannot see over ssh.*skills/);
    expect(() => run({ invocation, mode: 'oneshot', attachments: [{ path: image }] })).toThrow(/cannot see over ssh/);
    run({ invocation, attachments: [{ path: image }] }).result.catch(() => {});
  });

  it('refuses a remote invocation for a mode that needs a port', () => {
    const codec = {
      open: () => ({}),
      handshake: () => [],
      turn: () => [],
      decode: () => ({ events: [] }),
      resolve: () => [],
    };
    const server = new ScriptAdapter('', { transport: 'http', waitForSession: false, codec, server: {} });
    const invocation = { mode: 'k8s', pod: 'p' } as const;
    expect(() => bench.use(server).run({ invocation })).toThrow(/needs a port, which k8s does not forward/);
  });

  it('covers all options on an unsupported platform', () => {
    const { run } = bench.fake([], { capabilities: { supportedPlatforms: [] } });
    expect(() => run()).toThrow(/does not run on/);
  });
});
