import { createClient } from '@agent-mux/core';
import { afterAll, describe, expect, it } from 'vitest';
import { crushAdapter } from '../src/crush/index.ts';
import { cursorAdapter } from '../src/cursor/index.ts';
import { eventsOf, typed } from './engine.ts';
import { standInPath } from './fakes.ts';

const client = createClient({
  adapters: [crushAdapter, cursorAdapter],
  runIndex: false,
  env: { PATH: standInPath() },
});
afterAll(() => client.close());
const LIMIT = { timeout: 30_000 };

describe('documented agent with a fake on the path', () => {
  it('logs in over ACP before it opens a session, asks, and gets the decision', LIMIT, async () => {
    for (const decision of ['allow', 'deny'] as const) {
      const handle = client.run({
        agent: 'cursor',
        prompt: 'make it',
        onApprovalRequest: () => ({ decision }),
      });
      const events = await eventsOf(handle);
      expect(typed(events, 'approval_request')).toMatchObject([{ toolName: 'execute', title: 'touch made' }]);
      const result = await handle;
      expect(result.text).toBe(decision === 'allow' ? 'It is made.' : 'It is not made.');
      expect(result.exitReason).toBe('completed');
    }
  });

  it('streams events from a process per turn, and uses a read-only mode for plan', LIMIT, async () => {
    const run = (approvalMode: 'plan' | 'yolo') =>
      eventsOf(client.run({ agent: 'cursor', mode: 'stream-json', prompt: 'hello', approvalMode }));
    const denied = await run('plan');
    expect(typed(denied, 'tool_error')).toMatchObject([{ toolName: 'write', denied: true }]);
    expect(typed(denied, 'session_start')).toMatchObject([{ sessionId: 'c6b62c6f-7ead-4fd6-9922-e952131177ff' }]);
    const yolo = await run('yolo');
    expect(typed(yolo, 'tool_result')).toHaveLength(1);
    expect(typed(yolo, 'text_delta')).toMatchObject([{ delta: 'You said: hello' }]);
  });

  it('prints text, and reports on stderr why it failed', LIMIT, async () => {
    const run = (prompt: string) => client.run({ agent: 'crush', prompt, approvalMode: 'yolo' });
    expect((await run('hello')).text).toBe('You said: hello\n');
    expect(typed(await eventsOf(run('fail')), 'crash')).toMatchObject([
      { exitCode: 1, stderr: expect.stringContaining('no providers configured') },
    ]);
  });

  it('is not started in a mode that promises to ask if it cannot', () => {
    expect(() => client.run({ agent: 'crush', prompt: 'hello' })).toThrow(/cannot ask for approval/);
  });
});
