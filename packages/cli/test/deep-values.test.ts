import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { amux, createTestHome, TIMEOUT_MS, userConfig, writeConfig } from './amux.ts';

const testHome = createTestHome();
afterAll(() => rmSync(testHome.home, { recursive: true, force: true }));

/** Calls a tool with an input and output nested deeper than any stack. */
const AGENT = `
  const deep = '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000);
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { type, session_id } = JSON.parse(line);
    if (type !== 'user.input') return;
    const say = (words) => console.log('{"session_id":' + JSON.stringify(session_id) + ',' + words + '}');
    say('"type":"tool.start","tool":"dig","tool_call_id":"1","input":' + deep);
    say('"type":"tool.result","tool_call_id":"1","output":' + deep);
    say('"type":"tool.start","tool":"dig","input":' + deep);
    say('"type":"output","content":"still here"');
    say('"type":"turn.complete"');
  });`;

describe('amux run with values nested deeper than the stack', { timeout: TIMEOUT_MS }, () => {
  writeConfig(userConfig(testHome), {
    agents: [{ id: 'digger', profile: 'external', external: { command: process.execPath, args: ['-e', AGENT] } }],
  });

  it('prints every event with --json, with the deep value truncated', async () => {
    const { code, stdout, stderr } = await amux(testHome, ['run', '--agent', 'digger', '--json', 'dig']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const lines = stdout.trim().split('\n');
    expect(lines.find((line) => line.includes('tool_call_ready'))).toContain('[nested too deep]');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'run_result', text: 'still here' });
  });

  it('shows it on a terminal', async () => {
    const { code, stdout } = await amux(testHome, ['run', '--agent', 'digger', 'dig']);
    expect(code).toBe(0);
    expect(stdout).toContain('still here');
  });
});
